//! Text that React streams late, moved in the tree to where the page's own script would put it.
//!
//! Rules: `ReactDOMServer` of React 18 and 19, as Next.js and others use it. Content that is not
//! ready leaves `<!--$?--><template id="B:0"></template>`, a placeholder and `<!--/$-->`; it comes
//! later as `<div hidden id="S:0">…</div>` with a script that calls `$RC("B:0","S:0")` (`$RR` if it
//! waits for styles). A part of such content leaves `<template id="P:1"></template>` and comes with
//! `$RS("S:1","P:1")`. Rows and cells come in a hidden table. An `identifierPrefix` stands before
//! each of these names (`R1B:a`).
//!
//! Each late piece is used once, so that the page does not become longer and cycles end.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use html2md::{Handle, NodeData, RcDom};
use memchr::memmem;

use super::dom;
use super::reveal::parent_of;

/// Maximum depth of a slot in the tree, because what comes there may be as deep again.
const MAX_DEPTH: usize = 512;

/// Maximum number of nodes among which the ends of placeholders are looked for.
const MAX_STEPS: usize = 1 << 20;

/// Maximum length of what stands before the name of a piece, in bytes.
const MAX_PREFIX_BYTES: usize = 64;

/// True if late pieces may be in a page.
pub(super) fn is_streamed(page: &str) -> bool {
    let bytes = page.as_bytes();
    memmem::find_iter(bytes, b"S:").any(|offset| {
        let before = &bytes[offset.saturating_sub(MAX_PREFIX_BYTES)..offset];
        let quote = memchr::memrchr(b'"', before);
        bytes.get(offset + 2).is_some_and(u8::is_ascii_hexdigit)
            && quote.is_some_and(|quote| before[..quote].ends_with(b"id="))
    })
}

/// True for an id of a late piece or of a slot.
pub(super) fn names_part(id: &str) -> bool {
    ["S:", "B:", "P:"].iter().any(|mark| id.contains(mark))
}

/// True for the text of a comment at the beginning or the end of a boundary.
pub(super) fn is_boundary(comment: &str) -> bool {
    matches!(comment, "$" | "$?" | "$!" | "$~" | "/$")
}

/// The late pieces of a page.
struct StreamedPieces<'a> {
    /// Pieces by their ids until they are used.
    pieces: HashMap<String, Handle>,
    /// The ids of the pieces for slots, as the scripts pair them.
    wanted: HashMap<&'a str, &'a str>,
    /// The pieces that are for a slot.
    moving: HashSet<String>,
    steps: usize,
}

/// Moves the late pieces of a page to their slots.
pub(super) fn assemble(page: &str, tree: &RcDom) {
    let mut streamed = StreamedPieces {
        pieces: HashMap::new(),
        wanted: find_slot_pieces(page),
        moving: HashSet::new(),
        steps: MAX_STEPS,
    };
    let mut slots = Vec::new();
    for node in dom::nodes_within(&tree.document, |_| true) {
        let Some(id) = dom::attribute(&node, "id") else {
            continue;
        };
        if dom::name(&node) == "template" {
            slots.push(id);
        } else if id.contains("S:") && comes_late(&node) {
            streamed.pieces.insert(id, node);
        }
    }
    let moving = slots.iter().filter_map(|slot| streamed.piece_for(slot));
    streamed.moving = moving.collect();
    let mut open = vec![(Rc::clone(&tree.document), 0)];
    while let Some((node, depth)) = open.pop() {
        if depth < MAX_DEPTH {
            streamed.fill(&node);
            let children = node.children.borrow();
            open.extend(children.iter().map(|child| (Rc::clone(child), depth + 1)));
        }
    }
}

impl StreamedPieces<'_> {
    /// Returns the id of the piece for a slot.
    fn piece_for(&self, slot: &str) -> Option<String> {
        let piece = if let Some(piece) = self.wanted.get(slot) {
            (*piece).to_owned()
        } else {
            // Without a script, equal numbers pair them.
            let parts = slot.rsplit_once("B:").or_else(|| slot.rsplit_once("P:"));
            let (before, number) = parts?;
            format!("{before}S:{number}")
        };
        (self.pieces.contains_key(&piece) || self.moving.contains(&piece)).then_some(piece)
    }

    /// Replaces the slots among the children of a node, and removes the pieces that are for a slot.
    fn fill(&mut self, parent: &Handle) {
        let concerns = |node: &Handle| {
            let moves = |id: String| self.moving.contains(&id);
            dom::name(node) == "template" || dom::attribute(node, "id").is_some_and(moves)
        };
        if !parent.children.borrow().iter().any(concerns) {
            return;
        }
        let mut unfilled = parent.children.take();
        unfilled.reverse();
        let mut filled: Vec<Handle> = Vec::with_capacity(unfilled.len());
        while let Some(child) = unfilled.pop() {
            let id = dom::attribute(&child, "id").unwrap_or_default();
            if dom::name(&child) != "template" {
                if !self.moving.contains(&id) {
                    child.parent.set(Some(Rc::downgrade(parent)));
                    filled.push(child);
                }
                continue;
            }
            let piece = self.piece_for(&id);
            let Some(piece) = piece.and_then(|piece| self.pieces.remove(&piece)) else {
                continue;
            };
            // A boundary ends with its own comment and includes its placeholder.
            if id.contains("B:") {
                self.skip_placeholder(&mut unfilled);
            }
            unfilled.extend(piece.children.take().into_iter().rev());
        }
        parent.children.replace(filled);
    }

    /// Removes the nodes up to the end of the boundary that has begun; the last one is the next.
    fn skip_placeholder(&mut self, unfilled: &mut Vec<Handle>) {
        let mut open = 0;
        for (index, node) in unfilled.iter().enumerate().rev() {
            if self.steps == 0 {
                return;
            }
            self.steps -= 1;
            if comment(node).is_some_and(|text| text.starts_with('$')) {
                open += 1;
            } else if comment(node) == Some("/$") {
                if open == 0 {
                    unfilled.truncate(index + 1);
                    return;
                }
                open -= 1;
            }
        }
    }
}

/// Returns the text of a comment.
fn comment(node: &Handle) -> Option<&str> {
    match &node.data {
        NodeData::Comment { contents } => Some(contents),
        _ => None,
    }
}

/// True if an element is hidden, or a row or a part of a hidden table.
fn comes_late(node: &Handle) -> bool {
    if dom::is_hidden(node) {
        return true;
    }
    let mut around = parent_of(node);
    while let Some(node) = around {
        match dom::name(&node) {
            "tbody" | "thead" | "tfoot" | "tr" => around = parent_of(&node),
            name => return name == "table" && dom::is_hidden(&node),
        }
    }
    false
}

/// Returns the id of the piece for each slot, as the scripts pair them.
fn find_slot_pieces(page: &str) -> HashMap<&str, &str> {
    let mut wanted = HashMap::new();
    for call in page.split("$R").skip(1) {
        let turned = match call.as_bytes() {
            [b'C' | b'R', b'(', ..] => false,
            [b'S', b'(', ..] => true,
            _ => continue,
        };
        let mut quoted = call[2..].splitn(5, '"');
        let parts = std::array::from_fn(|_| quoted.next());
        if let [Some(""), Some(first), Some(","), Some(second), Some(_)] = parts {
            let (slot, piece) = if turned {
                (second, first)
            } else {
                (first, second)
            };
            wanted.entry(slot).or_insert(piece);
        }
    }
    wanted
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::super::prefilter::{self, WantedContent};
    use super::super::source::{HtmlSource, PageSyntax, StageDeadlines};
    use super::*;

    /// Returns the visible elements and texts of a page with its late pieces in their slots.
    fn assembled(page: &str) -> String {
        let source = HtmlSource {
            page,
            base: &Url::parse("https://example.com/").unwrap(),
            syntax: PageSyntax::Html,
            ends: StageDeadlines::default(),
        };
        let (tree, ..) = prefilter::build(&source, WantedContent::Shown);
        let mut out = String::new();
        let mut open = vec![(Rc::clone(&tree.document), true)];
        while let Some((node, begins)) = open.pop() {
            if let (NodeData::Text { contents }, true) = (&node.data, begins) {
                out.push_str(&contents.borrow());
            }
            let name = dom::name(&node);
            if name == "template" || dom::is_hidden(&node) {
                continue;
            }
            if !matches!(name, "" | "html" | "head" | "body") {
                out.extend([if begins { "<" } else { "</" }, name, ">"]);
            }
            if begins {
                open.push((Rc::clone(&node), false));
                let children = node.children.borrow();
                open.extend(children.iter().rev().map(|child| (Rc::clone(child), true)));
            }
        }
        out
    }

    #[test]
    fn late_text_stands_where_its_template_stood() {
        for (page, wanted) in [
            (
                r#"a<!--$?--><template id="B:0"></template><p>wait</p><!--/$-->b<div hidden id="S:0"><p>c<div>d</div></div>e<script>$RC("B:0","S:0")</script>"#,
                "a<p>c</p><div>d</div>be",
            ),
            (
                r#"<!--$?--><template id="B:1"></template><!--/$--><div hidden id="S:3">a<template id="P:4"></template>b</div><script>$RC("B:1","S:3")</script><div hidden id="S:4">c</div><script>$RS("S:4","P:4")</script>"#,
                "acb",
            ),
            (
                r#"<body><!--$?--><template id="B:0"></template>w<!--$-->x<!--/$--><!--/$--><div hidden id="S:0">a<!--$?--><template id="B:1"></template>w<!--/$--></div><div hidden id="S:1">b</div>"#,
                "ab",
            ),
            (
                r#"<table><tbody><!--$?--><template id="B:0"></template><!--/$--></tbody></table><table hidden><tbody id="S:0"><tr><td>x</tbody></table>"#,
                "<table><tbody><tr><td>x</td></tr></tbody></table>",
            ),
            (
                r#"<table><tr><td>a</td><template id="P:1"></template></tr></table><table hidden><tr id="S:1"><td>x</table>"#,
                "<table><tbody><tr><td>a</td><td>x</td></tr></tbody></table>",
            ),
            // With an identifierPrefix.
            (
                r#"a<!--$?--><template id="R1B:a"></template>w<!--/$-->b<div hidden id="R1S:a">c<template id="R1P:b"></template></div><script>$RC("R1B:a","R1S:a")</script><div hidden id="R1S:b">d</div><script>$RS("R1S:b","R1P:b")</script>"#,
                "acdb",
            ),
            (
                r#"a<template id="my-app-B:0"></template>b<div hidden id="my-app-S:0">c</div>"#,
                "acb",
            ),
            // Text that looks like an end tag in an attribute or a comment does not end it.
            (
                r#"a<template id="B:0"></template>b<div hidden id="S:0" title=</div><p title="</div>">c<!-- </div> -->d</div>e"#,
                "a<p>cd</p>be",
            ),
            // Nor does text that looks like a piece in an attribute hide those after it.
            (
                r#"<div title='<div hidden id="S:1">'></div><template id="B:0"></template><div hidden id="S:0">c</div>"#,
                "<div></div>c",
            ),
            // Without a script that pairs them.
            (
                r#"a<template id="P:2"></template>b<div hidden id="S:2">c</div>"#,
                "acb",
            ),
        ] {
            assert_eq!(assembled(page), wanted, "{page}");
        }
    }

    #[test]
    fn a_page_that_only_looks_like_it_stays_as_it_is() {
        for (page, wanted) in [
            (r#"<p id="S:0">a</p>"#, "<p>a</p>"),
            (r#"<div hidden id="S:0">a</div>b"#, "b"),
            (
                r#"b<div hidden id="S:0">a<script>$RC("B:0","S:0")</script>"#,
                "b",
            ),
            (r#"b<script>$RC("B:0</script>"#, "b"),
        ] {
            assert_eq!(assembled(page), wanted, "{page}");
        }
    }

    #[test]
    fn no_page_becomes_longer_by_it_however_its_pieces_are_nested() {
        let circle = r#"<!--$?--><template id="B:0"></template><!--/$--><div hidden id="S:0"><!--$?--><template id="B:1"></template><!--/$--></div><div hidden id="S:1">x<!--$?--><template id="B:0"></template><!--/$--></div>"#;
        assert_eq!(assembled(circle), "x");
        let many = r#"<template id="B:0"></template><div hidden id="S:0">"#.repeat(20_000);
        assert_eq!(assembled(&many), "");
        let numbered = (0..5000).fold(String::new(), |page, n| {
            page + &format!(
                r#"<div hidden id="S:{n}">w<!--$?--><template id="B:{}"></template><!--/$--></div><script>$RC("B:{n}","S:{n}")</script>"#,
                n + 1
            )
        });
        let page = format!(r#"<!--$?--><template id="B:0"></template><!--/$-->{numbered}"#);
        assert_eq!(assembled(&page), "w".repeat(5000));
    }

    #[test]
    fn no_page_becomes_much_deeper_by_it() {
        let (open, close) = ("<div>w".repeat(100), "</div>".repeat(100));
        let page = (0..200).fold("<body>".to_owned() + &slot(0), |page, n| {
            page + &format!(
                r#"<div hidden id="S:{n}">{open}{}{close}</div>"#,
                slot(n + 1)
            )
        });
        let written = assembled(&page);
        let (mut depth, mut deepest) = (0_usize, 0);
        for part in written.split('<') {
            if part.starts_with('/') {
                depth -= 1;
            } else if part.contains('>') {
                depth += 1;
            }
            deepest = deepest.max(depth);
        }
        assert!(deepest > MAX_DEPTH && deepest < 3 * MAX_DEPTH, "{deepest}");
    }

    fn slot(number: usize) -> String {
        format!(r#"<template id="B:{number}"></template>"#)
    }
}
