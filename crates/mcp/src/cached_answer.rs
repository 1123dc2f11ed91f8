//! Calls that are answered from the cache, in the server's own process, without starting another
//! one.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::access::TokenOwner;
use crate::call_answer::CallAnswer;
use iki_tools::call::answer;
use iki_tools::contract::call_terms::CallTerms;
use iki_tools::contract::request::Request;
use iki_tools::contract::tool::Tool;
use iki_web::cache::{
    CacheEntry, CacheQuestion, CacheStore, LayeredCache, PersistentChange, PersistentEntry,
    PersistentFault, PersistentStore,
};

/// Look-ups at the same time. Each holds a thread of the runtime's, of which there are 512, and
/// waits for another one that reads a file: if look-ups held all of them, none would ever end.
static LOOKUPS: Semaphore = Semaphore::const_new(64);

/// The answer to `owner`'s `request` for `tool` on these terms, if the entries in `cache` suffice.
pub async fn find_answer(
    tool: &'static Tool,
    request: &str,
    terms: CallTerms,
    owner: Option<&TokenOwner>,
    cache: &Arc<LayeredCache>,
) -> Option<CallAnswer> {
    let request = request.to_owned();
    let store = WaitingStore {
        cache: Arc::clone(cache),
        owner: owner.cloned(),
        runtime: Handle::current(),
    };
    let permit = LOOKUPS.acquire().await.ok()?;
    // The cache may be on another machine, and a tool that reads it waits.
    let looked = spawn_blocking(move || {
        let _permit = permit;
        let request =
            Request::parse(request.as_bytes()).map(|request| request.for_tool(tool, terms));
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
    owner: Option<TokenOwner>,
    runtime: Handle,
}

impl WaitingStore {
    fn owner(&self) -> Option<&str> {
        self.owner.as_ref().map(TokenOwner::name)
    }
}

impl PersistentStore for WaitingStore {
    fn recall(
        &self,
        name: &CacheQuestion,
        longest: Duration,
    ) -> Result<Option<PersistentEntry>, PersistentFault> {
        let recalled = self.cache.recall(self.owner(), name.clone(), longest);
        self.runtime.block_on(recalled)
    }

    fn change(
        &self,
        name: &CacheQuestion,
        change: PersistentChange,
    ) -> Result<bool, PersistentFault> {
        let changed = self.cache.change(self.owner(), name.clone(), change);
        self.runtime.block_on(changed)
    }
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

    fn persistent(&self) -> Option<&dyn PersistentStore> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use tokio::runtime::Builder;
    use tokio::task::JoinSet;
    use tokio::time::timeout;

    use super::*;
    use iki_tools::contract::failure::Failure;
    use iki_tools::contract::reply::Reply;
    use iki_tools::tools::web::scrape;
    use iki_web::cache::CacheFiles;

    /// Looks slowly, as on a disk that is busy.
    fn look<'a>(
        _request: &'a Request<'a>,
        store: &dyn CacheStore,
    ) -> Option<Result<Reply<'a>, Failure>> {
        thread::sleep(Duration::from_millis(50));
        let question = CacheQuestion::new("test", 1);
        let entry = store.get(&question, Duration::from_secs(60))?;
        Some(Ok(Reply::new(move |object| {
            object.field("content", &entry.bytes.len())
        })))
    }

    static TOOL: Tool = Tool {
        from_cache: Some(look),
        ..scrape::TOOL
    };

    #[test]
    fn more_calls_at_once_than_there_are_threads_are_all_answered() {
        let place = tempfile::tempdir().unwrap();
        let files = || CacheFiles::in_directory(place.path().join("cache"), &"07".repeat(32));
        let question = CacheQuestion::new("test", 1);
        let minute = Duration::from_secs(60);
        files().unwrap().put(&question, b"12345", minute);
        let cache = Arc::new(LayeredCache::new(files(), None));
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let answered = runtime.block_on(async {
            let mut calls = JoinSet::new();
            for _ in 0..1000 {
                let cache = Arc::clone(&cache);
                calls.spawn(async move {
                    find_answer(&TOOL, "{}", CallTerms::default(), None, &cache).await
                });
            }
            timeout(minute / 2, calls.join_all()).await
        });
        // Threads that wait for ever must not be waited for.
        runtime.shutdown_background();
        for answer in answered.unwrap() {
            assert_eq!(answer.unwrap().object["content"], 5);
        }
    }
}
