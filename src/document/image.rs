//! Images: where their source is, and their alternative text as Markdown reads it.
//!
//! Rules: HTML Living Standard, `img` (`src`, `srcset`), the attributes that pages which load
//! images late keep the source in; `CommonMark` 0.31.2, "Images".

use html2md::Handle;

use super::{dom, escape, link};

/// The address of an image as the page has it; `None` if there is none but `data:`.
pub(super) fn source(node: &Handle) -> Option<String> {
    let usable = |address: &str| {
        let address = address.trim();
        let data = address
            .get(..5)
            .is_some_and(|start| start.eq_ignore_ascii_case("data:"));
        !address.is_empty() && !data
    };
    let plain = |wanted: &str| dom::attribute(node, wanted).filter(|address| usable(address));
    let set = |wanted: &str| {
        let set = dom::attribute(node, wanted)?;
        link::first_of_set(&set)
            .filter(|address| usable(address))
            .map(str::to_owned)
    };
    if dom::attribute(node, "src").as_deref() == Some("") {
        return Some(String::new());
    }
    plain("src")
        .or_else(|| plain("data-src"))
        .or_else(|| plain("data-original"))
        .or_else(|| set("srcset"))
        .or_else(|| set("data-srcset"))
}

/// A text for between brackets, on one line, escaped where it would be markup.
pub(super) fn escaped(text: &str, cell: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let brackets = !escape::balanced(text) || text.contains("](");
    let bytes = text.as_bytes();
    let paired = |mark: u8| memchr::memchr_iter(mark, bytes).count() > 1;
    let marks = [b'*', b'_', b'`', b'~'].map(|mark| paired(mark).then_some(mark));
    for (at, c) in text.trim().char_indices() {
        let at = at + (text.len() - text.trim_start().len());
        let next = bytes.get(at + 1).copied();
        let escape = match c {
            '\\' => next.is_none_or(|next| next.is_ascii_punctuation()),
            '[' | ']' => brackets,
            '<' => escape::opens_tag(&bytes[at + 1..]),
            '&' => escape::is_reference(&bytes[at + 1..]),
            '|' => cell,
            '*' | '`' | '~' => marks.contains(&u8::try_from(c).ok()),
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
