//! The notes of glob and grep on omitted names, on errors and on a cut: one or two plain sentences
//! for a model, with the request to send instead.

use std::io;

use rustix::io::Errno;

use crate::contract::call_terms::CallTerms;
use iki_base::wording::{format_seconds, system_words, thousands};
use iki_search::braces::MAX_ALTERNATIVES;
use iki_search::glob_pattern::{MAX_PATTERN_BYTES, WildcardError};
use iki_search::paths::{OmittedPaths, UnlistedDirectories};

/// The words of one tool.
#[derive(Clone, Copy, Debug)]
pub struct SearchVocabulary {
    /// The field that holds the wildcard pattern.
    pub pattern_field: &'static str,
    /// True if files are searched, and not only named.
    pub searches_files: bool,
}

/// The results of a search, and how many of them are shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShownPart {
    /// The number of results.
    pub count: u64,
    /// The number of those that are shown, if some are left out.
    pub shown_count: Option<u64>,
    /// The length of the first line in bytes, if it is not shown whole.
    pub first: Option<usize>,
}

impl ShownPart {
    /// Says how much is shown of an answer that has too little room for all `what`, or for its
    /// first line; `limit` is the caller's own, and `fields` are to be narrowed.
    #[must_use]
    pub fn note(self, what: &str, fields: &str, limit: Option<u64>) -> Option<String> {
        let shown_count = self.shown_count?;
        let all = thousands(self.count);
        let larger = match limit {
            Some(limit) if shown_count >= limit => ", or send a larger limit",
            _ => "",
        };
        let is_shown = match self.first {
            None => format!("{} of {all} {what} are shown", thousands(shown_count)),
            Some(length) => {
                let others = match self.count {
                    0 | 1 => String::new(),
                    _ => format!(" of {all}"),
                };
                let length = thousands(length as u64);
                format!("The first line{others} has {length} bytes and is cut")
            }
        };
        Some(format!("{is_shown}; narrow {fields}{larger}."))
    }
}

/// Writes the time limit of a call.
#[must_use]
pub fn seconds_of_call(terms: &CallTerms) -> String {
    let deadline = terms.deadline;
    deadline.map_or("its time".to_owned(), |deadline| {
        format_seconds(deadline.total)
    })
}

/// Says which names that a pattern matches were omitted.
#[must_use]
pub fn omitted_paths(left_out: OmittedPaths, terms: &CallTerms, words: SearchVocabulary) -> String {
    let field = words.pattern_field;
    match left_out {
        OmittedPaths::OtherNames => format!(
            "`..` or links reach some directories in very many ways; these are listed under one \
             name each. Name the directory in `path` and leave `..` out of `{field}`."
        ),
        OmittedPaths::FurtherWays => format!(
            "Incomplete: `..` or links reach the same directories in so many ways that time ran \
             out. Name the directory in `path` and leave `..` out of `{field}`."
        ),
        OmittedPaths::NotReached => format!(
            "Incomplete: the search stopped after {} with directories left. Give a deeper \
             directory in `path`, or one in `{field}`.",
            seconds_of_call(terms)
        ),
    }
}

/// Says which directories could not be listed.
#[must_use]
pub fn unlisted_directories(unlisted: &UnlistedDirectories) -> Option<String> {
    let (path, why) = unlisted.first.as_ref()?;
    let name = String::from_utf8_lossy(path.strip_suffix(b"/").unwrap_or(path)).into_owned();
    let which = match unlisted.count {
        1 => "1 directory could not be listed: ".to_owned(),
        count => format!(
            "{} directories could not be listed, the first of them ",
            thousands(count)
        ),
    };
    Some(format!("{which}{name} ({}).", errno_in_words(*why)))
}

/// Writes an error of the system.
#[must_use]
pub fn errno_in_words(errno: Errno) -> String {
    error_in_words(&errno.into())
}

/// Writes an error of the system.
#[must_use]
pub fn error_in_words(error: &io::Error) -> String {
    system_words(error).to_lowercase()
}

/// Says why a text is not a wildcard pattern.
#[must_use]
pub fn pattern_error(error: WildcardError, length: usize, words: SearchVocabulary) -> String {
    let field = words.pattern_field;
    match error {
        WildcardError::Nul => {
            format!("`{field}` contains a NUL character, which no file name can have.")
        }
        WildcardError::TooLong => format!(
            "`{field}` has {} bytes, and {} is the most: no path is that long.",
            thousands(length as u64),
            thousands(MAX_PATTERN_BYTES as u64)
        ),
        WildcardError::TooMany => format!(
            "The braces in `{field}` stand for more than {} patterns; send fewer at a time, or a \
             `*`.",
            thousands(MAX_ALTERNATIVES as u64)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_have_commas() {
        let shown = ShownPart {
            count: 20_000,
            shown_count: Some(412),
            first: None,
        };
        assert_eq!(
            shown
                .note("matches", "pattern, glob or path", None)
                .unwrap(),
            "412 of 20,000 matches are shown; narrow pattern, glob or path."
        );
    }
}
