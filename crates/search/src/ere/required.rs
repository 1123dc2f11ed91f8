//! Plain text that every match of a pattern holds, for finding the lines that
//! are worth a closer look. A line is the most that a match can span, so the text
//! may stand anywhere in the pattern.

use super::ast::PatternNode;

/// The bytes by which the text must be longer than one that the pattern starts with, because the
/// `regex` crate looks for that one by itself.
const MIN_EXTRA_BYTES: usize = 3;

/// Returns the longest text that every match holds, if looking for it first is likely to be faster
/// than leaving it all to the `regex` crate.
pub(super) fn required_text(node: &PatternNode) -> Option<&str> {
    let text = longest_text(node)?;
    let first = first_length(node);
    // A blank is in nearly every line.
    let worthwhile = if first == 0 {
        text != " "
    } else {
        text.len() >= first + MIN_EXTRA_BYTES
    };
    worthwhile.then_some(text)
}

/// Returns the longest text that every match holds.
pub(super) fn longest_text(node: &PatternNode) -> Option<&str> {
    match node {
        PatternNode::Literal { text, fold: false } if !text.contains('\n') => Some(text),
        PatternNode::Group(node) => longest_text(node),
        PatternNode::Repeat { node, min, .. } if *min > 0 => longest_text(node),
        PatternNode::Concat(nodes) => nodes
            .iter()
            .filter_map(longest_text)
            .max_by_key(|text| text.len()),
        _ => None,
    }
}

/// Returns the length in bytes of the shortest text that a match may start with; zero if a match
/// may start with one of several characters.
pub(super) fn first_length(node: &PatternNode) -> usize {
    match node {
        PatternNode::Literal { text, .. } => text.len(),
        PatternNode::Group(node) => first_length(node),
        PatternNode::Repeat { node, min, .. } if *min > 0 => first_length(node),
        PatternNode::Concat(nodes) => nodes
            .iter()
            .find(|node| !matches!(node, PatternNode::Assertion(_)))
            .map_or(0, first_length),
        PatternNode::Alternate(branches) => branches.iter().map(first_length).min().unwrap_or(0),
        _ => 0,
    }
}
