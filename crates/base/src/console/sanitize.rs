//! Sanitizing text for a terminal: control characters are shown instead of obeyed.
//!
//! Control characters are those of Unicode's category Cc (C0, DEL, C1) but for newline and tab. The
//! separators of lines and paragraphs are treated alike, and so are the controls of bidirectional
//! text, which can make a line read as another. A carriage return that ends a line with a newline
//! stays.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use crate::{control_spelling, unseen};

/// True if `c` is a control character, which a terminal may obey instead of showing it.
fn is_control(c: char) -> bool {
    let ends_a_line = matches!(c, '\u{2028}' | '\u{2029}');
    ends_a_line || (c.is_control() && c != '\n' && c != '\t') || unseen::turns_direction(c)
}

/// The number of control characters in `text` that a terminal is shown spelled.
#[must_use]
pub fn count_spelled(text: &str) -> usize {
    let mut count = 0;
    replaced(text, |c, _| count += usize::from(c.is_control()));
    count
}

/// `text` sanitized for a terminal.
#[must_use]
pub fn for_terminal(text: &str) -> String {
    replaced(text, |c, to| {
        if c.is_control() {
            control_spelling::spell(c, to);
        } else {
            let _ = write!(to, "<U+{:04X}>", u32::from(c));
        }
    })
}

/// `text` sanitized for one line of a terminal: newlines and tabs are shown too.
#[must_use]
pub fn for_line(text: &str) -> String {
    let text = for_terminal(text).replace('\r', "\\r");
    text.replace('\n', "\\n").replace('\t', "\\t")
}

/// `path` as a message shows it: in one line, even if its name has several.
#[must_use]
pub fn display_path(path: &Path) -> String {
    for_line(&path.to_string_lossy())
}

/// `text` with each control character replaced by what `replace` appends.
fn replaced(text: &str, mut replace: impl FnMut(char, &mut String)) -> String {
    let mut sanitized = String::with_capacity(text.len());
    let mut unread = text;
    while let Some(control) = unread.find(is_control) {
        let (before, after) = unread.split_at(control);
        sanitized.push_str(before);
        let mut characters = after.chars();
        let c = characters.next();
        unread = characters.as_str();
        match c {
            Some('\r') if unread.starts_with('\n') => sanitized.push('\r'),
            Some('\u{c}') => sanitized.push('\u{c}'),
            Some(c) => replace(c, &mut sanitized),
            None => {}
        }
    }
    sanitized + unread
}

/// JSON in which control characters are escaped, so that it keeps its meaning.
#[must_use]
pub fn escape_json(text: &str) -> String {
    replaced(text, |c, to| {
        let _ = write!(to, "\\u{:04x}", u32::from(c));
    })
}

/// A writer of JSON to a terminal, which escapes control characters as [`escape_json`] does.
pub struct JsonEscaper<W>(pub W);

impl<W: Write> Write for JsonEscaper<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        self.0.write_all(escape_json(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_control_character_is_left_but_newline_and_tab() {
        let all: String = ('\0'..='\u{2FFF}').collect();
        let clean = for_terminal(&all).replace('\u{c}', "");
        assert!(!clean.contains(is_control));
        assert_eq!(for_terminal("a\tb\nc é 😀"), "a\tb\nc é 😀");
        assert_eq!(
            for_terminal("\u{1b}[31m\r\0\u{7f}\u{9b}2J\u{202e}"),
            r"\x1b[31m\x0d␀\x7f\x9b2J<U+202E>"
        );
        assert_eq!(count_spelled("\u{1b}[31m\r\0\r\n\t\u{202e}"), 3);
        assert_eq!(for_line("a\tb\n  c\r\n"), r"a\tb\n  c\r\n");
    }

    #[test]
    fn json_means_what_it_meant() {
        let json = "{\"a\":\"x\u{7f}\u{9b}31m\u{2066}é\"}";
        let mut out = Vec::new();
        JsonEscaper(&mut out).write_all(json.as_bytes()).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(!text.contains(is_control), "{text}");
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&text), read(json));
    }
}
