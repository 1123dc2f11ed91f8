//! Whether a file is this program, found out without starting it where that is not wanted.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::commands::doctor::probe;
use crate::commands::trust;
use crate::console::exit::PROGRAM;
use crate::console::say;

/// How much of two files is compared at a time, in bytes.
const PIECE: usize = 8 * 1024;

/// What a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// This program, of this version or a later one.
    This,
    /// This program of an earlier version, which is named.
    Older(String),
    /// Another program.
    Other,
}

/// This very executable.
pub fn own() -> Option<PathBuf> {
    std::env::current_exe()
        .and_then(|path| path.canonicalize())
        .ok()
}

/// The identity of the file at `path`, which is started only where it `may_be_started` and nobody
/// else may have put it there.
pub fn of(path: &Path, may_be_started: bool) -> Identity {
    if is_own(path) {
        return Identity::This;
    }
    if !may_be_started || trust::objection(path).is_some() {
        return Identity::Other;
    }
    let said = probe::version(path).unwrap_or_default();
    let own = say::version();
    match said
        .trim_end()
        .strip_prefix(PROGRAM)
        .and_then(|rest| rest.strip_prefix(' '))
    {
        None => Identity::Other,
        Some(version) if numbers(version) < numbers(&own[PROGRAM.len() + 1..]) => {
            Identity::Older(version.to_owned())
        }
        Some(_) => Identity::This,
    }
}

/// A version's numbers.
fn numbers(version: &str) -> Vec<u64> {
    let numbers = version.trim_end().split(|c: char| !c.is_ascii_digit());
    numbers.map_while(|number| number.parse().ok()).collect()
}

/// Whether the file at `path` is this very executable, or a copy of it.
fn is_own(path: &Path) -> bool {
    let Some(own) = own() else {
        return false;
    };
    let (Ok(one), Ok(other)) = (fs::metadata(&own), fs::metadata(path)) else {
        return false;
    };
    if (one.dev(), one.ino()) == (other.dev(), other.ino()) {
        return true;
    }
    other.is_file() && one.len() == other.len() && same_content(&own, path).unwrap_or(false)
}

fn same_content(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut one, mut other) = (File::open(one)?, File::open(other)?);
    let (mut ours, mut theirs) = ([0; PIECE], [0; PIECE]);
    loop {
        let count = one.read(&mut ours)?;
        other.read_exact(&mut theirs[..count])?;
        if count == 0 || ours[..count] != theirs[..count] {
            return Ok(count == 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(numbers("0.9.0") < numbers("0.10.0\n"));
        assert!(numbers("0.1") < numbers("0.1.0"));
        assert_eq!(numbers("1.2.3-rc.1"), [1, 2, 3]);
    }

    #[test]
    fn a_copy_of_this_program_is_this_program_and_what_differs_is_not() {
        let room = tempfile::tempdir().unwrap();
        let copy = room.path().join("copy");
        let own = own().unwrap();
        fs::copy(&own, &copy).unwrap();
        assert!(is_own(&own) && is_own(&copy));
        let mut bytes = fs::read(&copy).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&copy, &bytes).unwrap();
        assert_eq!(of(&copy, false), Identity::Other);
        assert_eq!(of(Path::new("/dev/zero"), false), Identity::Other);
    }
}
