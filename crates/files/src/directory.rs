//! The entries of a directory in the order of their bytes, of which some are looked at.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::Instant;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, open, readlinkat, statat};

use super::read::FirstLine;
use super::regular::{ErrorReason, FileAccessError};
use iki_process::sandbox::confinement::{self, AccessRight};

/// Maximum number of names of a directory that is listed, for the memory that they take.
const MAX_NAMES: usize = 1_000_000;

/// Number of names that are read between two looks at the clock.
const CLOCK_INTERVAL_ENTRIES: usize = 4096;

/// Some entries of a directory.
#[derive(Debug, PartialEq, Eq)]
pub struct DirectoryPage {
    /// The entries, in the order of their bytes.
    pub entries: Vec<DirectoryEntry>,
    /// The number of the first of them, from 1.
    pub first: u64,
    /// The number of all that the directory has.
    pub total: u64,
}

/// An entry of a directory.
#[derive(Debug, PartialEq, Eq)]
pub struct DirectoryEntry {
    /// Its name.
    pub name: Vec<u8>,
    /// The kind of file that it is, if that is told; links are not followed.
    pub kind: Option<DirectoryEntryKind>,
}

/// The kind of a directory's entry.
#[derive(Debug, PartialEq, Eq)]
pub enum DirectoryEntryKind {
    /// A regular file of so many bytes.
    File(u64),
    /// A directory.
    Directory,
    /// A symbolic link to this.
    Link(Vec<u8>),
    /// Anything else, in a word.
    Other(&'static str),
}

/// Lists at most `count` entries of the directory at `path`, from entry `first` on.
pub fn list_directory(
    path: &Path,
    first: FirstLine,
    count: usize,
    deadline: Option<Instant>,
) -> Result<DirectoryPage, FileAccessError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let directory = open(path, flags, Mode::empty()).map_err(FileAccessError::opening)?;
    if confinement::masks_open(&directory, AccessRight::Read) {
        return Err(FileAccessError::PermissionDenied);
    }
    let mut names: Vec<CString> = Vec::new();
    let mut entries = Dir::read_from(&directory).map_err(FileAccessError::reading)?;
    while let Some(entry) = entries.read() {
        let entry = entry.map_err(FileAccessError::reading)?;
        if matches!(entry.file_name().to_bytes(), b"." | b"..") {
            continue;
        }
        if names.len() == MAX_NAMES {
            return Err(FileAccessError::Read(ErrorReason::new(
                "a directory of more than a million names",
            )));
        }
        let looks = names.len().is_multiple_of(CLOCK_INTERVAL_ENTRIES);
        if looks && deadline.is_some_and(|end| Instant::now() >= end) {
            return Err(FileAccessError::TooSlow(0));
        }
        names.push(entry.file_name().to_owned());
    }
    names.sort_unstable();
    let total = names.len() as u64;
    let before = first.skips(total);
    let wanted = usize::try_from(before).unwrap_or(usize::MAX)..;
    let names = names.get(wanted).unwrap_or_default().iter().take(count);
    let entries = names.map(|name| DirectoryEntry {
        kind: entry_kind(directory.as_fd(), name),
        name: name.to_bytes().to_vec(),
    });
    Ok(DirectoryPage {
        entries: entries.collect(),
        first: before + 1,
        total,
    })
}

/// The kind of an entry itself; nothing is told of one that is no call's.
fn entry_kind(directory: BorrowedFd<'_>, name: &CStr) -> Option<DirectoryEntryKind> {
    let status = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    if confinement::masks_entry(directory, name) {
        return None;
    }
    Some(match FileType::from_raw_mode(status.st_mode) {
        FileType::RegularFile => {
            DirectoryEntryKind::File(u64::try_from(status.st_size).unwrap_or(0))
        }
        FileType::Directory => DirectoryEntryKind::Directory,
        FileType::Symlink => {
            let target = readlinkat(directory, name, Vec::new()).ok()?;
            DirectoryEntryKind::Link(target.into_bytes())
        }
        FileType::Fifo => DirectoryEntryKind::Other("FIFO"),
        FileType::Socket => DirectoryEntryKind::Other("socket"),
        _ => DirectoryEntryKind::Other("device"),
    })
}
