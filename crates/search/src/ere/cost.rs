//! The most that a pattern can cost, from its tree: its size, the number of positions in it that
//! can be active at once, and the shortest match.

use super::PatternError;
use super::ast::{CharClass, PatternNode};

/// The largest size of a pattern: a character or an operator counts as one, a large class as 1000.
/// It bounds the memory that the pattern takes before it is compiled.
pub(super) const MAX_SIZE: usize = 1 << 18;
const LARGE_CLASS_SIZE: usize = 1000;
const SMALL_CLASS_SIZE: usize = 10;

/// The number of positions that a set counts for, because a character has up to four bytes.
const CLASS_POSITIONS: u64 = 4;

/// Counts the positions in the pattern that an engine may have to look at for each byte of a line:
/// the characters, once all counted repetitions are written out.
pub(super) fn positions(node: &PatternNode) -> u64 {
    match node {
        PatternNode::Empty | PatternNode::Assertion(_) | PatternNode::BackReference { .. } => 1,
        PatternNode::Literal { text, .. } => text.len() as u64,
        PatternNode::Set(_) | PatternNode::Dot => CLASS_POSITIONS,
        PatternNode::Group(node) => positions(node),
        PatternNode::Repeat { node, min, max } => {
            let times = max.unwrap_or(*min).max(1);
            positions(node)
                .saturating_mul(times.into())
                .saturating_add(1)
        }
        PatternNode::Concat(nodes) | PatternNode::Alternate(nodes) => {
            nodes.iter().fold(1, |sum, node| {
                // One for the branch itself.
                sum.saturating_add(positions(node)).saturating_add(1)
            })
        }
    }
}

/// Returns the length in bytes below which nothing matches.
pub(super) fn shortest(node: &PatternNode) -> usize {
    match node {
        // The other case of a character may be shorter.
        PatternNode::Literal { text, fold: true } => text.chars().count(),
        PatternNode::Literal { text, fold: false } => text.len(),
        PatternNode::Set(_) | PatternNode::Dot => 1,
        PatternNode::Group(node) => shortest(node),
        PatternNode::Repeat { node, min, .. } => shortest(node).saturating_mul(*min as usize),
        PatternNode::Concat(nodes) => nodes
            .iter()
            .fold(0, |sum, node| sum.saturating_add(shortest(node))),
        PatternNode::Alternate(branches) => branches.iter().map(shortest).min().unwrap_or(0),
        PatternNode::Empty | PatternNode::Assertion(_) | PatternNode::BackReference { .. } => 0,
    }
}

/// Refuses a pattern that is too large.
pub(super) fn check_size(node: &PatternNode) -> Result<(), PatternError> {
    if size(node) > MAX_SIZE {
        return Err(PatternError::TooBig);
    }
    Ok(())
}

fn size(node: &PatternNode) -> usize {
    let size_of_node = match node {
        PatternNode::Literal { text, .. } => text.len(),
        PatternNode::Set(set) => {
            let classes = set.classes.iter().chain(&set.complements);
            classes.fold(set.ranges.len(), |sum, class| sum + class_size(*class))
        }
        // `.*` as a whole is one operator.
        PatternNode::Repeat {
            node,
            min: 0,
            max: None,
        } if **node == PatternNode::Dot => 0,
        PatternNode::Group(node) | PatternNode::Repeat { node, .. } => size(node),
        PatternNode::Concat(nodes) | PatternNode::Alternate(nodes) => nodes.iter().map(size).sum(),
        PatternNode::Empty
        | PatternNode::Dot
        | PatternNode::Assertion(_)
        | PatternNode::BackReference { .. } => 0,
    };
    1 + size_of_node
}

fn class_size(class: CharClass) -> usize {
    match class {
        CharClass::Digit
        | CharClass::Xdigit
        | CharClass::Blank
        | CharClass::Space
        | CharClass::Cntrl => SMALL_CLASS_SIZE,
        _ => LARGE_CLASS_SIZE,
    }
}
