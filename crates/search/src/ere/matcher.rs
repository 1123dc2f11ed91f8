//! The choice of the engine that searches for a pattern.
//!
//! | pattern | engine |
//! |---|---|
//! | matches every line | none |
//! | plain text | `memchr::memmem` |
//! | a long run of one set of characters | [`RunSearch`] |
//! | anything without a back-reference | [`LinearSearch`]: `regex`, linear |
//! | with a back-reference | [`ReferenceSearch`]: `regex`, then `fancy-regex` |

use std::sync::Arc;
use std::time::Duration;

use memchr::memmem::Finder;

use super::PatternError;
use super::ast::PatternNode;
use super::budget::SearchBudget;
use super::parser::{self, ParsedPattern};
use super::references::ReferenceSearch;
use super::runs::RunSearch;
use super::search::LinearSearch;
use super::simplify::{matches_every_line, simplify};
use crate::scan::LineMatcher;

/// A compiled pattern.
#[derive(Debug)]
pub struct RegexMatcher {
    engine: MatchEngine,
    budget: Arc<SearchBudget>,
}

#[derive(Debug)]
enum MatchEngine {
    EveryLine,
    Text(Box<Finder<'static>>),
    Runs(RunSearch),
    Regex(Box<LinearSearch>),
    References(Box<ReferenceSearch>),
}

impl RegexMatcher {
    /// Compiles a pattern. From here on, a search that may cost more than linear time has 24 s, or
    /// as long as [`RegexMatcher::within`] says; [`RegexMatcher::gave_up`] counts what was left.
    pub fn compile(pattern: &str) -> Result<Self, PatternError> {
        Self::from_parsed(parser::parse(pattern)?)
    }

    /// Compiles a matcher of the lines that any of these patterns without back-references matches.
    pub(super) fn for_any(mut nodes: Vec<PatternNode>) -> Option<Self> {
        let node = match nodes.len() {
            0 => return None,
            1 => nodes.remove(0),
            _ => PatternNode::Alternate(nodes),
        };
        Self::from_parsed(ParsedPattern::linear(node)).ok()
    }

    #[inline(never)]
    fn from_parsed(parsed: ParsedPattern) -> Result<Self, PatternError> {
        let budget = Arc::new(SearchBudget::new());
        let engine = MatchEngine::compile(parsed, &budget)?;
        Ok(Self { engine, budget })
    }

    /// This matcher for a further thread of the same search.
    #[must_use]
    pub fn another(&self) -> Self {
        let budget = Arc::new(self.budget.for_thread());
        Self {
            engine: self.engine.another(&budget),
            budget,
        }
    }

    /// True if a line of this window matches; `None` if that takes time to tell.
    #[must_use]
    pub fn matches_quickly(&self, window: &[u8]) -> Option<bool> {
        let quick = match &self.engine {
            MatchEngine::Regex(search) => search.is_quick(window.len()),
            MatchEngine::References(_) => false,
            MatchEngine::EveryLine | MatchEngine::Text(_) | MatchEngine::Runs(_) => true,
        };
        quick.then(|| self.find_line(window, 0).is_some())
    }

    /// Finds an offset in the first line of `window`, at or after the start of a line `from`, that
    /// matches: at its first byte, at the byte that ends it, or between. `window` holds whole
    /// lines, each ended by a line feed, the last one perhaps by the end.
    #[must_use]
    pub fn find_line(&self, window: &[u8], from: usize) -> Option<usize> {
        if from >= window.len() {
            return None;
        }
        self.engine.find_line(window, from)
    }

    /// Finds the offset in `line`, which matches, at which its first match begins; `None` if that
    /// takes time to tell.
    #[must_use]
    pub fn match_start(&self, line: &[u8]) -> Option<usize> {
        match &self.engine {
            MatchEngine::EveryLine => Some(0),
            MatchEngine::Text(finder) => finder.find(line),
            MatchEngine::Runs(runs) => runs.find_run(line, 0),
            MatchEngine::Regex(search) => search.match_start(line),
            MatchEngine::References(_) => None,
        }
    }

    /// This matcher, whose search ends after `limit`, whatever the pattern costs.
    #[must_use]
    pub fn within(self, limit: Duration) -> Self {
        self.budget.set_limit(limit);
        self
    }

    /// Counts the lines that `find` could not decide so far, because the pattern can match them in
    /// too many ways. They are not among those found.
    #[must_use]
    pub fn gave_up(&self) -> u64 {
        self.budget.gave_up()
    }
}

impl MatchEngine {
    fn compile(parsed: ParsedPattern, budget: &Arc<SearchBudget>) -> Result<Self, PatternError> {
        if parsed.has_references {
            return ReferenceSearch::compile(&parsed.node, budget)
                .map(|references| Self::References(Box::new(references)));
        }
        let node = simplify(parsed.node);
        if matches_every_line(&node) {
            return Ok(Self::EveryLine);
        }
        if let PatternNode::Literal { text, fold: false } = &node
            && !text.contains('\n')
        {
            return Ok(Self::Text(Box::new(Finder::new(text).into_owned())));
        }
        if let Some(runs) = RunSearch::compile(&node) {
            return runs.map(Self::Runs);
        }
        LinearSearch::compile(&node, budget).map(|search| Self::Regex(Box::new(search)))
    }

    fn another(&self, budget: &Arc<SearchBudget>) -> Self {
        match self {
            Self::EveryLine => Self::EveryLine,
            Self::Text(finder) => Self::Text(finder.clone()),
            Self::Runs(runs) => Self::Runs(runs.clone()),
            Self::Regex(search) => Self::Regex(Box::new(search.another(budget))),
            Self::References(references) => Self::References(Box::new(references.another(budget))),
        }
    }

    fn find_line(&self, window: &[u8], from: usize) -> Option<usize> {
        match self {
            Self::EveryLine => Some(from),
            Self::Text(finder) => Some(from + finder.find(&window[from..])?),
            Self::Runs(runs) => runs.find_run(window, from),
            Self::Regex(search) => search.find_line(window, from),
            Self::References(references) => references.find_line(window, from),
        }
    }
}

impl LineMatcher for RegexMatcher {
    fn find_line(&self, window: &[u8], from: usize) -> Option<usize> {
        self.find_line(window, from)
    }

    fn has_time_for(&self, window: &[u8]) -> bool {
        self.budget.allow_window(window.len());
        // Searching for plain text and for runs takes no longer than reading the file.
        !matches!(
            self.engine,
            MatchEngine::Regex(_) | MatchEngine::References(_)
        ) || !self.budget.is_over()
    }

    fn stopped_at(&self) -> Option<usize> {
        self.budget.stopped_at()
    }

    fn take_undecided(&self) -> Vec<usize> {
        self.budget.take_undecided()
    }
}
