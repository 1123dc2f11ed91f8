//! The reason why a search found nothing, or only a part: there is no more, or the search did not
//! look there.
//!
//! A model takes "nothing found" for a fact. So this finds the places that were not looked at: a
//! path that is missing, a pattern in another language, files that lie deeper. Each recommended
//! pattern has been tried out or its names counted. The caller sets a deadline; what was counted
//! by then is a lower bound.

mod names;
mod place;
mod scope;
mod survey;
mod wildcard_guesses;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::tools::search::note::SearchVocabulary;
use iki_base::unicode_form::spelled_json;
use iki_base::wording::{count_noun, thousands};
use iki_process::sandbox::confinement;
use iki_search::missing_paths::unexpanded;
use iki_search::paths::EntryKind;
use iki_search::steps::{GlobPattern, starts};
use scope::{SearchScope, at_last_slash, joined};

/// The timeout for finding out why.
pub const EXPLANATION_TIMEOUT: Duration = Duration::from_millis(50);

/// The timeout for trying out one pattern.
const TRY_TIMEOUT: Duration = Duration::from_millis(10);

/// A pattern that finds something, from the same directory on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BetterPattern {
    /// The pattern.
    pub pattern: String,
    /// The number of names that it finds; 0 if they were not counted, or if the count would differ
    /// from what the search finds.
    pub number: u64,
    /// True if there may be more, because time ran out.
    pub at_least: bool,
    /// The number of those that are in generated directories.
    pub generated: u64,
    /// Names of these directories, like `target`.
    pub generated_in: Vec<String>,
}

/// A search that found nothing.
#[derive(Clone, Copy, Debug)]
pub struct EmptySearch<'a> {
    /// The directory to start from; empty if none was given.
    pub path: &'a str,
    /// The pattern.
    pub pattern: &'a str,
    /// The words of its tool; if it searches files, only regular ones count.
    pub words: SearchVocabulary,
    /// True if a pattern without a slash matches at any depth, hidden names included. Files further
    /// down were then searched too and explain nothing.
    pub searches_all: bool,
    /// The deadline for the explanation.
    pub until: Instant,
}

/// The number of names that a search of files met.
#[derive(Clone, Copy, Debug, Default)]
pub struct SearchedNames {
    /// Regular files, all of which were searched.
    pub files: u64,
    /// Directories.
    pub directories: u64,
    /// Symbolic links.
    pub links: u64,
    /// True if there were hidden names as well.
    pub hidden: bool,
}

/// Says what is wrong with the path, in which `pattern`, if given, was sought.
#[must_use]
pub fn explain_path(search: EmptySearch<'_>, pattern: Option<&str>) -> Option<String> {
    place::explain_path(search, pattern)
}

/// Says why no name was found; `None` if there is nothing to find.
#[must_use]
pub fn explain_no_names(search: EmptySearch<'_>) -> Option<String> {
    let pattern = search.pattern;
    if !pattern.starts_with('/')
        && !search.path.is_empty()
        && let Some(misplaced) = explain_path(search, Some(pattern))
    {
        return Some(misplaced);
    }
    let field = search.words.pattern_field;
    let misread = |found: BetterPattern| {
        let found = search.recommend(&found);
        format!(
            "`{field}` is a wildcard pattern relative to `path`, and nothing matches it as written: {found}."
        )
    };
    let readings = wildcard_guesses::wildcard_guesses(pattern, search.path);
    if let Some(found) = readings.iter().find_map(|reading| search.find(reading)) {
        return Some(misread(found));
    }
    if unexpanded(pattern).is_some() {
        return Some(format!(
            "`~` and variables are not expanded in `{field}`: send the path that is meant."
        ));
    }
    let scope = SearchScope::of(&search);
    let nearest = scope.nearest(&search);
    let similar = nearest
        .as_ref()
        .map(|(path, nearest)| nearest.sentence(&path.to_string_lossy()));
    let is_sure = |(_, nearest): &(_, place::NearestPath)| {
        let is_telling = nearest.is_file() || nearest.has_similar();
        scope.missing.is_some() && (is_telling || pattern.starts_with('/'))
    };
    if nearest.as_ref().is_some_and(is_sure) {
        return similar;
    }
    let mut first = search;
    if !readings.is_empty() {
        // The rest of the time is for the other readings.
        first.until = search.until.min(Instant::now() + EXPLANATION_TIMEOUT / 2);
    }
    let reason = scope.survey(first, None).or_else(|| {
        let mut readings = readings.iter().filter(|_| !search.searches_all);
        readings
            .find_map(|reading| search.count_below(reading))
            .map(misread)
    });
    reason.or(similar)
}

/// Says how many further matches lie in subdirectories of a directory that was searched alone;
/// `None` if there are none.
#[must_use]
pub fn explain_more_below(search: EmptySearch<'_>, found: u64) -> Option<String> {
    SearchScope::of(&search).more_below(&search, found)
}

/// Says why no line was found in the files that were searched; `None` if all were searched.
#[must_use]
pub fn explain_no_lines(search: EmptySearch<'_>, searched: SearchedNames) -> Option<String> {
    let scope = SearchScope::of(&search);
    let pattern = search.pattern;
    if searched.files > 0 {
        // A name without wildcards has been found.
        if !scope.names.is_wild() {
            return None;
        }
        let is_deep = pattern.split('/').any(|part| part == "**");
        // Then all subdirectories were searched.
        let is_all = search.searches_all || (is_deep && !searched.hidden);
        let reason = (!is_all).then(|| scope.survey(search, Some(searched.files)));
        return reason.flatten();
    }
    let links = || {
        let were = if searched.links == 1 { "was" } else { "were" };
        let links = count_noun(searched.links, "symbolic link");
        (searched.links > 0).then(|| {
            format!("{links} {were} not searched: a link is followed only where `path` names it.")
        })
    };
    if searched.directories > 0 {
        let named = pattern.trim_end_matches('/');
        // A pattern for every name is not meant for the directories.
        let is_every = named.ends_with('*') && named.trim_matches(['*', '/']).is_empty();
        let found = (!is_every).then(|| search.find(&format!("{named}/**/*")));
        let found = found.flatten().map(|found| search.recommend(&found));
        if found.is_none() && is_wild(pattern) {
            return scope.survey(search, None).or_else(links);
        }
        let matches = match searched.directories {
            1 => "The match is a directory".to_owned(),
            count => format!("The matches are {} directories", thousands(count)),
        };
        return Some(match found {
            Some(found) => format!("{matches}; to search below: {found}."),
            None => format!("{matches}, and only files are searched."),
        });
    }
    if !is_wild(pattern) {
        let place = joined(search.path, pattern);
        let other = place::explain_file_kind(&place.to_string_lossy(), pattern, search);
        if other.is_some() {
            return other;
        }
    }
    let reason = if searched.links == 0 {
        explain_no_names(search)
    } else {
        scope.survey(search, None)
    };
    reason.or_else(links)
}

/// Writes a field as a request has it: `"glob":"**/*.rs"`.
fn json_field(field: &str, text: &str) -> String {
    format!(
        "\"{field}\":{}",
        spelled_json(Value::from(text).to_string())
    )
}

impl<'a> EmptySearch<'a> {
    /// Prepares to find out why `pattern` found nothing below `path`, before `deadline`.
    #[must_use]
    pub fn new(
        path: &'a str,
        pattern: &'a str,
        words: SearchVocabulary,
        deadline: Option<Instant>,
    ) -> Self {
        let until = Instant::now() + EXPLANATION_TIMEOUT;
        Self {
            path,
            pattern,
            words,
            searches_all: false,
            until: deadline.map_or(until, |deadline| until.min(deadline)),
        }
    }

    /// Finds names that match `pattern`, if that is quick and stays within reach: a confined call
    /// may not even ask what exists outside.
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

    /// Counts the names that match `pattern`, as a shell reads it.
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
        let until = self.until.min(Instant::now() + TRY_TIMEOUT);
        let parsed = GlobPattern::parse(pattern.as_bytes()).ok()?;
        let paths = parsed.paths(here, Some(until)).ok()?;
        let counts = |kind| !self.words.searches_files || kind == EntryKind::Regular;
        let number = paths.iter().filter(|path| counts(path.kind())).count() as u64;
        (number > 0).then(|| BetterPattern {
            pattern: pattern.to_owned(),
            number,
            at_least: paths.left_out().is_some(),
            ..BetterPattern::default()
        })
    }

    /// Counts the names that match `pattern` in the directory that it begins with, and below.
    fn count_below(&self, pattern: &str) -> Option<BetterPattern> {
        let search = EmptySearch { pattern, ..*self };
        SearchScope::of(&search).count_below(&search)
    }

    /// Writes a number of names or files.
    fn counted_names(&self, number: u64, at_least: bool) -> String {
        let word = if self.words.searches_files {
            "file"
        } else {
            "name"
        };
        let at_least = if at_least { "at least " } else { "" };
        format!("{at_least}{}", count_noun(number, word))
    }

    /// Writes a pattern as a request has it, and what it does: `matches 180 names`, `searches 20
    /// files, 5 of them in target`.
    fn recommend(&self, found: &BetterPattern) -> String {
        let send = json_field(self.words.pattern_field, &found.pattern);
        let verb = if self.words.searches_files {
            "searches"
        } else {
            "matches"
        };
        let number = self.counted_names(found.number, found.at_least);
        let places = found.generated_in.join(", ");
        let built = match found.generated {
            0 => String::new(),
            built if built == found.number => format!(", all in {places}"),
            built => format!(", {} of them in {places}", thousands(built)),
        };
        match found.number {
            0 => send,
            _ => format!("{send} {verb} {number}{built}"),
        }
    }
}

/// True if `**` is the only wildcard among the directories of `pattern`: a survey can then count
/// its names, and those in generated directories separately.
fn is_deep(pattern: &str) -> bool {
    let (directories, _) = at_last_slash(pattern);
    let mut wild = directories.split('/').filter(|part| is_wild(part));
    wild.next() == Some("**") && wild.next().is_none()
}

/// True if `pattern` may match a name other than itself.
fn is_wild(pattern: &str) -> bool {
    pattern.contains(['*', '?', '[', '{', '\\'])
}
