//! The notes of glob and grep: on an empty answer, on names left out, on a cut. One or two plain
//! sentences for a model, with the request to send instead.

use std::io;

use rustix::io::Errno;
use serde_json::Value;

use crate::basics::unicode_form::spelled_json;
use crate::basics::words::{counted, system_words, thousands};
use crate::contract::terms::Terms;
use crate::search::braces::MOST_ALTERNATIVES;
use crate::search::empty_result::{
    BetterPattern, EmptyReason, MisplacedPath, MiswrittenPath, NamesBelow, PathKind,
};
use crate::search::paths::{LeftOut, UnlistedDirectories};
use crate::search::steps::{LONGEST_PATTERN, WildcardError};

/// The words of one tool.
#[derive(Clone, Copy, Debug)]
pub struct NoteWords {
    /// The field that holds the wildcard pattern.
    pub field: &'static str,
    /// True if files are searched, and not only named.
    pub searches: bool,
}

/// Names a kind of file, with its article.
fn kind_in_words(kind: PathKind) -> &'static str {
    match kind {
        PathKind::File => "a file",
        PathKind::Fifo => "a FIFO",
        PathKind::Socket => "a socket",
        PathKind::Device => "a device",
    }
}

/// Says how much is shown of an answer that has too little room.
#[must_use]
pub fn shown_part(shown: u64, count: u64, what: &str, narrow: &str) -> String {
    format!(
        "{} of {} {what} are shown; narrow {narrow}.",
        thousands(shown),
        thousands(count)
    )
}

/// Says that even the first line of an answer is longer than the limit.
#[must_use]
pub fn first_is_cut(length: usize, count: u64, narrow: &str) -> String {
    let length = thousands(u64::try_from(length).unwrap_or(u64::MAX));
    let others = match count {
        0 | 1 => String::new(),
        count => format!(" of {}", thousands(count)),
    };
    format!("The first line{others} has {length} bytes and is cut; narrow {narrow}.")
}

/// Writes the time that a call had.
#[must_use]
pub fn seconds_of_call(terms: &Terms) -> String {
    match terms.deadline {
        Some(deadline) if deadline.whole.subsec_millis() == 0 => {
            counted(deadline.whole.as_secs(), "second")
        }
        Some(deadline) => format!("{:.1} seconds", deadline.whole.as_secs_f64()),
        None => "its time".to_owned(),
    }
}

/// Says which names of a pattern were left out.
#[must_use]
pub fn left_out_names(left_out: LeftOut, terms: &Terms, words: NoteWords) -> String {
    let field = words.field;
    match left_out {
        LeftOut::OtherNames => format!(
            "Where `..` or links lead to a directory in very many ways, what is in it is listed by one of them. \
             Name the directory in `path` and leave `..` out of `{field}`."
        ),
        LeftOut::FurtherWays => format!(
            "Not all that the pattern names: `..` or links lead to directories in so many ways that time was over. \
             Name the directory in `path` and leave `..` out of `{field}`."
        ),
        LeftOut::NotReached => format!(
            "This is not complete: after {} not all directories had been looked at. Name a directory \
             further down in `path`, or one in `{field}`.",
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

fn error_in_words(error: &io::Error) -> String {
    system_words(error).to_lowercase()
}

/// Says why a text is not a wildcard pattern.
#[must_use]
pub fn pattern_error(error: WildcardError, length: usize, words: NoteWords) -> String {
    let field = words.field;
    match error {
        WildcardError::Nul => format!("`{field}` holds a NUL character, which no file name has."),
        WildcardError::TooLong => format!(
            "`{field}` has {} bytes, and {} is the most: no path is that long.",
            thousands(u64::try_from(length).unwrap_or(u64::MAX)),
            thousands(u64::try_from(LONGEST_PATTERN).unwrap_or(u64::MAX))
        ),
        WildcardError::TooMany => format!(
            "The braces in `{field}` stand for more than {} patterns; send fewer at a time, or a `*`.",
            thousands(u64::try_from(MOST_ALTERNATIVES).unwrap_or(u64::MAX))
        ),
    }
}

impl NoteWords {
    /// `"glob":"**/*.rs"`, as it is sent.
    fn field(self, pattern: &str) -> String {
        let json = Value::from(pattern).to_string();
        format!("\"{}\":{}", self.field, spelled_json(json))
    }

    /// Says what a pattern does: `matches 180 names`, `searches 20 files, 5 of them in target`.
    fn effect(self, found: &BetterPattern) -> String {
        let at_least = if found.at_least { "at least " } else { "" };
        let (verb, word) = if self.searches {
            ("searches", "file")
        } else {
            ("matches", "name")
        };
        let number = counted(found.number, word);
        let places = found.built_in.join(", ");
        let built = match found.built {
            0 => String::new(),
            built if built == found.number => format!(", all in {places}"),
            built => format!(", {} of them in {places}", thousands(built)),
        };
        format!("{verb} {at_least}{number}{built}")
    }

    fn recommend(self, found: &BetterPattern) -> String {
        let send = self.field(&found.pattern);
        match found.number {
            0 => send,
            _ => format!("{send} {}", self.effect(found)),
        }
    }

    /// Says why nothing was found in so many files that were searched, or why no more names were
    /// than so many.
    #[must_use]
    pub fn reason(self, reason: &EmptyReason, searched: u64) -> String {
        match reason {
            EmptyReason::Path(misplaced) => self.misplaced("`path`", misplaced),
            EmptyReason::Named(name, misplaced) => self.misplaced(name, misplaced),
            EmptyReason::Misread(found) => format!(
                "`{}` is a shell's wildcard pattern from `path` on, and names nothing as it is written: {}.",
                self.field,
                self.recommend(found)
            ),
            EmptyReason::Unexpanded => format!(
                "`~` and variables are not expanded in `{}`: send the path that is meant.",
                self.field
            ),
            EmptyReason::Below(below) => self.below(below, searched),
            EmptyReason::Hidden(all) => {
                let looked = if searched > 0 {
                    "Hidden files were not searched"
                } else {
                    "What matches is hidden, and wildcards pass over names that begin with a dot"
                };
                let all: Vec<String> = all.iter().map(|found| self.recommend(found)).collect();
                format!("{looked}: {}.", all.join(", "))
            }
            EmptyReason::OtherCase(paths) => {
                let paths = paths.join(", ");
                format!("Upper and lower case differ here; there is {paths}.")
            }
            EmptyReason::Directories(count, found) => {
                let names = match count {
                    1 => "is a directory".to_owned(),
                    count => format!("are {} directories", thousands(*count)),
                };
                match found {
                    Some(found) => format!("What matches {names}: {}.", self.recommend(found)),
                    None => format!("What matches {names}, and files alone are searched."),
                }
            }
            EmptyReason::Links(count) => {
                let were = if *count == 1 { "was" } else { "were" };
                let links = counted(*count, "symbolic link");
                format!(
                    "{links} {were} not searched: a link is followed only where `path` names it."
                )
            }
        }
    }

    fn below(self, below: &NamesBelow, searched: u64) -> String {
        let place = below.directory.as_ref();
        let place = place.map_or_else(String::new, |place| format!(" directly in {place}"));
        let more = thousands(below.found.number.saturating_sub(searched));
        let at_least = if below.found.at_least {
            "at least "
        } else {
            ""
        };
        let looked = match (&below.missing, searched) {
            (Some(missing), _) => format!("{missing} does not exist."),
            (None, 0) if self.searches => format!("Nothing was searched: no file{place} matches."),
            (None, 0) => format!("Nothing{place} matches."),
            (None, count) if self.searches => {
                let were = if count == 1 { "was" } else { "were" };
                let files = counted(count, "file");
                format!("Only {files}{place} {were} searched; {at_least}{more} more lie below.")
            }
            (None, _) => {
                format!("Only names{place} are listed; {at_least}{more} more match below.")
            }
        };
        let all = self.recommend(&below.found);
        match &below.most {
            Some(most) => format!("{looked} {}; {all}.", self.recommend(most)),
            None => format!("{looked} {all}."),
        }
    }

    fn misplaced(self, path: &str, misplaced: &MisplacedPath) -> String {
        match misplaced {
            MisplacedPath::Nul => {
                "`path` holds a NUL character, which no file name has.".to_owned()
            }
            MisplacedPath::LeadsNowhere(target) => {
                format!("{path} is a symbolic link to {target}, which does not exist.")
            }
            MisplacedPath::Unreachable(error) => {
                format!("`path` cannot be reached: {}.", error_in_words(error))
            }
            MisplacedPath::NotSearched(PathKind::File) => format!(
                "`path` is a file, not a directory: send the directory that it is in, and its name in `{}`.",
                self.field
            ),
            MisplacedPath::NotSearched(kind) => {
                let kind = kind_in_words(*kind);
                let what = if self.searches {
                    "Nothing was searched"
                } else {
                    "There is nothing in it"
                };
                format!("{what}: {path} is {kind}, neither a directory nor a regular file.")
            }
            MisplacedPath::Missing {
                nearest,
                file,
                similar,
                slip,
            } => match slip {
                Some(
                    slip @ MiswrittenPath::Wildcards {
                        directory,
                        is_there: false,
                        ..
                    },
                ) => format!(
                    "{} {}",
                    self.slip(slip),
                    missing_path(directory, nearest, file.as_deref(), similar)
                ),
                Some(slip) => self.slip(slip),
                None => missing_path(path, nearest, file.as_deref(), similar),
            },
        }
    }

    fn slip(self, slip: &MiswrittenPath) -> String {
        let path = |path: &str| format!("\"path\":{}", Value::from(path));
        match slip {
            MiswrittenPath::Meant(meant) => meant.advice(path),
            MiswrittenPath::Wildcards {
                directory, found, ..
            } => {
                let (path, found) = (path(directory), self.recommend(found));
                format!(
                    "`path` is taken as it is, and wildcards belong in `{}`: {path},{found}.",
                    self.field
                )
            }
            MiswrittenPath::Several(pattern) => format!(
                "`path` is one path; for several leave it out and send {}.",
                self.field(pattern)
            ),
        }
    }
}

fn missing_path(path: &str, nearest: &str, file: Option<&str>, similar: &[String]) -> String {
    if file == Some(path) {
        return format!("{path} is a file, and nothing lies in it.");
    }
    if let Some(file) = file {
        return format!("{path} does not exist: {file} is a file, and nothing lies in it.");
    }
    let has = if similar.is_empty() {
        String::new()
    } else {
        format!(", which has {}", similar.join(", "))
    };
    // A full stop behind it would make it another directory.
    let nearest = match nearest {
        "." => "the working directory",
        nearest => nearest,
    };
    format!("{path} does not exist; the nearest directory that does is {nearest}{has}.")
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
