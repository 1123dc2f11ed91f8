//! Small questions asked of the parser's tree: what an element is, what its attributes say,
//! whether a reader of the page would see it.
//!
//! Rules: HTML Living Standard, "Rendering" (what is hidden and what is a block), and the
//! `hidden`, `aria-hidden` and `style` attributes.

use html2md::{Handle, NodeData};

use super::css;
use super::prefilter::media;

/// What an element means to the conversion; elements of one meaning share a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementKind {
    /// Not seen by a reader, or of no use to one: its whole subtree is left out.
    Dropped,
    /// Runs inside a line and means nothing to Markdown.
    Inline,
    /// Runs inside a line with a box of its own, so that its words stand apart.
    Boxed,
    /// Begins and ends a line.
    Block,
    /// `h1` to `h6`, with its level.
    Heading(u8),
    Link,
    Image,
    Emphasis,
    Strong,
    Deleted,
    /// `sup`.
    Raised,
    Code,
    Quoted,
    Break,
    Rule,
    Preformatted,
    Quote,
    /// `ul`, `menu`, `dir`.
    Bullets,
    /// `ol`.
    Numbers,
    Item,
    /// `dd`.
    Definition,
    Input,
    Table,
    Row,
    Cell,
    Base,
    Title,
    /// What shows something from elsewhere.
    Media,
}

/// The kind of the HTML element of that name (in lower case).
pub(super) fn kind_of(name: &str) -> ElementKind {
    match name {
        "a" => ElementKind::Link,
        "img" => ElementKind::Image,
        "em" | "i" => ElementKind::Emphasis,
        "strong" | "b" => ElementKind::Strong,
        "del" | "s" | "strike" => ElementKind::Deleted,
        "sup" => ElementKind::Raised,
        "code" | "kbd" | "samp" | "tt" => ElementKind::Code,
        "q" => ElementKind::Quoted,
        "br" => ElementKind::Break,
        "hr" => ElementKind::Rule,
        "pre" | "listing" | "xmp" | "plaintext" => ElementKind::Preformatted,
        "blockquote" => ElementKind::Quote,
        "ul" | "menu" | "dir" => ElementKind::Bullets,
        "ol" => ElementKind::Numbers,
        "li" => ElementKind::Item,
        "dd" => ElementKind::Definition,
        "input" => ElementKind::Input,
        "table" => ElementKind::Table,
        "tr" => ElementKind::Row,
        "td" | "th" => ElementKind::Cell,
        "h1" => ElementKind::Heading(1),
        "h2" => ElementKind::Heading(2),
        "h3" => ElementKind::Heading(3),
        "h4" => ElementKind::Heading(4),
        "h5" => ElementKind::Heading(5),
        "h6" => ElementKind::Heading(6),
        "base" => ElementKind::Base,
        "title" => ElementKind::Title,
        media::ELEMENT => ElementKind::Media,
        "button" | "select" | "option" | "optgroup" | "textarea" | "meter" | "progress" => {
            ElementKind::Boxed
        }
        "script" | "style" | "nav" | "template" | "noscript" | "iframe" | "noembed"
        | "datalist" | "head" | "link" | "meta" | "annotation" | "annotation-xml" | "param"
        | "col" | "colgroup" => ElementKind::Dropped,
        "address" | "article" | "aside" | "body" | "caption" | "center" | "details" | "dialog"
        | "div" | "dl" | "dt" | "fieldset" | "figcaption" | "figure" | "footer" | "form"
        | "frameset" | "header" | "hgroup" | "html" | "legend" | "main" | "noframes" | "p"
        | "search" | "section" | "summary" | "tbody" | "tfoot" | "thead" => ElementKind::Block,
        _ => ElementKind::Inline,
    }
}

/// The kind of `node`, if it is an element.
pub(super) fn kind(node: &Handle) -> Option<ElementKind> {
    match &node.data {
        NodeData::Element { name, .. } => Some(kind_of(&name.local)),
        _ => None,
    }
}

/// The local name of `node`; empty if it is no element.
pub(super) fn name(node: &Handle) -> &str {
    match &node.data {
        NodeData::Element { name, .. } => &name.local,
        _ => "",
    }
}

/// The value of an attribute, as the parser decoded it.
pub(super) fn attribute(node: &Handle, wanted: &str) -> Option<String> {
    with_attributes(node, |name, value| {
        (name == wanted).then(|| value.to_owned())
    })
}

/// The first answer that `ask` gives to an attribute's name and value.
pub(super) fn with_attributes<T>(
    node: &Handle,
    mut ask: impl FnMut(&str, &str) -> Option<T>,
) -> Option<T> {
    match &node.data {
        NodeData::Element { attrs, .. } => attrs
            .borrow()
            .iter()
            .find_map(|attr| ask(&attr.name.local, &attr.value)),
        _ => None,
    }
}

/// Whether the page says that nobody is to see this element: `hidden` (but not
/// `until-found`), `aria-hidden="true"`, or a style that does not display it.
pub(super) fn is_hidden(node: &Handle) -> bool {
    with_attributes(node, |name, value| hides(name, value).then_some(())).is_some()
}

/// Whether this element is hidden, and what stands around it is where it would be without it: one
/// that is only not to be seen, or not to be read out, keeps its place.
pub(super) fn is_gone(node: &Handle) -> bool {
    let removes = |name: &str, value: &str| match name {
        "hidden" => hides(name, value),
        "style" => css::InlineStyle::of(value).hiding(false) == Some(css::HidingMethod::Removed),
        _ => false,
    };
    with_attributes(node, |name, value| removes(name, value).then_some(())).is_some()
}

/// Whether an attribute of this name (in lower case) and value hides its element.
pub(super) fn hides(name: &str, value: &str) -> bool {
    match name {
        "hidden" => !value.trim().eq_ignore_ascii_case("until-found"),
        "aria-hidden" => value.trim().eq_ignore_ascii_case("true"),
        "style" => css::hides(value),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_attributes_that_hide_are_known_in_all_their_spellings() {
        for (name, value) in [
            ("hidden", ""),
            ("hidden", "hidden"),
            ("aria-hidden", "true"),
            ("aria-hidden", " TRUE "),
            ("style", "display:none"),
        ] {
            assert!(hides(name, value), "{name}={value:?}");
        }
        for (name, value) in [
            ("hidden", "until-found"),
            ("aria-hidden", "false"),
            ("style", "display:block"),
            ("title", "hidden"),
        ] {
            assert!(!hides(name, value), "{name}={value:?}");
        }
    }
}
