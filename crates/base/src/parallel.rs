//! Work on several items at once, on as many threads as are wanted.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Returns the results in the order of the items, of which at most `limit` are worked on at once.
/// Where there is no thread for one, the others have more to do.
pub fn map_in_parallel<I: Sync, T: Send>(
    items: &[I],
    limit: usize,
    work: impl Fn(&I) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let run = || {
        let indices = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let items = indices.map_while(|index| Some((index, items.get(index)?)));
        items.map(|(index, item)| (index, work(item))).collect()
    };
    let mut results: Vec<(usize, T)> = thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, run).ok();
        let running: Vec<_> = (1..limit.min(items.len())).filter_map(start).collect();
        let mut results: Vec<(usize, T)> = run();
        for thread in running {
            match thread.join() {
                Ok(others) => results.extend(others),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    });
    results.sort_unstable_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
