//! Writes paragraphs, headings, lists and tables into the model, within limits.

use super::inlines::{InlineContent, RunStyle};
use super::numerals;
use super::{MAX_COLUMNS, ParsedDocument};
use crate::basics::words::plural;
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

impl TableCell {
    /// One of so many columns; that which continues the one above has its text there.
    pub(super) fn of(content: InlineContent, columns: usize, goes_on: bool) -> Self {
        Self {
            content: if goes_on {
                InlineContent::default()
            } else {
                content
            },
            columns: u16::try_from(columns.clamp(1, MAX_COLUMNS)).unwrap_or(1),
        }
    }
}

/// Writes the blocks of a document.
#[derive(Default)]
pub(super) struct BlockWriter {
    pub(super) builder: ModelBuilder,
    lists: Vec<OpenList>,
    code: Vec<String>,
    /// The document's title, as far as a block of its own gives it.
    pub(super) title: String,
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

    /// Ends the document. Without a title, the first of its largest headings is that.
    pub(super) fn finish(mut self, late: bool, broken: bool) -> ParsedDocument {
        self.end();
        if self.title.is_empty() {
            self.title = self.first.take().unwrap_or_default().1;
        }
        ParsedDocument {
            builder: self.builder,
            title: self.title,
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
        let plain = inlines.words();
        if !plain.is_empty() && self.first.as_ref().is_none_or(|(first, _)| level < *first) {
            self.first = Some((level, plain));
        }
        self.builder.open(NodeContent::Heading(level.clamp(1, 6)));
        self.write_inlines(inlines);
        self.builder.close();
    }

    /// Adds a heading behind its label; the first that gives the title is that of the document.
    pub(super) fn add_labelled_heading(
        &mut self,
        level: u8,
        is_title: bool,
        label: &str,
        mut inlines: InlineContent,
    ) {
        inlines.unbold();
        if is_title && self.title.is_empty() {
            self.title = inlines.words();
        }
        if !label.is_empty() && !inlines.is_blank() {
            inlines = inlines.behind(&format!("{label} "));
        }
        self.add_heading(level, &inlines);
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

    /// Adds an item to a list, with its number if it bears one; a label that says more stands
    /// before its text.
    pub(super) fn add_labelled_item(
        &mut self,
        level: u8,
        number: Option<u32>,
        label: &str,
        key: u32,
        inlines: InlineContent,
    ) {
        let says_more = |number| numerals::is_worth_showing(label, number) && !inlines.is_blank();
        if !number.is_some_and(says_more) {
            return self.add_item(level, number, key, &inlines);
        }
        self.add_item(level, None, key, &inlines.behind(&format!("{label} ")));
    }

    /// Adds a notice of hidden slides or sheets.
    pub(super) fn add_hidden(&mut self, hidden: u64, noun: &str) {
        if hidden > 0 {
            let (s, verb) = (plural(hidden), if hidden == 1 { "is" } else { "are" });
            self.add_plain_paragraph(&format!(
                "[Left out: {hidden} hidden {noun}{s} {verb} not shown.]"
            ));
        }
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
