//! Messages in a command's output that report refusals, or failures of a network that the command
//! does not have.
//!
//! Such a line may come from anywhere, such as a page or a package that the command prints. So it
//! is never taken for a fact about the kernel, which only its audit reports (`audit`). About a path
//! in it, this reports only what is true in any case: that it is outside the confinement.

use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, accessat};

use crate::sandbox::confinement::{AccessRight, Confinement};
use crate::sandbox::{roots, scratch};

/// The words for EACCES, EPERM and EXDEV, with which a confinement refuses.
const REFUSAL_WORDS: [&str; 6] = [
    "ermission denied",
    "EACCES",
    "peration not permitted",
    "EPERM",
    "ross-device link",
    "EXDEV",
];

/// Words of programs without a network.
const NETWORK_ERROR_WORDS: [&str; 7] = [
    "etwork is unreachable",
    "name resolution",
    "esolve host",
    "ervice not known",
    "EAI_AGAIN",
    "ENOTFOUND",
    "connect to ",
];

/// Words that make a refusal one of the network.
const SOCKET_WORDS: [&str; 2] = ["socket", "connect"];

/// Maximum number of lines that are searched for a path, from the last one on.
const MAX_SEARCHED_LINES: usize = 16;

/// Maximum length of a path that is named.
pub const MAX_PATH_BYTES: usize = 160;

/// The messages in an output.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RefusalMessages {
    /// True if a line reports a refusal.
    pub has_refusal: bool,
    /// True if such a line names a path.
    pub names_path: bool,
    /// The last path that such a line names, if it is outside the confinement.
    pub outside: Option<OutsidePath>,
    /// True if a line reports a network failure and the call has no network.
    pub has_network_failure: bool,
}

/// A path outside a confinement, with links resolved.
#[derive(Debug, PartialEq, Eq)]
pub struct OutsidePath {
    /// The path.
    pub path: PathBuf,
    /// The right that is missing: to read it, or only to write it.
    pub right: AccessRight,
}

/// The messages in `output`, which consists of whole lines; relative names start at `directory`.
#[must_use]
pub fn find_refusal_messages(
    output: &[u8],
    directory: &Path,
    confinement: &Confinement,
) -> RefusalMessages {
    let mut messages = RefusalMessages::default();
    let mut lines_left = MAX_SEARCHED_LINES;
    for line in output.rsplit(|byte| *byte == b'\n') {
        let has = |words: &[&str]| {
            let mut words = words.iter();
            words.any(|word| memchr::memmem::find(line, word.as_bytes()).is_some())
        };
        let is_refusal = has(&REFUSAL_WORDS);
        let is_network = has(&NETWORK_ERROR_WORDS) || (is_refusal && has(&SOCKET_WORDS));
        if is_network && !confinement.has_network() {
            messages.has_network_failure = true;
            continue;
        }
        if lines_left == 0 || messages.outside.is_some() || !is_refusal {
            continue;
        }
        lines_left -= 1;
        messages.has_refusal = true;
        if let Some(name) = last_path(&String::from_utf8_lossy(line)) {
            messages.names_path = true;
            messages.outside = outside_path(&directory.join(name), confinement);
        }
    }
    messages
}

/// The last path in a line: quoted text with a slash, or unquoted text that begins with one.
fn last_path(line: &str) -> Option<&str> {
    let mut last = None;
    let mut before = ' ';
    let mut remainder = line;
    while let Some(first) = remainder.chars().next() {
        let is_start = before.is_whitespace() || "([{<='\"`‘“".contains(before);
        let token = match quoted(remainder).filter(|_| !before.is_alphanumeric()) {
            Some(quoted) => Some(quoted).filter(|name| name.contains('/')),
            None => (first == '/' && is_start).then(|| unquoted(remainder)),
        };
        last = token.or(last);
        let passed = match token {
            Some(token) if first == '/' => token.len(),
            Some(token) => {
                let end = first.len_utf8() + token.len();
                end + remainder[end..].chars().next().map_or(0, char::len_utf8)
            }
            None => first.len_utf8(),
        };
        before = remainder[..passed].chars().next_back().unwrap_or(first);
        remainder = &remainder[passed..];
    }
    last
}

/// The text between the quotes that `text` begins with.
fn quoted(text: &str) -> Option<&str> {
    let first = text.chars().next()?;
    let closing = match first {
        '\'' | '"' | '`' => first,
        '‘' => '’',
        '“' => '”',
        _ => return None,
    };
    let inner = &text[first.len_utf8()..];
    let ends = |(offset, _): &(usize, &str)| {
        let behind = inner[offset + closing.len_utf8()..].chars().next();
        !behind.is_some_and(char::is_alphanumeric)
    };
    let (end, _) = inner.match_indices(closing).find(ends)?;
    Some(&inner[..end])
}

/// The unquoted path that `text` begins with.
fn unquoted(text: &str) -> &str {
    let ends = |one: char| one.is_whitespace() || one.is_control() || ":)]}>'\"`’”".contains(one);
    let path = &text[..text.find(ends).unwrap_or(text.len())];
    path.trim_end_matches([',', ';', '.'])
}

/// The resolved `path`, if the confinement and nothing else keeps a call from it.
fn outside_path(path: &Path, confinement: &Confinement) -> Option<OutsidePath> {
    let path = roots::follow(path, |_| {})?;
    let parent = path.parent().unwrap_or(&path);
    let is_there = path.symlink_metadata().is_ok();
    let may = |place: &Path, access| accessat(CWD, place, access, AtFlags::EACCESS).is_ok();
    // The name of a missing file may be any words of the line, so it may have no blanks.
    let is_name = |name: &str| name.chars().all(|one| !one.is_whitespace());
    if path.as_os_str().len() > MAX_PATH_BYTES
        || !(is_there || path.file_name()?.to_str().is_some_and(is_name))
        || scratch::lies_in_one(&path)
    {
        return None;
    }
    let refuses = |right| !confinement.grants(&path, right);
    let right = if refuses(AccessRight::Read) && may(&path, Access::READ_OK) {
        AccessRight::Read
    } else if refuses(AccessRight::Write)
        && (may(&path, Access::WRITE_OK) || may(parent, Access::WRITE_OK | Access::EXEC_OK))
    {
        AccessRight::Write
    } else {
        return None;
    };
    Some(OutsidePath { path, right })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_path_of_a_line_is_what_is_quoted_or_begins_with_a_slash() {
        for (line, path) in [
            ("cat: /x/y: Permission denied", "/x/y"),
            ("sh: 1: cannot create /x/y: Permission denied", "/x/y"),
            (
                "mkdir: cannot create directory ‘/x/y z’: Permission denied",
                "/x/y z",
            ),
            (
                "touch: cannot touch '../x/it's': Permission denied",
                "../x/it's",
            ),
            ("cp: can't open '/x/y': Permission denied", "/x/y"),
            ("mv: cannot move 'a/b' to '/x/y': Permission denied", "/x/y"),
            ("EACCES: permission denied, open `/x/y`", "/x/y"),
            ("open(\"/x/y\"): Permission denied.", "/x/y"),
            ("\u{1b}[1m/x/y\u{1b}[0m: Permission denied", ""),
            ("Permission denied: b'/x/y'", "/x/y"),
            ("error=/x/y, Permission denied", "/x/y"),
            ("cat: /: Permission denied", "/"),
            ("PermissionError: [Errno 13] Permission denied", ""),
            ("  code: 'EACCES',", ""),
            ("fetch of https://x.org/y: Permission denied", ""),
            ("read/write: Operation not permitted", ""),
            ("./script: Permission denied", ""),
            ("/x/y.c:3:10: fatal error: Permission denied", "/x/y.c"),
            ("'/x: Permission denied", "/x"),
        ] {
            assert_eq!(last_path(line).unwrap_or_default(), path, "{line}");
        }
    }
}
