//! Work on several items at once, each on a thread of its own.

use std::thread;

/// Returns the results in the order of the items; `None` where there was no thread, or it panicked.
pub fn map_in_parallel<I: Sync, T: Send>(
    items: &[I],
    work: impl Fn(&I) -> T + Sync,
) -> Vec<Option<T>> {
    if let [item] = items {
        return vec![Some(work(item))];
    }
    thread::scope(|scope| {
        let work = &work;
        let start = |item| thread::Builder::new().spawn_scoped(scope, move || work(item));
        let running: Vec<_> = items.iter().map(start).collect();
        let results = running.into_iter().map(|thread| thread.ok()?.join().ok());
        results.collect()
    })
}
