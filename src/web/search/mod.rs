//! Searching the web: providers of search, whom of them to ask, and what is made of their results.
//!
//! A provider is a row ([`provider::Provider`]) in a file of its own that says only what differs.
//! [`searcher::Searcher`] asks whichever there is; the tools of one provider ask through
//! [`host_search`], by the same rows.
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
//! | `host_search` | a search of the tools of one provider |
//! | `searcher`, `outcome` | one search, and what it comes to |
//! | `kept` | what is kept of it |
//! | `lenses` | lists of domains with a name |
//! | `claim` | what of a result says most about a claim |
//! | `hints` | what to do where nothing was found |

use serde::{Deserialize, Serialize};

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
pub mod host_search;
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
