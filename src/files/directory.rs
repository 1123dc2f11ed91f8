//! The entries of a directory, some of them in the order of their bytes, at the cost of those.

use std::ffi::CString;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::Instant;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, open, readlinkat, statat};

use super::read::FirstLine;
use super::regular::{ErrorReason, FileAccessError};
use crate::sandbox::confinement::{self, AccessRight};
use crate::sort::Sort;

/// The most names that are sorted.
const MOST_SORTED: usize = 1_000_000;

/// Names that are read between two looks at the clock, and before they are sorted.
const BETWEEN_LOOKS: usize = 4096;

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
    let (from_end, wanted) = match first {
        FirstLine::Number(first) => (false, first.saturating_sub(1).saturating_add(count as u64)),
        FirstLine::FromEnd(lines) => (true, lines),
    };
    let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
    let kept = wanted.min(MOST_SORTED);
    let mut names: Vec<Vec<u8>> = Vec::new();
    let mut total = 0_usize;
    let sort = |names: &mut Vec<Vec<u8>>| {
        names.arrange_by(|one, other| {
            if from_end {
                other.cmp(one)
            } else {
                one.cmp(other)
            }
        });
        names.truncate(kept);
    };
    let mut entries = Dir::read_from(&directory).map_err(FileAccessError::reading)?;
    while let Some(entry) = entries.read() {
        let entry = entry.map_err(FileAccessError::reading)?;
        let name = entry.file_name().to_bytes();
        if matches!(name, b"." | b"..") {
            continue;
        }
        total += 1;
        if total.is_multiple_of(BETWEEN_LOOKS) && deadline.is_some_and(|end| Instant::now() >= end)
        {
            return Err(FileAccessError::TooSlow);
        }
        names.push(name.to_vec());
        if names.len() >= kept.saturating_mul(2).max(BETWEEN_LOOKS) {
            sort(&mut names);
        }
    }
    if total > kept && wanted > kept {
        return Err(FileAccessError::Read(ErrorReason::new(
            "it has too many names to sort them all",
        )));
    }
    sort(&mut names);
    let before = if from_end {
        names.reverse();
        total - names.len()
    } else {
        let skipped = wanted.saturating_sub(count).min(names.len());
        names.drain(..skipped);
        skipped
    };
    names.truncate(count);
    let entries = names.into_iter().map(|name| DirectoryEntry {
        kind: entry_kind(directory.as_fd(), &name),
        name,
    });
    Ok(DirectoryPage {
        entries: entries.collect(),
        first: before as u64 + 1,
        total: total as u64,
    })
}

/// The kind of an entry itself; nothing is told of one that is no call's.
fn entry_kind(directory: BorrowedFd<'_>, name: &[u8]) -> Option<DirectoryEntryKind> {
    let name = CString::new(name).ok()?;
    let status = statat(directory, &name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    if confinement::masks_entry(directory, &name) {
        return None;
    }
    Some(match FileType::from_raw_mode(status.st_mode) {
        FileType::RegularFile => {
            DirectoryEntryKind::File(u64::try_from(status.st_size).unwrap_or(0))
        }
        FileType::Directory => DirectoryEntryKind::Directory,
        FileType::Symlink => {
            let target = readlinkat(directory, &name, Vec::new()).ok()?;
            DirectoryEntryKind::Link(target.into_bytes())
        }
        FileType::Fifo => DirectoryEntryKind::Other("FIFO"),
        FileType::Socket => DirectoryEntryKind::Other("socket"),
        _ => DirectoryEntryKind::Other("device"),
    })
}
