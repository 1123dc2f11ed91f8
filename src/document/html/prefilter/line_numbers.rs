//! Line numbers within highlighted code. A style sets them apart from the code; as text they would
//! be part of it.
//!
//! Rules: what the page makes unselectable or leaves out of snippets, links of a line to itself,
//! and the classes of Pygments (`linenos`), Chroma (`ln`, `lnt`), gitweb (`linenr`) and others.

use super::tag;

/// Maximum length of a line number with the tags and the blanks around it, in bytes.
const LONGEST: usize = 256;

/// Returns the offset behind the element at `at`, with this name and this end of its start tag, if
/// it consists of a line number. Outside code that is only a link of a line to itself that is
/// called so.
pub(super) fn skip_line_number(
    page: &str,
    at: usize,
    name: &str,
    from: usize,
    in_code: bool,
) -> Option<usize> {
    if !matches!(name, "span" | "a" | "i" | "b" | "div") {
        return None;
    }
    let (mut is_apart, mut target) = (false, "");
    tag::scan(page, at + 1 + name.len(), |attribute| {
        let value = attribute.value;
        match attribute.name.to_ascii_lowercase().as_str() {
            "class" => is_apart |= counts_lines(value),
            "data-nosnippet" | "unselectable" => is_apart = true,
            "style" => is_apart |= value.replace(' ', "").contains("user-select:none"),
            "href" => target = value.strip_prefix('#').unwrap_or_default(),
            _ => {}
        }
    })?;
    if !is_apart && target.is_empty() {
        return None;
    }
    let (number, end) = number_within(page, from)?;
    let leads_here = !number.is_empty() && target.ends_with(number);
    let is_number = if in_code {
        is_apart || leads_here
    } else {
        is_apart && leads_here
    };
    is_number.then_some(end)
}

/// True if one of the words of a class, in any spelling, is for line numbers.
pub(in crate::document::html) fn counts_lines(class: &str) -> bool {
    class.split_ascii_whitespace().any(|word| {
        let word = word.replace(['-', '_'], "").to_ascii_lowercase();
        matches!(word.as_str(), "ln" | "lnt" | "gutter" | "lnlinks")
            || ["lineno", "linenum", "linenr"]
                .iter()
                .any(|part| word.contains(part))
    })
}

/// Returns the number that is all the text from `from` to the end of the element that begins
/// there, and the offset behind its end tag.
fn number_within(page: &str, from: usize) -> Option<(&str, usize)> {
    let (mut at, mut depth, mut number) = (from, 0, "");
    while at < from + LONGEST {
        let rest = page.get(at..)?;
        if rest.starts_with('<') {
            let closes = rest.starts_with("</");
            at = tag::past(page, at, b'>');
            if closes && depth == 0 {
                return Some((number, at));
            }
            depth = if closes { depth - 1 } else { depth + 1 };
            continue;
        }
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        at += match rest.bytes().next()? {
            _ if digits > 0 && number.is_empty() => {
                number = &rest[..digits];
                digits
            }
            b' ' | b'\n' | b'\t' => 1,
            b'&' if rest.starts_with("&nbsp;") || rest.starts_with("&#160;") => 6,
            _ if rest.starts_with('\u{a0}') => 2,
            _ => return None,
        };
    }
    None
}
