//! Foreign text inside a sentence of our own: short, on one line, and unable to end its quotation
//! marks.

use iki_base::wording::on_one_line;

/// Maximum number of characters quoted.
pub const MAX_QUOTED_CHARS: usize = 500;

/// Quotes the first [`MAX_QUOTED_CHARS`] characters of `text`, on one line; `None` if there are
/// none.
#[must_use]
pub fn quoted(text: &str) -> Option<String> {
    // More is not needed of a text without blanks; many blanks shorten the quotation.
    let head: String = text.chars().take(8 * MAX_QUOTED_CHARS).collect();
    let line = on_one_line(&head).replace('"', "'");
    if line.is_empty() {
        return None;
    }
    let excerpt: String = line.chars().take(MAX_QUOTED_CHARS).collect();
    let more = excerpt.len() < line.len() || head.len() < text.len();
    Some(format!("\"{excerpt}{}\"", if more { "…" } else { "" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_on_one_line_and_cannot_end_the_quotation() {
        let text = " no\r\n\t\"page\"\u{1b}[31m here\u{202e}\u{0} ";
        assert_eq!(quoted(text).unwrap(), "\"no 'page' [31m here\"");
        assert_eq!(quoted(" \n\u{1} "), None);
        let long = "é".repeat(MAX_QUOTED_CHARS + 1);
        assert_eq!(
            quoted(&long).unwrap(),
            format!("\"{}…\"", "é".repeat(MAX_QUOTED_CHARS))
        );
        assert_eq!(
            quoted(&"é".repeat(MAX_QUOTED_CHARS))
                .unwrap()
                .chars()
                .count(),
            MAX_QUOTED_CHARS + 2
        );
        assert!(quoted(&"x ".repeat(1 << 20)).unwrap().ends_with("x …\""));
    }
}
