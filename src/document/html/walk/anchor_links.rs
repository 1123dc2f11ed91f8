//! Links within the page that are useless to a reader: skip links, and anchors of headings.
//!
//! Rules: the "skip link" technique of WCAG 2.4.1; the anchors that Sphinx, rustdoc, GitHub,
//! Docusaurus and others add to headings.

use html2md::{Handle, NodeData};

use super::super::dom::{self, ElementKind};
use crate::unseen;

/// Maximum length of the text of such a link, in bytes.
const MAX_TEXT: usize = 80;

/// Maximum number of nodes read for its text.
const MAX_NODES: usize = 16;

/// Maximum depth of a link's text.
const MAX_DEPTH: usize = 8;

/// Beginnings of the texts of skip links, in lower case.
const SKIPS: &[&str] = &[
    "skip to ",
    "skip nav",
    "skip link",
    "skip main",
    "skip content",
    "skip the nav",
    "jump to content",
    "jump to main",
    "jump to nav",
    "jump to search",
    "zum inhalt",
    "zum hauptinhalt",
    "direkt zum inhalt",
    "aller au contenu",
    "passer au contenu",
    "ir al contenido",
    "saltar al contenido",
    "vai al contenuto",
    "ir para o conte\u{fa}do",
    "pular para o conte\u{fa}do",
    "naar inhoud",
    "ga naar inhoud",
    "przejd\u{17a} do tre\u{15b}ci",
];

/// True for a skip link, and for an anchor in a heading.
pub(super) fn is_useless(link: &Handle, in_heading: bool) -> bool {
    let into = |name: &str, value: &str| (name == "href" && value.starts_with('#')).then_some(());
    if dom::with_attributes(link, into).is_none() {
        return false;
    }
    let Some(text) = short_text(link) else {
        return false;
    };
    let text = text.trim_matches(|c: char| c.is_whitespace() || unseen::is_unseen(c));
    if matches!(text, "\u{b6}" | "#" | "\u{a7}" | "\u{1f517}" | "\u{2693}") {
        return true;
    }
    let lower = text.to_lowercase();
    if SKIPS.iter().any(|skip| lower.starts_with(skip)) {
        return true;
    }
    if text.is_empty() {
        // The name of an anchor repeats its heading.
        return in_heading;
    }
    in_heading
        && (matches!(&*lower, "permalink" | "anchor" | "link" | "copy link")
            || lower.starts_with("permalink to")
            || lower.starts_with("link to this")
            || lower.starts_with("direct link to"))
}

/// Writes the beginning of a link's text to `text`; returns true if there is text, not only images.
pub(super) fn says(link: &Handle, text: &mut String) -> bool {
    fn gather(node: &Handle, depth: usize, nodes: &mut usize, text: &mut String) {
        for child in node.children.borrow().iter() {
            if *nodes == 0 || text.len() > MAX_TEXT {
                return;
            }
            *nodes -= 1;
            match &child.data {
                NodeData::Text { contents } => text.push_str(&contents.borrow()),
                _ if depth < MAX_DEPTH && !dom::is_hidden(child) => {
                    gather(child, depth + 1, nodes, text);
                }
                _ => {}
            }
        }
    }
    text.clear();
    gather(link, 0, &mut { 2 * MAX_NODES }, text);
    text.contains(char::is_alphanumeric)
}

/// Returns the text of a link, if it is short and contains no image.
fn short_text(link: &Handle) -> Option<String> {
    let mut text = String::new();
    let mut open = vec![link.clone()];
    for _ in 0..MAX_NODES {
        let Some(node) = open.pop() else {
            return Some(text);
        };
        if let NodeData::Text { contents } = &node.data {
            let contents = contents.borrow();
            if text.len() + contents.len() > MAX_TEXT {
                return None;
            }
            text.push_str(&contents);
        }
        if dom::kind(&node) == Some(ElementKind::Image) {
            return None;
        }
        let children = node.children.borrow();
        if children.len() > MAX_NODES {
            return None;
        }
        open.extend(children.iter().rev().cloned());
    }
    None
}
