//! What other engines have and this one does not: each is refused in a sentence that names it and
//! says what to write instead, never read as something else.

use std::fmt;

/// A refused construct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    pub(super) construct: Construct,
    /// The offset in the pattern at which it begins.
    pub(super) at: usize,
    /// What to write instead of the whole pattern, where that can be told.
    pub(super) instead: Option<Instead>,
}

/// A pattern to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Instead {
    pub pattern: String,
    /// Whether it finds the same lines; else it finds more.
    pub exact: bool,
}

/// What is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Construct {
    /// `(?=…)`, `(?!…)`, `(?<=…)`, `(?<!…)`
    LookAround { behind: bool, negative: bool },
    /// `(?>…)`
    Atomic,
    /// `(?(…)…)`
    Conditional,
    /// `(?R)`, `(?1)`, `(?&n)`, `(?P>n)`
    Recursion,
    /// `(?#…)`
    Comment,
    /// A flag between `(?` and `)`.
    Flag(char),
    /// A group's name that is none, or that another group has.
    GroupName,
    /// `\Q…\E`
    Quote,
    /// `\K`
    Keep,
    /// Another escape of an ASCII letter, or of `0`.
    Escape(char),
    /// An escape that does not stand for a character, in brackets.
    InBrackets(char),
    /// `\x`, `\u` or `\U` without its digits.
    Digits(char),
    /// The number of no character.
    NoCharacter,
    /// A Unicode property that is not known.
    Property,
    /// A line feed in every match.
    LineFeed,
}

impl Construct {
    /// What begins with this text behind `(?`, if it is one of those.
    pub fn of_group(text: &str) -> Option<Self> {
        let look = |behind, negative| Self::LookAround { behind, negative };
        let mut bytes = text.bytes();
        Some(match (bytes.next()?, bytes.next()) {
            (b'=', _) => look(false, false),
            (b'!', _) => look(false, true),
            (b'<', Some(b'=')) => look(true, false),
            (b'<', Some(b'!')) => look(true, true),
            (b'>', _) => Self::Atomic,
            (b'(', Some(b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'<' | b'\'' | b'?')) => {
                Self::Conditional
            }
            (b'#', _) => Self::Comment,
            (b'R' | b'&' | b'0'..=b'9', _)
            | (b'+' | b'-', Some(b'0'..=b'9'))
            | (b'P', Some(b'>')) => Self::Recursion,
            _ => return None,
        })
    }

    /// An escape that is not known.
    pub fn escape(letter: char) -> Self {
        match letter {
            'Q' | 'E' => Self::Quote,
            'K' => Self::Keep,
            letter => Self::Escape(letter),
        }
    }
}

/// What finds the same as this escape, outside of brackets.
pub(super) fn same_as(letter: char) -> Option<&'static str> {
    Some(match letter {
        'h' => r"[ \t]",
        'H' => r"[^ \t]",
        'N' | 'X' | 'C' => ".",
        'V' => r"[^\v\f\r]",
        'e' => r"\x1b",
        '0' => r"\x00",
        'R' => "$",
        _ => return None,
    })
}

impl fmt::Display for Unsupported {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.construct.name(out)?;
        match &self.instead {
            Some(Instead {
                pattern,
                exact: true,
            }) => {
                let look = matches!(self.construct, Construct::LookAround { .. });
                let verb = if look { "search for" } else { "write" };
                write!(out, ": {verb} `{pattern}`, which finds the same lines")
            }
            Some(Instead { pattern, .. }) if self.construct == Construct::LineFeed => {
                write!(
                    out,
                    ": search for `{pattern}`, then read the lines around those found"
                )
            }
            Some(Instead { pattern, .. }) => {
                write!(out, ": search for `{pattern}`, then filter the lines found")
            }
            None => write!(out, ": {}", self.construct.remedy()),
        }
    }
}

impl Construct {
    fn name(self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::LookAround { behind, negative } => match (behind, negative) {
                (false, false) => "look-ahead is not supported",
                (false, true) => "negative look-ahead is not supported",
                (true, false) => "look-behind is not supported",
                (true, true) => "negative look-behind is not supported",
            },
            Self::Atomic => "the atomic group `(?>…)` is not supported",
            Self::Conditional => "the conditional `(?(…)…)` is not supported",
            Self::Recursion => "recursion into a group is not supported",
            Self::Comment => "the comment `(?#…)` is not supported",
            Self::Flag(flag) => return write!(out, "the flag `{flag}` in `(?…)` is not supported"),
            Self::GroupName => "a group's name is not one, or is another group's",
            Self::Quote => r"`\Q…\E` is not supported",
            Self::Keep => r"`\K` is not supported",
            Self::Escape(letter) => return write!(out, r"the escape `\{letter}` is not supported"),
            Self::InBrackets(letter) => {
                return write!(out, r"`\{letter}` cannot stand in brackets");
            }
            Self::Digits(letter) => {
                return write!(out, r"`\{letter}` lacks its hexadecimal digits");
            }
            Self::NoCharacter => "there is no character of this number",
            Self::Property => "this Unicode property is not known",
            Self::LineFeed => {
                r"no line holds a line feed (`\n`), and lines are searched one by one"
            }
        })
    }

    /// What to do where no pattern to write instead is known.
    fn remedy(self) -> String {
        match self {
            Self::LookAround { .. } => "search for one part of it, then filter the lines found",
            Self::Atomic => "write `(?:…)`",
            Self::Conditional => "write the two cases as `(…|…)`",
            Self::Recursion => r"write one level of nesting out, as in `\([^()]*\)`",
            Self::Comment => "leave it out",
            Self::Flag('x') => "write the pattern without its blanks and comments",
            Self::Flag(_) => "leave it out; `(?i)` ignores case",
            Self::GroupName => {
                "write letters, digits and `_`, as in `(?<name>…)`, each name once"
            }
            Self::Quote => {
                r"write a backslash before each of the characters `\ . [ ] ( ) { } * + ? | ^ $`"
            }
            Self::Keep => "leave it out, since whole lines are returned",
            Self::Escape('c' | 'o') => r"write the character's number, as in `\x1b`",
            Self::Escape('g') => r"write `\1` for what the first group matched",
            Self::Escape('G') => "leave it out; `^` is the start of a line",
            Self::Escape(letter) => {
                return match same_as(letter) {
                    Some(same) => format!(
                        r"write `{same}`, or `\\{letter}` for a backslash and `{letter}`"
                    ),
                    None => format!(
                        r"write `{letter}` for the letter, `\\{letter}` for a backslash before it"
                    ),
                };
            }
            Self::InBrackets('b') => {
                r"write `\x08` for a backspace, and `\b` before or behind the brackets for a word boundary"
            }
            Self::InBrackets('h') => r"write ` \t`",
            Self::InBrackets('e') => r"write `\x1b`",
            Self::InBrackets('0') => r"write `\x00`",
            Self::InBrackets(letter) => {
                return format!(
                    r"write an alternative, as in `([…]|…)`, or `\\` for a backslash before `{letter}`"
                );
            }
            Self::Digits(letter) => {
                let digits = match letter {
                    'x' => "41",
                    'u' => "0041",
                    _ => "00000041",
                };
                return format!(
                    r"write `\{letter}{digits}` or `\{letter}{{41}}`, and `\\{letter}` for a backslash before the letter"
                );
            }
            Self::NoCharacter => r"write one up to `\x{10FFFF}`, and no surrogate",
            Self::Property => r"write one like `\p{L}`, `\p{Lu}`, `\p{Greek}`",
            Self::LineFeed => {
                "write `$` for the end of a line, or search for a part that stands in one line"
            }
        }
        .to_owned()
    }
}
