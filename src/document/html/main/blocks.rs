//! A page's tree cut into blocks: runs of text in lines under one element that begins and ends
//! them. Nothing is left out here; what is hidden, a control or code is marked.

use std::collections::HashMap;

use html2md::{Handle, NodeData};

use super::tags;
use super::text::{self, TextCounts};
use super::words::{ElementNaming, NamingCache};
use crate::document::html::prefilter::{content_hints, media};
use crate::document::html::reveal::node_id;
use crate::document::html::{dom, table};

/// `hidden`.
pub(super) const HIDDEN: u16 = 1;
/// A style that does not display it.
pub(super) const STYLED: u16 = 2;
/// `aria-hidden`.
pub(super) const ARIA: u16 = 4;
pub(super) const NOSCRIPT: u16 = 8;
/// `select`, `textarea`, `button`.
pub(super) const CONTROL: u16 = 16;
pub(super) const FORM: u16 = 32;
/// `pre` or `code`.
pub(super) const CODE: u16 = 64;
/// Nobody sees it, and the page does not offer to show it.
pub(super) const UNSEEN: u16 = 128;
/// The four by which something may be hidden.
pub(super) const HIDES: u16 = HIDDEN | STYLED | ARIA | NOSCRIPT;

/// No element, no block.
pub(super) const NONE: u32 = u32::MAX;

/// The most blocks or elements of which a choice is made.
const MOST: usize = 250_000;

/// A run of text.
pub(super) struct TextBlock {
    /// The element in which it begins.
    pub(super) element: u32,
    pub(super) flags: u16,
    /// The outermost element around it that is hidden and not offered; a node's number.
    pub(super) veil: u32,
    /// NamingCache in links.
    pub(super) linked: u32,
    pub(super) text: TextCounts,
}

/// An element that is a box, or that its author calls something.
pub(super) struct PageElement {
    /// The element around it; [`NONE`] for the body.
    pub(super) parent: u32,
    /// How many there are in it, itself included.
    pub(super) size: u32,
    pub(super) depth: u16,
    pub(super) tag: TagFeatures,
    /// The level of the heading in which it stands; 0 if in none.
    pub(super) heading: u8,
    /// Its name and the first word of its class, as a hash.
    pub(super) shape: u64,
    pub(super) called: ElementNaming,
}

/// What text and other leaves of the tree belong to, in the page's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TreeLeaf {
    Block(u32),
    /// TextCounts without words, an image and the like: the element in which it stands.
    Loose(u32),
}

/// A page's blocks and elements.
#[derive(Default)]
pub(super) struct PageBlocks {
    pub(super) blocks: Vec<TextBlock>,
    pub(super) elements: Vec<PageElement>,
    pub(super) leaves: Vec<TreeLeaf>,
    /// The tables that hold data.
    pub(super) tables: Vec<u32>,
    /// Whether there was more than a choice is made of.
    pub(super) too_much: bool,
    /// What only a study asks for: the text of each block, the words for each element.
    pub(super) kept: Option<BlockTexts>,
}

/// Texts as they stand in the page.
#[derive(Default)]
pub(super) struct BlockTexts {
    pub(super) texts: Vec<String>,
    pub(super) tokens: Vec<Vec<String>>,
}

/// What an element's name means to features, as numbers that a trained model keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TagFeatures {
    /// What kind of block it makes.
    pub(super) kind: u8,
    /// The categories to which its name and its role belong, a bit each.
    pub(super) categories: u32,
}

impl TagFeatures {
    fn of(tag: &str, called: &ElementNaming) -> Self {
        Self {
            kind: tags::block_kind(tag),
            categories: tags::categories(tag) | called.role_categories,
        }
    }

    pub(super) fn is_article(self) -> bool {
        self.kind == tags::ARTICLE
    }
}

/// What is to be done when an element ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockExit {
    Inline,
    /// Inline, and its words stand apart from those of the next such element.
    Loose,
    Block,
    /// Code, in which no block begins.
    Pre,
}

struct BlockFrame {
    node: Handle,
    next: usize,
    exit: BlockExit,
    /// The element in which its children stand.
    inside: u32,
    /// The one that ends with it.
    own: u32,
    in_link: bool,
    flags: u16,
    veil: u32,
    is_table: bool,
}

/// The hidden elements of a page: how each is hidden, and [`UNSEEN`] if the page does not offer to
/// show it.
pub(super) type HidingFlags = HashMap<*const (), u16>;

struct BlockCutter<'a> {
    hidden: &'a HidingFlags,
    title: &'a text::TitleWords,
    words: &'a mut NamingCache,
    cut: PageBlocks,
    /// The text of the run, as it stands in the page.
    run: String,
    /// Where the leaves of the run begin.
    begin: usize,
    linked: u32,
    first: Option<(u32, u16, u32)>,
    /// Whether a [`BlockExit::Loose`] element ended just now.
    ended: bool,
    in_pre: usize,
    veils: u32,
}

/// Cuts the page whose body is `body`.
pub(super) fn cut_blocks(
    body: &Handle,
    hidden: &HidingFlags,
    title: &text::TitleWords,
    words: &mut NamingCache,
    kept: bool,
) -> PageBlocks {
    let mut cutter = BlockCutter {
        hidden,
        title,
        words,
        cut: PageBlocks {
            kept: kept.then(BlockTexts::default),
            ..PageBlocks::default()
        },
        run: String::new(),
        begin: 0,
        linked: 0,
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
            own: NONE,
            in_link: false,
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
            if self.cut.blocks.len().max(self.cut.elements.len()) > MOST {
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
            "img" | media::ELEMENT | "hr" | "input" => {
                if matches!(&**name, "hr" | "input") {
                    self.flush();
                }
                self.cut.leaves.push(TreeLeaf::Loose(around.inside));
                return None;
            }
            "script" | "style" | "template" | "title" | "head" | "base" => return None,
            _ => {}
        }
        let own_name = dom::attribute(node, content_hints::NAME);
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
            "select" | "textarea" | "button" => flags |= CONTROL,
            "form" => flags |= FORM,
            "pre" | "code" => flags |= CODE,
            _ => {}
        }
        let inline = content_hints::is_inline(name) && own_name.is_none();
        let mut frame = BlockFrame {
            exit: BlockExit::Inline,
            next: 0,
            inside: around.inside,
            own: NONE,
            in_link: around.in_link || tag == "a",
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
            if let Some(kept) = &mut self.cut.kept {
                kept.tokens.push(super::words::tokens_of(node, tag));
            }
            frame.own = self.element(tag, &frame, called);
            frame.inside = frame.own;
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
            tag: TagFeatures::of(tag, &called),
            shape: called.shape,
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
        if frame.own != NONE {
            let end = u32::try_from(self.cut.elements.len()).unwrap_or(NONE);
            self.cut.elements[frame.own as usize].size = end - frame.own;
        }
        if frame.is_table && table::read_shape(&frame.node).is_some() {
            self.cut.tables.push(frame.own);
        }
    }

    fn text(&mut self, text: &str, around: &BlockFrame) {
        self.cut.leaves.push(TreeLeaf::Loose(around.inside));
        if around.in_link {
            self.linked += text::count_words(text);
        }
        if self.first.is_none() && !text.trim().is_empty() {
            self.first = Some((around.inside, around.flags, around.veil));
        }
        self.run.push_str(text);
        self.ended = false;
    }

    /// Ends a run: it becomes a block if there is a word in it.
    fn flush(&mut self) {
        if self.in_pre > 0 {
            self.run.push(' ');
            return;
        }
        let begin = std::mem::replace(&mut self.begin, self.cut.leaves.len());
        let linked = std::mem::take(&mut self.linked);
        let first = self.first.take();
        if let Some((element, flags, veil)) = first {
            let in_heading = self
                .cut
                .elements
                .get(element as usize)
                .is_some_and(|element| element.heading == 1);
            let text = TextCounts::of(&self.run, self.title, in_heading);
            if text.words > 0 {
                let number = u32::try_from(self.cut.blocks.len()).unwrap_or(NONE);
                for leaf in &mut self.cut.leaves[begin..] {
                    *leaf = TreeLeaf::Block(number);
                }
                if let Some(kept) = &mut self.cut.kept {
                    let words: Vec<&str> = self.run.split_whitespace().collect();
                    kept.texts.push(words.join(" "));
                }
                self.cut.blocks.push(TextBlock {
                    element,
                    flags,
                    veil,
                    linked,
                    text,
                });
            }
        }
        self.run.clear();
    }
}
