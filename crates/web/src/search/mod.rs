//! Web search: the providers, the choice among them, and the clean-up of their results.
//!
//! A provider is a row ([`search_provider::SearchProvider`]), in a file of its own with only the
//! differences between providers. [`searcher::search`] asks the configured ones; the tools of
//! one provider ask through [`host_search`], by the same rows.
//!
//! | module | contents |
//! |---|---|
//! | `query` | a search, and one request's part of it |
//! | `search_provider` | a provider: limits, request and reply, other than what each has |
//! | `brave`, `duckduckgo`, `exa`, `google` | four providers |
//! | `searchapi`, `searxng`, `serper`, `tavily` | four more |
//! | `query_terms` | the query string: operators, and hosts in groups |
//! | `result_list` | lists of results in the providers' replies |
//! | `results`, `html_text`, `dates` | clean-up of results |
//! | `domains` | the filter of hosts that results may be from |
//! | `provider_choice` | the choice of the provider |
//! | `context` | configuration and caches |
//! | `provider_results` | the results of one provider |
//! | `provider_route` | the route of a search through its providers |
//! | `host_search` | the search for the tools of one provider |
//! | `searcher`, `search_answer` | one search, and its outcome |
//! | `cached_results` | searches in the cache |
//! | `lenses` | named lists of domains |
//! | `claim` | the sentence of a result that says most about a claim |
//! | `hints` | advice after a search without results |

use serde::{Deserialize, Serialize};

pub mod brave;
pub mod cached_results;
pub mod claim;
pub mod context;
pub mod dates;
pub(crate) mod domains;
pub(crate) mod duckduckgo;
pub(crate) mod exa;
pub mod google;
pub mod hints;
pub mod host_search;
pub mod html_text;
pub mod lenses;
pub mod provider_choice;
mod provider_results;
pub mod provider_route;
pub mod query;
mod query_terms;
mod result_list;
pub mod results;
pub mod search_answer;
pub mod search_provider;
pub mod searchapi;
pub mod searcher;
pub(crate) mod searxng;
pub(crate) mod serper;
pub(crate) mod tavily;

pub use domains::{DomainFilter, named_hosts};
pub use results::display_link;
pub use results::same_page_key;

use crate::provider::exchange::ProviderItem;
use iki_base::unseen::UnseenCount;

/// One search result, all of it plain text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchResult {
    /// Title of the page.
    pub title: String,
    /// URL of the page, as the provider gave it.
    pub url: String,
    /// Excerpt of the page that matches the query; may be empty.
    pub snippet: String,
    /// Date of publication, as `2024-05-01`, with the time if that is known.
    pub published_at: Option<String>,
    /// Further excerpts.
    pub extra_snippets: Vec<String>,
    /// Invisible characters that were removed from all of these.
    pub taken: UnseenCount,
}

impl ProviderItem for SearchResult {
    fn texts(&mut self) -> Vec<&mut String> {
        let texts = [&mut self.title, &mut self.url, &mut self.snippet];
        let texts = texts.into_iter().chain(&mut self.extra_snippets);
        texts.chain(&mut self.published_at).collect()
    }

    fn count_unseen(&mut self, removed: UnseenCount) {
        self.taken = self.taken.and(removed);
    }
}

/// Counts the invisible characters that were removed from all these results.
#[must_use]
pub fn count_removed(results: &[SearchResult]) -> UnseenCount {
    let all = results.iter().map(|result| result.taken);
    all.fold(UnseenCount::default(), UnseenCount::and)
}
