//! Lists of results in the replies of search providers.

use serde_json::Value;

use super::results::without_highlight_marks;
use super::{SearchResult, dates};
use crate::provider::reply::{items, string};

/// Reads the results in a list, without those that have no address.
#[must_use]
pub fn results(list: Option<&Value>, read: impl Fn(&Value) -> SearchResult) -> Vec<SearchResult> {
    let all = items(list).unwrap_or_default().iter().map(read);
    all.filter(|result| !result.url.is_empty()).collect()
}

/// Reads results whose texts are plain, by the names of their URL, snippet and date.
#[must_use]
pub fn plain_results(list: Option<&Value>, [url, snippet, date]: [&str; 3]) -> Vec<SearchResult> {
    results(list, |item| SearchResult {
        title: without_highlight_marks(string(item, "title")),
        url: string(item, url).to_owned(),
        snippet: without_highlight_marks(string(item, snippet)),
        published_at: dates::iso(string(item, date)),
        ..SearchResult::default()
    })
}
