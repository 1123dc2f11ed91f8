//! Builds a document front to back.

use super::{
    AddressId, DocumentModel, DocumentNode, LinkAddress, NodeContent, TableId, TableLayout,
    TextSlice, index,
};

/// Builds a document while it is read. Texts beyond 4 GiB are left out.
#[derive(Default)]
pub struct ModelBuilder {
    pub(super) model: DocumentModel,
    open: Vec<u32>,
    read: u32,
}

impl ModelBuilder {
    /// Takes the line of the next node for the beginning of the part that the address names. Within
    /// a heading, a paragraph or a row that is its own line, wherever in it the name stands.
    pub fn begin_section(&mut self) {
        let content = |node_index: u32| {
            self.model
                .nodes
                .get(node_index as usize)
                .map(|node| node.content)
        };
        let is_line = |node_index: &&u32| {
            use NodeContent::{Heading, Paragraph, Row};
            matches!(content(**node_index), Some(Heading(_) | Paragraph | Row))
        };
        let line = self.open.iter().find(is_line).copied();
        self.model.section = line.or(Some(index(self.model.nodes.len())));
    }

    /// Creates a builder for a source of `length` bytes. Memory that is reserved and never touched
    /// is free, reallocation is not.
    #[must_use]
    pub fn for_source(length: usize) -> Self {
        let mut builder = Self::default();
        builder.model.text.reserve(length / 2);
        builder.model.nodes.reserve(length / 96);
        builder
    }

    /// Counts bytes of the source as read.
    pub fn count_source(&mut self, bytes: usize) {
        self.read = self.read.saturating_add(index(bytes));
    }

    /// Makes a task of the item that was opened last and holds nothing yet; returns false if there
    /// is no such item.
    pub fn mark_task(&mut self, done: bool) -> bool {
        match self.model.nodes.last_mut().map(|node| &mut node.content) {
            Some(NodeContent::Item { task, .. }) => {
                *task = Some(done);
                true
            }
            _ => false,
        }
    }

    /// Adds a node without children.
    pub fn add(&mut self, content: NodeContent) {
        self.model.nodes.push(DocumentNode {
            content,
            end: index(self.model.nodes.len() + 1),
            read: std::mem::take(&mut self.read),
        });
    }

    /// Adds a node that holds whatever is added until it is closed.
    pub fn open(&mut self, content: NodeContent) {
        self.open.push(index(self.model.nodes.len()));
        self.add(content);
    }

    /// True if nothing was added yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.model.nodes.is_empty()
    }

    /// Closes the node that was opened last.
    pub fn close(&mut self) {
        let end = index(self.model.nodes.len());
        if let Some(node_index) = self.open.pop()
            && let Some(node) = self.model.nodes.get_mut(node_index as usize)
        {
            node.end = end;
        }
    }

    /// Closes the node that was opened last, or removes it if it holds nothing.
    pub fn close_unless_empty(&mut self) {
        if self.open.last().copied() == Some(index(self.model.nodes.len().wrapping_sub(1))) {
            self.open.pop();
            let node = self.model.nodes.pop();
            self.count_source(node.map_or(0, |node| node.read as usize));
        } else {
            self.close();
        }
    }

    /// Stores a text for a node.
    pub fn keep(&mut self, text: &str) -> TextSlice {
        let start = self.model.text.len();
        match u32::try_from(start + text.len()) {
            Ok(end) => {
                self.model.text.push_str(text);
                let start = index(start);
                TextSlice { start, end }
            }
            Err(_) => TextSlice::default(),
        }
    }

    /// Stores an address; `absolute` is `None` if it equals `spelling`.
    pub fn keep_address(&mut self, absolute: Option<&str>, spelling: &str) -> AddressId {
        let spelling = self.keep(spelling);
        let absolute = absolute.map_or(spelling, |absolute| self.keep(absolute));
        let id = AddressId(index(self.model.addresses.len()));
        self.model
            .addresses
            .push(LinkAddress { absolute, spelling });
        id
    }

    /// The absolute address as a text.
    pub fn address_text(&self, id: AddressId) -> TextSlice {
        let address = self.model.addresses.get(id.0 as usize);
        address.map_or_else(TextSlice::default, |address| address.absolute)
    }

    /// A stored text.
    #[must_use]
    pub fn kept_text(&self, slice: TextSlice) -> &str {
        self.model.text(slice)
    }

    /// Number of nodes that were added.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.model.nodes.len()
    }

    /// Bytes of text and addresses stored.
    #[must_use]
    pub fn text_bytes(&self) -> usize {
        self.model.text.len()
    }

    /// Keeps the layout of a table, for its node to name.
    pub fn keep_table(&mut self, table: TableLayout) -> TableId {
        let id = TableId(index(self.model.tables.len()));
        self.model.tables.push(table);
        id
    }

    /// Returns the document; open nodes end with it.
    #[must_use]
    pub fn finish(mut self, title: String) -> DocumentModel {
        while !self.open.is_empty() {
            self.close();
        }
        self.model.title = title;
        self.model
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_opened_holds_what_follows_until_it_is_closed() {
        let mut builder = ModelBuilder::default();
        builder.count_source(3);
        builder.open(NodeContent::Quote);
        builder.open(NodeContent::Paragraph);
        let text = builder.keep("a");
        builder.add(NodeContent::Text(text));
        builder.open(NodeContent::Strong);
        builder.close_unless_empty();
        builder.add(NodeContent::Break);
        builder.close();
        builder.close();
        builder.add(NodeContent::Rule);
        let model = builder.finish(String::new());
        assert_eq!(format!("{model:?}"), "Quote[Paragraph[\"a\" Break]] Rule");
        assert_eq!(model.nodes()[0].end, 4);
        assert_eq!(model.nodes()[0].read, 3);
    }
}
