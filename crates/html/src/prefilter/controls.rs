//! Text next to the content: buttons that copy code, and boxes that only a style sheet sets apart.
//!
//! Rules: the buttons of Sphinx, Docusaurus, MDN, GitHub and others.

use memchr::memmem;

use super::super::declared::read_element;
use super::super::dom;
use super::super::tag;

/// Maximum length of a button's markup, and of its text, in bytes.
const MAX_BUTTON_BYTES: usize = 2048;
const MAX_BUTTON_TEXT_BYTES: usize = 30;

/// Words of a button, and all of what else may serve as one.
const COPY_WORDS: [&str; 2] = ["copy", "copied"];
const COPY_TEXTS: [&str; 4] = ["copy", "copied", "copy code", "copy to clipboard"];

/// True if the element at `offset`, with this lower-case name and this end of its start tag, only
/// copies what is next to it; not within a sentence.
pub(super) fn is_copy_button(page: &str, offset: usize, name: &str, end: usize) -> bool {
    let start = &page.as_bytes()[offset..end];
    let says = |word: &[u8]| memmem::find(start, word).is_some();
    let is_button = name == "button" || name.contains("copy");
    let is_target = name == "a" && says(b"href") && !says(b"href=\"#");
    if !is_button && (is_target || !matches!(name, "a" | "div" | "span")) {
        return false;
    }
    let named = says(b"opy") || says(b"lipboard");
    if (!is_button && !named) || !page[..offset].trim_end().ends_with('>') {
        return false;
    }
    let tag = tag::read(page, offset + 1);
    let text = tag.and_then(|tag| read_element(page, &tag, MAX_BUTTON_BYTES));
    let Some((text, _)) = text.filter(|(text, _)| text.len() <= MAX_BUTTON_TEXT_BYTES) else {
        return false;
    };
    let text = text.to_ascii_lowercase();
    let text = text.trim_end_matches(['!', '.']);
    let says_copy = text
        .split(' ')
        .next()
        .is_some_and(|word| COPY_WORDS.contains(&word));
    COPY_TEXTS.contains(&text) || (is_button && (named || says_copy))
}

/// Types of fields whose value is text.
const TEXT_TYPES: &str = "text number tel email url search date time month";

/// Returns the value of the field at `offset` that nobody can change, or that stands in a label.
pub(super) fn shown_value(page: &str, offset: usize, in_label: bool) -> Option<&str> {
    let tag = tag::read(page, offset + 1)?;
    let is_fixed = tag
        .get("readonly")
        .or_else(|| tag.get("disabled"))
        .is_some();
    let kind = tag
        .get("type")
        .unwrap_or("text")
        .trim()
        .to_ascii_lowercase();
    let value = tag.get("value").filter(|value| !value.trim().is_empty());
    value.filter(|_| (is_fixed || in_label) && dom::lists(TEXT_TYPES, &kind))
}

/// Returns the label of the element at `offset` that only draws, as stars of a rating, and the
/// offset after it. The label of a mere icon is one word.
pub(super) fn label_of_drawing(page: &str, offset: usize) -> Option<(&str, usize)> {
    let tag = tag::read(page, offset + 1)?;
    let is_image = tag.get("role").is_some_and(|role| role.trim() == "img");
    let label = tag.get("aria-label").filter(|_| is_image)?;
    let says_more = label
        .trim()
        .contains(|c: char| c.is_whitespace() || c.is_ascii_digit());
    let (text, end) = read_element(page, &tag, MAX_BUTTON_BYTES).filter(|_| says_more)?;
    text.trim().is_empty().then_some((label, end))
}

/// Maximum number of elements that begin at once.
const MAX_NESTED_STARTS: usize = 4;

/// Inline elements that stand next to boxes, and those that authors make boxes of.
const INLINE_ELEMENTS: [&str; 8] = ["a", "b", "em", "i", "strong", "span", "time", "label"];
const BOX_ELEMENTS: &[&str] = INLINE_ELEMENTS.split_at(5).1;

/// A space that the page does not have: in a browser, too, it is one.
pub(crate) const BOX_SPACE: &str = "\u{c}";

/// Classes of empty elements that a style sheet fills with a mark between two words.
const SEPARATORS: &str = "sep separator";

/// Classes of labels that a style sheet draws as boxes: those of Doxygen, Bootstrap and Sphinx.
const LABELS: &str = "mlabel badge sd-badge";

/// True for an element at `offset` that a style sheet sets apart from the word before it: a label,
/// or an empty one between two words. Its content begins at `end`.
pub(super) fn is_set_apart(page: &str, offset: usize, end: usize, name: &str) -> bool {
    if name != "span" || page[..offset].ends_with(|c: char| c.is_whitespace()) {
        return false;
    }
    let is_empty = page[end..].starts_with("</span");
    let classes = if is_empty { SEPARATORS } else { LABELS };
    let may_be = |class: &str| page[offset..end].contains(class);
    let tag = classes
        .split(' ')
        .any(may_be)
        .then(|| tag::read(page, offset + 1));
    let tag = tag.flatten();
    let class = tag.as_ref().and_then(|tag| tag.get("class"));
    class.is_some_and(|class| {
        let mut words = class.split_ascii_whitespace();
        words.any(|word| dom::lists(classes, word))
    })
}

/// True if the words before and in the element at `offset` would run together, but for a style
/// sheet: a label or a time, or a word and the next one, in a box each.
pub(super) fn runs_together(page: &str, offset: usize, name: &str) -> bool {
    if !INLINE_ELEMENTS.contains(&name) || !page[..offset].ends_with('>') {
        return false;
    }
    let (mut before, mut ended) = (&page[..offset], "");
    while let Some(open) = before.ends_with('>').then(|| before.rfind('<')).flatten() {
        let closing = before[open..].strip_prefix("</");
        if closing.is_none() && !before[open..].starts_with("<input") {
            return false;
        }
        if ended.is_empty() {
            ended = closing.unwrap_or_default().trim_end_matches('>');
        }
        before = &before[..open];
    }
    let mut behind = tag::past(page, offset, b'>');
    for _ in 0..MAX_NESTED_STARTS {
        if page[behind..].starts_with('<') && !page[behind..].starts_with("</") {
            behind = tag::past(page, behind, b'>');
        }
    }
    let mut last = before.chars().rev();
    let (Some(last), Some(previous)) = (last.next(), last.next()) else {
        return false;
    };
    let Some(next) = page[behind..].chars().next() else {
        return false;
    };
    let words = last.is_alphanumeric() && (next.is_alphanumeric() || "$€£".contains(next));
    let boxed = INLINE_ELEMENTS.contains(&ended)
        && [name, ended].iter().any(|name| BOX_ELEMENTS.contains(name));
    let apart = [name, ended]
        .iter()
        .any(|name| matches!(*name, "time" | "label"));
    let new_word = last.is_lowercase() && previous.is_lowercase() && !next.is_lowercase();
    boxed && words && (apart || new_word)
}
