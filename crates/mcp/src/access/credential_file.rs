//! Reading the files that a server is given at its start: tokens, certificates, keys.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use iki_base::small_file::{LastLink, SmallFile};

/// Maximum size of such a file, in bytes.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// A file's content and status when it was read.
#[derive(Debug)]
pub struct CredentialFile {
    /// Its content.
    pub bytes: Vec<u8>,
    /// Its permission bits.
    pub mode: u32,
    /// Its owner's user id.
    pub owner: u32,
}

impl CredentialFile {
    /// Reads the file at `path`; links are followed.
    ///
    /// # Errors
    /// The reason why it cannot be read, as the rest of a sentence that begins with the path.
    pub fn read(path: &Path) -> Result<Self, String> {
        Self::from_read_result(SmallFile::read(path, LastLink::Follow, MAX_FILE_BYTES))
    }

    /// Reads `file` from its current position.
    ///
    /// # Errors
    /// As [`CredentialFile::read`].
    pub fn read_from(file: &File) -> Result<Self, String> {
        Self::from_read_result(SmallFile::read_from(file, MAX_FILE_BYTES))
    }

    fn from_read_result(file: io::Result<SmallFile>) -> Result<Self, String> {
        let SmallFile { bytes, status } = file.map_err(|error| match error.kind() {
            ErrorKind::NotFound => "does not exist".to_owned(),
            ErrorKind::InvalidData => "is not a regular file".to_owned(),
            ErrorKind::FileTooLarge => {
                "is larger than 1 MiB, and so not what it should be".to_owned()
            }
            _ => format!("cannot be read: {error}"),
        })?;
        Ok(Self {
            bytes,
            mode: status.mode() & 0o7777,
            owner: status.uid(),
        })
    }

    /// True if users other than its owner may read or change it.
    #[must_use]
    pub fn is_open_to_others(&self) -> bool {
        self.mode & 0o077 != 0
    }
}
