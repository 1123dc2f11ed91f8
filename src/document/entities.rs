//! Entities of HTML, decoded and encoded, outside of pages: from the table of the parser of those.

use std::borrow::Cow;

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};

/// The longest name of an entity, in bytes (`CounterClockwiseContourIntegral;`).
const LONGEST_NAME: usize = 32;

/// `text` with its entities decoded, once; those that end in a semicolon, as writers write them.
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
        match end.and_then(|end| entity(&rest[..end])) {
            Some(characters) => {
                out.extend(characters.into_iter().flatten());
                rest = &rest[end.map_or(0, |end| end + 1)..];
            }
            None => out.push('&'),
        }
    }
    out + rest
}

/// The value of an attribute with its entities decoded as browsers do it, also those without a
/// semicolon.
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
        let characters = length.and_then(|length| entity(&rest[..length]));
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

/// The length of the name of the entity that `text` begins with, without its semicolon. One of the
/// names that need none counts only where nothing follows that would go on with it.
fn name_in_attribute(text: &str) -> Option<usize> {
    let of_name = |byte: &u8| byte.is_ascii_alphanumeric();
    let letters = text.bytes().take(LONGEST_NAME).take_while(of_name).count();
    match text.as_bytes().get(letters) {
        Some(b';') => return Some(letters),
        Some(b'=') => return None,
        _ => {}
    }
    let named = NAMED_ENTITIES.get(&text[..letters]);
    // Beginnings of names stand in the table as well, for nothing.
    named.is_some_and(|found| found.0 != 0).then_some(letters)
}

/// The one or two characters that an entity stands for.
fn entity(name: &str) -> Option<[Option<char>; 2]> {
    let Some(number) = name.strip_prefix('#') else {
        let (first, second) = NAMED_ENTITIES.get(&format!("{name};"))?;
        let character = |code: u32| char::from_u32(code).filter(|c| *c != '\0');
        return Some([character(*first), character(*second)]);
    };
    let (digits, radix) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    // Unlike a number elsewhere, this one has no sign.
    if !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let code = u32::from_str_radix(digits, radix).ok()?;
    Some([Some(of_code(code)), None])
}

/// What a reference stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// One character or two.
    pub characters: [Option<char>; 2],
    /// Its bytes behind the `&`.
    pub length: usize,
    /// Whether it ends in a semicolon.
    pub ended: bool,
}

/// The reference that goes on with `text` behind its `&`, as parsers of pages read it, between tags
/// or in an attribute; `None` if the `&` begins none.
///
/// Rules: HTML Living Standard, "Tokenization", from the character reference state on.
#[must_use]
pub fn reference(text: &str, in_attribute: bool) -> Option<Reference> {
    let bytes = text.as_bytes();
    if bytes.first() == Some(&b'#') {
        return number(bytes);
    }
    // What most references are.
    for (name, character) in [
        ("lt;", '<'),
        ("gt;", '>'),
        ("amp;", '&'),
        ("quot;", '"'),
        ("nbsp;", '\u{a0}'),
    ] {
        if text.starts_with(name) {
            return Some(Reference {
                characters: [Some(character), None],
                length: name.len(),
                ended: true,
            });
        }
    }
    // Of the names that `text` begins with, the longest one counts; their beginnings stand in the
    // table as well, for nothing.
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
    Some(Reference {
        characters: [char::from_u32(first), second],
        length,
        ended,
    })
}

/// The reference by number that `text` begins with.
fn number(text: &[u8]) -> Option<Reference> {
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
    Some(Reference {
        characters: [Some(of_code(code)), None],
        length: length + usize::from(ended),
        ended,
    })
}

/// The character that a reference by number stands for.
fn of_code(code: u32) -> char {
    // What Windows has in place of C1 controls is meant by their numbers (WHATWG HTML, "numeric
    // character reference end state").
    let replaced = code
        .checked_sub(0x80)
        .and_then(|at| *C1_REPLACEMENTS.get(usize::try_from(at).ok()?)?);
    replaced
        .or_else(|| char::from_u32(code).filter(|_| code != 0))
        .unwrap_or('\u{fffd}')
}

/// `text` as it stands between tags.
#[must_use]
pub fn encoded(text: &str) -> String {
    let text = text.replace('&', "&amp;");
    text.replace('<', "&lt;").replace('>', "&gt;")
}

/// `text` as it stands in an attribute's value, in double quotation marks.
#[must_use]
pub fn encoded_in_quotes(text: &str) -> String {
    encoded(text).replace('"', "&quot;")
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

    #[test]
    fn what_is_encoded_is_decoded_to_the_same() {
        let text = "a < b && \"c\" > '&amp;'";
        assert_eq!(encoded(text), "a &lt; b &amp;&amp; \"c\" &gt; '&amp;amp;'");
        assert_eq!(decoded(&encoded(text)), text);
        assert_eq!(decoded(&encoded_in_quotes(text)), text);
        assert!(!encoded_in_quotes(text).contains('"'));
    }
}
