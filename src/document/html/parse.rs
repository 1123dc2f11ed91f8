//! Building a page's tree within bounds: memory, by counting the bytes of its nodes, and time, by
//! the clock. The content parsed before a bound is reached is the page.
//!
//! The tree is `html2md`'s own; the parser is the one that it uses, fed piece by piece by
//! [`PageTokenizer`].

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::time::Instant;

use html2md::{Handle, NodeData, RcDom};
use html5ever::interface::{
    Attribute, ElementFlags, ExpandedName, NodeOrText, QualName, QuirksMode, TreeSink,
};
use html5ever::tendril::{StrTendril, TendrilSink};
use memchr::memrchr2;

use super::reveal::HiddenElements;
use super::tokens::PageTokenizer;
use super::unseen_text;
use crate::basics::words::floor_boundary;

/// Maximum size of a tree, in bytes as they are counted here.
const MAX_TREE: usize = 104 * 1024 * 1024;

/// Size of a node without its text and attributes, in bytes, including its slot among its parent's
/// children and the allocator's overhead.
const NODE: usize = 224;

/// Size of an attribute without its value, in bytes.
const ATTRIBUTE: usize = 64;

/// Length of the piece that the parser gets at a time, in bytes; the bounds are checked after each.
const PIECE: usize = 8 * 1024;

/// The bound at which the parser stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParseLimit {
    Memory,
    Time,
}

/// Parses `page` until `end`; returns its tree, its hidden elements and the bound that was reached.
pub(super) fn parse(
    page: &str,
    end: Option<Instant>,
) -> (RcDom, HiddenElements, Option<ParseLimit>) {
    let mut tokens = PageTokenizer::new(page, end);
    let short = tokens.read().err();
    let (tree, mut veil) = tokens.into_parser().finish();
    if veil.dims {
        veil.hidden.extend(unseen_text::hide(&tree));
    }
    (tree, veil, short)
}

/// Returns the end of the first piece of `page`: before a tag or a reference, so that no piece ends
/// within one.
pub(super) fn piece_end(page: &str) -> usize {
    let most = floor_boundary(page, PIECE);
    if most == page.len() {
        return most;
    }
    match memrchr2(b'<', b'&', &page.as_bytes()[..most]) {
        Some(markup) if markup > 0 => markup,
        _ => most,
    }
}

/// A tree sink that counts the size of its tree.
#[derive(Default)]
pub(super) struct CountingSink {
    tree: RcDom,
    used: Cell<usize>,
    veil: RefCell<HiddenElements>,
}

impl CountingSink {
    /// Returns an error if the tree is too large or `end` has passed.
    pub(super) fn check_limits(&self, end: Option<Instant>) -> Result<(), ParseLimit> {
        if self.used.get() > MAX_TREE {
            return Err(ParseLimit::Memory);
        }
        if end.is_some_and(|end| Instant::now() >= end) {
            return Err(ParseLimit::Time);
        }
        Ok(())
    }

    /// Returns the size of the tree, in bytes as they are counted here.
    #[cfg(test)]
    pub(super) fn used(&self) -> usize {
        self.used.get()
    }

    fn count(&self, bytes: usize) {
        self.used.set(self.used.get().saturating_add(bytes));
    }

    fn count_attributes(&self, attributes: &[Attribute]) {
        let bytes = |attribute: &Attribute| ATTRIBUTE + attribute.value.len();
        self.count(attributes.iter().map(bytes).sum());
    }

    /// Counts a child that is added after `before`; text joins a text node there.
    fn count_text(&self, before: Option<&Handle>, child: &NodeOrText<Handle>) {
        if let NodeOrText::AppendText(text) = child {
            let joins = before.is_some_and(|node| matches!(node.data, NodeData::Text { .. }));
            self.count(text.len() + if joins { 0 } else { NODE });
        }
    }
}

impl TreeSink for CountingSink {
    type Handle = Handle;
    type Output = (RcDom, HiddenElements);
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> (RcDom, HiddenElements) {
        (self.tree, self.veil.into_inner())
    }

    /// Parse errors are ignored.
    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        self.tree.get_document()
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        self.tree.elem_name(target)
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> Handle {
        self.count(NODE);
        self.count_attributes(&attributes);
        let plain = attributes.is_empty() && &*name.local != "dialog";
        let element = self.tree.create_element(name, attributes, flags);
        if !plain {
            self.veil.borrow_mut().record(&element);
        }
        element
    }

    fn create_comment(&self, text: StrTendril) -> Handle {
        self.count(NODE + text.len());
        self.tree.create_comment(text)
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> Handle {
        self.count(NODE + target.len() + data.len());
        self.tree.create_pi(target, data)
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.count_text(parent.children.borrow().last(), &child);
        self.tree.append(parent, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        previous: &Handle,
        child: NodeOrText<Handle>,
    ) {
        self.count_text(None, &child);
        self.tree
            .append_based_on_parent_node(element, previous, child);
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        self.count(NODE + name.len() + public.len() + system.len());
        self.tree.append_doctype_to_document(name, public, system);
    }

    fn mark_script_already_started(&self, node: &Handle) {
        self.tree.mark_script_already_started(node);
    }

    fn get_template_contents(&self, target: &Handle) -> Handle {
        self.tree.get_template_contents(target)
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        self.tree.same_node(x, y)
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.tree.set_quirks_mode(mode);
    }

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        self.count_text(None, &child);
        self.tree.append_before_sibling(sibling, child);
    }

    fn add_attrs_if_missing(&self, target: &Handle, attributes: Vec<Attribute>) {
        self.count_attributes(&attributes);
        self.tree.add_attrs_if_missing(target, attributes);
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.tree.remove_from_parent(target);
    }

    fn reparent_children(&self, node: &Handle, parent: &Handle) {
        self.tree.reparent_children(node, parent);
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &Handle) -> bool {
        self.tree.is_mathml_annotation_xml_integration_point(target)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_page_that_is_small_is_parsed_whole() {
        assert_eq!(parse("<p>é", None).2, None);
        assert_eq!(parse(&"é<b>".repeat(PIECE), None).2, None);
    }

    #[test]
    fn no_piece_ends_within_a_tag_or_a_reference() {
        let page = "<p class=x>a&amp;".repeat(PIECE);
        let end = piece_end(&page);
        assert!(end <= PIECE && (page[end..].starts_with('<') || page[end..].starts_with('&')));
        assert_eq!(piece_end("<p>a"), 4);
        assert_eq!(piece_end(&"é".repeat(PIECE)), PIECE);
    }

    #[test]
    fn the_parser_stops_at_the_end_of_its_memory_and_of_its_time() {
        let page = "<p>a".repeat(MAX_TREE / NODE);
        assert_eq!(parse(&page, None).2, Some(ParseLimit::Memory));
        let text = "a&lt;&amp;".repeat(MAX_TREE / NODE);
        assert_eq!(parse(&text, None).2, None);
        let now = Instant::now();
        assert_eq!(parse(&page, Some(now)).2, Some(ParseLimit::Time));
        let later = now + Duration::from_secs(3600);
        assert_eq!(parse(&"a ".repeat(PIECE), Some(later)).2, None);
    }
}
