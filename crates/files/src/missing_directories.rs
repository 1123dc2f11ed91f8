//! The directories that a new file needs.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::regular::FileAccessError;

/// Directories that were made for a file. Dropping it removes those that are empty, unless they
/// are kept.
#[derive(Debug)]
pub struct MadeDirectories {
    /// From the innermost one outwards.
    made: Vec<PathBuf>,
}

impl MadeDirectories {
    /// Makes the directory of `path`, and those above it that are missing.
    pub fn above(path: &Path) -> Result<Self, FileAccessError> {
        let above = path.ancestors().skip(1);
        let missing = above.take_while(|one| !one.as_os_str().is_empty() && !one.exists());
        let made = Self {
            made: missing.map(Path::to_owned).collect(),
        };
        // Nobody knows where `..` leads from a directory that is not there.
        if made.made.iter().any(|one| one.ends_with("..")) {
            return Ok(Self { made: Vec::new() });
        }
        for one in made.made.iter().rev() {
            match fs::create_dir(one) {
                // Another call makes them as well.
                Err(error) if !one.is_dir() => {
                    let errno = Errno::from_io_error(&error).unwrap_or(Errno::IO);
                    return Err(FileAccessError::opening(errno));
                }
                _ => {}
            }
        }
        Ok(made)
    }

    /// Keeps them; the innermost one.
    #[must_use]
    pub fn keep(mut self) -> Option<PathBuf> {
        std::mem::take(&mut self.made).into_iter().next()
    }
}

impl Drop for MadeDirectories {
    fn drop(&mut self) {
        for one in &self.made {
            let _ = fs::remove_dir(one);
        }
    }
}
