//! A smaller tree that finds the same lines. Only whether a line matches is ever asked, never
//! where: so a group need not capture where no back-reference names it, and what may be absent at
//! either end of a pattern can be left out.

use super::ast::{Assertion, Node, repeat};

/// The tree without groups, empty parts and doubled repetitions. Only for a tree
/// without back-references.
pub(super) fn simplify(node: Node) -> Node {
    let node = trim(flatten(node), PatternEnd::First);
    flatten(trim(node, PatternEnd::Last))
}

/// The tree with any run of characters in place of each back-reference: it finds
/// at least the same lines.
pub(super) fn loosen(node: &Node) -> Node {
    let all = |nodes: &[Node]| nodes.iter().map(loosen).collect();
    match node {
        Node::BackReference { .. } => repeat(Node::Dot, 0, None),
        Node::Group(node) => loosen(node),
        Node::Repeat { node, min, max } => repeat(loosen(node), *min, *max),
        Node::Concat(nodes) => Node::Concat(all(nodes)),
        Node::Alternate(branches) => Node::Alternate(all(branches)),
        node => node.clone(),
    }
}

/// Says whether the pattern matches every line there is.
pub(super) fn always(node: &Node) -> bool {
    match node {
        Node::Assertion(Assertion::LineStart | Assertion::LineEnd) => true,
        Node::Alternate(branches) => branches.iter().any(always),
        node => nullable(node),
    }
}

/// Says whether the node matches the empty string anywhere.
fn nullable(node: &Node) -> bool {
    match node {
        Node::Empty => true,
        Node::Group(node) => nullable(node),
        Node::Repeat { node, min, .. } => *min == 0 || nullable(node),
        Node::Concat(nodes) => nodes.iter().all(nullable),
        Node::Alternate(branches) => branches.iter().any(nullable),
        _ => false,
    }
}

/// Says whether every match of the node holds a line feed, which no line does.
pub(super) fn wants_line_feed(node: &Node) -> bool {
    match node {
        Node::Literal { text, .. } => text.contains('\n'),
        Node::Group(node) => wants_line_feed(node),
        Node::Repeat { node, min, .. } => *min > 0 && wants_line_feed(node),
        Node::Concat(nodes) => nodes.iter().any(wants_line_feed),
        Node::Alternate(branches) => branches.iter().all(wants_line_feed),
        _ => false,
    }
}

fn flatten(node: Node) -> Node {
    match node {
        Node::Group(node) => flatten(*node),
        Node::Repeat { max: Some(0), .. } => Node::Empty,
        Node::Repeat { node, min, max } => match flatten(*node) {
            Node::Empty => Node::Empty,
            node => repeat_counts(node, min, max),
        },
        Node::Concat(nodes) => {
            let mut flat = Vec::with_capacity(nodes.len());
            for node in nodes {
                match flatten(node) {
                    Node::Concat(nodes) => nodes.into_iter().for_each(|node| push(&mut flat, node)),
                    node => push(&mut flat, node),
                }
            }
            concat(flat)
        }
        Node::Alternate(branches) => {
            let mut flat = Vec::with_capacity(branches.len());
            for branch in branches {
                match flatten(branch) {
                    Node::Alternate(branches) => flat.extend(branches),
                    branch => flat.push(branch),
                }
            }
            Node::Alternate(flat)
        }
        node => node,
    }
}

/// As `repeat`, with one count in place of two where the product leaves no number out:
/// `(a{50}){50}` is `a{2500}`, but `(a{2}){1,3}` never matches exactly three.
fn repeat_counts(node: Node, min: u32, max: Option<u32>) -> Node {
    let Node::Repeat {
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
    let most = match (high, max) {
        (Some(high), Some(max)) => high.checked_mul(max).map(Some),
        _ => Some(None),
    };
    match (product, most) {
        (Some(product), Some(most)) if dense && min > 0 => repeat(*inner, product, most),
        _ => {
            let node = Node::Repeat {
                node: inner,
                min: low,
                max: high,
            };
            repeat(node, min, max)
        }
    }
}

fn push(nodes: &mut Vec<Node>, node: Node) {
    match (nodes.last_mut(), node) {
        (_, Node::Empty) => {}
        (
            Some(Node::Literal { text, fold }),
            Node::Literal {
                text: more,
                fold: also,
            },
        ) if *fold == also => {
            text.push_str(&more);
        }
        (_, node) => nodes.push(node),
    }
}

fn concat(mut nodes: Vec<Node>) -> Node {
    match nodes.len() {
        0 => Node::Empty,
        1 => nodes.remove(0),
        _ => Node::Concat(nodes),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PatternEnd {
    First,
    Last,
}

/// Takes from one end of the pattern what may be absent there: a match with it
/// holds a match without it, in the same line.
fn trim(node: Node, end: PatternEnd) -> Node {
    match node {
        Node::Repeat { min: 0, .. } => Node::Empty,
        Node::Repeat { node, min: 1, .. } => trim(*node, end),
        Node::Repeat { node, min, .. } => repeat(*node, min, Some(min)),
        Node::Alternate(branches) => {
            Node::Alternate(branches.into_iter().map(|node| trim(node, end)).collect())
        }
        Node::Concat(mut nodes) => {
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
                if node != Node::Empty {
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

/// Says whether this is `^` before `.*`, or `$` after it.
fn any_run_to_line_end(node: &Node, inner: Option<&Node>, end: PatternEnd) -> bool {
    let anchor = match end {
        PatternEnd::First => Assertion::LineStart,
        PatternEnd::Last => Assertion::LineEnd,
    };
    *node == Node::Assertion(anchor)
        && inner.is_some_and(|inner| match inner {
            Node::Repeat {
                node,
                min: 0,
                max: None,
            } => **node == Node::Dot,
            _ => false,
        })
}
