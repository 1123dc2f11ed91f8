//! A search provider: one row with all that differs between providers of web search. The code in
//! the other modules is shared.

use std::ops::Deref;

use super::SearchResult;
use super::query::ProviderQuery;
use super::query_terms::QueryOperators;
use crate::client::HttpResponse;
use crate::provider::{Provider, ProviderAccount, ProviderRequest, UnreadableReply};

/// A search provider.
#[derive(Debug)]
pub struct SearchProvider {
    /// The fields that every provider has.
    pub service: Provider,
    /// Limits of a request.
    pub limits: ProviderLimits,
    /// Parts of a search that go into the query as operators.
    pub words: QueryOperators,
    /// Builds a request.
    pub request: fn(&ProviderQuery<'_>, &ProviderAccount) -> ProviderRequest,
    /// Parses the results of an answer.
    pub read: fn(&HttpResponse) -> Result<Vec<SearchResult>, UnreadableReply>,
}

impl Deref for SearchProvider {
    type Target = Provider;

    fn deref(&self) -> &Provider {
        &self.service
    }
}

impl PartialEq for SearchProvider {
    fn eq(&self, other: &Self) -> bool {
        self.service == other.service
    }
}

/// Limits of a request to a provider.
#[derive(Clone, Copy, Debug)]
pub struct ProviderLimits {
    /// Maximum length of a query, in characters.
    pub characters: usize,
    /// Maximum length of a query, in words.
    pub words: usize,
    /// Number of words that the provider takes into account.
    pub heeded: usize,
    /// Maximum number of hosts in one request, and the way to name them.
    pub sites: SiteQuery,
    /// Maximum number of results of one request.
    pub results: usize,
    /// True if there is a second page.
    pub has_second_page: bool,
    /// True if concurrent requests are allowed.
    pub allows_concurrency: bool,
}

impl ProviderLimits {
    /// Defaults for a provider that documents no limits.
    pub const PLAIN: Self = Self {
        characters: 2000,
        words: 400,
        heeded: 400,
        sites: SiteQuery::Words(30),
        results: 10,
        has_second_page: true,
        allows_concurrency: true,
    };
}

/// Way to name hosts in a request, with their maximum number.
#[derive(Clone, Copy, Debug)]
pub enum SiteQuery {
    /// As words of the query.
    Words(usize),
    /// In a parameter.
    Parameter(usize),
}
