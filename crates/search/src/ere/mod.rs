//! POSIX extended regular expressions, matched line by line.
//!
//! # Guide
//!
//! **Meaning.** Patterns mean what POSIX (XBD 9.4) says, as glibc's `regcomp` reads it in the
//! C.UTF-8 locale, down to the texts of `regerror`. Forms that POSIX leaves undefined mean what
//! people write them for: `\d \s \w \b \< \>`, `\t`, `\x41`, `(?i)`, `(?:…)`, `a+?`, a `{` that
//! does not open an interval. In brackets a backslash escapes. `parser` has the full list. A form
//! of another engine that is missing here is refused by name (`unsupported`): it must never
//! silently match something else.
//!
//! **The way of a pattern.** `parser` reads the text into the tree of `ast`, with `bracket`
//! for `[…]`, `interval` for `{…}`, `escapes` and `properties` for backslashes; every refusal
//! is made there. `simplify` makes a smaller tree that finds the same lines, `cost` checks its
//! size. Then `matcher` chooses an engine:
//!
//! | pattern | engine |
//! |---|---|
//! | matches every line | none |
//! | plain text | `memchr::memmem` |
//! | a long run of one set | `runs` |
//! | without a back-reference | `search`: `regex-automata`, built from `hir`; linear time |
//! | with a back-reference | `references`: as above, then `fancy-regex` on `translate`'s text |
//!
//! Both take their sets from `classes`. `required_text` finds plain texts of which every match
//! holds one, to look for first.
//!
//! **Searching.** [`RegexMatcher::find_line`] gets a window of whole lines and returns an offset in
//! the first line that matches. No call of an engine may take longer than a second: where positions
//! times bytes exceed a bound, `search` goes in blocks of lines, with looks at the clock of
//! `budget`. A single line beyond that bound has a thread of its own, which is left behind when its
//! time is over. A line that cannot be decided in time is counted and named, never guessed.
//!
//! **Other readings.** Models write patterns of other tools. Where one is refused, finds nothing or
//! has an empty group, the grep tool goes over the files once more with all
//! `alternative_readings` as one pattern, and names the first that matches. The search itself
//! pays nothing for that.
//!
//! **To add a form:** a row in the table of `parser`, its parsing, a case in
//! `tests/grep/patterns.rs`; if POSIX defines it, it must agree with glibc in
//! `tests/search/ere_conformance.rs` and the fuzz target `ere`. To refuse one: a row in
//! `unsupported` and a request in `tests/messages/grep.txt`.

mod alternative_readings;
mod ast;
mod beyond_ascii;
mod bracket;
mod budget;
mod classes;
mod cost;
mod escapes;
mod hir;
mod interval;
mod match_spans;
mod matcher;
pub mod oddities;
mod parser;
mod properties;
mod references;
mod required_text;
mod runs;
mod search;
mod simplify;
mod translate;
mod unsupported;

#[cfg(test)]
mod costly_tests;
#[cfg(test)]
mod refused_tests;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

pub use alternative_readings::{AlternativeReading, AlternativeReadings, before_carriage_return};
pub use beyond_ascii::reaches_beyond_ascii;
pub use match_spans::MatchExtents;
pub use matcher::RegexMatcher;

/// The reason why a pattern is refused. `Display` gives the text of glibc's `regerror`, or names
/// the construct that is not supported and says what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// The pattern ends right after a `[` or `[^`.
    #[error("Invalid regular expression")]
    Incomplete,
    /// A collating element or equivalence class that is not one character.
    #[error("Invalid collation character")]
    Collation,
    /// A character class that C.UTF-8 does not have.
    #[error("Invalid character class name")]
    Class,
    /// The pattern ends in a backslash.
    #[error("Trailing backslash")]
    Backslash,
    /// A back-reference to a group that is not complete before it.
    #[error("Invalid back reference")]
    BackReference,
    /// A bracket expression without its end.
    #[error("Unmatched [, [^, [:, [., or [=")]
    Bracket,
    /// A group without its end.
    #[error(r"Unmatched ( or \(")]
    Parenthesis,
    /// An interval without its end.
    #[error(r"Unmatched \{{")]
    Brace,
    /// An interval that is not `{m}`, `{m,}`, `{,n}` or `{m,n}` with m ≤ n.
    #[error(r"Invalid content of \{{\}}")]
    Interval,
    /// A range from a later character to an earlier one, or without an end.
    #[error("Invalid range end")]
    Range,
    /// Too many repetitions, or too large or too deep to compile within bounds.
    #[error("Regular expression too big")]
    TooBig,
    /// A repetition with nothing before it to repeat.
    #[error("Invalid preceding regular expression")]
    Repetition,
    /// A construct that other engines have, in a sentence.
    #[error("{0}")]
    Unsupported(Cow<'static, str>),
}
