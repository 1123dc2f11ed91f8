//! What the three file tools say of a file that cannot be worked with: in the specification's
//! words, with a note on what is wrong with its path and what to send instead.

use std::path::{Path, PathBuf};

use crate::contract::failure::{Code, Failure};
use crate::contract::terms::Audience;
use crate::files::FileError;
use crate::files::hint::{self, Meant, Obstacle, Slip, Wants};
use crate::tools::file_words::quoted_for_shell;

/// The failure that `error` is for whoever asked for `path`.
pub fn of(path: &str, error: &FileError) -> Failure {
    let (code, message) = match error {
        FileError::NotFound => (Code::FileNotFound, format!("File not found: {path}")),
        FileError::PermissionDenied => {
            (Code::PermissionDenied, format!("Permission denied: {path}"))
        }
        FileError::Refused(reason) => (
            Code::PermissionDenied,
            format!("Permission denied: {path}{reason}"),
        ),
        FileError::Open(reason) => (
            Code::OpenFailed,
            format!("Cannot open file: {path}{reason}"),
        ),
        FileError::Seek => (Code::SeekFailed, format!("Cannot seek file: {path}")),
        FileError::Size => (Code::SizeFailed, format!("Cannot get file size: {path}")),
        FileError::Read(reason) => (
            Code::ReadFailed,
            format!("Failed to read file: {path}{reason}"),
        ),
        FileError::Write(reason) => (
            Code::WriteFailed,
            format!("Failed to write file: {path}{reason}"),
        ),
        FileError::NoSpace => (Code::NoSpace, format!("No space left on device: {path}")),
        FileError::Locked => (
            Code::Timeout,
            format!("Timed out waiting for another writer: {path}"),
        ),
        FileError::TooSlow => (Code::Timeout, format!("Timed out reading file: {path}")),
    };
    Failure::new(code, message)
}

/// The same failure, with a note where it is the path that is wrong.
pub fn with_note(path: &str, error: &FileError, wants: Wants, reader: Audience) -> Failure {
    let failure = of(path, error);
    match error {
        FileError::NotFound | FileError::Open(_) => failure.with_note(note(path, wants, reader)),
        FileError::Locked => failure.with_note(
            "Another program holds a lock on the file, which is as it was: try again later.",
        ),
        _ => failure,
    }
}

/// What is wrong with `path`, and what to send.
fn note(path: &str, wants: Wants, reader: Audience) -> String {
    if path.trim().is_empty() {
        return "file_path is empty: send the path of a file.".to_owned();
    }
    let obstacle = hint::obstacle(Path::new(path));
    if let Some(Obstacle::Directory) = obstacle {
        return directory(path, wants, reader);
    }
    let meant = hint::meant(path, wants);
    if let Some(meant) = meant.as_ref().filter(|meant| meant.exists) {
        return slip(meant, wants);
    }
    let mut said: Vec<String> = meant.iter().map(|meant| slip(meant, wants)).collect();
    match obstacle {
        Some(Obstacle::NoDirectory(part)) => {
            said.push(format!("{} is a file and no directory.", quoted(&part)));
        }
        Some(Obstacle::Dangling(to)) => said.push(format!(
            "It is a symbolic link to {}, which does not exist.",
            quoted(&to)
        )),
        Some(Obstacle::Missing {
            part,
            whole,
            similar,
        }) => {
            // What was meant is told already.
            if meant.is_none() {
                said.extend(missing(path, &part, whole, &similar, wants, reader));
            }
        }
        Some(Obstacle::Directory) | None => {}
    }
    if !said.is_empty()
        && meant.is_none()
        && reader != Audience::Person
        && Path::new(path).is_relative()
        && let Ok(here) = std::env::current_dir()
    {
        said.push(format!("Relative paths start in {}.", quoted(&here)));
    }
    said.join(" ")
}

fn directory(path: &str, wants: Wants, reader: Audience) -> String {
    match wants {
        // The message says so already, and a person knows how to list one.
        _ if reader == Audience::Person => String::new(),
        Wants::File => format!(
            "It is a directory: list it with glob, \"pattern\":\"*\",\"path\":{path:?}, or name a \
             file in it."
        ),
        Wants::Name => "It is a directory: send the path of a file in it.".to_owned(),
    }
}

/// A path that is written otherwise than it was meant.
fn slip(meant: &Meant, wants: Wants) -> String {
    let path = &meant.path;
    let what = match meant.slip {
        Slip::Tilde => "~ is not expanded",
        Slip::Variable => "variables are not expanded",
        Slip::Url => "what is wanted is a path, not a URL",
        Slip::LineNumber(_) => "a line number is no part of the name",
        Slip::Around => "the path has quotes, blanks or a line end around it",
        Slip::Backslashes => "directories are separated by /",
        Slip::Escaped => "blanks in a path need no backslash",
        Slip::At => "the @ is no part of the path",
        Slip::Diff => "the marks of a diff, a/ and b/, are no directories",
        Slip::Root => "it is not below /, but below the working directory",
        Slip::Repeated => "relative paths start in the working directory, whose name is left out",
        Slip::SlashAtEnd => "what ends in / is a directory",
    };
    let mut note = format!("{}{}: send {path:?}", what[..1].to_uppercase(), &what[1..]);
    if let (Slip::LineNumber(line), Wants::File) = (meant.slip, wants) {
        note = format!("{note} (file_read starts at that line with \"offset\":{line})");
    }
    if !meant.exists {
        note += match wants {
            Wants::File => ", which does not exist either",
            Wants::Name => ", whose directory does not exist either",
        };
    }
    note + "."
}

/// A part of the path is not there.
fn missing(
    path: &str,
    part: &Path,
    whole: bool,
    similar: &[PathBuf],
    wants: Wants,
    reader: Audience,
) -> Vec<String> {
    let mut said = Vec::new();
    if !whole {
        said.push(format!("The directory {} does not exist.", quoted(part)));
    }
    let names: Vec<String> = similar.iter().map(|path| quoted(path)).collect();
    match (&names[..], wants) {
        ([], _) => {}
        ([one], _) => said.push(format!("Did you mean {one}?")),
        (several, _) => said.push(format!("Did you mean one of {}?", several.join(", "))),
    }
    match wants {
        Wants::Name if path.ends_with('/') => said.push(
            "A path that ends in / names a directory: send the path of a file in it.".to_owned(),
        ),
        // Something else keeps the file from being made.
        Wants::Name if whole && Path::new(path).parent().is_some_and(Path::is_dir) => {}
        Wants::Name => {
            let parent = Path::new(path).parent().unwrap_or(Path::new("."));
            let parent = parent.to_string_lossy();
            let parent = quoted_for_shell(&parent);
            said.push(if reader == Audience::Person {
                format!("Make it first: mkdir -p {parent}")
            } else {
                format!(
                    "file_write makes no directories: make it with bash, `mkdir -p {parent}`, then \
                     write again."
                )
            });
        }
        Wants::File if similar.is_empty() && reader != Audience::Person => {
            let name = Path::new(path).file_name().unwrap_or_default();
            let name = name.to_string_lossy();
            // What wildcards would read otherwise.
            if !name.contains(['*', '?', '[', '\\', '{']) {
                let pattern = format!("**/{name}");
                said.push(format!(
                    "If it is elsewhere, glob finds it: \"pattern\":{pattern:?}."
                ));
            }
        }
        Wants::File => {}
    }
    said
}

/// A path as it can be sent.
fn quoted(path: &Path) -> String {
    format!("{:?}", path.to_string_lossy())
}

/// What is to be said of a file that was made under a name that looks like a slip of another's,
/// where that other one is there.
pub fn made_beside(path: &str) -> Option<String> {
    let odd = |one: char| one.is_whitespace() || "\"'`<>".contains(one);
    let name = Path::new(path).file_name()?.to_str()?;
    let is_odd = path.starts_with(odd)
        || path.ends_with(odd)
        || path.starts_with('@')
        || name.contains(['\\', ':', '#']);
    if !is_odd || Path::new(path).exists() {
        return None;
    }
    let meant = hint::meant(path, Wants::File).filter(|meant| meant.exists)?;
    Some(format!(
        "This made a new file with the name {name:?}; {:?} is there as well, and unchanged.",
        meant.path
    ))
}

/// The last part of `path`, as answers name a file.
pub fn base_name(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    trimmed.rsplit_once('/').map_or(trimmed, |(_, name)| name)
}
