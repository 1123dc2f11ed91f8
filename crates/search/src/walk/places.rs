//! Naming an entry of the file system: from the working directory, or from a directory held open.

use std::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, openat, statat};

use super::listing::DirectoryListing;
use crate::paths::EntryKind;
use iki_process::sandbox::confinement;

/// A directory held open, for what lies too deep to be named from the start.
#[derive(Debug)]
pub(super) struct AnchorDirectory {
    pub directory: OwnedFd,
    /// The length of its path, with a trailing slash.
    pub length: usize,
}

/// Opens the directory of a listing, to start further paths from; it need not be readable.
pub(super) fn reopen(
    listing: &DirectoryListing,
    scratch: &mut Vec<u8>,
) -> rustix::io::Result<OwnedFd> {
    let (from, start) = starting_point(listing.anchor.as_deref());
    let name = match &listing.base[start.min(listing.base.len())..] {
        [] => c".",
        name => terminated(scratch, name),
    };
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat(from, name, flags, Mode::empty())
}

/// Returns the directory to start from, and the offset in `here` at which the path from there
/// begins.
pub(super) fn starting_point(anchor: Option<&AnchorDirectory>) -> (BorrowedFd<'_>, usize) {
    anchor.map_or((CWD, 0), |anchor| (anchor.directory.as_fd(), anchor.length))
}

/// Copies `path` with a trailing NUL. It holds none, because neither patterns nor names do.
pub(super) fn terminated<'a>(scratch: &'a mut Vec<u8>, path: &[u8]) -> &'a CStr {
    scratch.clear();
    scratch.extend_from_slice(path);
    scratch.push(0);
    CStr::from_bytes_with_nul(scratch).unwrap_or_default()
}

/// Returns the kind of the entry itself; `None` if it does not exist.
pub(super) fn entry_kind(directory: BorrowedFd<'_>, path: &CStr) -> Option<EntryKind> {
    let status = statat(directory, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    if confinement::masks_entry(directory, path) {
        return None;
    }
    Some(FileType::from_raw_mode(status.st_mode).into())
}

/// True if `path` leads to a directory.
pub(super) fn is_directory(directory: BorrowedFd<'_>, path: &CStr) -> bool {
    statat(directory, path, AtFlags::empty())
        .is_ok_and(|status| FileType::from_raw_mode(status.st_mode) == FileType::Directory)
}
