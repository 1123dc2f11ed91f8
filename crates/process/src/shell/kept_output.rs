//! Saving output that is too long for an answer in a file, from which a caller can read the rest.
//!
//! Rules: the decisions on the host's calls (9).
//!
//! The files are in `$XDG_STATE_HOME/ikigai-tools/output`, a directory that no other user may
//! enter. It is opened once, no link is followed on the way below the state directory, and
//! everything is done from its descriptor, so that it cannot be replaced by another. All files
//! together stay within their limit, because a writer holds the directory's lock (`flock(2)`) while
//! it adds up their sizes and writes a piece. A writer that dies leaves what it has written.
//!
//! A server that tells its callers apart gives each a directory within that one, named by a digest
//! of the caller's name. The limits hold for all of them together.

use std::ffi::{CStr, CString};
use std::fs::{DirBuilder, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::fs::{
    AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, fchmod, flock, fstat, mkdirat, open,
    openat, statat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::geteuid;

use crate::sandbox::confinement::{self, AccessRight};
use iki_base::hex;
use iki_base::wording::system_words;

/// Maximum length of one saved output.
const MAX_OUTPUT_BYTES: u64 = 64 * 1024 * 1024;

/// Maximum size of all files together.
const MAX_TOTAL_BYTES: u64 = 256 * 1024 * 1024;

/// Age from which a file is removed when the next one is made.
const MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// Length of the pieces that are written, in bytes.
const PIECE_BYTES: usize = 1024 * 1024;

/// Number of bytes of the digest that name a caller's directory.
const CALLER_DIGEST_BYTES: usize = 16;

/// The directory of the caller whose outputs this process keeps, if callers are told apart.
static CALLER_DIRECTORY: OnceLock<CString> = OnceLock::new();

/// Makes this process save outputs in the directory of the caller called `name`, and allow only
/// these to be read. Only the first name counts, because a process makes one call.
pub fn keep_outputs_of(name: &str) {
    let _ = CALLER_DIRECTORY.set(directory_of_caller(name));
}

/// The name of a caller's directory.
fn directory_of_caller(name: &str) -> CString {
    let digest = ring::digest::digest(&ring::digest::SHA256, name.as_bytes());
    // Hexadecimal digits have no NUL.
    CString::new(hex::encode(&digest.as_ref()[..CALLER_DIGEST_BYTES])).unwrap_or_default()
}

/// True if a directory may be a caller's, by its name.
fn is_caller_directory(name: &CStr) -> bool {
    let name = name.to_bytes();
    name.len() == 2 * CALLER_DIGEST_BYTES && name.iter().all(u8::is_ascii_hexdigit)
}

/// Longest wait for another writer.
const LOCK_TIMEOUT: Duration = Duration::from_millis(250);

/// Output that is being saved in a file. An error there does not affect the output itself.
#[derive(Debug)]
pub struct KeptOutput(Result<OutputFile, String>);

/// Where an output was saved.
#[derive(Debug, PartialEq, Eq)]
pub enum SavedOutput {
    /// All of it is in this file.
    Whole(PathBuf),
    /// Only its beginning is in this file, of this length in bytes.
    Beginning(PathBuf, u64),
    /// It was not saved, for this reason.
    Nowhere(String),
}

#[derive(Debug)]
pub(super) struct OutputFile {
    /// The directory with the files of all callers, which is locked.
    pub(super) all: OwnedFd,
    /// The file's own directory.
    pub(super) directory: OwnedFd,
    pub(super) path: PathBuf,
    pub(super) name: CString,
    pub(super) file: File,
    gathered: Vec<u8>,
    pub(super) written: u64,
    /// The output is longer than the file.
    is_cut: bool,
}

impl KeptOutput {
    /// Removes old files and makes a new one.
    #[must_use]
    pub fn start() -> Self {
        Self(OutputFile::create())
    }

    /// An output that is not saved.
    #[must_use]
    pub fn none() -> Self {
        Self(Err(String::new()))
    }

    /// Appends to the output.
    pub fn append(&mut self, bytes: &[u8]) {
        if let Ok(writer) = &mut self.0
            && let Err(error) = writer.append(bytes)
        {
            writer.remove();
            self.0 = Err(system_words(&error));
        }
    }

    /// Flushes and returns the file, for a command that goes on writing; a new file if saving had
    /// failed.
    pub(super) fn into_continued_file(self) -> Result<OutputFile, String> {
        let Ok(mut writer) = self.0 else {
            return OutputFile::create();
        };
        let _ = writer.write_gathered();
        Ok(writer)
    }

    /// Writes the rest and returns the place of the output.
    #[must_use]
    pub fn finish(self) -> SavedOutput {
        let written = self.0.and_then(|mut writer| match writer.write_gathered() {
            Ok(()) => Ok(writer),
            Err(error) => {
                writer.remove();
                Err(system_words(&error))
            }
        });
        match written {
            Err(reason) => SavedOutput::Nowhere(reason),
            Ok(writer) if writer.written == 0 => {
                writer.remove();
                SavedOutput::Nowhere(FULL.to_owned())
            }
            Ok(writer) if writer.is_cut => SavedOutput::Beginning(writer.path, writer.written),
            Ok(writer) => SavedOutput::Whole(writer.path),
        }
    }
}

/// The directory of the files, so that it can be made readable. Neither it nor those above it need
/// exist.
#[must_use]
pub fn directory_of_outputs() -> Option<PathBuf> {
    let all = dirs::state_dir()?.join("ikigai-tools/output");
    Some(
        match CALLER_DIRECTORY.get().and_then(|name| name.to_str().ok()) {
            Some(directory) => all.join(directory),
            None => all,
        },
    )
}

/// The reason if there is no directory.
const NO_HOME: &str = "there is no home directory";

/// The reason if the state directory is reached through a link that confined commands can change.
const UNSAFE_LINK: &str = "a link leads to the state directory that commands can change";

/// The reason for one of several callers whose directory others could read.
const READ_BY_OTHERS: &str = "it is within the directories that all callers of this server read";

/// The reason if the files have their largest size.
const FULL: &str = "the files of the last day have 256 MiB already";

impl OutputFile {
    pub(super) fn create() -> Result<Self, String> {
        let state = dirs::state_dir().ok_or(NO_HOME)?;
        if let Some(home) = dirs::home_dir()
            && state.starts_with(&home)
            && !home.is_dir()
        {
            return Err(NO_HOME.to_owned());
        }
        let describe_error = |errno: Errno, place: &Path| {
            let reason = system_words(&errno.into());
            format!("{}: {reason}", place.display())
        };
        let opened = match confinement::current() {
            Some(confinement) => {
                let state = confinement.resolve_trusted(&state).ok_or(UNSAFE_LINK)?;
                // Other callers' commands can read there, including the system's directories.
                if CALLER_DIRECTORY.get().is_some() && confinement.grants(&state, AccessRight::Read)
                {
                    return Err(READ_BY_OTHERS.to_owned());
                }
                open_or_make_without_links(&state)
            }
            None => open_or_make(&state),
        };
        let mut directory = opened.map_err(|errno| describe_error(errno, &state))?;
        let mut place = state;
        let mut enter = |from: &OwnedFd, name: &CStr, private| {
            place.push(name.to_str().unwrap_or_default());
            open_own_directory(from, name, private).map_err(|errno| match errno {
                Errno::LOOP | Errno::NOTDIR => {
                    format!("{} is no directory of this user's", place.display())
                }
                _ => describe_error(errno, &place),
            })
        };
        directory = enter(&directory, c"ikigai-tools", false)?;
        directory = enter(&directory, c"output", true)?;
        let caller = CALLER_DIRECTORY.get();
        let inner = caller
            .map(|name| enter(&directory, name, true))
            .transpose()?;
        if place.to_str().is_none() {
            return Err(String::from("the state directory's name is not UTF-8"));
        }
        let _ = lock_directory(&directory);
        let all = directory
            .try_clone()
            .map_err(|error| system_words(&error))?;
        let directory = inner.unwrap_or(directory);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        remove_old_files(&all, now.unwrap_or_default().saturating_sub(MAX_AGE));
        let made = new_file(&directory).map_err(|errno| describe_error(errno, &place));
        let _ = flock(&all, FlockOperation::Unlock);
        let (name, file) = made?;
        Ok(Self {
            path: place.join(name.to_str().unwrap_or_default()),
            all,
            directory,
            name,
            file,
            gathered: Vec::new(),
            written: 0,
            is_cut: false,
        })
    }

    fn append(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !self.is_cut && !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(PIECE_BYTES - self.gathered.len()));
            self.gathered.extend_from_slice(now);
            bytes = later;
            if self.gathered.len() == PIECE_BYTES {
                self.write_gathered()?;
            }
        }
        Ok(())
    }

    /// Writes the gathered bytes, as far as there is room.
    fn write_gathered(&mut self) -> io::Result<()> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        lock_directory(&self.all)?;
        let room = self.room();
        let count = usize::try_from(room).map_or(usize::MAX, |room| room);
        let count = self.gathered.len().min(count);
        let done = self.file.write_all(&self.gathered[..count]);
        let _ = flock(&self.all, FlockOperation::Unlock);
        done?;
        self.written += count as u64;
        self.is_cut |= count < self.gathered.len();
        self.gathered.clear();
        Ok(())
    }

    /// The bytes that may still be written. The directory is locked.
    pub(super) fn room(&self) -> u64 {
        let room = MAX_TOTAL_BYTES.saturating_sub(total_size(&self.all));
        room.min(MAX_OUTPUT_BYTES.saturating_sub(self.written))
    }

    fn remove(&self) {
        let _ = unlinkat(&self.directory, &self.name, AtFlags::empty());
    }
}

/// Opens the directory at `path`, and makes it if it is missing.
fn open_or_make(path: &Path) -> Result<OwnedFd, Errno> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    open(path, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

/// Opens the directory at `path`, and makes it if it is missing, without following links: a process
/// that a command has left in the background may make one at any moment.
fn open_or_make_without_links(path: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut directory = open(c"/", flags, Mode::empty())?;
    for part in path.components() {
        let Component::Normal(name) = part else {
            continue;
        };
        directory = match openat(&directory, name, flags, Mode::empty()) {
            Err(Errno::NOENT) => {
                match mkdirat(&directory, name, Mode::RWXU) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(errno) => return Err(errno),
                }
                openat(&directory, name, flags, Mode::empty())?
            }
            opened => opened?,
        };
    }
    Ok(directory)
}

/// Opens the directory `name`, and makes it if it is missing. A link or another user's directory is
/// `NOTDIR`. A `private` directory is closed to other users.
fn open_own_directory(parent: &OwnedFd, name: &CStr, private: bool) -> Result<OwnedFd, Errno> {
    let owner_only = Mode::RWXU;
    match mkdirat(parent, name, owner_only) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(errno) => return Err(errno),
    }
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let directory = openat(parent, name, flags, Mode::empty())?;
    let status = fstat(&directory)?;
    if status.st_uid != geteuid().as_raw() {
        return Err(Errno::NOTDIR);
    }
    if private && Mode::from_raw_mode(status.st_mode) != owner_only {
        fchmod(&directory, owner_only)?;
    }
    Ok(directory)
}

/// Locks the directory until it is unlocked; has no effect on file systems without locks.
pub(super) fn lock_directory(directory: &OwnedFd) -> io::Result<()> {
    let deadline = Instant::now() + LOCK_TIMEOUT;
    loop {
        match flock(directory, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::AGAIN | Errno::INTR) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(Errno::AGAIN) => {
                return Err(io::Error::other(
                    "others are writing there, and do not stop",
                ));
            }
            _ => return Ok(()),
        }
    }
}

/// Makes a new file that other users cannot read.
pub(super) fn new_file(directory: &OwnedFd) -> Result<(CString, File), Errno> {
    loop {
        let number = RandomState::new().build_hasher().finish();
        let name = CString::new(format!("{number:016x}.txt")).map_err(|_| Errno::INVAL)?;
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC;
        match openat(directory, &name, flags, Mode::RUSR | Mode::WUSR) {
            Err(Errno::EXIST) => {}
            made => return Ok((name, made?.into())),
        }
    }
}

/// Removes the files that were last written before `oldest`, counted from 1970, unless a running
/// command writes into them.
fn remove_old_files(directory: &OwnedFd, oldest: Duration) {
    for_each_file(directory, 1, &mut |directory, name, written, _| {
        if written < oldest && !is_in_use(directory, name) {
            let _ = unlinkat(directory, name, AtFlags::empty());
        }
    });
}

/// Marks a file as one that a running command writes into, as long as it is open.
pub(super) fn mark_in_use(file: &File) {
    // Without locks the file is removed a day after its last write.
    let _ = flock(file, FlockOperation::NonBlockingLockShared);
}

fn is_in_use(directory: &OwnedFd, name: &CStr) -> bool {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    openat(directory, name, flags, Mode::empty()).is_ok_and(|file| {
        flock(&file, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK)
    })
}

/// Size of all files together, in bytes.
fn total_size(directory: &OwnedFd) -> u64 {
    let mut all = 0u64;
    for_each_file(directory, 1, &mut |_, _, _, size| {
        all = all.saturating_add(size);
    });
    all
}

/// Calls `each` for each file in this directory and in the callers' within it: with its directory,
/// name, last modification and size.
fn for_each_file(
    directory: &OwnedFd,
    depth: u8,
    each: &mut impl FnMut(&OwnedFd, &CStr, Duration, u64),
) {
    let Ok(entries) = Dir::read_from(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Ok(status) = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) else {
            continue;
        };
        if FileType::from_raw_mode(status.st_mode) != FileType::Directory {
            let written = u64::try_from(status.st_mtime).unwrap_or(0);
            let size = u64::try_from(status.st_size).unwrap_or(0);
            each(directory, name, Duration::from_secs(written), size);
        } else if depth > 0 && is_caller_directory(name) {
            let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            if let Ok(callers) = openat(directory, name, flags, Mode::empty()) {
                for_each_file(&callers, depth - 1, each);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_directory_of_a_caller_is_named_by_a_digest_whatever_its_name_is() {
        let mut all = Vec::new();
        for name in ["", "alice", "Alice", "../../etc", "a/b", "a\nb", "."] {
            let directory = directory_of_caller(name);
            assert!(is_caller_directory(&directory), "{name:?}: {directory:?}");
            all.push(directory);
        }
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 7);
        assert!(!is_caller_directory(c"..") && !is_caller_directory(c"0123456789abcdef.txt"));
    }

    #[test]
    fn the_files_of_all_callers_count_and_age_together() {
        let place = tempfile::tempdir().unwrap();
        let own_directory = place
            .path()
            .join(directory_of_caller("alice").to_str().unwrap());
        fs::create_dir(&own_directory).unwrap();
        let other = place.path().join("something else");
        fs::create_dir(&other).unwrap();
        for directory in [place.path(), &own_directory, &other] {
            fs::write(directory.join("a"), "12345").unwrap();
        }
        let all = open(place.path(), OFlags::DIRECTORY, Mode::empty()).unwrap();
        assert_eq!(total_size(&all), 10);
        remove_old_files(&all, Duration::from_secs(u64::MAX));
        assert!(!place.path().join("a").exists() && !own_directory.join("a").exists());
        assert!(other.join("a").exists());
    }
}
