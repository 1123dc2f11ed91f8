//! The directories that a pattern looks in, and what there is that it does not look at.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::names::NameMatcher;
use super::survey::Survey;
use super::{BetterPattern, EmptyReason, EmptySearch, NamesBelow, is_wild, place};

/// The directories that a pattern looks in.
pub(super) struct SearchScope {
    /// The directories at its beginning that are there, with a slash behind each.
    prefix: String,
    /// The first directory that it names and that is missing.
    pub missing: Option<PathBuf>,
    /// It looks directly in there, and nowhere else.
    direct: bool,
    /// The names that it looks for.
    pub names: NameMatcher,
}

impl SearchScope {
    pub fn of(search: &EmptySearch<'_>) -> Self {
        let pattern = search.pattern.trim_end_matches('/');
        let (directories, last) = at_last_slash(pattern);
        let absolute = pattern.starts_with('/');
        let mut prefix = String::from(if absolute { "/" } else { "" });
        // `**` at the end matches all that is below.
        let (mut missing, mut direct) = (None, last != "**");
        for part in directories.split('/').filter(|part| !part.is_empty()) {
            if is_wild(part) {
                direct = false;
                break;
            }
            let next = format!("{prefix}{part}/");
            if !joined(search.path, &next).is_dir() {
                missing = Some(joined(search.path, next.trim_end_matches('/')));
                direct = false;
                break;
            }
            prefix = next;
        }
        Self {
            prefix,
            missing,
            direct,
            names: NameMatcher::new(&last_components(last), search.files_only),
        }
    }

    /// Finds the names that it looks for elsewhere, apart from files that have been searched.
    pub fn survey(&self, search: EmptySearch<'_>, searched: Option<u64>) -> Option<EmptyReason> {
        // Nobody wants to know what lies below the root of the file system.
        if self.prefix == "/" && self.missing.is_some() {
            return None;
        }
        let base = joined(search.path, &self.prefix);
        let left = search.until.saturating_duration_since(Instant::now());
        let most = if self.names.is_every_name() {
            left / 2
        } else {
            left
        };
        let survey = Survey::of(&base, &self.names, Instant::now() + most);
        let is_deep = search.pattern.split('/').any(|part| part == "**");
        let more = survey.all().number > searched.unwrap_or(0);
        if more && !(is_deep && searched.is_some()) {
            let below_only = searched.is_some() && self.direct;
            if let Some(found) = survey.pattern(&self.prefix, below_only) {
                let missing = self.missing.as_ref();
                return Some(EmptyReason::Below(NamesBelow {
                    directory: without_slash(&base),
                    direct: self.direct,
                    missing: missing.map(|path| path.to_string_lossy().into_owned()),
                    built: survey.built(),
                    most: self.most(&survey, &base, search.until, below_only),
                    found,
                }));
            }
        }
        let hidden = survey.hidden(&self.prefix);
        if !hidden.is_empty() {
            return Some(EmptyReason::Hidden(hidden));
        }
        let (built, other_case) = (survey.built(), survey.other_case());
        if searched.is_none() && !built.is_empty() {
            return Some(EmptyReason::OnlyBuilt(built));
        }
        if searched.is_some() || other_case.is_empty() {
            return None;
        }
        let with_prefix = |name: &String| format!("{}{name}", self.prefix);
        let names = other_case.iter().map(with_prefix).collect();
        Some(EmptyReason::OtherCase(names))
    }

    /// Surveys the names with the extension that most have, where every name is meant.
    fn most(
        &self,
        all: &Survey<'_>,
        base: &Path,
        until: Instant,
        below_only: bool,
    ) -> Option<BetterPattern> {
        let extension = all.extension_of_most()?;
        if !self.names.is_every_name() {
            return None;
        }
        let names = NameMatcher::new(&format!("*.{extension}"), self.names.files_only);
        Survey::of(base, &names, until).pattern(&self.prefix, below_only)
    }

    /// Finds names that are like a directory that is missing, or like the one name that is meant.
    pub fn similar(&self, search: &EmptySearch<'_>) -> Option<EmptyReason> {
        if self.names.is_wild() && self.missing.is_none() {
            return None;
        }
        let missing = self.missing.clone();
        let path = missing.unwrap_or_else(|| joined(search.path, search.pattern));
        let (nearest, file, similar) = place::nearest(&path, search.until);
        let is_told = self.missing.is_some() || !similar.is_empty();
        is_told.then(|| EmptyReason::Missing {
            path: path.to_string_lossy().into_owned(),
            nearest,
            file,
            similar,
        })
    }
}

/// Takes the last components of braces that hold whole paths.
fn last_components(last: &str) -> String {
    let alternatives = crate::search::braces::alternatives(last.as_bytes()).unwrap_or_default();
    if !alternatives.iter().any(|one| one.contains(&b'/')) {
        return last.to_owned();
    }
    let texts = alternatives
        .iter()
        .filter_map(|one| std::str::from_utf8(one).ok());
    let mut ends: Vec<&str> = texts.map(|one| at_last_slash(one).1).collect();
    ends.sort_unstable();
    ends.dedup();
    match &ends[..] {
        [one] => (*one).to_owned(),
        several => format!("{{{}}}", several.join(",")),
    }
}

/// Parts a pattern at its last slash that is in no braces.
pub(super) fn at_last_slash(pattern: &str) -> (&str, &str) {
    let mut level = 0_usize;
    let mut slash = None;
    for (at, byte) in pattern.bytes().enumerate() {
        match byte {
            b'{' => level += 1,
            b'}' => level = level.saturating_sub(1),
            b'/' if level == 0 => slash = Some(at),
            _ => {}
        }
    }
    slash.map_or(("", pattern), |at| (&pattern[..at], &pattern[at + 1..]))
}

/// Joins `path` and what lies below it.
pub(super) fn joined(path: &str, below: &str) -> PathBuf {
    let whole = Path::new(path).join(below);
    if whole.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        whole
    }
}

/// Writes a directory as it is spoken of.
fn without_slash(directory: &Path) -> String {
    let text = directory.to_string_lossy();
    match text.trim_end_matches('/') {
        "" => text.into_owned(),
        trimmed => trimmed.to_owned(),
    }
}
