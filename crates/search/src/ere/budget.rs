//! The timeout of a search, which every engine checks between its steps.
//!
//! A host waits for 30 seconds. An ordinary pattern has no timeout, however much there is to
//! search: a search ends only once it has taken far more processor time than the amount of text
//! explains.

use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use iki_base::mutex::lock;

/// The timeout of a costly search, unless a limit is set.
const COSTLY_SEARCH_TIMEOUT: Duration = Duration::from_secs(24);
/// Minimum time for one line, however little is left.
const MIN_LINE_TIME: Duration = Duration::from_millis(50);
/// Maximum processor time of an ordinary search, in nanoseconds: for the start, for each byte, for
/// each window (which may be a small file), and for each line that is found.
const FAIR_NANOS: u64 = 2_000_000_000;
const FAIR_NANOS_PER_BYTE: u64 = 5;
const FAIR_NANOS_PER_WINDOW: u64 = 50_000;
const FAIR_NANOS_PER_FIND: u64 = 500;
/// Stands for "nowhere" where an offset is expected.
const NOWHERE: usize = usize::MAX;

/// The time that a search has left, and the lines that it had to leave undecided. Each thread of
/// the search has one, and they share the time.
#[derive(Debug)]
pub(super) struct SearchBudget {
    whole: Arc<SharedBudget>,
    /// Processor time that an ordinary pattern may have taken on this thread, in nanoseconds, since
    /// it was last added to that of the others.
    fair: AtomicU64,
    /// Offsets at which the undecided lines of this window begin.
    undecided: Mutex<Vec<usize>>,
    /// The offset in this window at which the search ended.
    stopped: AtomicUsize,
}

/// The part of the budget that the threads of a search share.
#[derive(Debug)]
struct SharedBudget {
    began: Instant,
    /// The timeout of any search, costly or not; unset, [`COSTLY_SEARCH_TIMEOUT`] holds for costly
    /// ones.
    explicit_limit: OnceLock<Duration>,
    /// Processor time that an ordinary pattern may have taken by now, in nanoseconds.
    fair: AtomicU64,
    /// The number of lines that could not be decided.
    gave_up: AtomicU64,
}

impl SearchBudget {
    /// A budget whose time begins now.
    pub fn new() -> Self {
        Self::from_shared(Arc::new(SharedBudget {
            began: Instant::now(),
            explicit_limit: OnceLock::new(),
            fair: AtomicU64::new(FAIR_NANOS),
            gave_up: AtomicU64::new(0),
        }))
    }

    /// The budget of a further thread.
    pub fn for_thread(&self) -> Self {
        Self::from_shared(Arc::clone(&self.whole))
    }

    fn from_shared(whole: Arc<SharedBudget>) -> Self {
        Self {
            whole,
            fair: AtomicU64::new(0),
            undecided: Mutex::default(),
            stopped: AtomicUsize::new(NOWHERE),
        }
    }

    /// Ends any search after `limit`, from the beginning on, but no later than a costly one ends.
    pub fn set_limit(&self, limit: Duration) {
        // The limit is set once.
        let _ = self
            .whole
            .explicit_limit
            .set(limit.min(COSTLY_SEARCH_TIMEOUT));
    }

    fn limit_of_all(&self) -> Duration {
        self.whole
            .explicit_limit
            .get()
            .copied()
            .unwrap_or(COSTLY_SEARCH_TIMEOUT)
    }

    /// Allows for a window of this many bytes.
    pub fn allow_window(&self, bytes: usize) {
        let bytes = (bytes as u64).saturating_mul(FAIR_NANOS_PER_BYTE);
        self.allow(bytes.saturating_add(FAIR_NANOS_PER_WINDOW));
        let fair = self.fair.swap(0, Ordering::Relaxed);
        self.whole.fair.fetch_add(fair, Ordering::Relaxed);
    }

    /// Allows for looking for one more line.
    pub fn allow_find(&self) {
        self.allow(FAIR_NANOS_PER_FIND);
    }

    /// Adds to this thread's own share, which no lock has to guard.
    fn allow(&self, more: u64) {
        let fair = self.fair.load(Ordering::Relaxed).saturating_add(more);
        self.fair.store(fair, Ordering::Relaxed);
    }

    /// True if the pattern is costly and its time is over.
    pub fn is_over(&self) -> bool {
        if self.whole.began.elapsed() < self.limit_of_all() {
            return false;
        }
        if self.whole.explicit_limit.get().is_some() {
            return true;
        }
        let used = clock_gettime(ClockId::ProcessCPUTime);
        let seconds = u64::try_from(used.tv_sec).unwrap_or(u64::MAX);
        let nanoseconds = u64::try_from(used.tv_nsec).unwrap_or(0);
        let used = seconds
            .saturating_mul(1_000_000_000)
            .saturating_add(nanoseconds);
        let fair = self.fair.load(Ordering::Relaxed);
        used > fair.saturating_add(self.whole.fair.load(Ordering::Relaxed))
    }

    /// Returns the deadline for one costly line: half of the time left, so that the other half
    /// remains for the lines after it.
    pub fn line_deadline(&self) -> Instant {
        let left = self.limit_of_all();
        let left = left.saturating_sub(self.whole.began.elapsed());
        Instant::now() + (left / 2).max(MIN_LINE_TIME)
    }

    /// Notes that the line that begins at `start` cannot be decided.
    pub fn give_up(&self, start: usize) {
        self.whole.gave_up.fetch_add(1, Ordering::Relaxed);
        let mut undecided = lock(&self.undecided);
        undecided.push(start);
    }

    /// Counts the lines that could not be decided.
    pub fn gave_up(&self) -> u64 {
        self.whole.gave_up.load(Ordering::Relaxed)
    }

    /// Takes the offsets at which the undecided lines of this window begin.
    pub fn take_undecided(&self) -> Vec<usize> {
        std::mem::take(&mut *lock(&self.undecided))
    }

    /// Notes that the search ends before the line that begins at `start`.
    pub fn note_end(&self, start: usize) {
        self.stopped.store(start, Ordering::Relaxed);
    }

    /// Returns the offset at which the search ended, if it did.
    pub fn stopped_at(&self) -> Option<usize> {
        Some(self.stopped.load(Ordering::Relaxed)).filter(|offset| *offset != NOWHERE)
    }
}

/// Maximum length of a line that is decided in a thread of its own, which needs a copy of it.
pub(super) const MAX_ASIDE_BYTES: usize = 64 << 20;

/// Has `work`, which cannot be interrupted, done in a thread of its own. At `end` the thread is
/// left behind; it ends once its work is done, or with the process.
///
/// # Errors
/// The system has no thread left.
pub(super) fn decide_aside(
    end: Instant,
    work: impl FnOnce() -> Option<bool> + Send + 'static,
) -> io::Result<Option<bool>> {
    let (verdict, verdicts) = channel();
    thread::Builder::new().spawn(move || {
        // The receiver may have timed out.
        let _ = verdict.send(work());
    })?;
    let left = end.saturating_duration_since(Instant::now());
    Ok(verdicts.recv_timeout(left).ok().flatten())
}
