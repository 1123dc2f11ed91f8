//! The directories that a new file needs.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::regular::FileAccessError;

/// Directories that were made for a file. Dropping it removes those that are empty, unless they
/// are kept.
#[derive(Debug, Default)]
pub struct CreatedDirectories {
    /// From the innermost one outwards.
    made: Vec<PathBuf>,
}

impl CreatedDirectories {
    /// Makes the directory of `path`, and those above it that are missing. Another call may take
    /// them away again: that is [`FileAccessError::NotFound`], here or as the file is written, and
    /// they can be made once more.
    pub fn make_above(&mut self, path: &Path) -> Result<(), FileAccessError> {
        let above = path.ancestors().skip(1);
        let missing = above.take_while(|one| !one.as_os_str().is_empty() && !one.exists());
        let missing: Vec<_> = missing.map(Path::to_owned).collect();
        // Nobody knows where `..` leads from a directory that is not there.
        if missing.iter().any(|one| one.ends_with("..")) {
            return Ok(());
        }
        if missing.len() > self.made.len() {
            self.made.clone_from(&missing);
        }
        for one in missing.iter().rev() {
            let Err(error) = fs::create_dir(one) else {
                continue;
            };
            if one.is_dir() {
                continue;
            }
            if error.kind() == ErrorKind::AlreadyExists && one.symlink_metadata().is_err() {
                return Err(FileAccessError::NotFound);
            }
            let errno = Errno::from_io_error(&error).unwrap_or(Errno::IO);
            return Err(FileAccessError::opening(errno));
        }
        Ok(())
    }

    /// Keeps them; the innermost one.
    #[must_use]
    pub fn keep(mut self) -> Option<PathBuf> {
        std::mem::take(&mut self.made).into_iter().next()
    }
}

impl Drop for CreatedDirectories {
    fn drop(&mut self) {
        for one in &self.made {
            let _ = fs::remove_dir(one);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn directories_that_another_call_takes_away_are_made_once_more() {
        let here = tempfile::tempdir().unwrap();
        let file = here.path().join("a/b/c/file");
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        let _ = CreatedDirectories::default().make_above(&file);
                    }
                });
            }
            for _ in 0..2_000 {
                let made = CreatedDirectories::default().make_above(&file);
                assert!(
                    matches!(made, Ok(()) | Err(FileAccessError::NotFound)),
                    "{made:?}"
                );
            }
            is_over.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    fn a_link_that_leads_nowhere_is_no_directory() {
        let here = tempfile::tempdir().unwrap();
        symlink("nowhere", here.path().join("link")).unwrap();
        let made = CreatedDirectories::default().make_above(&here.path().join("link/new/file"));
        assert!(matches!(made, Err(FileAccessError::Open(_))), "{made:?}");
    }
}
