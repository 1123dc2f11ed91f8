//! Mistakes that models make when they copy a text: whitespace around it, line numbers from a
//! reader's output, characters escaped once too often.

/// A mistake in a text, without which it is the file's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextRepair {
    /// Whitespace around the text.
    Trim,
    /// Numbers before the lines.
    LineNumbers,
    /// A backslash before `n`, `t`, `"` and so on, where the character itself is meant.
    Unescape,
    /// A control character as answers spell it (`\x1b`, `␀`), where the character itself is meant.
    SpelledControl,
}

/// The texts that `sought` may have been meant as, each with its mistake; the likeliest first.
pub fn repaired_texts(sought: &str) -> impl Iterator<Item = (TextRepair, String)> {
    let trimmed = sought.trim_end().trim_start_matches(['\r', '\n']);
    let repaired = [
        (TextRepair::Trim, Some(trimmed.to_owned())),
        (TextRepair::LineNumbers, without_line_numbers(sought)),
        (TextRepair::Unescape, unescaped(sought)),
        (
            TextRepair::SpelledControl,
            iki_base::control_spelling::unspelled(sought),
        ),
    ];
    repaired
        .into_iter()
        .filter_map(|(repair, text)| Some((repair, text?)))
        .filter(move |(_, text)| text != sought)
}

/// Each line without the number before it; `None` where not every line has one, or where they do
/// not count up.
fn without_line_numbers(text: &str) -> Option<String> {
    let mut lines = Vec::new();
    let mut last = None;
    for line in text.split('\n') {
        if line.trim().is_empty() {
            lines.push(line);
            continue;
        }
        let (number, line_text) = numbered(line)?;
        // A cut between two parts leaves numbers out.
        if last.is_some_and(|last| number <= last) {
            return None;
        }
        last = Some(number);
        lines.push(line_text);
    }
    last.map(|_| lines.join("\n"))
}

/// The number before a line, and the line, as the readers of the agents in use write it: `12\tx`,
/// `12: x`, `12→x`, `12 | x`, `L12: x`, `12:x`, `12-x`.
fn numbered(line: &str) -> Option<(u64, &str)> {
    let line = line.trim_start();
    let line = line.strip_prefix('L').unwrap_or(line);
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (number, remainder) = line.split_at(digits);
    let number = number.parse().ok()?;
    let bare = remainder.trim_start_matches(' ');
    for separator in ["\t", "\u{2192}", "| ", "|", "\u{2502} ", "\u{2502}"] {
        if let Some(remainder) = bare.strip_prefix(separator) {
            return Some((number, remainder));
        }
    }
    for separator in [": ", ":", "- ", "-", ". "] {
        if let Some(remainder) = remainder.strip_prefix(separator) {
            return Some((number, remainder));
        }
    }
    // An empty line, of which a host has cut off the separator.
    remainder.is_empty().then_some((number, remainder))
}

/// `text` with the characters that its escapes stand for, as JSON and most languages read them.
fn unescaped(text: &str) -> Option<String> {
    if !text.contains('\\') {
        return None;
    }
    // NUL stands in for an escaped backslash meanwhile: next to no text has it.
    let mut plain = text.replace(r"\\", "\0");
    for (escape, character) in [(r"\n", "\n"), (r"\t", "\t"), (r"\r", "\r")] {
        plain = plain.replace(escape, character);
    }
    for quote in ["\"", "'", "`", "/", "$"] {
        plain = plain.replace(&format!("\\{quote}"), quote);
    }
    Some(plain.replace('\0', "\\"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repaired(sought: &str, repair: TextRepair) -> Vec<String> {
        repaired_texts(sought)
            .filter(|(one, _)| *one == repair)
            .map(|(_, text)| text)
            .collect()
    }

    #[test]
    fn line_numbers_of_every_reader_are_taken_away() {
        for sought in [
            "12\ta\n13\t  b",
            "12: a\n13:   b",
            "    12\u{2192}a\n    13\u{2192}  b",
            " 9| a\n10|   b",
            "L12: a\nL13:   b",
            "00012| a\n00013|   b",
        ] {
            assert_eq!(
                repaired(sought, TextRepair::LineNumbers),
                ["a\n  b"],
                "{sought}"
            );
        }
        for plain in ["1: a\n1: b", "a\n2: b", "3\n2\n1", "version 12: a"] {
            assert_eq!(repaired(plain, TextRepair::LineNumbers), [""; 0], "{plain}");
        }
    }

    #[test]
    fn escapes_are_taken_away() {
        assert_eq!(
            repaired(r#"say(\"a\");\n\tx"#, TextRepair::Unescape),
            ["say(\"a\");\n\tx"]
        );
    }
}
