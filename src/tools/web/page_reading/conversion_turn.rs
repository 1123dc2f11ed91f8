//! The turn of conversions that can take much memory or start a program: one at a time in this
//! process, whatever number of pages is read side by side.
//!
//! What then holds for a process: bodies are as many as pages are read at a time, one conversion of
//! a document or a long page takes what such a conversion may take (300 MiB and less), and each of
//! the others, of a page of at most [`MAX_UNLOCKED_BYTES`], a small part of that.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

use crate::basics::mutex::lock;
use crate::document::FileKind;

/// Maximum length of a body of a page that is converted without a turn, in bytes.
const MAX_UNLOCKED_BYTES: usize = 1024 * 1024;

static CONVERSION_LOCK: Mutex<()> = Mutex::new(());

static PAGES_UNDER_WAY: AtomicUsize = AtomicUsize::new(0);

/// Waits for the turn, which ends when it is dropped.
pub fn wait() -> MutexGuard<'static, ()> {
    lock(&CONVERSION_LOCK)
}

/// The same, if the conversion of this body needs it: a short document can be a large one that was
/// packed.
pub fn for_body(body: &[u8]) -> Option<MutexGuard<'static, ()>> {
    (body.len() > MAX_UNLOCKED_BYTES || FileKind::of(body).is_some()).then(wait)
}

/// A page that is being read.
pub struct PageUnderWay(());

impl PageUnderWay {
    pub fn begin() -> Self {
        PAGES_UNDER_WAY.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for PageUnderWay {
    fn drop(&mut self) {
        PAGES_UNDER_WAY.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Returns the end of a conversion whose turn it is, of the time until `end`: half of it where
/// other pages are being read, which may wait for their turn.
pub fn end_among_others(end: Instant) -> Instant {
    let now = Instant::now();
    let others = PAGES_UNDER_WAY.load(Ordering::Relaxed) > 1;
    let left = end.saturating_duration_since(now);
    now + if others { left / 2 } else { left }
}
