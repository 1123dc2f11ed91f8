//! Which engine searches for a pattern, and how.
//!
//! | pattern | engine |
//! |---|---|
//! | matches every line | none |
//! | plain text | `memchr::memmem` |
//! | anything without a back-reference | `regex`, over the whole window: linear |
//! | with a back-reference | `regex` for lines that may match, `fancy-regex` on each |

use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fancy_regex::RegexInput;
use memchr::memmem::Finder;
use regex::bytes::{Regex, RegexBuilder};

use super::PatternError;
use super::ast::{Assertion, Node};
use super::parser;
use super::required::{first, required};
use super::simplify::{always, loosen, simplify};
use super::translate::{Target, translate};
use crate::search::scan::LineMatcher;

/// What a compiled pattern may take, in bytes.
const SIZE_LIMIT: usize = 32 << 20;
/// The same for each part of a pattern with back-references that has none itself.
const DELEGATE_LIMIT: usize = 8 << 20;
/// Looking for a required text is given up once it was found in this many lines
/// that do not match, and more often than once in this many bytes.
const IN_VAIN: usize = 16;
const OFTEN: usize = 80;
/// How much is looked at in one go, in bytes, before it grows, where it matters
/// whether that is ASCII.
const BLOCK: usize = 512;
/// How often a back-reference may be tried in another way: in a line, and from
/// one place of a long line.
const LINE_STEPS: usize = 1_000_000;
const PLACE_STEPS: usize = 10_000;
/// From this length on, in bytes, a line is tried place by place.
const LONG_LINE: usize = 4 << 10;
/// How long back-references may take in all.
const TIME_LIMIT: Duration = Duration::from_secs(15);

/// A compiled pattern.
#[derive(Debug)]
pub struct Matcher(Engine);

#[derive(Debug)]
enum Engine {
    EveryLine,
    Text(Box<Finder<'static>>),
    Regex(Search),
    References(Box<References>),
}

impl Matcher {
    /// Compiles a pattern.
    pub fn compile(pattern: &str) -> Result<Self, PatternError> {
        let parsed = parser::parse(pattern)?;
        if parsed.references {
            return References::compile(&parsed.node)
                .map(|references| Self(Engine::References(Box::new(references))));
        }
        let node = simplify(parsed.node);
        if always(&node) {
            return Ok(Self(Engine::EveryLine));
        }
        if let Node::Literal { text, fold: false } = &node
            && !text.contains('\n')
        {
            return Ok(Self(Engine::Text(Box::new(Finder::new(text).into_owned()))));
        }
        Search::compile(&node).map(|search| Self(Engine::Regex(search)))
    }

    /// An offset in the first line of `window`, at or after the start of a line
    /// `from`, that matches: at its first byte, at the byte that ends it, or
    /// between. `window` holds whole lines, each ended by a line feed, the last
    /// one perhaps by the end.
    #[must_use]
    pub fn find(&self, window: &[u8], from: usize) -> Option<usize> {
        if from >= window.len() {
            return None;
        }
        match &self.0 {
            Engine::EveryLine => Some(from),
            Engine::Text(finder) => Some(from + finder.find(&window[from..])?),
            Engine::Regex(search) => search.find(window, from),
            Engine::References(references) => references.find(window, from),
        }
    }

    /// How many lines `find` could not decide so far, because a back-reference can
    /// match in too many ways there, or because all of them together took 15
    /// seconds. They are not among those found.
    #[must_use]
    pub fn gave_up(&self) -> u64 {
        match &self.0 {
            Engine::References(references) => references.gave_up.load(Ordering::Relaxed),
            _ => 0,
        }
    }
}

impl LineMatcher for Matcher {
    fn find(&self, window: &[u8], from: usize) -> Option<usize> {
        self.find(window, from)
    }
}

/// A pattern in the hands of `regex`.
#[derive(Debug)]
struct Search {
    regex: Regex,
    /// Text that every match holds.
    required: Option<Box<Finder<'static>>>,
    /// Whether the pattern asks where words begin or end. That `regex` is quick to
    /// tell in ASCII alone: elsewhere it is much quicker on a line than on a window.
    words: bool,
}

impl Search {
    fn compile(node: &Node) -> Result<Self, PatternError> {
        let regex = RegexBuilder::new(&translate(node, Target::Window)?)
            .multi_line(true)
            .size_limit(SIZE_LIMIT)
            .build()
            .map_err(|_| PatternError::TooBig)?;
        Ok(Self {
            regex,
            required: required(node).map(|text| Box::new(Finder::new(text).into_owned())),
            words: asks_for_words(node),
        })
    }

    /// As `Matcher::find`; where `from` is less than the window's length.
    fn find(&self, window: &[u8], from: usize) -> Option<usize> {
        let Some(required) = &self.required else {
            return self.find_any(window, from);
        };
        let (mut next, mut in_vain) = (from, 0);
        // A text that is in every other line is not worth looking for.
        while in_vain < IN_VAIN || next - from > in_vain * OFTEN {
            let hit = next + required.find(window.get(next..)?)?;
            let (start, end) = line_around(window, next, hit);
            if let Some(found) = self.find_in_line(&window[..end], start) {
                return Some(found);
            }
            in_vain += 1;
            next = end + 1;
        }
        self.find_any(window, next)
    }

    fn find_any(&self, window: &[u8], mut from: usize) -> Option<usize> {
        if !self.words {
            return self.find_in_block(window, from);
        }
        let mut size = BLOCK;
        while from < window.len() {
            let end = line_end(window, from.saturating_add(size).min(window.len()));
            let end = window.len().min(end + 1);
            let found = if window[from..end].is_ascii() {
                self.find_in_block(&window[..end], from)
            } else {
                self.find_line_by_line(&window[..end], from)
            };
            if found.is_some() {
                return found;
            }
            from = end;
            size = size.saturating_mul(2);
        }
        None
    }

    fn find_line_by_line(&self, window: &[u8], mut from: usize) -> Option<usize> {
        while from < window.len() {
            let end = line_end(window, from);
            if let Some(found) = self.find_in_line(&window[..end], from) {
                return Some(found);
            }
            from = end + 1;
        }
        None
    }

    /// The end of a match in the line from `start` to the window's end.
    fn find_in_line(&self, window: &[u8], start: usize) -> Option<usize> {
        if self.words {
            // Asked for the match itself, it takes the quicker one of its engines.
            return self.regex.find_at(window, start).map(|found| found.end());
        }
        self.regex.shortest_match_at(window, start)
    }

    /// The end of the match that ends first: in the first line that has one.
    fn find_in_block(&self, window: &[u8], from: usize) -> Option<usize> {
        if from >= window.len() {
            return None;
        }
        let end = self.regex.shortest_match_at(window, from)?;
        // After the last line feed there is an empty string, but no line.
        (end < window.len() || window.last() != Some(&b'\n')).then_some(end)
    }
}

/// Whether the pattern has a place in a word, before any text that `regex` can
/// look for by itself.
fn asks_for_words(node: &Node) -> bool {
    fn has_one(node: &Node) -> bool {
        match node {
            Node::Assertion(place) => !matches!(place, Assertion::LineStart | Assertion::LineEnd),
            Node::Group(node) | Node::Repeat { node, .. } => has_one(node),
            Node::Concat(nodes) | Node::Alternate(nodes) => nodes.iter().any(has_one),
            _ => false,
        }
    }
    first(node) == 0 && has_one(node)
}

fn line_end(window: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &window[at..]).map_or(window.len(), |feed| at + feed)
}

/// Where the line around `at` begins, which is not before `from`, and ends.
fn line_around(window: &[u8], from: usize, at: usize) -> (usize, usize) {
    let start = memchr::memrchr(b'\n', &window[from..at]).map_or(from, |feed| from + feed + 1);
    (start, line_end(window, at))
}

/// A pattern with back-references.
#[derive(Debug)]
struct References {
    /// Matches every line that the pattern matches, and more.
    candidates: Search,
    /// The pattern for `fancy-regex`.
    text: String,
    line: fancy_regex::Regex,
    /// The same with fewer steps; built for the first long line.
    place: OnceLock<Option<fancy_regex::Regex>>,
    /// Lines.
    gave_up: AtomicU64,
    /// Nanoseconds.
    spent: AtomicU64,
}

impl References {
    fn compile(node: &Node) -> Result<Self, PatternError> {
        let candidates = Search::compile(&simplify(loosen(node)))?;
        let text = translate(node, Target::Line)?;
        Ok(Self {
            candidates,
            line: backtracking(&text, LINE_STEPS).ok_or(PatternError::TooBig)?,
            text,
            place: OnceLock::new(),
            gave_up: AtomicU64::new(0),
            spent: AtomicU64::new(0),
        })
    }

    fn find(&self, window: &[u8], mut from: usize) -> Option<usize> {
        while from < window.len() {
            let candidate = self.candidates.find(window, from)?;
            let (start, end) = line_around(window, from, candidate);
            match self.decide(&window[start..end]) {
                Some(true) => return Some(start),
                Some(false) => {}
                None => {
                    self.gave_up.fetch_add(1, Ordering::Relaxed);
                }
            }
            from = end + 1;
        }
        None
    }

    /// Whether the line matches; `None` where that takes too long to tell.
    fn decide(&self, line: &[u8]) -> Option<bool> {
        let spent = Duration::from_nanos(self.spent.load(Ordering::Relaxed));
        let left = TIME_LIMIT.checked_sub(spent)?;
        let began = Instant::now();
        let line = as_text(line);
        let decided = if line.len() < LONG_LINE {
            self.line.is_match(line.as_ref()).ok()
        } else {
            self.decide_long(&line, began + left)
        };
        let took = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.spent.fetch_add(took, Ordering::Relaxed);
        decided
    }

    fn decide_long(&self, line: &str, deadline: Instant) -> Option<bool> {
        let place = self
            .place
            .get_or_init(|| backtracking(&self.text, PLACE_STEPS));
        let regex = place.as_ref()?;
        let places = line.char_indices().map(|(place, _)| place);
        for place in places.chain([line.len()]) {
            let input = RegexInput::new(line).from_pos(place).anchored(true);
            if regex.is_match_input(input).ok()? {
                return Some(true);
            }
            if Instant::now() > deadline {
                return None;
            }
        }
        Some(false)
    }
}

fn backtracking(text: &str, steps: usize) -> Option<fancy_regex::Regex> {
    fancy_regex::RegexBuilder::new(text)
        .backtrack_limit(steps)
        .delegate_size_limit(DELEGATE_LIMIT)
        .build()
        .ok()
}

/// The line as text, with line feeds, which nothing matches, for what is none.
fn as_text(line: &[u8]) -> Cow<'_, str> {
    if let Ok(line) = str::from_utf8(line) {
        return line.into();
    }
    let mut text = String::with_capacity(line.len());
    for chunk in line.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '\n'));
    }
    text.into()
}
