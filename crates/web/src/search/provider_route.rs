//! The route of a search through its providers, whatever is searched for: each is asked in turn,
//! unless its answer is cached, it failed lately, or no time is left for it.

use std::time::Duration;

use super::context::SearchContext;
use super::provider_choice::NoProvider;
use super::search_answer::{ProviderRouting, SearchFailure};
use crate::cache::SingleFlightGuard;
use crate::provider::breaker::BreakerState;
use crate::provider::failure::ProviderFailure;
use crate::provider::{Provider, ProviderAccount};

/// Maximum time for one provider if others can be asked after it.
pub const PROVIDER_TIMEOUT: Duration = Duration::from_secs(8);

/// Minimum time that is worth asking another provider.
pub const MIN_PROVIDER_TIME: Duration = Duration::from_secs(1);

/// A search on its way through the providers.
pub struct ProviderRoute<'a> {
    /// Client, configuration and caches.
    pub context: SearchContext<'a>,
    /// True if there is only one provider to ask. It gets all the time, whatever happened before.
    pub is_only: bool,
    /// Minimum time that is worth asking another provider.
    pub min_time: Duration,
    /// Providers that were asked, and those that were passed over.
    pub routing: ProviderRouting,
    /// Failures of the providers, in order.
    pub failures: Vec<ProviderFailure>,
}

impl<'a> ProviderRoute<'a> {
    /// Begins a search.
    #[must_use]
    pub fn new(context: SearchContext<'a>, is_only: bool) -> Self {
        Self {
            context,
            is_only,
            min_time: MIN_PROVIDER_TIME,
            routing: ProviderRouting::default(),
            failures: Vec::new(),
        }
    }

    /// Returns the cached answer of `provider`, as `cached` finds it, or else the one that `ask`
    /// gets within `longest`; `None` if there is neither.
    ///
    /// # Errors
    /// The client is offline, and the provider would have to be asked.
    pub fn ask<T>(
        &mut self,
        provider: &Provider,
        longest: Duration,
        cached: impl FnOnce(&ProviderAccount) -> Result<T, SingleFlightGuard>,
        ask: impl FnOnce(&SearchContext<'_>, &ProviderAccount) -> Result<T, ProviderFailure>,
    ) -> Result<Option<T>, SearchFailure> {
        let account = match provider.account(self.context.credentials) {
            Ok(account) => account,
            Err(failure) => return Ok(self.pass(failure)),
        };
        let _turn = match cached(&account) {
            Ok(answer) => return Ok(Some(answer)),
            Err(turn) => turn,
        };
        if !self.is_only && !self.may_ask(provider) {
            return Ok(None);
        }
        if self.context.client.is_offline() {
            return Err(SearchFailure::NoProvider(NoProvider::Offline));
        }
        self.routing.attempted.push(provider.name);
        let longest = if self.is_only { Duration::MAX } else { longest };
        let client = self.context.client.for_at_most(longest);
        match ask(&self.context.with_client(&client), &account) {
            Ok(answer) => Ok(Some(answer)),
            Err(failure) => Ok(self.pass(failure)),
        }
    }

    fn pass<T>(&mut self, failure: ProviderFailure) -> Option<T> {
        self.routing.pass(&failure);
        self.failures.push(failure);
        None
    }

    /// False for a provider that is passed over. One that was given no time has not failed.
    fn may_ask(&mut self, provider: &Provider) -> bool {
        if self.context.client.time_left() < self.min_time && !self.routing.attempted.is_empty() {
            let why = "no time left for it".to_owned();
            self.routing.passed.push((provider.name, why));
            return false;
        }
        let breakers = self.context.breakers();
        // The one probe of a half-open breaker is left to a caller that can make it.
        let state = if self.context.client.is_offline() {
            breakers.state(provider)
        } else {
            breakers.pass(provider)
        };
        let BreakerState::Open(left) = state else {
            return true;
        };
        self.routing.leave_alone(provider, left);
        self.failures
            .push(ProviderFailure::left_alone(provider, left));
        false
    }

    /// Returns the failure of the last provider that was asked, or else of the one that can be
    /// asked again first.
    #[must_use]
    pub fn last_failure(&self) -> Option<ProviderFailure> {
        let attempted = &self.routing.attempted;
        let was_attempted = |one: &&ProviderFailure| attempted.contains(&one.provider);
        let wait = |one: &&ProviderFailure| one.retry_after().unwrap_or(u64::MAX);
        let last = self.failures.iter().rfind(was_attempted);
        last.or_else(|| self.failures.iter().min_by_key(wait))
            .cloned()
    }

    /// Returns the failure of the whole search for this reason; of the providers that are
    /// `configured`, those that were not passed over may answer instead.
    pub fn failed(
        self,
        failure: ProviderFailure,
        configured: impl Iterator<Item = &'static Provider>,
    ) -> SearchFailure {
        let passed = self.routing.passed.iter().map(|(name, _)| *name);
        let passed: Vec<&str> = passed.collect();
        SearchFailure::Failed {
            alternatives: self.context.others(configured, &passed),
            failure: Box::new(failure),
            routed: (!self.is_only).then_some(self.routing),
        }
    }
}
