//! POSIX extended regular expressions, matched line by line.
//!
//! Patterns mean what POSIX (XBD 9.4) says, as glibc's `regcomp` reads it in the C.UTF-8 locale,
//! down to the texts of `regerror`. Forms that POSIX leaves undefined mean what people write them
//! for: `\d \s \w \b \< \>`, `\t`, `\x41`, `(?i)`, `(?:…)`, `a+?`, a `{` that does not open an
//! interval. In brackets a backslash escapes. [`parser`] has the full list.
//!
//! | module | what it is |
//! |---|---|
//! | [`ast`] | a pattern as a tree |
//! | [`parser`] | text to tree; every refusal is made here |
//! | [`bracket`] | what stands between `[` and `]` |
//! | [`escapes`], [`properties`] | a backslash and what follows it |
//! | [`interval`] | what stands between `{` and `}` |
//! | [`unsupported`], [`advice`] | what is refused by name, and what to write instead |
//! | [`habits`] | why a pattern finds nothing that was meant to find something |
//! | [`pieces`] | a pattern cut into pieces, for these two |
//! | [`simplify`] | a smaller tree that finds the same lines |
//! | [`required`] | plain text that every match holds |
//! | [`hir`] | tree to what the automata of `regex` are built from |
//! | [`translate`] | tree to the syntax of `fancy-regex` |
//! | [`classes`] | the members of a set of characters, for both |
//! | [`matcher`] | which engine searches, and how |
//! | [`search`], [`runs`], [`references`] | the engines |
//! | [`cost`] | what a pattern may cost |
//! | [`budget`] | the timeout of a search |
//! | [`stepper`] | matches a costly line byte by byte |

mod advice;
mod ast;
mod bracket;
mod budget;
mod classes;
mod cost;
mod escapes;
mod habits;
mod hir;
mod interval;
mod matcher;
mod parser;
mod pieces;
mod properties;
mod references;
mod required;
mod runs;
mod search;
mod simplify;
mod stepper;
mod translate;
mod unsupported;

#[cfg(test)]
mod costly_tests;
#[cfg(test)]
mod refused_tests;
#[cfg(test)]
mod tests;

use std::fmt;

pub use habits::Tried;
pub use matcher::Matcher;
pub use unsupported::Unsupported;

/// Why a pattern is refused. `Display` gives the text of glibc's `regerror`, or names what is not
/// supported and says what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternError {
    /// The pattern ends right after a `[` or `[^`.
    Incomplete,
    /// A collating element or equivalence class that is not one character.
    Collation,
    /// A character class that C.UTF-8 does not have.
    Class,
    /// The pattern ends in a backslash.
    Backslash,
    /// A back-reference to a group that is not complete before it.
    BackReference,
    /// A bracket expression without its end.
    Bracket,
    /// A group without its end.
    Parenthesis,
    /// An interval without its end.
    Brace,
    /// An interval that is not `{m}`, `{m,}`, `{,n}` or `{m,n}` with m ≤ n.
    Interval,
    /// A range from a later character to an earlier one, or without an end.
    Range,
    /// Too many repetitions, or too large or too deep to compile within bounds.
    TooBig,
    /// A repetition with nothing before it to repeat.
    Repetition,
    /// A construct that other engines have.
    Unsupported(Unsupported),
}

impl PatternError {
    /// The construct that begins at this offset is not supported.
    fn unsupported(construct: unsupported::Construct, at: usize) -> Self {
        Self::Unsupported(Unsupported {
            construct,
            at,
            instead: None,
        })
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Incomplete => "Invalid regular expression",
            Self::Collation => "Invalid collation character",
            Self::Class => "Invalid character class name",
            Self::Backslash => "Trailing backslash",
            Self::BackReference => "Invalid back reference",
            Self::Bracket => "Unmatched [, [^, [:, [., or [=",
            Self::Parenthesis => r"Unmatched ( or \(",
            Self::Brace => r"Unmatched \{",
            Self::Interval => r"Invalid content of \{\}",
            Self::Range => "Invalid range end",
            Self::TooBig => "Regular expression too big",
            Self::Repetition => "Invalid preceding regular expression",
            Self::Unsupported(unsupported) => return unsupported.fmt(out),
        })
    }
}

impl std::error::Error for PatternError {}
