//! Nodes taken out of a document of which what they hold stays.

use super::{AddressId, Content, Model, Node, Slice, index};

impl Model {
    /// Takes out the nodes `gone`, which are in order, and leaves what they hold where it is.
    pub(in crate::document) fn prune(&mut self, gone: &[usize]) {
        if gone.is_empty() {
            return;
        }
        let before = |at: u32| index(gone.partition_point(|gone| index(*gone) < at));
        let mut gone_next = gone.iter().peekable();
        let mut read = 0_u32;
        let nodes = std::mem::take(&mut self.nodes);
        let kept = nodes.into_iter().enumerate().filter_map(|(at, node)| {
            read = read.saturating_add(node.read);
            if gone_next.next_if(|gone| **gone == at).is_some() {
                return None;
            }
            Some(Node {
                content: node.content,
                end: node.end - before(node.end),
                read: std::mem::take(&mut read),
            })
        });
        self.nodes = kept.collect();
    }

    /// Takes the title from the link that is node `at`.
    pub(in crate::document) fn untitle(&mut self, at: usize) {
        if let Some(Content::Link { title, .. }) =
            self.nodes.get_mut(at).map(|node| &mut node.content)
        {
            *title = Slice::default();
        }
    }

    /// The address and the title of node `at`, if it is a link.
    pub(in crate::document) fn link(&self, at: usize) -> Option<(AddressId, Slice)> {
        match self.nodes.get(at)?.content {
            Content::Link { address, title } => Some((address, title)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Builder;
    use super::*;

    #[test]
    fn what_a_node_holds_stays_where_it_was() {
        let mut builder = Builder::default();
        builder.open(Content::Quote);
        builder.read(2);
        builder.open(Content::Paragraph);
        builder.read(3);
        builder.open(Content::Strong);
        let text = builder.keep("a");
        builder.add(Content::Text(text));
        builder.close();
        builder.open(Content::Emphasis);
        builder.open(Content::Deleted);
        builder.add(Content::Text(text));
        builder.close();
        builder.close();
        builder.close();
        builder.close();
        builder.add(Content::Rule);
        let mut model = builder.finish(String::new());
        model.prune(&[1, 2, 4]);
        assert_eq!(format!("{model:?}"), "Quote[\"a\" Deleted[\"a\"]] Rule");
        assert_eq!(model.nodes()[1].read, 5);
        model.prune(&[0]);
        assert_eq!(format!("{model:?}"), "\"a\" Deleted[\"a\"] Rule");
    }
}
