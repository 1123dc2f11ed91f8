//! The reasons why a file is not searched to its end.

use rustix::io::Errno;

/// The reason why a file was not searched to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScanError {
    /// It cannot be opened or read.
    #[error(transparent)]
    Unreadable(Errno),
    /// It is not a regular file.
    #[error("not a regular file")]
    NotRegular,
    /// A line is longer than the scanner allows, or memory ran out for it.
    #[error("a line is too long")]
    LineTooLong,
    /// The matcher ended the search before the line of this number.
    #[error("out of time at line {0}")]
    OutOfTime(u64),
}

impl ScanError {
    /// The error, with line numbers of a file in which `lines` lines come before.
    #[must_use]
    pub fn shifted(self, lines: u64) -> Self {
        match self {
            Self::OutOfTime(line) => Self::OutOfTime(lines + line),
            other => other,
        }
    }
}
