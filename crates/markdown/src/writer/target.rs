//! Writes the targets of links and images: destinations, titles, the text of an image.
//!
//! Rules: `CommonMark` 0.31.2, "Link destinations", "Link titles", "Autolinks" and "Images".

use std::borrow::Cow;

use super::escape;
use crate::model::scheme_of;

/// True if an address may stand between angle brackets as it is.
pub(super) fn is_autolink(address: &str) -> bool {
    scheme_of(address).is_some_and(|scheme| (2..=32).contains(&scheme.len()))
        && !address
            .bytes()
            .any(|byte| byte.is_ascii_control() || matches!(byte, b' ' | b'<' | b'>' | b'`'))
}

/// Writes `(destination "title")`. In a table's cell `|` is escaped as well.
pub(super) fn write_target(out: &mut String, address: &str, title: &str, cell: bool) {
    let address = &*without_controls(address);
    out.push('(');
    write_destination(out, address, cell);
    if !title.trim().is_empty() {
        out.push_str(if address.is_empty() { "<> \"" } else { " \"" });
        write_title(out, title, cell);
        out.push('"');
    }
    out.push(')');
}

fn write_destination(out: &mut String, address: &str, cell: bool) {
    let angle = address.contains(' ') || !parentheses_balance(address) || address.starts_with('<');
    if angle {
        out.push('<');
    }
    let bytes = address.as_bytes();
    for (offset, c) in address.char_indices() {
        let next = bytes.get(offset + 1).copied();
        match c {
            '<' if angle => out.push_str("%3C"),
            '>' if angle => out.push_str("%3E"),
            '\\' if next.is_none_or(|byte| byte.is_ascii_punctuation()) => out.push_str("\\\\"),
            '&' if escape::is_reference(&bytes[offset + 1..]) => out.push_str("\\&"),
            '`' => out.push_str("\\`"),
            '|' if cell => out.push_str("%7C"),
            c => out.push(c),
        }
    }
    if angle {
        out.push('>');
    }
}

/// Removes control characters, which a destination cannot hold.
fn without_controls(address: &str) -> Cow<'_, str> {
    if !address.bytes().any(|byte| byte.is_ascii_control()) {
        return Cow::Borrowed(address);
    }
    let other = |c: &char| !c.is_ascii_control();
    Cow::Owned(address.chars().filter(other).collect())
}

fn parentheses_balance(address: &str) -> bool {
    let (mut depth, mut deepest) = (0_i32, 0);
    for byte in address.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
        deepest = deepest.max(depth);
    }
    depth == 0 && deepest < 32
}

fn write_title(out: &mut String, title: &str, cell: bool) {
    let bytes = title.as_bytes();
    let mut spaced = true;
    for (offset, c) in title.char_indices() {
        match c {
            ' ' | '\n' | '\r' | '\t' | '\x0c' => {
                if !spaced {
                    out.push(' ');
                }
                spaced = true;
                continue;
            }
            '"' | '`' => out.extend(['\\', c]),
            // Before the closing quotation mark some parsers read any number of backslashes as its
            // escape.
            '\\' if bytes[offset + 1..].trim_ascii().is_empty() => out.push_str("&#92;"),
            '\\' if bytes.get(offset + 1).is_none_or(u8::is_ascii_punctuation) => {
                out.push_str("\\\\");
            }
            '&' if escape::is_reference(&bytes[offset + 1..]) => out.push_str("\\&"),
            // If the page's length limit cuts the link here, it would be read as a tag.
            '<' if escape::opens_tag(&bytes[offset + 1..]) => out.push_str("\\<"),
            '|' if cell => out.push_str("\\|"),
            c => out.push(c),
        }
        spaced = false;
    }
}

/// Escapes a text for use between brackets, on one line.
pub(super) fn escape_label(text: &str, cell: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let brackets = !escape::brackets_balance(text) || text.contains("](");
    let bytes = text.as_bytes();
    let paired = |mark: u8| memchr::memchr_iter(mark, bytes).count() > 1;
    let marks = [b'*', b'_', b'~'].map(|mark| paired(mark).then_some(mark));
    for (offset, c) in text.trim().char_indices() {
        let offset = offset + (text.len() - text.trim_start().len());
        let next = bytes.get(offset + 1).copied();
        let escape = match c {
            '\\' => next.is_none_or(|next| next.is_ascii_punctuation()),
            '[' | ']' => brackets,
            '<' => escape::opens_tag(&bytes[offset + 1..]),
            '&' => escape::is_reference(&bytes[offset + 1..]),
            '|' => cell,
            // Code spans take precedence over brackets, so this one may pair with another after
            // them.
            '`' => true,
            '*' | '~' => marks.contains(&u8::try_from(c).ok()),
            '_' => {
                marks.contains(&Some(b'_'))
                    && !(next.is_some_and(|next| next.is_ascii_alphanumeric())
                        && out.ends_with(char::is_alphanumeric))
            }
            _ => false,
        };
        if c.is_ascii_whitespace() {
            if !out.ends_with(' ') {
                out.push(' ');
            }
            continue;
        }
        if escape {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_destination_survives_spaces_and_parentheses() {
        let write = |address: &str, title: &str| {
            let mut out = String::new();
            write_target(&mut out, address, title, false);
            out
        };
        assert_eq!(write("http://a/(b)", ""), "(http://a/(b))");
        assert_eq!(write("http://a/(b", ""), "(<http://a/(b>)");
        assert_eq!(write("a b", "x \"y\"\n z"), "(<a b> \"x \\\"y\\\" z\")");
        assert_eq!(write("?a&amp;b&c=d", ""), "(?a\\&amp;b&c=d)");
        assert_eq!(write("", "t"), "(<> \"t\")");
        assert_eq!(write("a", "b\\\\"), "(a \"b\\\\&#92;\")");
        assert_eq!(write("a", "b\\c"), "(a \"b\\c\")");
        assert_eq!(write("a", "1 < 2 <b>"), "(a \"1 < 2 \\<b>\")");
        assert_eq!(write("\u{1}", "t"), "(<> \"t\")");
        assert_eq!(write("\u{1}<b>", ""), "(<%3Cb%3E>)");
        assert_eq!(write("a\\\u{1}(&\u{7f}lt;", ""), "(<a\\\\(\\&lt;>)");
    }
}
