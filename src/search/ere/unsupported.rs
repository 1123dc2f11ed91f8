//! Constructs of other engines that this one does not have: each is refused in one sentence that
//! names it and says what to write instead, never read as something else.

use std::fmt;

/// A refused construct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnsupportedConstruct {
    /// `(?=…)`, `(?!…)`, `(?<=…)`, `(?<!…)`, by its name.
    LookAround(&'static str),
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
    /// A group's name that is malformed, or that another group has.
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
    /// A number that no character has.
    NoCharacter,
    /// A Unicode property that is not known.
    Property,
    /// A line feed in every match.
    LineFeed,
}

impl UnsupportedConstruct {
    /// Recognises the construct that begins with `text` behind `(?`.
    pub(super) fn of_group(text: &str) -> Option<Self> {
        let mut bytes = text.bytes();
        Some(match (bytes.next()?, bytes.next()) {
            (b'=', _) => Self::LookAround("look-ahead"),
            (b'!', _) => Self::LookAround("negative look-ahead"),
            (b'<', Some(b'=')) => Self::LookAround("look-behind"),
            (b'<', Some(b'!')) => Self::LookAround("negative look-behind"),
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

    /// Names the escape of a letter that has no meaning here.
    pub(super) fn of_escape(letter: char) -> Self {
        match letter {
            'Q' | 'E' => Self::Quote,
            'K' => Self::Keep,
            letter => Self::Escape(letter),
        }
    }
}

impl fmt::Display for UnsupportedConstruct {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sentence = match *self {
            Self::LookAround(name) => {
                return write!(
                    out,
                    "{name} is not supported: search for one part of it, then filter the lines found"
                );
            }
            Self::Atomic => "the atomic group `(?>…)` is not supported: write `(?:…)`",
            Self::Conditional => {
                "the conditional `(?(…)…)` is not supported: write the two cases as `(…|…)`"
            }
            Self::Recursion => {
                r"recursion into a group is not supported: write one level of nesting out, as in `\([^()]*\)`"
            }
            Self::Comment => "the comment `(?#…)` is not supported: leave it out",
            Self::Flag('x') => {
                "the flag `x` in `(?…)` is not supported: write the pattern without its blanks and comments"
            }
            Self::Flag(flag) => {
                return write!(
                    out,
                    "the flag `{flag}` in `(?…)` is not supported: leave it out; `(?i)` ignores case"
                );
            }
            Self::GroupName => {
                "a group's name is not one, or is another group's: write letters, digits and `_`, as in \
                 `(?<name>…)`, each name once"
            }
            Self::Quote => {
                r"`\Q…\E` is not supported: write a backslash before each of the characters `\ . [ ] ( ) { } * + ? | ^ $`"
            }
            Self::Keep => r"`\K` is not supported: leave it out, since whole lines are returned",
            Self::Escape(letter) => return write_escape(letter, out),
            Self::InBrackets('b') => {
                r"`\b` cannot stand in brackets: write `\x08` for a backspace, and `\b` before or behind the brackets for a word boundary"
            }
            Self::InBrackets(letter) => {
                return write!(
                    out,
                    r"`\{letter}` cannot stand in brackets: write the characters themselves or an alternative, as in `([…]|…)`, or `\\` for a backslash before `{letter}`"
                );
            }
            Self::Digits(letter) => {
                return write!(
                    out,
                    r"`\{letter}` lacks its hexadecimal digits: write `\{letter}{{41}}`, and `\\{letter}` for a backslash before the letter"
                );
            }
            Self::NoCharacter => {
                r"there is no character of this number: write one up to `\x{10FFFF}`, and no surrogate"
            }
            Self::Property => {
                r"this Unicode property is not known: write one like `\p{L}`, `\p{Lu}`, `\p{Greek}`"
            }
            Self::LineFeed => {
                r"no line holds a line feed (`\n`), and lines are searched one by one: write `$` for the end of a line, or search for a part that stands in one line"
            }
        };
        out.write_str(sentence)
    }
}

fn write_escape(letter: char, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    let instead = match letter {
        'c' | 'o' => r"the character's number, as in `\x1b`",
        'g' => r"`\1` for what the first group matched",
        'G' => "`^` for the start of a line",
        'h' => r"`[ \t]`",
        'H' => r"`[^ \t]`",
        'N' | 'X' | 'C' => "`.`",
        'e' => r"`\x1b`",
        '0' => r"`\x00`",
        'R' => "`$`",
        _ => "the letter alone",
    };
    write!(
        out,
        r"the escape `\{letter}` is not supported: write {instead}, or `\\{letter}` for a backslash and `{letter}`"
    )
}
