//! Text next to the content: buttons that copy code, and boxes that only a style sheet sets apart.
//!
//! Rules: the buttons of Sphinx, Docusaurus, MDN, GitHub and others.

use memchr::memmem;

use super::super::declared::read_element;
use super::super::tag;

/// Maximum length of a button's markup, and of its text, in bytes.
const MAX_BUTTON_BYTES: usize = 2048;
const MAX_BUTTON_TEXT_BYTES: usize = 30;

/// Words of a button, and all of what else may serve as one.
const COPY_WORDS: [&str; 2] = ["copy", "copied"];
const COPY_TEXTS: [&str; 4] = ["copy", "copied", "copy code", "copy to clipboard"];

/// True if the element at `at`, with this lower-case name and this end of its start tag, only
/// copies what is next to it; not within a sentence.
pub(super) fn is_copy_button(page: &str, at: usize, name: &str, end: usize) -> bool {
    let start = &page.as_bytes()[at..end];
    let says = |word: &[u8]| memmem::find(start, word).is_some();
    let is_button = name == "button" || name.contains("copy");
    let is_target = name == "a" && says(b"href") && !says(b"href=\"#");
    if !is_button && (is_target || !matches!(name, "a" | "div" | "span")) {
        return false;
    }
    let named = says(b"opy") || says(b"lipboard");
    if (!is_button && !named) || !page[..at].trim_end().ends_with('>') {
        return false;
    }
    let tag = tag::read(page, at + 1);
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

/// Maximum number of elements that begin at once.
const MAX_NESTED_STARTS: usize = 4;

/// Inline elements that stand next to boxes, and those that authors make boxes of.
const INLINE_ELEMENTS: [&str; 8] = ["a", "b", "em", "i", "strong", "span", "time", "label"];
const BOX_ELEMENTS: &[&str] = INLINE_ELEMENTS.split_at(5).1;

/// A space that the page does not have: in a browser, too, it is one.
pub(in crate::html) const BOX_SPACE: &str = "\u{c}";

/// True if the words before and in the element at `at` would run together, but for a style sheet:
/// a label or a time, or a word and the next one, in a box each.
pub(super) fn runs_together(page: &str, at: usize, name: &str) -> bool {
    if !INLINE_ELEMENTS.contains(&name) || !page[..at].ends_with('>') {
        return false;
    }
    let (mut before, mut ended) = (&page[..at], "");
    while let Some(open) = before.ends_with('>').then(|| before.rfind('<')).flatten() {
        let Some(found) = before[open..].strip_prefix("</") else {
            return false;
        };
        if ended.is_empty() {
            ended = found.trim_end_matches('>');
        }
        before = &before[..open];
    }
    let mut behind = tag::past(page, at, b'>');
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
