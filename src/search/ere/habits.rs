//! Why a pattern finds nothing: it is written in the way of another tool, and read in that way it
//! does match.
//!
//! Nothing is said on a guess. Where a window of a search has no match, and nothing was found
//! before, the other readings are tried on it; only one that matches a line is spoken of. `\|`
//! alone is spoken of in any case, since that is decided so.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use memchr::memmem;

use super::matcher::Matcher;
use super::pieces::{Piece, escaped, pieces};

/// How many bytes of the files searched are tried, and how many of a window are looked through for
/// a line that ends in CRLF.
const TRIED: usize = 64 << 20;
const HEAD: usize = 4 << 10;
/// The longest pattern, in bytes, that is read in other ways.
const LONGEST: usize = 10_000;

/// How many readings of a pattern there are.
const READINGS: usize = 4;

/// The other readings of a pattern, and what is known of a search that has found nothing so far.
#[derive(Debug)]
pub(super) struct Habits {
    pattern: String,
    /// Whether a part of the pattern wants a line feed.
    line_feed: bool,
    found: AtomicBool,
    /// How many bytes were tried.
    tried: AtomicUsize,
    readings: OnceLock<Vec<Reading>>,
}

/// What came of a stretch of the search. Stretches are put together in their order, so that the
/// same is said however many threads there were.
#[derive(Debug, Default)]
pub struct Tried {
    /// A line was found.
    pub(super) found: bool,
    /// How many bytes were tried before that.
    bytes: usize,
    /// Before how many of them a reading matched for the first time.
    matched: [Option<usize>; READINGS],
}

/// Another reading of the pattern.
#[derive(Debug)]
struct Reading {
    habit: Habit,
    pattern: String,
    matcher: OnceLock<Option<Matcher>>,
    matched: AtomicBool,
}

/// In which way the pattern is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Habit {
    /// `$` for the end of a line that ends in CRLF.
    LineEnd,
    /// `\|`, in basic regular expressions, as GNU has them.
    Bar,
    /// `\+` and `\{2\}`, in the same.
    Basic,
    /// `$` for the character, in front of a name.
    Dollar,
    /// Plain text with characters in it that mean something else.
    Plain,
}

impl Habits {
    /// `None` for a pattern that has nothing to be read otherwise.
    pub fn of(pattern: &str, line_feed: bool) -> Option<Box<Self>> {
        let special = |byte: &u8| b"\\$([{*+?".contains(byte);
        if pattern.len() > LONGEST || !(line_feed || pattern.as_bytes().iter().any(special)) {
            return None;
        }
        Some(Box::new(Self {
            pattern: pattern.to_owned(),
            line_feed,
            found: AtomicBool::new(false),
            tried: AtomicUsize::new(0),
            readings: OnceLock::new(),
        }))
    }

    /// Tries the other readings on a window in which nothing was found.
    #[inline(never)]
    pub fn try_on(&self, window: &[u8], stretch: &mut Tried) {
        let before = self.tried.load(Ordering::Relaxed);
        let over = before.saturating_add(stretch.bytes) > TRIED;
        if over || self.found.load(Ordering::Relaxed) {
            return;
        }
        for (reading, matched) in self.readings().iter().zip(&mut stretch.matched) {
            if matched.is_none() && reading.matches(window) {
                *matched = Some(stretch.bytes);
            }
        }
        stretch.bytes += window.len();
    }

    /// Adds the next stretch of the search; nothing of it is left.
    pub fn add(&self, stretch: &mut Tried) {
        let stretch = std::mem::take(stretch);
        let before = self.tried.load(Ordering::Relaxed);
        if self.found.load(Ordering::Relaxed) || before > TRIED {
            return;
        }
        let readings = self.readings.get().map_or(&[][..], Vec::as_slice);
        for (reading, matched) in readings.iter().zip(stretch.matched) {
            let matched = matched.is_some_and(|bytes| before.saturating_add(bytes) <= TRIED);
            reading.matched.fetch_or(matched, Ordering::Relaxed);
        }
        let bytes = before.saturating_add(stretch.bytes);
        self.tried.store(bytes, Ordering::Relaxed);
        self.found.store(stretch.found, Ordering::Relaxed);
    }

    /// Why nothing was found, if it is known.
    pub fn why_nothing(&self) -> Option<String> {
        if self.found.load(Ordering::Relaxed) {
            return None;
        }
        let mut readings = self.readings().iter();
        if let Some(reading) = readings.find(|reading| reading.matched.load(Ordering::Relaxed)) {
            return Some(reading.sentence(true));
        }
        if has_escaped_bar(&self.pattern) {
            let basic = self
                .readings()
                .iter()
                .find(|reading| reading.habit == Habit::Bar && reading.matcher().is_some());
            return Some(basic.map_or_else(|| BAR.to_owned(), |reading| reading.sentence(false)));
        }
        self.line_feed.then(|| {
            r"The part of the pattern with `\n` can match nothing, since lines are searched one by one."
                .to_owned()
        })
    }

    fn readings(&self) -> &[Reading] {
        self.readings.get_or_init(|| {
            let basic = if has_escaped_bar(&self.pattern) {
                Habit::Bar
            } else {
                Habit::Basic
            };
            let readings: [_; READINGS] = [
                (Habit::LineEnd, before_line_ends(&self.pattern)),
                (basic, as_basic(&self.pattern)),
                (Habit::Dollar, with_dollars(&self.pattern)),
                (Habit::Plain, as_text(&self.pattern)),
            ];
            let readings = readings.into_iter().filter_map(|(habit, pattern)| {
                Some(Reading {
                    habit,
                    pattern: pattern?,
                    matcher: OnceLock::new(),
                    matched: AtomicBool::new(false),
                })
            });
            readings.collect()
        })
    }
}

/// What is said of `\|`, where nothing better is known.
const BAR: &str = r"`\|` is a bar itself in this pattern: alternatives are written `a|b`.";

impl Reading {
    fn matcher(&self) -> Option<&Matcher> {
        self.matcher
            .get_or_init(|| Matcher::for_a_try(&self.pattern))
            .as_ref()
    }

    fn matches(&self, window: &[u8]) -> bool {
        if self.matched.load(Ordering::Relaxed) {
            return false;
        }
        if self.habit == Habit::LineEnd {
            let head = &window[..window.len().min(HEAD)];
            if memmem::find(head, b"\r\n").is_none() {
                return false;
            }
        }
        let matcher = self.matcher();
        matcher.is_some_and(|matcher| matcher.matches_quickly(window))
    }

    fn sentence(&self, matched: bool) -> String {
        let why = match self.habit {
            Habit::LineEnd => {
                r"Lines here end in CRLF, and `$` does not match before the `\r`: write `"
            }
            Habit::Bar => {
                r"`\|` is a bar itself in this pattern: alternatives are written `a|b`, here `"
            }
            Habit::Basic => r"`\+` and `\{` are the characters themselves in this pattern: write `",
            Habit::Dollar => r"`$` is the end of a line, `\$` the character: write `",
            Habit::Plain => "The pattern does occur as plain text: write `",
        };
        let end = match self.habit {
            Habit::Plain => "`.",
            _ if matched => "`, which does match.",
            _ => "`.",
        };
        [why, &self.pattern, end].concat()
    }
}

/// Whether the pattern has a `\|` outside of brackets.
fn has_escaped_bar(pattern: &str) -> bool {
    pattern.contains(r"\|")
        && pieces(pattern)
            .iter()
            .any(|(piece, _)| *piece == Piece::Escape('|'))
}

/// The pattern with an optional carriage return before each end of a line.
fn before_line_ends(pattern: &str) -> Option<String> {
    let mut text = String::new();
    let mut any = false;
    for (piece, part) in pieces(pattern) {
        if matches!(piece, Piece::Char('$') | Piece::Escape('z' | 'Z' | '\'')) {
            text.push_str(r"\r?");
            any = true;
        }
        text.push_str(part);
    }
    any.then_some(text)
}

/// The pattern with the escapes of basic regular expressions, as GNU has them, in extended form.
fn as_basic(pattern: &str) -> Option<String> {
    let pieces = pieces(pattern);
    let bar = has_escaped_bar(pattern);
    let groups = bar && are_groups(&pieces);
    let mut text = String::new();
    let mut any = false;
    let mut interval = false;
    // Whether a repetition is more likely than the character behind what was last.
    let mut several = false;
    for (nth, (piece, part)) in pieces.iter().enumerate() {
        let plain = match piece {
            Piece::Escape('|') => Some('|'),
            Piece::Escape('+') if several => Some('+'),
            Piece::Escape('{') if closes_interval(&pieces[nth + 1..]) => {
                interval = true;
                Some('{')
            }
            Piece::Escape('}') if interval => {
                interval = false;
                Some('}')
            }
            Piece::Escape('(') if groups => Some('('),
            Piece::Escape(')') if groups => Some(')'),
            _ => None,
        };
        several = match piece {
            Piece::Set | Piece::Char('.') => true,
            Piece::Escape(letter) => "wWsSdD".contains(*letter) || (groups && *letter == ')'),
            Piece::Char(_) => false,
        };
        match plain {
            Some(char) => {
                text.push(char);
                any = true;
            }
            None => text.push_str(part),
        }
    }
    any.then_some(text)
}

/// Whether `\(` and `\)` come in pairs, with a `\|` in one of them.
fn are_groups(pieces: &[(Piece, &str)]) -> bool {
    let (mut depth, mut inside) = (0_usize, false);
    for (piece, _) in pieces {
        match piece {
            Piece::Escape('(') => depth += 1,
            Piece::Escape(')') if depth == 0 => return false,
            Piece::Escape(')') => depth -= 1,
            Piece::Escape('|') => inside |= depth > 0,
            _ => {}
        }
    }
    depth == 0 && inside
}

/// Whether the numbers of an interval and a `\}` come first.
fn closes_interval(pieces: &[(Piece, &str)]) -> bool {
    let is_number = |piece: &Piece| matches!(piece, Piece::Char('0'..='9' | ','));
    let numbers = pieces.iter().take_while(|(piece, _)| is_number(piece));
    let numbers = numbers.count();
    numbers > 0 && matches!(pieces.get(numbers), Some((Piece::Escape('}'), _)))
}

/// The pattern with a backslash before each `$` that something follows.
fn with_dollars(pattern: &str) -> Option<String> {
    let pieces = pieces(pattern);
    let mut text = String::new();
    let mut any = false;
    for (nth, (piece, part)) in pieces.iter().enumerate() {
        let next = pieces.get(nth + 1).map(|(piece, _)| *piece);
        let last = matches!(next, None | Some(Piece::Char(')' | '|' | '$')));
        if *piece == Piece::Char('$') && !last {
            text.push('\\');
            any = true;
            // What would then be an interval, or be wrong.
            text.push_str(part);
            if next == Some(Piece::Char('{')) {
                text.push('\\');
            }
            continue;
        }
        text.push_str(part);
    }
    any.then_some(text)
}

/// The pattern as plain text.
fn as_text(pattern: &str) -> Option<String> {
    (!pattern.contains('\n')).then(|| escaped(pattern))
}
