//! A whole pattern, ready to be walked: its alternatives merged into one automaton.
//!
//! The alternatives that braces stand for share their beginnings, and a walk follows all of them at
//! once: a tree is read once for `**/*.{ts,tsx}`, and no path is found twice. Only patterns that
//! begin with a slash are walked apart from those that do not.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;

use super::braces;
use super::wildcard::{Component, Wildcard};

/// The longest pattern in bytes: twice the longest path. A hostile one must not cost time
/// that grows with its square.
pub const LONGEST_PATTERN: usize = 8 << 10;

/// The longest text in bytes that stands for several patterns.
const LONGEST_WITH_BRACES: usize = 256 << 10;

/// Why a text is no pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternError {
    /// It holds a NUL.
    Nul,
    /// It is longer than [`LONGEST_PATTERN`], or stands for a pattern that is.
    TooLong,
    /// Its braces stand for more than [`braces::MOST_ALTERNATIVES`].
    TooMany,
}

/// One step of a pattern: a component, and what may follow it.
#[derive(Debug)]
pub struct Step {
    /// The component itself.
    pub component: Component,
    /// The slashes before it, to be written as they were given.
    pub slashes: Vec<u8>,
    /// The steps behind this one.
    pub next: Vec<usize>,
    /// A pattern ends here.
    pub ends: bool,
    /// A pattern ends here with a slash: only directories, written with a slash.
    pub ends_in_slash: bool,
    /// There is a wildcard in a component before this one.
    pub behind_wildcard: bool,
}

/// Patterns that are walked together.
#[derive(Debug, Default)]
pub struct Steps {
    /// The slashes in front: empty for relative patterns.
    pub root: Vec<u8>,
    /// All steps.
    pub all: Vec<Step>,
    /// The first ones.
    pub first: Vec<usize>,
    /// True if one of the patterns is nothing but its root, if it has one.
    pub bare: bool,
}

impl Steps {
    /// Adds a pattern: step by step to what is there already, as far as it is the same.
    fn add(&mut self, pattern: Wildcard) {
        self.bare |= pattern.steps.is_empty();
        let (mut behind_wildcard, mut last) = (false, None::<usize>);
        for step in pattern.steps {
            let known = match last {
                None => &self.first,
                Some(last) => &self.all[last].next,
            };
            let mut known = known.iter().copied();
            let same = known.find(|at| self.all[*at].component.is(&step.component));
            let wild = !matches!(step.component, Component::Name(_));
            let at = same.unwrap_or_else(|| {
                let at = self.all.len();
                self.all.push(Step {
                    component: step.component,
                    slashes: step.slashes,
                    next: Vec::new(),
                    ends: false,
                    ends_in_slash: false,
                    behind_wildcard,
                });
                match last {
                    None => self.first.push(at),
                    Some(last) => self.all[last].next.push(at),
                }
                at
            });
            behind_wildcard |= wild;
            last = Some(at);
        }
        if let Some(last) = last.and_then(|last| self.all.get_mut(last)) {
            last.ends |= !pattern.directories;
            last.ends_in_slash |= pattern.directories;
        }
    }
}

/// A whole pattern, with or without braces.
#[derive(Debug)]
pub struct Pattern {
    /// What is walked together; mostly one.
    pub(super) walks: Vec<Arc<Steps>>,
}

impl Pattern {
    /// Reads a pattern. Its braces stand for alternatives, and the name as it is written is one of
    /// them.
    ///
    /// # Errors
    /// No names are sought for such a text.
    pub fn parse(text: &[u8]) -> Result<Self, PatternError> {
        if text.contains(&0) {
            return Err(PatternError::Nul);
        }
        if text.len() > LONGEST_WITH_BRACES {
            return Err(PatternError::TooLong);
        }
        let alternatives = braces::alternatives(text).map_err(|_| PatternError::TooMany)?;
        let too_long = |text: &[u8]| text.len() > LONGEST_PATTERN;
        if alternatives.is_empty() {
            if too_long(text) {
                return Err(PatternError::TooLong);
            }
            let mut steps = Steps::default();
            let pattern = Wildcard::parse(text);
            steps.root.clone_from(&pattern.root);
            steps.add(pattern);
            let walks = vec![Arc::new(steps)];
            return Ok(Self { walks });
        }
        let mut walks = [Steps::default(), Steps::default()];
        walks[1].root.push(b'/');
        let as_written = (!too_long(text)).then_some(text);
        for alternative in alternatives.iter().map(Vec::as_slice).chain(as_written) {
            if too_long(alternative) {
                return Err(PatternError::TooLong);
            }
            let mut pattern = Wildcard::parse(alternative);
            // A directory that several patterns lead to is written in one way.
            for step in &mut pattern.steps {
                step.slashes.truncate(1);
            }
            let absolute = usize::from(!pattern.root.is_empty());
            walks[absolute].add(pattern);
        }
        let mut walks = Vec::from(walks);
        walks.retain(|steps| !steps.all.is_empty() || steps.bare);
        let walks = walks.into_iter().map(Arc::new).collect();
        Ok(Self { walks })
    }
}

/// The beginning of a pattern: names up to its first wildcard.
#[derive(Debug)]
pub struct PatternStart {
    /// The path that these names make.
    pub path: PathBuf,
    /// A `..` follows a wildcard.
    pub leads_up: bool,
}

/// Takes the beginning of each pattern that `text` stands for; none where it stands for too many to
/// be a pattern.
#[must_use]
pub fn starts(text: &[u8]) -> Vec<PatternStart> {
    let Ok(mut all) = braces::alternatives(text) else {
        return Vec::new();
    };
    let alternatives = all.len();
    all.push(text.to_owned());
    let start = |(at, pattern): (usize, &Vec<u8>)| {
        let Wildcard { root, steps, .. } = Wildcard::parse(pattern);
        let mut path = PathBuf::from(OsStr::from_bytes(&root));
        let (mut wild, mut leads_up) = (false, false);
        for step in &steps {
            match &step.component {
                Component::Name(name) if wild => leads_up |= name == b"..",
                Component::Name(name) => path.push(OsStr::from_bytes(name)),
                _ => wild = true,
            }
        }
        // Braces as a name hold the wildcards and the `..` of their alternatives.
        leads_up &= alternatives == 0 || at < alternatives;
        PatternStart { path, leads_up }
    };
    all.iter().enumerate().map(start).collect()
}
