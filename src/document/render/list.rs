//! Lists and their items, and what stands in a list outside its items.
//!
//! Rules: `CommonMark` 0.31.2, "List items" and "Lists"; HTML Living Standard, `ol` (`start`)
//! and `li` (`value`).

use html2md::{Handle, NodeData};

use super::super::dom::{self, Kind};
use super::super::pre;
use super::super::sheet::{Block, Holder};
use super::{Exit, Frame, List, Walk};

impl Walk {
    pub(super) fn enter_list(&mut self, node: &Handle, ordered: bool) -> Exit {
        let holder = if pre::holds_paragraphs(node) {
            Holder::Loose
        } else {
            Holder::TightList
        };
        let marks = if ordered { ['.', ')'] } else { ['-', '*'] };
        self.inline.end();
        let after_same =
            matches!(self.inline.sheet.last(), Block::List(mark, _) if mark == marks[0]);
        let mark = marks[usize::from(after_same)];
        let number = dom::attribute(node, "start")
            .and_then(|start| start.trim().parse::<i64>().ok())
            .map_or(1, |start| u64::try_from(start).unwrap_or(0));
        self.container(Block::List(mark, !ordered || number == 1));
        self.inline.sheet.open(holder, "", None);
        self.lists.push(List {
            ordered,
            number,
            mark,
            holder,
            width: 0,
        });
        Exit::List
    }

    /// What stands in a list outside its items goes on with the item before it.
    pub(super) fn list_child(&mut self, child: &Handle) {
        let stray = match &child.data {
            NodeData::Text { contents } => !contents
                .borrow()
                .bytes()
                .all(|byte| byte.is_ascii_whitespace()),
            NodeData::Element { name, .. } => {
                !matches!(dom::kind_of(&name.local), Kind::Item | Kind::Dropped)
                    && !dom::is_hidden(child)
            }
            _ => false,
        };
        if !stray {
            return;
        }
        self.inline.end();
        match self.lists.last() {
            Some(list) if list.width > 0 => {
                let (prefix, holder) = (" ".repeat(list.width), item_holder(list.holder));
                self.inline.sheet.announce(Block::Item);
                self.inline.sheet.open(holder, &prefix, None);
            }
            _ => {
                self.enter_item(child);
            }
        }
        self.stack.push(Frame {
            node: child.clone(),
            next: usize::MAX,
            exit: Exit::Item,
        });
    }

    pub(super) fn enter_item(&mut self, node: &Handle) -> Exit {
        self.inline.end();
        let inside = self
            .stack
            .last()
            .is_some_and(|frame| frame.exit == Exit::List);
        let (marker, holder) = match self.lists.last_mut() {
            Some(list) if inside => {
                let marker = if list.ordered {
                    let value = dom::attribute(node, "value")
                        .filter(|_| dom::kind(node) == Some(Kind::Item))
                        .and_then(|value| value.trim().parse().ok());
                    let number = value.unwrap_or(list.number).min(999_999_999);
                    list.number = number + 1;
                    format!("{number}{} ", list.mark)
                } else {
                    format!("{} ", list.mark)
                };
                list.width = marker.len();
                (marker, item_holder(list.holder))
            }
            _ => ("- ".to_owned(), Holder::TightItem),
        };
        let block = if inside {
            Block::Item
        } else {
            Block::List('-', true)
        };
        self.container(block);
        let prefix = " ".repeat(marker.len());
        self.inline.sheet.open(holder, &prefix, Some(marker));
        Exit::Item
    }
}

fn item_holder(list: Holder) -> Holder {
    if list == Holder::Loose {
        Holder::Loose
    } else {
        Holder::TightItem
    }
}
