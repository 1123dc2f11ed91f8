//! Common code of the two research tools: the trust mark of answers, their cache and its freshness,
//! and the advice on failures.
//!
//! Rules: the specification's cache, `_meta` and errors of `web_search` and `scrape_page`.

use std::time::Duration;

use serde::Serialize;

use crate::contract::call_terms::CallTerms;
use crate::contract::failure::{ErrorCode, Failure, FailureAdvice};
use iki_process::sandbox::confinement;
use iki_web::cache::{CacheFiles, CacheStore, KEY_VARIABLE};
use iki_web::search::cached_results;

/// Mark of every answer: its texts are untrusted, and not instructions.
pub const TRUST: &str = "untrusted-external-content";

/// If set to `1`, the cache is neither read nor written.
const NO_CACHE_VARIABLE: &str = "IKIGAI_NO_CACHE";

/// Wait after a network failure, in seconds.
const NETWORK_WAIT_SECONDS: u64 = 5;

/// Wait after a rate limit or a server failure without a given time, in seconds.
const DEFAULT_WAIT_SECONDS: u64 = 60;

/// True if a call's terms allow answers to be cached.
#[must_use]
pub fn keeps_answers(terms: &CallTerms) -> bool {
    let set = std::env::var(NO_CACHE_VARIABLE);
    let off = set.is_ok_and(|value| matches!(value.trim(), "1" | "true" | "yes"));
    !(off || terms.skips_cache)
}

/// Opens the cache of answers, if the terms of a call allow answers to be cached.
#[must_use]
pub fn for_answers(terms: &CallTerms) -> Option<Box<dyn CacheStore>> {
    keeps_answers(terms).then(|| store(terms)).flatten()
}

/// Opens the server's cache, if this process is a call of a server that has one; otherwise the
/// user's files. Breakers are always stored there.
#[must_use]
pub fn store(terms: &CallTerms) -> Option<Box<dyn CacheStore>> {
    if let Some(remote) = terms.context.and_then(|context| context.cache.clone()) {
        return Some(Box::new(remote));
    }
    let secret = std::env::var(KEY_VARIABLE).ok();
    let files = CacheFiles::of_user(secret.as_deref(), confinement::current())?;
    Some(Box::new(files))
}

/// Freshness of an answer, as clients see it next to the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerFreshness {
    /// True if the answer comes from the cache.
    pub cached: bool,
    /// Age in seconds.
    pub age_seconds: u64,
    /// Seconds for which the answer is valid.
    pub max_age_seconds: u64,
    /// `fresh`, `aging` or `expiring`.
    #[serde(rename = "freshness")]
    pub state: &'static str,
}

impl AnswerFreshness {
    /// Computes the freshness of an answer of this age, `None` for a new one, which is valid for
    /// `good_for`.
    #[must_use]
    pub fn from_age(age: Option<Duration>, good_for: Duration) -> Self {
        let since = age.unwrap_or_default();
        Self {
            cached: age.is_some(),
            age_seconds: since.as_secs(),
            max_age_seconds: good_for.as_secs(),
            state: cached_results::freshness(since, good_for),
        }
    }
}

/// Creates a failure with the advice that follows from its code.
pub fn failure(code: ErrorCode, message: impl Into<String>) -> Failure {
    Failure::new(code, message).with_advice(advice(code))
}

/// Returns the advice that follows from a failure's code.
#[must_use]
pub fn advice(code: ErrorCode) -> FailureAdvice {
    let retry_after = match code {
        ErrorCode::NetworkError | ErrorCode::Timeout => Some(NETWORK_WAIT_SECONDS),
        ErrorCode::RateLimit | ErrorCode::UpstreamUnavailable => Some(DEFAULT_WAIT_SECONDS),
        _ => None,
    };
    let retryable = retry_after.is_some();
    FailureAdvice {
        retryable,
        retry_after,
        suggested_action: Some(action(code, retryable).to_owned()),
        ..FailureAdvice::default()
    }
}

/// Returns the action for programs after a failure of this code, as one of their keywords; the
/// advice for models is part of the message.
#[must_use]
pub fn action(code: ErrorCode, retryable: bool) -> &'static str {
    match code {
        _ if retryable => "retry_after_delay",
        ErrorCode::AuthMissing | ErrorCode::AuthInvalid => "check_api_key",
        ErrorCode::ApiError | ErrorCode::RateLimit => "try_different_provider",
        ErrorCode::ToolFailed => "report_bug",
        _ => "inform_user",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_says_its_age_in_the_client_s_words() {
        let fresh_answer = AnswerFreshness::from_age(None, Duration::from_secs(1800));
        assert_eq!(
            serde_json::to_string(&fresh_answer).unwrap(),
            r#"{"cached":false,"ageSeconds":0,"maxAgeSeconds":1800,"freshness":"fresh"}"#
        );
        let cached_answer =
            AnswerFreshness::from_age(Some(Duration::from_secs(1000)), Duration::from_secs(1800));
        assert!(
            cached_answer.cached
                && cached_answer.age_seconds == 1000
                && cached_answer.state == "aging"
        );
    }

    #[test]
    fn what_may_pass_is_worth_another_try() {
        for (code, wait, action) in [
            (ErrorCode::NetworkError, Some(5), "retry_after_delay"),
            (ErrorCode::RateLimit, Some(60), "retry_after_delay"),
            (ErrorCode::InvalidArg, None, "inform_user"),
            (ErrorCode::AuthMissing, None, "check_api_key"),
            (ErrorCode::ApiError, None, "try_different_provider"),
        ] {
            let advice = advice(code);
            assert_eq!(
                (advice.retryable, advice.retry_after),
                (wait.is_some(), wait)
            );
            assert_eq!(advice.suggested_action.as_deref(), Some(action));
        }
    }
}
