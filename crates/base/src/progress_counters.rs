//! The work that this process has done, counted where it is done: one process is one call.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

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

/// Servers whose answers are waited for, each since when.
static SERVERS: Mutex<Vec<(String, Instant)>> = Mutex::new(Vec::new());

/// The wait for a server's answer, which is over when this is dropped.
#[derive(Debug)]
pub struct ServerWait(Instant);

impl ServerWait {
    /// Begins to wait for the server called `host`.
    #[must_use]
    pub fn begin(host: &str) -> Self {
        let now = Instant::now();
        let mut servers = SERVERS.lock().unwrap_or_else(PoisonError::into_inner);
        servers.push((host.to_owned(), now));
        Self(now)
    }
}

impl Drop for ServerWait {
    fn drop(&mut self) {
        let mut servers = SERVERS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = servers.iter().position(|(_, since)| *since == self.0) {
            servers.remove(index);
        }
    }
}

/// The server that has been waited for longest, and for how many seconds.
fn slowest_server() -> Option<(String, u64)> {
    let servers = SERVERS.lock().unwrap_or_else(PoisonError::into_inner);
    let (host, since) = servers.iter().min_by_key(|(_, since)| *since)?;
    let seconds = since.elapsed().as_secs();
    (seconds > 0).then(|| (host.clone(), seconds))
}

/// The work in words, for a person who waits; empty if there is nothing to be told.
#[must_use]
pub fn in_words() -> String {
    let done = [&DIRECTORIES, &FILES, &BYTES].map(|work| work.load(Relaxed));
    let done = match done {
        [0, 0, 0] => String::new(),
        [_, 0, 0] => format!("{} directories listed", thousands(done[0])),
        [_, files, 0] => format!("{} searched", count_noun(files, "file")),
        [.., bytes] => format!("{} received", count_noun(bytes, "byte")),
    };
    match slowest_server() {
        None => done,
        Some((host, seconds)) => {
            let comma = if done.is_empty() { "" } else { ", " };
            format!("{done}{comma}waiting for {host}, {seconds} s")
        }
    }
}
