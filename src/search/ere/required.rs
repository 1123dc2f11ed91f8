//! Plain text that every match of a pattern holds, for finding the lines that
//! are worth a closer look. A line is the most that a match can span, so the text
//! may stand anywhere in the pattern.

use super::ast::Node;

/// How much longer, in bytes, the text must be than one that the pattern starts with: the `regex`
/// crate looks for that one by itself.
const BETTER_BY: usize = 3;

/// The longest text that every match holds, where looking for it first is likely
/// to be faster than leaving it all to the `regex` crate.
pub(super) fn required(node: &Node) -> Option<&str> {
    let text = longest(node)?;
    let first = first(node);
    // A blank is in nearly every line.
    let worthwhile = if first == 0 {
        text != " "
    } else {
        text.len() >= first + BETTER_BY
    };
    worthwhile.then_some(text)
}

/// The longest text that every match holds.
pub(super) fn longest(node: &Node) -> Option<&str> {
    match node {
        Node::Literal { text, fold: false } if !text.contains('\n') => Some(text),
        Node::Group(node) => longest(node),
        Node::Repeat { node, min, .. } if *min > 0 => longest(node),
        Node::Concat(nodes) => nodes
            .iter()
            .filter_map(longest)
            .max_by_key(|text| text.len()),
        _ => None,
    }
}

/// The length of the shortest text that a match may start with, in bytes; zero where a match may
/// start with one of several characters.
pub(super) fn first(node: &Node) -> usize {
    match node {
        Node::Literal { text, .. } => text.len(),
        Node::Group(node) => first(node),
        Node::Repeat { node, min, .. } if *min > 0 => first(node),
        Node::Concat(nodes) => nodes
            .iter()
            .find(|node| !matches!(node, Node::Assertion(_)))
            .map_or(0, first),
        Node::Alternate(branches) => branches.iter().map(first).min().unwrap_or(0),
        _ => 0,
    }
}
