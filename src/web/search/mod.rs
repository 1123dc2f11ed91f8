//! Searching the web: providers of search, whom of them to ask, and what is made of their results.
//!
//! A provider is a row ([`provider::Provider`]) in a file of its own that says only what differs.
//! [`searcher::Searcher`] asks whichever there is; the tools of one provider ask [`brave`] and
//! [`google`] themselves, through the same rows.
//!
//! | module | what it is |
//! |---|---|
//! | `query` | what a search is |
//! | `provider` | what a provider is: address, credentials, limits, how it is asked and read |
//! | `brave`, `duckduckgo`, `exa`, `google` | four providers |
//! | `searchapi`, `searxng`, `serper`, `tavily` | four more |
//! | `terms` | the words of a request: operators, and hosts in groups |
//! | `exchange` | one request and its answer, without a key in it |
//! | `reply` | what answers have in common |
//! | `failure` | why there are no results |
//! | `results`, `plain`, `dates` | results as they are shown |
//! | `domains` | which hosts results may be from |
//! | `choice` | whom to ask |
//! | `breaker` | whom to leave alone for a while |
//! | `known` | what is known before anybody is asked |
//! | `found` | what one provider finds |
//! | `searcher`, `outcome` | one search, and what it comes to |
//! | `kept` | what is kept of it |
//! | `lenses` | lists of domains with a name |
//! | `claim` | what of a result says most about a claim |
//! | `hints` | what to do where nothing was found |

use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

pub mod brave;
pub mod breaker;
pub mod choice;
pub mod claim;
pub(in crate::web) mod dates;
pub mod domains;
pub mod duckduckgo;
pub mod exa;
mod exchange;
pub mod failure;
mod found;
pub mod google;
pub mod hints;
pub mod kept;
pub mod known;
pub mod lenses;
#[cfg(test)]
mod memory;
pub mod outcome;
mod plain;
pub mod provider;
pub mod query;
mod reply;
mod results;
pub mod searchapi;
pub mod searcher;
pub mod searxng;
pub mod serper;
pub mod tavily;
mod terms;

pub use domains::{DomainFilter, named_hosts};
pub use results::display_link;

use super::client;
use super::credentials::Missing;
use crate::unseen::UnseenCount;

/// One result, all of it plain text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchResult {
    /// The page's title.
    pub title: String,
    /// The page's URL, as the provider gave it.
    pub url: String,
    /// What the page says about the query; may be empty.
    pub snippet: String,
    /// When the page was published, as `2024-05-01`, with the time behind it if that is known.
    pub published_at: Option<String>,
    /// What else the page says about the query.
    pub extra_snippets: Vec<String>,
    /// Unseen characters that were taken out of all these.
    pub taken: UnseenCount,
}

/// The unseen characters that were taken out of all these results.
#[must_use]
pub fn unseen_taken_out(results: &[SearchResult]) -> UnseenCount {
    let all = results.iter().map(|result| result.taken);
    all.fold(UnseenCount::default(), UnseenCount::and)
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The results, best first.
    pub results: Vec<SearchResult>,
    /// How many results the provider gave that the domain filter took away.
    pub filtered: usize,
    /// The domains that could not be searched, and why.
    pub failed: Vec<(String, SearchError)>,
    /// How many domains were not asked for, since there were too many.
    pub unasked: usize,
}

/// Why a search of one provider's tool failed. Every text is ready to be shown, and never holds a
/// key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchError {
    /// No key is configured.
    AuthMissing(String),
    /// The provider rejects the key.
    AuthInvalid(String),
    /// Too many requests: the quota is used up, or the provider asked twice to slow down.
    RateLimit(String),
    /// The provider could not be reached.
    Network(String),
    /// The provider answered with another failure, or not as documented.
    Api(String),
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AuthMissing(text)
            | Self::AuthInvalid(text)
            | Self::RateLimit(text)
            | Self::Network(text)
            | Self::Api(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for SearchError {}

/// Adds to a set-up message what is wrong with the credentials file.
fn missing(text: &str, missing: Missing) -> SearchError {
    SearchError::AuthMissing(match missing.problem {
        None => text.to_owned(),
        Some(problem) => format!("{text}\n\nThe credentials file could not be used. {problem}"),
    })
}

/// The endpoint: the variable's value, where it is set, else the provider's own.
fn endpoint(variable: &str, default: &str) -> Result<Url, SearchError> {
    let set = std::env::var(variable)
        .ok()
        .filter(|value| !value.trim().is_empty());
    client::parse_url(set.as_deref().unwrap_or(default))
        .map_err(|why| SearchError::Api(format!("{variable} is not a URL to ask: {why}")))
}
