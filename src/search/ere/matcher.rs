//! Which engine searches for a pattern, and how.
//!
//! | pattern | engine |
//! |---|---|
//! | matches every line | none |
//! | plain text | `memchr::memmem` |
//! | anything without a back-reference | `regex`, over the whole window: linear |
//! | with a back-reference | `regex` for lines that may match, `fancy-regex` on each |

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fancy_regex::RegexInput;
use memchr::memmem::Finder;
use regex::bytes::{Regex, RegexBuilder};

use super::PatternError;
use super::ast::Node;
use super::parser;
use super::simplify::{always, simplify};
use super::translate::{Target, translate};
use crate::search::scan::LineMatcher;

/// What a compiled pattern may take, in bytes.
const SIZE_LIMIT: usize = 32 << 20;
/// How deep the translation may nest: some levels for each of the pattern's.
const NEST_LIMIT: u32 = 4000;
/// How often a back-reference may be tried in another way: in a line, and from
/// one place of a long line.
const LINE_STEPS: usize = 1_000_000;
const PLACE_STEPS: usize = 10_000;
/// From this length on, in bytes, a line is tried place by place.
const LONG_LINE: usize = 4 << 10;
/// How long back-references may take in all.
const TIME_LIMIT: Duration = Duration::from_secs(8);

/// A compiled pattern.
#[derive(Debug)]
pub struct Matcher(Engine);

#[derive(Debug)]
enum Engine {
    EveryLine,
    Text(Box<Finder<'static>>),
    Regex(Regex),
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
        window_regex(&node).map(|regex| Self(Engine::Regex(regex)))
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
            Engine::Regex(regex) => line_match(regex, window, from),
            Engine::References(references) => references.find(window, from),
        }
    }

    /// How many lines could not be decided, because a back-reference can match
    /// in too many ways there. They are not among those found.
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

fn window_regex(node: &Node) -> Result<Regex, PatternError> {
    RegexBuilder::new(&translate(node, Target::Window)?)
        .multi_line(true)
        .size_limit(SIZE_LIMIT)
        .nest_limit(NEST_LIMIT)
        .build()
        .map_err(|_| PatternError::TooBig)
}

/// The end of the match that ends first: in the first line that has one.
fn line_match(regex: &Regex, window: &[u8], from: usize) -> Option<usize> {
    let end = regex.shortest_match_at(window, from)?;
    // After the last line feed there is an empty string, but no line.
    (end < window.len() || window.last() != Some(&b'\n')).then_some(end)
}

/// A pattern with back-references.
#[derive(Debug)]
struct References {
    /// Matches every line that the pattern matches, and more.
    candidates: Regex,
    line: fancy_regex::Regex,
    place: fancy_regex::Regex,
    /// Lines.
    gave_up: AtomicU64,
    /// Nanoseconds.
    spent: AtomicU64,
}

impl References {
    fn compile(node: &Node) -> Result<Self, PatternError> {
        let candidates = window_regex(node)?;
        let text = translate(node, Target::Line)?;
        let build = |steps| {
            fancy_regex::RegexBuilder::new(&text)
                .backtrack_limit(steps)
                .delegate_size_limit(SIZE_LIMIT)
                .build()
                .map_err(|_| PatternError::TooBig)
        };
        Ok(Self {
            candidates,
            line: build(LINE_STEPS)?,
            place: build(PLACE_STEPS)?,
            gave_up: AtomicU64::new(0),
            spent: AtomicU64::new(0),
        })
    }

    fn find(&self, window: &[u8], mut from: usize) -> Option<usize> {
        while from < window.len() {
            let candidate = line_match(&self.candidates, window, from)?;
            let start = memchr::memrchr(b'\n', &window[from..candidate])
                .map_or(from, |feed| from + feed + 1);
            let end = memchr::memchr(b'\n', &window[candidate..])
                .map_or(window.len(), |feed| candidate + feed);
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
        let places = line.char_indices().map(|(place, _)| place);
        for place in places.chain([line.len()]) {
            let input = RegexInput::new(line).from_pos(place).anchored(true);
            if self.place.is_match_input(input).ok()? {
                return Some(true);
            }
            if Instant::now() > deadline {
                return None;
            }
        }
        Some(false)
    }
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
