//! Equal calls at the same time: one is carried out, and the others take what it answers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::sync::OnceCell;

use iki_base::mutex::lock;

/// The calls under way, each under its key.
#[derive(Debug)]
pub struct CoalescedCalls<T>(Mutex<HashMap<String, Arc<OnceCell<T>>>>);

impl<T> Default for CoalescedCalls<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> CoalescedCalls<T> {
    /// The result of `work`, or that of an equal call under way, which has the same `key`. If the
    /// call that works is dropped, the next one that waits starts over.
    pub async fn share(&self, key: String, work: impl Future<Output = T>) -> T {
        let cell = Arc::clone(lock(&self.0).entry(key.clone()).or_default());
        let share = CallShare {
            calls: self,
            key,
            cell,
        };
        share.cell.get_or_init(|| work).await.clone()
    }
}

/// One caller's share in a call under way.
struct CallShare<'a, T: Clone> {
    calls: &'a CoalescedCalls<T>,
    key: String,
    cell: Arc<OnceCell<T>>,
}

impl<T: Clone> Drop for CallShare<'_, T> {
    fn drop(&mut self) {
        let mut under_way = lock(&self.calls.0);
        let mine = under_way.get(&self.key);
        // A call that comes after the end asks anew. A cell that was given up is removed by the
        // last call that waits for it: only this one and the table hold it.
        let over = self.cell.initialized() || Arc::strong_count(&self.cell) <= 2;
        if over && mine.is_some_and(|cell| Arc::ptr_eq(cell, &self.cell)) {
            under_way.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use tokio::task::JoinSet;
    use tokio::time::sleep;

    use super::*;

    fn on_a_runtime(work: impl Future<Output = ()>) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_all().build().unwrap().block_on(work);
    }

    fn key(name: &str) -> String {
        name.to_owned()
    }

    #[test]
    fn one_call_works_for_many_that_ask_the_same() {
        on_a_runtime(async {
            let calls = Arc::new(CoalescedCalls::<usize>::default());
            let worked = Arc::new(AtomicUsize::new(0));
            let mut all = JoinSet::new();
            for caller in 0..16 {
                let (calls, worked) = (Arc::clone(&calls), Arc::clone(&worked));
                all.spawn(async move {
                    let name = if caller < 8 { "a" } else { "b" };
                    let work = async {
                        sleep(Duration::from_millis(20)).await;
                        worked.fetch_add(1, Ordering::SeqCst)
                    };
                    calls.share(key(name), work).await
                });
            }
            let mut answers = all.join_all().await;
            answers.sort_unstable();
            assert_eq!(answers, [[0; 8], [1; 8]].concat());
            assert!(lock(&calls.0).is_empty());
            // A later call does not get an old answer.
            assert_eq!(calls.share(key("a"), async { 7 }).await, 7);
        });
    }

    #[test]
    fn where_the_one_who_works_goes_away_the_next_one_works() {
        on_a_runtime(async {
            let calls = Arc::new(CoalescedCalls::<&str>::default());
            let first = tokio::spawn({
                let calls = Arc::clone(&calls);
                async move { calls.share(key("a"), std::future::pending()).await }
            });
            tokio::task::yield_now().await;
            let second = tokio::spawn({
                let calls = Arc::clone(&calls);
                async move { calls.share(key("a"), async { "second" }).await }
            });
            sleep(Duration::from_millis(10)).await;
            assert!(!second.is_finished());
            first.abort();
            assert_eq!(second.await.unwrap(), "second");
            assert!(lock(&calls.0).is_empty());
            let alone = tokio::spawn({
                let calls = Arc::clone(&calls);
                async move { calls.share(key("a"), std::future::pending()).await }
            });
            tokio::task::yield_now().await;
            alone.abort();
            assert!(alone.await.is_err());
            assert!(lock(&calls.0).is_empty());
        });
    }
}
