//! Removes the blocks that were not chosen from a page's tree. The rest is converted as any page
//! is.

use std::collections::HashSet;

use html2md::{Handle, NodeData};

use super::blocks::{CONTROL, PageBlocks, TreeLeaf, UNSEEN};
use super::hash::FnvHash;
use super::page::sum_up;
use crate::image::ImageElement;
use crate::{dom, listing, reveal};

struct PruneFrame {
    node: Handle,
    children: std::vec::IntoIter<Handle>,
    kept_children: Vec<Handle>,
    /// True if it still contains text of a chosen block.
    has_text: bool,
    /// True if it still contains any content.
    has_content: bool,
    /// True if it is, or is in, code: blank lines are content there.
    is_code: bool,
}

impl PruneFrame {
    fn new(node: Handle, is_parent_code: bool) -> Self {
        let is_code = is_parent_code || dom::name(&node) == "pre" || listing::is_marked(&node);
        let children = std::mem::take(&mut *node.children.borrow_mut()).into_iter();
        Self {
            node,
            children,
            kept_children: Vec::new(),
            has_text: false,
            has_content: false,
            is_code,
        }
    }
}

/// Removes all leaves from `body` except those of the chosen blocks and other leaves among them: an
/// image, for example, stays if at least half of the visible words around it are chosen.
pub(super) fn prune_unchosen(body: &Handle, cut: &PageBlocks, chosen: &[bool]) {
    let shares = shares(cut, chosen);
    let mut leaves = cut.leaves.iter();
    let mut links = RemainingLinks::default();
    let mut follows_kept = false;
    let mut stack = vec![PruneFrame::new(body.clone(), false)];
    while let Some(frame) = stack.last_mut() {
        let Some(child) = frame.children.next() else {
            let Some(frame) = stack.pop() else { break };
            links.record(&frame);
            close_frame(frame, stack.last_mut());
            continue;
        };
        let mut leaf = || match leaves.next() {
            Some(TreeLeaf::Block(number)) => (chosen[*number as usize], true),
            Some(TreeLeaf::Loose(element)) => {
                let share = shares.get(*element as usize);
                (share.is_some_and(|share| *share >= 0.5), false)
            }
            None => (false, false),
        };
        match &child.data {
            NodeData::Text { contents } => {
                let (is_kept, of_block) = leaf();
                follows_kept = is_kept;
                if is_kept {
                    frame.has_text |= of_block;
                    frame.has_content |=
                        of_block || frame.is_code || !contents.borrow().trim().is_empty();
                    frame.kept_children.push(child.clone());
                }
            }
            NodeData::Element { name, .. } => match &*name.local {
                "img" | dom::MEDIA_ELEMENT | "hr" | "input" => {
                    let (is_kept, _) = leaf();
                    if is_kept {
                        frame.has_content |= is_visible(&child);
                        frame.kept_children.push(child.clone());
                    }
                }
                "br" | "title" | "base" | "head" => {
                    frame.has_content |= frame.is_code && follows_kept;
                    frame.kept_children.push(child.clone());
                }
                "script" | "style" | "template" => {}
                _ => {
                    let frame = PruneFrame::new(child.clone(), frame.is_code);
                    stack.push(frame);
                }
            },
            _ => {}
        }
    }
    debug_assert!(
        leaves.next().is_none(),
        "the tree is not the one that was cut"
    );
    links.empty_duplicates();
}

/// The links that remain.
#[derive(Default)]
struct RemainingLinks {
    /// Hashes of the targets of links with text.
    named: HashSet<u64>,
    /// Links that contain only images, with hashes of their targets.
    pictured: Vec<(u64, Handle)>,
}

impl RemainingLinks {
    /// Records an element at its end, if it is a link.
    fn record(&mut self, frame: &PruneFrame) {
        if dom::name(&frame.node) != "a" || !frame.has_content {
            return;
        }
        let Some(address) = dom::attribute(&frame.node, "href") else {
            return;
        };
        let address = FnvHash::from_text(address.trim()).end();
        if frame.has_text {
            self.named.insert(address);
        } else {
            self.pictured.push((address, frame.node.clone()));
        }
    }

    /// Empties image links with the target of a text link, because a card has both.
    fn empty_duplicates(self) {
        for (address, node) in self.pictured {
            if self.named.contains(&address)
                && let NodeData::Element { attrs, .. } = &node.data
            {
                node.children.borrow_mut().clear();
                attrs.borrow_mut().clear();
            }
        }
    }
}

/// True if an image or the like is visible by itself.
fn is_visible(node: &Handle) -> bool {
    match dom::name(node) {
        "input" => false,
        "img" => ImageElement::read(node).is_some_and(|image| image.source.is_some()),
        _ => true,
    }
}

/// Restores the remaining children of an element, and keeps it in the one around it.
fn close_frame(frame: PruneFrame, around: Option<&mut PruneFrame>) {
    let PruneFrame {
        node,
        kept_children,
        has_text,
        has_content: mut content,
        ..
    } = frame;
    *node.children.borrow_mut() = kept_children;
    let noscript = dom::attribute(&node, dom::ORIGINAL_NAME).is_some_and(|name| name == "noscript");
    if dom::is_hidden(&node) || noscript {
        content &= has_text;
        if content {
            reveal::unhide(&node);
        }
    }
    let Some(around) = around else { return };
    around.has_text |= has_text;
    around.has_content |= content;
    // Empty cells stay so that others keep their columns.
    if content || matches!(dom::name(&node), "td" | "th") {
        around.kept_children.push(node);
    }
}

/// Returns the chosen share of the visible words of each element; an element without any has that
/// of the one around it.
fn shares(cut: &PageBlocks, chosen: &[bool]) -> Vec<f64> {
    let mut words = vec![(0.0, 0.0); cut.elements.len()];
    for (block, chosen) in cut.blocks.iter().zip(chosen) {
        let (taken, all) = &mut words[block.element as usize];
        if *chosen {
            *taken += f64::from(block.text.words);
        }
        if *chosen || block.flags & (UNSEEN | CONTROL) == 0 {
            *all += f64::from(block.text.words);
        }
    }
    sum_up(&mut words, cut, |(taken, all), inside| {
        *taken += inside.0;
        *all += inside.1;
    });
    let mut shares: Vec<f64> = Vec::with_capacity(words.len());
    for ((taken, all), element) in words.into_iter().zip(&cut.elements) {
        shares.push(if all > 0.0 {
            taken / all
        } else {
            let around = shares.get(element.parent as usize);
            around.copied().unwrap_or_default()
        });
    }
    shares
}
