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

/// Says how much is shown of an answer that has too little room.
#[must_use]
pub fn shown_part(shown_count: u64, count: u64, what: &str, narrow: &str) -> String {
    format!(
        "{} of {} {what} are shown; narrow {narrow}.",
        thousands(shown_count),
        thousands(count)
    )
}

/// Says that even the first line of an answer is longer than the limit.
#[must_use]
pub fn first_is_cut(length: usize, count: u64, narrow: &str) -> String {
    let length = thousands(length as u64);
    let others = match count {
        0 | 1 => String::new(),
        count => format!(" of {}", thousands(count)),
    };
    format!("The first line{others} has {length} bytes and is cut; narrow {narrow}.")
}

/// Writes the time limit of a call.
#[must_use]
pub fn seconds_of_call(terms: &CallTerms) -> String {
    let deadline = terms.deadline;
    deadline.map_or("its time".to_owned(), |deadline| {
        format_seconds(deadline.whole)
    })
}

/// Says which names that a pattern matches were omitted.
#[must_use]
pub fn omitted_paths(left_out: OmittedPaths, terms: &CallTerms, words: SearchVocabulary) -> String {
    let field = words.pattern_field;
    match left_out {
        OmittedPaths::OtherNames => format!(
            "`..` or links reach some directories in very many ways; these are listed under one name each. \
             Name the directory in `path` and leave `..` out of `{field}`."
        ),
        OmittedPaths::FurtherWays => format!(
            "Incomplete: `..` or links reach the same directories in so many ways that time ran out. \
             Name the directory in `path` and leave `..` out of `{field}`."
        ),
        OmittedPaths::NotReached => format!(
            "Incomplete: the search stopped after {} with directories left. Give a deeper directory in \
             `path`, or one in `{field}`.",
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
            "The braces in `{field}` stand for more than {} patterns; send fewer at a time, or a `*`.",
            thousands(MAX_ALTERNATIVES as u64)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_have_commas() {
        assert_eq!(
            shown_part(412, 20_000, "matches", "pattern, glob or path"),
            "412 of 20,000 matches are shown; narrow pattern, glob or path."
        );
    }
}
