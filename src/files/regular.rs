//! What is a file that can be read or written as a whole, and what is not: decided by `fstat(2)` alone.
//!
//! A FIFO, a terminal or an endless device would be waited for until the host loses patience, so they are refused
//! before they are opened; and opened without blocking, lest one be put in place in between.

use std::fmt;
use std::fs::File;
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, Stat, fstat, open, stat};
use rustix::io::Errno;

/// Why a file could not be worked with. Every kind is one of the specification's codes.
#[derive(Debug)]
pub enum FileError {
    /// `ENOENT`.
    NotFound,
    /// `EACCES` and `EPERM`.
    PermissionDenied,
    /// What is never shown, for this reason.
    Refused(Reason),
    /// Any other failure to open, or a directory or socket.
    Open(Reason),
    /// A FIFO or a terminal, in which one cannot seek.
    Seek,
    /// A device, which has no size.
    Size,
    /// Reading failed midway.
    Read(Reason),
    /// Writing failed midway.
    Write(Reason),
    /// `ENOSPC` and `EDQUOT`.
    NoSpace,
}

impl fmt::Display for FileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, reason) = match self {
            Self::NotFound => ("there is no such file", None),
            Self::PermissionDenied => ("access is denied", None),
            Self::Refused(reason) => ("access is denied", Some(reason)),
            Self::Open(reason) => ("it cannot be opened", Some(reason)),
            Self::Seek => ("it has no positions", None),
            Self::Size => ("it has no size", None),
            Self::Read(reason) => ("it cannot be read", Some(reason)),
            Self::Write(reason) => ("it cannot be written", Some(reason)),
            Self::NoSpace => ("the file system is full", None),
        };
        formatter.write_str(what)?;
        reason.map_or(Ok(()), |reason| reason.fmt(formatter))
    }
}

/// The system's own error is in the reason, as words.
impl std::error::Error for FileError {}

/// What the system or the workshop has to say beyond the kind; may be nothing.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Reason(String);

impl Reason {
    /// A reason in words of our own.
    #[must_use]
    pub fn new(words: &str) -> Self {
        Self(words.to_owned())
    }
}

impl From<Errno> for Reason {
    fn from(errno: Errno) -> Self {
        let mut text = std::io::Error::from(errno).to_string();
        // The number behind the words helps nobody who reads the words.
        if let Some(at) = text.find(" (os error") {
            text.truncate(at);
        }
        Self(text)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            Ok(())
        } else {
            write!(formatter, " ({})", self.0)
        }
    }
}

impl FileError {
    /// The kind that a failed `open(2)` or `stat(2)` is.
    #[must_use]
    pub fn opening(errno: Errno) -> Self {
        match errno {
            Errno::NOENT => Self::NotFound,
            Errno::ACCESS | Errno::PERM => Self::PermissionDenied,
            Errno::NOSPC | Errno::DQUOT => Self::NoSpace,
            other => Self::Open(other.into()),
        }
    }

    /// The kind that a failed `read(2)` is.
    #[must_use]
    pub fn reading(errno: Errno) -> Self {
        Self::Read(errno.into())
    }

    /// The kind that a failed `write(2)`, `fallocate(2)` or `rename(2)` is.
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
    pub fn open(path: &Path, access: OFlags) -> Result<Self, FileError> {
        Self::permit(&stat(path).map_err(FileError::opening)?)?;
        let flags = access | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = open(path, flags, Mode::empty()).map_err(FileError::opening)?;
        Self::check(file.into())
    }

    /// Takes a file that is open already, if it is a regular one.
    pub fn check(file: File) -> Result<Self, FileError> {
        let stat = fstat(&file).map_err(FileError::opening)?;
        Self::permit(&stat)?;
        Ok(Self { file, stat })
    }

    /// Refuses what is not a regular file.
    pub fn permit(stat: &Stat) -> Result<(), FileError> {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Ok(()),
            FileType::Directory => Err(FileError::Open(Reason::new("it is a directory"))),
            FileType::Fifo => Err(FileError::Seek),
            FileType::CharacterDevice | FileType::BlockDevice => Err(FileError::Size),
            _ => Err(FileError::Open(Reason::new("it is not a regular file"))),
        }
    }
}
