//! Writes paragraphs, headings, lists and tables into the model, within limits.

use super::inlines::InlineContent;
use super::limits::MAX_COLUMNS;
use super::numerals;
use super::properties::DocumentProperties;
use iki_base::wording::plural;
use iki_markdown::model::{ColumnAlignment, ModelBuilder, NodeContent, TableLayout, TextSlice};
use iki_markdown::xml::XmlReader;

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
    /// A cell of this many columns. If it `goes_on` from the cell above, its text is there.
    pub(super) fn new(content: InlineContent, columns: usize, goes_on: bool) -> Self {
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

/// The bullet or number before an item.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ItemLabel {
    /// Number; `None` for a bullet.
    pub(super) number: Option<u32>,
    /// Number as the document shows it, such as `1.2.`; empty for a bullet.
    pub(super) text: String,
    pub(super) level: u8,
    /// Identifier of its list.
    pub(super) key: u32,
}

/// The part of a paragraph in the structure of a document.
#[derive(Default)]
pub(super) struct ParagraphRole {
    /// Level of a heading, from 1 on.
    pub(super) heading: Option<u8>,
    /// True for the title of the document.
    pub(super) is_title: bool,
    /// True for a line of code.
    pub(super) is_code: bool,
    pub(super) label: Option<ItemLabel>,
}

/// Writes the blocks of a document, and keeps what else is known of it.
#[derive(Default)]
pub(crate) struct BlockWriter {
    pub(crate) builder: ModelBuilder,
    lists: Vec<OpenList>,
    code: Vec<String>,
    /// The open cells, innermost last.
    pub(super) cells: Vec<InlineContent>,
    /// The document's metadata.
    pub(crate) about: DocumentProperties,
    /// The document's title, as far as a block of its own gives it.
    pub(crate) title: String,
    /// Number of charts, which are not read.
    pub(super) charts: u64,
    /// The first of the largest headings, and its level.
    first: Option<(u8, String)>,
    /// True if something was left out because there was too much of it.
    pub(crate) is_cut: bool,
    /// True if something was left out for lack of time.
    pub(crate) is_late: bool,
    /// True if its source breaks off.
    pub(crate) is_broken: bool,
}

impl BlockWriter {
    /// True if there is room for more; records that something is cut if not.
    pub(crate) fn has_room(&mut self) -> bool {
        let full = self.builder.node_count() > MAX_NODES || self.builder.text_bytes() > MAX_TEXT;
        self.is_cut |= full;
        !full
    }

    /// Ends the document. Without a title, the first of its largest headings is that.
    pub(crate) fn finish(&mut self) {
        self.end();
        if self.title.is_empty() {
            self.title = self.first.take().unwrap_or_default().1;
        }
    }

    /// Records what of a part could not be read.
    pub(super) fn add_faults(&mut self, xml: &XmlReader<'_>) {
        self.is_cut |= xml.is_cut;
        self.is_late |= xml.is_late;
        self.is_broken |= xml.is_broken;
    }

    fn write_inlines(&mut self, inlines: &InlineContent) {
        self.is_cut |= inlines.cut;
        self.builder.count_source(inlines.cost());
        inlines.write(&mut self.builder);
    }

    /// Ends open lists and code.
    pub(crate) fn end(&mut self) {
        self.end_code();
        self.end_lists(|_| true);
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

    /// Ends the innermost lists that `ends` accepts.
    fn end_lists(&mut self, ends: impl Fn(&mut OpenList) -> bool) {
        while self.lists.pop_if(&ends).is_some() {
            // The open item, and its list.
            self.builder.close();
            self.builder.close();
        }
    }

    /// Adds a paragraph.
    pub(super) fn add_paragraph(&mut self, inlines: &InlineContent) {
        self.is_cut |= inlines.cut;
        if inlines.is_blank() || !self.has_room() {
            return;
        }
        self.end();
        self.builder.open(NodeContent::Paragraph);
        self.write_inlines(inlines);
        self.builder.close();
    }

    /// Adds a paragraph by its role; within a cell it is a line.
    pub(super) fn add_by_role(&mut self, role: ParagraphRole, inlines: InlineContent) {
        if let Some(cell) = self.cells.last_mut() {
            let label = role.label.map_or_else(String::new, |label| {
                let bullet = label.number.map_or("\u{2022}", |_| &label.text);
                format!("{bullet} ")
            });
            cell.add_line(&label, inlines);
        } else if let Some(level) = role.heading {
            let label = role.label.unwrap_or_default().text;
            self.add_labelled_heading(level, role.is_title, &label, inlines);
        } else if role.is_code {
            self.add_code(&inlines.plain());
        } else if let Some(label) = role.label {
            self.add_labelled_item(&label, inlines);
        } else {
            self.add_paragraph(&inlines);
        }
    }

    /// Adds a paragraph of plain text.
    pub(super) fn add_plain_paragraph(&mut self, text: &str) {
        self.add_paragraph(&InlineContent::from_text(text));
    }

    /// Adds a heading of level 1 to 6.
    pub(super) fn add_heading(&mut self, level: u8, inlines: &InlineContent) {
        self.is_cut |= inlines.cut;
        if inlines.is_blank() || !self.has_room() {
            return;
        }
        self.end();
        self.builder.open(NodeContent::Heading(level.clamp(1, 6)));
        self.write_inlines(inlines);
        self.builder.close();
    }

    /// Adds a heading after its label; the first title becomes that of the document.
    fn add_labelled_heading(
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
        let words = inlines.words();
        if !words.is_empty() && self.first.as_ref().is_none_or(|(first, _)| level < *first) {
            self.first = Some((level, words));
        }
        self.add_heading(level, &inlines);
    }

    /// Adds a heading of plain text.
    pub(super) fn add_plain_heading(&mut self, level: u8, text: &str) {
        self.add_heading(level, &InlineContent::from_text(text));
    }

    /// Adds the heading of a slide; the first title is that of the document.
    pub(super) fn add_slide_heading(&mut self, title: String, number: usize) {
        if title.is_empty() {
            return self.add_plain_heading(2, &format!("Slide {number}"));
        }
        self.add_plain_heading(2, &title);
        if self.title.is_empty() {
            self.title = title;
        }
    }

    /// Adds an item to the list `key` at `level`, with its number if it bears one.
    pub(super) fn add_item(
        &mut self,
        level: u8,
        number: Option<u32>,
        key: u32,
        inlines: &InlineContent,
    ) {
        self.is_cut |= inlines.cut;
        if inlines.is_blank() || !self.has_room() {
            return;
        }
        self.end_code();
        let level = level.min(MAX_LEVEL);
        let key = (key, number.is_some());
        self.end_lists(|list| list.level > level || list.level == level && list.key != key);
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
    pub(super) fn add_labelled_item(&mut self, label: &ItemLabel, inlines: InlineContent) {
        let (level, number, key) = (label.level, label.number, label.key);
        let says_more = |number| numerals::is_worth_showing(&label.text, number);
        if !number.is_some_and(says_more) || inlines.is_blank() {
            return self.add_item(level, number, key, &inlines);
        }
        let inlines = inlines.behind(&format!("{} ", label.text));
        self.add_item(level, None, key, &inlines);
    }

    /// Adds a notice of what is left out, such as hidden slides.
    pub(super) fn add_left_out(&mut self, count: u64, noun: &str) {
        if count > 0 {
            let (s, verb) = (plural(count), if count == 1 { "is" } else { "are" });
            self.add_plain_paragraph(&format!("[Left out: {count} {noun}{s} {verb} not shown.]"));
        }
    }

    /// Adds lines of code to those before them.
    pub(super) fn add_code(&mut self, code: &str) {
        if self.has_room() {
            self.end_lists(|_| true);
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

    /// Adds a table of this many columns, with `cells` in its longest row.
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
