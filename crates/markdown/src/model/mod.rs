//! A document between its reader and its writer: blocks and inlines in reading order.
//!
//! The structure is that of pandoc's documents and of mdast: blocks hold blocks or inlines, inlines
//! hold inlines, and neither knows what it was read from or what it becomes. All nodes are in one
//! vector, each before its children and with the index at which these end; their texts are in one
//! string. A document thus takes 32 bytes a node and its text once, however deeply it nests, and
//! can be walked without recursion.
//!
//! A writer may have to keep its output in proportion to its source, so each node counts the bytes
//! of source read up to it ([`DocumentNode::read`]).

mod append;
mod builder;
mod debug;
mod prune;

pub use builder::ModelBuilder;

/// A byte range of a document's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextSlice {
    start: u32,
    end: u32,
}

/// Index of a [`LinkAddress`] in its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressId(u32);

/// Index of a [`TableLayout`] in its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableId(u32);

/// The kinds of nodes: blocks first, then inlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeContent {
    /// Holds inlines.
    Paragraph,
    /// Holds inlines. The level is 1 to 6.
    Heading(u8),
    /// Holds blocks.
    Quote,
    /// Holds items.
    List {
        /// Number of the first item; `None` for a bullet list.
        start: Option<u32>,
        /// True if there is no space between its items, nor between the blocks of one.
        tight: bool,
    },
    /// Holds blocks. Outside a list it forms a list of its own.
    Item {
        /// Its number, if that does not follow the number of the item before it.
        number: Option<u32>,
        /// `Some` for a task; true if it is done.
        task: Option<bool>,
    },
    /// The definition of the term in the paragraph before it; holds blocks.
    Definition,
    /// A note, to which a [`NodeContent::NoteMark`] of the same number points; holds blocks.
    Note(u32),
    /// A block of code, without a line end at its end.
    CodeBlock {
        /// Programming language; empty if unknown.
        language: TextSlice,
        /// Its lines.
        code: TextSlice,
    },
    /// A thematic break.
    Rule,
    /// Holds rows, and its caption as blocks.
    Table(TableId),
    /// Holds cells.
    Row,
    /// Holds inlines.
    Cell {
        /// Number of columns it spans, at least 1.
        columns: u16,
        /// Number of rows it spans, at least 1.
        rows: u16,
    },

    /// Text. A run of whitespace counts as one space, and as none at the ends of a block.
    Text(TextSlice),
    /// Code within a line; line ends in it are kept.
    Code(TextSlice),
    /// A line end within a block.
    Break,
    /// A reference to the note of this number, at least 1.
    NoteMark(u32),
    /// Holds inlines.
    Emphasis,
    /// Holds inlines.
    Strong,
    /// Holds inlines.
    Deleted,
    /// Holds inlines, or nothing if the link has no text.
    Link {
        /// Its target.
        address: AddressId,
        /// Empty if it has none.
        title: TextSlice,
    },
    /// Holds nothing.
    Image {
        /// The address of its file.
        address: AddressId,
        /// Text that replaces it.
        alt: TextSlice,
        /// Empty if it has none.
        title: TextSlice,
    },
}

/// A block or an inline, in its place in reading order.
#[derive(Clone, Copy, Debug)]
pub struct DocumentNode {
    /// Its kind.
    pub content: NodeContent,
    /// Index of the first node after it that it does not hold.
    pub end: u32,
    /// Bytes of source that were read between the node before it and its content.
    pub read: u32,
}

/// The address of a link or an image.
#[derive(Clone, Copy, Debug)]
pub struct LinkAddress {
    /// Absolute, if it can be made so.
    absolute: TextSlice,
    /// As the source spells it.
    spelling: TextSlice,
}

impl NodeContent {
    /// True for a style or a link, which holds inlines.
    #[must_use]
    pub fn is_markup(self) -> bool {
        use NodeContent::{Deleted, Emphasis, Link, Strong};
        matches!(self, Emphasis | Strong | Deleted | Link { .. })
    }
}

/// The side of its cells on which the text of a column stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnAlignment {
    /// The reader's choice.
    None,
    /// The left side.
    Left,
    /// Neither.
    Center,
    /// The right side.
    Right,
}

/// The columns of a table, and what its first row is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableLayout {
    /// Number of columns of the widest row.
    pub columns: usize,
    /// Number of cells of the row that has the most.
    pub cells: usize,
    /// True if its first row is a header.
    pub header: bool,
    /// Alignments of the columns, as far as the first row gives them.
    pub aligns: Vec<ColumnAlignment>,
}

/// The most columns that cells spanning several rows may take up.
pub const MAX_SPANNED_COLUMNS: usize = 64;

/// The columns that cells of earlier rows reach down into, kept while rows are gone through.
#[derive(Default)]
pub struct RowSpans(Vec<usize>);

impl RowSpans {
    /// Returns true if a cell of an earlier row reaches down into this column, and counts down its
    /// rows.
    pub fn take_spanned(&mut self, column: usize) -> bool {
        match self.0.get_mut(column) {
            Some(rows) if *rows > 0 => {
                *rows -= 1;
                true
            }
            _ => false,
        }
    }

    /// Counts down what reaches into a row from `column` on, and returns the index after the last
    /// such column.
    pub fn finish_row(&mut self, column: usize) -> usize {
        let mut end = column;
        for index in column..self.0.len() {
            if self.take_spanned(index) {
                end = index + 1;
            }
        }
        end
    }

    /// Adds a cell that reaches down over `rows` rows. Only the first [`MAX_SPANNED_COLUMNS`]
    /// columns count, because each row goes through all that reaches into it.
    pub fn add_cell(&mut self, column: usize, columns: usize, rows: usize) {
        let end = (column + columns).min(MAX_SPANNED_COLUMNS);
        if rows > 1 && column < end {
            if self.0.len() < end {
                self.0.resize(end, 0);
            }
            self.0[column..end].fill(rows - 1);
        }
    }
}

/// A document as it was read: its title, and its nodes in reading order.
#[derive(Default)]
pub struct DocumentModel {
    /// Empty if it has none.
    pub title: String,
    nodes: Vec<DocumentNode>,
    text: String,
    addresses: Vec<LinkAddress>,
    tables: Vec<TableLayout>,
    /// Index of the node that begins the part which the document's address names.
    section: Option<u32>,
}

impl DocumentModel {
    /// The node that begins the part which the document's address names.
    #[must_use]
    pub fn section(&self) -> Option<usize> {
        self.section.map(|index| index as usize)
    }

    /// All nodes, each before its children.
    #[must_use]
    pub fn nodes(&self) -> &[DocumentNode] {
        &self.nodes
    }

    /// Counts the letters and digits that a reader sees, up to `limit`.
    #[must_use]
    pub fn count_letters(&self, limit: usize) -> usize {
        let mut letters = 0;
        for node in &self.nodes {
            let (NodeContent::Text(text)
            | NodeContent::Code(text)
            | NodeContent::CodeBlock { code: text, .. }
            | NodeContent::Image { alt: text, .. }) = node.content
            else {
                continue;
            };
            letters += self
                .text(text)
                .chars()
                .filter(|c| c.is_alphanumeric())
                .count();
            if letters >= limit {
                return limit;
            }
        }
        letters
    }

    /// Returns the first `limit` bytes or so of its text, with a blank between blocks.
    #[must_use]
    pub fn beginning(&self, limit: usize) -> String {
        let mut beginning = String::new();
        for node in &self.nodes {
            match node.content {
                NodeContent::Text(text)
                | NodeContent::Code(text)
                | NodeContent::Image { alt: text, .. } => beginning.push_str(self.text(text)),
                NodeContent::CodeBlock { code: text, .. } => {
                    beginning.extend([" ", self.text(text), " "]);
                }
                content if content.is_markup() || beginning.is_empty() => {}
                _ => beginning.push(' '),
            }
            if beginning.len() >= limit {
                break;
            }
        }
        beginning
    }

    /// The text of a slice.
    #[must_use]
    pub fn text(&self, slice: TextSlice) -> &str {
        let range = slice.start as usize..slice.end as usize;
        self.text.get(range).unwrap_or_default()
    }

    /// Returns an address as absolute as it can be, and as the source spells it.
    #[must_use]
    pub fn address(&self, id: AddressId) -> (&str, &str) {
        self.addresses
            .get(id.0 as usize)
            .map_or(("", ""), |address| {
                (self.text(address.absolute), self.text(address.spelling))
            })
    }

    /// The layout of a table.
    #[must_use]
    pub fn table(&self, id: TableId) -> Option<&TableLayout> {
        self.tables.get(id.0 as usize)
    }
}

fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Returns the scheme of an address, if it has one.
#[must_use]
pub fn scheme_of(address: &str) -> Option<&str> {
    let (scheme, _) = address.split_once(':')?;
    let mut bytes = scheme.bytes();
    (bytes.next()?.is_ascii_alphabetic()
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')))
    .then_some(scheme)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_takes_32_bytes() {
        assert_eq!(size_of::<DocumentNode>(), 32);
    }

    #[test]
    fn a_cell_reaches_down_as_far_as_it_says() {
        let mut spans = RowSpans::default();
        spans.add_cell(1, 2, 3);
        assert!(!spans.take_spanned(0));
        assert!(spans.take_spanned(1) && spans.take_spanned(1) && !spans.take_spanned(1));
        assert!(spans.take_spanned(2));
    }
}
