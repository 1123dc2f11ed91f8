//! The directories that a pattern looks in, and the names that it does not look at.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::names::NameMatcher;
use super::nearest_path::NearestPath;
use super::survey::NameSurvey;
use super::{BetterPattern, EmptySearch, is_wild};
use iki_base::wording::count_noun;

/// The directories that a pattern looks in.
pub(super) struct SearchScope<'s> {
    pub search: EmptySearch<'s>,
    /// The directories at its beginning that exist, each with a trailing slash.
    prefix: String,
    /// The first directory in it that is missing.
    pub missing: Option<PathBuf>,
    /// True if it looks directly in there and nowhere else.
    is_direct: bool,
    /// The names that it looks for.
    pub names: NameMatcher,
}

impl<'s> SearchScope<'s> {
    pub fn for_search(search: EmptySearch<'s>) -> Self {
        let pattern = search.pattern.trim_end_matches('/');
        let (directories, last) = at_last_slash(pattern);
        let absolute = pattern.starts_with('/');
        let mut prefix = String::from(if absolute { "/" } else { "" });
        // `**` at the end matches everything below.
        let (mut missing, mut is_direct) = (None, last != "**");
        for part in directories.split('/').filter(|part| !part.is_empty()) {
            if is_wild(part) {
                is_direct = false;
                break;
            }
            let next = format!("{prefix}{part}/");
            if !joined(search.path, &next).is_dir() {
                missing = Some(joined(search.path, next.trim_end_matches('/')));
                is_direct = false;
                break;
            }
            prefix = next;
        }
        Self {
            search,
            prefix,
            missing,
            is_direct,
            names: NameMatcher::new(last, search.words.searches_files),
        }
    }

    /// Says where else such names are, apart from the `searched` files that were searched.
    pub fn survey(&self, searched: Option<u64>) -> Option<String> {
        let search = &self.search;
        // The root of the file system holds names of every kind.
        if self.prefix == "/" && self.missing.is_some() {
            return None;
        }
        if search.is_deep() {
            return None;
        }
        let survey = NameSurvey::survey_directory(&self.base(), &self.names, search.until);
        if search.scope.is_none() {
            let is_deep = || search.pattern.split('/').any(|one| one == "**");
            if !(searched.is_some() && is_deep())
                && let Some(below) = self.below(&survey, searched.unwrap_or(0))
            {
                return Some(below);
            }
            let hidden = survey.hidden(&self.prefix, searched.is_none());
            if !hidden.is_empty() {
                let looked = match searched {
                    Some(_) => "Hidden files were not searched",
                    None => "The matches are hidden, and wildcards do not match a leading dot",
                };
                let all: Vec<String> = hidden.iter().map(|one| search.recommend(one)).collect();
                return Some(format!("{looked}: {}.", all.join(", ")));
            }
        }
        let paths = survey.other_case(&self.prefix).join(", ");
        let is_told = searched.is_none() && !search.knows_other_case && !paths.is_empty();
        is_told.then(|| format!("Case matters here; did you mean {paths}?"))
    }

    /// Says what is in the subdirectories of the one directory in which `count` names were found.
    pub fn more_below(&self, count: u64) -> Option<String> {
        let search = &self.search;
        let base = self.base();
        // Whoever lists a directory sees the directories in it.
        let is_list = self.names.is_every_name() && !search.words.searches_files;
        let is_whole = search.is_deep() || is_list || search.pattern.ends_with('/');
        // On file systems that count them, each subdirectory adds a link to its parent.
        let is_flat = || self.is_direct && fs::metadata(&base).is_ok_and(|one| one.nlink() == 2);
        if is_whole || !self.names.is_wild() || is_flat() {
            return None;
        }
        if search.scope.is_some() {
            let deeper = search
                .find_deeper()
                .filter(|deeper| deeper.number > count)?;
            let (directory, _) = at_last_slash(search.pattern);
            let place = format!(" directly in {directory}");
            let looked = self.looked(&place, count, &deeper);
            return Some(format!("{looked} {}.", search.recommend(&deeper)));
        }
        if !self.is_direct {
            return None;
        }
        let survey = NameSurvey::survey_directory(&base, &self.names, search.until);
        self.below(&survey, count)
    }

    /// Counts the names in the directory that the pattern begins with, and below.
    pub fn count_below(&self) -> Option<BetterPattern> {
        let base = self.missing.is_none().then(|| self.base())?;
        NameSurvey::survey_directory(&base, &self.names, self.search.until)
            .names_below(&self.prefix)
    }

    fn below(&self, survey: &NameSurvey<'_>, searched: u64) -> Option<String> {
        let names = survey.names_below(&self.prefix)?;
        if names.number <= searched {
            return None;
        }
        let base = self.base();
        let place = if self.is_direct {
            format!(" directly in {}", base.display())
        } else {
            String::new()
        };
        let looked = match &self.missing {
            Some(missing) => format!("{} does not exist.", missing.display()),
            None => self.looked(&place, searched, &names),
        };
        let commonest = survey.commonest_below(&self.prefix);
        let commonest = commonest.filter(|commonest| commonest.number < names.number);
        let all: Vec<String> = commonest
            .iter()
            .chain([&names])
            .map(|one| self.search.recommend(one))
            .collect();
        Some(format!("{looked} {}.", all.join("; ")))
    }

    /// Says where alone was looked, though more was found elsewhere.
    fn looked(&self, place: &str, searched: u64, pattern: &BetterPattern) -> String {
        let search = &self.search;
        let more = search.counted_names(pattern.number - searched, pattern.is_lower_bound);
        match (searched, search.words.searches_files) {
            (0, true) => format!("Nothing was searched: no file{place} matches."),
            (0, false) => format!("Nothing{place} matches."),
            (count, true) => {
                let were = if count == 1 { "was" } else { "were" };
                let files = count_noun(count, "file");
                format!("Only {files}{place} {were} searched; subdirectories have more ({more}).")
            }
            (_, false) => {
                format!("Only names{place} are listed; subdirectories have more ({more}).")
            }
        }
    }

    /// The directory that is surveyed.
    pub fn base(&self) -> PathBuf {
        joined(self.search.path, &self.prefix)
    }

    /// Finds what is nearest to a missing directory, or to the only name that is meant.
    pub fn nearest(&self) -> Option<(PathBuf, NearestPath)> {
        if self.names.is_wild() && self.missing.is_none() {
            return None;
        }
        let missing = self.missing.clone();
        let path = missing.unwrap_or_else(|| joined(self.search.path, self.search.pattern));
        let nearest = NearestPath::for_path(&path);
        let is_told = self.missing.is_some() || nearest.has_similar();
        is_told.then_some((path, nearest))
    }
}

/// Splits a pattern at its last slash outside of braces.
pub(super) fn at_last_slash(pattern: &str) -> (&str, &str) {
    let mut level = 0_usize;
    let mut slash = None;
    for (offset, byte) in pattern.bytes().enumerate() {
        match byte {
            b'{' => level += 1,
            b'}' => level = level.saturating_sub(1),
            b'/' if level == 0 => slash = Some(offset),
            _ => {}
        }
    }
    slash.map_or(("", pattern), |offset| {
        (&pattern[..offset], &pattern[offset + 1..])
    })
}

/// Joins `path` and a path below it, without a trailing slash.
pub(super) fn joined(path: &str, below: &str) -> PathBuf {
    let whole: PathBuf = Path::new(path).join(below).components().collect();
    if whole.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        whole
    }
}
