//! Paths that lie within some directories, decided by names before a call.
//!
//! This is the half of a confinement that sees names: links are resolved as `path_resolution(7)`
//! has it, and a path that leads outside is outside even if it does not exist. The other half is
//! `confinement`, which the kernel enforces whenever a file is touched.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

/// As many symbolic links as the kernel follows.
const MAX_LINKS: usize = 40;

/// The longest name in any file system, in bytes (`NAME_MAX`).
const MAX_NAME_BYTES: usize = 255;

/// Directories, absolute and without links.
#[derive(Debug)]
pub struct RootSet(Vec<PathBuf>);

impl RootSet {
    /// Creates roots from directories that are absolute and resolved.
    #[must_use]
    pub fn new(directories: Vec<PathBuf>) -> Self {
        Self(directories)
    }

    /// The directories.
    #[must_use]
    pub fn directories(&self) -> &[PathBuf] {
        &self.0
    }

    /// True if `path` lies within once its links are followed.
    #[must_use]
    pub fn contains_resolved(&self, path: &Path) -> bool {
        follow(path, |_| {}).is_some_and(|real| self.contains(&real))
    }

    /// True if `real`, which has no links in it, lies within.
    #[must_use]
    pub fn contains(&self, real: &Path) -> bool {
        self.0.iter().any(|root| real.starts_with(root))
    }
}

/// Follows the links in `path`, which need not exist; `None` if that fails. Anything that is not a
/// link is treated as a directory: if it is not one, the system call will fail. `through` gets the
/// place of each link that is followed.
pub fn follow(path: &Path, mut through: impl FnMut(&Path)) -> Option<PathBuf> {
    let mut real = PathBuf::new();
    let mut pending_parts: Vec<PathBuf> = parts(path);
    let mut links = 0;
    while let Some(part) = pending_parts.pop() {
        match part.components().next() {
            Some(Component::ParentDir) => {
                real.pop();
            }
            Some(Component::Normal(name)) => {
                let next = real.join(name);
                match next.read_link() {
                    Ok(to) => {
                        through(&next);
                        links += 1;
                        if links > MAX_LINKS {
                            return None;
                        }
                        pending_parts.append(&mut parts(&to));
                    }
                    Err(error) if is_no_link(&error, name) => real = next,
                    Err(_) => return None,
                }
            }
            Some(Component::RootDir) => real = PathBuf::from("/"),
            _ => {}
        }
    }
    Some(real)
}

/// The parts of `path`, the last one first.
fn parts(path: &Path) -> Vec<PathBuf> {
    let parts = path.components().rev();
    parts.map(|part| PathBuf::from(part.as_os_str())).collect()
}

/// True if `readlink(2)` has said that `name` has nothing to follow, for the kernel neither.
fn is_no_link(error: &io::Error, name: &OsStr) -> bool {
    match error.kind() {
        // Not a link, or a name with a NUL.
        ErrorKind::InvalidInput
        | ErrorKind::NotFound
        | ErrorKind::NotADirectory
        | ErrorKind::PermissionDenied => true,
        // A path that is too long here may not be if it starts elsewhere.
        ErrorKind::InvalidFilename => name.len() > MAX_NAME_BYTES,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
