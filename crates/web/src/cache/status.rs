//! Inspection of the user's cache that creates nothing: its place, its state, and the place of its
//! key.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use rustix::process::geteuid;

use super::files::is_of_a_home_that_is_there;
use super::keys::FILE;
use iki_base::own_directories;

/// State of the user's cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheStatus {
    /// Its directory; `None` if this user has no place for one.
    pub directory: Option<PathBuf>,
    /// The state of that directory.
    pub state: CacheState,
    /// The file of its key, there or not, where the environment has none.
    pub key_file: Option<PathBuf>,
}

/// The state of the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheState {
    /// It is there, and this user's own.
    Sound,
    /// The first entry makes it.
    NotYet,
    /// It is there, and cannot be written to.
    ReadOnly,
    /// Others may write to it, so that it is not used.
    Open,
    /// Something else or another user's directory is in its place, or it has no place.
    Unusable,
}

/// Looks at the user's own cache.
#[must_use]
pub fn look_at_cache() -> CacheStatus {
    let place = |place: Option<PathBuf>| {
        let place = place.filter(|place| is_of_a_home_that_is_there(place));
        Some(place?.join(own_directories::NAME))
    };
    let directory = place(dirs::cache_dir());
    CacheStatus {
        state: directory.as_deref().map_or(CacheState::Unusable, state),
        directory,
        key_file: place(dirs::state_dir()).map(|place| place.join(FILE)),
    }
}

fn state(directory: &Path) -> CacheState {
    let Ok(about) = fs::symlink_metadata(directory) else {
        let mut above = directory.ancestors().skip(1);
        let there = above.find(|place| place.exists());
        let may = there.is_some_and(|place| access(place, Access::WRITE_OK).is_ok());
        return if may {
            CacheState::NotYet
        } else {
            CacheState::Unusable
        };
    };
    if !about.is_dir() || about.uid() != geteuid().as_raw() {
        CacheState::Unusable
    } else if about.mode() & 0o022 != 0 {
        CacheState::Open
    } else if access(directory, Access::WRITE_OK).is_err() {
        CacheState::ReadOnly
    } else {
        CacheState::Sound
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_directory_is_seen_as_it_is_and_nothing_is_made() {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path().join("a/b");
        assert_eq!(state(&directory), CacheState::NotYet);
        assert!(!place.path().join("a").exists());
        fs::create_dir_all(&directory).unwrap();
        assert_eq!(state(&directory), CacheState::Sound);
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(state(&directory), CacheState::Open);
        fs::remove_dir(&directory).unwrap();
        fs::write(&directory, "").unwrap();
        assert_eq!(state(&directory), CacheState::Unusable);
    }
}
