//! Annotations within a line, in brackets: the reading of a ruby text, where the page has none for
//! it, and the footnotes of `LaTeXML`, which are in the sentence with their number twice.
//!
//! Rules: HTML Living Standard, `rt` and `rp`; the classes of `LaTeXML`'s `ltx_note`.

use html2md::{Handle, NodeData};

use super::super::dom;
use super::{ElementExit, TreeWalk};

/// Class around the text of a footnote.
const NOTE_CLASS: &str = "ltx_note_outer";

/// Classes of a footnote's number.
const NOTE_NUMBER_CLASSES: [&str; 2] = ["ltx_note_mark", "ltx_tag_note"];

/// Beginnings of the classes of formulas: of Sphinx and Pandoc, `MkDocs` and Doxygen.
const FORMULA_CLASSES: [&str; 3] = ["math", "arithmatex", "formula"];

/// True for the `class` of a formula.
pub(crate) fn is_formula(class: &str) -> bool {
    FORMULA_CLASSES.iter().any(|known| class.starts_with(known))
}

/// True for a `class` that has a meaning here.
pub(crate) fn counts(class: &str) -> bool {
    class.starts_with("ltx_")
        && [NOTE_CLASS, NOTE_NUMBER_CLASSES[0], NOTE_NUMBER_CLASSES[1]]
            .iter()
            .any(|known| class.contains(known))
}

/// True for the number of a footnote whose text follows.
pub(super) fn is_number(node: &Handle) -> bool {
    NOTE_NUMBER_CLASSES
        .iter()
        .any(|number| has_class(node, number))
}

impl TreeWalk {
    /// Begins an inline element; `None` if its children are to be skipped.
    pub(super) fn enter_inline(&mut self, node: &Handle) -> Option<ElementExit> {
        if is_number(node) {
            return None;
        }
        let before = self.flow.previous_char();
        let start = match dom::name(node) {
            "rt" if says_something(node) && !before.is_some_and(|c| "(（[【《「".contains(c)) => {
                "("
            }
            "span" if has_class(node, NOTE_CLASS) => " (",
            _ => return Some(ElementExit::Text("")),
        };
        self.flow.add_text(start);
        Some(ElementExit::Text(")"))
    }
}

fn has_class(node: &Handle, class: &str) -> bool {
    let classes = dom::attribute(node, "class").unwrap_or_default();
    classes.split_ascii_whitespace().any(|word| word == class)
}

fn says_something(node: &Handle) -> bool {
    node.children
        .borrow()
        .iter()
        .any(|child| match &child.data {
            NodeData::Text { contents } => !contents.borrow().trim().is_empty(),
            _ => true,
        })
}
