//! Bracket expressions (POSIX XBD 9.3.5) as glibc reads them in C.UTF-8: ranges by code point,
//! collating elements and equivalence classes of one character, a backslash that stands for itself.
//! They differ from POSIX on purpose in that `[\w]`, `[\d]`, `[\s]` and their capitals mean the
//! class, since nobody writes them for anything else.

use super::PatternError;
use super::ast::{CharClass, CharSet};

/// The longest name between `[:` and `:]`, in bytes.
const NAME_MAX: usize = 31;

/// Reads the bracket expression whose `[` ends at `start`. Returns the set and
/// the offset after its `]`.
pub(super) fn parse(text: &str, start: usize) -> Result<(CharSet, usize), PatternError> {
    let mut reader = Reader { text, at: start };
    let mut set = CharSet::default();
    if reader.rest().starts_with('^') {
        set.negated = true;
        reader.at += 1;
    }
    if reader.rest().is_empty() {
        return Err(PatternError::Incomplete);
    }
    let mut hyphen = Hyphen::Allowed;
    let mut first = true;
    loop {
        let element = reader.element(hyphen, first)?;
        first = false;
        hyphen = Hyphen::OnlyLast;
        let end = match element {
            BracketElement::Char(_) | BracketElement::Name(_) => {
                if reader.rest().is_empty() {
                    return Err(PatternError::Bracket);
                }
                reader.range_end()?
            }
            _ => None,
        };
        match (element, end) {
            (element, Some(end)) => {
                let last = end.end_of_range();
                if last == Err(PatternError::Range) {
                    return Err(PatternError::Range);
                }
                let (first, last) = (element.end_of_range()?, last?);
                if first > last {
                    return Err(PatternError::Range);
                }
                set.ranges.push((first, last));
            }
            (BracketElement::Char(char), None) => set.ranges.push((char, char)),
            (BracketElement::Name(name) | BracketElement::Equivalent(name), None) => {
                let char = one_char(name)?;
                set.ranges.push((char, char));
            }
            (BracketElement::Class(name), None) => set.classes.push(named(name)?),
            (BracketElement::Escape(class, false), None) => {
                set.classes.push(class);
                hyphen = Hyphen::Allowed;
            }
            (BracketElement::Escape(class, true), None) => {
                set.complements.push(class);
                hyphen = Hyphen::Allowed;
            }
        }
        match reader.rest().bytes().next() {
            None => return Err(PatternError::Bracket),
            Some(b']') => return Ok((set, reader.at + 1)),
            Some(_) => {}
        }
    }
}

/// Whether a hyphen may stand for itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hyphen {
    Allowed,
    OnlyLast,
}

#[derive(Clone, Copy)]
enum BracketElement<'a> {
    Char(char),
    /// `[.x.]`
    Name(&'a str),
    /// `[=x=]`
    Equivalent(&'a str),
    /// `[:x:]`
    Class(&'a str),
    /// `\w`, or `\W` with `true`
    Escape(CharClass, bool),
}

impl BracketElement<'_> {
    fn end_of_range(self) -> Result<char, PatternError> {
        match self {
            Self::Char(char) => Ok(char),
            Self::Name(name) => one_char(name),
            _ => Err(PatternError::Range),
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The next element. The first one is never an end, nor is an escape read as
    /// one where `hyphen` says that a range is being read.
    fn element(&mut self, hyphen: Hyphen, first: bool) -> Result<BracketElement<'a>, PatternError> {
        let rest = self.rest();
        let mut chars = rest.chars();
        let char = chars.next().ok_or(PatternError::Bracket)?;
        let next = chars.next();
        self.at += char.len_utf8();
        match (char, next) {
            ('[', Some(kind @ ('.' | '=' | ':'))) => {
                self.at += 1;
                let name = self.name(kind)?;
                return Ok(match kind {
                    '.' => BracketElement::Name(name),
                    '=' => BracketElement::Equivalent(name),
                    _ => BracketElement::Class(name),
                });
            }
            ('\\', Some(letter)) => {
                if let Some(class) = escape(letter) {
                    self.at += 1;
                    return Ok(BracketElement::Escape(class, letter.is_ascii_uppercase()));
                }
                // The second of two is a character, not the start of an escape.
                if letter == '\\' && !first_of_range(chars.as_str()) {
                    self.at += 1;
                }
            }
            ('-', next) if hyphen == Hyphen::OnlyLast && !first && next != Some(']') => {
                return Err(PatternError::Range);
            }
            _ => {}
        }
        Ok(BracketElement::Char(char))
    }

    /// What ends the range that the next hyphen makes, where it makes one.
    fn range_end(&mut self) -> Result<Option<BracketElement<'a>>, PatternError> {
        let Some(rest) = self.rest().strip_prefix('-') else {
            return Ok(None);
        };
        if rest.is_empty() {
            return Err(PatternError::Bracket);
        }
        if rest.starts_with(']') {
            return Ok(None);
        }
        self.at += 1;
        if rest.starts_with('\\') {
            self.at += 1;
            return Ok(Some(BracketElement::Char('\\')));
        }
        self.element(Hyphen::Allowed, false).map(Some)
    }

    /// The name up to `kind` and `]`, which are passed.
    fn name(&mut self, kind: char) -> Result<&'a str, PatternError> {
        let rest = self.rest();
        let length = rest
            .as_bytes()
            .windows(2)
            .take(NAME_MAX + 1)
            .position(|pair| char::from(pair[0]) == kind && pair[1] == b']')
            .ok_or(PatternError::Bracket)?;
        self.at += length + 2;
        Ok(&rest[..length])
    }
}

/// Whether a hyphen and more than the end follow: a range.
fn first_of_range(rest: &str) -> bool {
    rest.strip_prefix('-')
        .is_some_and(|rest| !rest.starts_with(']'))
}

fn escape(letter: char) -> Option<CharClass> {
    match letter {
        'w' | 'W' => Some(CharClass::Word),
        'd' | 'D' => Some(CharClass::Digit),
        's' | 'S' => Some(CharClass::Space),
        _ => None,
    }
}

fn one_char(name: &str) -> Result<char, PatternError> {
    let mut chars = name.chars();
    match (chars.next(), chars.next()) {
        (Some(char), None) => Ok(char),
        _ => Err(PatternError::Collation),
    }
}

fn named(name: &str) -> Result<CharClass, PatternError> {
    CharClass::named(name).ok_or(PatternError::Class)
}
