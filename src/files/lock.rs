//! One writer at a time: the advisory lock that keeps two edits of one file from undoing each other.
//!
//! The lock (`flock(2)`) is on the file itself, so nothing is left behind by whoever dies with it. A writer that has
//! the lock may have one on a file that was replaced in the meantime; it has to look, and to open the new one.

use std::fs::File;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

/// How long a lock is waited for. Programs exist that hold one as long as they run; they must not make an edit
/// impossible, and the check before the replacement catches who writes without one.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// Locks `file` against other writers of this kind until it is closed, waiting no longer than to `deadline`.
pub fn lock(file: &File, deadline: Instant) {
    while let Err(Errno::AGAIN | Errno::INTR) =
        flock(file, FlockOperation::NonBlockingLockExclusive)
        && Instant::now() < deadline
    {
        sleep(Duration::from_millis(2));
    }
    // A file system without locks has none to offer: the check before the replacement remains.
}
