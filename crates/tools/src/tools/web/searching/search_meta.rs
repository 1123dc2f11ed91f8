//! Metadata on a search, for a client, next to its answer.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use crate::tools::web::research_cache::AnswerFreshness;
use iki_web::search::cached_results::TIME_TO_LIVE;
use iki_web::search::search_answer::{ProviderRouting, SearchAnswer};

/// Freshness and route of a search.
#[derive(Serialize)]
pub struct SearchMeta {
    /// Freshness of the answer.
    #[serde(flatten)]
    pub freshness: AnswerFreshness,
    /// Route of the search to its provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    routing: Option<Value>,
}

impl SearchMeta {
    /// Returns the metadata of an answer.
    pub fn from_answer(answer: &SearchAnswer) -> Self {
        let SearchAnswer { age, took, .. } = *answer;
        let routed = answer.routed.as_ref();
        Self::new(answer.provider.name, routed, (age, TIME_TO_LIVE), took)
    }

    /// Returns the metadata of an answer of `provider` after this `route`, if there was a choice:
    /// of this age, and valid for the second time; it `took` this long.
    pub fn new(
        provider: &str,
        route: Option<&ProviderRouting>,
        (age, good_for): (Option<Duration>, Duration),
        took: Duration,
    ) -> Self {
        let routing = route.map(|routed| {
            let mut routing = json!({
                "provider_used": provider,
                "providers_attempted": routed.attempted,
                "fallback": !routed.passed.is_empty(),
            });
            if let Some(reason) = routed.fallback_reason() {
                routing["fallback_reason"] = reason.into();
            }
            routing["cache_hit"] = age.is_some().into();
            routing["latency_ms"] = u64::try_from(took.as_millis()).unwrap_or(u64::MAX).into();
            routing
        });
        Self {
            freshness: AnswerFreshness::from_age(age, good_for),
            routing,
        }
    }
}
