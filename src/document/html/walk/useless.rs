//! Links into the page that are of use to whoever scrolls it, and to nobody who reads it: past the
//! navigation, and to the heading in which they stand.
//!
//! Rules: the "skip link" technique of WCAG 2.4.1; the anchors that Sphinx, rustdoc, GitHub,
//! Docusaurus and others add to headings.

use html2md::{Handle, NodeData};

use super::super::dom::{self, Kind};

/// The longest text of such a link, in bytes.
const MAX_TEXT: usize = 80;

/// Nodes that are looked at for its text.
const MAX_NODES: usize = 16;

/// What the links past the navigation begin with.
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

/// Whether a link, which stands in a heading or not, is one of those.
pub(super) fn is_useless(link: &Handle, in_heading: bool) -> bool {
    let into = |name: &str, value: &str| (name == "href" && value.starts_with('#')).then_some(());
    if dom::with_attributes(link, into).is_none() {
        return false;
    }
    let Some(text) = short_text(link) else {
        return false;
    };
    let text = text.trim_matches(|c: char| c.is_whitespace() || is_invisible(c));
    if matches!(text, "\u{b6}" | "#" | "\u{a7}" | "\u{1f517}" | "\u{2693}") {
        return true;
    }
    let lower = text.to_lowercase();
    if SKIPS.iter().any(|skip| lower.starts_with(skip)) {
        return true;
    }
    if text.is_empty() {
        // The anchor's own name says nothing that its heading does not.
        return in_heading;
    }
    in_heading
        && (matches!(&*lower, "permalink" | "anchor" | "link" | "copy link")
            || lower.starts_with("permalink to")
            || lower.starts_with("link to this")
            || lower.starts_with("direct link to"))
}

fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{fe0e}' | '\u{fe0f}' | '\u{feff}'
    )
}

/// What a link says, as far as it is looked at; `None` if it holds nothing but images.
pub(super) fn text(link: &Handle) -> Option<String> {
    let mut text = String::new();
    let mut open = vec![link.clone()];
    for _ in 0..MAX_NODES {
        let Some(node) = open.pop() else {
            break;
        };
        if let NodeData::Text { contents } = &node.data {
            text.push_str(&contents.borrow());
        }
        if text.len() > MAX_TEXT || dom::is_hidden(&node) {
            continue;
        }
        let children = node.children.borrow();
        open.extend(children.iter().take(MAX_NODES).rev().cloned());
    }
    text.contains(char::is_alphanumeric).then_some(text)
}

/// The text of a link that is short and holds no image.
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
        if dom::kind(&node) == Some(Kind::Image) {
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
