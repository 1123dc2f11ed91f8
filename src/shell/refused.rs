//! The claims in a command's output: of refusals, and of the network where that was taken away.
//!
//! Anybody may have written such a line, a page or a package that the command prints as well. So
//! it is never taken for what the kernel did, which its audit alone tells (`audit`). Of a path in
//! it this says no more than is true whoever wrote it: that it lies outside of the confinement.

use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, accessat};

use crate::sandbox::confinement::{AccessRight, Confinement};
use crate::sandbox::{roots, scratch};

/// The words for EACCES, EPERM and EXDEV, with which a confinement refuses.
const OF_REFUSALS: [&str; 6] = [
    "ermission denied",
    "EACCES",
    "peration not permitted",
    "EPERM",
    "ross-device link",
    "EXDEV",
];

/// Words of programs that reach nothing.
const OF_NETWORK: [&str; 7] = [
    "etwork is unreachable",
    "name resolution",
    "esolve host",
    "ervice not known",
    "EAI_AGAIN",
    "ENOTFOUND",
    "connect to ",
];

/// Words beside a refusal that is the network's.
const OF_SOCKETS: [&str; 2] = ["socket", "connect"];

/// The most lines that are looked at for a path, from the last one on.
const MOST_LINES: usize = 16;

/// The longest path that is named, in bytes.
pub const LONGEST_PATH: usize = 160;

/// The claims in an output.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct OutputClaims {
    /// Of a refusal.
    pub refusal: bool,
    /// A line that does so names a path.
    pub names_path: bool,
    /// The last path so named that the confinement keeps from the call.
    pub outside: Option<OutsidePath>,
    /// Of the network, which the call does not have.
    pub network: bool,
}

/// A path outside of a confinement, no link on the way.
#[derive(Debug, PartialEq, Eq)]
pub struct OutsidePath {
    pub path: PathBuf,
    /// The right that is missing: to read it, or only to write it.
    pub right: AccessRight,
}

/// The claims in `output`, which consists of whole lines; relative names start at `directory`.
#[must_use]
pub fn claims_in(output: &[u8], directory: &Path, confinement: &Confinement) -> OutputClaims {
    let mut claims = OutputClaims::default();
    let mut lines_left = MOST_LINES;
    for line in output.rsplit(|byte| *byte == b'\n') {
        let has = |signs: &[&str]| {
            let mut signs = signs.iter();
            signs.any(|sign| memchr::memmem::find(line, sign.as_bytes()).is_some())
        };
        let is_refusal = has(&OF_REFUSALS);
        let is_network = has(&OF_NETWORK) || (is_refusal && has(&OF_SOCKETS));
        if is_network && !confinement.has_network() {
            claims.network = true;
            continue;
        }
        if lines_left == 0 || claims.outside.is_some() || !is_refusal {
            continue;
        }
        lines_left -= 1;
        claims.refusal = true;
        if let Some(name) = last_path(&String::from_utf8_lossy(line)) {
            claims.names_path = true;
            claims.outside = outside(&directory.join(name), confinement);
        }
    }
    claims
}

/// The last path in a line: what is quoted and has a slash, or what begins with one.
fn last_path(line: &str) -> Option<&str> {
    let mut last = None;
    let mut before = ' ';
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let is_start = before.is_whitespace() || "([{<='\"`‘“".contains(before);
        let token = match quoted(rest).filter(|_| !before.is_alphanumeric()) {
            Some(quoted) => Some(quoted).filter(|name| name.contains('/')),
            None => (first == '/' && is_start).then(|| unquoted(rest)),
        };
        last = token.or(last);
        let passed = match token {
            Some(token) if first == '/' => token.len(),
            Some(token) => {
                let end = first.len_utf8() + token.len();
                end + rest[end..].chars().next().map_or(0, char::len_utf8)
            }
            None => first.len_utf8(),
        };
        before = rest[..passed].chars().next_back().unwrap_or(first);
        rest = &rest[passed..];
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
    let ends = |(at, _): &(usize, &str)| {
        let behind = inner[at + closing.len_utf8()..].chars().next();
        !behind.is_some_and(char::is_alphanumeric)
    };
    let (end, _) = inner.match_indices(closing).find(ends)?;
    Some(&inner[..end])
}

/// The path that `text` begins with, which is not quoted.
fn unquoted(text: &str) -> &str {
    let ends = |one: char| one.is_whitespace() || one.is_control() || ":)]}>'\"`’”".contains(one);
    let path = &text[..text.find(ends).unwrap_or(text.len())];
    path.trim_end_matches([',', ';', '.'])
}

/// The file or name that `path` leads to, if the confinement and nothing else keeps it from a call.
fn outside(path: &Path, confinement: &Confinement) -> Option<OutsidePath> {
    let path = roots::follow(path, |_| {})?;
    let parent = path.parent().unwrap_or(&path);
    let is_there = path.symlink_metadata().is_ok();
    let may = |place: &Path, access| accessat(CWD, place, access, AtFlags::EACCESS).is_ok();
    // A name of nothing may be any words of whoever wrote the line.
    let is_name = |name: &str| name.chars().all(|one| !one.is_whitespace());
    if path.as_os_str().len() > LONGEST_PATH
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
