//! Finds text that Markdown would take for markup, at the start of a line and inside it. Only such
//! text is escaped.
//!
//! Rules: `CommonMark` 0.31.2, "Backslash escapes", "Entity references", "Leaf blocks",
//! "Emphasis"; GitHub Flavored Markdown 0.29, tables, task lists and strikethrough.

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ByteClass {
    /// Is written as it is.
    Plain,
    /// Whitespace that CSS collapses, and the vertical tab, which some parsers treat as a blank.
    Space,
    /// May be markup, or the first byte of a no-break space.
    Special,
}

pub(super) fn class(byte: u8) -> ByteClass {
    match byte {
        b' ' | b'\t'..=b'\r' => ByteClass::Space,
        b'*' | b'_' | b'~' | b'`' | b'[' | b']' | b'(' | b'<' | b'&' | b'\\' | b'|' | 0xc2 => {
            ByteClass::Special
        }
        _ => ByteClass::Plain,
    }
}

pub(super) fn starts_with_no_break_space(text: &[u8]) -> bool {
    text.starts_with(b"\xc2\xa0")
}

/// Length in bytes of the blanks that `text` begins with.
pub(super) fn leading_blanks(text: &[u8]) -> usize {
    let mut offset = 0;
    while let Some(byte) = text.get(offset) {
        if class(*byte) == ByteClass::Space {
            offset += 1;
        } else if starts_with_no_break_space(&text[offset..]) {
            offset += 2;
        } else {
            break;
        }
    }
    offset
}

/// True if `<` followed by `text` could begin a tag, a comment or an autolink.
pub(super) fn opens_tag(text: &[u8]) -> bool {
    match text.first() {
        None => true,
        Some(byte) if byte.is_ascii_alphabetic() || matches!(byte, b'/' | b'!' | b'?') => true,
        // `<1@b.c>` is an address of mail.
        Some(_) => text
            .iter()
            .take(256)
            .take_while(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'<' | b'>'))
            .any(|byte| *byte == b'@'),
    }
}

/// True if `text`, which follows a `&`, continues as a character reference does.
pub(super) fn is_reference(text: &[u8]) -> bool {
    let body = if text.first() == Some(&b'#') {
        &text[1..]
    } else {
        text
    };
    let length = body
        .iter()
        .take(32)
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    length > 0 && body.get(length) == Some(&b';')
}

/// Finds the place where a line of a paragraph needs a backslash, because it would be read as
/// another block. `first` is true for the first line of its paragraph, `item` for that of a list
/// item.
pub(super) fn block_marker_at(line: &str, first: bool, item: bool) -> Option<usize> {
    let bytes = line.as_bytes();
    // Some parsers treat a vertical tab as a blank as well.
    let blank = |offset: usize| {
        bytes
            .get(offset)
            .is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'\x0b'))
    };
    let start = *bytes.first()?;
    let risky = match start {
        b'>' => true,
        b'#' => {
            let level = bytes.iter().take_while(|byte| **byte == b'#').count();
            level <= 6 && blank(level)
        }
        b'-' | b'+' | b'*' | b'_' => {
            (start != b'_' && blank(1))
                || (start != b'+' && is_rule(bytes, start))
                || (!first && start == b'-' && (is_underline(bytes) || is_delimiter_row(bytes)))
        }
        b'=' => !first && is_underline(bytes),
        b':' | b'|' => !first && is_delimiter_row(bytes),
        b'`' | b'~' => {
            let run = bytes.iter().take_while(|byte| **byte == start).count();
            run >= 3 && (start == b'~' || !bytes[run..].contains(&b'`'))
        }
        b'[' => is_definition(bytes) || (item && is_task(bytes)),
        b'0'..=b'9' => {
            let digits = bytes
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            let marker = matches!(bytes.get(digits), Some(b'.' | b')'));
            return (digits <= 9 && marker && blank(digits + 1)).then_some(digits);
        }
        _ => false,
    };
    risky.then_some(0)
}

/// True if an item's `line` and the markers `before` it on the same line form a rule: `- --`.
pub(super) fn is_rule_with_markers(before: &str, line: &str) -> bool {
    let Some(mark @ (b'-' | b'*')) = line.bytes().next() else {
        return false;
    };
    let same = |byte: &u8| *byte == mark || *byte == b' ';
    let markers = before.bytes().rev().take_while(same);
    let marks = markers.chain(line.bytes()).filter(|byte| *byte == mark);
    line.bytes().all(|byte| same(&byte)) && marks.count() >= 3
}

fn is_rule(line: &[u8], mark: u8) -> bool {
    let marks = memchr::memchr_iter(mark, line).count();
    marks >= 3 && line.iter().all(|byte| *byte == mark || *byte == b' ')
}

fn is_underline(line: &[u8]) -> bool {
    let trimmed = line.trim_ascii_end();
    trimmed.iter().all(|byte| *byte == trimmed[0])
}

fn is_delimiter_row(line: &[u8]) -> bool {
    line.contains(&b'-')
        && line
            .iter()
            .all(|byte| matches!(byte, b'-' | b':' | b'|' | b' ' | b'\x0b' | b'\x0c'))
}

/// True if a line whose first byte is a bracket begins as the definition of a reference or
/// footnote does.
fn is_definition(line: &[u8]) -> bool {
    let mut offset = 1;
    // A label has at most 999 characters.
    while let Some(byte) = line.get(offset).filter(|_| offset <= 4 * 999) {
        match byte {
            b'\\' => offset += 1,
            b']' => return offset > 1 && line.get(offset + 1) == Some(&b':'),
            b'[' => return false,
            _ => {}
        }
        offset += 1;
    }
    false
}

fn is_task(line: &[u8]) -> bool {
    // Some parsers recognise a box before other markup as well. Before a parenthesis it is a link's
    // text.
    matches!(line, [b'[', b' ' | b'x' | b'X', b']', after @ ..]
        if !after.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'('))
}

/// True if the brackets of `text` balance, so that a link's text may hold it.
pub(super) fn brackets_balance(text: &str) -> bool {
    let mut depth = 0_i32;
    for byte in text.bytes() {
        match byte {
            b'[' => depth += 1,
            b']' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_would_be_another_block_is_escaped() {
        for line in [
            "> a", ">a", "# a", "#\x0ba", "###### a", "#", "- a", "+ a", "* a", "-", "---",
            "- - -", "***", "___", "_ _ _", "```", "~~~ a", "[a]: b", "[^1]: b",
        ] {
            assert_eq!(block_marker_at(line, true, false), Some(0), "{line}");
        }
        assert_eq!(block_marker_at("1. a", true, false), Some(1));
        assert_eq!(block_marker_at("12) a", true, false), Some(2));
        assert_eq!(block_marker_at("123456789.", true, false), Some(9));
    }

    #[test]
    fn a_line_that_stays_text_is_left_alone() {
        for line in [
            "",
            "#a",
            "####### a",
            "-a",
            "+1",
            "*a*",
            "--",
            "-- a",
            "=",
            "===",
            "1.5",
            "1.a",
            "1234567890. a",
            "[a] b",
            "[a](b): c",
            "[ ] a",
            "|-|",
            ":-",
            "`a`",
            "```a``b```",
            "_a_",
            "2024",
        ] {
            assert_eq!(block_marker_at(line, true, false), None, "{line}");
        }
    }

    #[test]
    fn the_second_line_of_a_paragraph_must_not_underline_the_first() {
        for line in ["===", "=", "--", "-", "|-|-|", ":-: | -", "--|--"] {
            assert_eq!(block_marker_at(line, false, false), Some(0), "{line}");
        }
    }

    #[test]
    fn an_item_that_begins_like_a_task_is_escaped() {
        assert_eq!(block_marker_at("[x] a", true, true), Some(0));
        assert_eq!(block_marker_at("[ ] a", true, true), Some(0));
        assert_eq!(block_marker_at("[y] a", true, true), None);
        assert_eq!(block_marker_at("[x](/a)", true, true), None);
    }

    #[test]
    fn only_what_could_be_a_reference_is_taken_for_one() {
        for text in ["amp; b", "#38;", "#x26;"] {
            assert!(is_reference(text.as_bytes()), "{text}");
        }
        for text in [" b", "a b", ";", "b=1&c", "#;", "T"] {
            assert!(!is_reference(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn markers_and_their_text_may_be_a_rule_together() {
        assert!(is_rule_with_markers("- ", "--"));
        assert!(is_rule_with_markers("> - - ", "-"));
        assert!(is_rule_with_markers("* ", "**"));
        assert!(!is_rule_with_markers("- ", "-"));
        assert!(!is_rule_with_markers("* ", "--"));
        assert!(!is_rule_with_markers("- ", "--a"));
        assert!(!is_rule_with_markers("+ ", "++"));
    }
}
