//! Superscript (`sup`).

use html2md::Handle;

use super::super::dom::{self, ElementKind};
use super::{ElementExit, TreeWalk, annotation};
use iki_markdown::superscript::{MAX_BYTES, mark};

/// Maximum number of nodes read for it.
const MAX_NODES: usize = 16;

impl TreeWalk {
    /// Begins a superscript; `None` if its children are to be skipped.
    pub(super) fn enter_raised(&mut self, node: &Handle) -> Option<ElementExit> {
        if annotation::is_number(node) {
            return None;
        }
        let mark = text_of(node).and_then(|text| mark(self.flow.previous_char(), text.trim()));
        if let Some(mark) = mark {
            self.flow.add_text(mark);
        }
        Some(ElementExit::Text(if mark == Some("^(") { ")" } else { "" }))
    }
}

/// Returns the text of an element, if it is short and contains no link. A power of a power gets
/// brackets.
fn text_of(node: &Handle) -> Option<String> {
    let is_raised = |child: &Handle| dom::kind(child) == Some(ElementKind::Raised);
    let mark = if node.children.borrow().iter().any(is_raised) {
        "^"
    } else {
        ""
    };
    Some(dom::short_text(node, MAX_NODES, MAX_BYTES, ElementKind::Link)? + mark)
}
