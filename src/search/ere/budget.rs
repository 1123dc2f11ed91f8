//! How long a search may take: the clock that every engine looks at between its steps.
//!
//! A host waits for 30 seconds. What an ordinary pattern takes is never bounded, however much there
//! is to search: only a search that has taken far more processor time than the amount explains ends.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// How long a costly search may take.
const LIMIT: Duration = Duration::from_secs(24);
/// The least time for one line, however little is left.
const LEAST: Duration = Duration::from_millis(50);
/// What an ordinary search takes at most: processor time in nanoseconds in all, for each byte, for
/// each window (which may be a small file), and for each line that is found.
const FAIR: u64 = 2_000_000_000;
const FAIR_BYTE: u64 = 5;
const FAIR_WINDOW: u64 = 50_000;
const FAIR_FIND: u64 = 500;
/// Where no search has ended.
const NOWHERE: usize = usize::MAX;

/// The time that a search has, and what it had to leave undecided.
#[derive(Debug)]
pub(super) struct Budget {
    began: Instant,
    /// Processor time that is no sign of a costly pattern, in nanoseconds.
    fair: AtomicU64,
    /// Lines.
    gave_up: AtomicU64,
    /// Where the first undecided lines of this window begin.
    undecided: Mutex<Vec<usize>>,
    /// Where in this window the search ended.
    stopped: AtomicUsize,
}

impl Budget {
    /// The time begins.
    pub fn new() -> Self {
        Self {
            began: Instant::now(),
            fair: AtomicU64::new(FAIR),
            gave_up: AtomicU64::new(0),
            undecided: Mutex::default(),
            stopped: AtomicUsize::new(NOWHERE),
        }
    }

    /// So many bytes come next.
    pub fn window(&self, bytes: usize) {
        let bytes = (bytes as u64).saturating_mul(FAIR_BYTE);
        self.allow(bytes.saturating_add(FAIR_WINDOW));
    }

    /// The next line is being looked for.
    pub fn find(&self) {
        self.allow(FAIR_FIND);
    }

    /// One thread alone counts: so nothing has to be locked.
    fn allow(&self, more: u64) {
        let fair = self.fair.load(Ordering::Relaxed).saturating_add(more);
        self.fair.store(fair, Ordering::Relaxed);
    }

    /// Whether the pattern is costly and its time is over.
    pub fn is_over(&self) -> bool {
        if self.began.elapsed() < LIMIT {
            return false;
        }
        let used = clock_gettime(ClockId::ProcessCPUTime);
        let seconds = u64::try_from(used.tv_sec).unwrap_or(u64::MAX);
        let rest = u64::try_from(used.tv_nsec).unwrap_or(0);
        let used = seconds.saturating_mul(1_000_000_000).saturating_add(rest);
        used > self.fair.load(Ordering::Relaxed)
    }

    /// When one costly line is to be given up: with half of what is left, so that the other half
    /// remains for the lines behind it.
    pub fn share(&self) -> Instant {
        let left = LIMIT.saturating_sub(self.began.elapsed());
        Instant::now() + (left / 2).max(LEAST)
    }

    /// The line that begins at `start` cannot be decided.
    pub fn give_up(&self, start: usize) {
        self.gave_up.fetch_add(1, Ordering::Relaxed);
        let mut undecided = self
            .undecided
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        undecided.push(start);
    }

    /// How many lines could not be decided.
    pub fn gave_up(&self) -> u64 {
        self.gave_up.load(Ordering::Relaxed)
    }

    /// Where those of this window begin; the next call has only those that come then.
    pub fn take_undecided(&self) -> Vec<usize> {
        std::mem::take(
            &mut self
                .undecided
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    /// The search ends before the line that begins at `start`.
    pub fn stop(&self, start: usize) {
        self.stopped.store(start, Ordering::Relaxed);
    }

    /// Where it ended.
    pub fn stopped(&self) -> Option<usize> {
        Some(self.stopped.load(Ordering::Relaxed)).filter(|at| *at != NOWHERE)
    }
}
