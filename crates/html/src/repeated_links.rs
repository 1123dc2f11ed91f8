//! Removes links that repeat the target of another link. Each target stays at least once, with a
//! text.
//!
//! Rules: a card links to one address by its image, its title and "read more"; the header, the menu
//! and the footer repeat links; a `title` repeats the text of its element. A page with few links
//! stays as it is.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use iki_markdown::model::{DocumentModel, DocumentNode, NodeContent};

/// Number of links before and after a link that are searched for the same target.
const MAX_NEAR_LINKS: usize = 12;

/// Maximum number of links of a page that stay as they are; pages of cards have more.
const MAX_UNTOUCHED_LINKS: usize = 16;

/// A link with hashes of its target and text.
struct LinkOccurrence {
    node: usize,
    /// Hash of its address.
    place: u64,
    /// Hash of its address and its text.
    whole: u64,
    /// True if it contains text, not only images.
    has_text: bool,
    /// True if it contains text or an image with a text.
    is_named: bool,
}

/// Removes links from `model` that repeat a target, but keeps their contents. `here` is the page's
/// own address.
pub(super) fn remove_repeated(model: &mut DocumentModel, here: &str) {
    let mut links: Vec<LinkOccurrence> = Vec::new();
    let mut untitled: Vec<usize> = Vec::new();
    let mut indices: Vec<usize> = Vec::new();
    let mut text = String::new();
    let mut count = 0;
    for node in 0..model.nodes().len() {
        let Some((address, title)) = model.link(node) else {
            continue;
        };
        count += 1;
        let has_text = gather_text(model, node, &mut text);
        let title = model.text(title).trim();
        if !title.is_empty() && text.contains(title) {
            untitled.push(node);
        }
        let address = model.address(address).0;
        let is_named = text.contains(char::is_alphanumeric);
        if stands_between_words(model, node, &text) {
            continue;
        }
        if address == here && is_named && text.trim() != address {
            indices.push(node);
            continue;
        }
        let mut hasher = DefaultHasher::new();
        address.hash(&mut hasher);
        let place = hasher.finish();
        text.trim().hash(&mut hasher);
        links.push(LinkOccurrence {
            node,
            place,
            whole: hasher.finish(),
            has_text,
            is_named,
        });
    }
    for node in untitled {
        model.clear_link_title(node);
    }
    let mut gone = Vec::new();
    if count > MAX_UNTOUCHED_LINKS {
        gone = indices;
        let mut hashes: HashSet<u64> = HashSet::with_capacity(links.len());
        let repeated = links.iter().enumerate().filter(|(index, link)| {
            let again = link.is_named && !hashes.insert(link.whole);
            let near = |others: &[LinkOccurrence]| {
                let same = |other: &LinkOccurrence| other.has_text && other.place == link.place;
                others.iter().any(same)
            };
            again
                || near(&links[index.saturating_sub(MAX_NEAR_LINKS)..*index])
                || (!link.has_text
                    && near(&links[index + 1..links.len().min(index + 1 + MAX_NEAR_LINKS)]))
        });
        gone.extend(repeated.map(|(_, link)| link.node));
        gone.sort_unstable();
    }
    model.prune(&gone);
}

/// True if `text`, the text of the link at `index`, touches the words around it, so that only the
/// link separates them.
fn stands_between_words(model: &DocumentModel, index: usize, text: &str) -> bool {
    let nodes = model.nodes();
    let in_line = |node: &&DocumentNode| node.content.is_markup();
    let has_words = |node: Option<&DocumentNode>| match node.map(|node| node.content) {
        Some(NodeContent::Text(slice) | NodeContent::Code(slice)) => model.text(slice),
        _ => "",
    };
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let before = has_words(nodes[..index].iter().rev().find(|node| !in_line(node)));
    let behind = nodes.get(nodes[index].end as usize..).unwrap_or_default();
    let behind = has_words(behind.iter().find(|node| !in_line(node)));
    (is_word(text.chars().next()) && is_word(before.chars().next_back()))
        || (is_word(text.chars().next_back()) && is_word(behind.chars().next()))
}

/// Writes the visible text of node `index` to `text`; returns true if there is more than the text
/// of images.
fn gather_text(model: &DocumentModel, index: usize, text: &mut String) -> bool {
    text.clear();
    let mut has_text = false;
    let nodes = model.nodes();
    let end = nodes[index].end as usize;
    for node in nodes.get(index + 1..end).unwrap_or_default() {
        match node.content {
            NodeContent::Text(slice) | NodeContent::Code(slice) => {
                let piece = model.text(slice);
                has_text = has_text || piece.contains(char::is_alphanumeric);
                text.push_str(piece);
            }
            NodeContent::Image { alt, .. } => text.push_str(model.text(alt)),
            _ => {}
        }
    }
    has_text
}
