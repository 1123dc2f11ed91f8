//! A document between its reader and its writer: blocks and inlines, in the order in which they
//! are read.
//!
//! The shape is that of pandoc's documents and of mdast: blocks hold blocks or inlines, inlines
//! hold inlines, and neither knows what it was read from or what it becomes. All nodes stand in
//! one vector, each before what it holds, with the place where that ends; their texts stand in
//! one string. So a document takes 32 bytes a node and its text once, however deep it nests, and
//! nothing that walks it needs recursion.
//!
//! A writer may have to keep its output in proportion to its source: each node bears how much of
//! the source was read up to it ([`Node::read`]).

mod append;
mod debug;
mod prune;

/// A piece of a document's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    start: u32,
    end: u32,
}

/// The place of an [`Address`] in its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressId(u32);

/// The place of a [`Table`] in its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableId(u32);

/// What a node is. Blocks come first, then inlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Holds inlines.
    Paragraph,
    /// Holds inlines; its level is 1 to 6.
    Heading(u8),
    /// Holds blocks.
    Quote,
    /// Holds items.
    List {
        /// The number of the first item; `None` if items are not numbered.
        start: Option<u32>,
        /// Whether there is no space between its items, nor between the blocks of one.
        tight: bool,
    },
    /// Holds blocks. Outside a list it is a list of its own.
    Item {
        /// Its number, where it is not that of the item before it and one.
        number: Option<u32>,
        /// Whether it is a task, and one that is done.
        task: Option<bool>,
    },
    /// What a term in the paragraph before it means; holds blocks.
    Definition,
    /// A note that a [`Content::NoteMark`] of the same number points to; holds blocks.
    Note(u32),
    /// Code that stands by itself, line by line, without a line end at its end.
    CodeBlock {
        /// Its language; empty if it is not known.
        language: Slice,
        /// The code.
        code: Slice,
    },
    /// A thematic break.
    Rule,
    /// Holds rows, and as blocks what is said of it.
    Table(TableId),
    /// Holds cells.
    Row,
    /// Holds inlines.
    Cell {
        /// How many columns it takes, at least 1.
        columns: u16,
        /// How many rows it takes, at least 1.
        rows: u16,
    },

    /// Text, in which a run of whitespace counts as one space, and none at the ends of a block.
    Text(Slice),
    /// Code within a line; a line end in it is meant.
    Code(Slice),
    /// A line end within a block.
    Break,
    /// Where the text points to the note of this number, at least 1.
    NoteMark(u32),
    /// Holds inlines.
    Emphasis,
    /// Holds inlines.
    Strong,
    /// Holds inlines.
    Deleted,
    /// Holds inlines, or nothing where a link has no text.
    Link {
        /// Where it leads to.
        address: AddressId,
        /// Its title; empty if there is none.
        title: Slice,
    },
    /// An image.
    Image {
        /// Where it is.
        address: AddressId,
        /// What stands for it in a text.
        alt: Slice,
        /// Its title; empty if there is none.
        title: Slice,
    },
}

/// One node of a document.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// What it is.
    pub content: Content,
    /// The index of the first node behind it that it does not hold.
    pub end: u32,
    /// Bytes of the source that were read between the node before it and what it holds.
    pub read: u32,
}

/// Where a link or an image leads to.
#[derive(Clone, Copy, Debug)]
pub struct Address {
    /// Made absolute, if it can be.
    absolute: Slice,
    /// As the source has it.
    spelling: Slice,
}

/// How a column is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    None,
    Left,
    Center,
    Right,
}

/// What a table looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Columns of the widest row.
    pub columns: usize,
    /// Cells of the row that has the most.
    pub cells: usize,
    /// Whether its first row is a header.
    pub header: bool,
    /// The columns' alignments, as far as the first row gives them.
    pub aligns: Vec<Align>,
}

/// Most columns that cells which take several may make of fewer.
pub const MAX_SPANNED_COLUMNS: usize = 64;

/// Which columns cells of earlier rows reach down into, while rows are gone through.
#[derive(Default)]
pub struct Spans(Vec<usize>);

impl Spans {
    /// Whether a cell of an earlier row reaches down into this column; counts it off.
    pub fn take(&mut self, column: usize) -> bool {
        match self.0.get_mut(column) {
            Some(rows) if *rows > 0 => {
                *rows -= 1;
                true
            }
            _ => false,
        }
    }

    /// At a row's end: counts off what reaches down into its columns from `column` on; returns the
    /// one behind the last of those.
    pub fn rest(&mut self, column: usize) -> usize {
        let mut end = column;
        for at in column..self.0.len() {
            if self.take(at) {
                end = at + 1;
            }
        }
        end
    }

    /// Notes that a cell reaches down over `rows` rows, as far as its columns are among the first
    /// [`MAX_SPANNED_COLUMNS`]: each row goes through all that reaches down into it.
    pub fn note(&mut self, column: usize, columns: usize, rows: usize) {
        let end = (column + columns).min(MAX_SPANNED_COLUMNS);
        if rows > 1 && column < end {
            if self.0.len() < end {
                self.0.resize(end, 0);
            }
            self.0[column..end].fill(rows - 1);
        }
    }
}

/// A document.
#[derive(Default)]
pub struct Model {
    /// Its title; empty if it has none.
    pub title: String,
    nodes: Vec<Node>,
    text: String,
    addresses: Vec<Address>,
    tables: Vec<Table>,
}

impl Model {
    /// All nodes, each before what it holds.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// How many letters and digits a reader sees of it, counted as far as `most`.
    pub fn letters(&self, most: usize) -> usize {
        let mut letters = 0;
        for node in &self.nodes {
            let (Content::Text(text)
            | Content::Code(text)
            | Content::CodeBlock { code: text, .. }
            | Content::Image { alt: text, .. }) = node.content
            else {
                continue;
            };
            letters += self
                .text(text)
                .chars()
                .filter(|c| c.is_alphanumeric())
                .count();
            if letters >= most {
                return most;
            }
        }
        letters
    }

    /// The first `most` bytes or so of what a reader sees of it, without what parts it.
    pub fn beginning(&self, most: usize) -> String {
        let mut beginning = String::new();
        for node in &self.nodes {
            if let Content::Text(text) = node.content {
                beginning.push_str(self.text(text));
            }
            if beginning.len() >= most {
                break;
            }
        }
        beginning
    }

    /// A piece of the text.
    pub fn text(&self, slice: Slice) -> &str {
        let range = slice.start as usize..slice.end as usize;
        self.text.get(range).unwrap_or_default()
    }

    /// An address as absolute as it can be, and as the source spells it.
    pub fn address(&self, id: AddressId) -> (&str, &str) {
        self.addresses
            .get(id.0 as usize)
            .map_or(("", ""), |address| {
                (self.text(address.absolute), self.text(address.spelling))
            })
    }

    /// What a table looks like.
    pub fn table(&self, id: TableId) -> Option<&Table> {
        self.tables.get(id.0 as usize)
    }
}

/// A document that is being read. Texts that do not fit into 4 GiB are left out.
#[derive(Default)]
pub struct Builder {
    model: Model,
    open: Vec<u32>,
    read: u32,
}

fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

impl Builder {
    /// A builder with room for a document that is read from `length` bytes. What is not used of it
    /// costs nothing, unlike growing.
    pub fn for_source(length: usize) -> Self {
        let mut builder = Self::default();
        builder.model.text.reserve(length / 2);
        builder.model.nodes.reserve(length / 96);
        builder
    }

    /// Notes that so many bytes of the source have been read.
    pub fn read(&mut self, bytes: usize) {
        self.read = self.read.saturating_add(index(bytes));
    }

    /// Notes of the item that was opened last, and that holds nothing yet, whether the task that it
    /// is is done; whether there is such an item.
    pub fn mark_task(&mut self, done: bool) -> bool {
        match self.model.nodes.last_mut().map(|node| &mut node.content) {
            Some(Content::Item { task, .. }) => {
                *task = Some(done);
                true
            }
            _ => false,
        }
    }

    /// Adds a node that holds nothing.
    pub fn add(&mut self, content: Content) {
        self.model.nodes.push(Node {
            content,
            end: index(self.model.nodes.len() + 1),
            read: std::mem::take(&mut self.read),
        });
    }

    /// Adds a node that holds what is added until it is closed.
    pub fn open(&mut self, content: Content) {
        self.open.push(index(self.model.nodes.len()));
        self.add(content);
    }

    /// Whether there is nothing in the document yet.
    pub fn is_empty(&self) -> bool {
        self.model.nodes.is_empty()
    }

    /// Closes the node that was opened last.
    pub fn close(&mut self) {
        let end = index(self.model.nodes.len());
        if let Some(at) = self.open.pop()
            && let Some(node) = self.model.nodes.get_mut(at as usize)
        {
            node.end = end;
        }
    }

    /// Closes the node that was opened last; one that holds nothing is taken away.
    pub fn close_unless_empty(&mut self) {
        if self.open.last().copied() == Some(index(self.model.nodes.len().wrapping_sub(1))) {
            self.open.pop();
            let node = self.model.nodes.pop();
            self.read(node.map_or(0, |node| node.read as usize));
        } else {
            self.close();
        }
    }

    /// Keeps a text for a node.
    pub fn keep(&mut self, text: &str) -> Slice {
        let start = self.model.text.len();
        match u32::try_from(start + text.len()) {
            Ok(end) => {
                self.model.text.push_str(text);
                let start = index(start);
                Slice { start, end }
            }
            Err(_) => Slice::default(),
        }
    }

    /// Keeps an address; `absolute` is `None` where it is the same as its `spelling`.
    pub fn keep_address(&mut self, absolute: Option<&str>, spelling: &str) -> AddressId {
        let spelling = self.keep(spelling);
        let absolute = absolute.map_or(spelling, |absolute| self.keep(absolute));
        let id = AddressId(index(self.model.addresses.len()));
        self.model.addresses.push(Address { absolute, spelling });
        id
    }

    /// An address as a text.
    pub fn address_text(&self, id: AddressId) -> Slice {
        let address = self.model.addresses.get(id.0 as usize);
        address.map_or_else(Slice::default, |address| address.absolute)
    }

    /// A text that was kept.
    pub fn kept(&self, slice: Slice) -> &str {
        self.model.text(slice)
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.model.nodes.len()
    }

    /// How many bytes of text and addresses were kept.
    pub fn kept_bytes(&self) -> usize {
        self.model.text.len()
    }

    /// Keeps what a table looks like.
    pub fn keep_table(&mut self, table: Table) -> TableId {
        let id = TableId(index(self.model.tables.len()));
        self.model.tables.push(table);
        id
    }

    /// The document; what is open ends with it.
    pub fn finish(mut self, title: String) -> Model {
        while !self.open.is_empty() {
            self.close();
        }
        self.model.title = title;
        self.model
    }
}

/// The scheme of an address that has one.
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
        assert_eq!(size_of::<Node>(), 32);
    }

    #[test]
    fn what_is_opened_holds_what_follows_until_it_is_closed() {
        let mut builder = Builder::default();
        builder.read(3);
        builder.open(Content::Quote);
        builder.open(Content::Paragraph);
        let text = builder.keep("a");
        builder.add(Content::Text(text));
        builder.open(Content::Strong);
        builder.close_unless_empty();
        builder.add(Content::Break);
        builder.close();
        builder.close();
        builder.add(Content::Rule);
        let model = builder.finish(String::new());
        assert_eq!(format!("{model:?}"), "Quote[Paragraph[\"a\" Break]] Rule");
        assert_eq!(model.nodes()[0].end, 4);
        assert_eq!(model.nodes()[0].read, 3);
    }

    #[test]
    fn a_cell_reaches_down_as_far_as_it_says() {
        let mut spans = Spans::default();
        spans.note(1, 2, 3);
        assert!(!spans.take(0));
        assert!(spans.take(1) && spans.take(1) && !spans.take(1));
        assert!(spans.take(2));
    }
}
