//! A directory or file that is not where it was looked for, and where it may be.

use std::env;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Instant;

use rustix::fs::OFlags;

use super::BetterPattern;
use super::survey::escaped;
use crate::sort::Sort;
use crate::unexpanded::unexpanded;

/// The most names that are shown.
const MOST_NAMES: usize = 3;

/// What is wrong with a path.
#[derive(Debug)]
pub enum Misplaced {
    /// It holds a NUL.
    Nul,
    /// It is not there.
    Missing {
        /// The nearest directory above it that is.
        nearest: String,
        /// What in there is no directory, and would have to be one.
        file: Option<String>,
        /// Names in there that are like the next one.
        similar: Vec<String>,
        /// How it was mistaken, and what was probably meant.
        slip: Option<Slip>,
    },
    /// It is a symbolic link to this, which is not there.
    LeadsNowhere(String),
    /// It is there and cannot be reached or read.
    Unreachable(io::Error),
    /// It is there and nothing to search.
    NotSearched(PathKind),
}

/// What is no directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// A regular file.
    File,
    /// A FIFO.
    Fifo,
    /// A socket.
    Socket,
    /// A device.
    Device,
}

/// A path that is written in a way in which paths are not.
#[derive(Debug, PartialEq, Eq)]
pub enum Slip {
    /// With a line number behind it: without, it is this.
    LineNumber(String),
    /// In quotes, with blanks around it or with an `@` before it: without, it is this.
    Quotes(String),
    /// As the URL of this file.
    Url(Option<String>),
    /// With `~`, which is this directory.
    Home(Option<String>),
    /// With a variable of the environment.
    Variable(Option<String>),
    /// With backslashes where slashes belong: with those, it is this.
    Backslashes(String),
    /// From another directory on: from the one that relative paths start from, it is this.
    Elsewhere(String),
    /// With a slash at its end, though it is this file.
    SlashAtEnd(String),
    /// With wildcards.
    Wildcards {
        /// The directory before them.
        directory: String,
        /// True if it is there.
        is_there: bool,
        /// The pattern below it.
        found: BetterPattern,
    },
    /// Several paths at once: a pattern for all of them.
    Several(String),
}

/// What is wrong with `path`; `files` may be searched as well as directories.
pub(super) fn misplaced(path: &str, files: bool, until: Instant) -> Option<Misplaced> {
    if path.contains('\0') {
        return Some(Misplaced::Nul);
    }
    match fs::metadata(path) {
        Ok(status) if status.is_dir() => fs::read_dir(path).err().map(Misplaced::Unreachable),
        Ok(status) if files && status.is_file() => None,
        Ok(status) => Some(Misplaced::NotSearched(kind(&status))),
        Err(error) if is_missing(&error) => {
            if let Some(target) = dangling(Path::new(path)) {
                return Some(Misplaced::LeadsNowhere(target));
            }
            let (nearest, file, similar) = nearest(Path::new(path), until);
            Some(Misplaced::Missing {
                nearest,
                file,
                similar,
                slip: slip(path),
            })
        }
        Err(error) => Some(Misplaced::Unreachable(error)),
    }
}

/// What the symbolic link `path` leads to, if that is not there.
fn dangling(path: &Path) -> Option<String> {
    let target = fs::read_link(path).ok()?;
    let is_dangling = fs::metadata(path).is_err_and(|error| is_missing(&error));
    is_dangling.then(|| target.to_string_lossy().into_owned())
}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename
    )
}

fn kind(status: &Metadata) -> PathKind {
    let kind = status.file_type();
    if kind.is_file() {
        PathKind::File
    } else if kind.is_fifo() {
        PathKind::Fifo
    } else if kind.is_socket() {
        PathKind::Socket
    } else {
        PathKind::Device
    }
}

/// The nearest directory above `path`, what is no directory there, and names there that are like
/// the one that is missing.
pub(super) fn nearest(path: &Path, until: Instant) -> (String, Option<String>, Vec<String>) {
    let mut missing = path;
    let is_file = |path: &Path| fs::metadata(path).is_ok_and(|status| !status.is_dir());
    let mut file = is_file(path).then(|| path.to_string_lossy().into_owned());
    for above in path.ancestors().skip(1) {
        let above_or_here = if above.as_os_str().is_empty() {
            Path::new(".")
        } else {
            above
        };
        match fs::metadata(above_or_here) {
            Ok(status) if status.is_dir() => {
                let name = missing.file_name().and_then(|name| name.to_str());
                let similar = name.map(|name| similar(above_or_here, name, until));
                let above = above_or_here.to_string_lossy().into_owned();
                return (above, file, similar.unwrap_or_default());
            }
            Ok(_) => file = Some(above.to_string_lossy().into_owned()),
            Err(_) => {}
        }
        missing = above;
    }
    (".".to_owned(), file, Vec::new())
}

/// Names in `directory` that are like `name`, the likest first.
fn similar(directory: &Path, name: &str, until: Instant) -> Vec<String> {
    let plain = |name: &str| name.to_lowercase().replace(['-', '_', ' ', '.'], "");
    let stem = |name: &str| {
        name.rsplit_once('.')
            .map_or(name, |(stem, _)| stem)
            .to_owned()
    };
    let (wanted, wanted_stem) = (plain(name), stem(name));
    // Shorter names are alike by chance.
    let most = (name.chars().count() / 3).min(3);
    let mut found = Vec::new();
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    for (at, entry) in entries.enumerate() {
        if at % 64 == 0 && Instant::now() >= until {
            break;
        }
        let Ok(other) = entry.file_name().into_string() else {
            continue;
        };
        let length = other.chars().count().abs_diff(name.chars().count());
        let rank = if plain(&other) == wanted {
            0
        } else if length <= most && strsim::damerau_levenshtein(&other, name) <= most {
            1
        } else if stem(&other) == wanted_stem && wanted_stem.len() > 1 {
            2
        } else if name.len() >= 3 && (other.starts_with(name) || other.contains(&wanted_stem)) {
            3
        } else {
            continue;
        };
        found.push((rank, other));
    }
    found.arrange();
    found.truncate(MOST_NAMES);
    found.into_iter().map(|(_, name)| name).collect()
}

/// Says whether `path` leads to a file or directory that can be read. Where the kernel confines the
/// process, nothing is said of what is outside.
fn is_readable(path: &str) -> bool {
    let Ok(status) = fs::metadata(path) else {
        return false;
    };
    if !status.is_dir() && !status.is_file() {
        return false;
    }
    // What has been exchanged for a FIFO meanwhile is not waited for.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(flags.bits().cast_signed());
    options.open(path).map(|_: File| ()).is_ok()
}

/// How a path that is missing may have been mistaken.
fn slip(path: &str) -> Option<Slip> {
    let readable = |path: String| is_readable(&path).then_some(path);
    if let Some(url) = path.strip_prefix("file://") {
        let url = url.strip_prefix("localhost").unwrap_or(url);
        return Some(Slip::Url(readable(decoded(url))));
    }
    if let Some(unexpanded) = unexpanded(path) {
        let meant = unexpanded.path().and_then(readable);
        return Some(if unexpanded.tilde {
            Slip::Home(meant)
        } else {
            Slip::Variable(meant)
        });
    }
    if let Some(quoted) = unquoted(path)
        && let Some(path) = readable(quoted)
    {
        return Some(Slip::Quotes(path));
    }
    if let Some(file) = without_line_number(path)
        && let Some(path) = readable(file.to_owned())
    {
        return Some(Slip::LineNumber(path));
    }
    let trimmed = path.trim_end_matches('/');
    if trimmed.len() < path.len()
        && let Some(path) = readable(trimmed.to_owned())
    {
        return Some(Slip::SlashAtEnd(path));
    }
    if path.contains('\\')
        && let Some(path) = readable(path.replace('\\', "/"))
    {
        return Some(Slip::Backslashes(path));
    }
    if let Some(pattern) = several(path) {
        return Some(Slip::Several(pattern));
    }
    if path.contains(['*', '?', '[', '{']) {
        let (directory, pattern) = split_at_wildcards(path);
        return Some(Slip::Wildcards {
            is_there: fs::metadata(&directory).is_ok_and(|status| status.is_dir()),
            directory,
            found: BetterPattern {
                pattern,
                ..BetterPattern::default()
            },
        });
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let first = usize::from(!path.starts_with('/'));
    // Where a path leads up, it is not known what is left of it.
    if parts.contains(&"..") {
        return None;
    }
    let found = (first..parts.len()).find_map(|from| readable(parts[from..].join("/")));
    found.map(Slip::Elsewhere)
}

/// `url` with each `%20` and the like decoded, as far as that is text.
fn decoded(url: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = url.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let code = behind
            .get(..2)
            .and_then(|code| std::str::from_utf8(code).ok());
        let code = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        let escaped = code.filter(|_| byte == b'%');
        bytes.push(escaped.unwrap_or(byte));
        rest = if escaped.is_some() {
            &behind[2..]
        } else {
            behind
        };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| url.to_owned())
}

/// `text` without quotes or blanks around it, or an `@` before it, if it has such.
pub(super) fn unquoted(text: &str) -> Option<String> {
    let around = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>');
    let plain = text.trim_matches(around);
    let plain = plain.strip_prefix('@').unwrap_or(plain);
    (plain != text && !plain.is_empty()).then(|| plain.to_owned())
}

/// `path` without a line number behind it, as compilers, editors and web pages write one.
pub(super) fn without_line_number(path: &str) -> Option<&str> {
    let digits = |c: char| c.is_ascii_digit() || matches!(c, '-' | ',' | 'L');
    for mark in ["#L", ":L", ":", "("] {
        let mut rest = path.strip_suffix(')').unwrap_or(path);
        // Behind the line there may be a column.
        for _ in 0..2 {
            let Some((before, number)) = rest.rsplit_once(mark) else {
                break;
            };
            if !number.chars().all(digits) {
                break;
            }
            rest = before;
        }
        if rest.len() < path.len() && !rest.is_empty() && !path.ends_with("()") {
            let whole = rest == path.strip_suffix(')').unwrap_or(path);
            if !whole {
                return Some(rest);
            }
        }
    }
    None
}

/// A pattern for several paths that are written one behind the other, if they are all there.
fn several(path: &str) -> Option<String> {
    let parts = path.split([',', ';', '\n', '\t', ' ']).map(str::trim);
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    if parts.len() < 2 || !parts.iter().all(|part| is_readable(part)) {
        return None;
    }
    let pattern = |part: &str| {
        let name = escaped(part.trim_end_matches('/'));
        if Path::new(part).is_dir() {
            name + "/**/*"
        } else {
            name
        }
    };
    let patterns: Vec<String> = parts.iter().map(|part| pattern(part)).collect();
    Some(format!("{{{}}}", patterns.join(",")))
}

/// The directory before the first wildcard, and the pattern from there on.
fn split_at_wildcards(path: &str) -> (String, String) {
    let wild = path.find(['*', '?', '[', '{']).unwrap_or(path.len());
    match path[..wild].rfind('/') {
        Some(0) => ("/".to_owned(), path[1..].to_owned()),
        Some(slash) => (path[..slash].to_owned(), path[slash + 1..].to_owned()),
        None => (".".to_owned(), path.to_owned()),
    }
}

/// `path` from the root of the file system on, as far as that can be told.
pub(super) fn absolute(path: &str) -> PathBuf {
    let here = env::current_dir().unwrap_or_default();
    let mut whole = PathBuf::new();
    for part in here.join(path).components() {
        match part {
            std::path::Component::ParentDir => {
                whole.pop();
            }
            std::path::Component::CurDir => {}
            part => whole.push(part),
        }
    }
    whole
}
