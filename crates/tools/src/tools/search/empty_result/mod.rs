//! The reason why a search found nothing, or only a part: there is no more, or the search did not
//! look there.
//!
//! A model takes "nothing found" for a fact. So this finds the places that were not looked at: a
//! path that is missing, a pattern in another language, files that lie deeper. Each recommended
//! pattern has been tried out or its names counted. The caller sets a deadline; what was counted
//! by then is a lower bound.

mod names;
mod nearest_path;
mod scope;
mod survey;
mod wildcard_guesses;

#[cfg(test)]
mod tests;

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::tools::search::note::SearchVocabulary;
use iki_base::unicode_form::spelled_json;
use iki_base::wording::{count_noun, thousands};
use iki_process::sandbox::confinement;
use iki_search::exclusions::Exclusions;
use iki_search::glob_pattern::{GlobPattern, pattern_starts};
use iki_search::missing_paths::unexpanded;
use iki_search::paths::EntryKind;
use iki_search::walk::WalkScope;
use scope::{SearchScope, at_last_slash, joined};

pub use nearest_path::explain_path;

/// The timeout for finding out why.
pub const EXPLANATION_TIMEOUT: Duration = Duration::from_millis(50);

/// A pattern that finds something, from the same directory on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BetterPattern {
    /// The pattern.
    pub pattern: String,
    /// The number of names that it finds; 0 if they were not counted, or if the count would differ
    /// from what the search finds.
    pub number: u64,
    /// True if there may be more, because time ran out.
    pub is_lower_bound: bool,
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
    /// The names that it takes, if they are not those that the specification has.
    pub scope: Option<&'a WalkScope>,
    /// True if names in another case than the pattern's are known, and told elsewhere.
    pub knows_other_case: bool,
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
    /// True if there were symbolic links.
    pub has_links: bool,
    /// True if there were hidden names as well.
    pub has_hidden: bool,
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
    let misread = |better_pattern: BetterPattern| {
        let recommendation = search.recommend(&better_pattern);
        format!(
            "`{field}` is a wildcard pattern relative to `path`, and nothing matches it as \
             written: {recommendation}."
        )
    };
    if let Some((meant, not)) = wildcard_guesses::list_with_exclusions(pattern)
        && let Some(better_pattern) = search.find_better_pattern(&meant)
    {
        // What is left out of them is not counted.
        let send = search.recommend(&BetterPattern {
            number: 0,
            ..better_pattern
        });
        let not = json_field("exclude", &not);
        return Some(format!("`{field}` is one pattern: send {send},{not}."));
    }
    let readings = wildcard_guesses::wildcard_guesses(pattern, search.path);
    if let Some(better_pattern) = readings
        .iter()
        .find_map(|reading| search.find_better_pattern(reading))
    {
        return Some(misread(better_pattern));
    }
    if unexpanded(pattern).is_some() {
        return Some(format!(
            "`~` and variables are not expanded in `{field}`: send the path that is meant."
        ));
    }
    if let Some(better_pattern) = search.find_deeper() {
        let recommendation = search.recommend(&better_pattern);
        return Some(format!(
            "`{field}` with a slash is matched from `path` on, and nothing is there: \
             {recommendation}."
        ));
    }
    let mut scope = SearchScope::for_search(search);
    let nearest = scope.nearest();
    let similar = nearest
        .as_ref()
        .map(|(path, nearest)| nearest.sentence(&path.to_string_lossy()));
    let is_sure = |(_, nearest): &(_, nearest_path::NearestPath)| {
        let is_telling = nearest.is_file() || nearest.has_similar();
        scope.missing.is_some() && (is_telling || pattern.starts_with('/'))
    };
    if nearest.as_ref().is_some_and(is_sure) {
        return similar;
    }
    if !readings.is_empty() {
        // The rest of the time is for the other readings.
        scope.search.until = search.until.min(Instant::now() + EXPLANATION_TIMEOUT / 2);
    }
    let reason = scope.survey(None).or_else(|| {
        let mut readings = readings.iter().filter(|_| search.scope.is_none());
        readings
            .find_map(|reading| search.count_below(reading))
            .map(misread)
    });
    reason.or(similar)
}

/// Says how many further matches lie in subdirectories of a directory that was searched alone;
/// `None` if there are none.
#[must_use]
pub fn explain_more_below(search: EmptySearch<'_>, count: u64) -> Option<String> {
    SearchScope::for_search(search).more_below(count)
}

/// Says why no line was found in the files that were searched; `None` if all were searched.
#[must_use]
pub fn explain_no_lines(search: EmptySearch<'_>, searched: SearchedNames) -> Option<String> {
    let scope = SearchScope::for_search(search);
    let pattern = search.pattern;
    if searched.files > 0 {
        // A name without wildcards has been found.
        if !scope.names.is_wild() {
            return None;
        }
        if search.scope.is_some() {
            return scope.more_below(searched.files);
        }
        let is_deep = pattern.split('/').any(|part| part == "**");
        // Then all subdirectories were searched.
        let is_all = is_deep && !searched.has_hidden;
        let reason = (!is_all).then(|| scope.survey(Some(searched.files)));
        return reason.flatten();
    }
    let named = pattern.trim_end_matches('/');
    // A pattern for every name is not meant for the directories.
    let is_every = named.ends_with('*') && named.trim_matches(['*', '/']).is_empty();
    let is_here = named.starts_with('.') && named.split('/').all(|part| matches!(part, "" | "."));
    let below = match search.scope {
        _ if is_here => "**/*".to_owned(),
        Some(_) if !named.contains('/') => format!("**/{named}/**"),
        _ => format!("{named}/**/*"),
    };
    let find_below = || search.find_better_pattern(&below).filter(|_| !is_every);
    if searched.directories == 0
        && named.len() < pattern.len()
        && let Some(better_pattern) = find_below()
    {
        let recommendation = search.recommend(&better_pattern);
        return Some(format!(
            "Only files are searched; to search below directories: {recommendation}."
        ));
    }
    if searched.directories > 0 {
        let recommendation = find_below().map(|better_pattern| search.recommend(&better_pattern));
        if recommendation.is_none() && is_wild(pattern) {
            return scope.survey(None);
        }
        let matches = match searched.directories {
            1 => "The match is a directory".to_owned(),
            count => format!("The matches are {} directories", thousands(count)),
        };
        return Some(match recommendation {
            Some(recommendation) => format!("{matches}; to search below: {recommendation}."),
            None => format!("{matches}, and only files are searched."),
        });
    }
    if !is_wild(pattern) {
        let place = joined(search.path, pattern);
        let other = nearest_path::explain_file_kind(&place.to_string_lossy(), pattern, search);
        if other.is_some() {
            return other;
        }
    }
    if searched.has_links {
        scope.survey(None)
    } else {
        explain_no_names(search)
    }
}

/// Writes a field as a request has it: `"glob":"**/*.rs"`.
fn json_field(field: &str, text: &str) -> String {
    format!(
        "\"{field}\":{}",
        spelled_json(Value::from(text).to_string())
    )
}

impl EmptySearch<'_> {
    /// The word for what is found.
    #[must_use]
    pub fn noun(&self) -> &'static str {
        if self.words.searches_files {
            "file"
        } else {
            "name"
        }
    }

    /// True if what ignore files say is left out.
    #[must_use]
    pub fn heeds_ignore_files(&self) -> bool {
        self.scope.is_some_and(|scope| scope.heeds_ignore_files)
    }

    /// The directory below which it searches.
    #[must_use]
    pub fn base(&self) -> PathBuf {
        SearchScope::for_search(*self).base()
    }

    /// True if it reaches what lies at `below`, relative to its directory, or leaves it out on
    /// purpose.
    #[must_use]
    pub fn reaches(&self, below: &Path, is_directory: bool) -> bool {
        let path_bytes = |path: &Path| path.as_os_str().as_bytes().to_vec();
        let is_excluded = |exclusions: &Exclusions| {
            let mut above = below.ancestors().filter(|one| *one != Path::new(""));
            above.any(|one| exclusions.leave_out(&path_bytes(one), is_directory || one != below))
        };
        if self
            .scope
            .and_then(|scope| scope.excluded.as_deref())
            .is_some_and(is_excluded)
        {
            return true;
        }
        let mut names = below.iter().map(OsStrExt::as_bytes);
        if self.scope.is_none() && names.any(|name| name.starts_with(b".")) {
            return false;
        }
        if is_directory {
            return true;
        }
        let sought = SearchScope::for_search(*self).names;
        let name = below.file_name().unwrap_or_default().as_bytes();
        let hidden = sought.hidden.filter(|_| self.scope.is_some());
        let is_hidden_one = || hidden.is_some_and(|hidden| hidden.matches(name));
        sought.names.matches(name) || is_hidden_one()
    }

    /// True if a pattern without a slash is sought at any depth, as this one is.
    fn is_deep(&self) -> bool {
        self.scope.is_some() && !self.pattern.contains('/')
    }

    /// Finds names deeper down that a pattern with a slash was probably meant for.
    fn find_deeper(&self) -> Option<BetterPattern> {
        let pattern = self.pattern.strip_prefix("./").unwrap_or(self.pattern);
        let (directory, name) = at_last_slash(pattern.trim_end_matches('/'));
        let is_deep = directory.split('/').any(|part| part == "**");
        if !self.pattern.contains('/') || is_deep || name.is_empty() {
            return None;
        }
        let below = self.scope.filter(|_| !directory.is_empty());
        let below = below.map(|_| format!("{directory}/**/{name}"));
        let anywhere = (!pattern.starts_with('/')).then(|| format!("**/{pattern}"));
        let mut deeper = below.into_iter().chain(anywhere);
        deeper.find_map(|deeper| self.find_better_pattern(&deeper))
    }

    /// Finds names that match `pattern`, if that is quick and stays within reach: a confined call
    /// may not even ask what exists outside.
    fn find_better_pattern(&self, pattern: &str) -> Option<BetterPattern> {
        if self.scope.is_none() && is_deep(pattern) {
            return self.count_below(pattern);
        }
        if !pattern.starts_with('/') && pattern.split('/').any(|one| one == "..") {
            return None;
        }
        let here = Path::new(self.path);
        let is_reached = |path| confinement::is_within_reach(&here.join(path));
        let mut starts = pattern_starts(pattern.as_bytes()).into_iter();
        if !starts.all(|start| is_reached(start.path)) {
            return None;
        }
        let (parsed, walk) = match self.scope {
            Some(scope) => (scope.parse(pattern), scope.clone()),
            None => (GlobPattern::parse(pattern.as_bytes()), WalkScope::default()),
        };
        let paths = parsed.ok()?.paths_in(&walk, here, Some(self.until)).ok()?;
        let counts = |kind| !self.words.searches_files || kind == EntryKind::Regular;
        let number = paths.iter().filter(|path| counts(path.kind())).count() as u64;
        (number > 0).then(|| BetterPattern {
            pattern: pattern.to_owned(),
            number,
            is_lower_bound: paths.left_out().is_some(),
            ..BetterPattern::default()
        })
    }

    /// Counts the names that match `pattern` in the directory that it begins with, and below.
    fn count_below(&self, pattern: &str) -> Option<BetterPattern> {
        SearchScope::for_search(EmptySearch { pattern, ..*self }).count_below()
    }

    /// Writes a number of names or files.
    fn counted_names(&self, number: u64, at_least: bool) -> String {
        let at_least = if at_least { "at least " } else { "" };
        format!("{at_least}{}", count_noun(number, self.noun()))
    }

    /// Writes a pattern as a request has it, and what it does: `matches 180 names`, `searches 20
    /// files, 5 of them in target`.
    fn recommend(&self, pattern: &BetterPattern) -> String {
        let send = json_field(self.words.pattern_field, &pattern.pattern);
        let verb = if self.words.searches_files {
            "searches"
        } else {
            "matches"
        };
        let number = self.counted_names(pattern.number, pattern.is_lower_bound);
        let places = pattern.generated_in.join(", ");
        let built = match pattern.generated {
            0 => String::new(),
            built if built == pattern.number => format!(", all in {places}"),
            built => format!(", {} of them in {places}", thousands(built)),
        };
        match pattern.number {
            0 => send,
            _ => format!("{send} {verb} {number}{built}"),
        }
    }
}

/// True if `**` is the last of the directories of `pattern`, and the only wildcard among them: a
/// survey can then count its names, and those in generated directories separately.
fn is_deep(pattern: &str) -> bool {
    let (directories, _) = at_last_slash(pattern);
    let (before, last) = at_last_slash(directories);
    last == "**" && !is_wild(before)
}

/// True if `pattern` may match a name other than itself.
fn is_wild(pattern: &str) -> bool {
    pattern.contains(['*', '?', '[', '{', '\\'])
}
