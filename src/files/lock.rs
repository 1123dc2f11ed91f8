//! One writer at a time: the advisory lock that keeps two edits of one file from undoing each other.
//!
//! The lock (`flock(2)`) is on the file itself, so nothing is left behind by whoever dies with it. A writer that has
//! waited finds a file that may have been replaced in the meantime; it has to open it anew.

use std::fs::File;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

/// How long a lock is waited for. Programs exist that hold one as long as they run; they must not make an edit
/// impossible, and the check before the replacement catches who writes without one.
const PATIENCE: Duration = Duration::from_secs(5);

/// Locks `file` against other writers of this kind until it is closed; tells whether there was any waiting.
pub fn lock(file: &File) -> bool {
    let started = Instant::now();
    let mut waited = false;
    loop {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::AGAIN | Errno::INTR) if started.elapsed() < PATIENCE => {
                waited = true;
                sleep(Duration::from_millis(2));
            }
            // A file system without locks has none to offer: the check before the replacement remains.
            _ => return waited,
        }
    }
}
