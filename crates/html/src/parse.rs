//! A page's tree within its bound of memory, by counting the bytes of its nodes. The tree is
//! `html2md`'s own, and so is the parser.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::time::Instant;

use html2md::{Handle, NodeData, RcDom};
use html5ever::interface::{
    Attribute, ElementFlags, ExpandedName, NodeOrText, QualName, QuirksMode, TreeSink,
};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::{ParseOpts, parse_document};

use super::reveal::HiddenElements;
use iki_base::wording::floor_boundary;

/// Maximum size of a tree, in bytes as they are counted here.
pub(super) const MAX_TREE_BYTES: usize = 104 * 1024 * 1024;

/// Size of a node without its text and attributes, in bytes, including its slot among its parent's
/// children and the allocator's overhead.
pub(super) const NODE_BYTES: usize = 224;

/// Size of an attribute without its value, in bytes.
const ATTRIBUTE_BYTES: usize = 64;

/// Length of the piece that the parser's own tokenizer gets at a time, in bytes; the bounds are
/// checked before each.
const PIECE_BYTES: usize = 8 * 1024;

/// Parses a page as it stands until `end` or until the tree is too large.
pub(super) fn parse(page: &str, end: Option<Instant>) -> RcDom {
    let mut parser = parse_document(CountingSink::default(), ParseOpts::default());
    let mut unread = page;
    while !unread.is_empty()
        && !parser.tokenizer.sink.sink.is_full()
        && end.is_none_or(|end| Instant::now() < end)
    {
        let (piece, behind) = unread.split_at(floor_boundary(unread, PIECE_BYTES));
        parser.process(StrTendril::from_slice(piece));
        unread = behind;
    }
    parser.finish().0
}

/// A tree sink that counts the size of its tree.
#[derive(Default)]
pub(super) struct CountingSink {
    tree: RcDom,
    used: Cell<usize>,
    veil: RefCell<HiddenElements>,
}

impl CountingSink {
    /// True if the tree is too large.
    pub(super) fn is_full(&self) -> bool {
        self.used.get() > MAX_TREE_BYTES
    }

    fn count(&self, bytes: usize) {
        self.used.set(self.used.get().saturating_add(bytes));
    }

    fn count_attributes(&self, attributes: &[Attribute]) {
        let bytes = |attribute: &Attribute| ATTRIBUTE_BYTES + attribute.value.len();
        self.count(attributes.iter().map(bytes).sum());
    }

    /// Counts a child that is added after `before`; text joins a text node there.
    fn count_text(&self, before: Option<&Handle>, child: &NodeOrText<Handle>) {
        if let NodeOrText::AppendText(text) = child {
            let joins = before.is_some_and(|node| matches!(node.data, NodeData::Text { .. }));
            self.count(text.len() + if joins { 0 } else { NODE_BYTES });
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
        self.count(NODE_BYTES);
        self.count_attributes(&attributes);
        let plain = attributes.is_empty() && &*name.local != "dialog";
        let element = self.tree.create_element(name, attributes, flags);
        if !plain {
            self.veil.borrow_mut().record(&element);
        }
        element
    }

    fn create_comment(&self, text: StrTendril) -> Handle {
        self.count(NODE_BYTES + text.len());
        self.tree.create_comment(text)
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> Handle {
        self.count(NODE_BYTES + target.len() + data.len());
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
        self.count(NODE_BYTES + name.len() + public.len() + system.len());
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
