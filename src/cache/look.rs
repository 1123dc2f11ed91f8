//! What can be seen of the user's cache without making anything: where it is, whether it can be
//! used, where its key is.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use rustix::process::geteuid;

use super::files::of_a_home_that_is_there;
use super::keys::{FILE, Keys};

/// The cache as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// Its directory; `None` where this user has no place for one.
    pub directory: Option<PathBuf>,
    /// Whether entries can be kept there.
    pub state: State,
    /// Where its key is.
    pub key: Key,
}

/// How the directory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is there, and this user's own.
    Sound,
    /// The first entry makes it.
    NotYet,
    /// It is there, and cannot be written to.
    ReadOnly,
    /// Others may write to it, so that it is not used.
    Open,
    /// There is something else in its place, or somebody else's, or there is no place.
    Unusable,
}

/// Where the key is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// In the variable.
    Set,
    /// What the variable has is no key, so that nothing is kept.
    Wrong,
    /// In this file.
    File(PathBuf),
    /// In this file, which the first entry makes.
    NotYet(PathBuf),
    /// There is no place for one.
    Nowhere,
}

/// Looks at the user's own cache; `secret` is the value of the key's variable.
#[must_use]
pub fn look(secret: Option<&str>) -> Look {
    let place = |place: Option<PathBuf>| {
        let place = place.and_then(of_a_home_that_is_there)?;
        Some(place.join("ikigai-tools"))
    };
    let directory = place(dirs::cache_dir());
    let key = match secret.filter(|secret| !secret.is_empty()) {
        Some(digits) if Keys::from_digits(digits).is_some() => Key::Set,
        Some(_) => Key::Wrong,
        None => match place(dirs::state_dir()).map(|place| place.join(FILE)) {
            Some(file) if file.exists() => Key::File(file),
            Some(file) => Key::NotYet(file),
            None => Key::Nowhere,
        },
    };
    Look {
        state: directory.as_deref().map_or(State::Unusable, state),
        directory,
        key,
    }
}

fn state(directory: &Path) -> State {
    let Ok(about) = fs::symlink_metadata(directory) else {
        let mut above = directory.ancestors().skip(1);
        let there = above.find(|place| place.exists());
        let may = there.is_some_and(|place| access(place, Access::WRITE_OK).is_ok());
        return if may { State::NotYet } else { State::Unusable };
    };
    if !about.is_dir() || about.uid() != geteuid().as_raw() {
        State::Unusable
    } else if about.mode() & 0o022 != 0 {
        State::Open
    } else if access(directory, Access::WRITE_OK).is_err() {
        State::ReadOnly
    } else {
        State::Sound
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
        assert_eq!(state(&directory), State::NotYet);
        assert!(!place.path().join("a").exists());
        fs::create_dir_all(&directory).unwrap();
        assert_eq!(state(&directory), State::Sound);
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(state(&directory), State::Open);
        fs::remove_dir(&directory).unwrap();
        fs::write(&directory, "").unwrap();
        assert_eq!(state(&directory), State::Unusable);
    }

    #[test]
    fn a_key_that_is_none_is_told_from_one() {
        assert_eq!(look(Some(&"07".repeat(32))).key, Key::Set);
        assert_eq!(look(Some("nonsense")).key, Key::Wrong);
        assert_ne!(look(Some("")).key, Key::Wrong);
    }
}
