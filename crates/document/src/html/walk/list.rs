//! Lists, their items, and content of a list outside its items.
//!
//! Rules: HTML Living Standard, `ol` (`start`) and `li` (`value`).

use html2md::{Handle, NodeData};

use super::super::dom::{self, ElementKind};
use super::super::preformatted;
use super::{ElementExit, TreeWalk, WalkFrame};
use crate::model::NodeContent;

impl TreeWalk {
    pub(super) fn enter_list(&mut self, node: &Handle, ordered: bool) -> ElementExit {
        let start = dom::attribute(node, "start")
            .and_then(|start| start.trim().parse::<i64>().ok())
            .map_or(1, |start| u32::try_from(start.max(0)).unwrap_or(u32::MAX));
        self.enter_container(NodeContent::List {
            start: ordered.then_some(start),
            tight: !preformatted::holds_paragraphs(node),
        });
        self.lists.push(false);
        ElementExit::List
    }

    pub(super) fn leave_list(&mut self) {
        self.flow.end();
        if self.lists.pop() == Some(true) {
            self.flow.build.close();
        }
        self.flow.build.close();
    }

    /// Adds content of a list outside its items to the item before it.
    pub(super) fn list_child(&mut self, child: &Handle) {
        let stray = match &child.data {
            NodeData::Text { contents } => !contents
                .borrow()
                .bytes()
                .all(|byte| byte.is_ascii_whitespace()),
            NodeData::Element { name, .. } => {
                !matches!(
                    dom::kind_of(&name.local),
                    ElementKind::Item | ElementKind::Dropped
                ) && !dom::is_hidden(child)
            }
            _ => false,
        };
        if !stray {
            return;
        }
        self.flow.end();
        if self.lists.last() == Some(&false) {
            self.enter_item(child);
        }
        self.stack.push(WalkFrame {
            node: child.clone(),
            next: usize::MAX,
            exit: ElementExit::Item,
        });
    }

    /// Begins an item, which stays open until the next one or the end of its list.
    pub(super) fn enter_item(&mut self, node: &Handle) -> ElementExit {
        self.flow.end();
        let inside = self.is_in(ElementExit::List);
        let number = dom::attribute(node, "value")
            .filter(|_| inside && dom::kind(node) == Some(ElementKind::Item))
            .and_then(|value| value.trim().parse::<u64>().ok())
            .map(|value| u32::try_from(value).unwrap_or(u32::MAX));
        let item = NodeContent::Item { number, task: None };
        match self.lists.last_mut() {
            Some(open) if inside => {
                if std::mem::replace(open, true) {
                    self.flow.build.close();
                }
                self.flow.build.open(item);
                ElementExit::Item
            }
            _ => self.enter_container(item),
        }
    }
}
