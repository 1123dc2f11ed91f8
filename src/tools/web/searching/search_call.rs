//! The course of a call that answers with a search: in a process of its own, or from the cache of a
//! server.

use crate::cache::CacheStore;
use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use crate::tools::web::session_record::{self, SessionFinds};
use crate::tools::web::{network, research_cache};
use crate::web::client::HttpClient;
use crate::web::credentials::Credentials;
use crate::web::search::context::SearchContext;

/// A call that answers with a search.
pub struct SearchCall<'a, 'c> {
    /// Its request.
    pub request: &'a Request<'a>,
    /// Configuration and caches.
    pub known: SearchContext<'c>,
    /// HTTP client; without one the answer is taken from the store alone.
    pub client: Option<&'c HttpClient>,
    /// Filled with what a session keeps of the answer.
    pub finds: SessionFinds,
}

/// Answers a call; nothing if there is no client, and the store does not have the answer.
pub type SearchAnswerer = for<'a> fn(&mut SearchCall<'a, '_>) -> Result<Option<Reply<'a>>, Failure>;

/// Runs a call of `tool`.
pub fn run<'a>(
    request: &'a Request<'a>,
    tool: &str,
    answer: SearchAnswerer,
) -> Result<Reply<'a>, Failure> {
    let cache = research_cache::ResearchCache::of_user(request.terms());
    let client = network::client(request.terms());
    let answered = answered(request, tool, answer, cache.store.as_deref(), Some(&client));
    // Who may ask has an answer.
    answered.unwrap_or_else(|| Err(Failure::bad_request("nobody was asked")))
}

/// Answers a call of `tool` from the cache, if that has the answer.
pub fn from_cache<'a>(
    request: &'a Request<'a>,
    tool: &str,
    answer: SearchAnswerer,
    store: &dyn CacheStore,
) -> Option<Result<Reply<'a>, Failure>> {
    answered(request, tool, answer, Some(store), None)
}

fn answered<'a>(
    request: &'a Request<'a>,
    tool: &str,
    answer: SearchAnswerer,
    store: Option<&dyn CacheStore>,
    client: Option<&HttpClient>,
) -> Option<Result<Reply<'a>, Failure>> {
    let credentials = Credentials::from_env();
    let known = SearchContext {
        credentials: &credentials,
        store,
        keeps_answers: research_cache::keeps_answers(request.terms()),
    };
    let mut call = SearchCall {
        request,
        known,
        client,
        finds: SessionFinds::default(),
    };
    let result = answer(&mut call).transpose()?;
    let (finds, store) = (call.finds, store.filter(|_| client.is_none()));
    Some(session_record::recorded(
        request, store, tool, finds, result,
    ))
}
