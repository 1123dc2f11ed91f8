//! A directory of a program's own: made before its start, and removed with everything in it, as
//! whoever outlives a tool can: with system calls only, and without following any link.
//!
//! A watchdog does this in a process that may have been forked from one with several threads:
//! nothing here allocates or takes a lock.

use std::cell::Cell;
use std::ffi::{CStr, CString};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{
    AtFlags, Mode, OFlags, RawDir, chmod, fchmod, mkdirat, openat, renameat, unlinkat,
};
use rustix::io::Errno;

/// How many directories in one another are gone into at a time; each level takes a few kilobytes of
/// stack. What lies deeper is moved up first.
const DEPTH: u32 = 64;
/// How often it is begun anew because something lay deeper.
const MOST_ROUNDS: u32 = 10_000;
/// How often a directory is read again because something was put there meanwhile.
const ROUNDS: u32 = 16;
/// How much of a directory is read at a time, in bytes.
const PIECE: usize = 2048;

/// A directory that is made and removed from the descriptor of the one that it is in, so that nobody
/// can lead either elsewhere.
#[derive(Debug)]
pub struct Scratch {
    parent: OwnedFd,
    name: CString,
    path: PathBuf,
}

impl Scratch {
    /// A new one in the directory `parent`, whose name is `path`. It is not there yet.
    #[must_use]
    pub fn in_directory(parent: OwnedFd, path: &Path) -> Self {
        let number = RandomState::new().build_hasher().finish();
        let name = format!("ikigai-{:012x}", number >> 16);
        Self {
            parent,
            path: path.join(&name),
            // There is no NUL in it.
            name: CString::new(name).unwrap_or_default(),
        }
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes it, for this user alone, and opens it.
    ///
    /// # Errors
    /// It cannot be made, or is not what was made.
    pub fn make(&self) -> Result<OwnedFd, Errno> {
        mkdirat(&self.parent, &self.name, Mode::RWXU)?;
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::DIRECTORY | OFlags::CLOEXEC;
        openat(&self.parent, &self.name, flags, Mode::empty())
    }

    /// Removes it and what is in it, as far as this process may.
    pub fn remove(&self) {
        remove_tree(self.parent.as_fd(), &self.name);
    }
}

/// Removes the directory `name` in `parent` with everything in it.
fn remove_tree(parent: BorrowedFd<'_>, name: &CStr) {
    let Some(top) = open_directory(parent, name) else {
        return;
    };
    let removal = Removal {
        top: top.as_fd(),
        moved: Cell::new(0),
    };
    for _ in 0..MOST_ROUNDS {
        let moved = removal.moved.get();
        if removal.remove_at(parent, name, DEPTH) || removal.moved.get() == moved {
            return;
        }
    }
}

/// A removal under way.
struct Removal<'a> {
    /// The directory that is to go, whatever it is called.
    top: BorrowedFd<'a>,
    /// How many directories were moved up there.
    moved: Cell<u32>,
}

impl Removal<'_> {
    /// Returns whether the directory is gone.
    fn remove_at(&self, parent: BorrowedFd<'_>, name: &CStr, depth: u32) -> bool {
        for _ in 0..ROUNDS {
            // What cannot be removed is not tried again.
            let emptied = self.empty(parent, name, depth);
            match unlinkat(parent, name, AtFlags::REMOVEDIR) {
                Ok(()) | Err(Errno::NOENT) => return true,
                Err(Errno::NOTEMPTY | Errno::EXIST) if emptied => {}
                Err(_) => return false,
            }
        }
        false
    }

    /// Removes what is in a directory; returns whether all that was seen is gone from it.
    fn empty(&self, parent: BorrowedFd<'_>, name: &CStr, depth: u32) -> bool {
        let Some(directory) = open_directory(parent, name) else {
            return false;
        };
        let mut emptied = true;
        let mut buffer = [MaybeUninit::uninit(); PIECE];
        let mut entries = RawDir::new(&directory, &mut buffer);
        while let Some(Ok(entry)) = entries.next() {
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            emptied &= match unlinkat(&directory, name, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => true,
                // Linux says the first, POSIX the second.
                Err(Errno::ISDIR | Errno::PERM) if depth > 0 => {
                    self.remove_at(directory.as_fd(), name, depth - 1)
                }
                Err(Errno::ISDIR | Errno::PERM) => self.move_up(directory.as_fd(), name),
                Err(_) => false,
            };
        }
        emptied
    }

    /// Moves a directory that lies too deep to where the next round finds it; returns whether that
    /// was done.
    fn move_up(&self, directory: BorrowedFd<'_>, name: &CStr) -> bool {
        // A directory has to be writable itself to be moved.
        drop(open_directory(directory, name));
        let number = self.moved.get() + 1;
        self.moved.set(number);
        let mut path = [0; 32];
        let mut digits = itoa::Buffer::new();
        let parts = [&b"ikigai-deep-"[..], digits.format(number).as_bytes()];
        for (to, from) in path.iter_mut().zip(parts.into_iter().flatten()) {
            *to = *from;
        }
        let Ok(path) = CStr::from_bytes_until_nul(&path) else {
            return false;
        };
        renameat(directory, name, self.top, path).is_ok()
    }
}

/// Opens a directory, not a link to one, after everything in it was allowed to this user: who made
/// it may have taken that from everybody.
fn open_directory(parent: BorrowedFd<'_>, name: &CStr) -> Option<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let directory = openat(parent, name, flags | OFlags::RDONLY, Mode::empty());
    if let Ok(directory) = directory {
        let _ = fchmod(&directory, Mode::RWXU);
        return Some(directory);
    }
    let directory = openat(parent, name, flags | OFlags::PATH, Mode::empty()).ok()?;
    let mut path = [0; 32];
    let mut digits = itoa::Buffer::new();
    let number = digits.format(directory.as_raw_fd()).as_bytes();
    let parts = [&b"/proc/self/fd/"[..], number];
    for (to, from) in path.iter_mut().zip(parts.into_iter().flatten()) {
        *to = *from;
    }
    let path = CStr::from_bytes_until_nul(&path).ok()?;
    chmod(path, Mode::RWXU).ok()?;
    openat(&directory, c".", flags | OFlags::RDONLY, Mode::empty()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    fn c_string(path: &Path) -> CString {
        CString::new(path.as_os_str().as_bytes()).unwrap()
    }

    fn remove_path(path: &Path) {
        remove_tree(rustix::fs::CWD, &c_string(path));
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
    fn however_deep_directories_lie_they_go() {
        let room = tempfile::tempdir().unwrap();
        let place = room.path().join("place");
        fs::create_dir(&place).unwrap();
        let mut at = open_directory(rustix::fs::CWD, &c_string(&place)).unwrap();
        for _ in 0..3000 {
            for name in [c"d", c"e"] {
                mkdirat(&at, name, Mode::RUSR | Mode::XUSR | Mode::WUSR).unwrap();
            }
            at = open_directory(at.as_fd(), c"d").unwrap();
        }
        fchmod(&at, Mode::RUSR).unwrap();
        remove_path(&place);
        assert!(!place.exists());
    }

    #[test]
    fn a_directory_that_nobody_may_read_goes_too() {
        use std::os::unix::fs::PermissionsExt;
        let room = tempfile::tempdir().unwrap();
        let place = room.path().join("place");
        fs::create_dir_all(place.join("closed")).unwrap();
        fs::write(place.join("closed/file"), "x").unwrap();
        for closed in [place.join("closed"), place.clone()] {
            fs::set_permissions(closed, fs::Permissions::from_mode(0)).unwrap();
        }
        remove_path(&place);
        assert!(!place.exists());
    }
}
