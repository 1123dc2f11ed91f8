//! The pace of requests to a provider that takes one in a given time: a call waits until that
//! time has passed since the request before, whichever process made it. The time of that request is
//! the age of an entry in the cache's store; without a store nobody waits.

use std::thread;
use std::time::{Duration, Instant};

use iki_web::cache::{CacheQuestion, CacheStore};
use iki_web::provider::Provider;

/// Time between two looks whether it is one's turn.
const POLL_INTERVAL: Duration = Duration::from_millis(25);

/// Requests take unequal times to arrive, and arrive this much apart at least.
const SPARE_TIME: Duration = Duration::from_millis(100);

/// Waits until a request may be sent, for `longest` at most. The error is how long it would take.
pub fn wait(
    store: Option<&dyn CacheStore>,
    provider: &Provider,
    pace: Duration,
    longest: Duration,
) -> Result<(), Duration> {
    let Some(store) = store else { return Ok(()) };
    let question = CacheQuestion::new("pace", 1)
        .with("provider", Some(provider.name))
        .that_changes();
    let pace = pace + SPARE_TIME;
    let start = Instant::now();
    loop {
        // Who has it sleeps until the time has come, and others come after.
        if let Some(_turn) = store.turn(&question) {
            let last = store.get(&question, pace);
            let left = last.map_or(Duration::ZERO, |last| pace.saturating_sub(last.age));
            if left > longest.saturating_sub(start.elapsed()) {
                return Err(left);
            }
            thread::sleep(left);
            store.put(&question, b"", pace);
            return Ok(());
        }
        if start.elapsed() > longest {
            return Err(pace);
        }
        thread::sleep(POLL_INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_store::MemoryStore;
    use crate::papers::arxiv;

    #[test]
    fn a_request_waits_for_the_time_after_the_one_before() {
        let store = MemoryStore::default();
        let second = Duration::from_secs(1);
        let wait = |longest| wait(Some(&store), &arxiv::PROVIDER, second, longest);
        assert_eq!(wait(Duration::ZERO), Ok(()));
        assert!(wait(Duration::ZERO).unwrap_err() > second / 2);
        store.grow_older(second);
        let start = Instant::now();
        assert_eq!(wait(second), Ok(()));
        assert!(start.elapsed() >= SPARE_TIME / 2);
        assert!(wait(second / 2).is_err());
    }
}
