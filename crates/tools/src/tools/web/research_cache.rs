//! The cache of the tools of research, and the freshness of their answers.
//!
//! Rules: the specification's cache and `_meta` of `web_search` and `scrape_page`.

use std::time::Duration;

use serde::Serialize;

use crate::contract::call_terms::CallTerms;
use iki_process::sandbox::confinement;
use iki_web::cache::{CacheFiles, CacheStore, KEY_VARIABLE};
use iki_web::search::cached_results;

/// If set to `1`, the cache is neither read nor written.
const NO_CACHE_VARIABLE: &str = "IKIGAI_NO_CACHE";

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
}
