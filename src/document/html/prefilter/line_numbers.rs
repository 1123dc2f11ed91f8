//! Numbers of lines that highlighters put into a line of code. A style sets them apart from it; as
//! text they would be the code's.
//!
//! Rules: what Pygments (`linenos`), Chroma (`ln`, `lnt`) and others call them.

use super::tag;

/// What highlighters call them.
const CLASSES: [&str; 7] = [
    "linenos",
    "lineno",
    "linenumber",
    "line-number",
    "line-numbers",
    "ln",
    "lnt",
];

/// The longest of them, with the blanks around it, in bytes.
const LONGEST: usize = 16;

/// Where the page goes on behind the element at `at`, whose name and the end of whose start tag
/// these are, if it is nothing but the number of a line.
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
