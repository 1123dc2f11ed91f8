//! A pattern in the hands of `regex`: over whole windows while that can take no time to speak of,
//! else in blocks of whole lines, and step by step over a line that is too long for the pattern.

use std::sync::{Arc, OnceLock};

use memchr::memmem::Finder;
use regex_automata::Input;
use regex_automata::meta::Regex;
use regex_syntax::hir::Hir;

use super::PatternError;
use super::ast::{Assertion, Node};
use super::budget::Budget;
use super::cost::{check_size, places, shortest};
use super::hir::hir;
use super::required::{first, longest, required};
use super::stepper::Stepper;

/// What a compiled pattern may take, in bytes.
pub(super) const SIZE_LIMIT: usize = 32 << 20;
/// Looking for a required text is given up once it was found in this many lines
/// that do not match, and more often than once in this many bytes.
const IN_VAIN: usize = 16;
const OFTEN: usize = 80;
/// How much is looked at in one go, in bytes, before it grows, where it matters
/// whether that is ASCII.
const BLOCK: usize = 512;
/// What is left to `regex` at a stroke: places of the pattern times bytes. It takes less than a
/// second where each place has to be looked at for each byte.
const AT_A_STROKE: u64 = 1 << 26;

/// A pattern in the hands of `regex`.
#[derive(Debug)]
pub(super) struct Search {
    regex: Regex,
    /// Text that every match holds.
    required: Option<Box<Finder<'static>>>,
    /// Whether the pattern asks where words begin or end. That `regex` is quick to
    /// tell in ASCII alone: elsewhere it is much quicker on a line than on a window.
    words: bool,
    /// Where a line is too long for the pattern.
    careful: Careful,
    budget: Arc<Budget>,
}

/// What it takes to match a line that `regex` might take too long for.
#[derive(Debug)]
struct Careful {
    /// How many bytes are left to `regex` at a stroke.
    at_a_stroke: usize,
    /// The length in bytes below which no line matches.
    shortest: usize,
    /// Text that every match holds, whether or not that is quick to look for.
    held: Option<Box<Finder<'static>>>,
    pattern: Hir,
    stepper: OnceLock<Option<Stepper>>,
}

impl Search {
    pub fn compile(node: &Node, budget: &Arc<Budget>) -> Result<Self, PatternError> {
        check_size(node)?;
        let pattern = hir(node);
        let finder = |text: &str| Box::new(Finder::new(text).into_owned());
        Ok(Self {
            regex: build(&pattern)?,
            required: required(node).map(finder),
            words: asks_for_words(node),
            careful: Careful {
                at_a_stroke: usize::try_from(AT_A_STROKE / places(node).max(1)).unwrap_or(0),
                shortest: shortest(node),
                held: longest(node).map(finder),
                pattern,
                stepper: OnceLock::new(),
            },
            budget: Arc::clone(budget),
        })
    }

    /// As `Matcher::find`; where `from` is less than the window's length.
    pub fn find(&self, window: &[u8], from: usize) -> Option<usize> {
        self.budget.find();
        if window.len() - from <= self.careful.at_a_stroke {
            return self.find_at_a_stroke(window, from);
        }
        self.find_carefully(window, from)
    }

    /// The same, with the clock in sight.
    fn find_carefully(&self, window: &[u8], mut from: usize) -> Option<usize> {
        let at_a_stroke = self.careful.at_a_stroke;
        while from < window.len() {
            let end = line_end(window, from);
            if end - from < self.careful.shortest {
                from = end + 1;
                continue;
            }
            if self.budget.is_over() {
                self.budget.stop(from);
                return None;
            }
            if end - from > at_a_stroke {
                match self.decide(&window[from..end]) {
                    Some(true) => return Some(from),
                    Some(false) => {}
                    None => self.budget.give_up(from),
                }
                from = end + 1;
                continue;
            }
            // As many whole lines as may be searched at a stroke.
            let most = window.len().min(from + at_a_stroke);
            let block = memchr::memrchr(b'\n', &window[end.min(most)..most])
                .map_or(end, |feed| end.min(most) + feed);
            let block = window.len().min(block + 1);
            if let Some(found) = self.find_at_a_stroke(&window[..block], from) {
                return Some(found);
            }
            from = block;
        }
        None
    }

    /// Whether a long line matches; `None` where that takes too long to tell.
    fn decide(&self, line: &[u8]) -> Option<bool> {
        let careful = &self.careful;
        if let Some(held) = &careful.held
            && held.find(line).is_none()
        {
            return Some(false);
        }
        let stepper = careful
            .stepper
            .get_or_init(|| Stepper::new(&careful.pattern, SIZE_LIMIT));
        stepper.as_ref()?.is_match(line, self.budget.share())
    }

    fn find_at_a_stroke(&self, window: &[u8], from: usize) -> Option<usize> {
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
            let input = Input::new(window).span(start..window.len());
            return self.regex.find(input).map(|found| found.end());
        }
        self.shortest_match(window, start)
    }

    /// The end of the match that ends first: in the first line that has one.
    fn find_in_block(&self, window: &[u8], from: usize) -> Option<usize> {
        if from >= window.len() {
            return None;
        }
        let end = self.shortest_match(window, from)?;
        // After the last line feed there is an empty string, but no line.
        (end < window.len() || window.last() != Some(&b'\n')).then_some(end)
    }

    fn shortest_match(&self, window: &[u8], from: usize) -> Option<usize> {
        let input = Input::new(window).earliest(true).span(from..window.len());
        self.regex.search_half(&input).map(|found| found.offset())
    }
}

/// Compiles a pattern for whole windows.
pub(super) fn build(pattern: &Hir) -> Result<Regex, PatternError> {
    let config = Regex::config()
        .utf8_empty(false)
        .nfa_size_limit(Some(SIZE_LIMIT));
    Regex::builder()
        .configure(config)
        .build_from_hir(pattern)
        .map_err(|_| PatternError::TooBig)
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

pub(super) fn line_end(window: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &window[at..]).map_or(window.len(), |feed| at + feed)
}

/// Where the line around `at` begins, which is not before `from`, and ends.
pub(super) fn line_around(window: &[u8], from: usize, at: usize) -> (usize, usize) {
    let start = memchr::memrchr(b'\n', &window[from..at]).map_or(from, |feed| from + feed + 1);
    (start, line_end(window, at))
}
