//! Reading small files that may turn out to be something else: a pipe without a writer, a device,
//! something huge.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// A regular file that was read whole.
#[derive(Debug)]
pub struct SmallFile {
    /// The content.
    pub bytes: Vec<u8>,
    /// Its status when it was read.
    pub status: Metadata,
}

/// The treatment of a path whose last part is a symbolic link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastLink {
    /// Follow it: the user has named the path.
    Follow,
    /// Refuse it: somebody else may have put it there.
    Refuse,
}

impl SmallFile {
    /// Reads the file at `path`, without waiting for anything.
    ///
    /// # Errors
    /// It cannot be read, is not a regular file ([`ErrorKind::InvalidData`]), or is longer than
    /// `max_bytes` ([`ErrorKind::FileTooLarge`]).
    pub fn read(path: &Path, link: LastLink, max_bytes: u64) -> io::Result<Self> {
        let no_link = match link {
            LastLink::Follow => 0,
            LastLink::Refuse => libc::O_NOFOLLOW,
        };
        let mut options = OpenOptions::new();
        options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | no_link);
        Self::read_from(&options.read(true).open(path)?, max_bytes)
    }

    /// Reads `file` from its current position.
    ///
    /// # Errors
    /// As [`SmallFile::read`].
    pub fn read_from(mut file: &File, max_bytes: u64) -> io::Result<Self> {
        let status = file.metadata()?;
        if !status.is_file() {
            return Err(ErrorKind::InvalidData.into());
        }
        let mut bytes = Vec::new();
        let limit = max_bytes.saturating_add(1);
        let read = file.by_ref().take(limit).read_to_end(&mut bytes)?;
        if u64::try_from(read).is_ok_and(|length| length > max_bytes) {
            return Err(ErrorKind::FileTooLarge.into());
        }
        Ok(Self { bytes, status })
    }
}
