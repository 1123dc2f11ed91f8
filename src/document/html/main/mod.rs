//! The main content of a page: the article, thread, product, listing or chapter, without
//! navigation, header, footer, sidebars, notices, related links and forms for comments.
//!
//! The page's tree is cut into [`blocks`]; of each some numbers are found, and a model of
//! regression trees says how likely the block is content. Chosen are those that promise the best
//! F-measure. The rest is taken from the tree, which is then written as that of any page.
//!
//! | module | what it is |
//! |---|---|
//! | `blocks` | a tree cut into runs of text |
//! | `text`, `hash` | what is counted of a text |
//! | `words`, `groups`, `tags` | what an element's class, role and name say |
//! | `page` | sums over the page and its elements |
//! | `features` | a row of numbers for each block |
//! | `trees` | the model |
//! | `choose`, `complete` | the blocks that are chosen |
//! | `prune` | the tree without the others |
//! | `study` | what a model is trained with |

use html2md::Handle;
use memchr::{memmem, memrchr};

use super::prefilter::tag;
use super::reveal::HiddenElements;
use super::{ConvertedPage, HtmlSource, dom, parse, prefilter, preformatted, reveal};
use crate::document::Cuts;
use blocks::{HidingFlags, NOSCRIPT, PageBlocks, UNSEEN};
use page::MeasuredPage;
use text::TitleWords;
use words::NamingCache;

mod blocks;
mod choose;
mod complete;
mod features;
mod groups;
mod hash;
mod page;
mod prune;
#[cfg(feature = "internals")]
pub(in crate::document) mod study;
mod tags;
mod text;
mod trees;
mod words;

/// NamingCache of a choice with fewer of which it is as good as none.
const LITTLE: u32 = 25;

/// NamingCache that are seen in a page with fewer of which it may be that what counts is hidden: if there
/// are so many times as many of those.
const FEW: u32 = 100;
const TIMES: u32 = 10;

/// What is expected of a choice that is sure.
const SURE: (f64, f64) = (0.8, 0.95);

/// Reads the main content of a page, and whether the choice was sure; `None` if there is none to
/// speak of, or if there was not the memory or the time for a choice.
pub(super) fn read(source: &HtmlSource) -> Option<(ConvertedPage, bool)> {
    let parsed = ParsedContent::of(source);
    if parsed.tree.cuts.time {
        return None;
    }
    let body = parsed.body.as_ref()?;
    let cut = parsed.cut(false)?;
    let page = MeasuredPage::of(&cut, &parsed.title_words);
    let chances = block_chances(&page, parsed.kind, |_| {});
    let choice = choose::choose(&page, &chances);
    let words: u32 = cut
        .blocks
        .iter()
        .zip(&choice.chosen)
        .filter(|(_, chosen)| **chosen)
        .map(|(block, _)| block.text.words)
        .sum();
    if words < LITTLE {
        return None;
    }
    prune::prune(body, &cut, &page.sums, &choice.chosen);
    let (model, cuts) = source.walk(&parsed.tree);
    let sure = cuts == Cuts::default() && choice.precision >= SURE.0 && choice.recall >= SURE.1;
    let read = ConvertedPage {
        model,
        cuts,
        remark: None,
        beside_text: false,
    };
    Some((read, sure))
}

/// How likely each block is content; `note` is shown the rows.
fn block_chances(page: &MeasuredPage, kind: f64, mut note: impl FnMut(&[f32])) -> Vec<f64> {
    let mut rows = features::FeatureRows::new(page, kind);
    (0..page.cut.blocks.len())
        .map(|number| {
            let row = rows.row(number);
            note(row);
            trees::TREES.chance(row)
        })
        .collect()
}

/// A page's tree with all that may be content, and what is asked of the page besides.
struct ParsedContent {
    tree: super::PageTree,
    body: Option<Handle>,
    hidden: HidingFlags,
    #[cfg(feature = "internals")]
    title: String,
    title_words: TitleWords,
    /// What `og:type` says.
    kind: f64,
}

impl ParsedContent {
    fn of(source: &HtmlSource) -> Self {
        let (filtered, late) =
            prefilter::filter_all(source.page, source.syntax, source.ends.filter);
        let (tree, mut veil, short) = parse::parse(&filtered, source.ends.parse);
        let hidden = hidden_flags(&mut veil, &tree.document);
        let cuts = Cuts {
            memory: short == Some(parse::ParseLimit::Memory),
            time: late || short == Some(parse::ParseLimit::Time),
            ..Cuts::default()
        };
        let title = title(&tree.document);
        Self {
            body: child(&tree.document, "html").and_then(|html| child(&html, "body")),
            hidden,
            title_words: TitleWords::of(&title),
            #[cfg(feature = "internals")]
            title,
            kind: features::open_graph_value(open_graph_type(source.page)),
            tree: super::PageTree { tree, cuts },
        }
    }

    /// The page's blocks; `None` if there are none, or more than a choice is made of.
    fn cut(&self, kept: bool) -> Option<PageBlocks> {
        let body = self.body.as_ref()?;
        let mut words = NamingCache::default();
        let mut cut = blocks::cut_blocks(body, &self.hidden, &self.title_words, &mut words, kept);
        if cut.too_much || cut.blocks.is_empty() {
            return None;
        }
        reveal_if_sparse(&mut cut);
        Some(cut)
    }
}

/// Where a page shows next to nothing, what is for browsers without scripts counts as seen, and
/// then what is hidden until a script runs.
fn reveal_if_sparse(cut: &mut PageBlocks) {
    for bits in [NOSCRIPT, UNSEEN] {
        let (mut seen, mut more) = (0, 0);
        for block in &cut.blocks {
            if block.flags & UNSEEN == 0 {
                seen += block.text.words;
            } else if block.flags & bits != 0 {
                more += block.text.words;
            }
        }
        if seen >= LITTLE && (seen >= FEW || more < TIMES * seen) {
            continue;
        }
        for block in &mut cut.blocks {
            if block.flags & bits != 0 {
                block.flags &= !UNSEEN;
            }
        }
    }
}

/// How each hidden element is hidden, and whether the page offers to show it.
fn hidden_flags(veil: &mut HiddenElements, root: &Handle) -> HidingFlags {
    let mut hidden = HidingFlags::new();
    for node in &veil.hidden {
        let mut how = 0;
        let _: Option<()> = dom::with_attributes(node, |name, value| {
            if dom::hides(name, value) {
                how |= match name {
                    "hidden" => blocks::HIDDEN,
                    "style" => blocks::STYLED,
                    _ => blocks::ARIA,
                };
            }
            None
        });
        hidden.insert(reveal::node_id(node), how);
    }
    veil.show_disclosed(root);
    for node in &veil.hidden {
        *hidden.entry(reveal::node_id(node)).or_default() |= UNSEEN;
    }
    hidden
}

fn child(node: &Handle, name: &str) -> Option<Handle> {
    let children = node.children.borrow();
    let found = children.iter().find(|child| dom::name(child) == name);
    found.cloned()
}

/// The page's title, wherever it stands.
fn title(document: &Handle) -> String {
    let mut open = vec![document.clone()];
    while let Some(node) = open.pop() {
        if dom::name(&node) == "title" {
            let text = preformatted::text_of(&node);
            return text.split_whitespace().collect::<Vec<_>>().join(" ");
        }
        open.extend(node.children.borrow().iter().rev().cloned());
    }
    String::new()
}

/// What the page's `og:type` says.
fn open_graph_type(page: &str) -> &str {
    let bytes = page.as_bytes();
    let mut kind = "";
    for found in memmem::find_iter(bytes, b"og:type").take(4) {
        let Some(begin) = memrchr(b'<', &bytes[..found]) else {
            continue;
        };
        if tag::is_named(page, begin + 1, "meta") {
            let _ = tag::read(page, begin + 1, |name, value| {
                if name.eq_ignore_ascii_case("content") && kind.is_empty() {
                    kind = value;
                }
                false
            });
        }
    }
    kind
}
