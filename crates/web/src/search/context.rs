//! State known before a provider is asked: the configuration, the breakers, and the cached answers.

use std::time::Duration;

use crate::cache::{CacheEntry, CacheQuestion, CacheStore, SingleFlightGuard, get_or_wait};
use crate::client::HttpClient;
use crate::credentials::Credentials;
use crate::provider::Provider;
use crate::provider::breaker::{BreakerState, ProviderBreakers};
use crate::provider::caller::ProviderCaller;

/// Maximum wait for another call with the same question.
const MAX_WAIT: Duration = Duration::from_secs(8);

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

impl<'a> SearchContext<'a> {
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

    /// Returns what asks providers with `client`.
    #[must_use]
    pub fn caller<'c>(&self, client: &'c HttpClient) -> ProviderCaller<'c>
    where
        'a: 'c,
    {
        ProviderCaller {
            client,
            credentials: self.credentials,
            breakers: ProviderBreakers::new(self.store),
        }
    }

    /// Returns the store, if answers are read from it and written to it.
    #[must_use]
    pub fn for_answers(&self) -> Option<&'a dyn CacheStore> {
        self.store.filter(|_| self.keeps_answers)
    }

    /// Returns what is kept of the answer to a question.
    #[must_use]
    pub fn entry(&self, question: &CacheQuestion, good_for: Duration) -> Option<CacheEntry> {
        self.for_answers()?.get(question, good_for)
    }

    /// Keeps the answer to a question.
    pub fn keep(&self, question: &CacheQuestion, bytes: &[u8], good_for: Duration) {
        if let Some(store) = self.for_answers() {
            store.put(question, bytes, good_for);
        }
    }

    /// Returns what `look` finds, or what it finds after another call with the same question, for
    /// which this one waits in the time of `client` unless that is offline; otherwise the turn to
    /// ask.
    pub(crate) fn kept_or_turn<T>(
        &self,
        client: &HttpClient,
        question: &CacheQuestion,
        mut look: impl FnMut() -> Option<T>,
    ) -> Result<T, SingleFlightGuard> {
        match self.for_answers() {
            None => Err(SingleFlightGuard::default()),
            Some(_) if client.is_offline() => look().ok_or_else(SingleFlightGuard::default),
            Some(store) => get_or_wait(store, question, MAX_WAIT.min(client.left() / 3), look),
        }
    }
}
