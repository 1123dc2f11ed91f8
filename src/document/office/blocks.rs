//! Paragraphs, headings, lists and tables, on their way into the model, within limits.

use super::inlines::{InlineContent, RunStyle};
use crate::document::model::{ColumnAlignment, ModelBuilder, NodeContent, TableLayout, TextSlice};

/// The most nodes of a document.
const MAX_NODES: usize = 1_000_000;

/// The most text of a document, in bytes.
const MAX_TEXT: usize = 16 << 20;

/// How deep lists are nested at most.
const MAX_LEVEL: u8 = 8;

/// A list that is open.
struct OpenList {
    level: u8,
    /// What it belongs to: a definition of the document's, and whether it bears numbers.
    key: (u32, bool),
}

/// A cell of a table.
#[derive(Default)]
pub(super) struct TableCell {
    pub(super) content: InlineContent,
    /// How many columns it takes, at least 1.
    pub(super) columns: u16,
}

/// The blocks of a document.
#[derive(Default)]
pub(super) struct BlockWriter {
    pub(super) builder: ModelBuilder,
    lists: Vec<OpenList>,
    code: Vec<String>,
    /// The first heading, and its level.
    first: Option<(u8, String)>,
    /// Whether something was left out, since there was too much of it.
    pub(super) cut: bool,
}

impl BlockWriter {
    /// Whether there is room for more; what does not fit is noted.
    pub(super) fn has_room(&mut self) -> bool {
        let full = self.builder.node_count() > MAX_NODES || self.builder.text_bytes() > MAX_TEXT;
        self.cut |= full;
        !full
    }

    /// The first heading, if it is one of the largest.
    pub(super) fn first_heading(&self) -> &str {
        self.first.as_ref().map_or("", |(_, text)| text)
    }

    fn inlines(&mut self, inlines: &InlineContent) {
        self.cut |= inlines.is_cut();
        // Each piece is paid for by what says what it looks like.
        self.builder
            .count_source(inlines.length() + 16 * inlines.pieces());
        inlines.write(&mut self.builder);
    }

    /// Ends lists and code.
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

    /// Ends the lists that lie deeper than `level`, or all.
    fn end_lists(&mut self, level: Option<u8>) {
        while self
            .lists
            .last()
            .is_some_and(|list| level.is_none_or(|level| list.level > level))
        {
            self.lists.pop();
            // The item that is open, and its list.
            self.builder.close();
            self.builder.close();
        }
    }

    /// Adds a paragraph.
    pub(super) fn paragraph(&mut self, inlines: &InlineContent) {
        self.cut |= inlines.is_cut();
        if inlines.is_blank() || !self.has_room() {
            return;
        }
        self.end();
        self.builder.open(NodeContent::Paragraph);
        self.inlines(inlines);
        self.builder.close();
    }

    /// Adds a paragraph of plain text.
    pub(super) fn say(&mut self, text: &str) {
        let mut inlines = InlineContent::default();
        inlines.text(&RunStyle::default(), text);
        self.paragraph(&inlines);
    }

    /// Adds a heading of level 1 to 6.
    pub(super) fn heading(&mut self, level: u8, inlines: &InlineContent) {
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
        self.inlines(inlines);
        self.builder.close();
    }

    /// Adds a heading of plain text.
    pub(super) fn head(&mut self, level: u8, text: &str) {
        let mut inlines = InlineContent::default();
        inlines.text(&RunStyle::default(), text);
        self.heading(level, &inlines);
    }

    /// Adds an item to the list `key` at `level`, with its number if it bears one.
    pub(super) fn item(
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
        self.inlines(inlines);
        self.builder.close();
    }

    /// Adds lines of code, to those before them.
    pub(super) fn code(&mut self, code: &str) {
        if self.has_room() {
            self.end_lists(None);
            self.code.push(code.to_owned());
        }
    }

    /// Whether code has begun and not ended.
    pub(super) fn in_code(&self) -> bool {
        !self.code.is_empty()
    }

    /// Adds a table, its first row being its header.
    pub(super) fn table(&mut self, rows: Vec<Vec<TableCell>>) {
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
        self.rows(columns, cells, rows.into_iter());
    }

    /// Adds a table of so many columns, and so many cells in its longest row.
    pub(super) fn rows(
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
                self.inlines(&cell.content);
                self.builder.close();
            }
            self.builder.close();
        }
        self.builder.close();
    }
}
