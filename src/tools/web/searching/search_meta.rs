//! Metadata on a search, for a client beside its answer.

use std::time::Duration;

use serde::Serialize;

use crate::tools::web::research_cache::AnswerFreshness;
use crate::web::search::cached_results::GOOD_FOR;
use crate::web::search::outcome::{ProviderRouting, SearchAnswer};

/// Freshness and route of a search.
#[derive(Serialize)]
pub struct SearchMeta<'a> {
    /// Freshness of the answer.
    #[serde(flatten)]
    pub freshness: AnswerFreshness,
    #[serde(skip_serializing_if = "Option::is_none")]
    routing: Option<RoutingMeta<'a>>,
}

/// Route of the search to its provider.
#[derive(Serialize)]
struct RoutingMeta<'a> {
    provider_used: &'a str,
    providers_attempted: &'a [&'static str],
    fallback: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback_reason: Option<String>,
    cache_hit: bool,
    latency_ms: u128,
}

impl<'a> SearchMeta<'a> {
    /// Returns the metadata of an answer.
    pub fn of(answer: &'a SearchAnswer) -> Self {
        let SearchAnswer { age, took, .. } = *answer;
        let routed = answer.routed.as_ref();
        Self::new(answer.provider.name, routed, (age, GOOD_FOR), took)
    }

    /// Returns the metadata of an answer of `provider` after this `route`, if there was a choice:
    /// of this age, and valid for the second time; it `took` this long.
    pub fn new(
        provider: &'a str,
        route: Option<&'a ProviderRouting>,
        (age, good_for): (Option<Duration>, Duration),
        took: Duration,
    ) -> Self {
        let routing = route.map(|routed| RoutingMeta {
            provider_used: provider,
            providers_attempted: &routed.attempted,
            fallback: !routed.passed.is_empty(),
            fallback_reason: routed.fallback_reason(),
            cache_hit: age.is_some(),
            latency_ms: took.as_millis(),
        });
        Self {
            freshness: AnswerFreshness::of(age, good_for),
            routing,
        }
    }
}
