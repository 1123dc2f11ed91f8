//! A smaller tree that finds the same lines. Only whether a line matches is ever asked, never
//! where: so a group need not capture where no back-reference names it, and what may be absent at
//! either end of a pattern can be left out.

use super::ast::{Assertion, PatternNode, repeat};

/// The tree without groups, empty parts and doubled repetitions. Only for a tree
/// without back-references.
pub(super) fn simplify(node: PatternNode) -> PatternNode {
    let node = trim(flatten(node), PatternEnd::First);
    flatten(trim(node, PatternEnd::Last))
}

/// The tree with any run of characters in place of each back-reference: it finds
/// at least the same lines.
pub(super) fn loosen(node: &PatternNode) -> PatternNode {
    let all = |nodes: &[PatternNode]| nodes.iter().map(loosen).collect();
    match node {
        PatternNode::BackReference { .. } => repeat(PatternNode::Dot, 0, None),
        PatternNode::Group(node) => loosen(node),
        PatternNode::Repeat { node, min, max } => repeat(loosen(node), *min, *max),
        PatternNode::Concat(nodes) => PatternNode::Concat(all(nodes)),
        PatternNode::Alternate(branches) => PatternNode::Alternate(all(branches)),
        node => node.clone(),
    }
}

/// True if the pattern matches every line.
pub(super) fn matches_every_line(node: &PatternNode) -> bool {
    match node {
        PatternNode::Assertion(Assertion::LineStart | Assertion::LineEnd) => true,
        PatternNode::Alternate(branches) => branches.iter().any(matches_every_line),
        node => nullable(node),
    }
}

/// True if the node matches the empty string anywhere.
fn nullable(node: &PatternNode) -> bool {
    match node {
        PatternNode::Empty => true,
        PatternNode::Group(node) => nullable(node),
        PatternNode::Repeat { node, min, .. } => *min == 0 || nullable(node),
        PatternNode::Concat(nodes) => nodes.iter().all(nullable),
        PatternNode::Alternate(branches) => branches.iter().any(nullable),
        _ => false,
    }
}

/// True if every match of the node holds a line feed, which no line does.
pub(super) fn wants_line_feed(node: &PatternNode) -> bool {
    match node {
        PatternNode::Literal { text, .. } => text.contains('\n'),
        PatternNode::Group(node) => wants_line_feed(node),
        PatternNode::Repeat { node, min, .. } => *min > 0 && wants_line_feed(node),
        PatternNode::Concat(nodes) => nodes.iter().any(wants_line_feed),
        PatternNode::Alternate(branches) => branches.iter().all(wants_line_feed),
        _ => false,
    }
}

fn flatten(node: PatternNode) -> PatternNode {
    match node {
        PatternNode::Group(node) => flatten(*node),
        PatternNode::Repeat { max: Some(0), .. } => PatternNode::Empty,
        PatternNode::Repeat { node, min, max } => match flatten(*node) {
            PatternNode::Empty => PatternNode::Empty,
            node => repeat_counts(node, min, max),
        },
        PatternNode::Concat(nodes) => {
            let mut flat = Vec::with_capacity(nodes.len());
            for node in nodes {
                match flatten(node) {
                    PatternNode::Concat(nodes) => {
                        for node in nodes {
                            push(&mut flat, node);
                        }
                    }
                    node => push(&mut flat, node),
                }
            }
            concat(flat)
        }
        PatternNode::Alternate(branches) => {
            let mut flat = Vec::with_capacity(branches.len());
            for branch in branches {
                match flatten(branch) {
                    PatternNode::Alternate(branches) => flat.extend(branches),
                    branch => flat.push(branch),
                }
            }
            PatternNode::Alternate(flat)
        }
        node => node,
    }
}

/// As `repeat`, with one count in place of two where the product leaves no number out:
/// `(a{50}){50}` is `a{2500}`, but `(a{2}){1,3}` never matches exactly three.
fn repeat_counts(node: PatternNode, min: u32, max: Option<u32>) -> PatternNode {
    let PatternNode::Repeat {
        node: inner,
        min: low,
        max: high,
    } = node
    else {
        return repeat(node, min, max);
    };
    let dense = max == Some(min)
        || high.is_none_or(|high| {
            u64::from(high) * u64::from(min) + 1 >= u64::from(low) * (u64::from(min) + 1)
        });
    let product = low.checked_mul(min);
    let highest = match (high, max) {
        (Some(high), Some(max)) => high.checked_mul(max).map(Some),
        _ => Some(None),
    };
    match (product, highest) {
        (Some(product), Some(highest)) if dense && min > 0 => repeat(*inner, product, highest),
        _ => {
            let node = PatternNode::Repeat {
                node: inner,
                min: low,
                max: high,
            };
            repeat(node, min, max)
        }
    }
}

fn push(nodes: &mut Vec<PatternNode>, node: PatternNode) {
    match (nodes.last_mut(), node) {
        (_, PatternNode::Empty) => {}
        (
            Some(PatternNode::Literal { text, fold }),
            PatternNode::Literal {
                text: more,
                fold: also,
            },
        ) if *fold == also => {
            text.push_str(&more);
        }
        (_, node) => nodes.push(node),
    }
}

fn concat(mut nodes: Vec<PatternNode>) -> PatternNode {
    match nodes.len() {
        0 => PatternNode::Empty,
        1 => nodes.remove(0),
        _ => PatternNode::Concat(nodes),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PatternEnd {
    First,
    Last,
}

/// Takes from one end of the pattern what may be absent there: a match with it
/// holds a match without it, in the same line.
fn trim(node: PatternNode, end: PatternEnd) -> PatternNode {
    match node {
        PatternNode::Repeat { min: 0, .. } => PatternNode::Empty,
        PatternNode::Repeat { node, min: 1, .. } => trim(*node, end),
        PatternNode::Repeat { node, min, .. } => repeat(*node, min, Some(min)),
        PatternNode::Alternate(branches) => {
            PatternNode::Alternate(branches.into_iter().map(|node| trim(node, end)).collect())
        }
        PatternNode::Concat(mut nodes) => {
            if end == PatternEnd::First {
                nodes.reverse();
            }
            // The end is now the last one.
            while let Some(node) = nodes.pop() {
                if any_run_to_line_end(&node, nodes.last(), end) {
                    nodes.pop();
                    continue;
                }
                let node = trim(node, end);
                if node != PatternNode::Empty {
                    nodes.push(node);
                    break;
                }
            }
            if end == PatternEnd::First {
                nodes.reverse();
            }
            concat(nodes)
        }
        node => node,
    }
}

/// True if this is `^` before `.*`, or `$` after it.
fn any_run_to_line_end(node: &PatternNode, inner: Option<&PatternNode>, end: PatternEnd) -> bool {
    let anchor = match end {
        PatternEnd::First => Assertion::LineStart,
        PatternEnd::Last => Assertion::LineEnd,
    };
    *node == PatternNode::Assertion(anchor)
        && inner.is_some_and(|inner| match inner {
            PatternNode::Repeat {
                node,
                min: 0,
                max: None,
            } => **node == PatternNode::Dot,
            _ => false,
        })
}
