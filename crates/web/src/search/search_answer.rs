//! The outcome of a search: an answer, or the reason why there is none; and its route to the
//! provider.

use std::fmt;
use std::time::Duration;

use super::SearchResult;
use super::cached_results::CachedResults;
use super::provider_choice::NoProvider;
use super::search_provider::SearchProvider;
use crate::provider::Provider;
use crate::provider::failure::ProviderFailure;

/// Results of a search, with their origin.
#[derive(Clone, Debug)]
pub struct SearchAnswer {
    /// Provider of the results.
    pub provider: &'static SearchProvider,
    /// Results, best first, at most as many as requested.
    pub results: Vec<SearchResult>,
    /// Age of a cached answer; `None` for a new one.
    pub age: Option<Duration>,
    /// Route to this provider, if there was a choice.
    pub routed: Option<ProviderRouting>,
    /// Fields of the request that the provider does not support.
    pub unheeded: Vec<String>,
    /// Hosts that could not be searched, with the reasons.
    pub unsearched: Vec<(Vec<String>, ProviderFailure)>,
    /// Query that was sent instead, if the provider takes only a shorter one.
    pub shortened: Option<String>,
    /// Duration of the search.
    pub took: Duration,
}

impl SearchAnswer {
    /// Creates a new answer of `provider` with what the cache keeps of it.
    pub(super) fn new(provider: &'static SearchProvider, cached: CachedResults) -> Self {
        Self {
            provider,
            results: cached.results,
            age: None,
            routed: None,
            unheeded: cached.unheeded,
            unsearched: Vec::new(),
            shortened: cached.shortened,
            took: Duration::ZERO,
        }
    }
}

/// Route of a search through several providers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderRouting {
    /// Providers that were asked, in order, including the one that answered.
    pub attempted: Vec<&'static str>,
    /// Providers that were passed over: name, and the reason in a few words.
    pub passed: Vec<(&'static str, String)>,
}

impl ProviderRouting {
    /// Returns the reason why the first provider did not answer; `None` if it did.
    #[must_use]
    pub fn fallback_reason(&self) -> Option<String> {
        let all = self.passed.iter();
        let all: Vec<String> = all.map(|(name, why)| format!("{name}: {why}")).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// Records a provider that failed, and the reason.
    pub fn pass(&mut self, failure: &ProviderFailure) {
        let why = failure.kind.in_words().to_owned();
        self.passed.push((failure.provider, why));
    }

    /// Records a provider that is skipped because its breaker is open for this long.
    pub(super) fn leave_alone(&mut self, provider: &Provider, left: Duration) {
        let seconds = left.as_secs() + 1;
        let why = format!("left alone for {seconds} seconds after failures");
        self.passed.push((provider.name, why));
    }
}

/// Reason why a search has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchFailure {
    /// No provider can be asked.
    NoProvider(NoProvider),
    /// The provider that was asked failed, or the last one of several.
    Failed {
        /// The failure.
        failure: Box<ProviderFailure>,
        /// Route through the other providers, if there was a choice.
        routed: Option<ProviderRouting>,
        /// Other providers that are configured and available.
        alternatives: Vec<&'static str>,
    },
}

impl fmt::Display for SearchFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoProvider(error) => error.fmt(f),
            Self::Failed {
                failure, routed, ..
            } => {
                failure.fmt(f)?;
                let passed = routed.as_ref().map_or(&[][..], |routed| &routed.passed);
                let others: Vec<String> = passed
                    .iter()
                    .filter(|(name, _)| *name != failure.provider)
                    .map(|(name, why)| format!("{name} ({why})"))
                    .collect();
                if others.is_empty() {
                    return Ok(());
                }
                write!(f, " Nor was there an answer from {}.", others.join(", "))
            }
        }
    }
}

impl std::error::Error for SearchFailure {}
