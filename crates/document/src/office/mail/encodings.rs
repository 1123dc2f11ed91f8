//! The ways in which mail writes bytes, and letters beyond ASCII, in ASCII.
//!
//! Rules: RFC 2045 (quoted-printable, base64), 2047 (words of headers), 2152 (UTF-7); POSIX
//! `uuencode`.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use encoding_rs::{UTF_8, UTF_16BE};
use iki_base::charset::Charset;
use memchr::memmem;
use regex::Regex;

/// True if the first line of a text may be in base64.
pub(super) fn is_base64(text: &[u8]) -> bool {
    let line = text.trim_ascii_start().split(|byte| *byte == b'\n').next();
    let is_sign = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    line.is_none_or(|line| line.trim_ascii_end().iter().all(is_sign))
}

/// Decodes a body, which may be of several pieces that are padded each; returns the text behind
/// it too, as a list's software adds it.
pub(super) fn decode_base64_body(body: &[u8]) -> (Vec<u8>, &[u8]) {
    let (mut bytes, mut start, mut offset) = (Vec::new(), 0, 0);
    let (mut is_padded, mut is_all) = (false, false);
    while offset < body.len() {
        let (line, end) = line_at(body, offset);
        let trimmed = line.trim_ascii();
        let behind = is_padded && trimmed.is_empty();
        // The rest is looked at once, because there may be many pieces.
        is_all = is_all || behind && is_all_base64(&body[end..]);
        if !is_base64_line(trimmed) || behind && !is_all {
            break;
        }
        is_padded = trimmed.ends_with(b"=") || is_padded && trimmed.is_empty();
        offset = end;
        if trimmed.ends_with(b"=") {
            bytes.extend(decode_base64(&body[start..offset]));
            start = offset;
        }
    }
    bytes.extend(decode_base64(&body[start..offset]));
    (bytes, body[offset..].trim_ascii())
}

/// The fewest signs of a line that is base64 though one of its characters is damaged.
const MIN_DAMAGED_LINE: usize = 40;

fn is_base64_line(line: &[u8]) -> bool {
    let is_other = |byte: &&u8| !byte.is_ascii_alphanumeric() && !b"+/=".contains(byte);
    let others = line.iter().filter(is_other).count();
    others == 0 || others == 1 && line.len() >= MIN_DAMAGED_LINE && !line.contains(&b' ')
}

/// True if each line may be base64.
fn is_all_base64(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n');
    lines.all(|line| is_base64_line(line.trim_ascii()))
}

pub(super) fn decode_base64(text: &[u8]) -> Vec<u8> {
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &base64::alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_allow_trailing_bits(true)
            .with_decode_padding_mode(DecodePaddingMode::Indifferent),
    );
    let is_sign = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let mut signs: Vec<u8> = text.iter().filter(is_sign).copied().collect();
    if signs.len() % 4 == 1 {
        signs.pop();
    }
    LENIENT.decode(signs).unwrap_or_default()
}

/// Most blanks between a `=` and the end of its line.
const MAX_BLANKS: usize = 80;

pub(super) fn decode_quoted_printable(text: &[u8], in_header: bool) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut offset = 0;
    while let Some(byte) = text.get(offset) {
        offset += 1;
        match byte {
            b'_' if in_header => bytes.push(b' '),
            b'=' => {
                let code = text
                    .get(offset..offset + 2)
                    .and_then(|code| std::str::from_utf8(code).ok());
                if let Some(code) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
                    bytes.push(code);
                    offset += 2;
                } else {
                    // A line that goes on.
                    let window = &text[offset..text.len().min(offset + MAX_BLANKS)];
                    let end = memchr::memchr(b'\n', window);
                    match end.filter(|end| window[..*end].trim_ascii().is_empty()) {
                        Some(end) => offset += end + 1,
                        None => bytes.push(b'='),
                    }
                }
            }
            byte => bytes.push(*byte),
        }
    }
    bytes
}

/// An encoded word: its character set, its encoding and its text.
static ENCODED_WORD: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"=\?([^?*]*)[^?]*\?([^?]*)\?([^?]*)\?=").ok());

/// Decodes the encoded words of a header.
pub(super) fn decode_words(text: &str) -> String {
    let (mut all, mut end) = (String::with_capacity(text.len()), 0);
    // The last encoded word, whose characters may go on in the next one.
    let mut open: Option<(Charset, Vec<u8>)> = None;
    let decoded = |open: Option<(Charset, Vec<u8>)>| {
        open.map(|(charset, bytes)| charset.decode(&bytes).into_owned())
            .unwrap_or_default()
    };
    let words = ENCODED_WORD
        .iter()
        .flat_map(|word| word.captures_iter(text));
    for word in words {
        let (whole, [label, how, encoded]) = word.extract();
        let start = word.get_match().start();
        let between = &text[end..start];
        end = start + whole.len();
        // Bytes that no header may have were decoded with all of it.
        let encoding = Charset::for_label(label).filter(|_| encoded.is_ascii());
        let encoding = encoding.unwrap_or(Charset::Browsers(UTF_8));
        let bytes = if how.eq_ignore_ascii_case("b") {
            decode_base64(encoded.as_bytes())
        } else {
            decode_quoted_printable(encoded.as_bytes(), true)
        };
        let is_next = open.is_some() && between.trim().is_empty();
        match &mut open {
            Some((last, all)) if is_next && *last == encoding => all.extend(bytes),
            _ => {
                all.push_str(&decoded(open.take()));
                all.push_str(if is_next { "" } else { between });
                open = Some((encoding, bytes));
            }
        }
    }
    all.push_str(&decoded(open));
    all.push_str(&text[end..]);
    all.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A file within a text, as `uuencode` writes it.
pub(super) struct UuencodedFile {
    /// Offsets of its first byte and after its last one.
    pub(super) range: (usize, usize),
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

/// Finds the first file of `uuencode` from the offset `from` on.
pub(super) fn find_uuencoded(text: &[u8], mut from: usize) -> Option<UuencodedFile> {
    loop {
        let start = from + memmem::find(&text[from..], b"begin ")?;
        let Some((name, mut offset)) = first_line_of_uuencoded(text, start) else {
            from = start + 1;
            continue;
        };
        let mut bytes = Vec::new();
        // The search goes on where this is no file, so that it takes one pass.
        while offset < text.len() {
            let (line, end) = line_at(text, offset);
            if line == b"end" {
                let range = (start, end);
                return Some(UuencodedFile { range, name, bytes });
            }
            if !decode_uuencoded_line(line, &mut bytes) {
                break;
            }
            offset = end;
        }
        from = offset;
    }
}

/// Returns the line at an offset without its end, and the offset after it.
fn line_at(text: &[u8], offset: usize) -> (&[u8], usize) {
    let unread = &text[offset..];
    let length = memchr::memchr(b'\n', unread).map_or(unread.len(), |end| end + 1);
    (unread[..length].trim_ascii_end(), offset + length)
}

/// Returns the name of the file that begins at `offset`, and the offset after that line.
fn first_line_of_uuencoded(text: &[u8], offset: usize) -> Option<(String, usize)> {
    let (line, end) = line_at(text, offset);
    let is_line = offset == 0 || text[offset - 1] == b'\n';
    let (mode, name) = std::str::from_utf8(&line[6..]).ok()?.split_once(' ')?;
    let is_mode = (3..=4).contains(&mode.len()) && mode.bytes().all(|c| c.is_ascii_digit());
    (is_line && is_mode).then(|| (name.trim().to_owned(), end))
}

/// Decodes a line, whose blanks at the end may be lost; false if it is none.
fn decode_uuencoded_line(line: &[u8], bytes: &mut Vec<u8>) -> bool {
    let value = |sign: Option<&u8>| sign.map_or(0, |sign| sign.wrapping_sub(b' ') & 63);
    let count = usize::from(value(line.first()));
    // Some writers add a sign that sums up the line.
    let limit = 1 + count.div_ceil(3) * 4 + 1;
    let is_sign = |byte: &u8| (b' '..=b'`').contains(byte);
    if line.len() > limit || !line.iter().all(is_sign) {
        return false;
    }
    for group in 0..count.div_ceil(3) {
        let [a, b, c, d] = std::array::from_fn(|index| value(line.get(1 + group * 4 + index)));
        let decoded = [a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d];
        bytes.extend(&decoded[..(count - group * 3).min(3)]);
    }
    true
}

/// Decodes UTF-7: UTF-16 in base64 between `+` and `-`.
pub(super) fn decode_utf_7(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut all = String::with_capacity(text.len());
    let mut parts = text.split('+');
    all.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let is_sign = |c: char| c.is_ascii_alphanumeric() || c == '/';
        let signs = part.find(|c| !is_sign(c)).unwrap_or(part.len());
        let (encoded, plain) = part.split_at(signs);
        if encoded.is_empty() {
            all.push('+');
        } else {
            let mut bytes = decode_base64(encoded.as_bytes());
            bytes.truncate(bytes.len() & !1);
            all.push_str(&UTF_16BE.decode_without_bom_handling(&bytes).0);
        }
        all.push_str(plain.strip_prefix('-').unwrap_or(plain));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_words_are_decoded_and_joined() {
        for (text, wanted) in [
            ("=?utf-8?B?w4Q=?= =?UTF-8?Q?b_c?= d", "\u{c4}b c d"),
            ("=?utf-8?B?w4?= x =?broken", "\u{fffd} x =?broken"),
            ("a =?iso-8859-1*de?q?=E9?= b", "a \u{e9} b"),
            ("=?iso-8859-1?Q?Fr\u{f6}sche?=", "Fr\u{f6}sche"),
        ] {
            assert_eq!(decode_words(text), wanted);
        }
    }

    #[test]
    fn utf_7_and_files_of_uuencode_are_decoded() {
        for (text, wanted) in [
            ("Fr+APY-sche", "Fr\u{f6}sche"),
            ("1 +- 1 +AKM", "1 + 1 \u{a3}"),
            ("+2D3cCQ-", "\u{1f409}"),
            ("a+", "a+"),
        ] {
            assert_eq!(decode_utf_7(text.as_bytes()), wanted);
        }
        let text = b"See:\nbegin 644 a b.txt\n#0V%T\n`\nend\nbye\n";
        let file = find_uuencoded(text, 0).unwrap();
        assert_eq!((&*file.name, &*file.bytes), ("a b.txt", &b"Cat"[..]));
        assert_eq!(&text[file.range.1..], b"bye\n");
        for none in [
            "begin 644 a\n#0V%T\n",
            "begin with this\nend\n",
            "begin 644 x\nA plain line of text.\nend\n",
        ] {
            assert!(find_uuencoded(none.as_bytes(), 0).is_none(), "{none}");
        }
        let many = "begin 644 a\n#0V%T\n".repeat(200_000);
        assert!(find_uuencoded(many.as_bytes(), 0).is_none());
    }
}
