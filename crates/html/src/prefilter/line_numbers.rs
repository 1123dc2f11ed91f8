//! Line numbers within highlighted code. A style sets them apart from the code; as text they would
//! be part of it.
//!
//! Rules: what the page makes unselectable or leaves out of snippets, links of a line to itself,
//! and the classes of Pygments (`linenos`), Chroma (`ln`, `lnt`), gitweb (`linenr`) and others.

use super::super::declared::read_element;
use super::super::tag;

/// Maximum length of a line number with the tags and the blanks around it, in bytes.
const MAX_NUMBER_BYTES: usize = 256;

/// Returns the offset after the element at `offset` with this name if it consists of a line number.
/// Outside code that is only a link of a line to itself that is called so.
pub(super) fn skip_line_number(
    page: &str,
    offset: usize,
    name: &str,
    in_code: bool,
) -> Option<usize> {
    if !matches!(name, "span" | "a" | "i" | "b" | "div") {
        return None;
    }
    let tag = tag::read(page, offset + 1)?;
    let is_apart = tag.get("class").is_some_and(is_line_number_class)
        || ["data-nosnippet", "unselectable"]
            .iter()
            .any(|name| tag.get(name).is_some())
        || tag
            .get("style")
            .is_some_and(|style| style.replace(' ', "").contains("user-select:none"));
    let target = tag.get("href").unwrap_or_default();
    let target = target.strip_prefix('#').unwrap_or_default();
    if !is_apart && target.is_empty() {
        return None;
    }
    let (number, end) = read_element(page, &tag, MAX_NUMBER_BYTES)?;
    let leads_here = !number.is_empty() && target.ends_with(&number);
    let is_number = (is_apart && leads_here) || (in_code && (is_apart || leads_here));
    (is_number && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(end)
}

/// True if one of the words of a class, in any spelling, is for line numbers.
pub(crate) fn is_line_number_class(class: &str) -> bool {
    class.split_ascii_whitespace().any(|word| {
        let word = word.replace(['-', '_'], "").to_ascii_lowercase();
        matches!(word.as_str(), "ln" | "lnt" | "gutter" | "lnlinks")
            || ["lineno", "linenum", "linenr"]
                .iter()
                .any(|part| word.contains(part))
    })
}
