//! What may be wrong with a path that leads to no file, and what was meant: found out only when a
//! call has failed, and by looking at few directories, within a moment.
//!
//! Rules: the decisions on the file tools.

use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use crate::sandbox::confinement;
use crate::sort::Sort;
use crate::unexpanded::unexpanded;

/// How many names of a directory are compared with a mistyped one.
const MOST_NAMES: usize = 20_000;

/// How long a directory is listed for that.
const LISTING_TIMEOUT: Duration = Duration::from_millis(30);

/// How many similar names are told.
const MOST_SIMILAR: usize = 3;

/// How much a name must be like another, from 0 to 1.
const SIMILAR: f64 = 0.7;

/// What a call wants of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wants {
    /// A file that is there.
    File,
    /// A file, or a name in a directory that is there.
    Name,
}

/// What is wrong with the way a path is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slip {
    /// `~`, which only shells expand.
    Tilde,
    /// A variable such as `$HOME`, likewise.
    Variable,
    /// A `file:` URL.
    Url,
    /// A line number behind the name: `a.ts:5`, `a.ts:5:10`, `a.ts#L5`.
    LineNumber(u64),
    /// Quotes, backticks, blanks or line ends around the path.
    Around,
    /// `\` between directories.
    Backslashes,
    /// `\` before blanks, as in shells.
    Escaped,
    /// `@` before the path, by which some agents mark files.
    At,
    /// `a/` or `b/` before the path, as in diffs.
    Diff,
    /// `/` before a path that is meant from the working directory.
    Root,
    /// The working directory's own name before the path.
    Repeated,
    /// `/` behind a file's path.
    SlashAtEnd,
}

/// A path that was meant.
#[derive(Debug, PartialEq, Eq)]
pub struct Meant {
    /// What was wrong with the one that was sent.
    pub slip: Slip,
    /// The path.
    pub path: String,
    /// Whether what is wanted is there.
    pub exists: bool,
}

/// What `path` was meant as, if it is written in one of the ways that are known.
#[must_use]
pub fn meant(path: &str, wants: Wants) -> Option<Meant> {
    let mut slips = slips(path);
    // What lies outside of the call's bounds would be refused, and whether it is there is not told.
    slips.retain(|(_, meant)| confinement::is_within_reach(Path::new(meant)));
    if wants == Wants::Name {
        // Any name can be a new file's: these would be guesses.
        slips.retain(|(slip, meant)| match slip {
            Slip::LineNumber(_) | Slip::Diff | Slip::At | Slip::Backslashes => false,
            Slip::Root | Slip::Repeated => meant.contains('/'),
            Slip::SlashAtEnd => fs::metadata(meant).is_ok_and(|status| status.is_file()),
            _ => true,
        });
    }
    let there = |path: &str| match wants {
        Wants::File => fs::metadata(path).is_ok_and(|status| !status.is_dir()),
        Wants::Name => !path.is_empty() && has_directory(Path::new(path)),
    };
    // Two at once, such as a line number within quotes, are told as the first of them.
    for (slip, once) in &slips {
        let twice = self::slips(once).into_iter().map(|(_, path)| path);
        let mut paths = std::iter::once(once.clone()).chain(twice);
        let within = |path: &String| confinement::is_within_reach(Path::new(path));
        if let Some(path) = paths.find(|path| within(path) && there(path)) {
            return Some(Meant {
                slip: *slip,
                path,
                exists: true,
            });
        }
    }
    let sure = |slip: &Slip| matches!(slip, Slip::Tilde | Slip::Variable | Slip::Url);
    let (slip, path) = slips.into_iter().find(|(slip, _)| sure(slip))?;
    Some(Meant {
        slip,
        path,
        exists: false,
    })
}

/// Whether the directory of `path` is there, and `path` itself is none.
fn has_directory(path: &Path) -> bool {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new(".")).is_dir() && !path.is_dir()
}

/// The ways to read `path` otherwise than it is written.
fn slips(path: &str) -> Vec<(Slip, String)> {
    let mut found = Vec::new();
    let mut add = |slip, meant: Option<String>| {
        found.extend(
            meant
                .filter(|meant| meant != path)
                .map(|meant| (slip, meant)),
        );
    };
    let around = |one: char| one.is_whitespace() || "\"'`<>".contains(one);
    add(Slip::Around, Some(path.trim_matches(around).to_owned()));
    add(Slip::Url, from_url(path));
    if let Some(unexpanded) = unexpanded(path.trim()) {
        let slip = if unexpanded.tilde {
            Slip::Tilde
        } else {
            Slip::Variable
        };
        add(slip, unexpanded.path());
    }
    if let Some((file, line)) = without_line_number(path) {
        add(Slip::LineNumber(line), Some(file.to_owned()));
    }
    add(Slip::At, path.strip_prefix('@').map(str::to_owned));
    let diff = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/"));
    add(Slip::Diff, diff.map(str::to_owned));
    add(Slip::Escaped, Some(path.replace("\\ ", " ")));
    add(Slip::Backslashes, Some(path.replace('\\', "/")));
    let relative = path.trim_start_matches('/');
    add(
        Slip::Root,
        path.starts_with('/').then(|| relative.to_owned()),
    );
    let here = std::env::current_dir().ok();
    let name = here
        .as_deref()
        .and_then(Path::file_name)
        .and_then(OsStr::to_str);
    let repeated = name.and_then(|name| relative.strip_prefix(name)?.strip_prefix('/'));
    add(Slip::Repeated, repeated.map(str::to_owned));
    add(
        Slip::SlashAtEnd,
        Some(path.trim_end_matches('/').to_owned()),
    );
    found.retain(|(_, path)| !path.is_empty());
    found
}

/// The path of a `file:` URL.
fn from_url(path: &str) -> Option<String> {
    let (scheme, rest) = path.trim().split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let rest = match rest.strip_prefix("//") {
        Some(rest) => rest.strip_prefix("localhost").unwrap_or(rest),
        None => rest,
    };
    let decoded = percent_encoding::percent_decode_str(rest).decode_utf8();
    Some(decoded.ok()?.into_owned())
}

/// A path without the line number behind it, and that number.
fn without_line_number(path: &str) -> Option<(&str, u64)> {
    let path = path.trim_end_matches([':', ' ']);
    if let Some((file, place)) = path.rsplit_once('#') {
        let place = place.trim_start_matches(['L', 'l', 'C']);
        let digits = place.bytes().take_while(u8::is_ascii_digit).count();
        let line = place[..digits].parse().ok()?;
        return Some((file, line));
    }
    let mut found = None;
    let mut file = path;
    // A column stands behind the line, and a range may.
    while let Some((before, number)) = file.rsplit_once([':', ',']) {
        let number = number.trim().trim_start_matches(['L', 'l']);
        let number = number.split('-').next().unwrap_or_default();
        let Ok(number) = number.parse() else {
            break;
        };
        found = Some(number);
        file = before;
    }
    found.filter(|_| !file.is_empty()).map(|line| (file, line))
}

/// Where a path ends to lead anywhere.
#[derive(Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// It leads to a directory.
    Directory,
    /// This part of it is a file and no directory.
    NoDirectory(PathBuf),
    /// It is a symbolic link to this, which is not there.
    Dangling(PathBuf),
    /// This part of it is not there.
    Missing {
        /// The part, up to the name that is not there.
        part: PathBuf,
        /// Whether that is the whole path: only the file itself is missing.
        whole: bool,
        /// Paths with similar names, which are there; the likeliest first.
        similar: Vec<PathBuf>,
    },
}

/// Where `path` ends to lead anywhere; `None` where it leads to something, or nobody knows.
#[must_use]
pub fn obstacle(path: &Path) -> Option<Obstacle> {
    if fs::metadata(path).is_ok_and(|status| status.is_dir()) {
        return Some(Obstacle::Directory);
    }
    let parts: Vec<Component<'_>> = path.components().collect();
    let mut part = PathBuf::new();
    for (at, one) in parts.iter().enumerate() {
        let above = part.clone();
        part.push(one);
        match fs::metadata(&part) {
            Ok(status) if status.is_dir() => {}
            Ok(_) if at + 1 < parts.len() => return Some(Obstacle::NoDirectory(part)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                if let Ok(to) = fs::read_link(&part) {
                    return Some(Obstacle::Dangling(to));
                }
                let rest: PathBuf = parts[at + 1..].iter().collect();
                let similar = similar(&above, one.as_os_str(), &rest);
                let whole = at + 1 == parts.len();
                return Some(Obstacle::Missing {
                    part,
                    whole,
                    similar,
                });
            }
            Ok(_) | Err(_) => return None,
        }
    }
    None
}

/// The names in `directory` that are like `name` and below which `rest` is there.
fn similar(directory: &Path, name: &OsStr, rest: &Path) -> Vec<PathBuf> {
    let Some(name) = name.to_str() else {
        return Vec::new();
    };
    let listed = if directory.as_os_str().is_empty() {
        Path::new(".")
    } else {
        directory
    };
    let entries = match fs::read_dir(listed) {
        Ok(entries) if !confinement::masks_name(listed) => entries,
        _ => return Vec::new(),
    };
    let deadline = Instant::now() + LISTING_TIMEOUT;
    let wanted = name.to_lowercase();
    let mut found: Vec<(f64, String)> = Vec::new();
    for (at, entry) in entries.flatten().take(MOST_NAMES).enumerate() {
        if at % 64 == 63 && Instant::now() >= deadline {
            break;
        }
        let Ok(other) = entry.file_name().into_string() else {
            continue;
        };
        let likeness = likeness(&wanted, &other.to_lowercase());
        if likeness >= SIMILAR {
            found.push((likeness, other));
        }
    }
    found.arrange_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    let paths = found.into_iter().map(|(_, other)| {
        let path = directory.join(other);
        if rest.as_os_str().is_empty() {
            path
        } else {
            path.join(rest)
        }
    });
    paths
        .filter(|path| fs::symlink_metadata(path).is_ok())
        .take(MOST_SIMILAR)
        .collect()
}

/// How much a name is like another, both in small letters. What differs in its extension alone, or
/// in blanks and signs between its words, is much alike.
fn likeness(one: &str, other: &str) -> f64 {
    // Names of very different length are no slips of each other.
    if one.len() > 3 * other.len() + 3 || other.len() > 3 * one.len() + 3 {
        return 0.0;
    }
    let plain = |name: &str| -> String { name.chars().filter(|c| c.is_alphanumeric()).collect() };
    if plain(one) == plain(other) {
        return 1.0;
    }
    let (stem, extension) = one.rsplit_once('.').unwrap_or((one, ""));
    let (other_stem, other_extension) = other.rsplit_once('.').unwrap_or((other, ""));
    if stem == other_stem && !stem.is_empty() {
        return 0.9;
    }
    // An extension in common does not make two names alike.
    if extension == other_extension {
        return strsim::normalized_damerau_levenshtein(stem, other_stem);
    }
    strsim::normalized_damerau_levenshtein(one, other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_read_as_they_were_meant() {
        for (path, slip, meant) in [
            ("a.ts:5", Slip::LineNumber(5), "a.ts"),
            ("src/a.ts:5:10", Slip::LineNumber(5), "src/a.ts"),
            ("a.ts:5-10", Slip::LineNumber(5), "a.ts"),
            ("a.ts:L5", Slip::LineNumber(5), "a.ts"),
            ("a.ts#L5", Slip::LineNumber(5), "a.ts"),
            ("a.ts#L5-L9", Slip::LineNumber(5), "a.ts"),
            ("a.ts:12:", Slip::LineNumber(12), "a.ts"),
            ("file:///tmp/a%20b", Slip::Url, "/tmp/a b"),
            ("file://localhost/tmp/a", Slip::Url, "/tmp/a"),
            ("\"a.ts\"\n", Slip::Around, "a.ts"),
            ("@src/a.ts", Slip::At, "src/a.ts"),
            ("b/src/a.ts", Slip::Diff, "src/a.ts"),
            ("src\\a.ts", Slip::Backslashes, "src/a.ts"),
            ("my\\ file", Slip::Escaped, "my file"),
            ("/src/a.ts", Slip::Root, "src/a.ts"),
        ] {
            let found = slips(path);
            assert!(
                found.contains(&(slip, meant.to_owned())),
                "{path}: {found:?}"
            );
        }
        for path in ["a.ts", "src/a-5.ts", "a:b", "#", ":5", "C++#", ""] {
            let found = slips(path);
            assert!(
                !found
                    .iter()
                    .any(|(slip, _)| matches!(slip, Slip::LineNumber(_))),
                "{path}: {found:?}"
            );
        }
    }

    #[test]
    fn names_are_alike_as_they_are_mistyped() {
        for (one, other) in [
            ("readme.md", "readme.md"),
            ("config.yml", "config.yaml"),
            ("index.js", "index.ts"),
            ("main", "main.rs"),
            ("user_service.py", "user-service.py"),
            ("databse.go", "database.go"),
        ] {
            assert!(likeness(one, other) >= SIMILAR, "{one} {other}");
        }
        for (one, other) in [
            ("main.rs", "lib.rs"),
            ("a.txt", "b.txt"),
            ("x", "xylophone.c"),
        ] {
            assert!(likeness(one, other) < SIMILAR, "{one} {other}");
        }
    }
}
