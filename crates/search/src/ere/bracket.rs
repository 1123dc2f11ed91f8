//! Bracket expressions (POSIX XBD 9.3.5) as glibc reads them in C.UTF-8: ranges by code point,
//! collating elements and equivalence classes of one character.
//!
//! They differ from POSIX on purpose: a backslash escapes, as it does outside of brackets, because
//! every pattern that has one means it so:
//!
//! | form | meaning |
//! |---|---|
//! | `\w \d \s`, in capitals too | the class, or all characters that are not in it |
//! | `\p{Lu} \P{Lu}` | the Unicode property |
//! | `\t \r \n \f \v \a \x41 \x{41} \u0041` | that character |
//! | `\]` | a `]`, where a later one closes the set; else a backslash, and the end of the set |
//! | any other ASCII letter, and a digit | refused |
//! | any other character | itself |
//!
//! As GNU's grep has it, a set that is written as a class without its brackets (`[:space:]`) is
//! refused.

use super::ast::{CharClass, CharSet};
use super::cost::MAX_SIZE;
use super::unsupported;
use super::{PatternError, escapes, properties};

/// Maximum length of a name between `[:` and `:]`, in bytes.
const MAX_NAME_BYTES: usize = 31;

/// Reads the bracket expression whose `[` ends at `start`. Returns the set and
/// the offset after its `]`. `last` is the offset of the last `]` in the text.
pub(super) fn parse(
    text: &str,
    start: usize,
    last: usize,
    ignores_case: bool,
) -> Result<(CharSet, usize), PatternError> {
    let mut reader = BracketReader {
        text,
        offset: start,
        last,
        ignores_case,
    };
    let mut set = CharSet {
        ignores_case,
        ..CharSet::default()
    };
    if reader.unread().starts_with('^') {
        set.is_negated = true;
        reader.offset += 1;
    }
    if reader.unread().is_empty() {
        return Err(PatternError::Incomplete);
    }
    let inside = reader.offset;
    let mut hyphen = HyphenRule::Allowed;
    let mut first = true;
    loop {
        let element = reader.element(hyphen, first)?;
        first = false;
        hyphen = HyphenRule::OnlyLast;
        let end = match element {
            BracketElement::Char(_) | BracketElement::Name(_) => {
                if reader.unread().is_empty() {
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
                hyphen = HyphenRule::Allowed;
            }
            (BracketElement::Escape(class, true), None) => {
                set.complements.push(class);
                hyphen = HyphenRule::Allowed;
            }
            (BracketElement::Property(ranges), None) => {
                set.ranges.extend(ranges);
                if set.ranges.len() > MAX_SIZE {
                    return Err(PatternError::TooBig);
                }
                hyphen = HyphenRule::Allowed;
            }
        }
        match reader.unread().bytes().next() {
            None => return Err(PatternError::Bracket),
            Some(b']') => {
                let inner = &text[inside..reader.offset];
                let is_bare_class = inner.len() > 2
                    && inner.starts_with(':')
                    && inner.ends_with(':')
                    && inner.len() == set.ranges.len();
                if is_bare_class {
                    return Err(unsupported::bare_class(inner, set.is_negated));
                }
                return Ok((set, reader.offset + 1));
            }
            Some(_) => {}
        }
    }
}

/// The places in which a hyphen may stand for itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HyphenRule {
    Allowed,
    OnlyLast,
}

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
    /// The members of `\p{…}` or `\P{…}`
    Property(Vec<(char, char)>),
}

impl BracketElement<'_> {
    fn end_of_range(&self) -> Result<char, PatternError> {
        match self {
            Self::Char(char) => Ok(*char),
            Self::Name(name) => one_char(name),
            _ => Err(PatternError::Range),
        }
    }
}

struct BracketReader<'a> {
    text: &'a str,
    offset: usize,
    /// The offset of the last `]`.
    last: usize,
    /// True if case is ignored.
    ignores_case: bool,
}

impl<'a> BracketReader<'a> {
    fn unread(&self) -> &'a str {
        &self.text[self.offset..]
    }

    /// Reads the next element. The first one is never an end.
    fn element(
        &mut self,
        hyphen: HyphenRule,
        first: bool,
    ) -> Result<BracketElement<'a>, PatternError> {
        let unread = self.unread();
        let mut chars = unread.chars();
        let char = chars.next().ok_or(PatternError::Bracket)?;
        let next = chars.next();
        self.offset += char.len_utf8();
        match (char, next) {
            ('[', Some(kind @ ('.' | '=' | ':'))) => {
                self.offset += 1;
                let name = self.name(kind)?;
                return Ok(match kind {
                    '.' => BracketElement::Name(name),
                    '=' => BracketElement::Equivalent(name),
                    _ => BracketElement::Class(name),
                });
            }
            ('\\', Some(letter)) => return self.escape(letter),
            ('-', next) if hyphen == HyphenRule::OnlyLast && !first && next != Some(']') => {
                return Err(PatternError::Range);
            }
            _ => {}
        }
        Ok(BracketElement::Char(char))
    }

    /// Reads the escape of this character, whose backslash is passed.
    fn escape(&mut self, letter: char) -> Result<BracketElement<'a>, PatternError> {
        if letter == ']' && self.last <= self.offset {
            return Ok(BracketElement::Char('\\'));
        }
        self.offset += letter.len_utf8();
        if let Some(class) = class(letter) {
            return Ok(BracketElement::Escape(class, letter.is_ascii_uppercase()));
        }
        if let Some(char) = escapes::control(letter) {
            return Ok(BracketElement::Char(char));
        }
        if matches!(letter, 'p' | 'P') {
            let (ranges, end) =
                properties::parse(self.text, self.offset, letter == 'P', self.ignores_case)?;
            self.offset = end;
            return Ok(BracketElement::Property(ranges));
        }
        if escapes::is_numeric(letter) {
            let (char, end) = escapes::numeric(self.text, letter, self.offset)?;
            self.offset = end;
            return Ok(BracketElement::Char(char));
        }
        if letter.is_ascii_alphanumeric() {
            return Err(unsupported::in_brackets(letter));
        }
        Ok(BracketElement::Char(letter))
    }

    /// Reads the end of a range, if a hyphen comes next that makes one.
    fn range_end(&mut self) -> Result<Option<BracketElement<'a>>, PatternError> {
        let Some(unread) = self.unread().strip_prefix('-') else {
            return Ok(None);
        };
        if unread.is_empty() {
            return Err(PatternError::Bracket);
        }
        if unread.starts_with(']') {
            return Ok(None);
        }
        self.offset += 1;
        self.element(HyphenRule::Allowed, false).map(Some)
    }

    /// Reads the name up to `kind` and `]`, and passes these.
    fn name(&mut self, kind: char) -> Result<&'a str, PatternError> {
        let unread = self.unread();
        let length = unread
            .as_bytes()
            .windows(2)
            .take(MAX_NAME_BYTES + 1)
            .position(|pair| char::from(pair[0]) == kind && pair[1] == b']')
            .ok_or(PatternError::Bracket)?;
        self.offset += length + 2;
        Ok(&unread[..length])
    }
}

/// Returns the class that this letter means after a backslash; a capital means all other
/// characters.
pub(super) fn class(letter: char) -> Option<CharClass> {
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
    CharClass::named(name).ok_or_else(|| unsupported::class(name).unwrap_or(PatternError::Class))
}
