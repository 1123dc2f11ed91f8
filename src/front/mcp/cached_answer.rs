//! Calls that are answered from the cache, in the server's own process, without starting another
//! one.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

use crate::cache::{CacheEntry, CacheQuestion, CacheStore, LayeredCache};
use crate::contract::request::Request;
use crate::contract::terms::Terms;
use crate::contract::tool::Tool;
use crate::front::answer;
use crate::front::mcp::call_answer::CallAnswer;

/// The answer to `request` for `tool` on these terms, if the entries in `cache` suffice.
pub async fn find(
    tool: &'static Tool,
    request: &str,
    terms: Terms,
    cache: &Arc<LayeredCache>,
) -> Option<CallAnswer> {
    let request = request.to_owned();
    let store = WaitingStore {
        cache: Arc::clone(cache),
        runtime: Handle::current(),
    };
    // The cache may be on another machine, and a tool that reads it waits.
    let looked = spawn_blocking(move || {
        let request = Request::parse(request.as_bytes()).map(|request| request.on(terms));
        answer::prepare_object(tool, terms, || match &request {
            Ok(request) => tool.answer_from(request, &store),
            Err(failure) => Some(Err(failure.clone())),
        })
    });
    let text = String::from_utf8(looked.await.ok()??).ok()?;
    let object @ Value::Object(_) = serde_json::from_str(&text).ok()? else {
        return None;
    };
    Some(CallAnswer::new(text, object))
}

/// The cache of a server for a thread that may wait.
struct WaitingStore {
    cache: Arc<LayeredCache>,
    runtime: Handle,
}

impl CacheStore for WaitingStore {
    fn get(&self, question: &CacheQuestion, longest: Duration) -> Option<CacheEntry> {
        self.runtime.block_on(self.cache.get(question, longest))
    }

    fn put(&self, question: &CacheQuestion, bytes: &[u8], good_for: Duration) {
        self.runtime
            .block_on(self.cache.put(question, bytes, good_for));
    }

    fn forget(&self, question: &CacheQuestion) {
        self.runtime.block_on(self.cache.forget(question));
    }
}
