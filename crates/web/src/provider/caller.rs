//! Providers asked one by one, each with its circuit breaker.

use super::breaker::ProviderBreakers;
use super::exchange::{self, ProviderItem};
use super::failure::ProviderFailure;
use super::{Provider, ProviderRequest, UnreadableReply};
use crate::client::{HttpClient, HttpResponse};
use crate::credentials::Credentials;

/// Asks providers, as they are configured.
#[derive(Clone, Copy)]
pub struct ProviderCaller<'a> {
    /// HTTP client; a request ends when its time does.
    pub client: &'a HttpClient,
    /// API keys and settings.
    pub credentials: &'a Credentials<'a>,
    /// Breakers of all providers.
    pub breakers: ProviderBreakers<'a>,
}

impl ProviderCaller<'_> {
    /// Sends one request and returns the items that `read` finds in the answer; the breaker learns
    /// of it.
    pub fn ask<T: ProviderItem>(
        &self,
        provider: &Provider,
        request: &ProviderRequest,
        read: fn(&HttpResponse) -> Result<Vec<T>, UnreadableReply>,
    ) -> Result<Vec<T>, ProviderFailure> {
        let retry = exchange::RetryBudget::WHILE_OTHERS_REMAIN;
        let asked = exchange::ask(self.client, provider, request, retry, read);
        match &asked {
            Ok(_) => self.breakers.succeeded(provider),
            Err(failure) => self.breakers.failed(provider, failure.kind),
        }
        asked
    }
}
