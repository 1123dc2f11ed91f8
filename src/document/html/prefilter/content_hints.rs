//! What is kept of a page beyond what its conversion needs, so that its main content can be told
//! from the rest: what its author calls each element, and elements of no meaning of their own.

/// Stands for the name of an element that the parser gets as another one.
pub(in crate::document::html) const NAME: &str = "x-name";

/// What the start tag of a `textarea` becomes, where all is kept and where not.
pub(super) fn textarea_start(all: bool) -> &'static str {
    if all {
        "<span x-name=\"textarea\"> "
    } else {
        "<span> "
    }
}

/// The longest of these attributes that is kept whole, in bytes.
pub(super) const MAX_CALLED: usize = 400;

/// Attributes that say what an element is.
const CALLED: [&str; 5] = ["class", "id", "role", "itemprop", "itemtype"];

/// Whether an attribute of this name says what its element is.
pub(super) fn names_element(attribute: &str) -> bool {
    matches!(attribute.len(), 2 | 4 | 5 | 8)
        && CALLED
            .iter()
            .any(|wanted| attribute.eq_ignore_ascii_case(wanted))
}

/// Writes an attribute as it stands in the page; of a long one that says what its element is, the
/// first words.
pub(super) fn write_attribute(attribute: &str, out: &mut String) {
    out.push(' ');
    if attribute.len() <= MAX_CALLED {
        out.push_str(attribute);
        return;
    }
    let bytes = attribute.as_bytes();
    let name = bytes
        .iter()
        .position(|byte| *byte == b'=' || byte.is_ascii_whitespace())
        .unwrap_or(bytes.len());
    if !names_element(&attribute[..name]) {
        out.push_str(attribute);
        return;
    }
    let last = bytes[name..MAX_CALLED]
        .iter()
        .rposition(u8::is_ascii_whitespace);
    let Some(quote) = bytes.last().filter(|byte| matches!(byte, b'"' | b'\'')) else {
        return;
    };
    // Only where the value has begun before the whitespace.
    if let Some(end) = last.map(|last| name + last)
        && bytes[name..end].contains(quote)
    {
        out.push_str(&attribute[..end]);
        out.push(char::from(*quote));
    }
}

/// Writes the name of an element that the parser gets as another one.
pub(super) fn write_name(name: &str, out: &mut String) {
    out.push(' ');
    out.push_str(NAME);
    out.push_str("=\"");
    out.push_str(name);
    out.push('"');
}

/// Whether the HTML element of that name (in lower case) runs inside a line. Of the names that HTML
/// has not, none does: authors make boxes of them.
pub(in crate::document::html) fn is_inline(name: &str) -> bool {
    matches!(
        name,
        "a" | "abbr"
            | "acronym"
            | "b"
            | "bdi"
            | "bdo"
            | "big"
            | "cite"
            | "code"
            | "data"
            | "del"
            | "dfn"
            | "em"
            | "font"
            | "i"
            | "img"
            | "ins"
            | "kbd"
            | "label"
            | "mark"
            | "meter"
            | "nobr"
            | "output"
            | "picture"
            | "q"
            | "rp"
            | "rt"
            | "ruby"
            | "s"
            | "samp"
            | "small"
            | "source"
            | "span"
            | "strike"
            | "strong"
            | "sub"
            | "sup"
            | "time"
            | "tt"
            | "u"
            | "var"
            | "wbr"
            | "x-big"
            | "x-font"
            | "x-nobr"
            | "x-small"
            | "x-u"
    )
}
