//! The main content of a page: the article, thread, product, listing or chapter, without
//! navigation, header, footer, sidebars, notices, related links and forms for comments.
//!
//! The page's tree is cut into [`blocks`]; features are computed for each, and a model of
//! regression trees estimates the probability that it is content. The choice maximizes the expected
//! F-measure. The other blocks are removed from the tree, which is then converted as that of any
//! page.
//!
//! | module | contents |
//! |---|---|
//! | `blocks` | a tree cut into runs of text |
//! | `text`, `hash` | counts over a text |
//! | `words`, `tags` | the class, role and name of an element |
//! | `page` | sums over the page and its elements |
//! | `features` | a row of numbers for each block |
//! | `trees` | the model |
//! | `choose`, `keep`, `place` | the choice of blocks |
//! | `omitted` | what is left out and may belong to it |
//! | `prune` | the tree without the others |

use html2md::Handle;
use memchr::{memmem, memrchr};

use super::prefilter::WantedContent;
use super::reveal::HiddenElements;
use super::source::{ConvertedPage, HtmlSource};
use super::tag;
use super::{dom, prefilter, preformatted, reveal};
use blocks::{CutObserver, HidingFlags, NOSCRIPT, PageBlocks, UNSEEN};
use iki_markdown::document::DocumentCuts;
use page::MeasuredPage;
use text::TitleWords;

mod blocks;
mod choose;
mod features;
mod hash;
mod keep;
mod omitted;
mod page;
mod place;
mod prune;
pub(crate) mod study;
mod tags;
#[cfg(test)]
mod tests;
mod text;
mod trees;
mod words;

/// Minimum number of words of a useful choice.
const MIN_CHOSEN_WORDS: u32 = 15;

/// A page with fewer visible words than this shows almost nothing.
const EMPTY_PAGE_WORDS: u32 = 25;

/// A page with fewer visible words than this may hide its content: it does if it has so many times
/// as many hidden words.
const SPARSE_PAGE_WORDS: u32 = 100;
const HIDDEN_TO_VISIBLE_RATIO: u32 = 10;

/// Minimum expected recall of a sure choice.
const MIN_SURE_RECALL: f64 = 0.95;

/// Reads the main content of a page; true if the choice was sure. `None` if there is no content of
/// a useful length, or not enough memory or time.
pub(super) fn read(source: &HtmlSource) -> Option<(ConvertedPage, bool)> {
    let parsed = ParsedContent::parse(source);
    if parsed.tree.cuts.time {
        return None;
    }
    let body = parsed.body.as_ref()?;
    let cut = parsed.cut(&mut ())?;
    let page = MeasuredPage::measure(&cut, &parsed.title_words);
    let mut rows = features::FeatureRows::new(&page, parsed.kind);
    let chances: Vec<f64> = (0..cut.blocks.len())
        .map(|number| trees::TREES.chance(rows.row(number)))
        .collect();
    let choice = choose::choose_blocks(&page, &chances);
    let words: u32 = cut
        .blocks
        .iter()
        .zip(&choice.chosen)
        .filter(|(_, chosen)| **chosen)
        .map(|(block, _)| block.text.words)
        .sum();
    if words < MIN_CHOSEN_WORDS {
        return None;
    }
    prune::prune_unchosen(body, &cut, &choice.chosen);
    let (model, cuts) = source.walk(&parsed.tree);
    let sure = cuts == DocumentCuts::default()
        && !choice.lacks_data
        && choice.expected.1 >= MIN_SURE_RECALL;
    let read = ConvertedPage {
        model,
        cuts,
        omitted: choice.omitted,
        ..ConvertedPage::default()
    };
    Some((read, sure))
}

/// A page's tree with everything that may be content.
struct ParsedContent {
    tree: super::tree::PageTree,
    body: Option<Handle>,
    hidden: HidingFlags,
    title_words: TitleWords,
    /// Value of `og:type` as a feature.
    kind: f64,
}

impl ParsedContent {
    fn parse(source: &HtmlSource) -> Self {
        let (tree, mut veil, cuts) = prefilter::build(source, WantedContent::All);
        let hidden = hidden_flags(&mut veil, &tree.document);
        Self {
            body: child(&tree.document, "html").and_then(|html| child(&html, "body")),
            hidden,
            title_words: TitleWords::from_title(&title(&tree.document)),
            kind: features::open_graph_value(open_graph_type(source.page)),
            tree: super::tree::PageTree { tree, cuts },
        }
    }

    /// Cuts the page into blocks; `None` if there are none, or too many.
    fn cut(&self, observer: &mut dyn CutObserver) -> Option<PageBlocks> {
        let body = self.body.as_ref()?;
        let mut cut = blocks::cut_blocks(body, &self.hidden, &self.title_words, observer);
        if cut.too_much || cut.blocks.is_empty() {
            return None;
        }
        reveal_if_sparse(&mut cut);
        Some(cut)
    }
}

/// Treats content for browsers without scripts as visible if the page shows almost nothing, and
/// then content that is hidden until a script runs.
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
        if seen >= EMPTY_PAGE_WORDS
            && (seen >= SPARSE_PAGE_WORDS || more < HIDDEN_TO_VISIBLE_RATIO * seen)
        {
            continue;
        }
        for block in &mut cut.blocks {
            if block.flags & bits != 0 {
                block.flags &= !UNSEEN;
            }
        }
    }
}

/// Returns how each hidden element is hidden; [`UNSEEN`] is set unless the page offers to show it.
fn hidden_flags(veil: &mut HiddenElements, root: &Handle) -> HidingFlags {
    let mut hidden = HidingFlags::new();
    for node in &veil.hidden {
        let mut how = 0;
        for (way, flag) in [
            ("hidden", blocks::HIDDEN),
            (dom::HIDING, blocks::STYLED),
            ("aria-hidden", blocks::ARIA),
        ] {
            if dom::attribute(node, way).is_some() {
                how |= flag;
            }
        }
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
    let first = children.iter().find(|child| dom::name(child) == name);
    first.cloned()
}

/// Returns the page's first title, anywhere in the document.
fn title(document: &Handle) -> String {
    let title = dom::nodes_within(document, |_| true).find(|node| dom::name(node) == "title");
    let text = title
        .map(|node| preformatted::text_of(&node))
        .unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the page's `og:type`.
fn open_graph_type(page: &str) -> &str {
    let bytes = page.as_bytes();
    memmem::find_iter(bytes, b"og:type")
        .take(4)
        .find_map(|property| {
            let name = memrchr(b'<', &bytes[..property])? + 1;
            let is_meta = tag::is_named(page, name, "meta");
            is_meta.then(|| tag::read(page, name)?.get("content"))?
        })
        .unwrap_or_default()
}
