//! Frames whose page stands in their own start tag: in place of each, that page.
//!
//! Rules: HTML Living Standard, `iframe`, `srcdoc`, which takes precedence over `src`.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use super::declared::read_element;
use super::dom::lists_any_case;
use super::tag;
use crate::entities;

/// Elements in which no tag begins.
const RAW_ELEMENTS: &str = "script style textarea title xmp noembed noframes";

/// Maximum length of a frame's page that is searched for text, in bytes: a longer one has some.
const MAX_TEXT_BYTES: usize = 16 * 1024;

/// Puts the page of each frame whose `srcdoc` has text in its place, into a `div` with its
/// attributes. Frames within these stay.
pub(super) fn inline_frames(page: &str) -> Cow<'_, str> {
    let bytes = page.as_bytes();
    if memmem::find(bytes, b"srcdoc=").is_none() {
        return Cow::Borrowed(page);
    }
    let mut inlined = String::with_capacity(page.len());
    let (mut offset, mut copied) = (0, 0);
    while let Some(length) = memchr(b'<', &bytes[offset..]) {
        let open = offset + length;
        offset = open + 1;
        if bytes[offset..].starts_with(b"!--") {
            offset = tag::comment_end(page, open + 4);
            continue;
        }
        if !bytes.get(offset).is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        let Some(frame) = tag::read(page, offset) else {
            break;
        };
        offset = frame.end;
        if lists_any_case(RAW_ELEMENTS, frame.name) {
            offset = tag::raw_end(page, frame.end, frame.name).1;
        }
        let is_frame = frame.name.eq_ignore_ascii_case("iframe");
        let Some(framed) = frame.get("srcdoc").filter(|_| is_frame) else {
            continue;
        };
        offset = tag::raw_end(page, frame.end, frame.name).1;
        if ["width", "height"]
            .iter()
            .any(|side| frame.get(side).is_some_and(tag::is_tiny))
        {
            continue;
        }
        let start = framed.as_ptr() as usize - page.as_ptr() as usize;
        let part = format!(
            "<div{}{}{}</div>",
            &page[open + 1 + frame.name.len()..start],
            &page[start + framed.len()..frame.end],
            entities::decoded_in_attribute(framed)
        );
        // Others show a picture to be clicked instead of the page at their address.
        let text = tag::read(&part, 1).and_then(|tag| read_element(&part, &tag, MAX_TEXT_BYTES));
        if text.is_none_or(|(text, _)| text.contains(char::is_alphanumeric)) {
            inlined.push_str(&page[copied..open]);
            inlined.push_str(&part);
            copied = offset;
        }
    }
    inlined.push_str(&page[copied..]);
    Cow::Owned(inlined)
}
