//! A large request read in its own bytes: its strings are unescaped where they stand, so that a
//! file's new content is in memory once, however it is written.
//!
//! What an escape means is RFC 8259's, section 7. Before a byte is touched, `serde_json` has found
//! where each value begins and ends, and that all is JSON and UTF-8; it also reads what is no
//! string, and says what is wrong with a string that cannot be held.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;
use serde_json::value::RawValue;

use super::{BYTE_ORDER_MARK, FieldName, RawFields, Value, value};

/// A request with more fields than this is left alone: the list of them is longer than a tool's
/// fields ever make it.
const MOST_FIELDS: usize = 64;

/// Where a field's name and its value stand.
type Place = (Range<usize>, Range<usize>);

/// Where the fields of the request stand that `bytes` are, in order; none where it has to be read
/// otherwise.
pub(super) fn places(bytes: &[u8]) -> Option<Vec<Place>> {
    let object = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let RawFields(fields) = serde_json::from_slice(object).ok()?;
    let start = bytes.as_ptr().addr();
    let place = |json: &RawValue| {
        let at = json.get().as_ptr().addr() - start;
        at..at + json.get().len()
    };
    let places = fields
        .iter()
        .map(|(name, value)| (place(name), place(value)));
    (fields.len() <= MOST_FIELDS).then(|| places.collect())
}

/// The fields that stand at `places` in `bytes`, as far as each can be held.
pub(super) fn fields(bytes: &mut [u8], places: Vec<Place>) -> Vec<(Cow<'_, str>, FieldValue<'_>)> {
    let (mut rest, mut behind) = (bytes, 0);
    let mut take = |place: Range<usize>| {
        let _ = rest.split_off_mut(..place.start - behind);
        behind = place.end;
        rest.split_off_mut(..place.len()).unwrap_or_default()
    };
    let mut fields = Vec::with_capacity(places.len());
    for (name, value) in places {
        let (name, value) = (take(name), take(value));
        // Nothing asks for a field whose very name cannot be held.
        if let Ok(FieldName(name)) = serde_json::from_slice(name) {
            fields.push((name, read(value)));
        }
    }
    fields
}

/// The value that `json` is, which is its own bytes where it is a string.
fn read(json: &mut [u8]) -> FieldValue<'_> {
    let length = match json {
        [b'"', text @ .., b'"'] => match unescape(text) {
            Ok(length) => Some(length),
            Err(at) => {
                // What is wrong, and in which column, is said of a string of the same length.
                text[..at].fill(b' ');
                None
            }
        },
        _ => None,
    };
    let bytes = match length {
        Some(length) => &json[1..=length],
        None => json,
    };
    match (simdutf8::basic::from_utf8(bytes), length) {
        (Ok(text), Some(_)) => FieldValue::Text(Cow::Borrowed(text)),
        (Ok(json), None) => value(json),
        (Err(error), _) => FieldValue::Unrepresentable(error.to_string()),
    }
}

/// Unescapes `text`, which stands between the quotes of a JSON string, in its own bytes; returns
/// how many of them are then its text.
///
/// # Errors
/// The place of the first escape that stands for no character. The bytes before it are used up,
/// and it and those behind it are as they were.
fn unescape(text: &mut [u8]) -> Result<usize, usize> {
    let (mut read, mut written) = (0, 0);
    while read < text.len() {
        if text[read] != b'\\' {
            let plain = memchr(b'\\', &text[read..]).unwrap_or(text.len() - read);
            if read != written {
                text.copy_within(read..read + plain, written);
            }
            read += plain;
            written += plain;
            continue;
        }
        let (character, length) = escaped(&text[read..]).ok_or(read)?;
        // No character is longer than its shortest escape.
        written += character.encode_utf8(&mut text[written..]).len();
        read += length;
    }
    Ok(written)
}

/// The character for which the escape stands with which `text` begins, and the escape's length.
fn escaped(text: &[u8]) -> Option<(char, usize)> {
    let character = match text.get(1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\x08',
        b'f' => '\x0C',
        b'u' => return in_digits(text),
        itself @ (b'"' | b'\\' | b'/') => char::from(*itself),
        _ => return None,
    };
    Some((character, 2))
}

/// The same for an escape in hexadecimal digits, or for a pair of such.
fn in_digits(text: &[u8]) -> Option<(char, usize)> {
    let first = unit(text)?;
    if let Some(character) = char::from_u32(first.into()) {
        return Some((character, 6));
    }
    let pair = [first, unit(text.get(6..)?)?];
    let character = char::decode_utf16(pair).next()?.ok()?;
    Some((character, 12))
}

/// The unit of UTF-16 that the escape spells with which `text` begins.
fn unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    let mut unit = 0;
    for digit in digits {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            b'A'..=b'F' => digit - b'A' + 10,
            _ => return None,
        };
        unit = unit << 4 | u16::from(value);
    }
    Some(unit)
}

#[cfg(test)]
mod tests;
