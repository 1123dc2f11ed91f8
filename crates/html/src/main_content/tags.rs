//! Features of the names and roles of elements, as numbers that a trained model depends on: neither
//! order may change without new training.

/// Categories of elements; the distance from a block up to the nearest element of each is a
/// feature.
const CATEGORIES: &str = "nav header footer aside main article section form table list figure \
                          details dialog blockquote dl a heading p";

/// Number of categories.
pub(super) const CATEGORY_COUNT: usize = 18;

/// Index of `main` among the categories.
pub(super) const MAIN: usize = 4;
/// Index of `article` among the categories.
pub(super) const ARTICLE_CATEGORY: usize = 5;
/// Index of `header` among the categories.
pub(super) const HEADER: usize = 1;
/// Indexes of `nav`, `header`, `footer` and `aside` among the categories.
pub(super) const SITE_PARTS: [usize; 4] = [0, 1, 2, 3];
/// Indexes of `table`, `list` and `dl` among the categories.
pub(super) const STRUCTURES: [usize; 3] = [8, 9, 14];
/// Index of `blockquote` among the categories.
pub(super) const QUOTATION: usize = 13;
/// Index of `p` among the categories.
pub(super) const PARAGRAPH: usize = 17;

/// Index of `list` among the categories.
pub(super) const LIST: usize = 9;

/// Number of `li` among the kinds.
pub(super) const ITEM: u8 = 3;
/// Number of `dt` among the kinds.
pub(super) const TERM: u8 = 6;
/// Number of `pre` among the kinds.
pub(super) const PREFORMATTED: u8 = 8;
/// Number of `figcaption` among the kinds.
pub(super) const CAPTION: u8 = 10;
/// Number of `button` among the kinds.
pub(super) const BUTTON: u8 = 11;
/// Number of `article` among the kinds.
pub(super) const ARTICLE: u8 = 15;

/// Number of `p` among the kinds.
pub(super) const PARAGRAPH_KIND: u8 = 1;
/// Numbers of `td` and `th` among the kinds.
pub(super) const CELLS: [u8; 2] = [4, 5];
/// Numbers of `dt` and `dd` among the kinds.
pub(super) const DESCRIPTIONS: [u8; 2] = [6, 7];
/// Numbers of `td`, `dd`, `blockquote` and `section` among the kinds, in which a list or a
/// paragraph is text.
pub(super) const HOLDERS: [u8; 4] = [4, 7, 9, 14];

/// True if this kind of element is around runs of text, and not amid one.
pub(super) fn is_holder(kind: u8) -> bool {
    !matches!(kind, 0 | 12 | 16 | 17)
}

/// Kinds of blocks, numbered from 1.
const KINDS: &str = "p div li td th dt dd pre blockquote figcaption button label option section \
                     article span a summary body";

fn position_of(names: &str, name: &str) -> Option<usize> {
    names.split(' ').position(|known| known == name)
}

/// Returns the kind of block that an element with this name makes; 0 for any other.
pub(super) fn block_kind(name: &str) -> u8 {
    position_of(KINDS, name)
        .and_then(|kind| u8::try_from(kind + 1).ok())
        .unwrap_or(0)
}

/// Returns one bit for each category of an element with this name.
pub(super) fn categories(name: &str) -> u32 {
    let name = match name {
        "ul" | "ol" => "list",
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => "heading",
        "list" | "heading" => return 0,
        name => name,
    };
    position_of(CATEGORIES, name).map_or(0, |category| 1 << category)
}

/// Returns one bit for each category of an element with this role.
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
