//! What glob and grep say beside what they found: why there is nothing, what was left out, how much
//! is shown. One or two plain sentences for a model, with what to send instead.

use std::io;

use rustix::io::Errno;
use serde_json::Value;

pub use crate::basics::words::{counted_as as several, thousands};
use crate::contract::terms::Terms;
use crate::search::braces::MOST_ALTERNATIVES;
use crate::search::nothing::{Below, Count, Found, Kind, Misplaced, Misread, Reason, Slip};
use crate::search::paths::{LeftOut, Unlisted};
use crate::search::steps::{LONGEST_PATTERN, PatternError};

/// The words of one tool.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// The field that holds the wildcard pattern.
    pub field: &'static str,
    /// Whether files are searched, and not only named.
    pub searches: bool,
}

/// What is no directory, with its article.
fn in_a_word(kind: Kind) -> &'static str {
    match kind {
        Kind::File => "a file",
        Kind::Fifo => "a FIFO",
        Kind::Socket => "a socket",
        Kind::Device => "a device",
    }
}

/// What is said where not all of an answer has room.
#[must_use]
pub fn shown(shown: u64, count: u64, what: &str, narrow: &str) -> String {
    format!(
        "{} of {} {what} are shown; narrow {narrow}.",
        thousands(shown),
        thousands(count)
    )
}

/// What is said where even the first line of an answer is longer than the limit.
#[must_use]
pub fn first_is_cut(length: usize, count: u64, narrow: &str) -> String {
    let length = thousands(u64::try_from(length).unwrap_or(u64::MAX));
    let others = match count {
        0 | 1 => String::new(),
        count => format!(" of {}", thousands(count)),
    };
    format!("The first line{others} has {length} bytes and is cut; narrow {narrow}.")
}

/// How long a call had, in words.
#[must_use]
pub fn seconds(terms: &Terms) -> String {
    match terms.deadline {
        Some(deadline) if deadline.whole.subsec_millis() == 0 => {
            several(deadline.whole.as_secs(), "second", "seconds")
        }
        Some(deadline) => format!("{:.1} seconds", deadline.whole.as_secs_f64()),
        None => "its time".to_owned(),
    }
}

/// What was left out of the names that a pattern stands for.
#[must_use]
pub fn left_out(left_out: LeftOut, terms: &Terms, words: Words) -> String {
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
            seconds(terms)
        ),
    }
}

/// Directories that could not be listed.
#[must_use]
pub fn unlisted(unlisted: &Unlisted) -> Option<String> {
    let (path, why) = unlisted.first.as_ref()?;
    let name = String::from_utf8_lossy(path.strip_suffix(b"/").unwrap_or(path)).into_owned();
    let count = several(unlisted.count, "directory", "directories");
    let which = if unlisted.count == 1 {
        ": "
    } else {
        ", the first of them "
    };
    Some(format!(
        "{count} could not be listed{which}{name} ({}).",
        reason(*why)
    ))
}

/// Why the system refused something.
#[must_use]
pub fn reason(errno: Errno) -> String {
    in_words(&io::Error::from_raw_os_error(errno.raw_os_error()))
}

fn in_words(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    text.to_lowercase()
}

/// Why a text is no wildcard pattern.
#[must_use]
pub fn no_pattern(error: PatternError, length: usize, words: Words) -> String {
    let field = words.field;
    match error {
        PatternError::Nul => format!("`{field}` holds a NUL character, which no file name has."),
        PatternError::TooLong => format!(
            "`{field}` has {} bytes, and {} is the most: no path is that long.",
            thousands(u64::try_from(length).unwrap_or(u64::MAX)),
            thousands(u64::try_from(LONGEST_PATTERN).unwrap_or(u64::MAX))
        ),
        PatternError::TooMany => format!(
            "The braces in `{field}` stand for more than {} patterns; send fewer at a time, or a `*`.",
            thousands(u64::try_from(MOST_ALTERNATIVES).unwrap_or(u64::MAX))
        ),
    }
}

impl Words {
    /// `"glob":"**/*.rs"`, as it is sent.
    fn field(self, pattern: &str) -> String {
        format!("\"{}\":{}", self.field, Value::from(pattern))
    }

    /// What such a pattern does: `matches 180 names`, `searches at least 20 files`.
    fn does(self, count: Count) -> String {
        let at_least = if count.at_least { "at least " } else { "" };
        let (verb, one, more) = if self.searches {
            ("searches", "file", "files")
        } else {
            ("matches", "name", "names")
        };
        format!("{verb} {at_least}{}", several(count.number, one, more))
    }

    fn recommend(self, found: &Found) -> String {
        format!("{} {}", self.field(&found.pattern), self.does(found.count))
    }

    /// Why nothing was found. `searched` is how many files were searched.
    #[must_use]
    pub fn why(self, reason: &Reason, searched: u64) -> String {
        let field = self.field;
        match reason {
            Reason::Path(misplaced) => self.path(misplaced),
            Reason::EmptyPattern => {
                format!(
                    "`{field}` is empty, and names nothing; send {} for all names.",
                    self.field("*")
                )
            }
            Reason::Unexpanded(Some(pattern)) => format!(
                "What only a shell expands stands for itself here: send {}.",
                self.field(pattern)
            ),
            Reason::Unexpanded(None) => {
                "What only a shell expands stands for itself here: send the path that it means."
                    .to_owned()
            }
            Reason::Misread(how, found) => {
                format!("{} {}.", self.misread(*how), self.recommend(found))
            }
            Reason::Negation => format!(
                "A `!` at the beginning of `{field}` stands for itself: no pattern leaves names out. Name what is wanted."
            ),
            Reason::MissingDirectory {
                path,
                nearest,
                file,
                similar,
            } => missing(path, nearest, file.as_deref(), similar),
            Reason::Similar(directory, names) => {
                format!(
                    "There is no such name; {directory} has {}.",
                    names.join(", ")
                )
            }
            Reason::Below(below) => self.below(below, searched),
            Reason::Hidden(all) => {
                let all: Vec<String> = all.iter().map(|found| self.recommend(found)).collect();
                let looked = if searched > 0 {
                    "Hidden files were not searched"
                } else {
                    "What matches is hidden, and wildcards pass over names that begin with a dot"
                };
                format!("{looked}: {}.", all.join(", "))
            }
            Reason::OtherCase(paths) => {
                let name = if paths.len() == 1 {
                    "this is"
                } else {
                    "these are"
                };
                format!(
                    "Upper and lower case differ here; {name} there: {}.",
                    paths.join(", ")
                )
            }
            Reason::OnlyBuilt(groups) => format!(
                "What matches lies only in what was built or fetched: {}.",
                numbers(groups)
            ),
            Reason::Directory(name, found) => match found {
                Some(found) => format!("{name} is a directory: {}.", self.recommend(found)),
                None => format!("{name} is a directory, and no file lies in it or below."),
            },
            Reason::Directories(count, found) => {
                let names = match count {
                    1 => "is a directory".to_owned(),
                    count => format!("are {} directories", thousands(*count)),
                };
                format!("What matches {names}: {}.", self.recommend(found))
            }
            Reason::Special(name, kind) => format!(
                "{name} is {}, and nothing but regular files is searched.",
                in_a_word(*kind)
            ),
            Reason::LeadsNowhere(name, target) => leads_nowhere(name, target),
            Reason::Links(count) => format!(
                "{} not searched: a link is followed only where `path` names it.",
                match count {
                    1 => "1 symbolic link was".to_owned(),
                    count => format!("{} symbolic links were", thousands(*count)),
                }
            ),
        }
    }

    fn below(self, below: &Below, searched: u64) -> String {
        let Below {
            directory,
            direct,
            missing,
            found,
            most,
            built,
        } = below;
        let place = if *direct {
            format!(" directly in {directory}")
        } else {
            String::new()
        };
        let looked = match (missing, searched) {
            (Some(missing), _) => format!("{missing} does not exist."),
            (None, 0) if self.searches => format!("Nothing was searched: no file{place} matches."),
            (None, 0) => format!("Nothing{place} matches."),
            (None, 1) => format!("Only 1 file{place} was searched."),
            (None, count) => format!("Only {} files{place} were searched.", thousands(count)),
        };
        let send = match most {
            Some(most) if most.count.number < found.count.number => {
                format!("{}, {} all", self.recommend(most), self.all(found))
            }
            Some(most) => self.recommend(most),
            None => self.recommend(found),
        };
        let apart = if built.is_empty() {
            String::new()
        } else {
            format!(" Not counted: {}.", numbers(built))
        };
        format!("{looked} {send}.{apart}")
    }

    /// `"glob":"**/*" searches all 412`, short of the last word.
    fn all(self, found: &Found) -> String {
        let verb = if self.searches { "searches" } else { "matches" };
        let at_least = if found.count.at_least {
            "at least "
        } else {
            ""
        };
        let number = thousands(found.count.number);
        format!(
            "{} {verb} {at_least}{number} in",
            self.field(&found.pattern)
        )
    }

    fn misread(self, how: Misread) -> String {
        let field = self.field;
        let said = match how {
            Misread::Absolute => "begins with `/`, and so at the root directory and not in `path`",
            Misread::Repeated => "starts from `path` already",
            Misread::Backslashes => "needs `/` between directories",
            Misread::Quotes => "is taken as it is, with its quotes and blanks",
            Misread::Expression => "is a wildcard pattern, no regular expression",
            Misread::List => "holds one pattern; several are written in braces",
            Misread::Blanks => "is taken as it is, with the blanks in its braces",
            Misread::Alternatives => "has its alternatives in braces, parted by commas",
            Misread::SingleBrace => "has braces without a comma, which stand for themselves",
            Misread::OpenBrace => "has a brace that is not closed, which stands for itself",
            Misread::Sequence => "knows no sequences in braces",
            Misread::SlashAtEnd => "ends in `/`, and so names directories only",
            Misread::Extension => "is a whole name, no extension",
            Misread::Negation => "leaves nothing out",
            Misread::LineNumber => "names files, not lines",
        };
        format!("`{field}` {said}:")
    }

    fn path(self, misplaced: &Misplaced) -> String {
        match misplaced {
            Misplaced::Nul => "`path` holds a NUL character, which no file name has.".to_owned(),
            Misplaced::LeadsNowhere(target) => leads_nowhere("`path`", target),
            Misplaced::Unreachable(error) => {
                format!("`path` cannot be reached: {}.", in_words(error))
            }
            Misplaced::NotSearched(Kind::File) => format!(
                "`path` is a file, not a directory: send the directory that it is in, and its name in `{}`.",
                self.field
            ),
            Misplaced::NotSearched(kind) => {
                let kind = in_a_word(*kind);
                let what = if self.searches {
                    "Nothing was searched"
                } else {
                    "There is nothing in it"
                };
                format!("{what}: `path` is {kind}, neither a directory nor a regular file.")
            }
            Misplaced::Missing {
                nearest,
                file,
                similar,
                slip,
            } => match slip {
                Some(
                    slip @ Slip::Wildcards {
                        directory,
                        is_there: false,
                        ..
                    },
                ) => format!(
                    "{} {}",
                    self.slip(slip),
                    missing(directory, nearest, file.as_deref(), similar)
                ),
                Some(slip) => self.slip(slip),
                None => missing("`path`", nearest, file.as_deref(), similar),
            },
        }
    }

    fn slip(self, slip: &Slip) -> String {
        let path = |path: &str| format!("\"path\":{}", Value::from(path));
        match slip {
            Slip::Meant(meant) => meant.advice(path),
            Slip::Wildcards {
                directory, found, ..
            } => {
                let send = format!("{},{}", path(directory), self.field(&found.pattern));
                let does = match found.count.number {
                    0 => String::new(),
                    _ => format!(" {}", self.does(found.count)),
                };
                format!(
                    "`path` is taken as it is, and wildcards belong in `{}`: {send}{does}.",
                    self.field
                )
            }
            Slip::Several(pattern) => format!(
                "`path` is one path; for several leave it out and send {}.",
                self.field(pattern)
            ),
        }
    }
}

fn numbers(groups: &[(String, Count)]) -> String {
    let one = |(name, count): &(String, Count)| {
        let at_least = if count.at_least { "at least " } else { "" };
        format!("{name} ({at_least}{})", thousands(count.number))
    };
    groups.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn leads_nowhere(link: &str, target: &str) -> String {
    format!("{link} is a symbolic link to {target}, which does not exist.")
}

fn missing(path: &str, nearest: &str, file: Option<&str>, similar: &[String]) -> String {
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
    fn the_part_that_is_shown_is_counted() {
        assert_eq!(
            shown(412, 20_000, "matches", "pattern, glob or path"),
            "412 of 20,000 matches are shown; narrow pattern, glob or path."
        );
    }
}
