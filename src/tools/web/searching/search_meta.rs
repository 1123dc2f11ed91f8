//! Metadata on a search, for a client beside its answer.

use serde::Serialize;

use crate::tools::web::research_cache::AnswerFreshness;
use crate::web::search::cached_results::GOOD_FOR;
use crate::web::search::outcome::SearchAnswer;

/// Freshness and route of a search.
#[derive(Serialize)]
pub struct SearchMeta {
    /// Freshness of the answer.
    #[serde(flatten)]
    pub freshness: AnswerFreshness,
    #[serde(skip_serializing_if = "Option::is_none")]
    routing: Option<RoutingMeta>,
}

/// Route of the search to its provider.
#[derive(Serialize)]
struct RoutingMeta {
    provider_used: &'static str,
    providers_attempted: Vec<&'static str>,
    fallback: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback_reason: Option<String>,
    cache_hit: bool,
    latency_ms: u128,
}

impl SearchMeta {
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
