//! The entries as files, each in the cache directory under its name, sealed. An entry's age is that
//! of its file, by the time of its last change.
//!
//! A new entry is written next to its place and renamed, so that it is complete or not there. All
//! of them together stay within a limit: each new one removes the oldest that exceed it.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ring::rand::{self, SystemRandom};
use rustix::process::geteuid;

use super::keys::EntryKeys;
use super::{CacheEntry, CacheQuestion, CacheStore, SingleFlightGuard};
use iki_base::own_directories;
use iki_base::small_file::{LastLink, SmallFile};
use iki_process::sandbox::confinement::Confinement;

/// Maximum length of all entries together, in bytes.
const MAX_CACHE_BYTES: u64 = 64 * 1024 * 1024;

/// Age at which an entry is of no use any more.
const MAX_ENTRY_AGE: Duration = Duration::from_secs(2 * 60 * 60);

/// Age at which an entry is of no use that is good for longer than [`MAX_ENTRY_AGE`].
const MAX_LONG_LIVED_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// Ending of such an entry's file name, so that the few of them do not keep all others.
const LONG_LIVED_ENDING: &str = ".day";

/// Maximum time by which an entry may be ahead of the clock: clocks are corrected by seconds.
const MAX_CLOCK_SKEW: Duration = Duration::from_secs(60);

/// A draft that is older was left by a process that died.
const MAX_DRAFT_AGE: Duration = Duration::from_secs(10 * 60);

/// Prefix of a draft's name.
const DRAFT_PREFIX: &str = ".new-";

/// Prefix of the name of a turn's file.
const FLIGHT_FILE_PREFIX: &str = ".turn-";

/// Entries in files.
pub struct CacheFiles {
    directory: PathBuf,
    keys: EntryKeys,
    max_bytes: u64,
}

impl CacheFiles {
    /// The user's own entries: in `ikigai-tools` in the cache directory, the secret in the state
    /// directory, or `secret` (64 hexadecimal digits) if it is given. `None` if there is no place
    /// for either that such calls cannot reach, or another user's file is in it.
    #[must_use]
    pub fn of_user(secret: Option<&str>, calls: Option<&Confinement>) -> Option<Self> {
        let directory = dirs::cache_dir()?.join(own_directories::NAME);
        let keys = user_keys(&directory, secret, calls)?;
        Self::open(directory, keys, MAX_CACHE_BYTES)
    }

    /// Entries in `directory`, under `secret`, which is 64 hexadecimal digits. `None` if it is not,
    /// or the directory cannot be made or is another user's.
    #[must_use]
    pub fn in_directory(directory: PathBuf, secret: &str) -> Option<Self> {
        Self::open(directory, EntryKeys::from_digits(secret)?, MAX_CACHE_BYTES)
    }

    fn open(directory: PathBuf, keys: EntryKeys, limit: u64) -> Option<Self> {
        is_made_own(&directory).then_some(Self {
            directory,
            keys,
            max_bytes: limit,
        })
    }

    /// The entries' directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Removes entries that are too old, and the oldest ones beyond the limit.
    fn clean_up(&self) {
        let mut young = young_entries(&self.directory, MAX_ENTRY_AGE);
        let mut total: u64 = young.iter().map(|(_, length, _)| length).sum();
        if total <= self.max_bytes {
            return;
        }
        young.sort_unstable();
        for (_, length, path) in young {
            if total <= self.max_bytes {
                break;
            }
            let _ = fs::remove_file(path);
            total -= length;
        }
    }
}

impl CacheStore for CacheFiles {
    fn get(&self, question: &CacheQuestion, longest: Duration) -> Option<CacheEntry> {
        let name = question.name(&self.keys.naming);
        let (changed, sealed) = read_sealed(
            &self.directory.join(file_name(&name, longest)),
            self.max_bytes,
        )
        .ok()?;
        let age = match SystemTime::now().duration_since(changed) {
            Ok(age) => age,
            Err(ahead) if ahead.duration() < MAX_CLOCK_SKEW => Duration::ZERO,
            // The clock was set back since, so that the entry's age is unknown.
            Err(_) => return None,
        };
        if age >= longest {
            return None;
        }
        let bytes = self.keys.sealing.open(&name, &sealed)?;
        Some(CacheEntry { bytes, age })
    }

    fn put(&self, question: &CacheQuestion, bytes: &[u8], good_for: Duration) {
        let name = question.name(&self.keys.naming);
        let Some(sealed) = self.keys.sealing.close(&name, bytes) else {
            return;
        };
        if u64::try_from(sealed.len()).is_ok_and(|length| length > self.max_bytes) {
            return self.forget(question);
        }
        if place(&self.directory, &file_name(&name, good_for), &sealed).is_ok() {
            self.clean_up();
        }
    }

    fn forget(&self, question: &CacheQuestion) {
        let name = question.name(&self.keys.naming);
        for good_for in [MAX_ENTRY_AGE, MAX_LONG_LIVED_AGE] {
            let _ = fs::remove_file(self.directory.join(file_name(&name, good_for)));
        }
    }

    fn turn(&self, question: &CacheQuestion) -> Option<SingleFlightGuard> {
        let name = question.name(&self.keys.naming);
        SingleFlightGuard::try_acquire(self.directory.join(format!("{FLIGHT_FILE_PREFIX}{name}")))
    }
}

/// The file's name of the entry with this name that is of use for so long.
fn file_name(name: &str, good_for: Duration) -> String {
    let ending = if good_for > MAX_ENTRY_AGE {
        LONG_LIVED_ENDING
    } else {
        ""
    };
    format!("{name}{ending}")
}

/// True unless this is a directory of a home that does not exist: services are given such a home so
/// that nothing is kept.
pub(super) fn is_of_a_home_that_is_there(directory: &Path) -> bool {
    let home = dirs::home_dir().filter(|home| directory.starts_with(home));
    home.is_none_or(|home| home.is_dir())
}

/// The keys of the user's own entries in `directory`: of `secret` (64 hexadecimal digits) if it is
/// given, else of the file in the state directory. `None` if there is no place for either that such
/// calls cannot reach: those that can write there could lead it anywhere.
pub(super) fn user_keys(
    directory: &Path,
    secret: Option<&str>,
    calls: Option<&Confinement>,
) -> Option<EntryKeys> {
    let is_safe = |place: &Path| {
        is_of_a_home_that_is_there(place)
            && calls.is_none_or(|calls| calls.leaves_out_of_reach(place))
    };
    if !is_safe(directory) {
        return None;
    }
    if let Some(digits) = secret.filter(|secret| !secret.is_empty()) {
        return EntryKeys::from_digits(digits);
    }
    let state = dirs::state_dir().filter(|state| is_safe(state))?;
    EntryKeys::from_file(&state.join(own_directories::NAME))
}

/// True if `directory`, which is made if it does not exist, is the user's and no other user may
/// write to it.
pub(super) fn is_made_own(directory: &Path) -> bool {
    let _ = DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory);
    fs::symlink_metadata(directory).is_ok_and(|about| {
        about.is_dir() && about.uid() == geteuid().as_raw() && about.mode() & 0o022 == 0
    })
}

/// The entry in the file at `path` as it is sealed, at most `max_bytes`, and the time of its last
/// change.
pub(super) fn read_sealed(path: &Path, max_bytes: u64) -> io::Result<(SystemTime, Vec<u8>)> {
    let file = SmallFile::read(path, LastLink::Refuse, max_bytes)?;
    Ok((file.status.modified()?, file.bytes))
}

/// Puts a sealed entry in its place, whole or not at all. It need not outlast the machine, because
/// half an entry does not open and counts as missing.
pub(super) fn place(directory: &Path, name: &str, sealed: &[u8]) -> io::Result<()> {
    let number: [u8; 8] = rand::generate(&SystemRandom::new())
        .map_err(|_| io::ErrorKind::Other)?
        .expose();
    let number = u64::from_le_bytes(number);
    let draft = directory.join(format!("{DRAFT_PREFIX}{number:016x}"));
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&draft)?;
    let written = file
        .write_all(sealed)
        .and_then(|()| file.flush())
        .and_then(|()| fs::rename(&draft, directory.join(name)));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

/// Removes the entries in `directory` that are as old as `old`, and abandoned drafts; returns the
/// others: time, length, path.
pub(super) fn young_entries(directory: &Path, old: Duration) -> Vec<(SystemTime, u64, PathBuf)> {
    let mut young = Vec::new();
    let Ok(entries) = fs::read_dir(directory) else {
        return young;
    };
    let now = SystemTime::now();
    for entry in entries.flatten() {
        let Ok(about) = entry.metadata() else {
            continue;
        };
        let Ok(changed) = about.modified() else {
            continue;
        };
        let age = now.duration_since(changed).unwrap_or_default();
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let draft = name.starts_with(DRAFT_PREFIX.as_bytes())
            || name.starts_with(FLIGHT_FILE_PREFIX.as_bytes());
        let stem = name.strip_suffix(LONG_LIVED_ENDING.as_bytes());
        let oldest = if stem.is_some() {
            MAX_LONG_LIVED_AGE
        } else {
            old
        };
        let name = stem.unwrap_or(name);
        // Other files there, such as a key, are not entries.
        let is_entry = name.len() == 64 && name.iter().all(u8::is_ascii_hexdigit);
        if !about.is_file() || !(draft || is_entry) {
            continue;
        }
        if age > oldest || (draft && age > MAX_DRAFT_AGE) {
            let _ = fs::remove_file(entry.path());
        } else if !draft {
            young.push((changed, about.len(), entry.path()));
        }
    }
    young
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn keys() -> EntryKeys {
        EntryKeys::from_digits(&"07".repeat(32)).unwrap()
    }

    fn open(place: &Path, limit: u64) -> CacheFiles {
        CacheFiles::open(place.join("cache"), keys(), limit).unwrap()
    }

    fn ask(what: &str) -> CacheQuestion {
        CacheQuestion::new("test", 1).with("what", Some(what))
    }

    fn only_file(files: &CacheFiles) -> PathBuf {
        let mut all = fs::read_dir(files.directory()).unwrap();
        let one = all.next().unwrap().unwrap().path();
        assert!(all.next().is_none());
        one
    }

    fn make_old(path: &Path, age: Duration) {
        let file = File::options().write(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
    }

    #[test]
    fn what_is_put_in_comes_out_until_it_is_too_old() {
        let place = tempfile::tempdir().unwrap();
        let files = open(place.path(), MAX_CACHE_BYTES);
        assert_eq!(files.get(&ask("a"), HOUR), None);
        files.put(&ask("a"), b"one", HOUR);
        files.put(&ask("a"), b"two", HOUR);
        assert_eq!(files.get(&ask("a"), HOUR).unwrap().bytes, b"two");
        assert_eq!(files.get(&ask("b"), HOUR), None);
        make_old(&only_file(&files), HOUR / 2);
        let entry = files.get(&ask("a"), HOUR).unwrap();
        assert!(entry.age >= HOUR / 2 && entry.age < HOUR);
        make_old(&only_file(&files), HOUR);
        assert_eq!(files.get(&ask("a"), HOUR), None);
        files.put(&ask("a"), b"three", HOUR);
        files.forget(&ask("a"));
        assert_eq!(files.get(&ask("a"), HOUR), None);
    }

    #[test]
    fn what_is_good_for_a_day_outlives_the_others() {
        let place = tempfile::tempdir().unwrap();
        let files = open(place.path(), MAX_CACHE_BYTES);
        let [hours, day] = [("hours", HOUR), ("day", MAX_LONG_LIVED_AGE)];
        let is_there = |(what, good_for)| files.get(&ask(what), good_for).is_some();
        for (what, good_for) in [hours, day] {
            files.put(&ask(what), b"x", good_for);
        }
        let age = |age| {
            let all = fs::read_dir(files.directory()).unwrap();
            all.for_each(|entry| make_old(&entry.unwrap().path(), age));
            files.put(&ask("another"), b"x", HOUR);
        };
        age(23 * HOUR);
        assert!(is_there(day) && !is_there(hours));
        assert_eq!(fs::read_dir(files.directory()).unwrap().count(), 2);
        age(25 * HOUR);
        assert!(!is_there(day));
        only_file(&files);
        files.put(&ask("day"), b"x", MAX_LONG_LIVED_AGE);
        files.forget(&ask("day"));
        assert!(!is_there(day));
    }

    #[test]
    fn nobody_else_can_read_it_and_nothing_in_it_is_plain() {
        let place = tempfile::tempdir().unwrap();
        let files = open(place.path(), MAX_CACHE_BYTES);
        files.put(&ask("the question"), b"the plain answer", HOUR);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(files.directory()), 0o700);
        let path = only_file(&files);
        assert_eq!(mode(&path), 0o600);
        let bytes = fs::read(&path).unwrap();
        assert!(
            !bytes
                .windows(5)
                .any(|word| word == b"plain" || word == b"quest")
        );
    }

    #[test]
    fn what_is_damaged_is_not_there() {
        let place = tempfile::tempdir().unwrap();
        let files = open(place.path(), MAX_CACHE_BYTES);
        files.put(&ask("a"), b"content", HOUR);
        let path = only_file(&files);
        let sound = fs::read(&path).unwrap();
        for damaged in [&sound[..sound.len() - 1], &sound[..3], b"", &[0; 64]] {
            fs::write(&path, damaged).unwrap();
            assert_eq!(files.get(&ask("a"), HOUR), None);
        }
        fs::write(&path, &sound).unwrap();
        assert!(files.get(&ask("a"), HOUR).is_some());
        // The entry of another question under this one's name.
        files.put(&ask("b"), b"other", HOUR);
        let other = files.directory().join(ask("b").name(&files.keys.naming));
        fs::copy(other, &path).unwrap();
        assert_eq!(files.get(&ask("a"), HOUR), None);
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        assert_eq!(files.get(&ask("a"), HOUR), None);
        files.put(&ask("a"), b"new", HOUR);
        assert_eq!(files.get(&ask("a"), HOUR).unwrap().bytes, b"new");
    }

    #[test]
    fn the_oldest_goes_first_and_what_is_too_large_is_not_kept() {
        let place = tempfile::tempdir().unwrap();
        let files = open(place.path(), 10_000);
        for (index, what) in ["a", "b", "c"].into_iter().enumerate() {
            files.put(&ask(what), &[0; 3000], HOUR);
            let path = files.directory().join(ask(what).name(&files.keys.naming));
            make_old(&path, HOUR / (2 + u32::try_from(index).unwrap()));
        }
        files.put(&ask("d"), &[0; 3000], HOUR);
        let there = |what| files.get(&ask(what), HOUR).is_some();
        assert_eq!(["a", "b", "c", "d"].map(there), [false, true, true, true]);
        files.put(&ask("d"), &[0; 10_001], HOUR);
        assert_eq!(["b", "c", "d"].map(there), [true, true, false]);
        let draft = files.directory().join(format!("{DRAFT_PREFIX}dead"));
        fs::write(&draft, "half").unwrap();
        files.put(&ask("e"), b"", HOUR);
        assert!(draft.exists(), "a draft may be somebody's at work");
        make_old(&draft, MAX_DRAFT_AGE * 2);
        files.put(&ask("e"), b"", HOUR);
        assert!(!draft.exists());
    }

    #[test]
    fn many_at_once_see_whole_entries_alone() {
        let place = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for number in 0..16_u8 {
                let place = place.path();
                scope.spawn(move || {
                    let files = open(place, MAX_CACHE_BYTES);
                    for _ in 0..50 {
                        files.put(&ask("a"), &vec![number; 5000], HOUR);
                        if let Some(entry) = files.get(&ask("a"), HOUR) {
                            assert_eq!(entry.bytes.len(), 5000);
                            assert!(entry.bytes.iter().all(|byte| *byte == entry.bytes[0]));
                        }
                    }
                });
            }
        });
        only_file(&open(place.path(), MAX_CACHE_BYTES));
    }

    #[test]
    fn without_a_place_there_is_no_cache_and_nothing_fails() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("file"), "").unwrap();
        assert!(CacheFiles::open(place.path().join("file"), keys(), MAX_CACHE_BYTES).is_none());
        let shared = place.path().join("shared");
        fs::create_dir(&shared).unwrap();
        fs::set_permissions(&shared, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(CacheFiles::open(shared, keys(), MAX_CACHE_BYTES).is_none());
        let files = open(place.path(), MAX_CACHE_BYTES);
        fs::remove_dir(files.directory()).unwrap();
        files.put(&ask("a"), b"x", HOUR);
        assert_eq!(files.get(&ask("a"), HOUR), None);
    }
}
