//! Cuts a page's tree into blocks: runs of inline text under one block element. Nothing is left out
//! here; hidden text, controls and code are marked.

use std::borrow::Cow;
use std::collections::HashMap;

use html2md::{Handle, NodeData};

use super::text::{self, TextCounts};
use super::words::{ElementNaming, NamingCache};
use crate::prefilter::{BOX_SPACE, leads_to_neighbour};
use crate::reveal::{is_control, node_id};
use crate::{dom, listing, table};

/// `hidden`.
pub(super) const HIDDEN: u16 = 1;
/// A hiding style.
pub(super) const STYLED: u16 = 2;
/// `aria-hidden`.
pub(super) const ARIA: u16 = 4;
pub(super) const NOSCRIPT: u16 = 8;
/// `select`, `textarea`, `button`.
pub(super) const CONTROL: u16 = 16;
pub(super) const FORM: u16 = 32;
/// `pre` or `code`.
pub(super) const CODE: u16 = 64;
/// A text field, whose text is what it is filled with.
pub(super) const FIELD: u16 = 256;
/// Hidden, and the page does not offer to show it.
pub(super) const UNSEEN: u16 = 128;
/// With links, all of which lead elsewhere in the page.
pub(super) const LOCAL: u16 = 512;
/// With a link to the page before or after this one, or above it.
pub(super) const WAY: u16 = 1024;
/// In a button that opens another part of the page.
pub(super) const OPENER: u16 = 2048;
/// With links, all of which are addresses of mail or numbers to call.
pub(super) const CONTACT: u16 = 4096;
/// All flags of hidden text.
pub(super) const HIDES: u16 = HIDDEN | STYLED | ARIA | NOSCRIPT;

/// Index that stands for no element or block.
pub(super) const NONE: u32 = u32::MAX;

/// Maximum number of blocks or elements of a page for which a choice is made.
const MAX_BLOCKS: usize = 250_000;

/// A run of text.
pub(super) struct TextBlock {
    /// Index of the element in which it begins.
    pub(super) element: u32,
    pub(super) flags: u16,
    /// Number of the outermost element around it that stays hidden.
    pub(super) veil: u32,
    /// Number of words in links.
    pub(super) linked: u32,
    pub(super) text: TextCounts,
}

/// A block element, or one with a class or an id.
pub(super) struct PageElement {
    /// Index of the element around it; [`NONE`] for the body.
    pub(super) parent: u32,
    /// Number of elements in it, including itself.
    pub(super) size: u32,
    pub(super) depth: u16,
    /// Level of the heading around it, or 0.
    pub(super) heading: u8,
    pub(super) called: ElementNaming,
}

/// The owner of a leaf of the tree, in the order of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TreeLeaf {
    Block(u32),
    /// Text without words, an image or the like, in the element with this index.
    Loose(u32),
}

#[derive(Default)]
pub(super) struct PageBlocks {
    pub(super) blocks: Vec<TextBlock>,
    pub(super) elements: Vec<PageElement>,
    pub(super) leaves: Vec<TreeLeaf>,
    /// Indexes of the data tables and the listings of code.
    pub(super) tables: Vec<u32>,
    /// True if there were too many blocks or elements for a choice.
    pub(super) too_much: bool,
}

/// Sees the elements and the texts of the blocks as they are cut, to train a model with them.
pub(super) trait CutObserver {
    fn see_element(&mut self, _node: &Handle, _tag: &str) {}
    fn see_block(&mut self, _text: &str) {}
}

impl CutObserver for () {}

/// Where the link around a text leads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LinkTarget {
    NoLink,
    /// Elsewhere in the page.
    Page,
    /// The page before or after this one, or above it.
    Neighbour,
    /// An address of mail or a number to call.
    Contact,
    Other,
}

impl LinkTarget {
    fn classify(link: &Handle) -> Self {
        let href = dom::attribute(link, "href").unwrap_or_default();
        if href.starts_with('#') {
            Self::Page
        } else if href.starts_with("mailto:") || href.starts_with("tel:") {
            Self::Contact
        } else if dom::attribute(link, "rel").is_some_and(|rel| leads_to_neighbour(&rel)) {
            Self::Neighbour
        } else {
            Self::Other
        }
    }
}

/// The action at the end of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockExit {
    Inline,
    /// Inline, with its words apart from those of the next such element.
    Loose,
    Block,
    /// Preformatted code, in which no block begins.
    Pre,
}

struct BlockFrame {
    node: Handle,
    next: usize,
    exit: BlockExit,
    /// Index of the element around its children.
    inside: u32,
    /// Index of the element that ends with it, or [`NONE`].
    element: u32,
    link: LinkTarget,
    flags: u16,
    veil: u32,
    is_table: bool,
}

/// The hidden elements of a page with their flags; [`UNSEEN`] if the page does not offer to show
/// one.
pub(super) type HidingFlags = HashMap<*const (), u16>;

struct BlockCutter<'a> {
    hidden: &'a HidingFlags,
    title: &'a text::TitleWords,
    words: NamingCache,
    observer: &'a mut dyn CutObserver,
    cut: PageBlocks,
    /// Text of the current run as it stands in the page.
    run: String,
    /// Index of the first leaf of the run.
    first_leaf: usize,
    linked: u32,
    /// Number of words in links within the page.
    local: u32,
    has_way: bool,
    /// Number of words in links to addresses of mail and numbers to call.
    contact: u32,
    first: Option<(u32, u16, u32)>,
    /// True if a [`BlockExit::Loose`] element ended just now.
    ended: bool,
    in_pre: usize,
    veils: u32,
}

pub(super) fn cut_blocks(
    body: &Handle,
    hidden: &HidingFlags,
    title: &text::TitleWords,
    observer: &mut dyn CutObserver,
) -> PageBlocks {
    let mut cutter = BlockCutter {
        hidden,
        title,
        words: NamingCache::default(),
        observer,
        cut: PageBlocks::default(),
        run: String::new(),
        first_leaf: 0,
        linked: 0,
        local: 0,
        has_way: false,
        contact: 0,
        first: None,
        ended: false,
        in_pre: 0,
        veils: 0,
    };
    cutter.cut(body);
    cutter.cut
}

impl BlockCutter<'_> {
    fn cut(&mut self, body: &Handle) {
        let mut stack = Vec::new();
        let outside = BlockFrame {
            node: body.clone(),
            next: 0,
            exit: BlockExit::Block,
            inside: NONE,
            element: NONE,
            link: LinkTarget::NoLink,
            flags: 0,
            veil: NONE,
            is_table: false,
        };
        stack.extend(self.enter(body, &outside));
        while let Some(frame) = stack.last_mut() {
            let child = frame.node.children.borrow().get(frame.next).cloned();
            frame.next += 1;
            if let Some(child) = child {
                let entered = self.enter(&child, frame);
                stack.extend(entered);
            } else if let Some(frame) = stack.pop() {
                self.leave(&frame);
            }
            if self.cut.blocks.len().max(self.cut.elements.len()) > MAX_BLOCKS {
                self.cut.too_much = true;
                return;
            }
        }
    }

    fn enter(&mut self, node: &Handle, around: &BlockFrame) -> Option<BlockFrame> {
        let name = match &node.data {
            NodeData::Text { contents } => {
                self.text(&contents.borrow(), around);
                return None;
            }
            NodeData::Element { name, .. } => &name.local,
            _ => return None,
        };
        match &**name {
            "br" => {
                self.run.push(' ');
                return None;
            }
            "img" | dom::MEDIA_ELEMENT | "hr" | "input" => {
                if matches!(&**name, "hr" | "input") {
                    self.flush();
                }
                self.cut.leaves.push(TreeLeaf::Loose(around.inside));
                return None;
            }
            "script" | "style" | "template" | "title" | "head" | "base" => return None,
            _ => {}
        }
        let own_name = dom::attribute(node, dom::ORIGINAL_NAME);
        let tag = own_name.as_deref().unwrap_or(name);
        let tag = tag.strip_prefix("x-").unwrap_or(tag);
        let hides = self.hidden.get(&node_id(node)).copied().unwrap_or_default()
            | if tag == "noscript" {
                NOSCRIPT | UNSEEN
            } else {
                0
            };
        let mut flags = around.flags | hides;
        match tag {
            "select" => flags |= CONTROL,
            "button" => flags |= CONTROL | (OPENER * u16::from(is_control(node))),
            "textarea" => flags |= CONTROL | FIELD,
            "form" => flags |= FORM,
            "pre" | "code" => flags |= CODE,
            _ => {}
        }
        let inline = dom::is_inline(name) && own_name.is_none();
        let mut frame = BlockFrame {
            exit: BlockExit::Inline,
            next: 0,
            inside: around.inside,
            element: NONE,
            link: if tag == "a" {
                LinkTarget::classify(node)
            } else {
                around.link
            },
            flags,
            veil: around.veil,
            is_table: false,
            node: node.clone(),
        };
        if hides & UNSEEN != 0 && frame.veil == NONE {
            frame.veil = self.veils;
            self.veils += 1;
        }
        if inline && hides == 0 {
            if matches!(tag, "a" | "span" | "label" | "time") {
                if self.ended {
                    self.run.push(' ');
                }
                frame.exit = BlockExit::Loose;
            }
        } else {
            self.flush();
            frame.exit = if tag == "pre" {
                BlockExit::Pre
            } else {
                BlockExit::Block
            };
            self.in_pre += usize::from(frame.exit == BlockExit::Pre);
            frame.is_table = tag == "table";
        }
        self.ended = false;
        let called = self.words.called(node, tag);
        if !inline || called.has_words {
            self.observer.see_element(node, tag);
            frame.element = self.element(tag, &frame, called);
            frame.inside = frame.element;
        }
        Some(frame)
    }

    /// Adds an element; returns its number.
    fn element(&mut self, tag: &str, frame: &BlockFrame, called: ElementNaming) -> u32 {
        let parent = frame.inside;
        let around = self.cut.elements.get(parent as usize);
        let (depth, heading) = around.map_or((0, 0), |e| (e.depth + 1, e.heading));
        let number = u32::try_from(self.cut.elements.len()).unwrap_or(NONE);
        let level = match tag.as_bytes() {
            [b'h', level @ b'1'..=b'6'] => level - b'0',
            _ => heading,
        };
        self.cut.elements.push(PageElement {
            parent,
            size: 1,
            depth,
            heading: level,
            called,
        });
        number
    }

    fn leave(&mut self, frame: &BlockFrame) {
        match frame.exit {
            BlockExit::Inline => {}
            BlockExit::Loose => self.ended = true,
            BlockExit::Block => {
                self.flush();
                self.ended = false;
            }
            BlockExit::Pre => {
                self.in_pre -= 1;
                self.flush();
                self.ended = false;
            }
        }
        if frame.element != NONE {
            let end = u32::try_from(self.cut.elements.len()).unwrap_or(NONE);
            self.cut.elements[frame.element as usize].size = end - frame.element;
        }
        let is_data = frame.is_table && table::read_shape(&frame.node).is_some();
        if frame.element != NONE && (is_data || listing::is_marked(&frame.node)) {
            self.cut.tables.push(frame.element);
        }
    }

    fn text(&mut self, text: &str, around: &BlockFrame) {
        self.cut.leaves.push(TreeLeaf::Loose(around.inside));
        if text == BOX_SPACE {
            return;
        }
        let text = &without_box_spaces(text);
        if around.link != LinkTarget::NoLink {
            let words = text::count_words(text);
            self.linked += words;
            self.local += words * u32::from(around.link == LinkTarget::Page);
            self.has_way |= around.link == LinkTarget::Neighbour;
            self.contact += words * u32::from(around.link == LinkTarget::Contact);
        }
        if self.first.is_none() && !text.trim().is_empty() {
            self.first = Some((around.inside, around.flags, around.veil));
        }
        self.run.push_str(text);
        self.ended = false;
    }

    /// Ends a run, which becomes a block if it contains a word.
    fn flush(&mut self) {
        if self.in_pre > 0 {
            self.run.push(' ');
            return;
        }
        let first_leaf = std::mem::replace(&mut self.first_leaf, self.cut.leaves.len());
        let linked = std::mem::take(&mut self.linked);
        let is_local = std::mem::take(&mut self.local) == linked && linked > 0;
        let has_way = std::mem::take(&mut self.has_way);
        let is_contact = std::mem::take(&mut self.contact) == linked && linked > 0;
        let first = self.first.take();
        if let Some((element, flags, veil)) = first {
            let in_heading = self
                .cut
                .elements
                .get(element as usize)
                .is_some_and(|element| element.heading == 1);
            let text = TextCounts::count(&self.run, self.title, in_heading);
            if text.words > 0 {
                let number = u32::try_from(self.cut.blocks.len()).unwrap_or(NONE);
                for leaf in &mut self.cut.leaves[first_leaf..] {
                    *leaf = TreeLeaf::Block(number);
                }
                self.observer.see_block(&self.run);
                self.cut.blocks.push(TextBlock {
                    element,
                    flags: flags
                        | (LOCAL * u16::from(is_local))
                        | (WAY * u16::from(has_way))
                        | (CONTACT * u16::from(is_contact)),
                    veil,
                    linked,
                    text,
                });
            }
        }
        self.run.clear();
    }
}

/// Returns the page's own text: the model was trained without the spaces between boxes.
fn without_box_spaces(text: &str) -> Cow<'_, str> {
    if text.contains(BOX_SPACE) {
        Cow::Owned(text.replace(BOX_SPACE, ""))
    } else {
        Cow::Borrowed(text)
    }
}
