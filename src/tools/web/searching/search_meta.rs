//! Metadata on a search, for a client beside its answer.

use serde::Serialize;

use crate::tools::web::research_cache::AnswerFreshness;
use crate::web::search::cached_results::GOOD_FOR;
use crate::web::search::outcome::SearchAnswer;

/// Freshness and route of a search.
#[derive(Serialize)]
pub struct SearchMeta<'a> {
    /// Freshness of the answer.
    #[serde(flatten)]
    pub freshness: AnswerFreshness,
    /// Route, if there was a choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub routing: Option<RoutingMeta<'a>>,
}

/// Route of the search to its provider.
#[derive(Serialize)]
pub struct RoutingMeta<'a> {
    /// Provider of the answer.
    pub provider_used: &'a str,
    /// Providers that were asked, in order.
    pub providers_attempted: Vec<&'a str>,
    /// True if a provider was passed over.
    pub fallback: bool,
    /// Reason for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback_reason: Option<String>,
    /// True if the answer comes from the cache.
    pub cache_hit: bool,
    /// Duration of the search, in milliseconds.
    pub latency_ms: u128,
}

impl SearchMeta<'_> {
    /// Returns the metadata of an answer.
    pub fn of(answer: &SearchAnswer) -> Self {
        let routing = answer.routed.as_ref().map(|routed| RoutingMeta {
            provider_used: answer.provider.name,
            providers_attempted: routed.attempted.clone(),
            fallback: !routed.passed.is_empty(),
            fallback_reason: routed.fallback_reason(),
            cache_hit: answer.age.is_some(),
            latency_ms: answer.took.as_millis(),
        });
        Self {
            freshness: AnswerFreshness::of(answer.age, GOOD_FOR),
            routing,
        }
    }
}
