//! Declarative shadow roots: templates that a browser shows in place of the contents of the element
//! around them. All other templates hide their contents.
//!
//! Rules: HTML Living Standard, `shadowrootmode`, and DOM, "attach a shadow root". Only the first
//! node of an element counts, because an element has one root.

use super::super::dom::lists_any_case;
use super::super::tag;

/// Maximum length of the start tag of a host, in bytes.
const MAX_HOST_TAG_BYTES: usize = 4 * 1024;

/// HTML elements that may be hosts; custom elements may be as well.
const HOST_ELEMENTS: &str =
    "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span";

/// True if the template whose start tag is at `offset` is a shadow root.
pub(super) fn is_shadow_root(page: &str, offset: usize) -> bool {
    let tag = tag::read(page, offset + 1);
    let mode = tag.and_then(|tag| tag.get("shadowrootmode"));
    let shows = mode.is_some_and(|mode| {
        mode.eq_ignore_ascii_case("open") || mode.eq_ignore_ascii_case("closed")
    });
    shows && host(page[..offset].trim_ascii_end()).is_some_and(may_have_root)
}

/// Returns the name of the element whose start tag ends `page`.
fn host(page: &str) -> Option<&str> {
    let bytes = page.as_bytes();
    let from = bytes.len().saturating_sub(MAX_HOST_TAG_BYTES);
    let open = from + memchr::memrchr(b'<', &bytes[from..])?;
    let is_whole = memchr::memchr(b'>', &bytes[open..]) == Some(bytes.len() - 1 - open);
    let name = &page[open + 1..tag::name_end(page, open + 1)];
    (is_whole && !page.ends_with("/>")).then_some(name)
}

fn may_have_root(name: &str) -> bool {
    let named = name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.contains('-');
    named || lists_any_case(HOST_ELEMENTS, name)
}
