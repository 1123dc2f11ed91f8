//! Links within the page that are useless to a reader: skip links, and anchors of headings.
//!
//! Rules: the "skip link" technique of WCAG 2.4.1; the anchors that Sphinx, rustdoc, GitHub,
//! Docusaurus and others add to headings.

use html2md::{Handle, NodeData};

use super::super::dom::{self, ElementKind};
use iki_base::unseen;

/// Maximum length of the text of such a link, in bytes.
const MAX_TEXT_BYTES: usize = 80;

/// Maximum number of nodes read for its text.
const MAX_TEXT_NODES: usize = 16;

/// Beginnings of the texts of skip links, in lower case.
const SKIP_LINK_STARTS: &str = "skip to |skip nav|skip link|skip content|jump to content|jump to \
                                main|jump to nav|jump to search|zum inhalt|aller au contenu|ir al \
                                contenido|ir para o conte";

/// True for a link to a part of its page.
pub(super) fn leads_into_page(link: &Handle) -> bool {
    dom::has_attribute(link, |name, value| name == "href" && value.starts_with('#'))
}

/// True for a skip link, and for an anchor in a heading.
pub(super) fn is_useless_link(link: &Handle, in_heading: bool) -> bool {
    if !leads_into_page(link) {
        return false;
    }
    let text = dom::short_text(link, MAX_TEXT_NODES, MAX_TEXT_BYTES, ElementKind::Image);
    let Some(text) = text else {
        return false;
    };
    // The icons of fonts are characters of private use.
    let is_nothing = |c: char| c.is_whitespace() || unseen::is_unseen(c) || is_icon(c);
    let has_icon = text.contains(is_icon);
    let text = text.trim_matches(is_nothing);
    if matches!(text, "\u{b6}" | "#" | "\u{a7}" | "\u{1f517}" | "\u{2693}") {
        return true;
    }
    let lower = text.to_lowercase();
    if SKIP_LINK_STARTS
        .split('|')
        .any(|skip| lower.starts_with(skip))
    {
        return true;
    }
    if text.is_empty() {
        // The name of an anchor repeats its heading.
        return in_heading || has_icon;
    }
    in_heading
        && (matches!(&*lower, "permalink" | "anchor" | "link" | "copy link")
            || lower.starts_with("permalink to")
            || lower.starts_with("link to this")
            || lower.starts_with("direct link to"))
}

/// True for a character of private use, which fonts of icons give a picture.
pub(super) fn is_icon(c: char) -> bool {
    matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}')
}

/// Writes the beginning of a link's text to `text`; returns true if there is text, not only images.
pub(super) fn append_label(link: &Handle, text: &mut String) -> bool {
    text.clear();
    for node in dom::nodes_within(link, |node| !dom::is_hidden(node)).take(2 * MAX_TEXT_NODES) {
        if let NodeData::Text { contents } = &node.data
            && text.len() <= MAX_TEXT_BYTES
        {
            text.push_str(&contents.borrow());
        }
    }
    text.contains(char::is_alphanumeric)
}
