//! Cells of a data table: blocks become lines, and what does not fit in lines follows the table as
//! a note.
//!
//! Rules: GitHub Flavored Markdown 0.29, "Tables" (a cell is one line of inline content).

use html2md::Handle;

use super::super::dom::{self, ElementKind};
use super::super::flow::FlowMode;
use super::super::{listing, preformatted, table};
use super::list::reversed_start;
use super::{ElementExit, TreeWalk};
use iki_markdown::model::NodeContent;

/// Maximum number of lines of code in a cell.
const MAX_CODE_LINES: usize = 8;

impl TreeWalk {
    pub(super) fn enter_cell(&mut self, node: &Handle) -> ElementExit {
        self.flow.end();
        let (columns, rows) = self.rows.span(node);
        let limited = |number| u16::try_from(number).unwrap_or(u16::MAX);
        let (columns, rows) = (limited(columns), limited(rows));
        self.flow.build.open(NodeContent::Cell { columns, rows });
        self.flow.mode = FlowMode::Cell;
        ElementExit::Cell
    }

    /// Begins a block in a cell; `None` if its children are to be skipped.
    pub(super) fn enter_in_cell(
        &mut self,
        node: &Handle,
        kind: ElementKind,
    ) -> Option<ElementExit> {
        Some(match kind {
            ElementKind::Heading(_) => {
                self.flow.push(Some(NodeContent::Strong));
                ElementExit::CellHeading
            }
            ElementKind::Numbers | ElementKind::Bullets => {
                let start =
                    dom::attribute(node, "start").and_then(|start| start.trim().parse().ok());
                let numbered = kind == ElementKind::Numbers;
                let reversed = reversed_start(node);
                self.cell_lists.push(numbered.then(|| {
                    let start = start.or(reversed).unwrap_or(1);
                    (start, reversed.is_some())
                }));
                ElementExit::CellList
            }
            ElementKind::Item => {
                match self.cell_lists.last_mut() {
                    Some(Some((next, is_reversed))) => {
                        let value = dom::attribute(node, "value");
                        let number = value.and_then(|value| value.trim().parse().ok());
                        let number = number.unwrap_or(*next);
                        *next = if *is_reversed {
                            number.saturating_sub(1)
                        } else {
                            number.saturating_add(1)
                        };
                        self.flow.add_text(&format!("{number}. "));
                    }
                    _ => self.flow.add_text("• "),
                }
                ElementExit::Block
            }
            ElementKind::Table if table::read_shape(node).is_some() => {
                self.defer(node);
                return None;
            }
            _ if listing::is_marked(node) => {
                self.add_code_to_cell(node, &preformatted::text_of(node));
                return None;
            }
            _ => ElementExit::Block,
        })
    }

    /// Adds a block of code to a cell: a few lines without indentation as lines of code, or else
    /// as a note.
    pub(super) fn add_code_to_cell(&mut self, node: &Handle, text: &str) {
        self.flow.soft_end();
        let text = text.trim_end().trim_start_matches('\n');
        let fits = |line: &str| !line.starts_with([' ', '\t']) && !line.is_empty();
        if text.is_empty() {
            return;
        }
        if text.lines().count() > MAX_CODE_LINES || !text.lines().all(fits) {
            self.defer(node);
            return;
        }
        for line in text.lines() {
            let code = self.flow.build.keep(line.trim_end());
            self.flow.add_leaf(NodeContent::Code(code));
            self.flow.soft_end();
        }
    }

    /// Puts a mark in place of `node`, which is to follow the table.
    fn defer(&mut self, node: &Handle) {
        self.notes += 1;
        self.flow.add_leaf(NodeContent::NoteMark(self.notes));
        self.flow.soft_end();
        self.deferred.push(node.clone());
    }

    /// Adds what did not fit in the cells of the table that ended.
    pub(super) fn add_notes(&mut self) {
        let deferred = std::mem::take(&mut self.deferred);
        let first = self.notes + 1 - u32::try_from(deferred.len()).unwrap_or_default();
        for (number, node) in (first..).zip(deferred) {
            self.flow.end();
            self.flow.build.open(NodeContent::Note(number));
            let around = std::mem::take(&mut self.stack);
            self.enter(node);
            self.run();
            self.stack = around;
            self.flow.end();
            self.flow.build.close();
        }
    }
}
