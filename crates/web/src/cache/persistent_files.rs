//! Entries that last, as files: each in one directory under its name, sealed, its age that of its
//! last change. Whoever changes one holds the lock of the directory for as long as that takes.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::files::{is_made_own, place, read_sealed, user_keys, young_entries};
use super::keys::EntryKeys;
use super::persistent_store::EntryVersion;
use super::single_flight::open_lock;
use super::{CacheQuestion, PersistentChange, PersistentEntry, PersistentFault, PersistentStore};
use iki_base::own_directories;
use iki_process::sandbox::confinement::Confinement;

/// The directory in the program's own directory of state.
const DIRECTORY: &str = "sessions";

/// The name of the file that is locked.
const LOCK: &str = "lock";

/// Maximum length of an entry, in bytes.
const MAX_ENTRY_BYTES: u64 = 16 * 1024 * 1024;

/// Maximum wait for the lock, and the time between two tries. A change takes less than a
/// millisecond, but a process that is stopped keeps its lock.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Entries that last, in files.
pub struct PersistentFiles {
    directory: PathBuf,
    keys: EntryKeys,
}

impl PersistentFiles {
    /// The user's own entries: in the state directory, as the key of the cache is, or under
    /// `secret` (64 hexadecimal digits) if it is given. `None` if there is no place for them that
    /// such calls cannot reach.
    #[must_use]
    pub fn of_user(secret: Option<&str>, calls: Option<&Confinement>) -> Option<Self> {
        let directory = dirs::state_dir()?
            .join(own_directories::NAME)
            .join(DIRECTORY);
        let keys = user_keys(&directory, secret, calls)?;
        is_made_own(&directory).then_some(Self { directory, keys })
    }

    /// The entry in the file of that name.
    fn read(
        &self,
        name: &str,
        longest: Duration,
    ) -> Result<Option<PersistentEntry>, PersistentFault> {
        let (changed, sealed) = match read_sealed(&self.directory.join(name), MAX_ENTRY_BYTES) {
            Ok(read) => read,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(fault(&error)),
        };
        // An entry from the future is one of before the clock was set back, and as good as new.
        let age = SystemTime::now().duration_since(changed);
        if age.unwrap_or_default() >= longest {
            return Ok(None);
        }
        let opened = self.keys.sealing.open(name, &sealed);
        // One that is damaged is lost.
        Ok(opened
            .zip(EntryVersion::from_sealed(&sealed))
            .map(|(bytes, version)| PersistentEntry { bytes, version }))
    }

    /// The lock, until the file is dropped.
    fn lock(&self) -> Result<File, PersistentFault> {
        let file = open_lock(&self.directory.join(LOCK)).map_err(|error| fault(&error))?;
        let start = Instant::now();
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(file),
                Err(Errno::WOULDBLOCK) if start.elapsed() < LOCK_TIMEOUT => {
                    thread::sleep(LOCK_POLL_INTERVAL);
                }
                Err(Errno::WOULDBLOCK) => return Err(PersistentFault::Busy),
                Err(Errno::INTR) => {}
                Err(error) => return Err(fault(&error.into())),
            }
        }
    }
}

impl PersistentStore for PersistentFiles {
    fn recall(
        &self,
        name: &CacheQuestion,
        longest: Duration,
    ) -> Result<Option<PersistentEntry>, PersistentFault> {
        self.read(&name.name(&self.keys.naming), longest)
    }

    fn change(
        &self,
        name: &CacheQuestion,
        change: PersistentChange,
    ) -> Result<bool, PersistentFault> {
        let name = name.name(&self.keys.naming);
        let sealed = self.keys.sealing.close(&name, &change.after);
        let sealed = sealed.ok_or(PersistentFault::Refused)?;
        let _lock = self.lock()?;
        let there = self.read(&name, change.good_for)?;
        if there.map(|there| there.version) != change.before {
            return Ok(false);
        }
        let path = self.directory.join(&name);
        let done = if change.after.is_empty() {
            fs::remove_file(path).or_else(|error| is_missing(&error).then_some(()).ok_or(error))
        } else {
            place(&self.directory, &name, &sealed)
        };
        done.map_err(|error| fault(&error))?;
        if change.before.is_none() {
            young_entries(&self.directory, change.good_for);
        }
        Ok(true)
    }
}

/// True if a file that gave this error is not there, or is none of ours.
fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::InvalidData | io::ErrorKind::FileTooLarge
    )
}

fn fault(error: &io::Error) -> PersistentFault {
    match Errno::from_io_error(error) {
        Some(Errno::NOSPC | Errno::DQUOT | Errno::FBIG) => PersistentFault::NoSpace,
        _ => PersistentFault::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn files(place: &tempfile::TempDir) -> PersistentFiles {
        PersistentFiles {
            directory: place.path().to_owned(),
            keys: EntryKeys::from_digits(&"07".repeat(32)).unwrap(),
        }
    }

    fn change(before: Option<EntryVersion>, after: &[u8]) -> PersistentChange {
        PersistentChange {
            before,
            after: after.to_vec(),
            good_for: HOUR,
        }
    }

    #[test]
    fn a_change_of_another_version_is_refused_and_changes_nothing() {
        let place = tempfile::tempdir().unwrap();
        let files = files(&place);
        let name = CacheQuestion::new("test", 1);
        assert_eq!(files.recall(&name, HOUR), Ok(None));
        assert_eq!(files.change(&name, change(None, b"one")), Ok(true));
        let one = files.recall(&name, HOUR).unwrap().unwrap();
        assert_eq!(files.change(&name, change(None, b"other")), Ok(false));
        let again = change(Some(one.version), b"one");
        assert_eq!(files.change(&name, again.clone()), Ok(true));
        assert_eq!(files.change(&name, again), Ok(false));
        let there = files.recall(&name, HOUR).unwrap().unwrap();
        assert!(there.bytes == b"one" && there.version != one.version);
        let gone = change(Some(there.version), b"");
        assert_eq!(files.change(&name, gone), Ok(true));
        assert_eq!(files.recall(&name, HOUR), Ok(None));
    }

    #[test]
    fn what_is_damaged_or_another_s_is_not_there_and_is_replaced() {
        let place = tempfile::tempdir().unwrap();
        let files = files(&place);
        let name = CacheQuestion::new("test", 1);
        files.change(&name, change(None, b"one")).unwrap();
        let path = place.path().join(name.name(&files.keys.naming));
        fs::write(path, [7; 100]).unwrap();
        assert_eq!(files.recall(&name, HOUR), Ok(None));
        assert_eq!(files.change(&name, change(None, b"two")), Ok(true));
        let other = name.clone().of_owner(Some("anna"));
        assert_eq!(files.recall(&other, HOUR), Ok(None));
        assert!(files.recall(&name, HOUR).unwrap().is_some());
    }
}
