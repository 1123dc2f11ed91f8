//! Reading the files that a server is given at its start: tokens, certificates, keys.
//!
//! The user trusts such a file, but may have named another one by mistake: a pipe without a writer,
//! a device, something huge.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

/// Largest size of such a file, in bytes.
pub const LONGEST: u64 = 1024 * 1024;

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
        let mut options = OpenOptions::new();
        // Without this, opening a pipe without a writer would wait.
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        options
            .read(true)
            .custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
        let file = options.open(path).map_err(|error| unreadable(&error))?;
        Self::read_from(&file)
    }

    /// Reads `file` from its current position.
    ///
    /// # Errors
    /// As [`CredentialFile::read`].
    pub fn read_from(mut file: &File) -> Result<Self, String> {
        let status = file.metadata().map_err(|error| unreadable(&error))?;
        if !status.is_file() {
            return Err("is not a regular file".to_owned());
        }
        let mut bytes = Vec::new();
        let read = file.by_ref().take(LONGEST + 1).read_to_end(&mut bytes);
        read.map_err(|error| unreadable(&error))?;
        if u64::try_from(bytes.len()).is_ok_and(|length| length > LONGEST) {
            return Err("is larger than 1 MiB, and so not what it should be".to_owned());
        }
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

fn unreadable(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "does not exist".to_owned(),
        _ => format!("cannot be read: {error}"),
    }
}
