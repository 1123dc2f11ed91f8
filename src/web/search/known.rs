//! What is known of a search before anybody is asked: what is configured, whom to leave alone, and
//! the answers that are kept.

use std::time::Duration;

use super::breaker::{BreakerState, Breakers};
use super::choice::{self, ProviderChoice};
use super::kept::{self, GOOD_FOR, Kept};
use super::outcome::{ProviderRouting, SearchAnswer};
use super::provider::{Provider, ProviderAccount};
use super::query::Search;
use crate::cache::CacheStore;
use crate::web::credentials::Credentials;

/// What is known of searches before anybody is asked.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// What is configured.
    pub credentials: &'a Credentials<'a>,
    /// Where answers and breakers are kept, if there is a place.
    pub store: Option<&'a dyn CacheStore>,
    /// Whether answers may come from there, and go there. Breakers do in any case.
    pub keeps_answers: bool,
}

impl Known<'_> {
    /// The answer to a search that is kept, where it is the one that [`Searcher::search`] would
    /// come back with before it asks anybody.
    #[must_use]
    pub fn answer(&self, search: &Search) -> Option<SearchAnswer> {
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
                return Some(SearchAnswer {
                    routed: Some(routed),
                    ..answer
                });
            }
            let BreakerState::Open(left) = self.breakers().state(provider) else {
                return None;
            };
            routed.leave_alone(provider, left);
        }
        None
    }

    /// The breakers.
    #[must_use]
    pub fn breakers(&self) -> Breakers<'_> {
        Breakers::new(self.store)
    }

    /// The answer that is kept, if there is one.
    pub(super) fn kept(
        &self,
        search: &Search,
        provider: &'static Provider,
        account: &ProviderAccount,
    ) -> Option<SearchAnswer> {
        let store = self.store.filter(|_| self.keeps_answers)?;
        let question = kept::question(search, provider, account);
        let entry = store.get(&question, GOOD_FOR)?;
        let kept: Kept = serde_json::from_slice(&entry.bytes).ok()?;
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
