//! Providers asked one by one, each with its account and its circuit breaker.

use super::breaker::{BreakerState, ProviderBreakers};
use super::exchange::{self, ProviderItem, RetryBudget};
use super::failure::ProviderFailure;
use super::{Provider, ProviderAccount, ProviderRequest, UnreadableReply};
use crate::web::client::{HttpClient, HttpResponse};
use crate::web::credentials::Credentials;

/// Asks providers, as they are configured.
#[derive(Clone, Copy)]
pub struct ProviderCaller<'a> {
    /// HTTP client; a request ends when its time does.
    pub client: &'a HttpClient,
    /// API keys and settings.
    pub credentials: &'a Credentials<'a>,
    /// Breakers of all providers.
    pub breakers: ProviderBreakers<'a>,
    /// Longest wait before a retry that a provider asks for.
    pub patience: RetryBudget,
}

impl ProviderCaller<'_> {
    /// Returns the failure of a provider that is skipped because it failed lately.
    #[must_use]
    pub fn skipped(&self, provider: &Provider) -> Option<ProviderFailure> {
        let BreakerState::Open(left) = self.breakers.pass(provider) else {
            return None;
        };
        Some(ProviderFailure::left_alone(provider, left))
    }

    /// Sends one request and returns the items that `read` finds in the answer; the breaker learns
    /// of it.
    pub fn ask<T: ProviderItem>(
        &self,
        provider: &Provider,
        request: &dyn Fn(&ProviderAccount) -> ProviderRequest,
        read: fn(&HttpResponse) -> Result<Vec<T>, UnreadableReply>,
    ) -> Result<Vec<T>, ProviderFailure> {
        let account = provider.account(self.credentials)?;
        let request = request(&account);
        let asked = exchange::ask(self.client, provider, &request, self.patience, read);
        match &asked {
            Ok(_) => self.breakers.succeeded(provider),
            Err(failure) => self.breakers.failed(provider, failure.kind),
        }
        asked
    }
}
