//! A document put behind another one.

use super::{Address, AddressId, Builder, Content, Model, Node, Slice, TableId, index};

impl Builder {
    /// Adds all that `model` holds. Each of its addresses is asked for by `address`, absolute and
    /// as it is spelled, which says another one where that shall stand instead.
    pub(in crate::document) fn append(
        &mut self,
        model: &Model,
        mut address: impl FnMut(&str, &str) -> Option<String>,
    ) {
        let own = &self.model;
        let total = own.text.len() + model.text.len();
        if u32::try_from(total).is_err() {
            return;
        }
        let by = Shift {
            text: index(own.text.len()),
            nodes: index(own.nodes.len()),
            addresses: index(own.addresses.len()),
            tables: index(own.tables.len()),
        };
        self.model.text.push_str(&model.text);
        for old in &model.addresses {
            let (absolute, spelling) = (model.text(old.absolute), model.text(old.spelling));
            let new = match address(absolute, spelling) {
                Some(new) => {
                    let new = self.keep(&new);
                    Address {
                        absolute: new,
                        spelling: new,
                    }
                }
                None => Address {
                    absolute: by.slice(old.absolute),
                    spelling: by.slice(old.spelling),
                },
            };
            self.model.addresses.push(new);
        }
        self.model.tables.extend(model.tables.iter().cloned());
        self.model.nodes.extend(model.nodes.iter().map(|node| Node {
            content: by.content(node.content),
            end: node.end + by.nodes,
            read: node.read,
        }));
    }
}

/// How far what is appended lies behind where it was.
struct Shift {
    text: u32,
    nodes: u32,
    addresses: u32,
    tables: u32,
}

impl Shift {
    fn slice(&self, slice: Slice) -> Slice {
        Slice {
            start: slice.start + self.text,
            end: slice.end + self.text,
        }
    }

    fn address(&self, id: AddressId) -> AddressId {
        AddressId(id.0 + self.addresses)
    }

    fn content(&self, content: Content) -> Content {
        match content {
            Content::CodeBlock { language, code } => Content::CodeBlock {
                language: self.slice(language),
                code: self.slice(code),
            },
            Content::Table(id) => Content::Table(TableId(id.0 + self.tables)),
            Content::Text(text) => Content::Text(self.slice(text)),
            Content::Code(code) => Content::Code(self.slice(code)),
            Content::Link { address, title } => Content::Link {
                address: self.address(address),
                title: self.slice(title),
            },
            Content::Image {
                address,
                alt,
                title,
            } => Content::Image {
                address: self.address(address),
                alt: self.slice(alt),
                title: self.slice(title),
            },
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_appended_stays_as_it_was() {
        let made = || {
            let mut builder = Builder::default();
            let address = builder.keep_address(Some("epub:/a"), "a");
            let title = builder.keep("t");
            builder.open(Content::Paragraph);
            builder.open(Content::Link { address, title });
            let text = builder.keep("x");
            builder.add(Content::Text(text));
            builder.finish(String::new())
        };
        let mut builder = Builder::default();
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
