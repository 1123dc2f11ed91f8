//! Line numbers within highlighted code. A style sets them apart from the code; as text they would
//! be part of it.
//!
//! Rules: the classes of Pygments (`linenos`), Chroma (`ln`, `lnt`) and others.

use super::tag;

/// Classes of line numbers.
const CLASSES: [&str; 7] = [
    "linenos",
    "lineno",
    "linenumber",
    "line-number",
    "line-numbers",
    "ln",
    "lnt",
];

/// Maximum length of a line number with the blanks around it, in bytes.
const LONGEST: usize = 16;

/// Returns the offset behind the element at `at`, with this name and this end of its start tag, if
/// it consists of a line number.
pub(super) fn skip_line_number(page: &str, at: usize, name: &str, from: usize) -> Option<usize> {
    if !matches!(name, "span" | "a" | "i" | "b") {
        return None;
    }
    let mut is_number = false;
    tag::scan(page, at + 1 + name.len(), |attribute| {
        let mut words = attribute.value.split_ascii_whitespace();
        is_number |= attribute.name.eq_ignore_ascii_case("class")
            && words.any(|word| CLASSES.contains(&word));
    })?;
    if !is_number {
        return None;
    }
    let text = page.as_bytes()[from..].iter().take(LONGEST);
    let length = text
        .take_while(|byte| byte.is_ascii_digit() || matches!(byte, b' ' | b'\n'))
        .count();
    tag::names_end(page, from + length, name).map(|end| tag::past(page, end, b'>'))
}
