//! Texts that a model sends in place of a file's own, and what was meant: line numbers copied from
//! a reader's output, characters escaped once too often, a fence around the code, …

use crate::document::entities;

/// What has to be taken away from a text, or put into it, so that it is the file's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Line ends or blanks at the end.
    TrimEnd,
    /// Line ends or blanks at the beginning.
    TrimStart,
    /// Line ends or blanks at both ends.
    Trim,
    /// Numbers before the lines.
    LineNumbers,
    /// A backslash before `n`, `t`, `"` and so on, where the character itself is meant.
    Unescape,
    /// Entities such as `&lt;`, where the character itself is meant.
    Entities,
    /// The file has backslash and `n`, `"` and so on, where the text has the character itself.
    Escape,
    /// The file has entities, where the text has the characters themselves.
    ToEntities,
    /// A Markdown fence, or backticks or quotes, around the text.
    Fence,
    /// The marks of a diff before the lines.
    DiffMarks,
}

/// What `sought` may have been meant as, each with what was wrong with it; the likeliest first.
pub fn repairs(sought: &str) -> Vec<(Repair, String)> {
    let mut found: Vec<(Repair, String)> = Vec::new();
    let mut add = |repair, text: Option<String>| {
        if let Some(text) = text
            && text != sought
            && !text.trim().is_empty()
            && found.iter().all(|(_, one)| *one != text)
        {
            found.push((repair, text));
        }
    };
    add(Repair::TrimEnd, Some(sought.trim_end().to_owned()));
    add(Repair::TrimStart, Some(trim_lines(sought).to_owned()));
    add(Repair::Trim, Some(trim_lines(sought).trim_end().to_owned()));
    add(Repair::LineNumbers, without_line_numbers(sought));
    add(Repair::Unescape, unescaped(sought));
    add(Repair::Entities, Some(entities::decoded(sought)));
    add(Repair::Fence, without_fence(sought));
    add(Repair::DiffMarks, without_diff_marks(sought));
    add(Repair::Escape, Some(sought.replace('"', "\\\"")));
    let line_ends = sought.replace("\r\n", "\\r\\n").replace('\n', "\\n");
    add(Repair::Escape, Some(line_ends.replace('\t', "\\t")));
    add(Repair::Escape, Some(sought.replace('\\', "\\\\")));
    let all = sought.replace('\\', "\\\\").replace('"', "\\\"");
    add(
        Repair::Escape,
        Some(all.replace('\n', "\\n").replace('\t', "\\t")),
    );
    add(Repair::ToEntities, Some(entities::encoded(sought)));
    add(
        Repair::ToEntities,
        Some(entities::encoded_in_quotes(sought)),
    );
    found
}

/// `text` without the empty lines at its beginning.
fn trim_lines(text: &str) -> &str {
    let start = text.len() - text.trim_start().len();
    match text[..start].rfind('\n') {
        Some(line_end) => &text[line_end + 1..],
        None => text,
    }
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
        let (number, rest) = numbered(line)?;
        // A cut between two parts leaves numbers out.
        if last.is_some_and(|last| number <= last) {
            return None;
        }
        last = Some(number);
        lines.push(rest);
    }
    last.map(|_| lines.join("\n"))
}

/// The number before a line, and the line, as the readers of the agents in use write it: `12\tx`,
/// `12: x`, `12→x`, `12 | x`, `L12: x`, `12:x`, `12-x`.
fn numbered(line: &str) -> Option<(u64, &str)> {
    let line = line.trim_start();
    let line = line.strip_prefix('L').unwrap_or(line);
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = line.split_at(digits);
    let number = number.parse().ok()?;
    let bare = rest.trim_start_matches(' ');
    for separator in ["\t", "\u{2192}", "| ", "|", "\u{2502} ", "\u{2502}"] {
        if let Some(rest) = bare.strip_prefix(separator) {
            return Some((number, rest));
        }
    }
    for separator in [": ", ":", "- ", "-", ". "] {
        if let Some(rest) = rest.strip_prefix(separator) {
            return Some((number, rest));
        }
    }
    // An empty line, of which a host has cut off the separator.
    rest.is_empty().then_some((number, rest))
}

/// What stands behind backslashes, as JSON and most languages read them.
fn unescaped(text: &str) -> Option<String> {
    if !text.contains('\\') {
        return None;
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(one) = characters.next() {
        if one != '\\' {
            plain.push(one);
            continue;
        }
        match characters.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => plain.push('\r'),
            Some(quote @ ('"' | '\'' | '`' | '\\' | '/' | '$')) => plain.push(quote),
            other => {
                plain.push('\\');
                plain.extend(other);
            }
        }
    }
    Some(plain)
}

/// The text in a Markdown fence, in backticks or in quotes.
fn without_fence(text: &str) -> Option<String> {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix("```") {
        let (_, inner) = inner.split_once('\n')?;
        let inner = inner.strip_suffix("```")?;
        return Some(inner.strip_suffix('\n').unwrap_or(inner).to_owned());
    }
    ["`", "\"", "'"].iter().find_map(|quote| {
        let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
        Some(inner.to_owned())
    })
}

/// What a diff takes away: its lines that begin with `-` or a blank.
fn without_diff_marks(text: &str) -> Option<String> {
    let mut lines = Vec::new();
    let mut marked = false;
    for line in text.split('\n') {
        if line.starts_with("@@") || line.starts_with("--- ") || line.starts_with("+++ ") {
            continue;
        }
        marked |= line.starts_with(['-', '+']);
        match line.split_at_checked(1) {
            Some((" " | "-", rest)) => lines.push(rest),
            Some(("+", _)) => {}
            None => lines.push(line),
            Some(_) => return None,
        }
    }
    marked.then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repaired(sought: &str, repair: Repair) -> Vec<String> {
        let all = repairs(sought).into_iter();
        all.filter(|(one, _)| *one == repair)
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
                repaired(sought, Repair::LineNumbers),
                ["a\n  b"],
                "{sought}"
            );
        }
        for plain in ["1: a\n1: b", "a\n2: b", "3\n2\n1", "version 12: a"] {
            assert_eq!(repaired(plain, Repair::LineNumbers), [""; 0], "{plain}");
        }
    }

    #[test]
    fn escapes_are_taken_away_and_put_in() {
        assert_eq!(
            repaired(r#"say(\"a\");\n\tx"#, Repair::Unescape),
            ["say(\"a\");\n\tx"]
        );
        assert_eq!(
            repaired("a &lt; b &amp;&amp; c", Repair::Entities),
            ["a < b && c"]
        );
        assert!(repaired("a\n\"b\"", Repair::Escape).contains(&r#"a\n\"b\""#.to_owned()));
        assert!(repaired("a < b", Repair::ToEntities).contains(&"a &lt; b".to_owned()));
    }

    #[test]
    fn fences_quotes_and_diffs_are_taken_away() {
        assert_eq!(repaired("```rust\nlet a;\n```", Repair::Fence), ["let a;"]);
        assert_eq!(repaired("`let a;`", Repair::Fence), ["let a;"]);
        assert_eq!(
            repaired("@@ -1,2 +1,2 @@\n a\n-b\n+c", Repair::DiffMarks),
            ["a\nb"]
        );
        assert_eq!(repaired(" a\n b", Repair::DiffMarks), [""; 0]);
    }
}
