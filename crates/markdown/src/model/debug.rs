//! Prints a document on one line, which is how tests of readers compare it.

use std::fmt::{self, Debug, Write as _};

use super::{DocumentModel, NodeContent, TextSlice, index};

/// Writes each node with its children in brackets, as `Paragraph["a" Strong["b"]]`.
impl Debug for DocumentModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut ends: Vec<u32> = Vec::new();
        for (node_index, node) in self.nodes.iter().enumerate() {
            if node_index > 0
                && ends.last().is_none_or(|end| *end > index(node_index))
                && !self.is_first(node_index)
            {
                f.write_char(' ')?;
            }
            self.name(f, node.content)?;
            if node.end > index(node_index + 1) {
                f.write_char('[')?;
                ends.push(node.end);
            }
            while ends.last() == Some(&index(node_index + 1)) {
                ends.pop();
                f.write_char(']')?;
            }
        }
        Ok(())
    }
}

impl DocumentModel {
    /// True if a node is the first child of the node before it.
    fn is_first(&self, node_index: usize) -> bool {
        self.nodes[node_index - 1].end > index(node_index)
    }

    fn name(&self, f: &mut fmt::Formatter<'_>, content: NodeContent) -> fmt::Result {
        let title = |f: &mut fmt::Formatter<'_>, title: TextSlice| match self.text(title) {
            "" => f.write_char(')'),
            title => write!(f, " {title:?})"),
        };
        match content {
            NodeContent::Text(text) => write!(f, "{:?}", self.text(text)),
            NodeContent::Code(code) => write!(f, "Code({:?})", self.text(code)),
            NodeContent::CodeBlock { language, code } => {
                let (language, code) = (self.text(language), self.text(code));
                write!(f, "CodeBlock({language:?} {code:?})")
            }
            NodeContent::Link {
                address,
                title: link_title,
            } => {
                write!(f, "Link({:?}", self.address(address).0)?;
                title(f, link_title)
            }
            NodeContent::Image {
                address,
                alt,
                title: link_title,
            } => {
                let (address, alt) = (self.address(address).0, self.text(alt));
                write!(f, "Image({address:?} {alt:?}")?;
                title(f, link_title)
            }
            NodeContent::List { start, tight } => {
                let tight = if tight { "tight" } else { "loose" };
                match start {
                    Some(start) => write!(f, "List({start} {tight})"),
                    None => write!(f, "List({tight})"),
                }
            }
            NodeContent::Item { number, task } => {
                f.write_str("Item")?;
                if let Some(number) = number {
                    write!(f, "({number})")?;
                }
                match task {
                    Some(done) => f.write_str(if done { "(done)" } else { "(to do)" }),
                    None => Ok(()),
                }
            }
            NodeContent::Table(id) => match self.table(id) {
                Some(table) => {
                    let header = if table.header { " header" } else { "" };
                    write!(f, "Table({}{header} {:?})", table.columns, table.aligns)
                }
                None => f.write_str("Table"),
            },
            NodeContent::Cell {
                columns: 1,
                rows: 1,
            } => f.write_str("Cell"),
            NodeContent::Cell { columns, rows } => write!(f, "Cell({columns} by {rows})"),
            other => write!(f, "{other:?}"),
        }
    }
}
