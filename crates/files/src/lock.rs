//! One writer at a time: the advisory lock that keeps two edits of one file from undoing each
//! other.
//!
//! The lock (`flock(2)`) is on the file itself, so a writer that dies leaves nothing behind. A file
//! may have been replaced while its lock was waited for; the writer has to check, and to open the
//! new one.

use std::fs::File;
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

/// The longest wait for a lock. Some programs hold one for as long as they run; they must not make
/// an edit impossible, and the check before the replacement catches those that write without one.
pub const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Called repeatedly while a lock is waited for.
static WAITING_CHECK: OnceLock<fn()> = OnceLock::new();

/// Has `check` called while another writer is waited for: nothing has begun at that moment, so a
/// process that is not needed any more may end itself. Only the first `check` counts.
pub fn while_waiting(check: fn()) {
    let _ = WAITING_CHECK.set(check);
}

/// Locks `file` against other writers of this kind until it is closed. Waits until `deadline` at
/// most; false if another writer still holds it then.
pub fn lock(file: &File, deadline: Instant) -> bool {
    while let Err(Errno::AGAIN | Errno::INTR) =
        flock(file, FlockOperation::NonBlockingLockExclusive)
    {
        if Instant::now() >= deadline {
            return false;
        }
        if let Some(check) = WAITING_CHECK.get() {
            check();
        }
        sleep(Duration::from_millis(2));
    }
    // Without a lock (some file systems have none) the check before the replacement remains.
    true
}
