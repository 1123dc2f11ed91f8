//! One search from start to end: from the cache if possible, or else by as many requests as its
//! hosts need, at the next provider if the first one fails.

use std::time::{Duration, Instant};

use super::cached_results::{self, CachedResults, TIME_TO_LIVE};
use super::choice::{self, NoProvider, ProviderChoice};
use super::context::SearchContext;
use super::outcome::{SearchAnswer, SearchFailure};
use super::provider_results::{ProviderResults, search_provider};
use super::provider_route::{PROVIDER_TIMEOUT, ProviderRoute};
use super::query::WebSearch;
use super::search_provider::SearchProvider;
use crate::cache::CacheQuestion;
use crate::client::HttpClient;
use crate::provider::ProviderAccount;
use crate::provider::failure::{ProviderFailure, ProviderFailureKind};

/// A shorter search that fails to reach a provider does not count against the provider.
const MIN_FAIR_TIME: Duration = Duration::from_secs(5);

/// Runs searches.
pub struct WebSearcher<'a> {
    /// HTTP client; the search ends when its time does. An offline one finds cached answers only.
    pub client: &'a HttpClient,
    /// Configuration and caches.
    pub known: SearchContext<'a>,
}

impl WebSearcher<'_> {
    /// Runs a search.
    pub fn search(&self, search: &WebSearch) -> Result<SearchAnswer, SearchFailure> {
        let begin = Instant::now();
        let choice = choice::choose(search, self.known.credentials);
        let choice = choice.map_err(SearchFailure::NoProvider)?;
        let is_only = matches!(choice, ProviderChoice::One(_));
        let providers = choice.providers();
        let mut route = ProviderRoute::new(self.client, self.known, is_only);
        for (at, provider) in providers.iter().enumerate() {
            let is_last = at + 1 == providers.len();
            let longest = if is_last {
                Duration::MAX
            } else {
                PROVIDER_TIMEOUT
            };
            let found = route.ask(
                provider,
                longest,
                |account| {
                    let question = cached_results::question(search, provider, account);
                    let look = || self.kept(provider, &question);
                    self.known.kept_or_turn(self.client, &question, look)
                },
                |client, account| self.ask(client, search, provider, account),
            )?;
            if let Some(answer) = found {
                return Ok(SearchAnswer {
                    routed: (!is_only).then_some(route.routing),
                    took: begin.elapsed(),
                    ..answer
                });
            }
        }
        // There always is a provider, and so a failure.
        let failure = route.last_failure();
        let failure = failure.ok_or(SearchFailure::NoProvider(NoProvider::Off))?;
        let configured = choice::configured(self.known.credentials).into_iter();
        Err(route.failed(failure, configured.map(|one| &one.service)))
    }

    /// Returns the cached answer, if there is one.
    fn kept(
        &self,
        provider: &'static SearchProvider,
        question: &CacheQuestion,
    ) -> Option<SearchAnswer> {
        let entry = self.known.entry(question, TIME_TO_LIVE)?;
        let kept: CachedResults = serde_json::from_slice(&entry.bytes).ok()?;
        Some(SearchAnswer {
            age: Some(entry.age),
            ..SearchAnswer::new(provider, kept)
        })
    }

    /// Asks a provider, and caches its answer.
    fn ask(
        &self,
        client: &HttpClient,
        search: &WebSearch,
        provider: &'static SearchProvider,
        account: &ProviderAccount,
    ) -> Result<SearchAnswer, ProviderFailure> {
        let is_fair = client.left() >= MIN_FAIR_TIME;
        // A call with little time says nothing about the provider.
        let failed = |failure: &ProviderFailure| {
            if is_fair || !matches!(failure.kind, ProviderFailureKind::Network { .. }) {
                self.known.breakers().failed(provider, failure.kind);
            }
        };
        let found = search_provider(client, search, provider, account).inspect_err(failed)?;
        let ProviderResults {
            kept,
            unsearched,
            broken_off,
        } = found;
        let failures = unsearched.iter().map(|(_, failure)| failure);
        match failures.chain(&broken_off).next() {
            Some(failure) => failed(failure),
            None => self.known.breakers().succeeded(provider),
        }
        // A partial answer is not cached.
        if unsearched.is_empty()
            && broken_off.is_none()
            && let Ok(bytes) = serde_json::to_vec(&kept)
        {
            let question = cached_results::question(search, provider, account);
            self.known.keep(&question, &bytes, TIME_TO_LIVE);
        }
        Ok(SearchAnswer {
            unsearched,
            ..SearchAnswer::new(provider, kept)
        })
    }
}
