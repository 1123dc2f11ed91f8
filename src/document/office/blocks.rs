//! Writes paragraphs, headings, lists and tables into the model, within limits.

use super::ParsedDocument;
use super::inlines::{InlineContent, RunStyle};
use super::numerals;
use crate::document::model::{ColumnAlignment, ModelBuilder, NodeContent, TableLayout, TextSlice};

/// Limit of a document's nodes.
const MAX_NODES: usize = 1_000_000;

/// Limit of a document's text, in bytes.
const MAX_TEXT: usize = 16 << 20;

/// The deepest level of a list.
const MAX_LEVEL: u8 = 8;

struct OpenList {
    level: u8,
    /// The list definition that it belongs to, and whether it has numbers.
    key: (u32, bool),
}

/// A cell of a table.
#[derive(Default)]
pub(super) struct TableCell {
    pub(super) content: InlineContent,
    /// Number of columns it spans, at least 1.
    pub(super) columns: u16,
}

/// Writes the blocks of a document.
#[derive(Default)]
pub(super) struct BlockWriter {
    pub(super) builder: ModelBuilder,
    lists: Vec<OpenList>,
    code: Vec<String>,
    /// The first of the largest headings, and its level.
    first: Option<(u8, String)>,
    /// True if something was left out because there was too much of it.
    pub(super) cut: bool,
}

impl BlockWriter {
    /// True if there is room for more; records that something is cut if not.
    pub(super) fn has_room(&mut self) -> bool {
        let full = self.builder.node_count() > MAX_NODES || self.builder.text_bytes() > MAX_TEXT;
        self.cut |= full;
        !full
    }

    /// Ends the document. Without a `title`, the first of its largest headings is its title.
    pub(super) fn finish(mut self, title: String, late: bool, broken: bool) -> ParsedDocument {
        self.end();
        let title = if title.is_empty() {
            self.first.take().map_or_else(String::new, |(_, text)| text)
        } else {
            title
        };
        ParsedDocument {
            builder: self.builder,
            title,
            cut: self.cut,
            late,
            broken,
        }
    }

    fn write_inlines(&mut self, inlines: &InlineContent) {
        self.cut |= inlines.is_cut();
        // Each piece pays for its markup too.
        self.builder
            .count_source(inlines.length() + 16 * inlines.pieces());
        inlines.write(&mut self.builder);
    }

    /// Ends open lists and code.
    pub(super) fn end(&mut self) {
        self.end_code();
        self.end_lists(None);
    }

    fn end_code(&mut self) {
        if self.code.is_empty() {
            return;
        }
        let code = std::mem::take(&mut self.code).join("\n");
        let code = code.trim_matches('\n');
        if !code.trim().is_empty() && self.has_room() {
            self.builder.count_source(code.len() + 16);
            let code = self.builder.keep(code);
            self.builder.add(NodeContent::CodeBlock {
                language: TextSlice::default(),
                code,
            });
        }
    }

    /// Ends the lists deeper than `level`, or all.
    fn end_lists(&mut self, level: Option<u8>) {
        while self
            .lists
            .last()
            .is_some_and(|list| level.is_none_or(|level| list.level > level))
        {
            self.lists.pop();
            // The open item, and its list.
            self.builder.close();
            self.builder.close();
        }
    }

    /// Adds a paragraph.
    pub(super) fn add_paragraph(&mut self, inlines: &InlineContent) {
        self.cut |= inlines.is_cut();
        if inlines.is_blank() || !self.has_room() {
            return;
        }
        self.end();
        self.builder.open(NodeContent::Paragraph);
        self.write_inlines(inlines);
        self.builder.close();
    }

    /// Adds a paragraph of plain text.
    pub(super) fn add_plain_paragraph(&mut self, text: &str) {
        let mut inlines = InlineContent::default();
        inlines.add_text(&RunStyle::default(), text);
        self.add_paragraph(&inlines);
    }

    /// Adds a heading of level 1 to 6.
    pub(super) fn add_heading(&mut self, level: u8, inlines: &InlineContent) {
        self.cut |= inlines.is_cut();
        if inlines.is_blank() || !self.has_room() {
            return;
        }
        self.end();
        let plain = inlines.plain();
        let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
        if !plain.is_empty() && self.first.as_ref().is_none_or(|(first, _)| level < *first) {
            self.first = Some((level, plain));
        }
        self.builder.open(NodeContent::Heading(level.clamp(1, 6)));
        self.write_inlines(inlines);
        self.builder.close();
    }

    /// Adds a heading of plain text.
    pub(super) fn add_plain_heading(&mut self, level: u8, text: &str) {
        let mut inlines = InlineContent::default();
        inlines.add_text(&RunStyle::default(), text);
        self.add_heading(level, &inlines);
    }

    /// Adds an item to the list `key` at `level`, with its number if it bears one.
    pub(super) fn add_item(
        &mut self,
        level: u8,
        number: Option<u32>,
        key: u32,
        inlines: &InlineContent,
    ) {
        self.cut |= inlines.is_cut();
        if inlines.is_blank() || !self.has_room() {
            return;
        }
        self.end_code();
        let level = level.min(MAX_LEVEL);
        let key = (key, number.is_some());
        self.end_lists(Some(level));
        if self
            .lists
            .last()
            .is_some_and(|list| list.level == level && list.key != key)
        {
            self.lists.pop();
            self.builder.close();
            self.builder.close();
        }
        if self.lists.last().is_some_and(|list| list.level == level) {
            self.builder.close();
        } else {
            self.builder.open(NodeContent::List {
                start: number,
                tight: true,
            });
            self.lists.push(OpenList { level, key });
        }
        self.builder.open(NodeContent::Item { number, task: None });
        self.builder.open(NodeContent::Paragraph);
        self.write_inlines(inlines);
        self.builder.close();
    }

    /// Adds an item with its number to a list; a label that says more stands before its text.
    pub(super) fn add_numbered_item(
        &mut self,
        level: u8,
        number: u32,
        label: &str,
        key: u32,
        inlines: InlineContent,
    ) {
        if !numerals::is_worth_showing(label, number) || inlines.is_blank() {
            return self.add_item(level, Some(number), key, &inlines);
        }
        self.add_item(level, None, key, &inlines.behind(&format!("{label} ")));
    }

    /// Adds lines of code to those before them.
    pub(super) fn add_code(&mut self, code: &str) {
        if self.has_room() {
            self.end_lists(None);
            self.code.push(code.to_owned());
        }
    }

    /// True if a block of code is open.
    pub(super) fn in_code(&self) -> bool {
        !self.code.is_empty()
    }

    /// Adds a table whose first row is its header.
    pub(super) fn add_table(&mut self, rows: Vec<Vec<TableCell>>) {
        if rows.iter().flatten().all(|cell| cell.content.is_blank()) {
            return;
        }
        let width = |row: &Vec<TableCell>| {
            row.iter()
                .map(|cell| usize::from(cell.columns.max(1)))
                .sum()
        };
        let columns = rows.iter().map(width).max().unwrap_or(0);
        let cells = rows.iter().map(Vec::len).max().unwrap_or(0);
        self.add_rows(columns, cells, rows.into_iter());
    }

    /// Adds a table of so many columns, with `cells` in its longest row.
    pub(super) fn add_rows(
        &mut self,
        columns: usize,
        cells: usize,
        rows: impl Iterator<Item = Vec<TableCell>>,
    ) {
        if !self.has_room() {
            return;
        }
        self.end();
        let table = self.builder.keep_table(TableLayout {
            columns,
            cells,
            header: true,
            aligns: vec![ColumnAlignment::None; columns],
        });
        self.builder.count_source(8 * columns);
        self.builder.open(NodeContent::Table(table));
        for row in rows {
            if !self.has_room() {
                break;
            }
            self.builder.count_source(8 * columns);
            self.builder.open(NodeContent::Row);
            for cell in &row {
                self.builder.open(NodeContent::Cell {
                    columns: cell.columns.max(1),
                    rows: 1,
                });
                self.write_inlines(&cell.content);
                self.builder.close();
            }
            self.builder.close();
        }
        self.builder.close();
    }
}
