//! Patterns with back-references: `regex` for the lines that may match, `fancy-regex` on each.
//!
//! A backtracking engine cannot be interrupted either. So a line that it does not decide in a few
//! steps is decided in a thread of its own ([`decide_aside`]).

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use fancy_regex::RegexInput;

use super::PatternError;
use super::ast::PatternNode;
use super::budget::{MAX_ASIDE_BYTES, SearchBudget, decide_aside};
use super::cost::{check_size, positions};
use super::search::{LinearSearch, line_around};
use super::simplify::{loosen, simplify};
use super::translate::translate;

/// Maximum memory, in bytes, for each part of a pattern that has no back-references itself.
const MAX_DELEGATE_BYTES: usize = 8 << 20;
/// The limit of backtracking steps: for a whole line, and for one starting position in a long one.
const MAX_STEPS_PER_LINE: usize = 1_000_000;
const MAX_STEPS_PER_PLACE: usize = 10_000;
/// From this length on, a line is tried from one starting position after another.
const LONG_LINE_BYTES: usize = 4 << 10;
/// The largest cost that is tried without a thread: positions in the pattern times bytes of the
/// line.
const MAX_QUICK_COST: u64 = 1 << 12;

/// A pattern with back-references.
#[derive(Debug)]
pub(super) struct ReferenceSearch {
    /// Matches every line that the pattern matches, and more.
    candidates: LinearSearch,
    positions: u64,
    engines: Arc<BacktrackEngines>,
    budget: Arc<SearchBudget>,
}

/// The pattern for `fancy-regex`.
#[derive(Debug)]
struct BacktrackEngines {
    text: String,
    /// With the step limit for one starting position.
    place: fancy_regex::Regex,
    /// With the step limit for a whole line; built for the first line that needs it.
    line: OnceLock<Option<fancy_regex::Regex>>,
}

impl ReferenceSearch {
    pub fn compile(node: &PatternNode, budget: &Arc<SearchBudget>) -> Result<Self, PatternError> {
        let candidates = LinearSearch::compile(&simplify(loosen(node)), budget)?;
        check_size(node)?;
        let text = translate(node);
        let place = backtracking(&text, MAX_STEPS_PER_PLACE).ok_or(PatternError::TooBig)?;
        Ok(Self {
            candidates,
            positions: positions(node),
            engines: Arc::new(BacktrackEngines {
                text,
                place,
                line: OnceLock::new(),
            }),
            budget: Arc::clone(budget),
        })
    }

    /// This search for a further thread.
    pub fn another(&self, budget: &Arc<SearchBudget>) -> Self {
        Self {
            candidates: self.candidates.another(budget),
            positions: self.positions,
            engines: Arc::clone(&self.engines),
            budget: Arc::clone(budget),
        }
    }

    /// As `RegexMatcher::find_line`.
    pub fn find_line(&self, window: &[u8], mut from: usize) -> Option<usize> {
        while from < window.len() {
            let candidate = self.candidates.find_line(window, from)?;
            let (start, end) = line_around(window, from, candidate);
            if self.budget.is_over() {
                self.budget.note_end(start);
                return None;
            }
            match self.decide(&window[start..end]) {
                Some(true) => return Some(start),
                Some(false) => {}
                None => self.budget.give_up(start),
            }
            from = end + 1;
        }
        None
    }

    /// True if the line matches; `None` if that takes too long to tell.
    fn decide(&self, line: &[u8]) -> Option<bool> {
        if self.positions.saturating_mul(line.len() as u64) <= MAX_QUICK_COST
            && let Ok(verdict) = self.engines.place.is_match(as_text(line).as_ref())
        {
            return Some(verdict);
        }
        if line.len() > MAX_ASIDE_BYTES {
            return None;
        }
        let deadline = self.budget.line_deadline();
        let (engines, text) = (Arc::clone(&self.engines), as_text(line).into_owned());
        decide_aside(deadline, move || engines.decide(&text, deadline))
            .unwrap_or_else(|_| self.engines.decide(&as_text(line), deadline))
    }
}

impl BacktrackEngines {
    fn decide(&self, line: &str, deadline: Instant) -> Option<bool> {
        if line.len() < LONG_LINE_BYTES {
            let engine = self
                .line
                .get_or_init(|| backtracking(&self.text, MAX_STEPS_PER_LINE));
            return engine.as_ref()?.is_match(line).ok();
        }
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

fn backtracking(text: &str, steps: usize) -> Option<fancy_regex::Regex> {
    fancy_regex::RegexBuilder::new(text)
        .backtrack_limit(steps)
        .delegate_size_limit(MAX_DELEGATE_BYTES)
        .build()
        .ok()
}

/// Returns the line as text. Each byte that is not UTF-8 becomes a line feed, which only `.*`
/// matches.
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
