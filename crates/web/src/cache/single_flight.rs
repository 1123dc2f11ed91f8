//! Single flight: of many equal calls one has the turn to ask, and the others take what it found. A
//! turn is a lock on a file next to the entry's, which ends with its process, or is given by a
//! server. Without either, callers are not coordinated.

use std::any::Any;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;

use super::{CacheQuestion, CacheStore};

/// Time between two looks of those who wait.
const POLL_INTERVAL: Duration = Duration::from_millis(15);

/// Times that a file is made again after another process has removed it meanwhile.
const TRIES: usize = 16;

/// The turn to find something out, until it is dropped; the default is a turn without a lock.
#[derive(Debug, Default)]
pub struct SingleFlightGuard {
    held: Option<Box<dyn Any + Send>>,
}

impl SingleFlightGuard {
    /// The turn that ends when `held` is dropped.
    pub(super) fn holding(held: impl Send + 'static) -> Self {
        Self {
            held: Some(Box::new(held)),
        }
    }

    /// The turn that the file at `path` stands for; `None` if another process has it.
    pub(super) fn try_acquire(path: PathBuf) -> Option<Self> {
        for _ in 0..TRIES {
            let Ok(file) = open_lock(&path) else {
                return Some(Self::default());
            };
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) if is_still_at(&file, &path) => {
                    return Some(Self::holding(LockedFile(file, path)));
                }
                // The process that had it removed the file before it was locked here.
                Ok(()) => {}
                Err(Errno::WOULDBLOCK) => return None,
                Err(_) => return Some(Self::default()),
            }
        }
        Some(Self::default())
    }
}

impl Drop for SingleFlightGuard {
    fn drop(&mut self) {
        drop(self.held.take());
    }
}

/// A file that is locked.
struct LockedFile(File, PathBuf);

impl Drop for LockedFile {
    fn drop(&mut self) {
        let Self(file, path) = self;
        // While it is locked, so that it is not another process's yet.
        let _ = fs::remove_file(path);
        let _ = flock(file, FlockOperation::Unlock);
    }
}

/// Opens a file to be locked, which is made if it does not exist.
pub(super) fn open_lock(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(i32::try_from(flags.bits()).unwrap_or_default())
        .open(path)
}

/// True if `file` is still the one at `path`.
fn is_still_at(file: &File, path: &Path) -> bool {
    let (Ok(status), Ok(there)) = (file.metadata(), fs::symlink_metadata(path)) else {
        return false;
    };
    (status.dev(), status.ino()) == (there.dev(), there.ino())
}

/// The value that `look` finds; else, the turn to find it out. Waits while another process has the
/// turn, at most for `longest`, and looks again for its result: the turn is then an empty one.
pub fn get_or_wait<T>(
    store: &dyn CacheStore,
    question: &CacheQuestion,
    longest: Duration,
    mut look: impl FnMut() -> Option<T>,
) -> Result<T, SingleFlightGuard> {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return Ok(found);
        }
        if let Some(turn) = store.turn(question) {
            // Another turn may have ended between both.
            return look().ok_or(turn);
        }
        if start.elapsed() >= longest {
            return Err(SingleFlightGuard::default());
        }
        thread::sleep(POLL_INTERVAL.min(longest));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn path(place: &tempfile::TempDir) -> PathBuf {
        place.path().join("turn")
    }

    #[test]
    fn one_has_the_turn_until_it_is_over_and_nothing_is_left() {
        let place = tempfile::tempdir().unwrap();
        let first = SingleFlightGuard::try_acquire(path(&place)).unwrap();
        assert!(SingleFlightGuard::try_acquire(path(&place)).is_none());
        drop(first);
        assert!(!path(&place).exists());
        drop(SingleFlightGuard::try_acquire(path(&place)).unwrap());
        assert!(!path(&place).exists());
    }

    #[test]
    fn without_a_place_everybody_has_a_turn() {
        let nowhere = Path::new("/nowhere/at/all");
        let one = SingleFlightGuard::try_acquire(nowhere.to_owned());
        assert!(one.is_some() && SingleFlightGuard::try_acquire(nowhere.to_owned()).is_some());
    }

    #[test]
    fn many_that_take_turns_are_never_two_at_once() {
        let place = tempfile::tempdir().unwrap();
        let inside = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    let mut had = 0;
                    while had < 20 {
                        let Some(turn) = SingleFlightGuard::try_acquire(path(&place)) else {
                            thread::yield_now();
                            continue;
                        };
                        assert!(turn.held.is_some());
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        thread::sleep(Duration::from_micros(50));
                        inside.fetch_sub(1, Ordering::SeqCst);
                        drop(turn);
                        had += 1;
                    }
                });
            }
        });
    }
}
