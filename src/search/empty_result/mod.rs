//! The reason why a search found nothing, or only a part: there is no more, or the search did not
//! look there.
//!
//! A model takes "nothing found" for a fact. So this finds the places that were not looked at: a
//! path that is missing, a pattern in another language, files that lie deeper. Each recommended
//! pattern has been tried out or its names counted. It all ends at a time that the caller sets;
//! counts are then the least that there are.
//!
//! Rules: the decisions on glob and grep ("an empty answer says why", "nor is a partial answer
//! silent").

mod names;
mod place;
mod readings;
mod scope;
mod survey;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::{Duration, Instant};

use super::paths::EntryKind;
use super::steps::{GlobPattern, starts};
use crate::paths::unexpanded;
use crate::sandbox::confinement;
pub use place::{MisplacedPath, MiswrittenPath, PathKind};
use scope::{SearchScope, at_last_slash, joined};

/// The longest time for finding out why.
const LIMIT: Duration = Duration::from_millis(50);

/// The longest time for trying out one pattern.
const ONE_TRY: Duration = Duration::from_millis(10);

/// A pattern that finds something, from the same directory on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BetterPattern {
    /// The pattern.
    pub pattern: String,
    /// The number of names that it finds; 0 where they were not counted, or others are counted
    /// than the search would find.
    pub number: u64,
    /// True if there may be more, because time was over.
    pub at_least: bool,
    /// The number of those that lie in what was built or fetched.
    pub built: u64,
    /// Names of the directories that hold it, like `target`.
    pub built_in: Vec<String>,
}

/// The reason why nothing was found.
#[derive(Debug)]
pub enum EmptyReason {
    /// There is something wrong with `path`.
    Path(MisplacedPath),
    /// There is something wrong with this path, which the pattern names or begins with.
    Named(String, MisplacedPath),
    /// The pattern begins with something that only a shell expands.
    Unexpanded,
    /// The pattern is written in another language, and this one was probably meant.
    Misread(BetterPattern),
    /// Names that match lie deeper.
    Below(NamesBelow),
    /// Names that match are hidden.
    Hidden(Vec<BetterPattern>),
    /// Names that match are written in other cases.
    OtherCase(Vec<String>),
    /// The pattern names so many directories, and this one the files in them, if there are any.
    Directories(u64, Option<BetterPattern>),
    /// So many names are symbolic links to files, which are not followed.
    Links(u64),
}

/// Names that match below the directory that was looked at.
#[derive(Debug)]
pub struct NamesBelow {
    /// The directory, if the pattern looks directly in it, and nowhere else.
    pub directory: Option<String>,
    /// A directory that the pattern names and that is missing.
    pub missing: Option<String>,
    /// The pattern that leads there.
    pub found: BetterPattern,
    /// The pattern for the extension that most names there have, where it has fewer.
    pub most: Option<BetterPattern>,
}

/// A search that found nothing.
#[derive(Clone, Copy, Debug)]
pub struct EmptySearch<'a> {
    /// The directory to start from; empty where none was given.
    pub path: &'a str,
    /// The pattern.
    pub pattern: &'a str,
    /// True if only regular files count.
    pub files_only: bool,
    /// True if a pattern without a slash is sought at any depth, hidden names included: what lies
    /// below is then no reason, and a count would be another than that of the search.
    pub searches_all: bool,
    /// The time at which the answer has to be there.
    pub until: Instant,
}

/// Numbers of the names that a search of files came upon.
#[derive(Clone, Copy, Debug, Default)]
pub struct SearchedNames {
    /// Regular files, all of which were searched.
    pub files: u64,
    /// Directories.
    pub directories: u64,
    /// Symbolic links.
    pub links: u64,
    /// True if there were hidden names beside them.
    pub hidden: bool,
}

/// Finds out what is wrong with `path`, in which `pattern`, if there is one, was to be found.
#[must_use]
pub fn misplaced(search: EmptySearch<'_>, pattern: Option<&str>) -> Option<MisplacedPath> {
    let mut misplaced = place::misplaced(search.path, search.files_only, search.until)?;
    if let MisplacedPath::Missing {
        slip: Some(MiswrittenPath::Wildcards {
            directory, found, ..
        }),
        ..
    } = &mut misplaced
    {
        let search = EmptySearch {
            path: directory,
            ..search
        };
        // Without a pattern, grep searches all files in the directory.
        let named = found.pattern.trim_end_matches('/');
        let behind = format!("{named}/{}", pattern.unwrap_or("*"));
        let better = search.find(&behind);
        if let Some(better) = better.or_else(|| search.find(&found.pattern)) {
            *found = better;
        } else if pattern.is_some() {
            found.pattern = behind;
        }
    }
    Some(misplaced)
}

/// Finds out why no name was found; none, if there is nothing to be found.
#[must_use]
pub fn names(search: EmptySearch<'_>) -> Option<EmptyReason> {
    let pattern = search.pattern;
    if !pattern.starts_with('/')
        && !search.path.is_empty()
        && let Some(misplaced) = misplaced(search, Some(pattern))
    {
        return Some(EmptyReason::Path(misplaced));
    }
    let readings = readings::readings(pattern, search.path);
    if let Some(found) = readings.iter().find_map(|reading| search.find(reading)) {
        return Some(EmptyReason::Misread(found));
    }
    if unexpanded(pattern).is_some() {
        return Some(EmptyReason::Unexpanded);
    }
    let scope = SearchScope::of(&search);
    let similar = scope.similar(&search);
    if scope.missing.is_some()
        && let Some(EmptyReason::Named(
            _,
            MisplacedPath::Missing {
                similar: names,
                file,
                ..
            },
        )) = &similar
        && (!names.is_empty() || file.is_some() || pattern.starts_with('/'))
    {
        return similar;
    }
    let mut first = search;
    if !readings.is_empty() {
        // Some of the time is for the other readings.
        first.until = search.until.min(Instant::now() + LIMIT / 2);
    }
    let reason = scope.survey(first, None).or_else(|| {
        let mut readings = readings.iter().filter(|_| !search.searches_all);
        let found = readings.find_map(|reading| search.count_below(reading));
        found.map(EmptyReason::Misread)
    });
    reason.or(similar)
}

/// Finds out what lies below, of names like those so many of which were found directly in a
/// directory; none, if they are all.
#[must_use]
pub fn more_below(search: EmptySearch<'_>, found: u64) -> Option<EmptyReason> {
    SearchScope::of(&search).survey_below(&search, found)
}

/// Finds out why no line was found in the files that were searched; none, if they were all.
#[must_use]
pub fn lines(search: EmptySearch<'_>, searched: SearchedNames) -> Option<EmptyReason> {
    let scope = SearchScope::of(&search);
    let pattern = search.pattern;
    let links = || (searched.links > 0).then_some(EmptyReason::Links(searched.links));
    if searched.files > 0 {
        // A name that is written out has been found.
        if !scope.names.is_wild() {
            return None;
        }
        let is_deep = pattern.split('/').any(|part| part == "**");
        // Below, all has been searched then.
        let is_all = search.searches_all || (is_deep && !searched.hidden);
        let reason = (!is_all).then(|| scope.survey(search, Some(searched.files)));
        return reason.flatten().or_else(links);
    }
    if searched.directories > 0 {
        let named = pattern.trim_end_matches('/');
        // A pattern for every name does not mean the directories.
        let is_every = named.ends_with('*') && named.trim_matches(['*', '/']).is_empty();
        let found = (!is_every).then(|| search.find(&format!("{named}/**/*")));
        let found = found.flatten();
        if found.is_some() || !is_wild(pattern) {
            return Some(EmptyReason::Directories(searched.directories, found));
        }
        return scope.survey(search, None).or_else(links);
    }
    if !is_wild(pattern) {
        let place = joined(search.path, pattern);
        let misplaced = place::misplaced(&place.to_string_lossy(), true, search.until);
        if let Some(wrong @ (MisplacedPath::LeadsNowhere(_) | MisplacedPath::NotSearched(_))) =
            misplaced
        {
            return Some(EmptyReason::Named(pattern.to_owned(), wrong));
        }
    }
    let reason = if searched.links == 0 {
        names(search)
    } else {
        scope.survey(search, None)
    };
    reason.or_else(links)
}

impl<'a> EmptySearch<'a> {
    /// Prepares to find out why `pattern` found nothing below `path`, before `deadline`.
    #[must_use]
    pub fn new(
        path: &'a str,
        pattern: &'a str,
        files_only: bool,
        deadline: Option<Instant>,
    ) -> Self {
        let until = Instant::now() + LIMIT;
        Self {
            path,
            pattern,
            files_only,
            searches_all: false,
            until: deadline.map_or(until, |deadline| until.min(deadline)),
        }
    }

    /// Finds names of `pattern`, if that is quick and it stays within reach: a confined call may
    /// not even ask whether there is something outside.
    fn find(&self, pattern: &str) -> Option<BetterPattern> {
        if !self.searches_all {
            return self.count(pattern);
        }
        let found = if pattern.contains('/') {
            self.count(pattern)
        } else {
            self.count(&format!("**/{pattern}"))
        };
        found.map(|_| BetterPattern {
            pattern: pattern.to_owned(),
            ..BetterPattern::default()
        })
    }

    /// Counts the names of `pattern`, as a shell reads it.
    fn count(&self, pattern: &str) -> Option<BetterPattern> {
        if is_deep(pattern) {
            return self.count_below(pattern);
        }
        if !pattern.starts_with('/') && pattern.split('/').any(|one| one == "..") {
            return None;
        }
        let here = Path::new(self.path);
        let is_reached = |path| confinement::is_within_reach(&here.join(path));
        let mut starts = starts(pattern.as_bytes()).into_iter();
        if !starts.all(|start| is_reached(start.path)) {
            return None;
        }
        let until = self.until.min(Instant::now() + ONE_TRY);
        let parsed = GlobPattern::parse(pattern.as_bytes()).ok()?;
        let paths = parsed.paths(here, Some(until)).ok()?;
        let counts = |kind| !self.files_only || kind == EntryKind::Regular;
        let number = paths.iter().filter(|path| counts(path.kind())).count() as u64;
        (number > 0).then(|| BetterPattern {
            pattern: pattern.to_owned(),
            number,
            at_least: paths.left_out().is_some(),
            ..BetterPattern::default()
        })
    }

    /// Counts the names of `pattern` in the directory that it begins with, and below.
    fn count_below(&self, pattern: &str) -> Option<BetterPattern> {
        let search = EmptySearch {
            pattern,
            searches_all: false,
            ..*self
        };
        match SearchScope::of(&search).survey(search, None)? {
            EmptyReason::Below(below) if below.missing.is_none() => Some(below.found),
            _ => None,
        }
    }
}

/// True if `**` is the only wildcard among the directories of `pattern`: a survey can then count
/// its names, those in what was built apart.
fn is_deep(pattern: &str) -> bool {
    let (directories, _) = at_last_slash(pattern);
    let mut wild = directories.split('/').filter(|part| is_wild(part));
    wild.next() == Some("**") && wild.next().is_none()
}

/// True if `pattern` may name something else than it spells.
fn is_wild(pattern: &str) -> bool {
    pattern.contains(['*', '?', '[', '{', '\\'])
}
