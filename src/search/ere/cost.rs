//! What a pattern costs at most, from its tree: how large it is, how many positions in it can be
//! active at once, and how short a match can be.

use super::PatternError;
use super::ast::{CharClass, Node};

/// How large a pattern may be: a character or an operator counts as one, a large class as 1000. It
/// bounds the memory that the pattern takes before it is compiled.
pub(super) const MAX_SIZE: usize = 1 << 18;
const LARGE_CLASS: usize = 1000;
const SMALL_CLASS: usize = 10;

/// How many positions a set counts for: a character has up to four bytes.
const CLASS: u64 = 4;

/// How many positions in the pattern an engine may have to look at for each byte of a line: the
/// number of characters once all counted repetitions are written out.
pub(super) fn positions(node: &Node) -> u64 {
    match node {
        Node::Empty | Node::Assertion(_) | Node::BackReference { .. } => 1,
        Node::Literal { text, .. } => text.len() as u64,
        Node::Set(_) | Node::Dot => CLASS,
        Node::Group(node) => positions(node),
        Node::Repeat { node, min, max } => {
            let times = max.unwrap_or(*min).max(1);
            positions(node)
                .saturating_mul(times.into())
                .saturating_add(1)
        }
        Node::Concat(nodes) | Node::Alternate(nodes) => nodes.iter().fold(1, |sum, node| {
            // One for the branch itself.
            sum.saturating_add(positions(node)).saturating_add(1)
        }),
    }
}

/// The length in bytes below which nothing matches.
pub(super) fn shortest(node: &Node) -> usize {
    match node {
        // The other case of a character may be shorter.
        Node::Literal { text, fold: true } => text.chars().count(),
        Node::Literal { text, fold: false } => text.len(),
        Node::Set(_) | Node::Dot => 1,
        Node::Group(node) => shortest(node),
        Node::Repeat { node, min, .. } => shortest(node).saturating_mul(*min as usize),
        Node::Concat(nodes) => nodes
            .iter()
            .fold(0, |sum, node| sum.saturating_add(shortest(node))),
        Node::Alternate(branches) => branches.iter().map(shortest).min().unwrap_or(0),
        Node::Empty | Node::Assertion(_) | Node::BackReference { .. } => 0,
    }
}

/// Refuses a pattern that is too large.
pub(super) fn check_size(node: &Node) -> Result<(), PatternError> {
    if size(node) > MAX_SIZE {
        return Err(PatternError::TooBig);
    }
    Ok(())
}

fn size(node: &Node) -> usize {
    let own = match node {
        Node::Literal { text, .. } => text.len(),
        Node::Set(set) => {
            let classes = set.classes.iter().chain(&set.complements);
            classes.fold(set.ranges.len(), |sum, class| sum + class_size(*class))
        }
        // `.*` as a whole is one operator.
        Node::Repeat {
            node,
            min: 0,
            max: None,
        } if **node == Node::Dot => 0,
        Node::Group(node) | Node::Repeat { node, .. } => size(node),
        Node::Concat(nodes) | Node::Alternate(nodes) => nodes.iter().map(size).sum(),
        Node::Empty | Node::Dot | Node::Assertion(_) | Node::BackReference { .. } => 0,
    };
    1 + own
}

fn class_size(class: CharClass) -> usize {
    match class {
        CharClass::Digit
        | CharClass::Xdigit
        | CharClass::Blank
        | CharClass::Space
        | CharClass::Cntrl => SMALL_CLASS,
        _ => LARGE_CLASS,
    }
}
