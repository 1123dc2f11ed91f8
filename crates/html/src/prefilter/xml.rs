//! Markup of XML pages that HTML does not have: self-closing elements, CDATA sections,
//! instructions, and definitions in the document type.
//!
//! Rules: XML 1.0, sections 2.6 (instructions), 2.7 (CDATA), 2.8 (document type), 3.1 (tags).

use memchr::{memchr, memchr2, memmem};

use super::super::tag;
use super::super::tokens::TokenEmitter;

const SECTION: &str = "<![CDATA[";

/// Returns the text of the CDATA section that begins at `offset`, and the offset after it.
pub(crate) fn section(page: &str, offset: usize) -> Option<(&str, usize)> {
    let text = page[offset..].strip_prefix(SECTION)?;
    Some(match memmem::find(text.as_bytes(), b"]]>") {
        Some(length) => (&text[..length], offset + SECTION.len() + length + 3),
        None => (text, page.len()),
    })
}

/// Emits text between tags with its CDATA sections, without comments.
pub(super) fn emit_text(text: &str, out: &mut TokenEmitter) {
    let mut offset = 0;
    while let Some(length) = memmem::find(&text.as_bytes()[offset..], b"<!") {
        out.push_text(&text[offset..offset + length]);
        offset += length;
        if let Some((section, end)) = section(text, offset) {
            out.push_characters(section);
            offset = end;
        } else if text[offset..].starts_with("<!--") {
            offset = tag::comment_end(text, offset + 4);
        } else {
            out.push_text("<!");
            offset += 2;
        }
    }
    out.push_text(&text[offset..]);
}

/// Like [`tag::raw_end`], but ignores end tags within a section or a comment.
pub(crate) fn raw_end(page: &str, from: usize, name: &str) -> (usize, usize) {
    let bytes = page.as_bytes();
    let mut offset = from;
    while let Some(length) = memchr(b'<', &bytes[offset..]) {
        let open = offset + length;
        offset = if let Some((_, end)) = section(page, open) {
            end
        } else if bytes[open..].starts_with(b"<!--") {
            tag::comment_end(page, open + 4)
        } else if let Some(name_end) = tag::names_end(page, open, name) {
            return (open, tag::past(page, name_end, b'>'));
        } else {
            open + 1
        };
    }
    (page.len(), page.len())
}

/// Returns the end of the document type whose `<!` ends at `from`, with its definitions.
pub(crate) fn doctype_end(page: &str, from: usize) -> usize {
    let bytes = page.as_bytes();
    let end = match memchr2(b'[', b'>', &bytes[from..]) {
        Some(length) if bytes[from + length] == b'[' => memmem::find(&bytes[from + length..], b"]")
            .map_or(page.len(), |close| from + length + close),
        _ => from,
    };
    tag::past(page, end, b'>')
}

/// Returns the end of the instruction whose `<?` ends at `from`.
pub(crate) fn instruction_end(page: &str, from: usize) -> usize {
    memmem::find(&page.as_bytes()[from..], b"?>").map_or(page.len(), |length| from + length + 2)
}
