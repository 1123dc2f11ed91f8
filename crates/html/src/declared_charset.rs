//! The character set that a page or an XML document declares about itself: in `<meta>`, or in its
//! XML declaration.
//!
//! Rules: WHATWG HTML, "prescan a byte stream to determine its encoding".

use encoding_rs::Encoding;
use memchr::memchr;

use super::tag::{self, HtmlTag};
use iki_markdown::xml::declared_encoding;

/// Elements whose content is not markup.
const RAW: [&str; 4] = ["script", "style", "textarea", "title"];

/// Returns the character set that is declared in `document`. In a `whole` document, unlike in its
/// first kilobyte, markup inside a script, a style or a title is ignored, as any parser does.
#[must_use]
pub fn declared_charset(document: &[u8], whole: bool) -> Option<&'static Encoding> {
    if let Some(encoding) = declared_encoding(document) {
        return Some(encoding);
    }
    // Each byte is one character, because the character set is not known yet.
    let text = encoding_rs::mem::decode_latin1(document);
    let mut offset = 0;
    while let Some(length) = memchr(b'<', &text.as_bytes()[offset..]) {
        let name = offset + length + 1;
        offset = match &text.as_bytes()[name..] {
            [b'!', b'-', b'-', ..] => tag::comment_end(&text, name + 3),
            [b'!' | b'?', ..] => tag::past(&text, name, b'>'),
            [first, ..] if first.is_ascii_alphabetic() || *first == b'/' => {
                let tag = tag::read(&text, name)?;
                let is = |name: &&str| tag.name.eq_ignore_ascii_case(name);
                if is(&"meta")
                    && let Some(encoding) = charset_of_meta(&tag)
                {
                    return Some(encoding);
                }
                match RAW.into_iter().find(is).filter(|_| whole) {
                    Some(raw) => tag::raw_end(&text, tag.end, raw).1,
                    None => tag.end,
                }
            }
            _ => name,
        };
    }
    None
}

/// Returns what one `<meta>` declares: in `charset`, or in `content` with `http-equiv`.
fn charset_of_meta(tag: &HtmlTag<'_>) -> Option<&'static Encoding> {
    let pragma = tag.get("http-equiv").unwrap_or_default();
    let is_pragma = pragma.eq_ignore_ascii_case("content-type");
    let content = || tag.get("content").filter(|_| is_pragma);
    let label = tag.get("charset").or_else(|| label_in_content(content()?));
    Encoding::for_label(label?.as_bytes())
}

/// Returns the label in a value such as `text/html; charset=utf-8`.
fn label_in_content(content: &str) -> Option<&str> {
    let lower = content.to_ascii_lowercase();
    lower.match_indices("charset").find_map(|(offset, word)| {
        let behind = content[offset + word.len()..].trim_start();
        let value = behind.strip_prefix('=')?.trim_start();
        match value.chars().next()? {
            quote @ ('"' | '\'') => value[1..].split_once(quote).map(|(label, _)| label),
            _ => value.split([';', ' ', '\t', '\n', '\r', '\x0c']).next(),
        }
    })
}
