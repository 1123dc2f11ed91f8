//! Hides text that its inherited size, colour or indent makes invisible.
//!
//! Rules: CSS Cascading 4, "Inheritance". An element without visible text is hidden as a whole; if
//! some of its text is visible again, only the rest is hidden.

use html2md::{Handle, NodeData, RcDom};
use html5ever::interface::{Attribute, ElementFlags, QualName, TreeSink};
use html5ever::{local_name, ns};

use super::css::{HidingMethod, InlineStyle, TextLooks};
use super::dom::{self, ElementKind};
use super::prefilter::visibility;

struct OpenElement {
    node: Handle,
    next: usize,
    text: TextLooks,
    /// True if some of its content is visible.
    seen: bool,
    /// Its invisible elements, and the indexes of its invisible texts.
    unseen: Vec<Handle>,
    texts: Vec<usize>,
}

/// Hides invisible text in a tree; returns the hidden elements.
pub(super) fn hide(tree: &RcDom) -> Vec<Handle> {
    let mut hidden = Vec::new();
    let mut stack = vec![frame(&tree.document, TextLooks::default())];
    while let Some(here) = stack.last_mut() {
        let child = here.node.children.borrow().get(here.next).cloned();
        here.next += 1;
        let Some(child) = child else {
            let Some(done) = stack.pop() else { break };
            leave(tree, done, stack.last_mut(), &mut hidden);
            continue;
        };
        match &child.data {
            NodeData::Text { contents } if !contents.borrow().trim().is_empty() => {
                if here.text.is_unseen() {
                    here.texts.push(here.next - 1);
                } else {
                    here.seen = true;
                }
            }
            NodeData::Element { .. } => match dom::kind(&child) {
                Some(ElementKind::Dropped) => {}
                Some(
                    ElementKind::Image
                    | ElementKind::Media
                    | ElementKind::Input
                    | ElementKind::Rule,
                ) => here.seen = true,
                kind => {
                    let text = text_of(&child, kind, &here.text);
                    stack.push(frame(&child, text));
                }
            },
            _ => {}
        }
    }
    hidden
}

fn frame(node: &Handle, text: TextLooks) -> OpenElement {
    OpenElement {
        node: node.clone(),
        next: 0,
        text,
        seen: false,
        unseen: Vec::new(),
        texts: Vec::new(),
    }
}

fn text_of(node: &Handle, kind: Option<ElementKind>, around: &TextLooks) -> TextLooks {
    let text = match dom::name(node) {
        "a" if dom::attribute(node, "href").is_some() => around.recoloured(),
        "mark" => around.recoloured(),
        _ if kind == Some(ElementKind::Boxed) => TextLooks::default(),
        _ => *around,
    };
    match dom::attribute(node, "style") {
        Some(style) => text.within(
            &InlineStyle::parse(&style),
            visibility::is_boxed(dom::name(node)),
        ),
        None => text,
    }
}

fn leave(
    tree: &RcDom,
    done: OpenElement,
    around: Option<&mut OpenElement>,
    hidden: &mut Vec<Handle>,
) {
    let has_unseen = !done.unseen.is_empty() || !done.texts.is_empty();
    // A hidden element may yet be shown, but without its invisible text.
    if let Some(around) = around.filter(|_| !dom::is_hidden(&done.node)) {
        if !done.seen {
            if has_unseen {
                around.unseen.push(done.node);
            }
            return;
        }
        around.seen = true;
    }
    for element in done.unseen {
        hide_element(&element);
        hidden.push(element);
    }
    for index in done.texts {
        let name = QualName::new(None, ns!(html), local_name!("span"));
        let span = tree.create_element(name, Vec::new(), ElementFlags::default());
        hide_element(&span);
        let mut children = done.node.children.borrow_mut();
        let text = std::mem::replace(&mut children[index], span.clone());
        text.parent.set(Some(std::rc::Rc::downgrade(&span)));
        span.children.borrow_mut().push(text);
        span.parent.set(Some(std::rc::Rc::downgrade(&done.node)));
        hidden.push(span);
    }
}

fn hide_element(node: &Handle) {
    if let NodeData::Element { attrs, .. } = &node.data {
        attrs.borrow_mut().push(Attribute {
            name: QualName::new(None, ns!(), dom::HIDING.into()),
            value: HidingMethod::Unseen.name().into(),
        });
    }
}
