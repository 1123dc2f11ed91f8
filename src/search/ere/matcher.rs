//! Which engine searches for a pattern, and how.
//!
//! | pattern | engine |
//! |---|---|
//! | matches every line | none |
//! | plain text | `memchr::memmem` |
//! | a long run of one set of characters | [`Runs`] |
//! | anything without a back-reference | [`LinearSearch`]: `regex`, linear |
//! | with a back-reference | [`References`]: `regex`, then `fancy-regex` |

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use memchr::memmem::Finder;

use super::PatternError;
use super::advice::advise;
use super::ast::Node;
use super::budget::Budget;
use super::habits::{Habits, Tried};
use super::parser::{self, Parsed};
use super::references::References;
use super::runs::Runs;
use super::search::LinearSearch;
use super::simplify::{always, simplify};
use crate::search::scan::LineMatcher;

/// A compiled pattern.
#[derive(Debug)]
pub struct Matcher {
    engine: Engine,
    budget: Arc<Budget>,
    habits: Option<Arc<Habits>>,
    /// What came of the stretch that this matcher searches.
    tried: Mutex<Tried>,
    /// Whether a line was found in it.
    found: AtomicBool,
}

#[derive(Debug)]
enum Engine {
    EveryLine,
    Text(Box<Finder<'static>>),
    Runs(Runs),
    Regex(Box<LinearSearch>),
    References(Box<References>),
}

impl Matcher {
    /// Compiles a pattern. The timeout of a costly search begins here.
    pub fn compile(pattern: &str) -> Result<Self, PatternError> {
        let parsed = parser::parse(pattern).map_err(|error| advise(error, pattern))?;
        let habits = Habits::of(pattern, parsed.line_feed);
        Self::of(parsed, habits)
    }

    /// Compiles a pattern that is only tried; `None` where it matches every line.
    pub(super) fn for_a_try(pattern: &str) -> Option<Self> {
        let matcher = Self::of(parser::parse(pattern).ok()?, None).ok()?;
        (!matches!(matcher.engine, Engine::EveryLine)).then_some(matcher)
    }

    #[inline(never)]
    fn of(parsed: Parsed, habits: Option<Box<Habits>>) -> Result<Self, PatternError> {
        let budget = Arc::new(Budget::new());
        let engine = Engine::compile(parsed, &budget)?;
        Ok(Self {
            engine,
            budget,
            habits: habits.map(Arc::from),
            tried: Mutex::default(),
            found: AtomicBool::new(false),
        })
    }

    /// The same matcher for a further thread of the same search.
    #[must_use]
    pub fn another(&self) -> Self {
        let budget = Arc::new(self.budget.another());
        Self {
            engine: self.engine.another(&budget),
            budget,
            habits: self.habits.clone(),
            tried: Mutex::default(),
            found: AtomicBool::new(false),
        }
    }

    /// Whether a line of this window matches, as far as that is found out without delay.
    pub(super) fn matches_quickly(&self, window: &[u8]) -> bool {
        let quick = match &self.engine {
            Engine::Regex(search) => search.is_quick(window.len()),
            Engine::References(_) => false,
            Engine::EveryLine | Engine::Text(_) | Engine::Runs(_) => true,
        };
        quick && self.find(window, 0).is_some()
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
        let found = self.engine.find(window, from);
        if let Some(habits) = &self.habits {
            if found.is_some() {
                self.found.store(true, Ordering::Relaxed);
            } else if !self.found.load(Ordering::Relaxed) {
                habits.try_on(window, &mut self.tried());
            }
        }
        found
    }

    /// What came of the stretch of the search that this matcher has gone through since it was last
    /// asked.
    #[must_use]
    pub fn take_tried(&self) -> Tried {
        let mut tried = std::mem::take(&mut *self.tried());
        tried.found = self.found.swap(false, Ordering::Relaxed);
        tried
    }

    /// One thread alone has it.
    fn tried(&self) -> MutexGuard<'_, Tried> {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds what came of the next stretch of the search, on whatever thread; nothing of it is left.
    pub fn add_tried(&self, tried: &mut Tried) {
        if let Some(habits) = &self.habits {
            habits.add(tried);
        }
    }

    /// Why a search in which nothing was found did so, where the pattern is written in the way of
    /// another tool: one sentence that says how to write it.
    #[must_use]
    pub fn why_nothing(&self) -> Option<String> {
        self.habits.as_ref()?.why_nothing()
    }

    /// The same matcher, whose search ends after `limit`, whatever the pattern costs.
    #[must_use]
    pub fn within(self, limit: Duration) -> Self {
        self.budget.limit(limit);
        self
    }

    /// How many lines `find` could not decide so far, because the pattern can match them in too
    /// many ways. They are not among those found.
    #[must_use]
    pub fn gave_up(&self) -> u64 {
        self.budget.gave_up()
    }
}

impl Engine {
    fn compile(parsed: Parsed, budget: &Arc<Budget>) -> Result<Self, PatternError> {
        if parsed.references {
            return References::compile(&parsed.node, budget)
                .map(|references| Self::References(Box::new(references)));
        }
        let node = simplify(parsed.node);
        if always(&node) {
            return Ok(Self::EveryLine);
        }
        if let Node::Literal { text, fold: false } = &node
            && !text.contains('\n')
        {
            return Ok(Self::Text(Box::new(Finder::new(text).into_owned())));
        }
        if let Some(runs) = Runs::compile(&node) {
            return runs.map(Self::Runs);
        }
        LinearSearch::compile(&node, budget).map(|search| Self::Regex(Box::new(search)))
    }

    fn another(&self, budget: &Arc<Budget>) -> Self {
        match self {
            Self::EveryLine => Self::EveryLine,
            Self::Text(finder) => Self::Text(finder.clone()),
            Self::Runs(runs) => Self::Runs(runs.clone()),
            Self::Regex(search) => Self::Regex(Box::new(search.another(budget))),
            Self::References(references) => Self::References(Box::new(references.another(budget))),
        }
    }

    fn find(&self, window: &[u8], from: usize) -> Option<usize> {
        match self {
            Self::EveryLine => Some(from),
            Self::Text(finder) => Some(from + finder.find(&window[from..])?),
            Self::Runs(runs) => runs.find(window, from),
            Self::Regex(search) => search.find(window, from),
            Self::References(references) => references.find(window, from),
        }
    }
}

impl LineMatcher for Matcher {
    fn find(&self, window: &[u8], from: usize) -> Option<usize> {
        self.find(window, from)
    }

    fn goes_on(&self, window: &[u8]) -> bool {
        self.budget.window(window.len());
        // Searching for plain text and for runs takes no longer than reading the file.
        !matches!(self.engine, Engine::Regex(_) | Engine::References(_)) || !self.budget.is_over()
    }

    fn stopped(&self) -> Option<usize> {
        self.budget.stopped()
    }

    fn take_undecided(&self) -> Vec<usize> {
        self.budget.take_undecided()
    }
}
