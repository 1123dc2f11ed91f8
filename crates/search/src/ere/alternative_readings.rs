//! Other ways to read a pattern that is refused, finds nothing or is odd, because models write the
//! patterns of other tools.
//!
//! Each reading is a pattern of this engine, to be tried on what was searched. Nothing is said on a
//! guess: only a reading that matches is named.

use std::sync::OnceLock;

use super::ast::PatternNode;
use super::matcher::RegexMatcher;
use super::search::line_around;
use super::simplify::{loosen, matches_every_line, simplify};
use super::{
    bracket,
    parser::{self, ParsedPattern},
};
use iki_base::unicode_form;

/// Maximum length of a pattern, in bytes, that is read in other ways.
const MAX_PATTERN_BYTES: usize = 10_000;

/// The way of a reading with case ignored.
const IGNORING_CASE: &str = "Ignoring case";

/// Another reading of a pattern.
#[derive(Debug)]
pub struct AlternativeReading {
    /// The way in which the pattern is read, as the beginning of a sentence.
    pub way: &'static str,
    /// The pattern that this engine reads in that way.
    pub pattern: String,
    /// True if it is the pattern itself, with case ignored.
    pub ignores_case: bool,
    node: PatternNode,
    /// Compiled for the first line that may match.
    matcher: OnceLock<Option<RegexMatcher>>,
}

impl AlternativeReading {
    fn parse(way: &'static str, pattern: String) -> Option<Self> {
        let ParsedPattern {
            node,
            has_references,
            ..
        } = parser::parse(&pattern).ok()?;
        let is_useful = has_references || !matches_every_line(&simplify(node.clone()));
        is_useful.then(|| Self {
            way,
            ignores_case: way == IGNORING_CASE,
            pattern,
            node,
            matcher: OnceLock::new(),
        })
    }

    /// True if a line of `window` matches, and that can be told quickly.
    fn matches(&self, window: &[u8]) -> bool {
        let compile = || RegexMatcher::compile(&self.pattern).ok();
        let matcher = self.matcher.get_or_init(compile).as_ref();
        matcher.is_some_and(|matcher| matcher.matches_quickly(window) == Some(true))
    }
}

/// All other readings of a pattern, the likeliest first.
#[derive(Debug)]
pub struct AlternativeReadings {
    all: Vec<AlternativeReading>,
    /// Finds each line that one of them matches, and perhaps others.
    any: RegexMatcher,
}

impl AlternativeReadings {
    /// Reads `pattern` in all other ways; `None` if there are none. If it has found lines, they are
    /// too many, and only readings that may find fewer count.
    #[must_use]
    pub fn for_pattern(pattern: &str, has_found: bool) -> Option<Self> {
        if pattern.len() > MAX_PATTERN_BYTES {
            return None;
        }
        let basic = "Read as a basic regular expression (grep without -E)";
        let angles = "With `<` and `>` as characters";
        let spelled = "With the character NUL, which `␀` spells";
        let other_form = "In the other Unicode normalization form";
        let readings = [
            ("As plain text", true, Some(escaped(pattern))),
            (angles, false, Some(with_angle_brackets(pattern))),
            (basic, true, Some(as_basic(pattern, false))),
            (basic, true, Some(as_basic(pattern, true))),
            (spelled, false, with_nul(pattern)),
            (IGNORING_CASE, false, without_case(pattern)),
            (other_form, false, in_other_form(pattern)),
        ];
        let mut all: Vec<AlternativeReading> = Vec::new();
        for (way, narrows, reading) in readings {
            let is_new = |reading: &String| {
                reading != pattern && !all.iter().any(|known| known.pattern == *reading)
            };
            let reading = reading.filter(|reading| (narrows || !has_found) && is_new(reading));
            all.extend(reading.and_then(|reading| AlternativeReading::parse(way, reading)));
        }
        let nodes = all.iter().map(|reading| loosen(&reading.node));
        let any = RegexMatcher::for_any(nodes.collect())?;
        Some(Self { all, any })
    }

    /// The readings, in order.
    #[must_use]
    pub fn all(&self) -> &[AlternativeReading] {
        &self.all
    }

    /// Returns a matcher for `first_in`; each thread has one.
    #[must_use]
    pub fn matcher(&self) -> RegexMatcher {
        self.any.another()
    }

    /// Returns the number of the first of the readings before `end` that a line of `window`
    /// matches; `any` is one of [`Self::matcher`].
    #[must_use]
    pub fn first_in(&self, any: &RegexMatcher, window: &[u8], end: usize) -> Option<usize> {
        let matching = |window: &[u8], end: usize| {
            let mut readings = self.all.iter().take(end);
            readings.position(|reading| reading.matches(window))
        };
        if end < self.all.len() {
            return matching(window, end);
        }
        let mut from = 0;
        while let Some(offset) = any.find_line(window, from) {
            let (start, stop) = line_around(window, from, offset);
            if let Some(first) = matching(&window[start..stop], end) {
                let behind = window.get(stop + 1..).unwrap_or_default();
                return matching(behind, first).or(Some(first));
            }
            from = stop + 1;
        }
        None
    }
}

/// The pattern in which `\<` and `\>` are the characters, and no ends of words.
fn with_angle_brackets(pattern: &str) -> String {
    let pieces = pieces(pattern).into_iter();
    let plain = pieces.map(|(piece, part)| match piece {
        PatternPiece::Escape('<' | '>') => &part[1..],
        _ => part,
    });
    plain.collect()
}

/// The pattern for NUL where it has the sign by which that is shown.
fn with_nul(pattern: &str) -> Option<String> {
    pattern.contains('␀').then(|| pattern.replace('␀', r"\x00"))
}

/// A piece of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PatternPiece {
    /// A backslash and this character.
    Escape(char),
    /// A bracket expression.
    Set,
    /// Any other character.
    Char(char),
}

/// Cuts a pattern into pieces, each with its text.
pub(super) fn pieces(pattern: &str) -> Vec<(PatternPiece, &str)> {
    let last = memchr::memrchr(b']', pattern.as_bytes()).unwrap_or(0);
    let mut pieces = Vec::new();
    let mut offset = 0;
    while let Some(char) = pattern[offset..].chars().next() {
        let behind = offset + char.len_utf8();
        let escaped = pattern[behind..].chars().next();
        let (piece, end) = match (char, escaped) {
            ('\\', Some(escaped)) => (PatternPiece::Escape(escaped), behind + escaped.len_utf8()),
            ('[', _) => match bracket::parse(pattern, behind, last, false) {
                Ok((_, end)) => (PatternPiece::Set, end),
                Err(_) => (PatternPiece::Char('['), behind),
            },
            (char, _) => (PatternPiece::Char(char), behind),
        };
        pieces.push((piece, &pattern[offset..end]));
        offset = end;
    }
    pieces
}

/// Writes `return_sign` before each end of a line in the pattern; `None` if it asks for none.
#[must_use]
pub fn before_carriage_return(pattern: &str, return_sign: &str) -> Option<String> {
    let mut text = String::new();
    for (piece, part) in pieces(pattern) {
        if matches!(
            piece,
            PatternPiece::Char('$') | PatternPiece::Escape('z' | 'Z')
        ) {
            text.push_str(return_sign);
        }
        text.push_str(part);
    }
    (text != pattern).then_some(text)
}

/// Puts a backslash before each character that would not stand for itself.
pub(super) fn escaped(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for char in text.chars() {
        if r"\.[]()*+?{}|^$".contains(char) {
            pattern.push('\\');
        }
        pattern.push(char);
    }
    pattern
}

/// Writes a basic expression, as GNU's grep reads it, as an extended one. A `loose` one only has
/// some of its forms, as models mix them: `\w+\|\$x`. `C\+\+` keeps its plus signs.
fn as_basic(pattern: &str, loose: bool) -> String {
    let pieces = pieces(pattern);
    let mut text = String::new();
    for (index, (piece, part)) in pieces.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| pieces[before].0);
        let next = pieces.get(index + 1).map(|(next, _)| *next);
        let is_first = matches!(before, None | Some(PatternPiece::Escape('(' | '|')));
        let is_last = match next {
            None | Some(PatternPiece::Escape('|' | ')')) => true,
            Some(PatternPiece::Char(')' | '|' | '$')) => loose,
            _ => false,
        };
        let repeats = matches!(
            before,
            Some(
                PatternPiece::Set
                    | PatternPiece::Char('.')
                    | PatternPiece::Escape('w' | 'W' | 's' | 'S' | 'd' | 'D' | ')')
            )
        );
        match *piece {
            PatternPiece::Escape(char @ ('|' | '{' | '}')) => text.push(char),
            PatternPiece::Escape(char @ ('(' | ')')) if !loose => text.push(char),
            PatternPiece::Escape(char @ ('+' | '?')) if repeats => text.push(char),
            PatternPiece::Char('(' | ')' | '{' | '}' | '|' | '+' | '?') if !loose => {
                text.push('\\');
                text.push_str(part);
            }
            PatternPiece::Char('*' | '^') if !loose && is_first == part.starts_with('*') => {
                text.push('\\');
                text.push_str(part);
            }
            PatternPiece::Char('$') if !is_last => text.push_str(r"\$"),
            _ => text.push_str(part),
        }
    }
    text
}

fn without_case(pattern: &str) -> Option<String> {
    let has_case = pattern
        .chars()
        .any(|char| char.is_lowercase() || char.is_uppercase());
    (has_case && !pattern.contains("(?i")).then(|| format!("(?i){pattern}"))
}

/// Writes the pattern in the other Unicode form, with numbers in place of what could be changed on
/// its way. A set of parts of letters would be another one.
fn in_other_form(pattern: &str) -> Option<String> {
    let is_other_set =
        |(piece, text): &(PatternPiece, &str)| *piece == PatternPiece::Set && !text.is_ascii();
    if pattern.is_ascii() || pieces(pattern).iter().any(is_other_set) {
        return None;
    }
    let other = unicode_form::in_other_form(pattern)?;
    let spelled = |char: char| {
        if char.is_ascii() {
            return char.to_string();
        }
        format!(r"\x{{{:x}}}", u32::from(char))
    };
    Some(other.chars().map(spelled).collect())
}
