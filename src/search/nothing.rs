//! Why a search found nothing: because there is nothing, or because it did not look there.
//!
//! Whoever reads "nothing found" takes it for a fact. So where something was not looked at, this
//! finds out what: a path that is not there, a pattern that is written in another language, files
//! that lie deeper. Whatever is recommended has been tried out or counted. All of it together ends
//! at a time that the caller sets; counts are then the least that there is.
//!
//! Rules: the decisions on glob and grep ("an empty answer says why").

mod looked;
mod place;
mod readings;
mod survey;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::path::Path;
use std::time::{Duration, Instant};

use super::paths::EntryKind;
use super::steps::Pattern;
use crate::paths::{Unexpanded, unexpanded};
use looked::{Looked, at_last_slash, joined};
pub use place::{Kind, Misplaced, Slip};
pub use readings::Misread;
use survey::{Sought, Survey};

/// How long finding out why may take.
pub const LIMIT: Duration = Duration::from_millis(50);

/// How long trying out one pattern may take.
const ONE_TRY: Duration = Duration::from_millis(10);

/// How many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// The number.
    pub number: u64,
    /// There may be more, for which there was no time.
    pub at_least: bool,
}

/// A pattern that finds something, from the same directory on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The pattern.
    pub pattern: String,
    /// How much it finds.
    pub count: Count,
}

/// Why nothing was found.
#[derive(Debug)]
pub enum Reason {
    /// There is something wrong with `path`.
    Path(Misplaced),
    /// The pattern is empty.
    EmptyPattern,
    /// The pattern begins with what only a shell expands: what it would be, if that is known.
    Unexpanded(Option<String>),
    /// The pattern was mistaken for something else, and what was probably meant finds something.
    Misread(Misread, Found),
    /// The pattern names what is to be left out.
    Negation,
    /// A directory that the pattern names is not there.
    MissingDirectory {
        /// That directory.
        path: String,
        /// The nearest one above it.
        nearest: String,
        /// What stands in its place.
        file: Option<String>,
        /// Names in there that are like it.
        similar: Vec<String>,
    },
    /// There are names like the one that is missing in this directory.
    Similar(String, Vec<String>),
    /// What matches lies deeper.
    Below(Below),
    /// What matches is hidden.
    Hidden(Vec<Found>),
    /// What matches is written in other cases.
    OtherCase(Vec<String>),
    /// What matches lies only in directories that hold what was built, with its number in each.
    OnlyBuilt(Vec<(String, Count)>),
    /// What the pattern names is a directory, and this pattern names the files in it.
    Directory(String, Option<Found>),
    /// What the pattern names are so many directories, and this pattern names the files in them.
    Directories(u64, Found),
    /// What the pattern names is a symbolic link to this, which is not there.
    LeadsNowhere(String, String),
    /// What the pattern names is of this kind, which is not searched.
    Special(String, Kind),
    /// So many names are symbolic links to files, which are not followed.
    Links(u64),
}

/// What matches below the directory that was looked at.
#[derive(Debug)]
pub struct Below {
    /// The directory.
    pub directory: String,
    /// Whether the pattern looks directly in it, and nowhere else.
    pub direct: bool,
    /// A directory that the pattern names and that is not there.
    pub missing: Option<String>,
    /// The pattern that leads there.
    pub found: Found,
    /// The pattern for the extension that most names there have.
    pub most: Option<Found>,
    /// Directories that were not counted, and how many names match in each.
    pub built: Vec<(String, Count)>,
}

/// What was asked for.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The directory to start from; empty where none was given.
    pub path: &'a str,
    /// The pattern.
    pub pattern: &'a str,
    /// Whether only regular files are of use.
    pub files_only: bool,
    /// When the answer has to be there.
    pub until: Instant,
}

/// What a search of files looked at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Searched {
    /// How many regular files were named.
    pub files: u64,
    /// How many directories.
    pub directories: u64,
    /// How many symbolic links.
    pub links: u64,
    /// Whether there were hidden names beside them.
    pub hidden: bool,
}

/// What is wrong with `path`, where `pattern` was to be looked for in it, if there is one.
#[must_use]
pub fn misplaced(asked: Asked<'_>, pattern: Option<&str>) -> Option<Misplaced> {
    let mut misplaced = place::misplaced(asked.path, asked.files_only, asked.until)?;
    if let Misplaced::Missing {
        slip: Some(Slip::Wildcards {
            directory, found, ..
        }),
        ..
    } = &mut misplaced
    {
        let asked = Asked {
            path: directory,
            ..asked
        };
        // Where files are searched and none are named, it is all that lie in the directory.
        let behind = format!(
            "{}/{}",
            found.pattern.trim_end_matches('/'),
            pattern.unwrap_or("*")
        );
        let alone = asked.find(&found.pattern);
        if let Some(better) = asked.find(&behind).or(alone) {
            *found = better;
        } else if pattern.is_some() {
            found.pattern = behind;
        }
    }
    Some(misplaced)
}

/// Why no name was found; none, where there is nothing to be found.
#[must_use]
pub fn names(asked: Asked<'_>) -> Option<Reason> {
    let pattern = &*plain(asked.pattern);
    let asked = Asked { pattern, ..asked };
    if !pattern.starts_with('/')
        && !asked.path.is_empty()
        && let Some(misplaced) = misplaced(asked, Some(pattern))
    {
        return Some(Reason::Path(misplaced));
    }
    if pattern.is_empty() {
        return Some(Reason::EmptyPattern);
    }
    if let Some(meant) = meant(pattern) {
        return Some(Reason::Unexpanded(meant));
    }
    let readings = readings::readings(pattern, asked.path);
    for (how, reading) in &readings {
        if let Some(found) = asked.find(reading) {
            return Some(Reason::Misread(*how, found));
        }
    }
    let looked = Looked::at(&asked);
    if let Some(missing) = looked.missing.as_ref() {
        let (nearest, file, similar) = place::nearest(missing, asked.until);
        if !similar.is_empty() || file.is_some() || pattern.starts_with('/') {
            return Some(Reason::MissingDirectory {
                path: missing.to_string_lossy().into_owned(),
                nearest,
                file,
                similar,
            });
        }
    }
    let mut first = asked;
    if !readings.is_empty() {
        // Some of the time is for the other readings.
        first.until = asked.until.min(Instant::now() + LIMIT / 2);
    }
    if let Some(reason) = looked.survey(first, None) {
        return Some(reason);
    }
    for (how, reading) in &readings {
        let asked = Asked {
            pattern: reading,
            ..asked
        };
        if let Some(Reason::Below(below)) = Looked::at(&asked).survey(asked, None) {
            return Some(Reason::Misread(*how, below.found));
        }
    }
    if pattern.starts_with('!') {
        return Some(Reason::Negation);
    }
    looked.similar(&asked)
}

/// Why no line was found in the files that `asked` names, of which so many were searched; none,
/// where all was searched.
#[must_use]
pub fn lines(asked: Asked<'_>, searched: Searched) -> Option<Reason> {
    let pattern = &*plain(asked.pattern);
    let asked = Asked { pattern, ..asked };
    let looked = Looked::at(&asked);
    if searched.files > 0 {
        // A name that is written out has been found.
        if !looked.sought.is_wild() {
            return None;
        }
        let deep = asked.pattern.split('/').any(|part| part == "**");
        // Below, all has been searched then.
        let all = deep && !searched.hidden;
        let reason = (!all).then(|| looked.survey(asked, Some(searched.files)));
        return reason
            .flatten()
            .or_else(|| (searched.links > 0).then_some(Reason::Links(searched.links)));
    }
    if searched.directories > 0 && !is_wild(asked.pattern) {
        let name = asked.pattern.trim_end_matches('/').to_owned();
        let every = Sought::new("*", true);
        let base = joined(asked.path, &name);
        let survey = Survey::of(&base, &every, asked.until);
        let found = survey.pattern(&format!("{name}/"), false);
        return Some(Reason::Directory(name, found));
    }
    if !looked.sought.is_wild()
        && let Some(target) = place::dangling(&joined(asked.path, asked.pattern))
    {
        return Some(Reason::LeadsNowhere(asked.pattern.to_owned(), target));
    }
    if !is_wild(asked.pattern)
        && let Some(kind) = place::special(&joined(asked.path, asked.pattern))
    {
        return Some(Reason::Special(asked.pattern.to_owned(), kind));
    }
    let reason = match (searched.directories, searched.links) {
        (0, 0) => names(asked),
        (0, _) => looked.survey(asked, None),
        (directories, _) => {
            let named = asked.pattern.trim_end_matches('/');
            // Whoever asks for every name does not mean the directories.
            let every = named.ends_with('*') && named.trim_matches(['*', '/']).is_empty();
            let within = || asked.try_out(&format!("{named}/**/*"));
            match (!every).then(within).flatten() {
                Some(found) => Some(Reason::Directories(directories, found)),
                None => looked.survey(asked, None),
            }
        }
    };
    reason.or_else(|| (searched.links > 0).then_some(Reason::Links(searched.links)))
}

impl Asked<'_> {
    /// What `pattern` finds as it is written, or a pattern that finds the same and leads into
    /// nothing that was built.
    fn find(&self, pattern: &str) -> Option<Found> {
        if !is_deep(pattern) {
            return self.try_out(pattern);
        }
        let asked = Asked { pattern, ..*self };
        let looked = Looked::at(&asked);
        match looked.survey(asked, None)? {
            Reason::Below(below) if looked.missing.is_none() => Some(below.found),
            _ => None,
        }
    }

    /// What `pattern` finds as it is written, if it is quick to find out.
    fn try_out(&self, pattern: &str) -> Option<Found> {
        if is_deep(pattern)
            || !pattern.starts_with('/') && pattern.split('/').any(|one| one == "..")
        {
            return None;
        }
        let until = self.until.min(Instant::now() + ONE_TRY);
        let parsed = Pattern::parse(pattern.as_bytes()).ok()?;
        let paths = parsed.paths(Path::new(self.path), Some(until)).ok()?;
        let counts = |kind| !self.files_only || kind == EntryKind::Regular;
        let number = paths.iter().filter(|found| counts(found.kind())).count() as u64;
        let found = Found {
            pattern: pattern.to_owned(),
            count: Count {
                number,
                at_least: paths.left_out().is_some(),
            },
        };
        (number > 0).then_some(found)
    }
}

/// Whether `**` is the only wildcard among the directories of `pattern`: what lies below is then
/// surveyed, and not sought in directories that hold what was built.
fn is_deep(pattern: &str) -> bool {
    let (directories, _) = at_last_slash(pattern);
    let mut wild = directories.split('/').filter(|part| is_wild(part));
    wild.next() == Some("**") && wild.next().is_none()
}

/// Whether it may be another name than the one that is written.
fn is_wild(pattern: &str) -> bool {
    pattern.contains(['*', '?', '[', '{', '\\'])
}

/// What a pattern means that begins with what is not expanded; none where it does not begin so.
#[expect(
    clippy::option_option,
    reason = "it begins so, and what it means is known or not"
)]
fn meant(pattern: &str) -> Option<Option<String>> {
    if let Some(rest) = pattern.strip_prefix("file://") {
        return Some(rest.starts_with('/').then(|| rest.to_owned()));
    }
    let Unexpanded {
        directory, rest, ..
    } = unexpanded(pattern)?;
    Some(directory.map(|directory| survey::escaped(&directory) + rest))
}

/// `pattern` without sets of one letter or digit, which stand for that: a front end may have made
/// them of names.
fn plain(pattern: &str) -> Cow<'_, str> {
    if !pattern.contains('[') {
        return Cow::Borrowed(pattern);
    }
    let mut text = String::new();
    let mut rest = pattern;
    while let Some(at) = rest.find(['[', '\\']) {
        let (before, behind) = rest.split_at(at);
        text += before;
        let mut inner = behind.chars();
        let (sign, only) = (inner.next(), inner.next());
        let (kept, taken) = match (sign, only, inner.next()) {
            (Some('['), Some(only), Some(']')) if only.is_ascii_alphanumeric() => {
                (only.to_string(), "[x]".len())
            }
            // What is escaped, or another set, stays as it is.
            (Some('\\'), Some(only), _) => {
                let length = 1 + only.len_utf8();
                (behind[..length].to_owned(), length)
            }
            _ => {
                let end = behind.find(']').map_or(behind.len(), |end| end + 1);
                (behind[..end].to_owned(), end)
            }
        };
        text += &kept;
        rest = &behind[taken..];
    }
    Cow::Owned(text + rest)
}
