//! Lists of results in the replies of search providers.

use serde_json::{Map, Value};

use super::results::without_highlight_marks;
use super::{SearchResult, dates};
use crate::provider::UnreadableReply;
use crate::provider::reply::{items, string};

/// Reads the results in a list, without those that have no address.
pub fn results(list: &[Value], read: impl Fn(&Value) -> SearchResult) -> Vec<SearchResult> {
    let all = list.iter().map(read);
    all.filter(|result| !result.url.is_empty()).collect()
}

/// Reads the results in the list at `place` of a reply. A reply of a search that has found nothing
/// may have no list, but has one of the fields `marks`; `{}` stands for a reply without any field.
pub fn results_at(
    reply: &Value,
    place: &str,
    marks: &[&str],
    read: impl Fn(&Value) -> SearchResult,
) -> Result<Vec<SearchResult>, UnreadableReply> {
    if let Ok(list) = items(reply.pointer(place)) {
        return Ok(results(list, read));
    }
    let is_bare = reply.as_object().is_some_and(Map::is_empty);
    let mut marks = marks.iter();
    let is_known = marks.any(|mark| reply.get(mark).is_some() || (is_bare && *mark == "{}"));
    is_known.then(Vec::new).ok_or(UnreadableReply::Unknown)
}

/// Reads results whose texts are plain, by the names of their URL, snippet and date.
pub fn plain_results(
    reply: &Value,
    place: &str,
    marks: &[&str],
    [url, snippet, date]: [&str; 3],
) -> Result<Vec<SearchResult>, UnreadableReply> {
    results_at(reply, place, marks, |item| SearchResult {
        title: without_highlight_marks(string(item, "title")),
        url: string(item, url).to_owned(),
        snippet: without_highlight_marks(string(item, snippet)),
        published_at: dates::iso(string(item, date)),
        ..SearchResult::default()
    })
}
