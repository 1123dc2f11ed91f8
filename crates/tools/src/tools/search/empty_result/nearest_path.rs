//! A directory or file that is missing, and where it may be.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use super::{BetterPattern, EmptySearch, json_field};
use crate::tools::search::note::error_in_words;
use iki_process::sandbox::confinement;
use iki_search::missing_paths::{PathObstacle, PathWant, meant_path, path_obstacle};

/// Says what is wrong with the path of a search, in which `pattern`, if given, was sought.
#[must_use]
pub fn explain_path(search: EmptySearch<'_>, pattern: Option<&str>) -> Option<String> {
    let path = search.path;
    if path.contains('\0') {
        return Some("`path` contains a NUL character, which no file name can have.".to_owned());
    }
    let error = match fs::metadata(path) {
        Ok(status) if status.is_dir() => fs::read_dir(path).err()?,
        Err(error) if !is_missing(&error) => error,
        Ok(_) => return explain_file_kind(path, "`path`", search),
        Err(_) => {
            let missing = || explain_missing_path(search, pattern);
            return explain_file_kind(path, "`path`", search).or_else(|| Some(missing()));
        }
    };
    let why = error_in_words(&error);
    Some(format!("`path` cannot be reached: {why}."))
}

/// Says that `path`, which the sentence calls `name`, is a dangling link or cannot be searched.
pub(super) fn explain_file_kind(path: &str, name: &str, search: EmptySearch<'_>) -> Option<String> {
    let Ok(status) = fs::metadata(path) else {
        let target = fs::read_link(path).ok()?;
        let target = target.to_string_lossy();
        return Some(format!(
            "{name} is a symbolic link to {target}, which does not exist."
        ));
    };
    let (searches, field) = (search.words.searches_files, search.words.pattern_field);
    if status.is_dir() || (searches && status.is_file()) {
        return None;
    }
    if status.is_file() {
        return Some(format!(
            "`path` is a file, not a directory: send the directory that it is in, and its name in \
             `{field}`."
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

/// Says what a missing path was probably meant to be, or what exists nearest to it.
fn explain_missing_path(search: EmptySearch<'_>, pattern: Option<&str>) -> String {
    let (path, field) = (search.path, search.words.pattern_field);
    if let Some(meant) = meant_path(path, PathWant::Any, |_| true) {
        return meant.advice(|path| json_field("path", path));
    }
    if let Some(all) = several_paths(path) {
        let inner = EmptySearch { path: "", ..search };
        let behind = behind_directories(search, &all, pattern);
        if let Some(better_pattern) = inner.find_better_pattern(&behind) {
            let recommendation = search.recommend(&better_pattern);
            let send = json_field("path", ".");
            return format!("`path` is one directory; for several send {send},{recommendation}.");
        }
    }
    if !path.contains(WILDCARDS) {
        return NearestPath::for_path(Path::new(path)).sentence("`path`");
    }
    let (directory, named) = split_at_wildcards(path);
    if !Path::new(&directory).is_dir() {
        return NearestPath::for_path(Path::new(&directory)).sentence(&directory);
    }
    let is_every_name = named.trim_matches(['*', '/']).is_empty();
    if search.scope.is_some() && is_every_name && pattern.is_none_or(|one| !one.contains('/')) {
        let pattern =
            pattern.map_or_else(String::new, |one| format!(",{}", json_field(field, one)));
        let send = json_field("path", &directory);
        return format!("`path` takes no wildcards: send {send}{pattern}.");
    }
    let inner = EmptySearch {
        path: &directory,
        ..search
    };
    let behind = behind_directories(search, &named, pattern);
    let better_pattern = inner
        .find_better_pattern(&behind)
        .or_else(|| inner.find_better_pattern(&named));
    let better_pattern = better_pattern.unwrap_or_else(|| BetterPattern {
        pattern: pattern.map_or(named, |_| behind),
        ..BetterPattern::default()
    });
    let send = json_field("path", &directory);
    let recommendation = search.recommend(&better_pattern);
    format!("`path` takes no wildcards; put them in `{field}`: {send},{recommendation}.")
}

/// The pattern for what `pattern`, if given, names in the `directories` of a pattern.
fn behind_directories(search: EmptySearch<'_>, directories: &str, pattern: Option<&str>) -> String {
    let directories = directories.trim_end_matches('/');
    match pattern {
        Some(pattern) if search.scope.is_some() && !pattern.contains('/') => {
            format!("{directories}/**/{pattern}")
        }
        // What a shell would name is what is in the directory.
        None if directories.trim_matches(['*', '/']).is_empty() => directories.to_owned(),
        // Without a pattern, grep searches all files.
        None if search.scope.is_some() => format!("{directories}/**"),
        pattern => format!("{directories}/{}", pattern.unwrap_or("*")),
    }
}

/// The braces for several paths, all of which exist: `src,tests`, `src tests`.
fn several_paths(path: &str) -> Option<String> {
    let parts = path
        .split([',', ';', ' ', '\n'])
        .filter(|part| !part.is_empty());
    let parts: Vec<&str> = parts.map(|part| part.trim_end_matches('/')).collect();
    let exists =
        |part: &&str| confinement::is_within_reach(Path::new(part)) && Path::new(part).exists();
    let exist = parts.iter().all(exists);
    (parts.len() > 1 && exist).then(|| format!("{{{}}}", parts.join(",")))
}

/// The obstacle on the way to a missing path, if it is known.
pub(super) struct NearestPath(Option<PathObstacle>);

impl NearestPath {
    pub fn for_path(path: &Path) -> Self {
        let obstacle = |path: &Path| path_obstacle(path, |_| true);
        Self(match obstacle(path) {
            // A similar name helps even if the rest of the path is not below it.
            Some(PathObstacle::Missing {
                part,
                is_whole_path: false,
                ..
            }) => obstacle(&part),
            None if path.is_file() => Some(PathObstacle::NoDirectory(path.to_owned())),
            obstacle => obstacle,
        })
    }

    /// True if a file stands in the way.
    pub fn is_file(&self) -> bool {
        matches!(self.0, Some(PathObstacle::NoDirectory(_)))
    }

    /// True if names similar to the missing one exist.
    pub fn has_similar(&self) -> bool {
        matches!(&self.0, Some(PathObstacle::Missing { similar, .. }) if !similar.is_empty())
    }

    /// Says that `path` is missing.
    pub fn sentence(&self, path: &str) -> String {
        let (part, similar) = match &self.0 {
            Some(PathObstacle::Missing { part, similar, .. }) => (part, similar),
            Some(PathObstacle::NoDirectory(file)) => {
                let file = file.to_string_lossy();
                let missing = format!("{path} does not exist: ");
                let missing = if file == path { "" } else { &missing };
                return format!("{missing}{file} is a file, not a directory.");
            }
            Some(PathObstacle::Dangling(to)) => {
                let to = to.display();
                return format!(
                    "{path} does not exist: a link on the way leads to {to}, which is missing."
                );
            }
            _ => return format!("{path} does not exist."),
        };
        let directory = part.parent().unwrap_or(Path::new(""));
        let names = similar
            .iter()
            .filter_map(|one| one.strip_prefix(directory).ok());
        let names: Vec<_> = names.map(Path::to_string_lossy).collect();
        let mut has = names.join(", ");
        if !has.is_empty() {
            has.insert_str(0, ", which has ");
        }
        // "." is spelled out, because a full stop after it would read as "..".
        let nearest = match &*directory.to_string_lossy() {
            "" | "." => "the working directory".to_owned(),
            nearest => nearest.to_owned(),
        };
        format!("{path} does not exist; the nearest directory that does is {nearest}{has}.")
    }
}

const WILDCARDS: [char; 4] = ['*', '?', '[', '{'];

/// Splits a path into the directory before its first wildcard and the pattern from there on.
fn split_at_wildcards(path: &str) -> (String, String) {
    let wild = path.find(WILDCARDS).unwrap_or(path.len());
    match path[..wild].rfind('/') {
        Some(0) => ("/".to_owned(), path[1..].to_owned()),
        Some(slash) => (path[..slash].to_owned(), path[slash + 1..].to_owned()),
        None => (".".to_owned(), path.to_owned()),
    }
}
