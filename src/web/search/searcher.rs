//! One search from start to end: from the cache if possible, or else by as many requests as its
//! hosts need, at the next provider if the first one fails.

use std::time::{Duration, Instant};

use super::cached_results::{self, CachedResults, GOOD_FOR};
use super::choice::{self, ProviderChoice};
use super::context::SearchContext;
use super::google;
use super::outcome::{ProviderRouting, SearchAnswer, SearchFailure};
use super::provider_results::{ProviderResults, search_provider};
use super::query::WebSearch;
use super::search_provider::SearchProvider;
use crate::cache::SingleFlightGuard;
use crate::web::client::HttpClient;
use crate::web::provider::ProviderAccount;
use crate::web::provider::breaker::BreakerState;
use crate::web::provider::failure::{ProviderFailure, ProviderFailureKind};

/// Longest time for one provider if others can be asked after it.
const TURN: Duration = Duration::from_secs(8);

/// Least time that is worth asking another provider.
const LEAST: Duration = Duration::from_secs(1);

/// A shorter search that fails to reach a provider does not count against the provider.
const PATIENT: Duration = Duration::from_secs(5);

/// Runs searches.
pub struct WebSearcher<'a> {
    /// HTTP client; the search ends when its time does.
    pub client: &'a HttpClient,
    /// Configuration and caches.
    pub known: SearchContext<'a>,
}

impl WebSearcher<'_> {
    /// Runs a search.
    pub fn search(&self, search: &WebSearch) -> Result<SearchAnswer, SearchFailure> {
        let begin = Instant::now();
        let route =
            choice::choose(search, self.known.credentials).map_err(SearchFailure::NoProvider)?;
        let mut answer = match route {
            ProviderChoice::One(provider) => self.ask_one(search, provider),
            ProviderChoice::FirstOf(providers) => self.ask_first_of(search, &providers),
        }?;
        answer.took = begin.elapsed();
        Ok(answer)
    }

    fn ask_one(
        &self,
        search: &WebSearch,
        provider: &'static SearchProvider,
    ) -> Result<SearchAnswer, SearchFailure> {
        let asked = provider
            .account(self.known.credentials)
            .and_then(
                |account| match self.kept_or_turn(search, provider, &account) {
                    Ok(answer) => Ok(answer),
                    Err(_turn) => self.ask(self.client, search, provider, &account),
                },
            );
        asked.map_err(|failure| self.failed(failure, None))
    }

    fn ask_first_of(
        &self,
        search: &WebSearch,
        providers: &[&'static SearchProvider],
    ) -> Result<SearchAnswer, SearchFailure> {
        let mut routed = ProviderRouting::default();
        let mut worst: Option<ProviderFailure> = None;
        for (at, provider) in providers.iter().enumerate() {
            let account = match provider.account(self.known.credentials) {
                Ok(account) => account,
                Err(failure) => {
                    routed.pass(&failure);
                    worst.get_or_insert(failure);
                    continue;
                }
            };
            let _turn = match self.kept_or_turn(search, provider, &account) {
                Ok(answer) => return Ok(answer.routed(routed)),
                Err(turn) => turn,
            };
            // A provider that was given no time is not recorded as failed.
            if self.client.left() < LEAST && !routed.attempted.is_empty() {
                let why = "no time left for it".to_owned();
                routed.passed.push((provider.name, why));
                continue;
            }
            if let BreakerState::Open(left) = self.known.breakers().pass(provider) {
                let seconds = routed.leave_alone(provider, left);
                // The provider that recovers first decides how long to wait, unless one was asked.
                let longer = match worst.as_ref().map(|worst| worst.kind) {
                    Some(ProviderFailureKind::RateLimited { seconds: other, .. }) => {
                        seconds < other
                    }
                    _ => true,
                };
                if longer && routed.attempted.is_empty() {
                    worst = Some(ProviderFailure::left_alone(provider, left));
                }
                continue;
            }
            routed.attempted.push(provider.name);
            let last = at + 1 == providers.len();
            let turn = if last { self.client.left() } else { TURN };
            let client = self.client.for_at_most(turn);
            match self.ask(&client, search, provider, &account) {
                Ok(answer) => return Ok(answer.routed(routed)),
                Err(failure) => {
                    routed.pass(&failure);
                    worst = Some(failure);
                }
            }
        }
        let nobody = || {
            let text = "No provider is named.";
            ProviderFailure::new(&google::PROVIDER, ProviderFailureKind::Config, text)
        };
        Err(self.failed(worst.unwrap_or_else(nobody), Some(routed)))
    }

    fn failed(&self, failure: ProviderFailure, routed: Option<ProviderRouting>) -> SearchFailure {
        let passed = routed.as_ref().map_or(&[][..], |routed| &routed.passed);
        let tried = passed.iter().map(|(name, _)| *name);
        let tried: Vec<&str> = tried.chain([failure.provider]).collect();
        let configured = choice::configured(self.known.credentials).into_iter();
        let alternatives = self
            .known
            .others(configured.map(|one| &one.service), &tried);
        SearchFailure::Failed {
            failure: Box::new(failure),
            routed,
            alternatives,
        }
    }

    /// Returns the cached answer, or one that another call stores while this one waits; otherwise
    /// the lock for asking.
    fn kept_or_turn(
        &self,
        search: &WebSearch,
        provider: &'static SearchProvider,
        account: &ProviderAccount,
    ) -> Result<SearchAnswer, SingleFlightGuard> {
        let question = cached_results::question(search, provider, account);
        let look = || self.known.kept(search, provider, account);
        self.known.kept_or_turn(self.client, &question, look)
    }

    /// Asks a provider, and caches its answer.
    fn ask(
        &self,
        client: &HttpClient,
        search: &WebSearch,
        provider: &'static SearchProvider,
        account: &ProviderAccount,
    ) -> Result<SearchAnswer, ProviderFailure> {
        let is_patient = client.left() >= PATIENT;
        // A call with little time says nothing about the provider.
        let failed = |failure: &ProviderFailure| {
            if is_patient || !matches!(failure.kind, ProviderFailureKind::Network { .. }) {
                self.known.breakers().failed(provider, failure.kind);
            }
        };
        let found = match search_provider(client, search, provider, account) {
            Ok(found) => found,
            Err(failure) => {
                failed(&failure);
                return Err(failure);
            }
        };
        let ProviderResults {
            results,
            unheeded,
            unsearched,
            shortened,
            broken_off,
        } = found;
        let failures = unsearched.iter().map(|(_, failure)| failure);
        match failures.chain(&broken_off).next() {
            Some(failure) => failed(failure),
            None => self.known.breakers().succeeded(provider),
        }
        let kept = CachedResults {
            results,
            unheeded,
            shortened,
        };
        // A partial answer is not cached.
        if unsearched.is_empty()
            && broken_off.is_none()
            && let Ok(bytes) = serde_json::to_vec(&kept)
        {
            let question = cached_results::question(search, provider, account);
            self.known.keep(&question, &bytes, GOOD_FOR);
        }
        Ok(SearchAnswer {
            provider,
            results: kept.results,
            age: None,
            routed: None,
            unheeded: kept.unheeded,
            unsearched,
            shortened: kept.shortened,
            took: Duration::ZERO,
        })
    }
}
