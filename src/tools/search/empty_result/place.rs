//! A directory or file that is not where it was looked for, and where it may be.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Instant;

use super::{BetterPattern, EmptySearch, json_field};
use crate::paths::{PathWant, meant_path, similar_names};
use crate::tools::search::note::error_in_words;

/// Says what is wrong with the path of a search, in which `pattern`, if there is one, was to be
/// found.
pub(super) fn misplaced(search: EmptySearch<'_>, pattern: Option<&str>) -> Option<String> {
    let path = search.path;
    if path.contains('\0') {
        return Some("`path` holds a NUL character, which no file name has.".to_owned());
    }
    let error = match fs::metadata(path) {
        Ok(status) if status.is_dir() => fs::read_dir(path).err()?,
        Err(error) if !is_missing(&error) => error,
        Ok(_) => return of_other_kind(path, "`path`", search),
        Err(_) => {
            let missing = || missing(search, pattern);
            return of_other_kind(path, "`path`", search).or_else(|| Some(missing()));
        }
    };
    let why = error_in_words(&error);
    Some(format!("`path` cannot be reached: {why}."))
}

/// Says that `path`, which is called `name`, is a symbolic link that leads nowhere, or nothing to
/// search.
pub(super) fn of_other_kind(path: &str, name: &str, search: EmptySearch<'_>) -> Option<String> {
    let Ok(status) = fs::metadata(path) else {
        let target = fs::read_link(path).ok()?;
        let target = target.to_string_lossy();
        return Some(format!(
            "{name} is a symbolic link to {target}, which does not exist."
        ));
    };
    let (searches, field) = (search.words.searches, search.words.field);
    if status.is_dir() || (searches && status.is_file()) {
        return None;
    }
    if status.is_file() {
        return Some(format!(
            "`path` is a file, not a directory: send the directory that it is in, and its name in `{field}`."
        ));
    }
    Some(format!(
        "{name} is neither a directory nor a regular file, and is not searched."
    ))
}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename
    )
}

/// Says what was probably meant by a path that is missing, or what is nearest to it.
fn missing(search: EmptySearch<'_>, pattern: Option<&str>) -> String {
    let (path, field) = (search.path, search.words.field);
    if let Some(meant) = meant_path(path, PathWant::Any, |_| true) {
        return meant.advice(|path| json_field("path", path));
    }
    if !path.contains(WILDCARDS) {
        return NearestPath::of(Path::new(path), search.until).sentence("`path`");
    }
    let (directory, named) = split_at_wildcards(path);
    if !Path::new(&directory).is_dir() {
        return NearestPath::of(Path::new(&directory), search.until).sentence(&directory);
    }
    let inner = EmptySearch {
        path: &directory,
        ..search
    };
    // Without a pattern, grep searches all files in the directory.
    let behind = format!("{}/{}", named.trim_end_matches('/'), pattern.unwrap_or("*"));
    let found = inner.find(&behind).or_else(|| inner.find(&named));
    let found = found.unwrap_or_else(|| BetterPattern {
        pattern: pattern.map_or(named, |_| behind),
        ..BetterPattern::default()
    });
    let send = json_field("path", &directory);
    let found = search.recommend(&found);
    format!("`path` is taken as it is, and wildcards belong in `{field}`: {send},{found}.")
}

/// The nearest that there is to a path that is missing.
pub(super) struct NearestPath {
    /// The nearest directory above it.
    directory: String,
    /// A file on the way that would have to be a directory.
    file: Option<String>,
    /// Names in the directory that are like the next one.
    pub similar: Vec<String>,
}

impl NearestPath {
    pub fn of(path: &Path, until: Instant) -> Self {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let (mut missing, mut file) = (path, None);
        for above in path.ancestors() {
            let here = if above.as_os_str().is_empty() {
                Path::new(".")
            } else {
                above
            };
            match fs::metadata(here) {
                Ok(status) if !status.is_dir() => file = Some(text(above)),
                Ok(_) if above != path => {
                    let name = missing.file_name().and_then(|name| name.to_str());
                    let alone = Path::new("");
                    let similar = name.map(|name| similar_names(here, name, alone, until));
                    return Self {
                        directory: text(here),
                        file,
                        similar: similar.unwrap_or_default(),
                    };
                }
                _ => {}
            }
            missing = above;
        }
        Self {
            directory: ".".to_owned(),
            file,
            similar: Vec::new(),
        }
    }

    /// True if it says more than that there is no such path.
    pub fn is_telling(&self) -> bool {
        !self.similar.is_empty() || self.file.is_some()
    }

    /// Says that `path` is missing.
    pub fn sentence(&self, path: &str) -> String {
        if let Some(file) = self.file.as_deref() {
            let missing = format!("{path} does not exist: ");
            let missing = if file == path { "" } else { &missing };
            return format!("{missing}{file} is a file, and nothing lies in it.");
        }
        let mut has = self.similar.join(", ");
        if !has.is_empty() {
            has.insert_str(0, ", which has ");
        }
        // A full stop behind it would make it another directory.
        let nearest = match &*self.directory {
            "." => "the working directory",
            nearest => nearest,
        };
        format!("{path} does not exist; the nearest directory that does is {nearest}{has}.")
    }
}

const WILDCARDS: [char; 4] = ['*', '?', '[', '{'];

/// The directory before the first wildcard, and the pattern from there on.
fn split_at_wildcards(path: &str) -> (String, String) {
    let wild = path.find(WILDCARDS).unwrap_or(path.len());
    match path[..wild].rfind('/') {
        Some(0) => ("/".to_owned(), path[1..].to_owned()),
        Some(slash) => (path[..slash].to_owned(), path[slash + 1..].to_owned()),
        None => (".".to_owned(), path.to_owned()),
    }
}
