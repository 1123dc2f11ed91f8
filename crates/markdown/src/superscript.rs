//! Finds the mark of a superscript: after a number or a letter it is a power, an index or the
//! number of a note, and without a mark it would be read as more of the same number.
//!
//! Rules: `^` before it, as in plain text and most programs, and brackets around more than a number
//! or a word. Ordinals (1st) and trade marks have no mark.

/// Maximum length of a superscript, in bytes.
pub const MAX_BYTES: usize = 32;

/// Returns the mark between the character `before` and a superscript `text`.
pub fn mark(before: Option<char>, text: &str) -> Option<&'static str> {
    let before =
        before.filter(|before| !before.is_whitespace() && !"([{\"'“‘«".contains(*before))?;
    let mut letters = text.chars();
    let first = letters.next()?;
    if text.chars().all(char::is_alphabetic) {
        // 1st, 2e, Nº, but xⁿ.
        let is_variable = letters.next().is_none() && !"aeodhsrºª".contains(first);
        return (is_variable && (before.is_alphanumeric() || before == ')')).then_some("^");
    }
    let unsigned = text.trim_start_matches(['-', '+', '\u{2212}']);
    if !unsigned.starts_with(char::is_alphanumeric) {
        return None;
    }
    let is_one = |c: char| c.is_alphanumeric() || matches!(c, '.' | ',');
    Some(if unsigned.chars().all(is_one) {
        "^"
    } else {
        "^("
    })
}

#[cfg(test)]
mod tests {
    use super::mark;

    #[test]
    fn powers_are_told_from_ordinals_and_trade_marks() {
        for (before, text, wanted) in [
            ('2', "10", Some("^")),
            ('x', "n", Some("^")),
            ('0', "-3", Some("^")),
            ('0', "\u{2212}3", Some("^")),
            (')', "2", Some("^")),
            ('e', "-x/2", Some("^(")),
            ('a', "2+", Some("^(")),
            ('x', "n+1", Some("^(")),
            ('e', "1", Some("^")),
            ('.', "1", Some("^")),
            ('1', "st", None),
            ('2', "e", None),
            ('n', "o", None),
            ('e', "TM", None),
            ('e', "®", None),
            ('e', "[1]", None),
            ('a', "+", None),
            ('[', "1", None),
            (' ', "1", None),
        ] {
            assert_eq!(mark(Some(before), text), wanted, "{before}{text}");
        }
        assert_eq!(mark(None, "1"), None);
    }
}
