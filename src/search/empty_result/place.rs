//! A directory or file that is not where it was looked for, and where it may be.

use std::env;
use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::BetterPattern;
use super::survey::escaped;
use crate::paths::{MeantPath, PathWant, is_readable, meant_path, similar_names};

/// The reason why a path leads to nothing that can be searched.
#[derive(Debug)]
pub enum MisplacedPath {
    /// It holds a NUL.
    Nul,
    /// It is not there.
    Missing {
        /// The nearest directory above it that is.
        nearest: String,
        /// A file on the way that would have to be a directory.
        file: Option<String>,
        /// Names in there that are like the next one.
        similar: Vec<String>,
        /// The mistake in it, and what was probably meant.
        slip: Option<MiswrittenPath>,
    },
    /// It is a symbolic link to this, which is not there.
    LeadsNowhere(String),
    /// It is there and cannot be reached or read.
    Unreachable(io::Error),
    /// It is there and nothing to search.
    NotSearched(PathKind),
}

/// A kind of file that is not a directory.
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
pub enum MiswrittenPath {
    /// Otherwise than it was meant.
    Meant(MeantPath),
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

/// Finds out what is wrong with `path`; `files` may be searched as well as directories.
pub(super) fn misplaced(path: &str, files: bool, until: Instant) -> Option<MisplacedPath> {
    if path.contains('\0') {
        return Some(MisplacedPath::Nul);
    }
    match fs::metadata(path) {
        Ok(status) if status.is_dir() => fs::read_dir(path).err().map(MisplacedPath::Unreachable),
        Ok(status) if files && status.is_file() => None,
        Ok(status) => Some(MisplacedPath::NotSearched(kind(&status))),
        Err(error) if is_missing(&error) => {
            if let Some(target) = dangling(Path::new(path)) {
                return Some(MisplacedPath::LeadsNowhere(target));
            }
            let (nearest, file, similar) = nearest(Path::new(path), until);
            Some(MisplacedPath::Missing {
                nearest,
                file,
                similar,
                slip: slip(path),
            })
        }
        Err(error) => Some(MisplacedPath::Unreachable(error)),
    }
}

/// The target of the symbolic link `path`, if it is not there.
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

/// The nearest directory above `path`, a file on the way that would have to be a directory, and the
/// names there that are like the one that is missing.
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
                let alone = Path::new("");
                let similar = name.map(|name| similar_names(above_or_here, name, alone, until));
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

/// Finds the mistake in a path that is missing.
fn slip(path: &str) -> Option<MiswrittenPath> {
    if let Some(meant) = meant_path(path, PathWant::Any, |_| true) {
        return Some(MiswrittenPath::Meant(meant));
    }
    if let Some(pattern) = several(path) {
        return Some(MiswrittenPath::Several(pattern));
    }
    if path.contains(['*', '?', '[', '{']) {
        let (directory, pattern) = split_at_wildcards(path);
        return Some(MiswrittenPath::Wildcards {
            is_there: fs::metadata(&directory).is_ok_and(|status| status.is_dir()),
            directory,
            found: BetterPattern {
                pattern,
                ..BetterPattern::default()
            },
        });
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
