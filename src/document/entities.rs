//! HTML entities, decoded and encoded outside of pages, with the table of the page parser.

use std::borrow::Cow;

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};

/// Length in bytes of the longest entity name (`CounterClockwiseContourIntegral;`).
const LONGEST_NAME: usize = 32;

/// Decodes entities once, and only those that end in a semicolon, as writers write them.
#[must_use]
pub fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let end = rest
            .bytes()
            .take(LONGEST_NAME + 1)
            .position(|byte| byte == b';');
        match end.and_then(|end| decode_entity(&rest[..end])) {
            Some(characters) => {
                out.extend(characters.into_iter().flatten());
                rest = &rest[end.map_or(0, |end| end + 1)..];
            }
            None => out.push('&'),
        }
    }
    out + rest
}

/// Decodes an attribute's value as browsers do, also entities without a semicolon.
///
/// Rules: HTML Living Standard, "Tokenization", from the character reference state on.
#[must_use]
pub fn decoded_in_attribute(value: &str) -> Cow<'_, str> {
    if !value.contains('&') {
        return Cow::Borrowed(value);
    }
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let length = match rest.strip_prefix('#') {
            Some(number) => {
                let hexadecimal = number.starts_with(['x', 'X']);
                let of_number = |c: &char| c.is_digit(if hexadecimal { 16 } else { 10 });
                let marks = 1 + usize::from(hexadecimal);
                let digits = rest.chars().skip(marks).take_while(of_number).count();
                (digits > 0).then_some(marks + digits)
            }
            None => name_in_attribute(rest),
        };
        let characters = length.and_then(|length| decode_entity(&rest[..length]));
        match (length, characters) {
            (Some(length), Some(characters)) => {
                out.extend(characters.into_iter().flatten());
                rest = &rest[length..];
                rest = rest.strip_prefix(';').unwrap_or(rest);
            }
            _ => out.push('&'),
        }
    }
    Cow::Owned(out + rest)
}

/// Returns the length of the entity name that `text` begins with, without its semicolon. A name
/// that needs no semicolon counts only if nothing follows that would continue it.
fn name_in_attribute(text: &str) -> Option<usize> {
    let of_name = |byte: &u8| byte.is_ascii_alphanumeric();
    let letters = text.bytes().take(LONGEST_NAME).take_while(of_name).count();
    match text.as_bytes().get(letters) {
        Some(b';') => return Some(letters),
        Some(b'=') => return None,
        _ => {}
    }
    let named = NAMED_ENTITIES.get(&text[..letters]);
    // The table also holds prefixes of names, with the code 0.
    named.is_some_and(|found| found.0 != 0).then_some(letters)
}

/// Returns the one or two characters that an entity stands for.
fn decode_entity(name: &str) -> Option<[Option<char>; 2]> {
    let Some(number) = name.strip_prefix('#') else {
        let (first, second) = NAMED_ENTITIES.get(&format!("{name};"))?;
        let character = |code: u32| char::from_u32(code).filter(|c| *c != '\0');
        return Some([character(*first), character(*second)]);
    };
    let (digits, radix) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    // `from_str_radix` would accept a sign.
    if !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let code = u32::from_str_radix(digits, radix).ok()?;
    Some([Some(char_of_code(code)), None])
}

/// A decoded character reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CharacterReference {
    pub characters: [Option<char>; 2],
    /// Length in bytes after the `&`.
    pub length: usize,
}

/// Parses the reference that continues with `text` after its `&`, as page parsers do, between tags
/// or in an attribute; `None` if the `&` does not begin one.
///
/// Rules: HTML Living Standard, "Tokenization", from the character reference state on.
#[must_use]
pub fn reference(text: &str, in_attribute: bool) -> Option<CharacterReference> {
    let bytes = text.as_bytes();
    if bytes.first() == Some(&b'#') {
        return numeric_reference(bytes);
    }
    // The most common ones need no look at the table.
    for (name, character) in [
        ("lt;", '<'),
        ("gt;", '>'),
        ("amp;", '&'),
        ("quot;", '"'),
        ("nbsp;", '\u{a0}'),
    ] {
        if text.starts_with(name) {
            return Some(CharacterReference {
                characters: [Some(character), None],
                length: name.len(),
            });
        }
    }
    // The longest matching name counts. The table also holds prefixes of names, with the code 0.
    let mut found = None;
    for length in 1..=bytes.len() {
        if !bytes[length - 1].is_ascii() {
            break;
        }
        match NAMED_ENTITIES.get(&text[..length]) {
            None => break,
            Some((0, _)) => {}
            Some(codes) => found = Some((length, *codes)),
        }
    }
    let (length, (first, second)) = found?;
    let ended = bytes[length - 1] == b';';
    let goes_on = |byte: &u8| *byte == b'=' || byte.is_ascii_alphanumeric();
    if in_attribute && !ended && bytes.get(length).is_some_and(goes_on) {
        return None;
    }
    let second = char::from_u32(second).filter(|c| *c != '\0');
    Some(CharacterReference {
        characters: [char::from_u32(first), second],
        length,
    })
}

/// Parses a numeric reference.
fn numeric_reference(text: &[u8]) -> Option<CharacterReference> {
    let (begin, radix) = match text.get(1) {
        Some(b'x' | b'X') => (2, 16),
        _ => (1, 10),
    };
    let mut code = 0_u32;
    let mut length = begin;
    while let Some(digit) = text
        .get(length)
        .and_then(|b| char::from(*b).to_digit(radix))
    {
        code = code.saturating_mul(radix).saturating_add(digit);
        length += 1;
    }
    if length == begin {
        return None;
    }
    let ended = text.get(length) == Some(&b';');
    Some(CharacterReference {
        characters: [Some(char_of_code(code)), None],
        length: length + usize::from(ended),
    })
}

/// The character of a numeric reference.
fn char_of_code(code: u32) -> char {
    // Numbers of C1 controls mean the characters that Windows has in their place (WHATWG HTML,
    // "numeric character reference end state").
    let replaced = code
        .checked_sub(0x80)
        .and_then(|at| *C1_REPLACEMENTS.get(usize::try_from(at).ok()?)?);
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
                "&#+5; &\u{e9}; &#99999999999999;",
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
