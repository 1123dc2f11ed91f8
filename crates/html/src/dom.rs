//! Queries on the parser's tree: the kind of an element, its attributes, its visibility.
//!
//! Rules: HTML Living Standard, "Rendering" (what is hidden and what is a block), and the
//! `hidden`, `aria-hidden` and `style` attributes.

use html2md::{Handle, NodeData};
use percent_encoding::percent_decode_str;
use url::Url;

use super::css::{self, HidingMethod};

/// Element that stands for media in the tree. An element with that name in a page is renamed.
pub(super) const MEDIA_ELEMENT: &str = "x-media";

/// Attribute with the original name of a renamed element.
pub(super) const ORIGINAL_NAME: &str = "x-name";

/// Inline elements, in alphabetical order.
const INLINE_ELEMENTS: [&str; 47] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em",
    "font", "i", "img", "ins", "kbd", "label", "mark", "meter", "nobr", "output", "picture", "q",
    "rp", "rt", "ruby", "s", "samp", "small", "source", "span", "strike", "strong", "sub", "sup",
    "time", "tt", "u", "var", "wbr", "x-big", "x-font", "x-nobr", "x-small", "x-u",
];

/// True if the HTML element with this lower-case name is inline. Unknown elements are not, because
/// authors make boxes of them.
pub(super) fn is_inline(name: &str) -> bool {
    INLINE_ELEMENTS.binary_search(&name).is_ok()
}

/// True if `word` is one of `words`, which are separated by blanks.
pub(super) fn lists(words: &str, word: &str) -> bool {
    words.split(' ').any(|one| one == word)
}

/// True if `word`, in any case, is one of `words`, which are separated by blanks.
pub(super) fn lists_any_case(words: &str, word: &str) -> bool {
    words.split(' ').any(|one| one.eq_ignore_ascii_case(word))
}

/// Meaning of an element to the conversion; elements with the same meaning share a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementKind {
    /// Not seen by a reader, or of no use to one; its whole subtree is left out.
    Dropped,
    /// Runs inside a line and has no equivalent in Markdown.
    Inline,
    /// Runs inside a line in a box of its own, so that its words stand apart.
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
    /// Embedded content from another address.
    Media,
}

/// Returns the kind of the HTML element with this lower-case name.
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
        MEDIA_ELEMENT => ElementKind::Media,
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

/// Returns the kind of `node`, if it is an element: by its role in a table, else by its name.
pub(super) fn kind(node: &Handle) -> Option<ElementKind> {
    let NodeData::Element { name, .. } = &node.data else {
        return None;
    };
    let kind = kind_of(&name.local);
    let by_role = || {
        with_attributes(node, |name, value| {
            (name == "role").then(|| kind_of_role(value)).flatten()
        })
    };
    match kind {
        ElementKind::Block
        | ElementKind::Inline
        | ElementKind::Bullets
        | ElementKind::Numbers
        | ElementKind::Item => by_role().or(Some(kind)),
        kind => Some(kind),
    }
}

/// Returns the kind of a `div` or the like with this role, if that is a table or a part of one.
pub(super) fn kind_of_role(role: &str) -> Option<ElementKind> {
    Some(match role {
        "table" | "grid" | "treegrid" => ElementKind::Table,
        "rowgroup" => ElementKind::Block,
        "row" => ElementKind::Row,
        "cell" | "gridcell" | "columnheader" | "rowheader" => ElementKind::Cell,
        _ => return None,
    })
}

/// True for text of blanks, and for what is neither text nor an element.
pub(super) fn is_blank(node: &Handle) -> bool {
    match &node.data {
        NodeData::Text { contents } => contents.borrow().trim().is_empty(),
        NodeData::Element { .. } => false,
        _ => true,
    }
}

/// Returns the local name of `node`; empty for other nodes than elements.
pub(super) fn name(node: &Handle) -> &str {
    match &node.data {
        NodeData::Element { name, .. } => &name.local,
        _ => "",
    }
}

/// Returns the value of an attribute, decoded by the parser.
pub(super) fn attribute(node: &Handle, wanted: &str) -> Option<String> {
    with_attributes(node, |name, value| {
        (name == wanted).then(|| value.to_owned())
    })
}

/// Calls `see` with the name and the value of each attribute.
pub(super) fn for_each_attribute(node: &Handle, mut see: impl FnMut(&str, &str)) {
    if let NodeData::Element { attrs, .. } = &node.data {
        for attribute in attrs.borrow().iter() {
            see(&attribute.name.local, &attribute.value);
        }
    }
}

/// Returns the first result of `ask`, called with the name and the value of each attribute.
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

/// True if `wanted` accepts the name and the value of one of the attributes.
pub(super) fn has_attribute(node: &Handle, wanted: impl Fn(&str, &str) -> bool) -> bool {
    with_attributes(node, |name, value| wanted(name, value).then_some(())).is_some()
}

/// Returns the nodes from `root` on in the order of the page, without what is in those that
/// `enters` refuses.
pub(super) fn nodes_within(
    root: &Handle,
    enters: impl Fn(&Handle) -> bool,
) -> impl Iterator<Item = Handle> {
    let mut open = vec![root.clone()];
    std::iter::from_fn(move || {
        let node = open.pop()?;
        if enters(&node) {
            open.extend(node.children.borrow().iter().rev().cloned());
        }
        Some(node)
    })
}

/// Returns the ID of the part of a page that its address names.
pub(super) fn section_id(address: &Url) -> Option<String> {
    // Browsers keep what is behind this mark from pages: the words to scroll to.
    let name = address.fragment()?.split(":~:").next()?;
    let name = percent_decode_str(name).decode_utf8_lossy().into_owned();
    (!name.is_empty()).then_some(name)
}

/// True for an attribute by which its element is the part with this ID. GitHub's own have a prefix,
/// which its script knows.
pub(super) fn names_section(tag: &str, name: &str, value: &str, id: &str) -> bool {
    value.strip_prefix("user-content-").unwrap_or(value) == id
        && (name.eq_ignore_ascii_case("id") || tag == "a" && name.eq_ignore_ascii_case("name"))
}

/// True for the element that is the part with this ID.
pub(super) fn is_section(node: &Handle, id: &str) -> bool {
    let tag = name(node);
    has_attribute(node, |name, value| names_section(tag, name, value, id))
}

/// The attribute in which the prefilter says how the style of an element hides it: see
/// [`HidingMethod::name`].
pub(super) const HIDING: &str = "x-hides";

/// True for an attribute that hides its element in the tree: the prefilter leaves none there that
/// does not.
pub(super) fn is_hider(name: &str) -> bool {
    matches!(name, "hidden" | "aria-hidden" | HIDING)
}

/// True if the page hides this element: by `hidden` (but not `until-found`), by
/// `aria-hidden="true"` or by a style that does not display it.
pub(super) fn is_hidden(node: &Handle) -> bool {
    has_attribute(node, |name, _| is_hider(name))
}

/// True for a dialog, open or closed.
pub(super) fn is_dialog(node: &Handle) -> bool {
    name(node) == "dialog" || has_attribute(node, marks_dialog)
}

/// True if an attribute with this lower-case name and this value makes its element a dialog.
pub(super) fn marks_dialog(name: &str, value: &str) -> bool {
    let is = |wanted: &str| value.trim().eq_ignore_ascii_case(wanted);
    match name {
        "role" => is("dialog") || is("alertdialog"),
        "aria-modal" => is("true"),
        _ => false,
    }
}

/// Counts the letters and digits within `node`, without the elements that are `left_out`.
pub(super) fn letters_in(node: &Handle, left_out: impl Fn(&Handle) -> bool) -> usize {
    let letters = |node: Handle| match &node.data {
        NodeData::Text { contents } => count_letters(&contents.borrow()),
        _ => 0,
    };
    nodes_within(node, |node| !left_out(node))
        .map(letters)
        .sum()
}

/// Counts the letters and digits of a text.
pub(super) fn count_letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count()
}

/// Returns the text of `node`, if it has at most so many nodes and bytes and contains no element of
/// the kind `without`.
pub(super) fn short_text(
    node: &Handle,
    nodes: usize,
    bytes: usize,
    without: ElementKind,
) -> Option<String> {
    let mut text = String::new();
    let enters = |node: &Handle| kind(node) != Some(ElementKind::Dropped);
    let mut within = nodes_within(node, enters);
    for _ in 0..nodes {
        let Some(node) = within.next() else {
            return Some(text);
        };
        if let NodeData::Text { contents } = &node.data {
            text.push_str(&contents.borrow());
        }
        let too_many = node.children.borrow().len() > nodes;
        if kind(&node) == Some(without) || text.len() > bytes || too_many {
            return None;
        }
    }
    None
}

/// True if this element is hidden and takes up no space, unlike one that is only invisible or not
/// read aloud.
pub(super) fn is_gone(node: &Handle) -> bool {
    has_attribute(node, |name, value| {
        name == "hidden" || (name == HIDING && value == HidingMethod::Removed.name())
    })
}

/// True if an attribute of the page with this lower-case name and this value hides its element.
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
