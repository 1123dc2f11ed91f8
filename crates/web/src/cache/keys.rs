//! The secret that names and seals entries: 32 random bytes in a file that only its user may read,
//! or the value of a variable.
//!
//! The file is `cache.key` in the state directory. Of two processes that make it at once one wins,
//! and both use that one's.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use ring::rand::{SecureRandom, SystemRandom};
use ring::{hmac, rand};
use rustix::process::geteuid;

use super::seal::EntryCipher;
use iki_base::small_file::{LastLink, SmallFile};

/// The variable that takes the file's place: 64 hexadecimal digits.
pub const KEY_VARIABLE: &str = "CACHE_ENCRYPTION_KEY";

/// The length of the secret, in bytes.
const LENGTH: usize = 32;

/// The file's name.
pub(super) const FILE: &str = "cache.key";

/// True if `digits` are a secret: 64 hexadecimal digits.
#[must_use]
pub fn is_key(digits: &str) -> bool {
    EntryKeys::from_digits(digits).is_some()
}

/// The two keys that are made of the secret.
pub(super) struct EntryKeys {
    pub(super) naming: hmac::Key,
    pub(super) sealing: EntryCipher,
}

impl EntryKeys {
    fn from_secret(secret: &[u8; LENGTH]) -> Option<Self> {
        let secret = hmac::Key::new(hmac::HMAC_SHA256, secret);
        let naming = hmac::sign(&secret, b"names of entries");
        let sealing = hmac::sign(&secret, b"seals of entries");
        Some(Self {
            naming: hmac::Key::new(hmac::HMAC_SHA256, naming.as_ref()),
            sealing: EntryCipher::new(sealing.as_ref())?,
        })
    }

    /// The keys of the value of [`KEY_VARIABLE`]; `None` if that is not 64 hexadecimal digits.
    pub(super) fn from_digits(digits: &str) -> Option<Self> {
        let digits = digits.trim().as_bytes();
        if digits.len() != 2 * LENGTH {
            return None;
        }
        let mut secret = [0; LENGTH];
        for (byte, pair) in secret.iter_mut().zip(digits.chunks_exact(2)) {
            let digit = |index: usize| char::from(pair[index]).to_digit(16);
            *byte = u8::try_from(digit(0)? * 16 + digit(1)?).ok()?;
        }
        Self::from_secret(&secret)
    }

    /// The keys of the file in `directory`, which is made if it does not exist.
    pub(super) fn from_file(directory: &Path) -> Option<Self> {
        let path = directory.join(FILE);
        let secret = match read(&path) {
            Some(secret) => secret,
            None => make(directory, &path)?,
        };
        Self::from_secret(&secret)
    }
}

/// The secret in the file; `None` unless it is this user's own and no other user may read it.
fn read(path: &Path) -> Option<[u8; LENGTH]> {
    let file = SmallFile::read(path, LastLink::Refuse, LENGTH as u64).ok()?;
    let is_open = file.status.mode() & 0o077 != 0;
    let is_own = file.status.uid() == geteuid().as_raw() && !is_open;
    file.bytes.try_into().ok().filter(|_| is_own)
}

/// Makes the file, in place of an invalid one, and returns the secret that is then in it.
fn make(directory: &Path, path: &Path) -> Option<[u8; LENGTH]> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(directory).ok()?;
    let secret: [u8; LENGTH] = rand::generate(&SystemRandom::new()).ok()?.expose();
    let mut number = [0; 8];
    SystemRandom::new().fill(&mut number).ok()?;
    let draft = directory.join(format!(".{FILE}.{:016x}", u64::from_le_bytes(number)));
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&draft)
        .and_then(|mut file: File| file.write_all(&secret).and_then(|()| file.sync_all()));
    let placed = written.and_then(|()| std::fs::hard_link(&draft, path));
    // An existing file is that of another process that was faster, or is invalid and is replaced; a
    // file system without links has none.
    if placed.is_err() && read(path).is_none() {
        let _ = std::fs::rename(&draft, path);
    }
    let _ = std::fs::remove_file(&draft);
    read(path)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::cache::CacheQuestion;

    fn name(keys: &EntryKeys) -> String {
        CacheQuestion::new("x", 1).name(&keys.naming)
    }

    #[test]
    fn the_secret_is_made_once_for_its_user_alone() {
        let place = tempfile::tempdir().unwrap();
        let state = place.path().join("a/b");
        let first = EntryKeys::from_file(&state).unwrap();
        let second = EntryKeys::from_file(&state).unwrap();
        assert_eq!(name(&first), name(&second));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&state.join(FILE)), 0o600);
        assert_eq!(mode(&state), 0o700);
        assert_eq!(fs::read_dir(&state).unwrap().count(), 1);
    }

    #[test]
    fn many_that_make_it_at_once_have_the_same() {
        let place = tempfile::tempdir().unwrap();
        let names: Vec<String> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..32)
                .map(|_| scope.spawn(|| name(&EntryKeys::from_file(place.path()).unwrap())))
                .collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert!(names.iter().all(|one| *one == names[0]));
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_is_not_sound_gives_way() {
        for (content, mode) in [(&[1; 31][..], 0o600), (&[1; 33], 0o600), (&[1; 32], 0o644)] {
            let place = tempfile::tempdir().unwrap();
            let path = place.path().join(FILE);
            fs::write(&path, content).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let first = EntryKeys::from_file(place.path()).unwrap();
            assert_eq!(
                name(&first),
                name(&EntryKeys::from_file(place.path()).unwrap())
            );
            assert_ne!(fs::read(&path).unwrap(), content);
        }
    }

    #[test]
    fn the_variable_has_sixty_four_digits() {
        let digits = "0123456789abcdefABCDEF0123456789".repeat(2);
        assert!(EntryKeys::from_digits(&digits).is_some());
        assert!(EntryKeys::from_digits(&format!(" {digits}\n")).is_some());
        for wrong in [
            "",
            "00",
            &digits[1..],
            &digits.replace('0', "g"),
            &"é".repeat(32),
        ] {
            assert!(EntryKeys::from_digits(wrong).is_none(), "{wrong}");
        }
    }
}
