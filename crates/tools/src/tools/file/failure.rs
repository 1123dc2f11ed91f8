//! The failures of the three file tools: in the specification's words, with a note on what is wrong
//! with a path and what to send instead.

use std::path::{Path, PathBuf};

use crate::contract::call_terms::{Audience, CallTerms};
use crate::contract::failure::{ErrorCode, Failure};
use crate::tools::file::paths::{is_web_address, quoted};
use iki_base::console::exit::PROGRAM;
use iki_base::wording::{count_noun, quoted_for_shell, thousands};
use iki_files::{ErrorReason, FileAccessError};
use iki_process::sandbox::confinement;
use iki_search::missing_paths::{self, MeantPath, NamePlaces, PathObstacle, PathSlip, PathWant};

/// The failure of a call for `path` on which there was `error`.
pub fn from_access_error(path: &str, error: &FileAccessError) -> Failure {
    let none = &ErrorReason::default();
    let (code, what, reason) = match error {
        FileAccessError::NotFound => (ErrorCode::FileNotFound, "File not found", none),
        FileAccessError::PermissionDenied => {
            (ErrorCode::PermissionDenied, "Permission denied", none)
        }
        FileAccessError::Refused(reason) => {
            (ErrorCode::PermissionDenied, "Permission denied", reason)
        }
        FileAccessError::Open(reason) => (ErrorCode::OpenFailed, "Cannot open file", reason),
        FileAccessError::Seek => (ErrorCode::SeekFailed, "Cannot seek file", none),
        FileAccessError::Size => (ErrorCode::SizeFailed, "Cannot get file size", none),
        FileAccessError::Read(reason) => (ErrorCode::ReadFailed, "Failed to read file", reason),
        FileAccessError::Write(reason) => (ErrorCode::WriteFailed, "Failed to write file", reason),
        FileAccessError::NoSpace => (ErrorCode::NoSpace, "No space left on device", none),
        FileAccessError::Locked => (
            ErrorCode::Timeout,
            "Timed out waiting for another writer",
            none,
        ),
        FileAccessError::TooSlow(_) => (ErrorCode::Timeout, "Timed out reading file", none),
    };
    let failure = Failure::new(code, format!("{what}: {path}{reason}"));
    match error {
        FileAccessError::TooSlow(bytes @ 1..) => failure.with_note(format!(
            "{} of it had been looked at when the time of the call was over.",
            count_noun(*bytes, "byte")
        )),
        _ => failure,
    }
}

/// The failure of a call for `path`, with a note if the path is wrong or the file is locked.
pub fn with_note(
    path: &str,
    error: &FileAccessError,
    wants: PathWant,
    terms: &CallTerms,
) -> Failure {
    let failure = from_access_error(path, error);
    match error {
        FileAccessError::NotFound | FileAccessError::Open(_) => {
            failure.with_note(note(path, wants, terms))
        }
        FileAccessError::Locked => failure.with_note(
            "Another program holds a lock on the file, which is as it was: try again later.",
        ),
        _ => failure,
    }
}

/// Says what is wrong with `path`, and what to send.
fn note(path: &str, wants: PathWant, terms: &CallTerms) -> String {
    if path.trim().is_empty() {
        return "file_path is empty: send the path of a file.".to_owned();
    }
    if is_web_address(path) {
        let read = terms.if_served("web_fetch", ": web_fetch reads it");
        return format!("It is an address, and not a path{read}.");
    }
    let obstacle = missing_paths::path_obstacle(Path::new(path), confinement::is_within_reach);
    if let Some(PathObstacle::Directory) = obstacle {
        return directory(path, wants, terms);
    }
    let meant = missing_paths::meant_path(path, wants, confinement::is_within_reach);
    if let Some(meant) = meant.as_ref().filter(|meant| meant.exists) {
        return advise_on_path_slip(meant, wants, terms);
    }
    let mut sentences: Vec<String> = meant
        .iter()
        .map(|meant| advise_on_path_slip(meant, wants, terms))
        .collect();
    match obstacle {
        Some(PathObstacle::NoDirectory(part)) => {
            sentences.push(format!("{} is a file, not a directory.", quoted(&part)));
        }
        Some(PathObstacle::Dangling(to)) => sentences.push(format!(
            "It is a symbolic link to {}, which does not exist.",
            quoted(&to)
        )),
        Some(PathObstacle::Missing {
            part,
            is_whole_path,
            similar,
        }) => {
            // The path that was meant is told already.
            if meant.is_none() {
                sentences.extend(missing(path, &part, is_whole_path, &similar, wants, terms));
            }
        }
        Some(PathObstacle::Directory) | None => {}
    }
    if !sentences.is_empty()
        && meant.is_none()
        && terms.reader != Audience::Person
        && Path::new(path).is_relative()
        && let Ok(here) = std::env::current_dir()
    {
        sentences.push(format!("Relative paths start in {}.", quoted(&here)));
    }
    sentences.join(" ")
}

fn directory(path: &str, wants: PathWant, terms: &CallTerms) -> String {
    match wants {
        // The message says so already, and a person knows how to list one.
        _ if terms.reader == Audience::Person => String::new(),
        PathWant::File | PathWant::Any if terms.serves("glob") => format!(
            "It is a directory: list it with glob, \"pattern\":\"*\",\"path\":{path:?}, or name a \
             file in it."
        ),
        _ => "It is a directory: send the path of a file in it.".to_owned(),
    }
}

/// The advice on a path that is written otherwise than it was meant.
fn advise_on_path_slip(meant: &MeantPath, wants: PathWant, terms: &CallTerms) -> String {
    meant.advice(|path| match (meant.slip, wants) {
        (PathSlip::LineNumber(line), PathWant::File) if terms.serves("file_read") => {
            format!("{path:?} (file_read starts at that line with \"offset\":{line})")
        }
        _ => format!("{path:?}"),
    })
}

/// A part of the path is not there.
fn missing(
    path: &str,
    part: &Path,
    whole: bool,
    similar: &[PathBuf],
    wants: PathWant,
    terms: &CallTerms,
) -> Vec<String> {
    let mut sentences = Vec::new();
    if !whole {
        sentences.push(format!("The directory {} does not exist.", quoted(part)));
    }
    // The same name elsewhere is likelier than another one here.
    let places = match wants {
        PathWant::File | PathWant::Any if whole || similar.is_empty() => {
            missing_paths::places_of_name(Path::new(path), confinement::is_within_reach)
        }
        _ => NamePlaces::default(),
    };
    if places.count > 0 {
        sentences.push(elsewhere(&places));
    }
    // A directory is no file of that name.
    let is_for_file = wants != PathWant::Any && Path::new(path).extension().is_some();
    let is_alike = |path: &&PathBuf| !(is_for_file && path.is_dir());
    let names: Vec<String> = similar
        .iter()
        .filter(is_alike)
        .map(|path| quoted(path))
        .collect();
    match &names[..] {
        [] => {}
        [one] => sentences.push(format!("Did you mean {one}?")),
        several => sentences.push(format!("Did you mean one of {}?", several.join(", "))),
    }
    match wants {
        PathWant::Name if path.ends_with('/') => sentences.push(
            "A path that ends in / names a directory: send the path of a file in it.".to_owned(),
        ),
        // Something else keeps the file from being made.
        PathWant::Name if whole && Path::new(path).parent().is_some_and(Path::is_dir) => {}
        PathWant::Name if terms.serves("bash") => {
            let parent = Path::new(path).parent().unwrap_or(Path::new("."));
            let parent = parent.to_string_lossy();
            sentences.push(format!(
                "Create it with bash, `mkdir -p {}`, then write again.",
                quoted_for_shell(&parent)
            ));
        }
        PathWant::Name => {}
        PathWant::File | PathWant::Any if !names.is_empty() || places.count > 0 => {}
        PathWant::File | PathWant::Any if path.contains(char::REPLACEMENT_CHARACTER) => {
            let wild = path.replace(char::REPLACEMENT_CHARACTER, "?");
            let is_plain = quoted_for_shell(&wild.replace('?', "")) == wild.replace('?', "");
            let rename = format!(": with bash, `mv {wild} NAME` gives it another");
            let rename = terms.if_served("bash", if is_plain { &rename } else { "" });
            sentences.push(format!(
                "A name that is not UTF-8 is shown with U+FFFD, and cannot be sent{rename}."
            ));
        }
        PathWant::File | PathWant::Any => {
            let name = Path::new(path).file_name().unwrap_or_default();
            let name = name.to_string_lossy();
            // In a pattern such a name would mean something else.
            let is_wild = name.contains(['*', '?', '[', '\\', '{']);
            let is_person = terms.reader == Audience::Person;
            if is_person && is_wild {
                let path = quoted_for_shell(path);
                sentences.push(format!(
                    "FILE is one file, without wildcards; `{PROGRAM} glob {path}` finds files."
                ));
            } else if is_person || !terms.serves("glob") {
                return sentences;
            } else if is_wild {
                sentences.push(format!(
                    "file_path names one file, without wildcards: glob finds files, \
                     \"pattern\":{path:?}."
                ));
            } else {
                let pattern = format!("**/{name}");
                sentences.push(format!(
                    "If it is elsewhere, glob finds it: \"pattern\":{pattern:?}."
                ));
            }
        }
    }
    sentences
}

/// Tells where files of the name are.
fn elsewhere(places: &NamePlaces) -> String {
    let paths: Vec<_> = places.paths.iter().map(|(_, path)| quoted(path)).collect();
    let at_least = if places.is_cut { "at least " } else { "" };
    match (places.count, &paths[..]) {
        (1, [one]) if places.is_cut => format!("There is {one}, at least."),
        (1, [one]) => format!("There is {one} (the only file of that name)."),
        (count, _) => {
            let is_all = count == paths.len() as u64;
            let such_as = if is_all { ": " } else { ", such as " };
            let files = thousands(count);
            format!(
                "There are {at_least}{files} files of that name{such_as}{}.",
                paths.join(", ")
            )
        }
    }
}
