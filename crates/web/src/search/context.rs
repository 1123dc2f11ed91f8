//! The context of a search: the client, the configuration, the breakers, and the cached answers.

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cache::{CacheQuestion, CacheStore, SingleFlightGuard, get_or_wait};
use crate::client::{HttpClient, HttpResponse};
use crate::credentials::Credentials;
use crate::provider::breaker::{BreakerState, ProviderBreakers};
use crate::provider::exchange::{self, ProviderItem, RetryBudget};
use crate::provider::failure::ProviderFailure;
use crate::provider::{Provider, ProviderRequest, UnreadableReply};

/// Maximum wait for another call with the same question.
const MAX_WAIT: Duration = Duration::from_secs(8);

/// Client, configuration and caches of a search.
#[derive(Clone, Copy)]
pub struct SearchContext<'a> {
    /// HTTP client; the search ends when its time does. An offline one finds cached answers only.
    pub client: &'a HttpClient,
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

    /// Returns the context of a search with another client.
    #[must_use]
    pub fn with_client<'c>(&self, client: &'c HttpClient) -> SearchContext<'c>
    where
        'a: 'c,
    {
        SearchContext { client, ..*self }
    }

    /// Sends one request and returns the items that `read` finds in the answer; the breaker learns
    /// of it.
    pub fn ask<T: ProviderItem>(
        &self,
        provider: &Provider,
        request: &ProviderRequest,
        read: fn(&HttpResponse) -> Result<Vec<T>, UnreadableReply>,
    ) -> Result<Vec<T>, ProviderFailure> {
        let retry = RetryBudget::WHILE_OTHERS_REMAIN;
        let answer = exchange::ask(self.client, provider, request, retry, read);
        match &answer {
            Ok(_) => self.breakers().succeeded(provider),
            Err(failure) => self.breakers().failed(provider, failure.kind),
        }
        answer
    }

    /// Returns the store, if answers are read from it and written to it.
    #[must_use]
    pub fn for_answers(&self) -> Option<&'a dyn CacheStore> {
        self.store.filter(|_| self.keeps_answers)
    }

    /// Returns the cached answer to a question, with its age.
    #[must_use]
    pub fn cached<T: DeserializeOwned>(
        &self,
        question: &CacheQuestion,
        good_for: Duration,
    ) -> Option<(T, Duration)> {
        let entry = self.for_answers()?.get(question, good_for)?;
        Some((serde_json::from_slice(&entry.bytes).ok()?, entry.age))
    }

    /// Caches the answer to a question.
    pub fn cache(&self, question: &CacheQuestion, answer: &impl Serialize, good_for: Duration) {
        if let Some(store) = self.for_answers()
            && let Ok(bytes) = serde_json::to_vec(answer)
        {
            store.put(question, &bytes, good_for);
        }
    }

    /// Returns what `look` finds, or what it finds after another call with the same question, for
    /// which this one waits in the time of the client unless that is offline; otherwise the turn to
    /// ask.
    pub fn cached_or_turn<T>(
        &self,
        question: &CacheQuestion,
        mut look: impl FnMut() -> Option<T>,
    ) -> Result<T, SingleFlightGuard> {
        match self.for_answers() {
            None => Err(SingleFlightGuard::default()),
            Some(_) if self.client.is_offline() => look().ok_or_else(SingleFlightGuard::default),
            Some(store) => {
                let wait = MAX_WAIT.min(self.client.time_left() / 3);
                get_or_wait(store, question, wait, look)
            }
        }
    }
}
