//! A directory of a program's own: made before its start, and removed with everything in it, as
//! whoever outlives a tool can: with system calls only, and without following any link.
//!
//! A watchdog does this in a process that may have been forked from one with several threads:
//! nothing here allocates or takes a lock.

use std::ffi::{CStr, CString};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Mode, OFlags, RawDir, fchmod, mkdirat, openat, unlinkat};
use rustix::io::Errno;

/// How deep directories may lie in one another; each level takes a few kilobytes of stack.
const DEPTH: u32 = 64;
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
        remove_at(self.parent.as_fd(), &self.name, DEPTH);
    }
}

/// Returns whether it is gone.
fn remove_at(parent: BorrowedFd<'_>, name: &CStr, depth: u32) -> bool {
    for _ in 0..ROUNDS {
        // What cannot be removed is not tried again.
        let emptied = empty(parent, name, depth);
        match unlinkat(parent, name, AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOENT) => return true,
            Err(Errno::NOTEMPTY | Errno::EXIST) if emptied => {}
            Err(_) => return false,
        }
    }
    false
}

/// Removes what is in a directory; returns whether all that was seen is gone.
fn empty(parent: BorrowedFd<'_>, name: &CStr, depth: u32) -> bool {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Ok(directory) = openat(parent, name, flags, Mode::empty()) else {
        return false;
    };
    // Who made it may have taken the right to write from everybody.
    let _ = fchmod(&directory, Mode::RWXU);
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
                remove_at(directory.as_fd(), name, depth - 1)
            }
            Err(_) => false,
        };
    }
    emptied
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    fn remove_path(path: &Path) {
        let name = CString::new(path.as_os_str().as_bytes()).unwrap();
        remove_at(rustix::fs::CWD, &name, DEPTH);
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
    fn what_lies_deeper_than_is_followed_stays_and_costs_no_time() {
        let room = tempfile::tempdir().unwrap();
        let place = room.path().join("place");
        let deep = (0..80).fold(place.clone(), |path, _| path.join("d"));
        fs::create_dir_all(&deep).unwrap();
        fs::write(place.join("beside"), "x").unwrap();
        remove_path(&place);
        assert!(place.exists() && !place.join("beside").exists());
    }
}
