//! Removes nodes from a document and keeps their children.

use super::{AddressId, DocumentModel, DocumentNode, NodeContent, TextSlice, index};

impl DocumentModel {
    /// Removes the nodes at the sorted indices `gone`; their children stay in place.
    pub fn prune(&mut self, gone: &[usize]) {
        if gone.is_empty() {
            return;
        }
        let before =
            |node_index: u32| index(gone.partition_point(|gone| index(*gone) < node_index));
        let mut gone_next = gone.iter().peekable();
        let mut read = 0_u32;
        let nodes = std::mem::take(&mut self.nodes);
        let remaining = nodes
            .into_iter()
            .enumerate()
            .filter_map(|(node_index, node)| {
                read = read.saturating_add(node.read);
                if gone_next.next_if(|gone| **gone == node_index).is_some() {
                    return None;
                }
                Some(DocumentNode {
                    content: node.content,
                    end: node.end - before(node.end),
                    read: std::mem::take(&mut read),
                })
            });
        self.nodes = remaining.collect();
        self.section = self
            .section
            .map(|node_index| node_index - before(node_index));
    }

    /// Removes the title of the link that is node `index`.
    pub fn clear_link_title(&mut self, index: usize) {
        if let Some(NodeContent::Link { title, .. }) =
            self.nodes.get_mut(index).map(|node| &mut node.content)
        {
            *title = TextSlice::default();
        }
    }

    /// Returns the address and the title of node `index`, if it is a link.
    #[must_use]
    pub fn link(&self, index: usize) -> Option<(AddressId, TextSlice)> {
        match self.nodes.get(index)?.content {
            NodeContent::Link { address, title } => Some((address, title)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ModelBuilder;
    use super::*;

    #[test]
    fn what_a_node_holds_stays_where_it_was() {
        let mut builder = ModelBuilder::default();
        builder.open(NodeContent::Quote);
        builder.count_source(2);
        builder.open(NodeContent::Paragraph);
        builder.count_source(3);
        builder.open(NodeContent::Strong);
        let text = builder.keep("a");
        builder.add(NodeContent::Text(text));
        builder.close();
        builder.open(NodeContent::Emphasis);
        builder.open(NodeContent::Deleted);
        builder.add(NodeContent::Text(text));
        builder.close();
        builder.close();
        builder.close();
        builder.close();
        builder.add(NodeContent::Rule);
        let mut model = builder.finish(String::new());
        model.prune(&[1, 2, 4]);
        assert_eq!(format!("{model:?}"), "Quote[\"a\" Deleted[\"a\"]] Rule");
        assert_eq!(model.nodes()[1].read, 5);
        model.prune(&[0]);
        assert_eq!(format!("{model:?}"), "\"a\" Deleted[\"a\"] Rule");
    }
}
