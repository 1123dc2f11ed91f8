//! Hints for finding the main content that the conversion does not need: the naming attributes of
//! elements, and elements without a meaning of their own.

use super::super::dom::{ORIGINAL_NAME, lists_any_case};
use super::super::tag::TagAttribute;

/// Maximum length of a naming attribute that is kept whole, in bytes.
pub(super) const MAX_NAMING_BYTES: usize = 400;

/// Naming attributes.
const NAMING_ATTRIBUTES: &str = "class id role itemprop itemtype";

/// True for the name of a naming attribute.
pub(super) fn names_element(attribute: &str) -> bool {
    matches!(attribute.len(), 2 | 4 | 5 | 8) && lists_any_case(NAMING_ATTRIBUTES, attribute)
}

/// Cuts a long naming attribute down to its first words; false if it has none.
pub(super) fn shorten(attribute: &mut TagAttribute<'_>) -> bool {
    let limit = MAX_NAMING_BYTES.saturating_sub(attribute.name.len() + "=\"\"".len());
    if attribute.value.len() <= limit || !names_element(attribute.name) {
        return true;
    }
    let words = &attribute.value.as_bytes()[..=limit];
    let last = words.iter().rposition(u8::is_ascii_whitespace);
    if let Some(end) = last {
        attribute.value = &attribute.value[..end];
    }
    last.is_some()
}

/// Returns the attribute with the name of a renamed element.
pub(super) fn original_name(name: &str) -> TagAttribute<'_> {
    TagAttribute {
        name: ORIGINAL_NAME,
        value: name,
    }
}
