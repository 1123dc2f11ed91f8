//! Files that can be read or written as a whole, which `fstat(2)` alone decides.
//!
//! A FIFO, a terminal or an endless device would block until the host's timeout, so they are
//! refused before they are opened. Files are opened without blocking, in case one of those was put
//! there in between.

use std::fmt;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use rustix::fs::{FileType, Mode, OFlags, Stat, fstat, open, stat};
use rustix::io::{Errno, pread, retry_on_intr};

use iki_base::sparse_file::hole_end;
use iki_base::wording::system_words;
use iki_process::sandbox::confinement::{self, AccessRight};

/// Bytes that are read at a time, and the smallest hole that is passed over.
const WINDOW: usize = 1024 * 1024;

/// Bytes that are read first, since mostly the beginning tells.
const FIRST_WINDOW: usize = 4096;

/// The reason why a file could not be read or written. Each variant corresponds to one of the
/// specification's codes.
#[derive(Debug, thiserror::Error)]
pub enum FileAccessError {
    /// `ENOENT`.
    #[error("file not found")]
    NotFound,
    /// `EACCES` and `EPERM`.
    #[error("permission denied")]
    PermissionDenied,
    /// A file that is never shown, for this reason.
    #[error("permission denied{0}")]
    Refused(ErrorReason),
    /// Any other failure to open, or a directory or socket.
    #[error("cannot open file{0}")]
    Open(ErrorReason),
    /// A FIFO or a terminal, which cannot be seeked in.
    #[error("cannot seek file")]
    Seek,
    /// A device, which has no size.
    #[error("cannot get file size")]
    Size,
    /// Reading failed midway.
    #[error("failed to read file{0}")]
    Read(ErrorReason),
    /// Writing failed midway.
    #[error("failed to write file{0}")]
    Write(ErrorReason),
    /// `ENOSPC` and `EDQUOT`.
    #[error("no space left on device")]
    NoSpace,
    /// Another writer held the file until the time was over; it is as it was.
    #[error("another writer held the file for too long")]
    Locked,
    /// The time was over when so many bytes of the file had been looked at.
    #[error("reading took too long")]
    TooSlow(u64),
}

/// The words of the system or of this module beyond the variant; may be empty.
#[derive(Debug, Default)]
pub struct ErrorReason(String);

impl ErrorReason {
    /// A reason in words of our own.
    #[must_use]
    pub fn new(words: &str) -> Self {
        Self(words.to_owned())
    }
}

impl From<Errno> for ErrorReason {
    fn from(errno: Errno) -> Self {
        Self(system_words(&errno.into()))
    }
}

impl fmt::Display for ErrorReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            Ok(())
        } else {
            write!(formatter, " ({})", self.0)
        }
    }
}

impl FileAccessError {
    /// The error for a failed `open(2)` or `stat(2)`.
    #[must_use]
    pub fn opening(errno: Errno) -> Self {
        match errno {
            Errno::NOENT => Self::NotFound,
            Errno::ACCESS | Errno::PERM => Self::PermissionDenied,
            Errno::NOSPC | Errno::DQUOT => Self::NoSpace,
            other => Self::Open(other.into()),
        }
    }

    /// The error for a failed `read(2)`.
    #[must_use]
    pub fn reading(errno: Errno) -> Self {
        Self::Read(errno.into())
    }

    /// The error for a failed write through the standard library.
    pub(crate) fn failed_write(error: &io::Error) -> Self {
        match Errno::from_io_error(error) {
            Some(errno) => Self::writing(errno),
            None => Self::Write(ErrorReason::new(&error.to_string())),
        }
    }

    /// [`FileAccessError::TooSlow`] if `deadline` has passed, after so many bytes.
    pub(crate) fn if_late(deadline: Option<Instant>, bytes: u64) -> Result<(), Self> {
        match deadline {
            Some(end) if Instant::now() >= end => Err(Self::TooSlow(bytes)),
            _ => Ok(()),
        }
    }

    /// The error for a file that has changed since it was read.
    #[must_use]
    pub fn changed() -> Self {
        Self::Write(ErrorReason::new(
            "somebody else changed it meanwhile; read it again",
        ))
    }

    /// The error for a failed `write(2)`, `fallocate(2)` or `rename(2)`.
    #[must_use]
    pub fn writing(errno: Errno) -> Self {
        match errno {
            Errno::NOSPC | Errno::DQUOT => Self::NoSpace,
            other => Self::Write(other.into()),
        }
    }
}

/// An open regular file. Only [`RegularFile::open`] and [`RegularFile::check`] make one.
pub struct RegularFile {
    /// The file itself.
    pub file: File,
    /// Its status when it was opened.
    pub stat: Stat,
}

impl RegularFile {
    /// Opens `path` with `access`, following symbolic links.
    pub fn open(path: &Path, access: OFlags) -> Result<Self, FileAccessError> {
        Self::permit(&stat(path).map_err(FileAccessError::opening)?)?;
        let flags = access | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = open(path, flags, Mode::empty()).map_err(FileAccessError::opening)?;
        Self::check(file.into())
    }

    /// Accepts a file that is already open, if it is a regular one.
    pub fn check(file: File) -> Result<Self, FileAccessError> {
        let stat = fstat(&file).map_err(FileAccessError::opening)?;
        Self::permit(&stat)?;
        if confinement::masks_open(&file, AccessRight::Read) {
            return Err(FileAccessError::PermissionDenied);
        }
        Ok(Self { file, stat })
    }

    /// Reads at `offset` as much as comes at once; 0 bytes at the end.
    pub fn read_at(&self, window: &mut [u8], offset: u64) -> Result<usize, FileAccessError> {
        let read = retry_on_intr(|| pread(&self.file, &mut *window, offset));
        read.map_err(FileAccessError::reading)
    }

    /// The offset at which reading goes on after `read`, the bytes before `offset`: behind the
    /// hole that begins there, if it is a long one.
    pub fn after_hole(&self, read: &[u8], offset: u64) -> u64 {
        if read.last() != Some(&0) {
            return offset;
        }
        let end = hole_end(&self.file, offset, self.size());
        if end - offset < WINDOW as u64 {
            offset
        } else {
            end
        }
    }

    /// Its size in bytes when it was opened.
    pub fn size(&self) -> u64 {
        u64::try_from(self.stat.st_size).unwrap_or(0)
    }

    /// Shows `visit` the bytes in `range`, window after window without long holes, until that one
    /// has seen enough. Returns the offset behind what was looked at; the file may end before the
    /// range does.
    pub fn look_through(
        &self,
        range: Range<u64>,
        deadline: Option<Instant>,
        mut visit: impl FnMut(&[u8]) -> bool,
    ) -> Result<u64, FileAccessError> {
        let mut window = vec![0; FIRST_WINDOW];
        let mut offset = range.start;
        while offset < range.end {
            FileAccessError::if_late(deadline, offset)?;
            let left = usize::try_from(range.end - offset).unwrap_or(usize::MAX);
            let limit = window.len().min(left);
            let read = self.read_at(&mut window[..limit], offset)?;
            offset += read as u64;
            if read == 0 || !visit(&window[..read]) {
                break;
            }
            offset = self.after_hole(&window[..read], offset).min(range.end);
            window.resize(WINDOW, 0);
        }
        Ok(offset)
    }

    /// At most `limit` bytes from offset `from` on; fewer only at the end of the file.
    pub fn bytes_at(
        &self,
        from: u64,
        limit: usize,
        deadline: Option<Instant>,
    ) -> Result<Vec<u8>, FileAccessError> {
        let left = usize::try_from(self.size().saturating_sub(from)).unwrap_or(limit);
        let mut content = Vec::with_capacity(left.saturating_add(1).min(limit));
        let window = left.clamp(FIRST_WINDOW, WINDOW);
        while content.len() < limit {
            let filled = content.len();
            FileAccessError::if_late(deadline, filled as u64)?;
            content.resize(limit.min(filled + window), 0);
            let read = self.read_at(&mut content[filled..], from + filled as u64)?;
            content.truncate(filled + read);
            if read == 0 {
                break;
            }
        }
        Ok(content)
    }

    /// Counts the line ends in `range`; `None` if the file is shorter.
    pub fn count_line_ends(
        &self,
        range: Range<u64>,
        deadline: Option<Instant>,
    ) -> Result<Option<u64>, FileAccessError> {
        let mut count = 0;
        let reached = self.look_through(range.clone(), deadline, |seen| {
            count += bytecount::count(seen, b'\n') as u64;
            true
        })?;
        Ok((reached >= range.end).then_some(count))
    }

    /// Refuses what is not a regular file.
    pub fn permit(stat: &Stat) -> Result<(), FileAccessError> {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Ok(()),
            FileType::Directory => {
                Err(FileAccessError::Open(ErrorReason::new("it is a directory")))
            }
            FileType::Fifo => Err(FileAccessError::Seek),
            FileType::CharacterDevice | FileType::BlockDevice => Err(FileAccessError::Size),
            _ => Err(FileAccessError::Open(ErrorReason::new(
                "it is not a regular file",
            ))),
        }
    }
}

/// The first `limit` bytes of the file at `path`, and whether that is all of it; `None` if it
/// cannot be read, not until `end`, or the system generates it.
#[must_use]
pub fn read_beginning(path: &Path, limit: usize, end: Option<Instant>) -> Option<(Vec<u8>, bool)> {
    let file = RegularFile::open(path, OFlags::RDONLY).ok()?;
    let content = file.bytes_at(0, limit, end).ok()?;
    let is_whole = content.len() < limit;
    (file.stat.st_size > 0).then_some((content, is_whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_tells_what_the_system_said() {
        let error = FileAccessError::writing(Errno::IO);
        assert_eq!(
            error.to_string(),
            "failed to write file (Input/output error)"
        );
    }
}
