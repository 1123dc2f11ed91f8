//! State known before a provider is asked: the configuration, the breakers, and the cached answers.

use std::time::Duration;

use super::cached_results::{self, CachedResults, GOOD_FOR};
use super::choice::{self, ProviderChoice};
use super::outcome::{ProviderRouting, SearchAnswer};
use super::query::WebSearch;
use super::search_provider::SearchProvider;
use crate::cache::{CacheEntry, CacheQuestion, CacheStore, SingleFlightGuard, get_or_wait};
use crate::web::client::HttpClient;
use crate::web::credentials::Credentials;
use crate::web::provider::breaker::{BreakerState, ProviderBreakers};
use crate::web::provider::{Provider, ProviderAccount};

/// Longest wait for another call with the same question.
const WAIT: Duration = Duration::from_secs(8);

/// Configuration and caches of a search.
#[derive(Clone, Copy)]
pub struct SearchContext<'a> {
    /// API keys and settings.
    pub credentials: &'a Credentials<'a>,
    /// Store of answers and breakers, if there is one.
    pub store: Option<&'a dyn CacheStore>,
    /// True if answers are read from the store and written to it. Breakers always are.
    pub keeps_answers: bool,
}

impl SearchContext<'_> {
    /// Returns the cached answer to a search, if a searcher would return it before it asks a
    /// provider.
    #[must_use]
    pub fn answer(&self, search: &WebSearch) -> Option<SearchAnswer> {
        let providers = match choice::choose(search, self.credentials).ok()? {
            ProviderChoice::One(provider) => {
                let account = provider.account(self.credentials).ok()?;
                return self.kept(search, provider, &account);
            }
            ProviderChoice::FirstOf(providers) => providers,
        };
        let mut routed = ProviderRouting::default();
        for provider in providers {
            let account = match provider.account(self.credentials) {
                Ok(account) => account,
                Err(failure) => {
                    routed.pass(&failure);
                    continue;
                }
            };
            if let Some(answer) = self.kept(search, provider, &account) {
                return Some(answer.routed(routed));
            }
            let BreakerState::Open(left) = self.breakers().state(provider) else {
                return None;
            };
            routed.leave_alone(provider, left);
        }
        None
    }

    /// Returns the circuit breakers.
    #[must_use]
    pub fn breakers(&self) -> ProviderBreakers<'_> {
        ProviderBreakers::new(self.store)
    }

    /// Returns the names of those providers that may answer now, without those that are `named`.
    pub fn others(
        &self,
        providers: impl Iterator<Item = &'static Provider>,
        named: &[&str],
    ) -> Vec<&'static str> {
        let others = providers.filter(|one| !named.contains(&one.name));
        let well = others.filter(|one| self.breakers().state(one) == BreakerState::Closed);
        well.map(|one| one.name).collect()
    }

    /// Returns what is kept of the answer to a question.
    #[must_use]
    pub fn entry(&self, question: &CacheQuestion, good_for: Duration) -> Option<CacheEntry> {
        let store = self.store.filter(|_| self.keeps_answers)?;
        store.get(question, good_for)
    }

    /// Keeps the answer to a question.
    pub fn keep(&self, question: &CacheQuestion, bytes: &[u8], good_for: Duration) {
        if let Some(store) = self.store.filter(|_| self.keeps_answers) {
            store.put(question, bytes, good_for);
        }
    }

    /// Returns what `look` finds, or what it finds after another call with the same question, for
    /// which this one waits in the time of `client`; otherwise the turn to ask.
    pub fn kept_or_turn<T>(
        &self,
        client: &HttpClient,
        question: &CacheQuestion,
        look: impl FnMut() -> Option<T>,
    ) -> Result<T, SingleFlightGuard> {
        let Some(store) = self.store.filter(|_| self.keeps_answers) else {
            return Err(SingleFlightGuard::default());
        };
        get_or_wait(store, question, WAIT.min(client.left() / 3), look)
    }

    /// Returns the cached answer, if there is one.
    pub(super) fn kept(
        &self,
        search: &WebSearch,
        provider: &'static SearchProvider,
        account: &ProviderAccount,
    ) -> Option<SearchAnswer> {
        let question = cached_results::question(search, provider, account);
        let entry = self.entry(&question, GOOD_FOR)?;
        let kept: CachedResults = serde_json::from_slice(&entry.bytes).ok()?;
        Some(SearchAnswer {
            provider,
            results: kept.results,
            age: Some(entry.age),
            routed: None,
            unheeded: kept.unheeded,
            unsearched: Vec::new(),
            shortened: kept.shortened,
            took: Duration::ZERO,
        })
    }
}
