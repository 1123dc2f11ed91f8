//! Blocks of code: `pre`, listings that a page shows as tables or boxes of lines, and the columns
//! of numbers next to them.
//!
//! Rules: HTML Living Standard, `pre` and `code`.

use html2md::Handle;

use super::super::dom::{self, ElementKind};
use super::super::flow::FlowMode;
use super::super::{listing, prefilter, preformatted, table};
use super::TreeWalk;
use iki_markdown::model::NodeContent;

impl TreeWalk {
    pub(super) fn add_preformatted(&mut self, node: &Handle) {
        let text = preformatted::text_of(node);
        // Generators for linuxdoc write lines of code in `code` and `pre`.
        let is_span = self.flow.is_code() && !text.trim().contains('\n');
        if self.flow.mode == FlowMode::Cell && !is_span {
            self.add_code_to_cell(node, &text);
            return;
        }
        if self.flow.mode != FlowMode::Flow || is_span {
            self.flow.enter_code();
            self.flow.add_text(&text);
            self.flow.leave_code();
            return;
        }
        self.flow.end();
        let class = || dom::attribute(node, "class").unwrap_or_default();
        if (text.trim().is_empty() && !preformatted::holds_code(node))
            || (table::count_lines(&text) > Some(0) && prefilter::is_line_number_class(&class()))
        {
            return;
        }
        self.add_code_block(node, &text, "");
    }

    /// Adds a block of code, in the language that is given or else named at `node` or around it.
    pub(super) fn add_code_block(&mut self, node: &Handle, text: &str, language: &str) {
        self.flow.end();
        let text = text.strip_suffix('\n').unwrap_or(text);
        let around = self.stack.iter().rev().map(|frame| &frame.node);
        let around = around.filter(|node| !table::is_part(node)).take(3);
        let named = || preformatted::language(node, around).unwrap_or_default();
        let language = Some(language.to_owned()).filter(|language| !language.is_empty());
        let language = language.unwrap_or_else(named);
        let build = &mut self.flow.build;
        let language = build.keep(&language);
        let code = build.keep(text);
        build.add(NodeContent::CodeBlock { language, code });
    }

    /// Adds the listing that begins with `node`; false if there is none.
    pub(super) fn add_listing(&mut self, node: &Handle) -> bool {
        let (parent, next) = match self.stack.last() {
            Some(frame) => (frame.node.clone(), frame.next),
            None => return false,
        };
        let siblings = parent.children.borrow();
        let behind = siblings.get(next..).unwrap_or_default();
        let Some((code, language, taken)) = listing::read(node, behind) else {
            return false;
        };
        if let Some(frame) = self.stack.last_mut() {
            frame.next = next.saturating_add(taken);
        }
        if !code.trim().is_empty() {
            self.add_code_block(node, &code, language);
        }
        true
    }

    /// True if the cell `node` of a layout table holds the numbers of lines of code.
    pub(super) fn is_gutter(&self, node: &Handle) -> bool {
        let Some(row) = self.stack.last() else {
            return false;
        };
        let cells = row.node.children.borrow();
        let mut behind = cells.get(row.next..).unwrap_or_default().iter();
        let next = behind.find(|node| dom::kind(node) == Some(ElementKind::Cell));
        table::is_gutter(node, next, false)
    }
}
