//! A document on one line, for tests.

use std::fmt::{self, Debug, Write as _};

use super::{Content, Model, Slice, index};

/// One line: each node with what it holds in brackets, as `Paragraph["a" Strong["b"]]`.
impl Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut ends: Vec<u32> = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            if at > 0 && ends.last().is_none_or(|end| *end > index(at)) && !self.is_first(at) {
                f.write_char(' ')?;
            }
            self.name(f, node.content)?;
            if node.end > index(at + 1) {
                f.write_char('[')?;
                ends.push(node.end);
            }
            while ends.last() == Some(&index(at + 1)) {
                ends.pop();
                f.write_char(']')?;
            }
        }
        Ok(())
    }
}

impl Model {
    /// Whether a node is the first that the node before it holds.
    fn is_first(&self, at: usize) -> bool {
        self.nodes[at - 1].end > index(at)
    }

    fn name(&self, f: &mut fmt::Formatter<'_>, content: Content) -> fmt::Result {
        let title = |f: &mut fmt::Formatter<'_>, title: Slice| match self.text(title) {
            "" => f.write_char(')'),
            title => write!(f, " {title:?})"),
        };
        match content {
            Content::Text(text) => write!(f, "{:?}", self.text(text)),
            Content::Code(code) => write!(f, "Code({:?})", self.text(code)),
            Content::CodeBlock { language, code } => {
                let (language, code) = (self.text(language), self.text(code));
                write!(f, "CodeBlock({language:?} {code:?})")
            }
            Content::Link {
                address,
                title: said,
            } => {
                write!(f, "Link({:?}", self.address(address).0)?;
                title(f, said)
            }
            Content::Image {
                address,
                alt,
                title: said,
            } => {
                let (address, alt) = (self.address(address).0, self.text(alt));
                write!(f, "Image({address:?} {alt:?}")?;
                title(f, said)
            }
            Content::List { start, tight } => {
                let tight = if tight { "tight" } else { "loose" };
                match start {
                    Some(start) => write!(f, "List({start} {tight})"),
                    None => write!(f, "List({tight})"),
                }
            }
            Content::Item { number, task } => {
                f.write_str("Item")?;
                if let Some(number) = number {
                    write!(f, "({number})")?;
                }
                match task {
                    Some(done) => f.write_str(if done { "(done)" } else { "(to do)" }),
                    None => Ok(()),
                }
            }
            Content::Table(id) => match self.table(id) {
                Some(table) => {
                    let header = if table.header { " header" } else { "" };
                    write!(f, "Table({}{header} {:?})", table.columns, table.aligns)
                }
                None => f.write_str("Table"),
            },
            Content::Cell {
                columns: 1,
                rows: 1,
            } => f.write_str("Cell"),
            Content::Cell { columns, rows } => write!(f, "Cell({columns} by {rows})"),
            other => write!(f, "{other:?}"),
        }
    }
}
