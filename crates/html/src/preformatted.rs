//! Preformatted text, read unchanged from the tree, and properties of `pre` and lists.
//!
//! Rules: HTML Living Standard, `pre`; inside it every character counts, and a block or `br`
//! begins a new line.

use html2md::{Handle, NodeData};

use super::dom::{self, ElementKind};
use super::{code, table};

/// Returns the text of a subtree without hidden elements; blocks and `br` begin new lines.
pub(super) fn text_of(node: &Handle) -> String {
    enum SubtreeStep {
        Enter(Handle),
        EndLine,
    }
    let mut text = String::new();
    let mut steps = Vec::new();
    let push = |steps: &mut Vec<SubtreeStep>, node: &Handle| {
        let mut children: Vec<Handle> = node.children.borrow().clone();
        let kind = dom::kind(node);
        if kind == Some(ElementKind::Block) && children.iter().any(is_block) {
            remove_layout(&mut children);
        }
        if kind == Some(ElementKind::Row) {
            children.retain(|cell| dom::kind(cell).is_some());
            if let [first, second, ..] = &children[..]
                && table::is_gutter(first, Some(second), true)
            {
                children.remove(0);
            }
        }
        steps.extend(children.into_iter().rev().map(SubtreeStep::Enter));
    };
    push(&mut steps, node);
    let mut line_due = false;
    while let Some(step) = steps.pop() {
        let SubtreeStep::Enter(node) = step else {
            line_due = true;
            continue;
        };
        match &node.data {
            NodeData::Text { contents } => {
                let contents = contents.borrow();
                let goes_on = !text.is_empty() && !text.ends_with('\n');
                if std::mem::take(&mut line_due) && goes_on && !contents.starts_with('\n') {
                    text.push('\n');
                }
                text.push_str(&contents);
            }
            NodeData::Element { name, .. } => {
                let kind = dom::kind_of(&name.local);
                match kind {
                    ElementKind::Dropped => {}
                    _ if dom::is_hidden(&node) => {}
                    ElementKind::Break => text.push('\n'),
                    ElementKind::Image => {
                        text.push_str(&dom::attribute(&node, "alt").unwrap_or_default());
                    }
                    ElementKind::Block
                    | ElementKind::Heading(_)
                    | ElementKind::Preformatted
                    | ElementKind::Quote
                    | ElementKind::Bullets
                    | ElementKind::Numbers
                    | ElementKind::Item
                    | ElementKind::Definition
                    | ElementKind::Table
                    | ElementKind::Rule
                    | ElementKind::Row => {
                        line_due = true;
                        steps.push(SubtreeStep::EndLine);
                        push(&mut steps, &node);
                    }
                    _ => push(&mut steps, &node),
                }
            }
            _ => {}
        }
    }
    if text.contains('\r') {
        // A carriage return is a line end for every reader.
        text = text.replace("\r\n", "\n").replace('\r', "\n");
    }
    text
}

fn is_block(node: &Handle) -> bool {
    dom::kind(node) == Some(ElementKind::Block)
}

/// Removes the line end between two boxes, which only lays out the source; all other whitespace is
/// the code's.
fn remove_layout(children: &mut Vec<Handle>) {
    let boxes: Vec<bool> = children.iter().map(is_block).collect();
    let mut index = 0_usize;
    children.retain(|child| {
        let near = [index.checked_sub(1), Some(index + 1)];
        index += 1;
        let is_between = near.iter().all(|near| {
            let box_near = near.and_then(|near| boxes.get(near));
            box_near.is_none_or(|is_box| *is_box)
        });
        let is_blank_line = match &child.data {
            NodeData::Text { contents } => contents.borrow().matches('\n').count() > 1,
            _ => false,
        };
        !is_between || is_blank_line || !dom::is_blank(child)
    });
}

/// True if a `pre` contains `code`, which makes it a code block even if it is empty.
pub(super) fn holds_code(node: &Handle) -> bool {
    node.children
        .borrow()
        .iter()
        .any(|child| dom::kind(child) == Some(ElementKind::Code))
}

/// Returns the language of a `pre`: its own, that of the `code` or box in it, or that of the boxes
/// around it.
pub(super) fn language<'a>(
    node: &Handle,
    around: impl Iterator<Item = &'a Handle>,
) -> Option<String> {
    let inner = node
        .children
        .borrow()
        .iter()
        .find(|child| dom::kind(child) == Some(ElementKind::Code))
        .and_then(|code| dom::with_attributes(code, code::language));
    inner
        .or_else(|| dom::with_attributes(node, code::language))
        .or_else(|| {
            let children = node.children.borrow();
            let first = children.iter().find(|child| dom::kind(child).is_some())?;
            dom::with_attributes(first, code::language_around)
        })
        .or_else(|| {
            around
                .filter(|node| !matches!(dom::name(node), "html" | "body"))
                .find_map(|node| dom::with_attributes(node, code::language_around))
        })
}

/// True if an item of the list contains a paragraph, so that the list is loose.
pub(super) fn holds_paragraphs(list: &Handle) -> bool {
    list.children.borrow().iter().any(|item| {
        dom::kind(item) == Some(ElementKind::Item)
            && item
                .children
                .borrow()
                .iter()
                .any(|child| dom::name(child) == "p")
    })
}
