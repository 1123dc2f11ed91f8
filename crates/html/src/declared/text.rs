//! The text of a small element: of a byline, of a date, of a button.

use memchr::memchr;

use super::has_word;
use crate::dom::lists_any_case;
use crate::tag;
use iki_base::wording::floor_boundary;
use iki_markdown::entities;

/// Returns the text of an element of at most `limit` bytes, or of the name marked in it, and its
/// end.
pub(crate) fn read_element(
    page: &str,
    tag: &tag::HtmlTag<'_>,
    limit: usize,
) -> Option<(String, usize)> {
    let page = &page[..floor_boundary(page, tag.end + limit)];
    let bytes = page.as_bytes();
    let mut text = String::new();
    let mut offset = tag.end;
    let mut depth = 1_usize;
    loop {
        let open = offset + memchr(b'<', bytes.get(offset..)?)?;
        text.push_str(&page[offset..open]);
        offset = open + 1;
        if bytes[open..].starts_with(b"<!--") {
            offset = tag::comment_end(page, open + 4);
        } else if bytes.get(offset) == Some(&b'/') {
            let end = tag::past(page, open, b'>');
            if parts_words(&page[offset + 1..tag::name_end(page, offset + 1)]) {
                text.push(' ');
            }
            if tag::is_named(page, open + 2, tag.name) {
                depth -= 1;
                if depth == 0 {
                    return Some((collapsed(&text), end));
                }
            }
            offset = end;
        } else if bytes.get(offset).is_some_and(u8::is_ascii_alphabetic) {
            let inner = tag::read(page, offset)?;
            offset = inner.end;
            if lists_any_case("script style svg template", inner.name) {
                offset = tag::raw_end(page, offset, inner.name).1;
                continue;
            }
            if parts_words(inner.name) {
                text.push(' ');
            }
            if inner.closed || lists_any_case("br img meta wbr link input", inner.name) {
                continue;
            }
            if has_word(inner.get("itemprop"), "name") {
                let (text, end) = read_element(page, &inner, limit)?;
                if !text.is_empty() {
                    return Some((text, end));
                }
                offset = end;
            } else if inner.name.eq_ignore_ascii_case(tag.name) {
                depth += 1;
            }
        } else {
            text.push('<');
        }
    }
}

/// True if an element separates the words around its tag.
fn parts_words(name: &str) -> bool {
    lists_any_case("br p div li ul td tr h1 h2 h3", name)
}

/// Returns text of the page with its references decoded and its whitespace collapsed.
pub(super) fn collapsed(text: &str) -> String {
    let decoded = entities::decoded_in_attribute(text);
    decoded.split_whitespace().collect::<Vec<_>>().join(" ")
}
