//! Which paths and patterns lie within some directories, decided by names before a call.
//!
//! This is the half of a confinement that sees names: links are resolved as `path_resolution(7)`
//! has it, and what leads outside is outside whether it is there or not. The other half is
//! `confinement`, which the kernel enforces in whatever moment a file is touched.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use crate::search::braces;

/// As many symbolic links as the kernel follows.
const MOST_LINKS: usize = 40;

/// The longest name in any file system, in bytes (`NAME_MAX`).
const LONGEST_NAME: usize = 255;

/// A wildcard that matches no name. As the first alternative in braces it keeps the whole from
/// being taken for a name as it is written, which nobody has looked at.
const NOTHING: &str = "[b-a]";

/// Directories, absolute and without links.
#[derive(Debug)]
pub struct Roots(Vec<PathBuf>);

impl Roots {
    /// Bounds of these `directories`, which are absolute and without links.
    pub fn new(directories: Vec<PathBuf>) -> Self {
        Self(directories)
    }

    /// The directories.
    pub fn directories(&self) -> &[PathBuf] {
        &self.0
    }

    /// The wildcard `pattern`, from the directory `base` on, rewritten so that it means the same
    /// and finds names by listing directories alone, which a confined process cannot do
    /// outside; none if it leaves the directories. Of a pattern with braces each alternative is
    /// looked at for itself, and none may leave; the name as it is written is one more, if it
    /// does not.
    pub fn listed(&self, base: &Path, pattern: &str) -> Option<String> {
        let alternatives = match braces::alternatives(pattern.as_bytes()) {
            Ok(alternatives) if alternatives.is_empty() => return self.one_listed(base, pattern),
            Ok(alternatives) => alternatives,
            // It names nothing, and the tool says so.
            Err(braces::TooMany) => return Some(pattern.to_owned()),
        };
        let mut listed = vec![NOTHING.to_owned()];
        for alternative in alternatives {
            let alternative = String::from_utf8(alternative).ok()?;
            listed.push(without_braces(&self.one_listed(base, &alternative)?));
        }
        let as_written = self.one_listed(base, pattern);
        listed.extend(as_written.as_deref().map(without_braces));
        Some(format!("{{{}}}", listed.join(",")))
    }

    /// The same for a pattern whose braces, if it has any, are ordinary characters.
    fn one_listed(&self, base: &Path, pattern: &str) -> Option<String> {
        let mut base = base.to_owned();
        if pattern.starts_with('/') {
            base = PathBuf::from("/");
        }
        let mut wild = false;
        let mut parts = Vec::new();
        for part in pattern.split('/') {
            let literal = !part.contains(['*', '?', '[']);
            if !literal {
                wild = true;
                parts.push(part.to_owned());
            } else if wild {
                if unescaped(part) == ".." {
                    return None;
                }
                parts.push(as_wildcard(part));
            } else {
                base.push(unescaped(part));
                parts.push(part.to_owned());
            }
        }
        self.hold(&base).then(|| parts.join("/"))
    }

    /// Whether `path`, all links followed, lies within.
    pub fn hold(&self, path: &Path) -> bool {
        follow(path, |_| {}).is_some_and(|real| self.contain(&real))
    }

    /// Whether `real`, which no link leads to, lies within.
    pub fn contain(&self, real: &Path) -> bool {
        self.0.iter().any(|root| real.starts_with(root))
    }
}

/// Where `path` leads, which need not be there; none if that cannot be told. What is no link is
/// taken for a directory, and `..` leads out of it: where it is none, the call fails by itself.
/// `through` is told where each link lies that is followed.
pub fn follow(path: &Path, mut through: impl FnMut(&Path)) -> Option<PathBuf> {
    let mut real = PathBuf::new();
    let mut rest: Vec<PathBuf> = parts(path);
    let mut links = 0;
    while let Some(part) = rest.pop() {
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
                        if links > MOST_LINKS {
                            return None;
                        }
                        rest.append(&mut parts(&to));
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

/// Whether `readlink(2)` has said that nothing is to be followed at `name`, for the kernel neither.
fn is_no_link(error: &io::Error, name: &OsStr) -> bool {
    match error.kind() {
        // Not a link, or a name with a NUL.
        ErrorKind::InvalidInput
        | ErrorKind::NotFound
        | ErrorKind::NotADirectory
        | ErrorKind::PermissionDenied => true,
        // A path that is too long here may not be where it starts elsewhere.
        ErrorKind::InvalidFilename => name.len() > LONGEST_NAME,
        _ => false,
    }
}

/// A pattern whose braces and commas are escaped, so that it can be an alternative in braces.
fn without_braces(pattern: &str) -> String {
    let mut text = String::new();
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        if matches!(c, '{' | '}' | ',') {
            text.push('\\');
        }
        text.push(c);
        if c == '\\' {
            let Some(escaped) = rest.next() else {
                // A backslash at the end escapes nothing, and such a pattern matches nothing.
                return NOTHING.to_owned();
            };
            text.push(escaped);
        }
    }
    text
}

fn unescaped(part: &str) -> String {
    let mut plain = String::new();
    let mut rest = part.chars();
    while let Some(c) = rest.next() {
        plain.extend(if c == '\\' { rest.next() } else { Some(c) });
    }
    plain
}

/// A name as a wildcard that matches it alone: one character becomes a set. A dot in front stays,
/// or nothing matches; of a name without a letter or a digit no character is safe in a set
/// everywhere, and it stays as it is.
fn as_wildcard(part: &str) -> String {
    let Some(at) = part.find(|c: char| c.is_ascii_alphanumeric()) else {
        return part.to_owned();
    };
    let before = &part[..at];
    let escapes = before
        .bytes()
        .rev()
        .take_while(|byte| *byte == b'\\')
        .count();
    let before = &before[..at - escapes % 2];
    format!("{before}[{}]{}", &part[at..=at], &part[at + 1..])
}

#[cfg(test)]
mod tests;
