//! Reading the files that a server is given at its start: tokens, certificates, keys.
//!
//! Whoever names such a file trusts it, but may have named another one by mistake: a pipe that
//! nobody writes to, a device, something huge.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

/// The most that such a file may have, in bytes.
pub const LONGEST: u64 = 1024 * 1024;

/// A file, as it was when it was read.
#[derive(Debug)]
pub struct CredentialFile {
    /// What is in it.
    pub bytes: Vec<u8>,
    /// Its permission bits.
    pub mode: u32,
    /// Its owner.
    pub owner: u32,
}

impl CredentialFile {
    /// Reads the file at `path`; links are followed.
    ///
    /// # Errors
    /// The rest of a sentence that begins with the path: why it cannot be read.
    pub fn read(path: &Path) -> Result<Self, String> {
        let mut options = OpenOptions::new();
        // Without this, a pipe that nobody writes to is waited for.
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        options
            .read(true)
            .custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
        let file = options.open(path).map_err(|error| unreadable(&error))?;
        Self::of(&file)
    }

    /// Reads `file`, from where it stands.
    ///
    /// # Errors
    /// As [`CredentialFile::read`].
    pub fn of(mut file: &File) -> Result<Self, String> {
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

    /// Whether others than its owner may read or change it.
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
