//! A directory of a program's own: made before its start, and removed with everything in it in the
//! way that a process that outlives a tool can: with system calls only, and without following any
//! link.
//!
//! A watchdog does this in a process that may have been forked from one with several threads:
//! nothing here allocates or takes a lock.

use std::ffi::{CStr, CString};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::{
    Access, AtFlags, Mode, OFlags, RawDir, SeekFrom, access, chmod, fchmod, mkdirat, open, openat,
    renameat, seek, unlinkat,
};
use rustix::io::Errno;

use super::confinement;

/// The depth to which directories are followed; each level takes a few kilobytes of stack.
/// Directories that lie deeper are first moved up.
const MAX_DEPTH: u32 = 64;
/// Maximum number of times that a directory is read again because something was put there
/// meanwhile.
const MAX_ROUNDS: u32 = 16;
/// Maximum number of times that the whole is gone through because something was moved up: a process
/// that is still there and puts things in again is not waited for without end.
const MAX_REPEATS: u32 = 100_000;
/// Longest path of the directory for temporary files, in bytes. A browser makes a socket in a
/// directory of its own below it, whose path may have 107 (`unix(7)`).
const MAX_DIRECTORY_PATH_BYTES: usize = 40;
/// Bytes of a directory that are read at a time.
const PIECE: usize = 2048;

/// The beginning of its name, and the number of digits after it.
const PREFIX: &str = "ikigai-";
const DIGITS: usize = 12;

/// True if `path` lies in such a directory of any process, which may be gone by now.
#[must_use]
pub fn lies_in_one(path: &Path) -> bool {
    path.iter().any(|part| {
        let number = part.as_encoded_bytes().strip_prefix(PREFIX.as_bytes());
        number.is_some_and(|number| {
            number.len() == DIGITS && number.iter().all(u8::is_ascii_hexdigit)
        })
    })
}

/// A directory that is made and removed from the descriptor of the one that it is in, so that no
/// other process can lead either elsewhere.
#[derive(Debug)]
pub struct ScratchDirectory {
    parent: OwnedFd,
    name: CString,
    path: PathBuf,
    /// It exists before a program and stays after it.
    is_lasting: bool,
}

impl ScratchDirectory {
    /// The one at `path`, which outlasts the programs that use it, and is made anew if one of them
    /// has removed it.
    ///
    /// # Errors
    /// The directory that it is in cannot be opened.
    pub(crate) fn lasting(path: &Path) -> io::Result<Self> {
        let parent = path.parent().unwrap_or(path);
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self {
            parent: open(parent, flags, Mode::empty())?,
            name: CString::new(path.file_name().unwrap_or_default().as_bytes())?,
            path: path.to_owned(),
            is_lasting: true,
        })
    }

    /// A new one in the directory `parent`, whose name is `path`. It does not exist yet.
    #[must_use]
    pub fn in_directory(parent: OwnedFd, path: &Path) -> Self {
        let number = RandomState::new().build_hasher().finish();
        let name = format!("{PREFIX}{:0DIGITS$x}", number >> 16);
        Self {
            parent,
            path: path.join(&name),
            // It has no NUL.
            name: CString::new(name).unwrap_or_default(),
            is_lasting: false,
        }
    }

    /// A new one for a program that helps, where temporary files are. It does not exist yet.
    ///
    /// # Errors
    /// There is no place for it that confined calls cannot reach.
    pub fn plan() -> io::Result<Arc<Self>> {
        let chosen = std::env::temp_dir();
        let chosen = chosen
            .to_str()
            .filter(|path| path.starts_with('/') && path.len() <= MAX_DIRECTORY_PATH_BYTES)
            .filter(|path| access(*path, Access::WRITE_OK | Access::EXEC_OK).is_ok());
        let mut places = chosen.into_iter().chain(["/tmp", "/var/tmp"]);
        // Such programs may read more than those calls, which must not be able to change its files.
        let chosen = places.find(|place| confinement::is_out_of_reach(Path::new(place)));
        let nowhere = || io::Error::other("no place for its files lies outside the roots");
        let chosen = chosen.ok_or_else(nowhere)?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let parent = open(chosen, flags, Mode::empty())?;
        Ok(Arc::new(Self::in_directory(parent, Path::new(chosen))))
    }

    /// The directory that it is in: the one descriptor that its making and removal take.
    #[must_use]
    pub fn parent(&self) -> BorrowedFd<'_> {
        self.parent.as_fd()
    }

    /// True if it outlasts the programs that use it.
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        self.is_lasting
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes it, for this user only, and opens it.
    ///
    /// # Errors
    /// It cannot be made, or another file has taken its place.
    pub fn make(&self) -> Result<OwnedFd, Errno> {
        match mkdirat(&self.parent, &self.name, Mode::RWXU) {
            Err(Errno::EXIST) if self.is_lasting => {}
            made => made?,
        }
        self.open().inspect_err(|_| self.remove())
    }

    /// Opens it.
    ///
    /// # Errors
    /// It is not there, or another file has taken its place.
    pub fn open(&self) -> Result<OwnedFd, Errno> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::DIRECTORY | OFlags::CLOEXEC;
        openat(&self.parent, &self.name, flags, Mode::empty())
    }

    /// Removes it with its content, as far as this process may, unless it lasts.
    pub fn remove(&self) {
        if self.is_lasting {
            return;
        }
        remove_at(self.parent.as_fd(), &self.name);
    }
}

/// State shared by the levels of one removal.
struct TreeRemoval<'a> {
    /// The directory that is removed, into which all directories are moved that lie too deep.
    top: BorrowedFd<'a>,
    /// Number of directories moved there.
    moved: u32,
}

/// Removes a directory with its content.
fn remove_at(parent: BorrowedFd<'_>, name: &CStr) {
    let Ok(top) = open_to_empty(parent, name) else {
        return;
    };
    let mut removal = TreeRemoval {
        top: top.as_fd(),
        moved: 0,
    };
    for round in 0..MAX_REPEATS {
        let moved = removal.moved;
        let emptied = removal.empty(&top, MAX_DEPTH);
        match unlinkat(parent, name, AtFlags::REMOVEDIR) {
            // A directory that cannot be removed is not tried again.
            Err(Errno::NOTEMPTY | Errno::EXIST) if removal.moved > moved => {}
            Err(Errno::NOTEMPTY | Errno::EXIST) if emptied && round < MAX_ROUNDS => {}
            _ => return,
        }
    }
}

impl TreeRemoval<'_> {
    /// Removes a directory; true if it is gone.
    fn remove(&mut self, parent: &OwnedFd, name: &CStr, depth: u32) -> bool {
        let Ok(directory) = open_to_empty(parent.as_fd(), name) else {
            return false;
        };
        if depth == 0 {
            return self.move_up(parent, name);
        }
        for _ in 0..MAX_ROUNDS {
            let emptied = self.empty(&directory, depth - 1);
            match unlinkat(parent, name, AtFlags::REMOVEDIR) {
                Ok(()) | Err(Errno::NOENT) => return true,
                Err(Errno::NOTEMPTY | Errno::EXIST) if emptied => {}
                Err(_) => return false,
            }
        }
        false
    }

    /// Removes a directory's content; true if everything that was seen is gone.
    fn empty(&mut self, directory: &OwnedFd, depth: u32) -> bool {
        if seek(directory, SeekFrom::Start(0)).is_err() {
            return false;
        }
        let mut emptied = true;
        let mut buffer = [MaybeUninit::uninit(); PIECE];
        let mut entries = RawDir::new(directory, &mut buffer);
        while let Some(Ok(entry)) = entries.next() {
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            emptied &= match unlinkat(directory, name, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => true,
                // Linux says the first, POSIX the second.
                Err(Errno::ISDIR | Errno::PERM) => self.remove(directory, name, depth),
                Err(_) => false,
            };
        }
        emptied
    }

    /// Moves a directory up to the top; true if it is there.
    fn move_up(&mut self, parent: &OwnedFd, name: &CStr) -> bool {
        // Another file may have the name, but not all of them.
        for _ in 0..MAX_ROUNDS {
            self.moved += 1;
            let mut number = itoa::Buffer::new();
            let to = joined(&[b"deep-", number.format(self.moved).as_bytes()]);
            let Ok(to) = CStr::from_bytes_until_nul(&to) else {
                return false;
            };
            match renameat(parent, name, self.top, to) {
                Ok(()) | Err(Errno::NOENT) => return true,
                Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => {}
                Err(_) => break,
            }
        }
        self.moved -= 1;
        false
    }
}

/// Opens a directory to be emptied. Its owner may have taken every right in it from all users.
fn open_to_empty(parent: BorrowedFd<'_>, name: &CStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = || openat(parent, name, flags | OFlags::RDONLY, Mode::empty());
    match open() {
        Ok(directory) => {
            let _ = fchmod(&directory, Mode::RWXU);
            Ok(directory)
        }
        Err(Errno::ACCESS) => {
            let directory = openat(parent, name, flags | OFlags::PATH, Mode::empty())?;
            let mut path = [0; 32];
            // A descriptor of this kind has no other way to it before Linux 6.6 (`fchmodat2`).
            chmod(path_of(&directory, &mut path)?, Mode::RWXU)?;
            open()
        }
        Err(errno) => Err(errno),
    }
}

/// The path of an open file, written into `path`: it leads there under any of its present names.
pub(crate) fn path_of<'a>(file: &OwnedFd, path: &'a mut [u8; 32]) -> Result<&'a CStr, Errno> {
    let mut number = itoa::Buffer::new();
    let number = number.format(file.as_raw_fd()).as_bytes();
    *path = joined(&[b"/proc/self/fd/", number]);
    CStr::from_bytes_until_nul(path).map_err(|_| Errno::NAMETOOLONG)
}

/// The `parts`, one after another, and NULs after them; without allocating.
#[must_use]
pub fn joined(parts: &[&[u8]]) -> [u8; 32] {
    let mut whole = [0; 32];
    for (to, from) in whole.iter_mut().zip(parts.iter().copied().flatten()) {
        *to = *from;
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    fn remove_path(path: &Path) {
        let name = CString::new(path.as_os_str().as_bytes()).unwrap();
        remove_at(rustix::fs::CWD, &name);
    }

    #[test]
    fn each_run_has_a_directory_of_its_own_with_a_short_path() {
        let [one, other] = [(), ()].map(|()| ScratchDirectory::plan().unwrap().path().to_owned());
        assert_ne!(one, other);
        let length = one.to_str().unwrap().len();
        assert!(
            length <= MAX_DIRECTORY_PATH_BYTES + 20 && one.is_absolute(),
            "{one:?}"
        );
        assert!(!one.exists());
    }

    #[test]
    fn a_directory_goes_with_all_that_is_in_it_and_nothing_else_does() {
        let room = tempfile::tempdir().unwrap();
        let (place, beside) = (room.path().join("place"), room.path().join("beside"));
        fs::create_dir_all(place.join("a/b/c")).unwrap();
        fs::create_dir(&beside).unwrap();
        fs::write(beside.join("kept"), "x").unwrap();
        for number in 0..500 {
            fs::write(
                place.join(format!("a/a-file-with-a-longer-name-{number}")),
                "x",
            )
            .unwrap();
        }
        symlink(&beside, place.join("a/link")).unwrap();
        symlink("nowhere", place.join("a/b/broken")).unwrap();
        remove_path(&place);
        assert!(!place.exists());
        assert!(beside.join("kept").exists());
    }

    #[test]
    fn a_link_in_its_place_is_not_followed() {
        let room = tempfile::tempdir().unwrap();
        let target = room.path().join("target");
        fs::create_dir(&target).unwrap();
        fs::write(target.join("kept"), "x").unwrap();
        symlink(&target, room.path().join("place")).unwrap();
        remove_path(&room.path().join("place"));
        assert!(target.join("kept").exists());
        remove_path(&room.path().join("never there"));
    }

    #[test]
    fn directories_that_may_not_be_written_to_go_too() {
        use std::os::unix::fs::PermissionsExt;
        let room = tempfile::tempdir().unwrap();
        let place = room.path().join("place");
        fs::create_dir_all(place.join("closed/inner")).unwrap();
        fs::set_permissions(place.join("closed"), fs::Permissions::from_mode(0o500)).unwrap();
        remove_path(&place);
        assert!(!place.exists());
    }

    #[test]
    fn directories_that_nobody_may_enter_go_too() {
        use std::os::unix::fs::PermissionsExt;
        let room = tempfile::tempdir().unwrap();
        let place = room.path().join("place");
        fs::create_dir_all(place.join("closed/inner")).unwrap();
        fs::write(place.join("closed/inner/file"), "x").unwrap();
        for closed in ["closed/inner", "closed", "."] {
            fs::set_permissions(place.join(closed), fs::Permissions::from_mode(0o000)).unwrap();
        }
        remove_path(&place);
        assert!(!place.exists());
    }

    #[test]
    fn directories_of_any_depth_go_too() {
        let room = tempfile::tempdir().unwrap();
        let place = room.path().join("place");
        for depth in [63, 64, 65, 66, 80, 200] {
            fs::create_dir(&place).unwrap();
            // Names that are in the way.
            fs::create_dir_all(place.join("deep-1/full")).unwrap();
            fs::write(place.join("deep-2"), "x").unwrap();
            let mut directory = rustix::fs::open(&place, OFlags::PATH, Mode::empty()).unwrap();
            for _ in 0..depth {
                mkdirat(&directory, c"d", Mode::RWXU).unwrap();
                mkdirat(&directory, c"e", Mode::RWXU).unwrap();
                directory = openat(&directory, c"d", OFlags::PATH, Mode::empty()).unwrap();
            }
            let flags = OFlags::CREATE | OFlags::WRONLY;
            openat(&directory, c"file", flags, Mode::RUSR).unwrap();
            remove_path(&place);
            assert!(!place.exists(), "{depth}");
        }
    }

    #[test]
    fn what_cannot_be_removed_stays_alone_and_costs_no_time() {
        let room = tempfile::tempdir().unwrap();
        let place = room.path().join("place");
        fs::create_dir_all(place.join("kept/inner")).unwrap();
        fs::write(place.join("beside"), "x").unwrap();
        // An open directory without access to its parent stands for one that cannot be removed.
        let filter = place.join("kept/inner");
        let held = std::process::Command::new("chattr")
            .args(["+i"])
            .arg(&filter)
            .output();
        let holds = held.is_ok_and(|output| output.status.success());
        remove_path(&place);
        let left = place.exists();
        let _ = std::process::Command::new("chattr")
            .args(["-i"])
            .arg(&filter)
            .output();
        assert_eq!(left, holds);
        assert!(!place.join("beside").exists());
    }
}
