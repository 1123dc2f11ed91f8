//! One writer at a time: the advisory lock that keeps two edits of one file from undoing each other.
//!
//! The lock (`flock(2)`) is on the file itself, so nothing is left behind by whoever dies with it. A writer that has
//! the lock may have one on a file that was replaced in the meantime; it has to look, and to open the new one.

use std::fs::File;
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

/// How long a lock is waited for. Programs exist that hold one as long as they run; they must not make an edit
/// impossible, and the check before the replacement catches who writes without one.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// What is called again and again while a lock is waited for.
static MEANWHILE: OnceLock<fn()> = OnceLock::new();

/// Has `check` called while another writer is waited for: the one moment of a write in which nothing has begun, so
/// that a process which nobody needs any more may end itself. The first one given counts.
pub fn while_waiting(check: fn()) {
    let _ = MEANWHILE.set(check);
}

/// Locks `file` against other writers of this kind until it is closed, waiting no longer than to `deadline`.
pub fn lock(file: &File, deadline: Instant) {
    while let Err(Errno::AGAIN | Errno::INTR) =
        flock(file, FlockOperation::NonBlockingLockExclusive)
        && Instant::now() < deadline
    {
        if let Some(check) = MEANWHILE.get() {
            check();
        }
        sleep(Duration::from_millis(2));
    }
    // A file system without locks has none to offer: the check before the replacement remains.
}
