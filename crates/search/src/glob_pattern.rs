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
use super::wildcard::{PatternComponent, SplitPattern};

/// Maximum length of a pattern: twice that of a path. A hostile one must not cost time
/// that grows with its square.
pub const MAX_PATTERN_BYTES: usize = 8 << 10;

/// Maximum length of a text that stands for several patterns.
const MAX_BRACE_PATTERN_BYTES: usize = 256 << 10;

/// The reason why a text is not a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WildcardError {
    /// It holds a NUL.
    #[error("the pattern holds a NUL")]
    Nul,
    /// It is longer than [`MAX_PATTERN_BYTES`], or stands for a pattern that is.
    #[error("the pattern is too long")]
    TooLong,
    /// Its braces stand for more than [`braces::MAX_ALTERNATIVES`].
    #[error("the pattern stands for too many others")]
    TooMany,
}

/// A state of the automaton: a component, and the states that may follow it.
#[derive(Debug)]
pub(crate) struct AutomatonStep {
    /// The component itself.
    pub component: PatternComponent,
    /// The slashes before it, to be written as they were given.
    pub slashes: Vec<u8>,
    /// The steps after this one.
    pub next: Vec<usize>,
    /// True if a pattern ends here.
    pub is_end: bool,
    /// True if a pattern ends here with a slash: only directories, written with a slash.
    pub ends_in_slash: bool,
    /// True if there is a wildcard in a component before this one.
    pub is_after_wildcard: bool,
    /// The component for names in lower case, where a pattern ends and it has letters; true if it
    /// has capitals itself.
    folded: Option<(PatternComponent, bool)>,
}

impl AutomatonStep {
    /// True if a pattern ends here, and the component matches this name if case is ignored.
    pub(crate) fn matches_in_other_case(&self, name: &[u8]) -> bool {
        let Some((folded, has_capitals)) = &self.folded else {
            return false;
        };
        // Asked of every name that does not match, and told by the ends of nearly all of them.
        folded.has_ends_of(name)
            && (*has_capitals || name.iter().any(u8::is_ascii_uppercase))
            && folded.matches(&name.to_ascii_lowercase())
    }
}

/// Patterns that are walked together, as one automaton.
#[derive(Debug, Default)]
pub(crate) struct PatternAutomaton {
    /// The slashes in front: empty for relative patterns.
    pub root: Vec<u8>,
    /// All steps.
    pub all: Vec<AutomatonStep>,
    /// The first ones.
    pub first: Vec<usize>,
    /// True if one of the patterns is nothing but its root, if it has one.
    pub has_bare_root: bool,
}

impl PatternAutomaton {
    /// True if a pattern ends in just this name.
    #[must_use]
    pub fn asks_for(&self, name: &[u8]) -> bool {
        let ends = |step: &&AutomatonStep| step.is_end || step.ends_in_slash;
        let mut last = self.all.iter().filter(ends).map(|step| &step.component);
        last.any(|one| matches!(one, PatternComponent::Name(only) if only == name))
    }

    /// The steps that may come after the directories of the path `names`; true if a pattern ends
    /// in that path.
    #[must_use]
    pub fn steps_below(&self, names: &[u8], hidden: bool) -> (Vec<usize>, bool) {
        let (mut active, mut is_end) = (self.first.clone(), false);
        for name in names.split(|byte| *byte == b'/') {
            if name.is_empty() {
                continue;
            }
            let (mut index, mut next) = (0, Vec::new());
            is_end = false;
            while let Some(&state) = active.get(index) {
                index += 1;
                let step = &self.all[state];
                match &step.component {
                    PatternComponent::Deep => {
                        active.extend_from_slice(&step.next);
                        next.push(state);
                        continue;
                    }
                    PatternComponent::Name(only) if only == name => {}
                    PatternComponent::Wild(wild) if wild.matches_in_scope(name, hidden) => {}
                    _ => continue,
                }
                is_end |= step.is_end || step.ends_in_slash;
                next.extend(&step.next);
            }
            next.sort_unstable();
            next.dedup();
            active = next;
        }
        (active, is_end)
    }

    /// Adds a pattern; it shares its first steps with earlier patterns as far as they are equal.
    fn add(&mut self, pattern: SplitPattern) {
        self.has_bare_root |= pattern.steps.is_empty();
        let (mut is_after_wildcard, mut last) = (false, None::<usize>);
        for step in pattern.steps {
            let known = match last {
                None => &self.first,
                Some(last) => &self.all[last].next,
            };
            let mut known = known.iter().copied();
            let same = known.find(|index| self.all[*index].component.is(&step.component));
            let wild = !matches!(step.component, PatternComponent::Name(_));
            let index = same.unwrap_or_else(|| {
                let index = self.all.len();
                self.all.push(AutomatonStep {
                    component: step.component,
                    slashes: step.slashes,
                    next: Vec::new(),
                    is_end: false,
                    ends_in_slash: false,
                    is_after_wildcard,
                    folded: None,
                });
                match last {
                    None => self.first.push(index),
                    Some(last) => self.all[last].next.push(index),
                }
                index
            });
            is_after_wildcard |= wild;
            last = Some(index);
        }
        if let Some(last) = last.and_then(|last| self.all.get_mut(last)) {
            last.folded = last.component.folded();
            last.is_end |= !pattern.wants_directories;
            last.ends_in_slash |= pattern.wants_directories;
        }
    }
}

/// A whole pattern, with or without braces.
#[derive(Debug)]
pub struct GlobPattern {
    /// The automata, each with its own walk; mostly one.
    pub(super) walks: Vec<Arc<PatternAutomaton>>,
}

impl GlobPattern {
    /// Reads a pattern. Its braces stand for alternatives, and the name as it is written is one of
    /// them.
    ///
    /// # Errors
    /// The text is not a pattern.
    pub fn parse(text: &[u8]) -> Result<Self, WildcardError> {
        Self::read(text, |pattern| vec![pattern.to_vec()])
    }

    /// Reads a pattern as models mean it: without a slash it matches at any depth, and brackets may
    /// be characters of a name as well.
    ///
    /// # Errors
    /// The text is not a pattern.
    pub fn parse_anywhere(text: &[u8]) -> Result<Self, WildcardError> {
        Self::read(text, |pattern| {
            let mut ways = vec![anywhere(pattern)];
            if pattern.contains(&b'[') {
                ways.push(escape_brackets(&ways[0]));
            }
            ways
        })
    }

    /// Reads a pattern, each of whose alternatives is written in these ways.
    fn read(text: &[u8], ways: impl Fn(&[u8]) -> Vec<Vec<u8>>) -> Result<Self, WildcardError> {
        if text.contains(&0) {
            return Err(WildcardError::Nul);
        }
        if text.len() > MAX_BRACE_PATTERN_BYTES {
            return Err(WildcardError::TooLong);
        }
        let mut alternatives = braces::alternatives(text).map_err(|_| WildcardError::TooMany)?;
        let too_long = |text: &[u8]| text.len() > MAX_PATTERN_BYTES;
        if alternatives.is_empty() || !too_long(text) {
            // The name as it is written is one of them.
            alternatives.push(text.to_owned());
        }
        if alternatives.iter().any(|one| too_long(one)) {
            return Err(WildcardError::TooLong);
        }
        let alternatives: Vec<Vec<u8>> = alternatives.iter().flat_map(|one| ways(one)).collect();
        let mut walks = [PatternAutomaton::default(), PatternAutomaton::default()];
        for alternative in &alternatives {
            let mut pattern = SplitPattern::parse(alternative);
            if alternatives.len() > 1 {
                // A directory that several patterns lead to is written in one way.
                pattern.root.truncate(1);
                for step in &mut pattern.steps {
                    step.slashes.truncate(1);
                }
            }
            let walk = &mut walks[usize::from(!pattern.root.is_empty())];
            walk.root.clone_from(&pattern.root);
            walk.add(pattern);
        }
        let mut walks = Vec::from(walks);
        walks.retain(|steps| !steps.all.is_empty() || steps.has_bare_root);
        let walks = walks.into_iter().map(Arc::new).collect();
        Ok(Self { walks })
    }
}

/// The pattern for the same names at any depth, if it names no directory.
fn anywhere(pattern: &[u8]) -> Vec<u8> {
    match pattern {
        b"" | b"." | b".." => pattern.to_vec(),
        _ if pattern.contains(&b'/') => pattern.to_vec(),
        _ => [b"**/", pattern].concat(),
    }
}

/// The pattern in which brackets are characters of a name.
fn escape_brackets(pattern: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(pattern.len() + 4);
    let mut bytes = pattern.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => escaped.extend(std::iter::once(byte).chain(bytes.next())),
            b'[' => escaped.extend(b"\\["),
            _ => escaped.push(*byte),
        }
    }
    escaped
}

/// The beginning of a pattern: names up to its first wildcard.
#[derive(Debug)]
pub struct PatternStart {
    /// The path that these names make.
    pub path: PathBuf,
    /// True if a `..` follows a wildcard.
    pub leads_up: bool,
}

/// Takes the beginning of each pattern that `text` stands for; empty if it stands for too many.
#[must_use]
pub fn pattern_starts(text: &[u8]) -> Vec<PatternStart> {
    let Ok(mut all) = braces::alternatives(text) else {
        return Vec::new();
    };
    let alternatives = all.len();
    all.push(text.to_owned());
    let start = |(index, pattern): (usize, &Vec<u8>)| {
        let SplitPattern { root, steps, .. } = SplitPattern::parse(pattern);
        let mut path = PathBuf::from(OsStr::from_bytes(&root));
        let (mut wild, mut leads_up) = (false, false);
        for step in &steps {
            match &step.component {
                PatternComponent::Name(name) if wild => leads_up |= name == b"..",
                PatternComponent::Name(name) => path.push(OsStr::from_bytes(name)),
                _ => wild = true,
            }
        }
        // Braces as a name hold the wildcards and the `..` of their alternatives.
        leads_up &= alternatives == 0 || index < alternatives;
        PatternStart { path, leads_up }
    };
    all.iter().enumerate().map(start).collect()
}
