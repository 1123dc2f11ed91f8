//! The reasons why a file is not searched to its end.

use std::fmt;

use rustix::io::Errno;

/// The reason why a file was not searched to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanError {
    /// It cannot be opened or read.
    Unreadable(Errno),
    /// It is not a regular file.
    NotRegular,
    /// A line is longer than the scanner allows, or memory ran out for it.
    LineTooLong,
    /// The matcher ended the search before the line of this number.
    OutOfTime(u64),
}

impl ScanError {
    /// The same error in a file in which so many lines come before.
    #[must_use]
    pub fn shifted(self, lines: u64) -> Self {
        match self {
            Self::OutOfTime(line) => Self::OutOfTime(lines + line),
            other => other,
        }
    }
}

impl fmt::Display for ScanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => error.fmt(f),
            Self::NotRegular => f.write_str("not a regular file"),
            Self::OutOfTime(line) => write!(f, "out of time at line {line}"),
            Self::LineTooLong => f.write_str("a line is too long"),
        }
    }
}

impl std::error::Error for ScanError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable(error) => Some(error),
            Self::NotRegular | Self::LineTooLong | Self::OutOfTime(_) => None,
        }
    }
}
