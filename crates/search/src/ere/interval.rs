//! Intervals (POSIX XBD 9.4.6) with the choices that glibc makes: `{m}`, `{m,}`, `{,n}`, `{m,n}`.

use super::PatternError;
use super::ast::MAX_REPETITIONS;

/// Reads the interval whose `{` ends at `start`. Returns its bounds, no upper one being any number,
/// and the offset after its `}`.
pub(super) fn parse(text: &str, start: usize) -> Result<(u32, Option<u32>, usize), PatternError> {
    let mut reader = IntervalReader {
        text,
        offset: start,
    };
    let (min, mut last) = reader.number();
    let mut max = min;
    if last == Some(',') && min != IntervalBound::Invalid {
        (max, last) = reader.number();
    }
    let Some(last) = last else {
        return Err(PatternError::Brace);
    };
    let min = match min {
        IntervalBound::Is(min) => min,
        IntervalBound::Missing => 0,
        IntervalBound::Invalid => return Err(PatternError::Interval),
    };
    let max = match max {
        IntervalBound::Is(max) => Some(max),
        IntervalBound::Missing => None,
        IntervalBound::Invalid => return Err(PatternError::Interval),
    };
    if last != '}' || max.is_some_and(|max| max < min) {
        return Err(PatternError::Interval);
    }
    if max.unwrap_or(min) > MAX_REPETITIONS {
        return Err(PatternError::TooBig);
    }
    Ok((min, max, reader.offset))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum IntervalBound {
    Missing,
    Is(u32),
    Invalid,
}

struct IntervalReader<'a> {
    text: &'a str,
    offset: usize,
}

impl IntervalReader<'_> {
    fn next(&mut self) -> Option<char> {
        let next = self.text[self.offset..].chars().next()?;
        self.offset += next.len_utf8();
        Some(next)
    }

    /// The number up to the next `,` or `}`, and which of the two ended it;
    /// neither where the pattern ends first.
    fn number(&mut self) -> (IntervalBound, Option<char>) {
        let mut number = IntervalBound::Missing;
        while let Some(char) = self.next() {
            let digit = match char {
                '}' | ',' => return (number, Some(char)),
                // An escaped comma ends the number too, an escaped brace does not.
                '\\' if self.next() == Some(',') => return (number, Some(',')),
                char => char.to_digit(10),
            };
            number = match (number, digit) {
                (IntervalBound::Missing, Some(digit)) => IntervalBound::Is(digit),
                (IntervalBound::Is(so_far), Some(digit)) => {
                    IntervalBound::Is((so_far * 10 + digit).min(MAX_REPETITIONS + 1))
                }
                _ => IntervalBound::Invalid,
            };
        }
        (IntervalBound::Invalid, None)
    }
}
