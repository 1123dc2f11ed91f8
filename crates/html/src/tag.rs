//! One tag of a page: its end, its name and its attributes.
//!
//! Rules: HTML Living Standard, "Tokenization", from the tag open state to the end of the tag.

use memchr::{memchr, memmem};

/// A start tag as it stands in the page.
pub(crate) struct HtmlTag<'a> {
    /// The name in the page's spelling.
    pub(crate) name: &'a str,
    /// Byte offset after the tag.
    pub(crate) end: usize,
    /// True if it ends in `/>`.
    pub(crate) closed: bool,
    pub(crate) attributes: Vec<TagAttribute<'a>>,
}

impl<'a> HtmlTag<'a> {
    /// Returns the value of an attribute as it stands in the page; the first one of a name counts.
    pub(crate) fn get(&self, wanted: &str) -> Option<&'a str> {
        let is = |attribute: &&TagAttribute<'_>| attribute.name.eq_ignore_ascii_case(wanted);
        self.attributes.iter().find(is).map(|first| first.value)
    }
}

/// Maximum length of the value of a kept attribute, in bytes.
pub(crate) const MAX_VALUE_BYTES: usize = 16 * 1024;

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c')
}

/// Returns the end of the name that begins at `offset`.
pub(crate) fn name_end(page: &str, offset: usize) -> usize {
    let bytes = page.as_bytes();
    let length = bytes[offset..]
        .iter()
        .position(|byte| is_space(*byte) || matches!(byte, b'/' | b'>'))
        .unwrap_or(bytes.len() - offset);
    offset + length
}

/// An attribute as it stands in the page.
#[derive(Clone, Copy)]
pub(crate) struct TagAttribute<'a> {
    /// Its name in the page's spelling.
    pub(crate) name: &'a str,
    /// Its value without decoding; empty if there is none.
    pub(crate) value: &'a str,
}

/// Calls `each` with the attributes of a tag whose name ends at `from`. Returns the offset after
/// the tag, and true if it ends in `/>`; `None` if the page ends within it.
pub(crate) fn scan<'a>(
    page: &'a str,
    from: usize,
    mut each: impl FnMut(TagAttribute<'a>),
) -> Option<(usize, bool)> {
    scan_by(page, from, &mut each)
}

/// The same with a dynamic callback, so that it is compiled once.
fn scan_by<'a>(
    page: &'a str,
    from: usize,
    each: &mut dyn FnMut(TagAttribute<'a>),
) -> Option<(usize, bool)> {
    let bytes = page.as_bytes();
    let mut here = from;
    loop {
        let mut closed = false;
        while is_space(*bytes.get(here)?) || bytes[here] == b'/' {
            closed = bytes[here] == b'/';
            here += 1;
        }
        if bytes[here] == b'>' {
            return Some((here + 1, closed));
        }
        let start = here;
        // A `=` that begins a name belongs to it.
        here += 1;
        while !matches!(*bytes.get(here)?, b'=' | b'>' | b'/') && !is_space(bytes[here]) {
            here += 1;
        }
        let name = &page[start..here];
        let mut after = here;
        while is_space(*bytes.get(after)?) {
            after += 1;
        }
        let mut value = "";
        if bytes[after] == b'=' {
            after += 1;
            while is_space(*bytes.get(after)?) {
                after += 1;
            }
            match bytes[after] {
                quote @ (b'"' | b'\'') => {
                    let length = memchr(quote, &bytes[after + 1..])?;
                    value = &page[after + 1..after + 1 + length];
                    here = after + length + 2;
                }
                b'>' => here = after,
                _ => {
                    let length = bytes[after..]
                        .iter()
                        .position(|byte| is_space(*byte) || *byte == b'>')?;
                    value = &page[after..after + length];
                    here = after + length;
                }
            }
        }
        each(TagAttribute { name, value });
    }
}

/// Reads the tag whose name begins at `offset`, with its attributes that are not too long. `None`
/// if the page ends within it.
pub(crate) fn read(page: &str, offset: usize) -> Option<HtmlTag<'_>> {
    let name_end = name_end(page, offset);
    let mut attributes = Vec::new();
    let (end, closed) = scan(page, name_end, |attribute| {
        if attribute.value.len() <= MAX_VALUE_BYTES {
            attributes.push(attribute);
        }
    })?;
    Some(HtmlTag {
        name: &page[offset..name_end],
        end,
        closed,
        attributes,
    })
}

/// True for the width or height of something invisible.
pub(crate) fn is_tiny(value: &str) -> bool {
    let value = value.trim();
    let value = value.strip_suffix("px").unwrap_or(value);
    matches!(value, "0" | "1")
}

/// True for an address that holds its data.
pub(crate) fn is_data(value: &str) -> bool {
    value
        .trim_start()
        .get(..5)
        .is_some_and(|start| start.eq_ignore_ascii_case("data:"))
}

/// Returns the end of the text of an element without markup, and the offset after its end tag;
/// both are the page's end if there is none.
pub(crate) fn raw_end(page: &str, from: usize, name: &str) -> (usize, usize) {
    let bytes = page.as_bytes();
    for start in memmem::find_iter(&bytes[from..], b"</") {
        let start = from + start;
        if let Some(end) = names_end(page, start, name) {
            return (start, past(page, end, b'>'));
        }
    }
    (page.len(), page.len())
}

/// Returns the end of the name of the end tag at `offset`, if there is one with this name.
pub(crate) fn names_end(page: &str, offset: usize, name: &str) -> Option<usize> {
    let named = page.as_bytes()[offset..].starts_with(b"</") && is_named(page, offset + 2, name);
    named.then_some(offset + 2 + name.len())
}

/// True if the tag whose name begins at `offset` has exactly this name.
pub(crate) fn is_named(page: &str, offset: usize, name: &str) -> bool {
    let bytes = &page.as_bytes()[offset..];
    bytes
        .get(..name.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
        && bytes
            .get(name.len())
            .is_none_or(|b| is_space(*b) || matches!(b, b'/' | b'>'))
}

/// Returns the offset after the next `mark`, or the page's end.
#[must_use]
pub fn past(page: &str, from: usize, mark: u8) -> usize {
    memchr(mark, &page.as_bytes()[from..]).map_or(page.len(), |length| from + length + 1)
}

/// Returns the offset after the comment whose `<!--` ends at `from`.
pub(crate) fn comment_end(page: &str, from: usize) -> usize {
    let bytes = page.as_bytes();
    if bytes[from..].starts_with(b">") {
        return from + 1;
    }
    if bytes[from..].starts_with(b"->") {
        return from + 2;
    }
    let mut offset = from;
    while let Some(dashes) = memmem::find(&bytes[offset..], b"--") {
        offset += dashes;
        offset += bytes[offset..]
            .iter()
            .take_while(|byte| **byte == b'-')
            .count();
        match &bytes[offset..] {
            [b'>', ..] => return offset + 1,
            [b'!', b'>', ..] => return offset + 2,
            _ => {}
        }
    }
    page.len()
}
