//! Appends a document to another one.

use super::{
    DocumentModel, DocumentNode, LinkAddress, ModelBuilder, NodeContent, TextSlice, index,
};

impl ModelBuilder {
    /// Adds all nodes of `model`. For each of its addresses, absolute and as spelled, `address` may
    /// return a replacement.
    pub fn append(
        &mut self,
        model: &DocumentModel,
        mut address: impl FnMut(&str, &str) -> Option<String>,
    ) {
        let target = &self.model;
        let total = target.text.len() + model.text.len();
        if u32::try_from(total).is_err() {
            return;
        }
        let by = IndexOffsets {
            text: index(target.text.len()),
            nodes: index(target.nodes.len()),
            addresses: index(target.addresses.len()),
            tables: index(target.tables.len()),
        };
        self.model.text.push_str(&model.text);
        for old in &model.addresses {
            let (absolute, spelling) = (model.text(old.absolute), model.text(old.spelling));
            let new = match address(absolute, spelling) {
                Some(new) => {
                    let new = self.keep(&new);
                    LinkAddress {
                        absolute: new,
                        spelling: new,
                    }
                }
                None => LinkAddress {
                    absolute: by.slice(old.absolute),
                    spelling: by.slice(old.spelling),
                },
            };
            self.model.addresses.push(new);
        }
        self.model.tables.extend(model.tables.iter().cloned());
        self.model
            .nodes
            .extend(model.nodes.iter().map(|node| DocumentNode {
                content: by.content(node.content),
                end: node.end + by.nodes,
                read: node.read,
            }));
    }

    /// Puts the mark of a note in place of each image, from the node `first` on, to whose address
    /// `number` gives one.
    pub fn mark_notes(&mut self, first: usize, number: fn(&str) -> Option<u32>) {
        for index in first..self.model.nodes.len() {
            if let NodeContent::Image { address, .. } = self.model.nodes[index].content
                && let Some(number) = number(self.kept_text(self.address_text(address)))
            {
                self.model.nodes[index].content = NodeContent::NoteMark(number);
            }
        }
    }
}

/// Offsets between indices in the appended document and in the whole.
struct IndexOffsets {
    text: u32,
    nodes: u32,
    addresses: u32,
    tables: u32,
}

impl IndexOffsets {
    fn slice(&self, slice: TextSlice) -> TextSlice {
        TextSlice {
            start: slice.start + self.text,
            end: slice.end + self.text,
        }
    }

    fn content(&self, mut content: NodeContent) -> NodeContent {
        match &mut content {
            NodeContent::Text(text) | NodeContent::Code(text) => *text = self.slice(*text),
            NodeContent::CodeBlock { language, code } => {
                (*language, *code) = (self.slice(*language), self.slice(*code));
            }
            NodeContent::Table(id) => id.0 += self.tables,
            NodeContent::Link { address, title } => {
                address.0 += self.addresses;
                *title = self.slice(*title);
            }
            NodeContent::Image {
                address,
                alt,
                title,
            } => {
                address.0 += self.addresses;
                (*alt, *title) = (self.slice(*alt), self.slice(*title));
            }
            _ => {}
        }
        content
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_appended_stays_as_it_was() {
        let made = || {
            let mut builder = ModelBuilder::default();
            let address = builder.keep_address(Some("epub:/a"), "a");
            let title = builder.keep("t");
            builder.open(NodeContent::Paragraph);
            builder.open(NodeContent::Link { address, title });
            let text = builder.keep("x");
            builder.add(NodeContent::Text(text));
            builder.finish(String::new())
        };
        let mut builder = ModelBuilder::default();
        for _ in 0..2 {
            builder.append(&made(), |absolute, spelling| {
                assert_eq!((absolute, spelling), ("epub:/a", "a"));
                Some("#b".to_owned())
            });
        }
        builder.append(&made(), |_, _| None);
        let one = |address: &str| format!("Paragraph[Link({address:?} \"t\")[\"x\"]]");
        assert_eq!(
            format!("{:?}", builder.finish(String::new())),
            [one("#b"), one("#b"), one("epub:/a")].join(" ")
        );
    }
}
