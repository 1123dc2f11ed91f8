//! Lists, their items, and content of a list outside its items.
//!
//! Rules: HTML Living Standard, `ol` (`start`, `reversed`) and `li` (`value`).

use html2md::{Handle, NodeData};

use super::super::dom::{self, ElementKind};
use super::super::preformatted;
use super::{ElementExit, TreeWalk, WalkFrame};
use iki_markdown::model::NodeContent;

/// A list around the place that the walk has reached.
#[derive(Default)]
pub(super) struct OpenList {
    /// True if an item of it is open.
    has_item: bool,
    /// The number of its next item, if it counts down.
    next: Option<u32>,
}

/// Returns the number of the first item of a list that counts down.
pub(super) fn reversed_start(list: &Handle) -> Option<u32> {
    dom::attribute(list, "reversed")?;
    let children = list.children.borrow();
    let is_item =
        |node: &&Handle| dom::kind(node) == Some(ElementKind::Item) && !dom::is_hidden(node);
    let items = children.iter().filter(is_item).count();
    Some(u32::try_from(items).unwrap_or(u32::MAX))
}

impl TreeWalk {
    pub(super) fn enter_list(&mut self, node: &Handle, ordered: bool) -> ElementExit {
        let reversed = reversed_start(node).filter(|_| ordered);
        let start = dom::attribute(node, "start")
            .and_then(|start| start.trim().parse::<i64>().ok())
            .map(|start| u32::try_from(start.max(0)).unwrap_or(u32::MAX))
            .or(reversed)
            .unwrap_or(1);
        self.enter_container(NodeContent::List {
            start: ordered.then_some(start),
            tight: !preformatted::holds_paragraphs(node),
        });
        self.lists.push(OpenList {
            has_item: false,
            next: reversed.map(|_| start),
        });
        ElementExit::List
    }

    pub(super) fn leave_list(&mut self) {
        self.flow.end();
        if self.lists.pop().is_some_and(|list| list.has_item) {
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
        if self.lists.last().is_some_and(|list| !list.has_item) {
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
        match self.lists.last_mut() {
            Some(list) if inside => {
                if std::mem::replace(&mut list.has_item, true) {
                    self.flow.build.close();
                }
                let number = number.or(list.next);
                list.next = list.next.and(number).map(|number| number.saturating_sub(1));
                self.flow
                    .build
                    .open(NodeContent::Item { number, task: None });
                ElementExit::Item
            }
            _ => self.enter_container(NodeContent::Item { number, task: None }),
        }
    }
}
