//! A pattern as a tree (POSIX XBD 9.5.3, the grammar of extended expressions).

pub(super) use crate::classes::CharClass;

/// Maximum number of repetitions in an interval: glibc's `RE_DUP_MAX`.
pub(super) const MAX_REPETITIONS: u32 = 0x7fff;

/// Maximum number of levels of groups in a pattern, and of repetitions of repetitions: they bound
/// the stack of every recursion over the tree.
pub(super) const MAX_DEPTH: usize = 64;
pub(super) const MAX_STACKED: usize = 4;

/// One node of a pattern.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum PatternNode {
    /// Matches the empty string.
    Empty,
    /// These characters, one after another; `fold` ignores case.
    Literal { text: String, fold: bool },
    /// One character of a set.
    Set(CharSet),
    /// Any one character.
    Dot,
    /// A position between two characters.
    Assertion(Assertion),
    /// A group that captures, and that a back-reference may name.
    Group(Box<PatternNode>),
    /// `min` to `max` times the node; no `max` is any number.
    Repeat {
        node: Box<PatternNode>,
        min: u32,
        max: Option<u32>,
    },
    /// One after another.
    Concat(Vec<PatternNode>),
    /// One of them.
    Alternate(Vec<PatternNode>),
    /// The text that group `group`, from 1, matched.
    BackReference { group: u32, fold: bool },
}

/// A position between two characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Assertion {
    LineStart,
    LineEnd,
    WordBoundary,
    NotWordBoundary,
    WordStart,
    WordEnd,
}

/// A set of characters, as a bracket expression or a class escape names it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct CharSet {
    pub is_negated: bool,
    /// Ignore case.
    pub ignores_case: bool,
    /// First and last character of each range.
    pub ranges: Vec<(char, char)>,
    pub classes: Vec<CharClass>,
    /// Classes whose complement belongs to the set: `[\S]`.
    pub complements: Vec<CharClass>,
}

impl CharSet {
    /// The set of one class, or of all other characters.
    pub(super) fn from_class(class: CharClass, is_negated: bool) -> Self {
        Self {
            is_negated,
            classes: vec![class],
            ..Self::default()
        }
    }

    /// Returns the only character of the set; `None` if it may have more.
    pub(super) fn single(&self) -> Option<char> {
        match self.ranges[..] {
            [(first, last)]
                if first == last
                    && !self.is_negated
                    && self.classes.is_empty()
                    && self.complements.is_empty() =>
            {
                Some(first)
            }
            _ => None,
        }
    }
}

/// Repeats `node`; a repetition of a repetition becomes one where it means the same.
pub(super) fn repeat(node: PatternNode, min: u32, max: Option<u32>) -> PatternNode {
    let simple = |min: u32, max: Option<u32>| min <= 1 && max.is_none_or(|max| max == 1);
    match node {
        node if (min, max) == (1, Some(1)) => node,
        PatternNode::Repeat {
            node,
            min: inner_min,
            max: inner_max,
        } if simple(min, max) && simple(inner_min, inner_max) => PatternNode::Repeat {
            node,
            min: min * inner_min,
            max: max.and(inner_max),
        },
        node => PatternNode::Repeat {
            node: Box::new(node),
            min,
            max,
        },
    }
}

/// Counts the levels of repetitions of repetitions at the top of `node`.
pub(super) fn stacked(mut node: &PatternNode) -> usize {
    let mut count = 0;
    while let PatternNode::Repeat { node: inner, .. } = node {
        node = inner;
        count += 1;
    }
    count
}
