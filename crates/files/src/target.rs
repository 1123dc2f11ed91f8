//! The target of a write: symbolic links followed to the end, the directory held open, and the name
//! in it.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, PROC_SUPER_MAGIC, StatxAttributes, StatxFlags, fstat, lstat,
    open, readlink, stat, statat, statfs, statx,
};
use rustix::io::Errno;

use super::regular::{ErrorReason, FileAccessError, RegularFile};
use iki_process::sandbox::confinement::{self, AccessRight};

/// As many symbolic links as the kernel follows (`path_resolution(7)`).
const MAX_LINKS: usize = 40;

/// The place at which a file is to be written.
pub struct WriteTarget {
    /// The path with all links followed.
    pub path: PathBuf,
    /// The directory that holds it.
    pub directory: OwnedFd,
    /// Its name there.
    pub name: OsString,
    /// True if another file can be renamed over it. Not behind the links of `/proc`: they lead to
    /// open files, such as stdout, and the programs that hold those would not see the new one.
    pub is_replaceable: bool,
}

impl WriteTarget {
    /// True if `file` is still there, unchanged since its status was read.
    pub fn still_holds(&self, file: &RegularFile) -> bool {
        let there = if self.is_replaceable {
            statat(&self.directory, &self.name, AtFlags::SYMLINK_NOFOLLOW)
        } else {
            fstat(&file.file)
        };
        let then = &file.stat;
        there.is_ok_and(|now| {
            (now.st_dev, now.st_ino, now.st_size) == (then.st_dev, then.st_ino, then.st_size)
                && (now.st_mtime, now.st_mtime_nsec) == (then.st_mtime, then.st_mtime_nsec)
        })
    }

    /// Follows `path` to the file it names, which need not exist; its directory must.
    pub fn resolve(path: &Path) -> Result<Self, FileAccessError> {
        let mut path = path.to_owned();
        let mut is_replaceable = true;
        let mut links = 0;
        while let Some(next) = link_at(&path)? {
            links += 1;
            if links > MAX_LINKS {
                return Err(FileAccessError::opening(Errno::LOOP));
            }
            if next.magic {
                is_replaceable = false;
                break;
            }
            path = match path.parent() {
                Some(parent) => parent.join(next.to),
                None => next.to,
            };
        }
        // A path that ends in a slash or in dots names a directory or nothing.
        let bytes = path.as_os_str().as_encoded_bytes();
        let ends_in_name = !bytes.ends_with(b"/") && !bytes.ends_with(b"/.");
        let name = match path.file_name() {
            Some(name) if ends_in_name => name.to_owned(),
            _ => return Err(no_file_name(&path)),
        };
        let parent = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = open(parent, flags, Mode::empty()).map_err(FileAccessError::opening)?;
        if confinement::masks_open(&directory, AccessRight::Write) {
            return Err(FileAccessError::PermissionDenied);
        }
        Ok(Self {
            path,
            directory,
            name,
            is_replaceable,
        })
    }

    /// True if names can only be added to the directory, not removed (`chattr(1)`, `a`).
    pub fn only_grows(&self) -> bool {
        statx(
            &self.directory,
            c"",
            AtFlags::EMPTY_PATH,
            StatxFlags::empty(),
        )
        .is_ok_and(|status| status.stx_attributes.contains(StatxAttributes::APPEND))
    }
}

fn no_file_name(path: &Path) -> FileAccessError {
    match stat(path) {
        Ok(_) => FileAccessError::Open(ErrorReason::new("it is a directory")),
        Err(errno) => FileAccessError::opening(errno),
    }
}

struct SymbolicLink {
    to: PathBuf,
    magic: bool,
}

/// The symbolic link at `path`, if there is one.
fn link_at(path: &Path) -> Result<Option<SymbolicLink>, FileAccessError> {
    let status = match lstat(path) {
        Ok(status) => status,
        Err(Errno::NOENT) => return Ok(None),
        Err(errno) => return Err(FileAccessError::opening(errno)),
    };
    if FileType::from_raw_mode(status.st_mode) != FileType::Symlink {
        return Ok(None);
    }
    let in_proc = || stat("/proc").is_ok_and(|proc| proc.st_dev == status.st_dev);
    // `/proc` may be an ordinary directory.
    let mounted = || statfs("/proc").is_ok_and(|proc| proc.f_type == PROC_SUPER_MAGIC);
    let magic = in_proc() && mounted();
    let to = readlink(path, Vec::new()).map_err(FileAccessError::opening)?;
    Ok(Some(SymbolicLink {
        to: PathBuf::from(OsString::from_vec(to.into_bytes())),
        magic,
    }))
}
