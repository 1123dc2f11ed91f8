//! The file of tokens, whose owners may use a server.
//!
//! Each line is a name and the SHA-256 of a token in hexadecimal digits; blank lines and those that
//! begin with `#` are ignored. The file has no tokens themselves, so that nothing can be done with
//! a copy of it. A token is 32 random bytes, so that its plain hash reveals nothing of it.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};
use rustix::fs::OFlags;
use rustix::process::geteuid;
use subtle::{ConditionallySelectable, ConstantTimeEq};

use super::credential_file::CredentialFile;
use super::token_owner::TokenOwner;
use iki_base::hex;
use iki_files as files;

/// Beginning of a token, by which people and scanners for leaks recognise it.
const PREFIX: &str = "ikt_";

/// Length of the random part of a token, in bytes.
const RANDOM_BYTES: usize = 32;

/// Length of a hash, in bytes.
const HASH_BYTES: usize = 32;

/// Longest name, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// Longest wait for another process that adds a token.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// The tokens of a server, by their hashes.
#[derive(Debug, Default)]
pub struct TokenTable(Vec<TokenEntry>);

#[derive(Debug)]
struct TokenEntry {
    holder: TokenOwner,
    hash: [u8; HASH_BYTES],
}

/// The reason why a file of tokens cannot be used. Never quotes its content, because a token may
/// have been written there by mistake.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenFileError {
    /// The rest of a sentence that begins with the file.
    #[error("{0}")]
    Unreadable(String),
    /// Other users may read or change it; its mode.
    #[error("may be read or changed by others than its owner (its mode is {0:04o}): chmod 600 it")]
    OpenToOthers(u32),
    /// It is another user's; that user's id.
    #[error("belongs to another user ({0}): it has to be this user's own, or root's")]
    OfAnother(u32),
    /// A line is malformed; its number, and the reason.
    #[error("line {0}: {1}; a line is NAME SHA256, as `ikigai-tools token NAME` makes it")]
    Line(usize, &'static str),
    /// The name to be added is there already.
    #[error("has a token of {0} already: take that line out first, or choose another name")]
    NameIsThere(String),
    /// The name to be added is not valid.
    #[error("a name is 1 to {MAX_NAME_BYTES} letters, digits, dots, hyphens and underscores")]
    InvalidName,
    /// The line could not be added.
    #[error("cannot be added to: {0}")]
    NotAdded(String),
    /// The system has no random bytes.
    #[error("the system has no random bytes to make a token of")]
    NoRandomness,
}

impl TokenTable {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// Any [`TokenFileError`] of reading.
    pub fn read(path: &Path) -> Result<Self, TokenFileError> {
        let file = CredentialFile::read(path).map_err(TokenFileError::Unreadable)?;
        Self::from_file(&file)
    }

    fn from_file(file: &CredentialFile) -> Result<Self, TokenFileError> {
        if file.is_open_to_others() {
            return Err(TokenFileError::OpenToOthers(file.mode));
        }
        if file.owner != 0 && file.owner != geteuid().as_raw() {
            return Err(TokenFileError::OfAnother(file.owner));
        }
        Self::parse(&file.bytes)
    }

    fn parse(bytes: &[u8]) -> Result<Self, TokenFileError> {
        let mut tokens = Self::default();
        for (line, number) in bytes.split(|byte| *byte == b'\n').zip(1..) {
            let fault = |reason| TokenFileError::Line(number, reason);
            let line = std::str::from_utf8(line).map_err(|_| fault("it is not text"))?;
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut words = line.split_ascii_whitespace();
            let (Some(name), Some(hash), None) = (words.next(), words.next(), words.next()) else {
                return Err(fault("it has not two words"));
            };
            if !is_name(name) {
                return Err(fault("its first word is no name"));
            }
            let hash = from_hex(hash)
                .ok_or_else(|| fault("its second word is not a hash of 64 hexadecimal digits"))?;
            if tokens.has_name(name) {
                return Err(fault("its name is that of a line before"));
            }
            if tokens.0.iter().any(|entry| entry.hash == hash) {
                return Err(fault("its token is that of a line before"));
            }
            tokens.0.push(TokenEntry {
                holder: TokenOwner::new(name),
                hash,
            });
        }
        Ok(tokens)
    }

    /// The owner of this token. The time that it takes reveals nothing of other tokens.
    #[must_use]
    pub fn holder(&self, token: &[u8]) -> Option<&TokenOwner> {
        let hash = digest(&SHA256, token);
        let mut index = u32::MAX;
        for (entry, position) in self.0.iter().zip(0..) {
            let same = entry.hash.as_slice().ct_eq(hash.as_ref());
            index.conditional_assign(&position, same);
        }
        let index = usize::try_from(index).ok()?;
        self.0.get(index).map(|entry| &entry.holder)
    }

    /// True if there is an owner of this name.
    #[must_use]
    pub fn has_name(&self, name: &str) -> bool {
        self.0.iter().any(|entry| entry.holder.name() == name)
    }

    /// True if there are no tokens.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A new token.
pub struct NewToken {
    /// The token itself, which is stored nowhere.
    pub token: String,
    /// Its line in the file of tokens, without a newline.
    pub line: String,
    name: String,
}

impl NewToken {
    /// Makes a token for the owner called `name`.
    ///
    /// # Errors
    /// [`TokenFileError::InvalidName`] and [`TokenFileError::NoRandomness`].
    pub fn make(name: &str) -> Result<Self, TokenFileError> {
        if !is_name(name) {
            return Err(TokenFileError::InvalidName);
        }
        let mut random = [0; RANDOM_BYTES];
        SystemRandom::new()
            .fill(&mut random)
            .map_err(|_| TokenFileError::NoRandomness)?;
        let token = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(random));
        let hash = digest(&SHA256, token.as_bytes());
        let line = format!("{name} {}", hex::encode(hash.as_ref()));
        Ok(Self {
            token,
            line,
            name: name.to_owned(),
        })
    }
}

/// Adds the line of `new` to the file at `path`, which is made if it is missing: the whole line, or
/// nothing.
///
/// # Errors
/// Any [`TokenFileError`] of reading or writing.
pub fn add_token(path: &Path, new: &NewToken) -> Result<(), TokenFileError> {
    let failed = |error: io::Error| {
        let no_directory = error.kind() == io::ErrorKind::NotFound;
        let advice = if no_directory {
            "; make its directory first"
        } else {
            ""
        };
        TokenFileError::NotAdded(format!("{error}{advice}"))
    };
    let mut options = OpenOptions::new();
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    options
        .read(true)
        .append(true)
        .mode(0o600)
        .custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
    let (mut file, made) = match options.clone().create_new(true).open(path) {
        Ok(file) => (file, true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            (options.open(path).map_err(failed)?, false)
        }
        Err(error) => return Err(failed(error)),
    };
    lock(&file)?;
    let old = CredentialFile::read_from(&file).map_err(TokenFileError::Unreadable)?;
    if TokenTable::from_file(&old)?.has_name(&new.name) {
        return Err(TokenFileError::NameIsThere(new.name.clone()));
    }
    let newline = if old.bytes.last().is_none_or(|last| *last == b'\n') {
        ""
    } else {
        "\n"
    };
    let line = format!("{newline}{}\n", new.line);
    let written = file
        .write_all(line.as_bytes())
        .and_then(|()| file.sync_all());
    written.map_err(|error| {
        // The file is restored, because half a line would make it unreadable.
        let _ = match u64::try_from(old.bytes.len()) {
            Ok(length) if !made => file.set_len(length),
            _ => std::fs::remove_file(path),
        };
        failed(error)
    })
}

/// Locks the file against processes that add a token at the same time.
fn lock(file: &File) -> Result<(), TokenFileError> {
    if !files::lock(file, Instant::now() + LOCK_TIMEOUT) {
        return Err(TokenFileError::NotAdded(
            "another process holds its lock; try again when that has ended".to_owned(),
        ));
    }
    // Some file systems have no locks; there two processes may add one name twice, which the server
    // then refuses.
    Ok(())
}

fn is_name(name: &str) -> bool {
    (1..=MAX_NAME_BYTES).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

fn from_hex(text: &str) -> Option<[u8; HASH_BYTES]> {
    let mut hash = [0; HASH_BYTES];
    if text.len() != 2 * HASH_BYTES || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, offset) in hash.iter_mut().zip((0..text.len()).step_by(2)) {
        *byte = u8::from_str_radix(text.get(offset..offset + 2)?, 16).ok()?;
    }
    Some(hash)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn line(name: &str, token: &str) -> String {
        let hash = digest(&SHA256, token.as_bytes());
        let digits = hash.as_ref().iter().map(|byte| format!("{byte:02X}"));
        format!("{name} {}\n", digits.collect::<Vec<_>>().concat())
    }

    #[test]
    fn each_token_has_its_holder_and_no_other() {
        let text = format!(
            "# the team\n\n{}  {}\r\n",
            line("anna", "one"),
            line("ben.2", "two")
        );
        let tokens = TokenTable::parse(text.as_bytes()).unwrap();
        let holder = |token: &str| tokens.holder(token.as_bytes()).map(TokenOwner::name);
        assert_eq!(holder("one"), Some("anna"));
        assert_eq!(holder("two"), Some("ben.2"));
        for other in ["", "on", "one ", "ONE", "three"] {
            assert_eq!(holder(other), None, "{other}");
        }
        assert_eq!(TokenTable::default().holder(b"one"), None);
    }

    #[test]
    fn a_line_that_is_not_as_it_has_to_be_is_told_by_its_number_and_not_quoted() {
        let hash = "0".repeat(64);
        let long = "n".repeat(65);
        for (text, number, reason) in [
            ("ikt_secret".to_owned(), 1, "two words"),
            (format!("anna {hash} more"), 1, "two words"),
            (format!("\n#\nan/na {hash}"), 3, "no name"),
            (format!("{long} {hash}"), 1, "no name"),
            ("anna ikt_secret".to_owned(), 1, "64 hexadecimal"),
            (format!("anna {}", "é".repeat(32)), 1, "64 hexadecimal"),
            (
                format!("{}anna {hash}", line("anna", "x")),
                2,
                "name is that",
            ),
            (format!("a {hash}\nb {hash}"), 2, "token is that"),
        ] {
            let fault = TokenTable::parse(text.as_bytes()).unwrap_err();
            let TokenFileError::Line(line_number, _) = fault else {
                panic!("{fault}");
            };
            let message = fault.to_string();
            assert_eq!(line_number, number, "{message}");
            assert!(
                message.contains(reason) && !message.contains("secret"),
                "{message}"
            );
        }
        let fault = TokenTable::parse(b"anna \xff\xfe").unwrap_err();
        assert_eq!(fault, TokenFileError::Line(1, "it is not text"));
    }

    #[test]
    fn a_new_token_is_found_by_its_line_and_is_another_one_each_time() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tokens");
        let anna = NewToken::make("anna").unwrap();
        let ben = NewToken::make("ben").unwrap();
        assert_ne!(anna.token, ben.token);
        assert_eq!(anna.token.len(), PREFIX.len() + 43);
        add_token(&path, &anna).unwrap();
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        // A file whose last line was written by hand.
        let cut = fs::read_to_string(&path).unwrap();
        fs::write(&path, cut.trim_end()).unwrap();
        add_token(&path, &ben).unwrap();
        let tokens = TokenTable::read(&path).unwrap();
        for one in [&anna, &ben] {
            let holder = tokens.holder(one.token.as_bytes()).unwrap();
            assert_eq!(holder.name(), one.name);
        }
        let before = fs::read(&path).unwrap();
        let again = add_token(&path, &NewToken::make("anna").unwrap());
        assert_eq!(again, Err(TokenFileError::NameIsThere("anna".to_owned())));
        assert_eq!(fs::read(&path).unwrap(), before);
        assert!(!String::from_utf8(before).unwrap().contains(&anna.token));
        for name in ["", "an na", "anna\n", "änna", "a/b"] {
            assert_eq!(
                NewToken::make(name).err(),
                Some(TokenFileError::InvalidName),
                "{name:?}"
            );
        }
    }

    #[test]
    fn a_file_that_others_may_read_is_refused_and_so_is_what_is_no_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tokens");
        fs::write(&path, "").unwrap();
        for mode in [0o640, 0o604, 0o620, 0o666] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(
                TokenTable::read(&path).unwrap_err(),
                TokenFileError::OpenToOthers(mode)
            );
            let added = add_token(&path, &NewToken::make("anna").unwrap());
            assert_eq!(added, Err(TokenFileError::OpenToOthers(mode)));
        }
        for place in [directory.path().to_owned(), directory.path().join("none")] {
            let fault = TokenTable::read(&place).unwrap_err();
            assert!(matches!(fault, TokenFileError::Unreadable(_)), "{fault}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(TokenTable::read(&path).unwrap().is_empty());
        fs::write(&path, vec![b'\n'; 1024 * 1024 + 1]).unwrap();
        let fault = TokenTable::read(&path).unwrap_err().to_string();
        assert!(fault.contains("1 MiB"), "{fault}");
    }
}
