//! Markup of XML pages that HTML does not have: self-closing elements, CDATA sections,
//! instructions, and definitions in the document type.
//!
//! Rules: XML 1.0, sections 2.6 (instructions), 2.7 (CDATA), 2.8 (document type), 3.1 (tags).

use std::borrow::Cow;

use memchr::{memchr, memchr2, memchr2_iter, memmem};

use super::tag;

const SECTION: &str = "<![CDATA[";

/// Returns the text of the CDATA section that begins at `at`, and the offset behind it.
pub(in crate::document) fn section(page: &str, at: usize) -> Option<(&str, usize)> {
    let text = page[at..].strip_prefix(SECTION)?;
    Some(match memmem::find(text.as_bytes(), b"]]>") {
        Some(length) => (&text[..length], at + SECTION.len() + length + 3),
        None => (text, page.len()),
    })
}

/// Writes text escaped for a parser of HTML.
pub(in crate::document) fn escape(text: &str, out: &mut String) {
    let mut done = 0;
    for at in memchr2_iter(b'&', b'<', text.as_bytes()) {
        out.push_str(&text[done..at]);
        out.push_str(if text.as_bytes()[at] == b'&' {
            "&amp;"
        } else {
            "&lt;"
        });
        done = at + 1;
    }
    out.push_str(&text[done..]);
}

/// Returns text between tags with its CDATA sections escaped and without comments.
pub(in crate::document) fn without_sections(text: &str) -> Cow<'_, str> {
    if memmem::find(text.as_bytes(), b"<!").is_none() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(length) = memmem::find(&text.as_bytes()[at..], b"<!") {
        plain.push_str(&text[at..at + length]);
        at += length;
        if let Some((section, end)) = section(text, at) {
            escape(section, &mut plain);
            at = end;
        } else if text[at..].starts_with("<!--") {
            at = tag::comment_end(text, at + 4);
        } else {
            plain.push_str("<!");
            at += 2;
        }
    }
    plain.push_str(&text[at..]);
    Cow::Owned(plain)
}

/// Like [`tag::raw_end`], but ignores end tags within a section or a comment.
pub(in crate::document) fn raw_end(page: &str, from: usize, name: &str) -> (usize, usize) {
    let bytes = page.as_bytes();
    let mut at = from;
    while let Some(length) = memchr(b'<', &bytes[at..]) {
        let open = at + length;
        at = if let Some((_, end)) = section(page, open) {
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

/// Returns the end of the document type whose `<!` ends at `from`, and true if it has definitions.
pub(in crate::document) fn doctype_end(page: &str, from: usize) -> (usize, bool) {
    let bytes = page.as_bytes();
    match memchr2(b'[', b'>', &bytes[from..]) {
        Some(length) if bytes[from + length] == b'[' => {
            let end = memmem::find(&bytes[from + length..], b"]")
                .map_or(page.len(), |close| from + length + close);
            (tag::past(page, end, b'>'), true)
        }
        _ => (tag::past(page, from, b'>'), false),
    }
}

/// Returns the end of the instruction whose `<?` ends at `from`.
pub(in crate::document) fn instruction_end(page: &str, from: usize) -> usize {
    memmem::find(&page.as_bytes()[from..], b"?>").map_or(page.len(), |length| from + length + 2)
}
