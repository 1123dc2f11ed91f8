//! Reading a large request in place: its strings are unescaped in its own bytes, so that a file's
//! new content is in memory only once.
//!
//! Escapes are those of RFC 8259, section 7. Before a byte is changed, `serde_json` has found the
//! bounds of each value and checked that everything is JSON and UTF-8. It also reads all values but
//! strings, and the message about a string that cannot be represented is its own.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;
use serde_json::value::RawValue;

use super::json_values::{FieldName, RawFields, parse_value};
use super::{BYTE_ORDER_MARK, FieldValue};

/// A request with more fields than this is not read in place: no tool has so many.
const MAX_FIELDS: usize = 64;

/// Positions of a field's name and value in the request.
type FieldSpan = (Range<usize>, Range<usize>);

/// The fields of the request in `bytes`, in order; `None` if it cannot be read in place.
pub(super) fn field_spans(bytes: &[u8]) -> Option<Vec<FieldSpan>> {
    let object = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let RawFields(fields) = serde_json::from_slice(object).ok()?;
    let start = bytes.as_ptr().addr();
    let span = |json: &RawValue| {
        let offset = json.get().as_ptr().addr() - start;
        offset..offset + json.get().len()
    };
    let spans = fields.iter().map(|(name, value)| (span(name), span(value)));
    (fields.len() <= MAX_FIELDS).then(|| spans.collect())
}

/// Reads the fields at `spans`, unescaping strings in `bytes`. Fields whose name cannot be
/// represented are left out.
pub(super) fn unescape_fields(
    bytes: &mut [u8],
    spans: Vec<FieldSpan>,
) -> Vec<(Cow<'_, str>, FieldValue<'_>)> {
    let (mut remainder, mut behind) = (bytes, 0);
    let mut split_off = |span: Range<usize>| {
        let _ = remainder.split_off_mut(..span.start - behind);
        behind = span.end;
        remainder.split_off_mut(..span.len()).unwrap_or_default()
    };
    let mut fields = Vec::with_capacity(spans.len());
    for (name, value) in spans {
        let (name, value) = (split_off(name), split_off(value));
        if let Ok(FieldName(name)) = serde_json::from_slice(name) {
            fields.push((name, unescape_value(value)));
        }
    }
    fields
}

/// Reads a value; a string is unescaped in `json`.
fn unescape_value(json: &mut [u8]) -> FieldValue<'_> {
    let length = match json {
        [b'"', text @ .., b'"'] => match unescape(text) {
            Ok(length) => Some(length),
            Err(offset) => {
                // Blanks keep the column in the message of the parser that reads this again.
                text[..offset].fill(b' ');
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
        (Ok(json), None) => parse_value(json),
        (Err(error), _) => FieldValue::Unrepresentable(error.to_string()),
    }
}

/// Unescapes `text`, the inside of a JSON string, in place, and returns the new length.
///
/// # Errors
/// The position of the first escape that stands for no character. The bytes before it have been
/// overwritten; those from there on are unchanged.
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
        let (character, length) = decode_escape(&text[read..]).ok_or(read)?;
        // No character is longer than its shortest escape.
        written += character.encode_utf8(&mut text[written..]).len();
        read += length;
    }
    Ok(written)
}

/// Decodes the escape at the beginning of `text`: its character, and its length.
fn decode_escape(text: &[u8]) -> Option<(char, usize)> {
    let character = match text.get(1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\x08',
        b'f' => '\x0C',
        b'u' => return decode_unicode_escape(text),
        itself @ (b'"' | b'\\' | b'/') => char::from(*itself),
        _ => return None,
    };
    Some((character, 2))
}

/// Decodes one `\uXXXX` escape, or two that are a surrogate pair.
fn decode_unicode_escape(text: &[u8]) -> Option<(char, usize)> {
    let first = decode_unit(text)?;
    if let Some(character) = char::from_u32(first.into()) {
        return Some((character, 6));
    }
    let pair = [first, decode_unit(text.get(6..)?)?];
    let character = char::decode_utf16(pair).next()?.ok()?;
    Some((character, 12))
}

/// The UTF-16 code unit of the escape at the beginning of `text`.
fn decode_unit(text: &[u8]) -> Option<u16> {
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
