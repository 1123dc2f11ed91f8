//! The work that this process has done, counted where it is done: one process is one call.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::wording::{count_noun, thousands};

/// Directories that were listed.
pub static DIRECTORIES: AtomicU64 = AtomicU64::new(0);

/// Files whose content was searched.
pub static FILES: AtomicU64 = AtomicU64::new(0);

/// Bytes that came over the network.
pub static BYTES: AtomicU64 = AtomicU64::new(0);

/// Counts `more` of it.
pub fn add(work: &AtomicU64, more: usize) {
    work.fetch_add(more as u64, Relaxed);
}

/// The work in words, for a person who waits; empty if nothing was counted.
#[must_use]
pub fn in_words() -> String {
    let done = [&DIRECTORIES, &FILES, &BYTES].map(|work| work.load(Relaxed));
    match done {
        [0, 0, 0] => String::new(),
        [_, 0, 0] => format!("{} directories listed", thousands(done[0])),
        [_, files, 0] => format!("{} searched", count_noun(files, "file")),
        [.., bytes] => format!("{} received", count_noun(bytes, "byte")),
    }
}
