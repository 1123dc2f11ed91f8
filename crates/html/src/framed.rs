//! Frames whose page stands in their own start tag: in place of each, that page.
//!
//! Rules: HTML Living Standard, `iframe`, `srcdoc`, which takes precedence over `src`.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use super::declared::read_element;
use super::dom::lists_any_case;
use super::tag;
use iki_markdown::entities;

/// Elements in which no tag begins.
const RAW_ELEMENTS: &str = "script style textarea title xmp noembed noframes iframe plaintext";

/// Elements that would say something of the page around the frame.
const PAGE_ELEMENTS: &str = "html head body frameset base meta link";

/// Elements without an end tag.
const VOID_ELEMENTS: &str = "area br col embed hr image img input source track wbr";

/// Maximum number of open elements among which that of an end tag is looked for.
const MAX_OPEN: usize = 512;

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
        let mut part = String::from("<div");
        let attributes = frame.attributes.iter();
        attributes
            .filter(|attribute| !lists_any_case("srcdoc src", attribute.name))
            .for_each(|attribute| {
                let value = attribute.value.replace('"', "&quot;");
                part.extend([" ", attribute.name, "=\"", &value, "\""]);
            });
        part.push('>');
        push_closed(&mut part, &entities::decoded_in_attribute(framed));
        part.push_str("</div>");
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

/// Appends what a frame's page shows: closed, so that what follows does not become part of it.
fn push_closed(part: &mut String, page: &str) {
    let bytes = page.as_bytes();
    let mut open: Vec<&str> = Vec::new();
    let mut offset = 0;
    while let Some(length) = memchr(b'<', &bytes[offset..]) {
        let start = offset + length;
        part.push_str(&page[offset..start]);
        let name_start = start + 1 + usize::from(bytes.get(start + 1) == Some(&b'/'));
        let is_tag = bytes.get(name_start).is_some_and(u8::is_ascii_alphabetic);
        let name_end = if is_tag {
            tag::name_end(page, name_start)
        } else {
            name_start
        };
        let name = &page[name_start..name_end];
        offset = if bytes[start + 1..].starts_with(b"!--") {
            tag::comment_end(page, start + 4)
        } else if matches!(bytes.get(start + 1), Some(b'!' | b'?')) {
            tag::past(page, start, b'>')
        } else if !is_tag {
            part.push_str("&lt;");
            start + 1
        } else if name_start > start + 1 {
            let mut last = open.iter().enumerate().rev().take(MAX_OPEN);
            if let Some((index, _)) = last.find(|(_, one)| one.eq_ignore_ascii_case(name)) {
                open.truncate(index);
                part.extend(["</", name, ">"]);
            }
            tag::past(page, name_start, b'>')
        } else if let Some(tag) = tag::read(page, start + 1) {
            if lists_any_case(RAW_ELEMENTS, name) {
                tag::raw_end(page, tag.end, name).1
            } else {
                if !lists_any_case(PAGE_ELEMENTS, name) {
                    part.push_str(&page[start..tag.end]);
                    if !lists_any_case(VOID_ELEMENTS, name) {
                        open.push(name);
                    }
                }
                tag.end
            }
        } else {
            page.len()
        };
    }
    part.push_str(&page[offset..]);
    for name in open.iter().rev() {
        part.extend(["</", name, ">"]);
    }
}
