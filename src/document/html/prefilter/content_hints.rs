//! Hints for finding the main content that the conversion does not need: the naming attributes of
//! elements, and elements without a meaning of their own.

/// Attribute with the original name of a renamed element.
pub(in crate::document::html) const NAME: &str = "x-name";

/// Returns the replacement for the start tag of a `textarea`, with its name if hints are kept.
pub(super) fn textarea_start(all: bool) -> &'static str {
    if all {
        "<span x-name=\"textarea\"> "
    } else {
        "<span> "
    }
}

/// Maximum length of a naming attribute that is kept whole, in bytes.
pub(super) const MAX_CALLED: usize = 400;

/// Naming attributes.
const CALLED: [&str; 5] = ["class", "id", "role", "itemprop", "itemtype"];

/// True for the name of a naming attribute.
pub(super) fn names_element(attribute: &str) -> bool {
    matches!(attribute.len(), 2 | 4 | 5 | 8)
        && CALLED
            .iter()
            .any(|wanted| attribute.eq_ignore_ascii_case(wanted))
}

/// Writes an attribute as it stands in the page, or only the first words of a long naming
/// attribute.
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
    // The cut must be behind the opening quote.
    if let Some(end) = last.map(|last| name + last)
        && bytes[name..end].contains(quote)
    {
        out.push_str(&attribute[..end]);
        out.push(char::from(*quote));
    }
}

/// Writes the attribute with the name of a renamed element.
pub(super) fn write_name(name: &str, out: &mut String) {
    out.push(' ');
    out.push_str(NAME);
    out.push_str("=\"");
    out.push_str(name);
    out.push('"');
}

/// True if the HTML element with this lower-case name is inline. Unknown elements are not, because
/// authors make boxes of them.
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
