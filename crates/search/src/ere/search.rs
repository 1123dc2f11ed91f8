//! Patterns without back-references, searched by the engine of `regex`: over whole windows where
//! that is quick in any case, else in blocks of whole lines, and a line that is too long for the
//! pattern in a thread that may be left behind.

use std::ops::Range;
use std::sync::Arc;

use regex_automata::Input;
use regex_automata::meta::Regex;
use regex_syntax::hir::Hir;

use super::PatternError;
use super::ast::{Assertion, PatternNode};
use super::budget::{MAX_ASIDE_BYTES, SearchBudget, decide_aside};
use super::cost::{check_size, positions, shortest};
use super::hir::hir;
use super::required_text::{RequiredFinder, first_length};

/// Maximum memory of a compiled pattern.
pub(super) const MAX_COMPILED_BYTES: usize = 32 << 20;
/// The search for a required text stops once it was found in this many lines that do not match,
/// and more often than once in this many bytes.
const MAX_FALSE_HITS: usize = 16;
const MIN_BYTES_PER_FALSE_HIT: usize = 80;
/// The size of the first block, in bytes, where it matters whether a block is ASCII; the blocks
/// grow from there.
const FIRST_BLOCK_BYTES: usize = 512;
/// The largest product for one uninterruptible call of the engine: positions in the pattern times
/// bytes. Such a call takes less than a second even where each position is looked at for each byte.
const MAX_CALL_COST: u64 = 1 << 26;

/// A pattern without back-references, compiled.
#[derive(Debug)]
pub(super) struct LinearSearch {
    regex: Regex,
    /// Text that every match holds.
    required: Option<RequiredFinder>,
    /// True if the pattern asks where words begin or end. The engine finds that out quickly in
    /// ASCII alone: elsewhere it is much quicker on a line than on a window.
    tests_word_edges: bool,
    /// For lines that are too long for the pattern.
    piecewise: Arc<PiecewiseSearch>,
    budget: Arc<SearchBudget>,
}

/// Matches a line that one call of the engine might take too long for.
#[derive(Debug)]
struct PiecewiseSearch {
    /// Maximum number of bytes for one call of the engine.
    one_call: usize,
    /// The length in bytes below which no line matches.
    shortest: usize,
}

impl LinearSearch {
    pub fn compile(node: &PatternNode, budget: &Arc<SearchBudget>) -> Result<Self, PatternError> {
        check_size(node)?;
        Ok(Self {
            regex: build(&hir(node))?,
            required: RequiredFinder::for_pattern(node),
            tests_word_edges: asks_for_words(node),
            piecewise: Arc::new(PiecewiseSearch {
                one_call: usize::try_from(MAX_CALL_COST / positions(node).max(1)).unwrap_or(0),
                shortest: shortest(node),
            }),
            budget: Arc::clone(budget),
        })
    }

    /// This search for a further thread: what the engine learns of a text is that thread's own.
    pub fn another(&self, budget: &Arc<SearchBudget>) -> Self {
        Self {
            regex: self.regex.clone(),
            required: self.required.clone(),
            tests_word_edges: self.tests_word_edges,
            piecewise: Arc::clone(&self.piecewise),
            budget: Arc::clone(budget),
        }
    }

    /// As `RegexMatcher::find_line`; where `from` is less than the window's length.
    pub fn find_line(&self, window: &[u8], from: usize) -> Option<usize> {
        self.budget.allow_find();
        if window.len() - from <= self.piecewise.one_call {
            return self.find_in_one_call(window, from);
        }
        self.find_piecewise(window, from)
    }

    /// As `RegexMatcher::match_start`.
    pub fn match_start(&self, line: &[u8]) -> Option<usize> {
        let first = self.is_quick(line.len()).then(|| self.regex.find(line));
        Some(first.flatten()?.start())
    }

    /// The matches in `line` that are not empty; none if they take time to tell.
    pub fn extents(&self, line: &[u8]) -> Vec<Range<usize>> {
        if !self.is_quick(line.len()) {
            return Vec::new();
        }
        let matches = self.regex.find_iter(line);
        let extents = matches.map(|one| one.range());
        extents.filter(|extent| !extent.is_empty()).collect()
    }

    /// True if a search through this many bytes is one call of the engine.
    pub fn is_quick(&self, bytes: usize) -> bool {
        bytes <= self.piecewise.one_call
    }

    /// As `find`, with a look at the clock between two calls of the engine.
    fn find_piecewise(&self, window: &[u8], mut from: usize) -> Option<usize> {
        let one_call = self.piecewise.one_call;
        while from < window.len() {
            let end = line_end(window, from);
            if end - from < self.piecewise.shortest {
                from = end + 1;
                continue;
            }
            if self.budget.is_over() {
                self.budget.note_end(from);
                return None;
            }
            if end - from > one_call {
                match self.decide(&window[from..end]) {
                    Some(true) => return Some(from),
                    Some(false) => {}
                    None => self.budget.give_up(from),
                }
                from = end + 1;
                continue;
            }
            // As many whole lines as one call may search.
            let limit = window.len().min(from + one_call);
            let block = memchr::memrchr(b'\n', &window[end.min(limit)..limit])
                .map_or(end, |feed| end.min(limit) + feed);
            let block = window.len().min(block + 1);
            if let Some(offset) = self.find_in_one_call(&window[..block], from) {
                return Some(offset);
            }
            from = block;
        }
        None
    }

    /// True if a long line matches; `None` if that takes too long to tell.
    fn decide(&self, line: &[u8]) -> Option<bool> {
        if let Some(required) = &self.required
            && required.find_text(line, 0).is_none()
        {
            return Some(false);
        }
        if line.len() > MAX_ASIDE_BYTES {
            return None;
        }
        let (regex, line) = (self.regex.clone(), line.to_vec());
        let end = self.budget.line_deadline();
        decide_aside(end, move || Some(regex.is_match(&line))).ok()?
    }

    fn find_in_one_call(&self, window: &[u8], from: usize) -> Option<usize> {
        let Some(required) = self.required.as_ref().filter(|one| one.saves_time) else {
            return self.find_any(window, from);
        };
        let (mut next, mut in_vain) = (from, 0);
        // A text that is in every other line does not narrow the search down.
        while in_vain < MAX_FALSE_HITS || next - from > in_vain * MIN_BYTES_PER_FALSE_HIT {
            let hit = required.find_text(window, next)?;
            let (start, end) = line_around(window, next, hit);
            if let Some(offset) = self.find_in_line(&window[..end], start) {
                return Some(offset);
            }
            in_vain += 1;
            next = end + 1;
        }
        self.find_any(window, next)
    }

    fn find_any(&self, window: &[u8], mut from: usize) -> Option<usize> {
        if !self.tests_word_edges {
            return self.find_in_block(window, from);
        }
        let mut size = FIRST_BLOCK_BYTES;
        while from < window.len() {
            let end = line_end(window, from.saturating_add(size).min(window.len()));
            let end = window.len().min(end + 1);
            let match_end = if window[from..end].is_ascii() {
                self.find_in_block(&window[..end], from)
            } else {
                self.find_line_by_line(&window[..end], from)
            };
            if match_end.is_some() {
                return match_end;
            }
            from = end;
            size = size.saturating_mul(2);
        }
        None
    }

    fn find_line_by_line(&self, window: &[u8], mut from: usize) -> Option<usize> {
        while from < window.len() {
            let end = line_end(window, from);
            if let Some(offset) = self.find_in_line(&window[..end], from) {
                return Some(offset);
            }
            from = end + 1;
        }
        None
    }

    /// Finds the end of a match in the line from `start` to the window's end.
    fn find_in_line(&self, window: &[u8], start: usize) -> Option<usize> {
        if self.tests_word_edges {
            // Asked for the match itself, it chooses the quicker one of its automata.
            let input = Input::new(window).span(start..window.len());
            return self.regex.find(input).map(|first| first.end());
        }
        self.shortest_match(window, start)
    }

    /// Finds the end of the match that ends first: in the first line that has one.
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
        self.regex.search_half(&input).map(|half| half.offset())
    }
}

/// Compiles a pattern for whole windows.
pub(super) fn build(pattern: &Hir) -> Result<Regex, PatternError> {
    let config = Regex::config()
        .utf8_empty(false)
        .nfa_size_limit(Some(MAX_COMPILED_BYTES));
    Regex::builder()
        .configure(config)
        .build_from_hir(pattern)
        .map_err(|_| PatternError::TooBig)
}

/// True if the pattern asks for a word boundary before any text that the engine can look for
/// by itself.
fn asks_for_words(node: &PatternNode) -> bool {
    fn has_one(node: &PatternNode) -> bool {
        match node {
            PatternNode::Assertion(kind) => {
                !matches!(kind, Assertion::LineStart | Assertion::LineEnd)
            }
            PatternNode::Group(node) | PatternNode::Repeat { node, .. } => has_one(node),
            PatternNode::Concat(nodes) | PatternNode::Alternate(nodes) => nodes.iter().any(has_one),
            _ => false,
        }
    }
    first_length(node) == 0 && has_one(node)
}

pub(super) fn line_end(window: &[u8], offset: usize) -> usize {
    memchr::memchr(b'\n', &window[offset..]).map_or(window.len(), |feed| offset + feed)
}

/// Finds the beginning, not before `from`, and the end of the line around `offset`.
pub(super) fn line_around(window: &[u8], from: usize, offset: usize) -> (usize, usize) {
    let start = memchr::memrchr(b'\n', &window[from..offset]).map_or(from, |feed| from + feed + 1);
    (start, line_end(window, offset))
}
