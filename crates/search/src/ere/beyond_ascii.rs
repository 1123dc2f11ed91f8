//! Patterns that ask for characters beyond ASCII, which text in other encodings has in other bytes.
//!
//! Rules: the decisions on other encodings. A set asks for them too if it leaves out all of ASCII
//! that is printed (`[^\x00-\x7F]`, `[^ -~]`); one that only takes them as well (`[^"]`) does not.

use super::ast::{CharSet, PatternNode};
use super::{classes, parser};

/// True if `pattern` asks for characters beyond ASCII: by themselves, by number, by property or by
/// a set of all others.
#[must_use]
pub fn reaches_beyond_ascii(pattern: &str) -> bool {
    parser::parse(pattern).is_ok_and(|parsed| is_beyond(&parsed.node))
}

fn is_beyond(node: &PatternNode) -> bool {
    match node {
        PatternNode::Literal { text, .. } => !text.is_ascii(),
        PatternNode::Set(set) => is_set_beyond(set),
        PatternNode::Group(node) | PatternNode::Repeat { node, .. } => is_beyond(node),
        PatternNode::Concat(nodes) | PatternNode::Alternate(nodes) => nodes.iter().any(is_beyond),
        _ => false,
    }
}

fn is_set_beyond(set: &CharSet) -> bool {
    if set.ranges.iter().any(|(_, last)| !last.is_ascii()) {
        return true;
    }
    let has_printed = || {
        let members = classes::members(set);
        let mut ranges = members.iter();
        ranges.any(|range| range.start() <= '~' && range.end() >= ' ')
    };
    set.is_negated && !has_printed()
}
