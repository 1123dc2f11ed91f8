//! Output that is too long for an answer, kept in a file for whoever reads on.
//!
//! Rules: the decisions on the host's calls (9).
//!
//! The files are in `$XDG_STATE_HOME/ikigai-tools/output`, a directory that nobody else may enter.
//! It is opened once, no link is followed on the way below the state directory, and everything is
//! done from its descriptor, so that nobody puts another one in its place. All files together stay
//! within their limit: a writer holds the directory's lock (`flock(2)`) while it looks how much
//! there is and writes a piece. A writer that dies leaves what it has written.
//!
//! A server that tells its callers apart gives each a directory within that one, named by a digest
//! of the caller's name, and the limits hold for all of them together.

use std::ffi::{CStr, CString};
use std::fmt::Write as _;
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
use crate::shell::command_shell::without_number;

/// The most that is kept of one output, in bytes.
const LONGEST: u64 = 64 * 1024 * 1024;

/// The most that all files have together, in bytes.
const MOST: u64 = 256 * 1024 * 1024;

/// A file that has not changed for so long is removed by the next one.
const OLD: Duration = Duration::from_secs(24 * 60 * 60);

/// How much is gathered before it is written, in bytes.
const PIECE: usize = 1024 * 1024;

/// How many bytes of its digest name the directory of a caller.
const NAMED_BY: usize = 16;

/// The directory of the caller whose outputs this process keeps, if callers are told apart.
static OF_CALLER: OnceLock<CString> = OnceLock::new();

/// Has this process keep outputs, and let them be read, in the directory of the caller called
/// `name` alone. Only the first name counts: a process makes one call.
pub fn keep_outputs_of(name: &str) {
    let _ = OF_CALLER.set(directory_of_caller(name));
}

/// How the directory of a caller is called, whatever the name is.
fn directory_of_caller(name: &str) -> CString {
    let digest = ring::digest::digest(&ring::digest::SHA256, name.as_bytes());
    let mut hex = String::with_capacity(2 * NAMED_BY);
    for byte in &digest.as_ref()[..NAMED_BY] {
        let _ = write!(hex, "{byte:02x}");
    }
    // There is no NUL in it.
    CString::new(hex).unwrap_or_default()
}

/// Whether a directory may be a caller's, by its name.
fn is_of_caller(name: &CStr) -> bool {
    let name = name.to_bytes();
    name.len() == 2 * NAMED_BY && name.iter().all(u8::is_ascii_hexdigit)
}

/// How long another writer is waited for.
const LOCK_TIMEOUT: Duration = Duration::from_millis(250);

/// Output on its way into a file. Whatever goes wrong there is no matter to the output.
#[derive(Debug)]
pub struct KeptOutput(Result<OutputFile, String>);

/// What became of it.
#[derive(Debug, PartialEq, Eq)]
pub enum SavedPlace {
    /// All of it is in this file.
    Whole(PathBuf),
    /// Its beginning is in this file: so many bytes.
    Beginning(PathBuf, u64),
    /// There is no file, for this reason.
    Nowhere(String),
}

#[derive(Debug)]
struct OutputFile {
    /// Which has the files of all callers, and the lock.
    all: OwnedFd,
    /// Where the file is.
    directory: OwnedFd,
    path: PathBuf,
    name: CString,
    file: File,
    gathered: Vec<u8>,
    written: u64,
    /// More came than was written.
    cut: bool,
}

impl KeptOutput {
    /// Makes a new file, after those are removed that are too old.
    #[must_use]
    pub fn begin() -> Self {
        Self(OutputFile::create())
    }

    /// No file.
    #[cfg(test)]
    pub fn none() -> Self {
        Self(Err(String::new()))
    }

    /// Takes the next piece.
    pub fn take(&mut self, bytes: &[u8]) {
        if let Ok(writer) = &mut self.0
            && let Err(error) = writer.take(bytes)
        {
            writer.remove();
            self.0 = Err(without_number(&error));
        }
    }

    /// Writes what is left.
    #[must_use]
    pub fn finish(self) -> SavedPlace {
        let written = self.0.and_then(|mut writer| match writer.write_gathered() {
            Ok(()) => Ok(writer),
            Err(error) => {
                writer.remove();
                Err(without_number(&error))
            }
        });
        match written {
            Err(reason) => SavedPlace::Nowhere(reason),
            Ok(writer) if writer.written == 0 => {
                writer.remove();
                SavedPlace::Nowhere(FULL.to_owned())
            }
            Ok(writer) if writer.cut => SavedPlace::Beginning(writer.path, writer.written),
            Ok(writer) => SavedPlace::Whole(writer.path),
        }
    }
}

/// The directory of the files, for whoever lets them be read; neither it nor those above it need be
/// there.
#[must_use]
pub fn directory_of_outputs() -> Option<PathBuf> {
    let all = dirs::state_dir()?.join("ikigai-tools/output");
    Some(match OF_CALLER.get().and_then(|name| name.to_str().ok()) {
        Some(own) => all.join(own),
        None => all,
    })
}

/// Why there is no place.
const HOMELESS: &str = "there is no home directory";

/// Why there is none in a confined call.
const LED_ASTRAY: &str = "a link leads to the state directory that commands can change";

/// Why there is none for one of several callers.
const OPEN_TO_OTHERS: &str = "it is within the directories that all callers of this server read";

/// Why there is no room.
const FULL: &str = "the files of the last day have 256 MiB already";

impl OutputFile {
    fn create() -> Result<Self, String> {
        let state = dirs::state_dir().ok_or(HOMELESS)?;
        if let Some(home) = dirs::home_dir()
            && state.starts_with(&home)
            && !home.is_dir()
        {
            return Err(HOMELESS.to_owned());
        }
        let at = |errno: Errno, place: &Path| {
            let reason = without_number(&errno.into());
            format!("{}: {reason}", place.display())
        };
        let opened = match confinement::current() {
            Some(confinement) => {
                let state = confinement.resolve_trusted(&state).ok_or(LED_ASTRAY)?;
                // Other callers' commands read there, in the system's directories too.
                if OF_CALLER.get().is_some() && confinement.grants(&state, AccessRight::Read) {
                    return Err(OPEN_TO_OTHERS.to_owned());
                }
                without_links(&state)
            }
            None => by_name(&state),
        };
        let mut directory = opened.map_err(|errno| at(errno, &state))?;
        let mut place = state;
        let mut enter = |from: &OwnedFd, name: &CStr, private| {
            place.push(name.to_str().unwrap_or_default());
            enter(from, name, private).map_err(|errno| match errno {
                Errno::LOOP | Errno::NOTDIR => {
                    format!("{} is no directory of this user's", place.display())
                }
                _ => at(errno, &place),
            })
        };
        directory = enter(&directory, c"ikigai-tools", false)?;
        directory = enter(&directory, c"output", true)?;
        let own = OF_CALLER.get();
        let own = own.map(|own| enter(&directory, own, true)).transpose()?;
        if place.to_str().is_none() {
            return Err(String::from("the state directory's name is not UTF-8"));
        }
        let _ = lock(&directory);
        let all = directory
            .try_clone()
            .map_err(|error| without_number(&error))?;
        let directory = own.unwrap_or(directory);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        clean_up(&all, now.unwrap_or_default().saturating_sub(OLD));
        let made = new_file(&directory).map_err(|errno| at(errno, &place));
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
            cut: false,
        })
    }

    fn take(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !self.cut && !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(PIECE - self.gathered.len()));
            self.gathered.extend_from_slice(now);
            bytes = later;
            if self.gathered.len() == PIECE {
                self.write_gathered()?;
            }
        }
        Ok(())
    }

    /// Writes what was gathered, as far as there is room.
    fn write_gathered(&mut self) -> io::Result<()> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        lock(&self.all)?;
        let room = MOST.saturating_sub(size_of_all(&self.all));
        let room = room.min(LONGEST.saturating_sub(self.written));
        let count = usize::try_from(room).map_or(usize::MAX, |room| room);
        let count = self.gathered.len().min(count);
        let done = self.file.write_all(&self.gathered[..count]);
        let _ = flock(&self.all, FlockOperation::Unlock);
        done?;
        self.written += u64::try_from(count).unwrap_or(u64::MAX);
        self.cut |= count < self.gathered.len();
        self.gathered.clear();
        Ok(())
    }

    fn remove(&self) {
        let _ = unlinkat(&self.directory, &self.name, AtFlags::empty());
    }
}

/// Opens the directory at `path`, made if it is missing.
fn by_name(path: &Path) -> Result<OwnedFd, Errno> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    open(path, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

/// The same, where no link may lie on the way: what a command left in the background may lay one
/// at any moment.
fn without_links(path: &Path) -> Result<OwnedFd, Errno> {
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

/// Enters the directory `name`, made if it is missing; one that is a link, or another user's, is
/// `NOTDIR`. One that is to be `private` is nobody else's to enter.
fn enter(parent: &OwnedFd, name: &CStr, private: bool) -> Result<OwnedFd, Errno> {
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

/// Locks the directory until it is unlocked. On file systems without locks nobody is kept out.
fn lock(directory: &OwnedFd) -> io::Result<()> {
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

/// A new file, for nobody else to read.
fn new_file(directory: &OwnedFd) -> Result<(CString, File), Errno> {
    loop {
        let number = RandomState::new().build_hasher().finish();
        let name = CString::new(format!("{number:016x}.txt")).map_err(|_| Errno::INVAL)?;
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        match openat(directory, &name, flags, Mode::RUSR | Mode::WUSR) {
            Err(Errno::EXIST) => {}
            made => return Ok((name, made?.into())),
        }
    }
}

/// Removes the files that were last written before `oldest`, counted from 1970.
fn clean_up(directory: &OwnedFd, oldest: Duration) {
    each_file(directory, &mut |directory, name, written, _| {
        if written < oldest {
            let _ = unlinkat(directory, name, AtFlags::empty());
        }
    });
}

/// How much all files have, in bytes.
fn size_of_all(directory: &OwnedFd) -> u64 {
    let mut all = 0u64;
    each_file(directory, &mut |_, _, _, size| {
        all = all.saturating_add(size);
    });
    all
}

/// Calls `each` with the directory and the name of each file, when it was written last, and its
/// size: of those in this directory and in the callers' within it.
fn each_file(directory: &OwnedFd, each: &mut impl FnMut(&OwnedFd, &CStr, Duration, u64)) {
    each_file_to(directory, 1, each);
}

fn each_file_to(
    directory: &OwnedFd,
    deep: u8,
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
        } else if deep > 0 && is_of_caller(name) {
            let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            if let Ok(callers) = openat(directory, name, flags, Mode::empty()) {
                each_file_to(&callers, deep - 1, each);
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
            assert!(is_of_caller(&directory), "{name:?}: {directory:?}");
            all.push(directory);
        }
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 7);
        assert!(!is_of_caller(c"..") && !is_of_caller(c"0123456789abcdef.txt"));
    }

    #[test]
    fn the_files_of_all_callers_count_and_age_together() {
        let place = tempfile::tempdir().unwrap();
        let own = place
            .path()
            .join(directory_of_caller("alice").to_str().unwrap());
        fs::create_dir(&own).unwrap();
        let other = place.path().join("something else");
        fs::create_dir(&other).unwrap();
        for directory in [place.path(), &own, &other] {
            fs::write(directory.join("a"), "12345").unwrap();
        }
        let all = open(place.path(), OFlags::DIRECTORY, Mode::empty()).unwrap();
        assert_eq!(size_of_all(&all), 10);
        clean_up(&all, Duration::from_secs(u64::MAX));
        assert!(!place.path().join("a").exists() && !own.join("a").exists());
        assert!(other.join("a").exists());
    }
}
