//! What the two tools of research have in common: what every answer is marked with, where answers
//! are kept, how old one is, and what may be done about a failure.
//!
//! Rules: the specification's cache, `_meta` and errors of `web_search` and `scrape_page`.

use std::time::Duration;

use serde::Serialize;

use crate::cache::{CacheFiles, CacheStore, KEY_VARIABLE};
use crate::contract::failure::{Code, FailureAdvice};
use crate::contract::terms::Terms;
use crate::web::search::kept;

/// What every answer is marked with: its texts are anybody's, and no instructions.
pub const TRUST: &str = "untrusted-external-content";

/// If set to `1`, no answer is taken from the cache, and none goes there.
const NO_CACHE_VARIABLE: &str = "IKIGAI_NO_CACHE";

/// How long a network failure is waited for, in seconds.
const NETWORK_WAIT: u64 = 5;

/// How long a limit or a failing server is waited for where nobody says for how long, in seconds.
const USUAL_WAIT: u64 = 60;

/// What manual pages say of the cache's variables.
pub const NO_CACHE: (&str, &str) = (
    NO_CACHE_VARIABLE,
    "1 neither takes answers from the cache nor keeps any",
);

/// The key of the cache, likewise.
pub const CACHE_KEY: (&str, &str) = (
    KEY_VARIABLE,
    "the key that the cache is sealed with, 64 hexadecimal digits, in place of the file cache.key",
);

/// Where the cache is, likewise.
pub const CACHE_PLACES: (&str, &str) = (
    "XDG_CACHE_HOME, XDG_STATE_HOME",
    "where the cache is, and its key: in the directory ikigai-tools of each",
);

/// Where answers are kept.
pub struct Cache {
    /// The entries, where there is a place for them. Breakers are kept there in any case.
    pub store: Option<Box<dyn CacheStore>>,
    /// True if answers may come from there, and go there.
    pub keeps_answers: bool,
}

impl Cache {
    /// The user's own, on the terms of a call.
    #[must_use]
    pub fn of_user(terms: &Terms) -> Self {
        Self {
            store: store(terms),
            keeps_answers: keeps_answers(terms),
        }
    }

    /// The entries, where answers may come from there and go there.
    #[must_use]
    pub fn for_answers(&self) -> Option<&dyn CacheStore> {
        self.store.as_deref().filter(|_| self.keeps_answers)
    }
}

/// True if answers may come from the cache and go there, on the terms of a call.
#[must_use]
pub fn keeps_answers(terms: &Terms) -> bool {
    let set = std::env::var(NO_CACHE_VARIABLE);
    let off = set.is_ok_and(|value| matches!(value.trim(), "1" | "true" | "yes"));
    !(off || terms.no_cache)
}

/// The server's, where this process is a call of one that holds a cache; else the user's files.
fn store(terms: &Terms) -> Option<Box<dyn CacheStore>> {
    if let Some(remote) = terms.context.and_then(|context| context.cache.clone()) {
        return Some(Box::new(remote));
    }
    let secret = std::env::var(KEY_VARIABLE).ok();
    Some(Box::new(CacheFiles::of_user(secret.as_deref())?))
}

/// How old an answer is, as a client is told beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Freshness {
    /// True if it was found out earlier.
    pub cached: bool,
    /// Its age.
    pub age_seconds: u64,
    /// For how long it is good.
    pub max_age_seconds: u64,
    /// `fresh`, `aging` or `expiring`.
    #[serde(rename = "freshness")]
    pub state: &'static str,
}

impl Freshness {
    /// That of an answer of this age, `None` for one that was found out just now, which is good for
    /// so long.
    #[must_use]
    pub fn of(age: Option<Duration>, good_for: Duration) -> Self {
        let since = age.unwrap_or_default();
        Self {
            cached: age.is_some(),
            age_seconds: since.as_secs(),
            max_age_seconds: good_for.as_secs(),
            state: kept::freshness(since, good_for),
        }
    }
}

/// What may be done about a failure of this code, as far as the code alone says.
#[must_use]
pub fn advice(code: Code) -> FailureAdvice {
    let retry_after = match code {
        Code::NetworkError | Code::Timeout => Some(NETWORK_WAIT),
        Code::RateLimit | Code::UpstreamUnavailable => Some(USUAL_WAIT),
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

/// What a program may do about a failure of this code, in the words that programs know; what to do
/// in words for models is part of the message.
#[must_use]
pub fn action(code: Code, retryable: bool) -> &'static str {
    match code {
        _ if retryable => "retry_after_delay",
        Code::AuthMissing | Code::AuthInvalid => "check_api_key",
        Code::ApiError | Code::RateLimit => "try_different_provider",
        Code::ToolFailed => "report_bug",
        _ => "inform_user",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_says_its_age_in_the_client_s_words() {
        let found = Freshness::of(None, Duration::from_secs(1800));
        assert_eq!(
            serde_json::to_string(&found).unwrap(),
            r#"{"cached":false,"ageSeconds":0,"maxAgeSeconds":1800,"freshness":"fresh"}"#
        );
        let kept = Freshness::of(Some(Duration::from_secs(1000)), Duration::from_secs(1800));
        assert!(kept.cached && kept.age_seconds == 1000 && kept.state == "aging");
    }

    #[test]
    fn what_may_pass_is_worth_another_try() {
        for (code, wait, action) in [
            (Code::NetworkError, Some(5), "retry_after_delay"),
            (Code::RateLimit, Some(60), "retry_after_delay"),
            (Code::InvalidArg, None, "inform_user"),
            (Code::AuthMissing, None, "check_api_key"),
            (Code::ApiError, None, "try_different_provider"),
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
