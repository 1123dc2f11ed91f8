//! The declarations of a `style` attribute, and which of them counts.
//!
//! Rules: CSS Syntax 3 (strings, escapes, comments, what is invalid is passed over), CSS
//! Cascading 4 (`!important`, the last one counts), CSS Display 3 and CSS 2, 11.2.

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::Chars;

/// Stands for a character that no keyword has.
const NONE: char = '\u{fffd}';

/// What a `style` attribute makes of `property`, in lower case: the value of the last
/// declaration that is `valid`, or of the last important one.
pub(super) fn value(style: &str, property: &str, valid: impl Fn(&str) -> bool) -> Option<String> {
    let mut found: Option<(String, bool)> = None;
    let style = with_line_feeds(style);
    let mut chars = style.chars().peekable();
    while chars.peek().is_some() {
        let declaration = declaration(&mut chars);
        let Some((name, value)) = declaration.split_once(':') else {
            continue;
        };
        if name.trim_ascii() != property {
            continue;
        }
        let (value, important) = match value.rsplit_once('!') {
            Some((value, word)) if word.trim_ascii() == "important" => (value.trim_ascii(), true),
            _ => (value.trim_ascii(), false),
        };
        let weaker = !important && found.as_ref().is_some_and(|(_, important)| *important);
        // What a variable holds is not known here, only that it counts.
        if !weaker && (valid(value) || has_variable(value)) {
            found = Some((value.to_owned(), important));
        }
    }
    found.map(|(value, _)| value)
}

/// Whether this attribute leaves the element without a box, or its box unseen.
pub fn hides(style: &str) -> bool {
    value(style, "display", is_display).is_some_and(|value| value == "none")
        || value(style, "visibility", is_visibility)
            .is_some_and(|value| matches!(&*value, "hidden" | "collapse"))
}

fn is_display(value: &str) -> bool {
    let part = |word: &str| {
        matches!(
            word,
            "block"
                | "inline"
                | "flow"
                | "flow-root"
                | "table"
                | "flex"
                | "grid"
                | "ruby"
                | "math"
                | "list-item"
        )
    };
    let words = value.split_ascii_whitespace().count();
    is_wide(value)
        || matches!(
            value,
            "none"
                | "contents"
                | "inline-block"
                | "inline-table"
                | "inline-flex"
                | "inline-grid"
                | "table-row-group"
                | "table-header-group"
                | "table-footer-group"
                | "table-row"
                | "table-cell"
                | "table-column-group"
                | "table-column"
                | "table-caption"
                | "ruby-base"
                | "ruby-text"
                | "-webkit-box"
                | "-webkit-inline-box"
                | "-webkit-flex"
                | "-webkit-inline-flex"
        )
        || ((1..=3).contains(&words) && value.split_ascii_whitespace().all(part))
}

fn is_visibility(value: &str) -> bool {
    is_wide(value) || matches!(value, "visible" | "hidden" | "collapse")
}

fn is_wide(value: &str) -> bool {
    matches!(
        value,
        "inherit" | "initial" | "unset" | "revert" | "revert-layer"
    )
}

/// CSS knows one end of a line (CSS Syntax 3, section 3.3).
fn with_line_feeds(style: &str) -> Cow<'_, str> {
    if !style.contains(['\r', '\x0c']) {
        return Cow::Borrowed(style);
    }
    Cow::Owned(style.replace("\r\n", "\n").replace(['\r', '\x0c'], "\n"))
}

/// Whether what `text` ends with is the function `name`, and not one whose name ends so.
fn calls(text: &str, name: &str) -> bool {
    let in_name = |c: char| c.is_ascii_alphanumeric() || !c.is_ascii() || "-_#@".contains(c);
    text.strip_suffix(name)
        .is_some_and(|before| !before.ends_with(in_name))
}

/// Whether a value names a variable, as in `var(--x)`.
fn has_variable(value: &str) -> bool {
    value.match_indices("var(").any(|(at, call)| {
        let behind = value[at + call.len()..].trim_ascii_start();
        calls(&value[..at + 3], "var") && behind.starts_with("--")
    })
}

/// Reads one declaration and the `;` after it, or an at-rule with its block: in lower case, escapes
/// decoded, a space for each comment, a quote for each string.
fn declaration(chars: &mut Peekable<Chars>) -> String {
    let mut text = String::new();
    let mut closers = Vec::new();
    while let Some(c) = chars.next() {
        match c {
            ';' if closers.is_empty() => break,
            '/' if chars.peek() == Some(&'*') => {
                chars.next();
                let mut last = ' ';
                for c in chars.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
                text.push(' ');
            }
            '"' | '\'' => {
                until(chars, |end| end == c || end == '\n');
                text.push('"');
            }
            '\\' => text.push(escaped(chars)),
            '(' if calls(&text, "url") => {
                while chars.next_if(char::is_ascii_whitespace).is_some() {}
                if matches!(chars.peek(), Some('"' | '\'')) {
                    closers.push(')');
                } else {
                    until(chars, |end| end == ')');
                }
                text.push(NONE);
            }
            '(' | '[' | '{' => {
                closers.push(match c {
                    '(' => ')',
                    '[' => ']',
                    _ => '}',
                });
                text.push(c);
            }
            _ => {
                if closers.last() == Some(&c) {
                    closers.pop();
                }
                text.push(c.to_ascii_lowercase());
                // The block of an at-rule is its end.
                if c == '}' && closers.is_empty() && text.trim_ascii_start().starts_with('@') {
                    break;
                }
            }
        }
    }
    text
}

/// Passes over everything up to the character that `ends` accepts and is not escaped.
fn until(chars: &mut Peekable<Chars>, ends: impl Fn(char) -> bool) {
    while let Some(c) = chars.next() {
        if c == '\\' {
            escaped(chars);
        } else if ends(c) {
            return;
        }
    }
}

/// The character that the escape stands for whose backslash has been read.
fn escaped(chars: &mut Peekable<Chars>) -> char {
    let mut number = 0;
    let mut digits = 0;
    while digits < 6
        && let Some(digit) = chars.peek().and_then(|c| c.to_digit(16))
    {
        number = number * 16 + digit;
        digits += 1;
        chars.next();
    }
    let c = if digits == 0 {
        chars.next()
    } else {
        chars.next_if(char::is_ascii_whitespace);
        char::from_u32(number)
    };
    c.filter(|c| c.is_ascii_alphanumeric() || *c == '-')
        .map_or(NONE, |c| c.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_an_element_is_read_as_browsers_read_it() {
        for style in [
            "display:none",
            "color: red; DISPLAY : NONE !important",
            "/* */display/**/:/* ; */none",
            "visibility: hidden",
            "visibility:collapse",
            "display:block;display:none",
            "display:none;display:bogus",
            "display:none;display:none none",
            "display:none;display:\"block\"",
            "display:none!important;display:block",
            "display:none ! IMPORTANT ;display:block",
            "d\\69splay:none",
            "\\44 isplay:\\6e\\6f\\00006e\\65",
            "d\\isplay:none;display:none",
            "background:url(a'b;c);display:none",
            "background:url(data:*/*;base64,AA);display:none",
            "content:'\\';';display:none",
            "x:(;);display:none",
            "@x{a;b}display:none",
            "@x;display:none",
            "x:'a\\\r\n;display:block;';display:none",
            "x:\"\rdisplay:block;display:none",
            "display\x0c:\rnone",
            "display:none;display:myvar(--x)",
            "display:none;display:var(x)",
            "x:'\\1234567\n;display:none",
        ] {
            assert!(hides(style), "{style}");
        }
        for style in [
            "",
            "display:none;display:block",
            "display:none;display:inline flow-root",
            "display:none;display:revert",
            "display:none;display:var(--x)",
            "display:none!important;display:block!important",
            "display:none x",
            "display:none!x",
            "dis/* */play:none",
            "content:'display none'",
            "content:\";display:none;\"",
            "content:\"\\\";display:none;\"",
            "x:(;display:none;)",
            "background:url(;display:none;)",
            "--display:none",
            "*display:none",
            "x:myurl(a'b;c);display:none",
            "x:#url(';);display:none",
            "display\u{a0}:none",
            "display:none\u{b}",
            "display:none;display:x(var( --y))",
            "display\\:none",
            "/*display:none",
            // The line feed belongs to the escape.
            "x:'\\41\n;display:none",
            "x:'\\dD2\x0c;display:none",
        ] {
            assert!(!hides(style), "{style}");
        }
    }

    #[test]
    fn the_last_declaration_of_a_property_counts() {
        let style = "text-align: left; Text-Align : RIGHT ";
        let any = |_: &str| true;
        assert_eq!(value(style, "text-align", any).as_deref(), Some("right"));
        assert_eq!(value(style, "color", any), None);
    }
}
