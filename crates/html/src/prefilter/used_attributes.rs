//! The attributes that the conversion uses: all others are left out of the tree.

use memchr::{memchr2, memmem};

use super::super::tag::{TagAttribute, is_data};
use super::super::walk::annotation;
use super::super::{dom, listing};

/// Maximum length of the name of a used attribute, in bytes.
pub(super) const MAX_USED_NAME_BYTES: usize = 32;

/// True if the conversion uses this attribute of an element; `tag` and `name` are in lower case.
pub(crate) fn is_used(tag: &str, in_pre: bool, name: &str, value: &str) -> bool {
    match name {
        "href" => matches!(tag, "a" | "base"),
        "rel" => tag == "a" && leads_to_neighbour(value),
        "src" | "alt" | "srcset" | "data-src" | "data-original" | "data-lazy-src" => {
            tag == "img" && !is_data(value)
        }
        "width" | "height" | "data-srcset" | "data-lazy-srcset" => tag == "img",
        "title" => matches!(tag, "a" | "img"),
        "class" => class_counts(tag, in_pre, value) || listing::is_listing(tag, value),
        "aria-expanded" => value.trim().eq_ignore_ascii_case("false"),
        "aria-label" => tag == "a",
        "type" | "checked" => tag == "input",
        "start" | "reversed" => tag == "ol",
        "value" => tag == "li",
        "align" | "colspan" | "rowspan" => matches!(tag, "td" | "th"),
        "role" if dom::marks_dialog("role", value) => true,
        "role" => tag == "table" || dom::kind_of_role(value).is_some(),
        "aria-modal" => dom::marks_dialog("aria-modal", value),
        "lang" => tag == "pre",
        "data-lang" | "data-language" => matches!(tag, "pre" | "code" | "div" | "figure"),
        "aria-controls"
        | "commandfor"
        | "data-bs-target"
        | "data-enlighter-language"
        | "data-syntaxhighlighter-params"
        | "data-target"
        | "popovertarget" => true,
        name => listing::is_sign(name),
    }
}

/// Attributes of a hidden element that show if the page offers to show it.
pub(super) const USED_OF_HIDDEN: &str = "id role class aria-roledescription";

/// True for an attribute with the address of an image.
pub(super) fn is_address(attribute: &TagAttribute<'_>) -> bool {
    let name = attribute.name.to_ascii_lowercase();
    !attribute.value.trim().is_empty() && (name.contains("src") || name == "data-original")
}

/// True if a link with these relations leads to the page before or after this one, or above it.
pub(crate) fn leads_to_neighbour(relations: &str) -> bool {
    let is_neighbour = |relation: &str| {
        ["next", "prev", "previous", "up"]
            .iter()
            .any(|known| relation.eq_ignore_ascii_case(known))
    };
    relations.split_ascii_whitespace().any(is_neighbour)
}

fn class_counts(tag: &str, in_pre: bool, value: &str) -> bool {
    match tag {
        "pre" => true,
        "code" => in_pre,
        "span" | "sup" if annotation::counts(value) => true,
        "span" | "div" | "p" if annotation::is_formula(value) => true,
        "span" if in_pre => memmem::find(value.as_bytes(), b"language-").is_some(),
        // A quick test first: each word has one of the two letters, and most classes have neither.
        "div" if value == "line" => true,
        "div" | "figure" => {
            memchr2(b'g', b'C', value.as_bytes()).is_some()
                && ["highlight", "lang", "sourceCode"]
                    .iter()
                    .any(|word| memmem::find(value.as_bytes(), word.as_bytes()).is_some())
        }
        _ => false,
    }
}
