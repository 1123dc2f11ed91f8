//! HTML entities, decoded and encoded outside of pages, with the table of the page parser.

use std::borrow::Cow;

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};
use memchr::memchr;

/// Decodes entities once, and only those that end in a semicolon, as writers write them.
#[must_use]
pub fn decoded(text: &str) -> String {
    let ended =
        |behind: &str| reference(behind, false).filter(|reference_found| reference_found.is_ended);
    with_references(text, &ended).into_owned()
}

/// Decodes an attribute's value as browsers do, also entities without a semicolon.
#[must_use]
pub fn decoded_in_attribute(value: &str) -> Cow<'_, str> {
    with_references(value, &|behind| reference(behind, true))
}

/// Decodes text between tags as browsers do.
#[must_use]
pub fn decoded_in_text(text: &str) -> Cow<'_, str> {
    with_references(text, &|behind| reference(behind, false))
}

/// Replaces the references that `read` finds after an `&`.
fn with_references<'a>(
    text: &'a str,
    read: &dyn Fn(&str) -> Option<CharacterReference>,
) -> Cow<'a, str> {
    let mut out = String::new();
    let mut unread = text;
    while let Some(ampersand) = memchr(b'&', unread.as_bytes()) {
        out.push_str(&unread[..ampersand]);
        unread = &unread[ampersand + 1..];
        if let Some(reference_found) = read(unread) {
            out.extend(reference_found.characters.into_iter().flatten());
            unread = &unread[reference_found.length..];
        } else {
            out.push('&');
        }
    }
    if unread.len() == text.len() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(out + unread)
}

/// A decoded character reference.
struct CharacterReference {
    characters: [Option<char>; 2],
    /// Length in bytes after the `&`.
    length: usize,
    /// True if it ends in a semicolon.
    is_ended: bool,
}

/// Parses the reference that continues with `text` after its `&`, as page parsers do, between tags
/// or in an attribute; `None` if the `&` does not begin one.
///
/// Rules: HTML Living Standard, "Tokenization", from the character reference state on.
fn reference(text: &str, in_attribute: bool) -> Option<CharacterReference> {
    let bytes = text.as_bytes();
    if bytes.first() == Some(&b'#') {
        return numeric_reference(bytes);
    }
    // The most common ones need no look at the table.
    for (name, character) in [("amp;", '&'), ("nbsp;", '\u{a0}'), ("quot;", '"')] {
        if text.starts_with(name) {
            return Some(CharacterReference {
                characters: [Some(character), None],
                length: name.len(),
                is_ended: true,
            });
        }
    }
    // The longest matching name counts. The table also holds prefixes of names, with the code 0.
    let mut entity = None;
    for length in 1..=bytes.len() {
        if !bytes[length - 1].is_ascii() {
            break;
        }
        match NAMED_ENTITIES.get(&text[..length]) {
            None => break,
            Some((0, _)) => {}
            Some(codes) => entity = Some((length, *codes)),
        }
    }
    let (length, (first, second)) = entity?;
    let is_ended = bytes[length - 1] == b';';
    let goes_on = |byte: &u8| *byte == b'=' || byte.is_ascii_alphanumeric();
    if in_attribute && !is_ended && bytes.get(length).is_some_and(goes_on) {
        return None;
    }
    let second = char::from_u32(second).filter(|c| *c != '\0');
    Some(CharacterReference {
        characters: [char::from_u32(first), second],
        length,
        is_ended,
    })
}

/// Parses a numeric reference.
fn numeric_reference(text: &[u8]) -> Option<CharacterReference> {
    let (start, radix) = match text.get(1) {
        Some(b'x' | b'X') => (2, 16),
        _ => (1, 10),
    };
    let mut code = 0_u32;
    let mut length = start;
    while let Some(digit) = text
        .get(length)
        .and_then(|b| char::from(*b).to_digit(radix))
    {
        code = code.saturating_mul(radix).saturating_add(digit);
        length += 1;
    }
    if length == start {
        return None;
    }
    let is_ended = text.get(length) == Some(&b';');
    Some(CharacterReference {
        characters: [Some(char_of_code(code)), None],
        length: length + usize::from(is_ended),
        is_ended,
    })
}

/// The character of a numeric reference.
fn char_of_code(code: u32) -> char {
    // Numbers of C1 controls mean the characters that Windows has in their place (WHATWG HTML,
    // "numeric character reference end state").
    let replaced = code
        .checked_sub(0x80)
        .and_then(|index| *C1_REPLACEMENTS.get(usize::try_from(index).ok()?)?);
    replaced
        .or_else(|| char::from_u32(code).filter(|_| code != 0))
        .unwrap_or('\u{fffd}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_decoded_once_and_what_is_none_stays() {
        for (text, expected) in [
            (
                "&amp;lt; &eacute;&#233;&#xE9;&#XE9;",
                "&lt; \u{e9}\u{e9}\u{e9}\u{e9}",
            ),
            ("&hellip;&nGt;&#146;", "\u{2026}\u{226b}\u{20d2}\u{2019}"),
            (
                "&#x1F600;&#0;&#xD800;&#x110000;",
                "\u{1f600}\u{fffd}\u{fffd}\u{fffd}",
            ),
            ("&CounterClockwiseContourIntegral;", "\u{2233}"),
            (
                "AT&T &; &#; &#x; &nothing; &amp &",
                "AT&T &; &#; &#x; &nothing; &amp &",
            ),
            (
                "&#+5; &\u{e9}; &#99999999999999;",
                "&#+5; &\u{e9}; \u{fffd}",
            ),
        ] {
            assert_eq!(decoded(text), expected, "{text}");
        }
    }

    #[test]
    fn an_attribute_is_decoded_as_browsers_do_it() {
        for (value, expected) in [
            ("display&#58none", "display:none"),
            ("display&#x3anone", "display:none"),
            ("display&#x3Anone", "display:none"),
            ("display&#x3A;none&colon;&colon", "display:none:&colon"),
            ("display&#58;&#110one", "display:none"),
            ("&#58", ":"),
            ("&#1114112 &#0", "\u{fffd} \u{fffd}"),
            ("&amp &amp;&ampx &amp=1 &lt", "& &&ampx &amp=1 <"),
            ("&am &; & &# &#x &\u{e9}", "&am &; & &# &#x &\u{e9}"),
        ] {
            assert_eq!(decoded_in_attribute(value), expected, "{value}");
        }
    }
}
