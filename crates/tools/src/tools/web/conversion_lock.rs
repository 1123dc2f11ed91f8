//! The lock on conversions that can take much memory or start a program: one runs at a time in this
//! process, however many pages are read in parallel.
//!
//! The memory of a process is therefore bounded: it holds as many bodies as pages are read at a
//! time; one conversion of a document or a long page takes at most 300 MiB, and each of the others,
//! of a page of at most [`MAX_UNLOCKED_BYTES`], a small part of that.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

use iki_base::mutex::lock;
use iki_document::FileKind;

/// Maximum length of a body of a page that is converted without the lock, in bytes.
const MAX_UNLOCKED_BYTES: usize = 1024 * 1024;

static CONVERSION_LOCK: Mutex<()> = Mutex::new(());

static PAGES_UNDER_WAY: AtomicUsize = AtomicUsize::new(0);

/// Waits for the lock.
pub fn acquire() -> MutexGuard<'static, ()> {
    lock(&CONVERSION_LOCK)
}

/// Waits for the lock if the conversion of this body needs it: a short document may be a large one,
/// compressed.
pub fn acquire_for_body(body: &[u8]) -> Option<MutexGuard<'static, ()>> {
    (body.len() > MAX_UNLOCKED_BYTES || FileKind::detect(body).is_some()).then(acquire)
}

/// A page that is being read.
pub struct PageUnderWay(());

impl PageUnderWay {
    pub fn start() -> Self {
        PAGES_UNDER_WAY.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for PageUnderWay {
    fn drop(&mut self) {
        PAGES_UNDER_WAY.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Returns the deadline of a conversion that holds the lock, of which the call ends at `end`: half
/// of that time if other pages are being read, which may wait for the lock.
pub fn deadline_among_others(end: Instant) -> Instant {
    let now = Instant::now();
    let others = PAGES_UNDER_WAY.load(Ordering::Relaxed) > 1;
    let left = end.saturating_duration_since(now);
    now + if others { left / 2 } else { left }
}
