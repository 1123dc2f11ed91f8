//! A set in a wildcard pattern: `[abc]`, `[!a-z]`, `[[:alpha:]]`.
//!
//! Read by the rules of POSIX (XBD 9.3.5 with `!` or `^`, and `\` as an escape), written in the
//! forms that the `glob` crate shares with them.

use super::classes::CharClass;

/// A set of characters.
#[derive(Clone, Debug, PartialEq)]
pub struct WildcardSet {
    negated: bool,
    ranges: Vec<(char, char)>,
}

impl WildcardSet {
    /// Reads the set whose `[` is before `offset`. Returns it and the offset after its end; `None`
    /// if it has no end.
    pub fn parse(pattern: &[char], mut offset: usize, unicode: bool) -> Option<(Self, usize)> {
        let negated = matches!(pattern.get(offset), Some('!' | '^'));
        offset += usize::from(negated);
        let first = offset;
        let mut ranges = Vec::new();
        // A class or a collating symbol that does not exist makes the comparison fail there, before
        // anything after it is looked at.
        let mut broken = false;
        loop {
            if pattern.get(offset) == Some(&']') && offset > first {
                break;
            }
            let (element, next) = element(pattern, offset)?;
            offset = next;
            let low = match element {
                SetElement::Class(name) => {
                    broken |= !(broken || class(&name, unicode, &mut ranges));
                    continue;
                }
                SetElement::Equivalent(c) => {
                    if !broken {
                        ranges.push((c, c));
                    }
                    continue;
                }
                SetElement::Char(c) => Some(c),
                SetElement::Unknown => None,
            };
            let mut high = low;
            if pattern.get(offset) == Some(&'-')
                && pattern.get(offset + 1).is_some_and(|c| *c != ']')
            {
                (high, offset) = match element_at_end(pattern, offset + 1)? {
                    (SetElement::Char(c), next) => (Some(c), next),
                    (_, next) => (None, next),
                };
            }
            match (low, high) {
                (Some(low), Some(high)) if !broken => ranges.push((low, high)),
                (Some(_), Some(_)) => {}
                _ => broken = true,
            }
        }
        let nothing = negated && broken;
        if nothing {
            ranges.clear();
        }
        Some((
            Self {
                negated: negated && !nothing,
                ranges,
            },
            offset + 1,
        ))
    }

    /// Writes a set as ranges only: `a-a` is unambiguous, whatever character `a` is. Only `]` has
    /// to be written by itself, in front. The empty range `b-a` separates it, or a `!`, from the
    /// rest.
    pub fn write(&self, text: &mut String) {
        text.push('[');
        if self.negated {
            text.push('!');
        }
        if self
            .ranges
            .iter()
            .any(|(low, high)| (*low..=*high).contains(&']'))
        {
            text.push(']');
        }
        text.push_str("b-a");
        for &(low, high) in &self.ranges {
            for (low, high) in [(low, high.min('\\')), (low.max('^'), high)] {
                if low <= high {
                    text.extend([low, '-', high]);
                }
            }
        }
        text.push(']');
    }
}

/// One element of a set.
enum SetElement {
    Char(char),
    Class(String),
    Equivalent(char),
    Unknown,
}

/// Reads the element at `offset`; with the offset of the next one. None at the pattern's end.
fn element(pattern: &[char], offset: usize) -> Option<(SetElement, usize)> {
    match (*pattern.get(offset)?, pattern.get(offset + 1)) {
        ('[', Some(':')) => {
            let name: String = pattern[offset + 2..]
                .iter()
                .take_while(|c| ('a'..='y').contains(*c))
                .collect();
            let end = offset + 2 + name.len();
            if pattern[end..].starts_with(&[':', ']']) {
                return Some((SetElement::Class(name), end + 2));
            }
            Some((SetElement::Char('['), offset + 1))
        }
        ('[', Some('=')) => match pattern[offset + 2..] {
            [c, '=', ']', ..] => Some((SetElement::Equivalent(c), offset + 5)),
            _ => Some((SetElement::Char('['), offset + 1)),
        },
        _ => element_at_end(pattern, offset),
    }
}

/// Reads the element at `offset` as one that has to be a character, as at the end of a range.
fn element_at_end(pattern: &[char], offset: usize) -> Option<(SetElement, usize)> {
    match (*pattern.get(offset)?, pattern.get(offset + 1)) {
        ('\\', escaped) => Some((SetElement::Char(*escaped?), offset + 2)),
        ('[', Some('.')) => {
            let name = &pattern[offset + 2..];
            let length = name.windows(2).position(|end| end == ['.', ']'])?;
            let next = offset + 2 + length + 2;
            match name[..length] {
                [c] => Some((SetElement::Char(c), next)),
                _ => Some((SetElement::Unknown, next)),
            }
        }
        (c, _) => Some((SetElement::Char(c), offset + 1)),
    }
}

/// Adds the characters of a class to `ranges`; false if the class does not exist.
fn class(name: &str, unicode: bool, ranges: &mut Vec<(char, char)>) -> bool {
    let Some(class) = CharClass::named(name) else {
        return false;
    };
    let members = class.ranges().into_iter();
    if unicode {
        ranges.extend(members);
    } else {
        // If characters stand for bytes, only ASCII bytes belong to a class.
        let ascii = members.filter(|(first, _)| first.is_ascii());
        ranges.extend(ascii.map(|(first, last)| (first, last.min('\x7f'))));
    }
    true
}
