//! Opening the files of a search: regular ones only, and without waiting for any other.

use std::os::fd::OwnedFd;

use rustix::fs::{FileType, OFlags, fstat};
use rustix::io::Errno;

use super::ScanError;
use iki_process::sandbox::confinement::{self, AccessRight};

/// The treatment of a path whose last component is a symbolic link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkPolicy {
    /// Search the file that it leads to.
    Follow,
    /// Refuse it, as anything that is not a regular file.
    Refuse,
}

/// Returns the flags for opening a file to be searched.
#[must_use]
pub fn open_flags(links: LinkPolicy) -> OFlags {
    // A FIFO without a writer and a terminal must neither hold us up nor become ours.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    match links {
        LinkPolicy::Follow => flags,
        LinkPolicy::Refuse => flags | OFlags::NOFOLLOW,
    }
}

/// Returns a file that was opened with [`open_flags`], and its size in bytes, if it is a regular
/// one.
///
/// # Errors
/// It could not be opened, or is anything else.
pub fn check_regular(
    file: Result<OwnedFd, Errno>,
    links: LinkPolicy,
) -> Result<(OwnedFd, usize), ScanError> {
    let file = match file {
        Err(Errno::LOOP) if links == LinkPolicy::Refuse => return Err(ScanError::NotRegular),
        file => file.map_err(ScanError::Unreadable)?,
    };
    let status = fstat(&file).map_err(ScanError::Unreadable)?;
    if FileType::from_raw_mode(status.st_mode) != FileType::RegularFile {
        return Err(ScanError::NotRegular);
    }
    if confinement::masks_open(&file, AccessRight::Read) {
        return Err(ScanError::Unreadable(Errno::ACCESS));
    }
    Ok((file, usize::try_from(status.st_size).unwrap_or(0)))
}
