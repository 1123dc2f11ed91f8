//! Equal calls at the same time: one is carried out, and the others take what it answers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::OnceCell;

/// The calls under way, each with what it is known by.
#[derive(Debug)]
pub struct Flights<T>(Mutex<HashMap<String, Arc<OnceCell<T>>>>);

impl<T> Default for Flights<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Flights<T> {
    /// What `work` comes to, or the work of somebody else who is at the same thing, known by the
    /// same `key`. Where whoever works is dropped, the next one of those who wait begins anew.
    pub async fn share(&self, key: String, work: impl Future<Output = T>) -> T {
        let cell = Arc::clone(self.under_way().entry(key.clone()).or_default());
        let flight = Flight {
            flights: self,
            key,
            cell,
        };
        flight.cell.get_or_init(|| work).await.clone()
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<String, Arc<OnceCell<T>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody's part in a call under way.
struct Flight<'a, T: Clone> {
    flights: &'a Flights<T>,
    key: String,
    cell: Arc<OnceCell<T>>,
}

impl<T: Clone> Drop for Flight<'_, T> {
    fn drop(&mut self) {
        let mut under_way = self.flights.under_way();
        let mine = under_way.get(&self.key);
        // Whoever comes after the end asks anew. One that was given up goes with the last who waits
        // for it: that is this one and the table.
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
    fn of_many_that_ask_the_same_one_works_and_nothing_is_left() {
        on_a_runtime(async {
            let flights = Arc::new(Flights::<usize>::default());
            let worked = Arc::new(AtomicUsize::new(0));
            let mut all = JoinSet::new();
            for caller in 0..16 {
                let (flights, worked) = (Arc::clone(&flights), Arc::clone(&worked));
                all.spawn(async move {
                    let name = if caller < 8 { "a" } else { "b" };
                    let work = async {
                        sleep(Duration::from_millis(20)).await;
                        worked.fetch_add(1, Ordering::SeqCst)
                    };
                    flights.share(key(name), work).await
                });
            }
            let mut answers = all.join_all().await;
            answers.sort_unstable();
            assert_eq!(answers, [[0; 8], [1; 8]].concat());
            assert!(flights.under_way().is_empty());
            // Whoever comes later does not get an old answer.
            assert_eq!(flights.share(key("a"), async { 7 }).await, 7);
        });
    }

    #[test]
    fn where_the_one_who_works_goes_away_the_next_one_works() {
        on_a_runtime(async {
            let flights = Arc::new(Flights::<&str>::default());
            let first = tokio::spawn({
                let flights = Arc::clone(&flights);
                async move { flights.share(key("a"), std::future::pending()).await }
            });
            tokio::task::yield_now().await;
            let second = tokio::spawn({
                let flights = Arc::clone(&flights);
                async move { flights.share(key("a"), async { "second" }).await }
            });
            sleep(Duration::from_millis(10)).await;
            assert!(!second.is_finished());
            first.abort();
            assert_eq!(second.await.unwrap(), "second");
            assert!(flights.under_way().is_empty());
            let alone = tokio::spawn({
                let flights = Arc::clone(&flights);
                async move { flights.share(key("a"), std::future::pending()).await }
            });
            tokio::task::yield_now().await;
            alone.abort();
            assert!(alone.await.is_err());
            assert!(flights.under_way().is_empty());
        });
    }
}
