//! What the name and the role of an element mean to the features, as numbers that a trained model
//! keeps: neither order may change without training it anew.

/// Categories of elements: how far above a block the nearest of each stands is a feature.
pub(super) const CATEGORIES: [&str; 18] = [
    "nav",
    "header",
    "footer",
    "aside",
    "main",
    "article",
    "section",
    "form",
    "table",
    "list",
    "figure",
    "details",
    "dialog",
    "blockquote",
    "dl",
    "a",
    "heading",
    "p",
];

/// `main`, among the categories.
pub(super) const MAIN: usize = 4;
/// `p`, among the categories.
pub(super) const PARAGRAPH: usize = 17;

/// `ul` and `ol`, among the categories.
pub(super) const LIST: usize = 9;

/// `td`, among the kinds.
pub(super) const CELL: u8 = 4;
/// `th`, among the kinds.
pub(super) const HEADER_CELL: u8 = 5;
/// `dt`, among the kinds.
pub(super) const TERM: u8 = 6;
/// `dd`, among the kinds.
pub(super) const DESCRIPTION: u8 = 7;
/// `article`, among the kinds.
pub(super) const ARTICLE: u8 = 15;

/// Kinds of blocks, from 1 on.
const KINDS: [&str; 19] = [
    "p",
    "div",
    "li",
    "td",
    "th",
    "dt",
    "dd",
    "pre",
    "blockquote",
    "figcaption",
    "button",
    "label",
    "option",
    "section",
    "article",
    "span",
    "a",
    "summary",
    "body",
];

fn position_of(names: &[&str], name: &str) -> Option<usize> {
    names.iter().position(|known| *known == name)
}

/// The kind of block that an element of this name makes; 0 for any other.
pub(super) fn block_kind(name: &str) -> u8 {
    position_of(&KINDS, name)
        .and_then(|kind| u8::try_from(kind + 1).ok())
        .unwrap_or(0)
}

/// The categories to which an element of this name belongs, a bit each.
pub(super) fn categories(name: &str) -> u32 {
    let name = match name {
        "ul" | "ol" => "list",
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => "heading",
        "list" | "heading" => return 0,
        name => name,
    };
    position_of(&CATEGORIES, name).map_or(0, |category| 1 << category)
}

/// The categories to which an element of this role belongs.
pub(super) fn categories_of_role(role: &str) -> u32 {
    let name = match role {
        "navigation" | "menu" | "menubar" => "nav",
        "banner" => "header",
        "contentinfo" => "footer",
        "complementary" => "aside",
        "main" | "article" => role,
        "search" => "form",
        "dialog" | "alertdialog" => "dialog",
        _ => return 0,
    };
    categories(name)
}
