//! The encoding of a text file that is not UTF-8, known well enough that the text can be shown,
//! searched and edited in it.
//!
//! Rules: the decisions on other encodings. Known are UTF-16 by its mark; a multi-byte encoding in
//! which all bytes decode, and encode to the same bytes; a one-byte encoding in which the text
//! reads the same wherever it is from. A text with NULs, one that is partly UTF-8, and
//! one in an encoding that has states are in none.

use std::collections::HashMap;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, ISO_2022_JP, SHIFT_JIS, UTF_16BE, UTF_16LE,
    WINDOWS_1252,
};
use memchr::memmem;

/// The largest file, in bytes, that is decoded.
pub const MAX_DECODED_BYTES: usize = 50 * 1024 * 1024;

/// Bytes given to the detector, from the first that is not ASCII on; it takes about 90 milliseconds
/// for a mebibyte of Chinese.
pub const DETECTOR_BYTES: usize = 256 * 1024;

/// The fewest bytes other than ASCII that tell a one-byte encoding which is not that of Western
/// Europe.
const MIN_OTHER_BYTES: usize = 6;

/// Bytes that tell if a text is UTF-16 without a mark.
const WIDE_SAMPLE_BYTES: usize = 8 * 1024;

/// The shortest text that is told to be UTF-16 without a mark.
const MIN_WIDE_BYTES: usize = 8;

/// Of so many runs of other bytes than ASCII in a multi-byte encoding, one may be UTF-8 by chance.
const RUNS_PER_CHANCE: usize = 50;

/// Of so many bytes of a text, one may be a control character.
const BYTES_PER_CONTROL: usize = 32;

/// An encoding other than UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextEncoding(&'static Encoding);

/// The evidence that a file's bytes give of its encoding.
#[derive(Debug, PartialEq, Eq)]
pub enum EncodingFinding {
    /// UTF-8, ASCII included.
    Utf8,
    /// Another encoding, and the text. A mark at its beginning is U+FEFF in it.
    Known(TextEncoding, String),
    /// Not known well enough; the name of one that it may be, as iconv has it.
    Unknown(Option<&'static str>),
}

impl EncodingFinding {
    /// Finds the encoding of a file that has these bytes.
    #[must_use]
    pub fn detect(bytes: &[u8]) -> Self {
        if let [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] = bytes {
            return Self::Unknown(Some("UTF-32"));
        }
        let marked = match bytes {
            [0xFF, 0xFE, ..] => Some(UTF_16LE),
            [0xFE, 0xFF, ..] => Some(UTF_16BE),
            _ => None,
        };
        if let Some(wide) = marked {
            return Self::decoded(bytes, wide).unwrap_or(Self::Unknown(Some("UTF-16")));
        }
        if let Some(wide) = wide_without_mark(bytes) {
            return Self::Unknown(Some(wide));
        }
        if std::str::from_utf8(bytes).is_ok() {
            if has_states(bytes) {
                return Self::Unknown(Some(ISO_2022_JP.name()));
            }
            return Self::Utf8;
        }
        if memchr::memchr(0, bytes).is_some() {
            return Self::Unknown(None);
        }
        let likely = detect(bytes, None);
        if is_partly_utf8(bytes, is_multi_byte(likely)) {
            return Self::Unknown(None);
        }
        let known = match likely {
            // The detector knows both as one.
            _ if likely == GBK => {
                Self::decoded(bytes, GBK).or_else(|| Self::decoded(bytes, GB18030))
            }
            _ if is_multi_byte(likely) || is_sure(bytes, likely) => Self::decoded(bytes, likely),
            _ => None,
        };
        known
            .filter(|_| !is_binary(bytes))
            .unwrap_or(Self::Unknown(Some(likely.name())))
    }

    /// The text of a file that goes over to other characters and back by sequences of ASCII, in
    /// which ASCII alone can be told from halves of characters; `None` if it is not ISO-2022-JP.
    #[must_use]
    pub fn with_states(bytes: &[u8]) -> Option<(TextEncoding, String)> {
        match Self::decoded(bytes, ISO_2022_JP) {
            Some(Self::Known(encoding, text)) => Some((encoding, text)),
            _ => None,
        }
    }

    /// The text, if it has no error in `encoding` and encodes to the same bytes.
    fn decoded(bytes: &[u8], encoding: &'static Encoding) -> Option<Self> {
        let (text, has_errors) = encoding.decode_without_bom_handling(bytes);
        let encoding = TextEncoding(encoding);
        let is_same = || encoding.encode(&text).is_ok_and(|again| again == bytes);
        (!has_errors && is_same()).then(|| Self::Known(encoding, text.into_owned()))
    }
}

impl TextEncoding {
    /// Its name, as iconv and people have it. Of UTF-16 it leaves the order of the bytes out, which
    /// the mark says.
    #[must_use]
    pub fn name(self) -> &'static str {
        if self.is_wide() {
            "UTF-16"
        } else {
            self.0.name()
        }
    }

    /// True if each character has one byte, so that only those of the file's own are sure.
    #[must_use]
    pub fn is_one_byte(self) -> bool {
        self.0.is_single_byte()
    }

    fn is_wide(self) -> bool {
        self.0 == UTF_16LE || self.0 == UTF_16BE
    }

    /// The bytes of `text`.
    ///
    /// # Errors
    /// The first character that the encoding does not have.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, char> {
        let mut bytes = Vec::with_capacity(text.len());
        if self.is_wide() {
            let bytes_of = if self.0 == UTF_16LE {
                u16::to_le_bytes
            } else {
                u16::to_be_bytes
            };
            bytes.extend(text.encode_utf16().flat_map(bytes_of));
            return Ok(bytes);
        }
        if self.0 == ISO_2022_JP {
            let (encoded, _, is_lacking) = self.0.encode(text);
            let lacks = |one: &char| self.0.encode(one.encode_utf8(&mut [0; 4])).2;
            return match text.chars().find(lacks).filter(|_| is_lacking) {
                Some(one) => Err(one),
                None => Ok(encoded.into_owned()),
            };
        }
        // The library looks each character up in its tables for decoding, from their beginning.
        let mut known: HashMap<char, ([u8; 4], usize)> = HashMap::new();
        for one in text.chars() {
            if let Ok(ascii @ 0..0x80) = u8::try_from(one) {
                bytes.push(ascii);
                continue;
            }
            let (encoded, length) = match known.get(&one) {
                Some(encoded) => *encoded,
                None => *known.entry(one).or_insert(self.encode_character(one)?),
            };
            bytes.extend_from_slice(&encoded[..length]);
        }
        Ok(bytes)
    }

    fn encode_character(self, one: char) -> Result<([u8; 4], usize), char> {
        let mut buffer = [0; 4];
        let (bytes, _, is_lacking) = self.0.encode(one.encode_utf8(&mut buffer));
        // A few characters are encoded as others (`¥` as `\\` in Shift_JIS).
        let (decoded, _) = self.0.decode_without_bom_handling(&bytes);
        let mut encoded = [0; 4];
        match encoded.get_mut(..bytes.len()) {
            Some(room) if !is_lacking && decoded.chars().eq([one]) => room.copy_from_slice(&bytes),
            _ => return Err(one),
        }
        Ok((encoded, bytes.len()))
    }
}

/// The name by which `iconv` knows an encoding with all characters that are decoded as its own.
#[must_use]
pub fn iconv_name(name: &str) -> &str {
    match name {
        "Shift_JIS" => "CP932",
        "EUC-KR" => "CP949",
        other => other,
    }
}

/// True for the encodings with characters of several bytes that the detector tells.
fn is_multi_byte(encoding: &'static Encoding) -> bool {
    [SHIFT_JIS, GBK, GB18030, BIG5, EUC_JP, EUC_KR].contains(&encoding)
}

/// The likely encoding of bytes that are not UTF-8; the zone of a country (`jp`) is a hint.
#[must_use]
pub fn detect(bytes: &[u8], region: Option<&[u8]>) -> &'static Encoding {
    // ASCII says nothing about the encoding, so the text before the first other byte is skipped.
    let start = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let window = &bytes[start..];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(
        &window[..window.len().min(DETECTOR_BYTES)],
        window.len() <= DETECTOR_BYTES,
    );
    detector.guess(region, Utf8Detection::Deny)
}

/// True if `likely`, a one-byte encoding, is sure: the text has no unassigned characters in it, it
/// reads the same where another encoding is usual, and it has letters enough.
fn is_sure(bytes: &[u8], likely: &'static Encoding) -> bool {
    let (text, _) = likely.decode_without_bom_handling(bytes);
    let is_western = likely == WINDOWS_1252;
    let other = detect(bytes, Some(if is_western { b"ru" } else { b"fr" }));
    let is_same = other == likely || other.decode_without_bom_handling(bytes).0 == text;
    let is_unassigned = |one: char| ('\u{80}'..='\u{9F}').contains(&one);
    let is_enough = if is_western {
        // No word of several letters has accents on all of them.
        let mut words = text.split(|one: char| !one.is_alphabetic());
        !words
            .any(|word| word.chars().nth(1).is_some() && !word.contains(|one: char| one.is_ascii()))
    } else {
        bytes.iter().filter(|byte| !byte.is_ascii()).count() >= MIN_OTHER_BYTES
    };
    likely.is_single_byte() && is_same && is_enough && !text.contains(is_unassigned)
}

/// True if text that is not all UTF-8 is UTF-8 in parts: if runs of other bytes than ASCII are
/// whole. In a multi-byte encoding short ones often seem so by chance.
fn is_partly_utf8(bytes: &[u8], is_multi_byte: bool) -> bool {
    let (mut runs, mut whole) = (0, 0);
    for run in bytes.split(u8::is_ascii).filter(|run| !run.is_empty()) {
        runs += 1;
        let is_long = |text: &str| {
            let count = text.chars().count();
            !is_multi_byte || count > 2 || text.len() > 2 * count
        };
        whole += usize::from(std::str::from_utf8(run).is_ok_and(is_long));
    }
    let by_chance = if is_multi_byte {
        runs / RUNS_PER_CHANCE
    } else {
        0
    };
    whole > by_chance
}

/// True if ASCII has the sequences by which ISO-2022 goes over to other characters.
fn has_states(bytes: &[u8]) -> bool {
    let mut escapes = memmem::find_iter(bytes, b"\x1b$");
    escapes.any(|escape| {
        matches!(
            bytes.get(escape + 2),
            Some(b'@' | b'A' | b'B' | b'(' | b')' | b'*')
        )
    })
}

/// True if more are control characters than a text has.
fn is_binary(bytes: &[u8]) -> bool {
    let is_odd = |byte: &&u8| **byte < 0x20 && !b"\t\n\r\x0c\x1b".contains(byte);
    bytes.iter().filter(is_odd).count() * BYTES_PER_CONTROL > bytes.len()
}

/// The encoding of bytes that are UTF-16 without a mark: NULs are in one half of all units only,
/// and all units are letters and signs of scripts in use.
#[must_use]
pub fn wide_without_mark(bytes: &[u8]) -> Option<&'static str> {
    if !bytes.len().is_multiple_of(2) || bytes.len() < MIN_WIDE_BYTES {
        return None;
    }
    let sample = &bytes[..bytes.len().min(WIDE_SAMPLE_BYTES)];
    let (units, _) = sample.as_chunks::<2>();
    let has_nul = |index: usize| units.iter().any(|unit| unit[index] == 0);
    let (encoding, name) = match (has_nul(0), has_nul(1)) {
        (false, true) => (UTF_16LE, "UTF-16LE"),
        (true, false) => (UTF_16BE, "UTF-16BE"),
        _ => return None,
    };
    // The sample may end within a pair of units.
    let whole = match units.last() {
        Some(unit) if (0xD8..0xDC).contains(&unit[usize::from(encoding == UTF_16LE)]) => {
            &sample[..sample.len() - 2]
        }
        _ => sample,
    };
    let (text, has_errors) = encoding.decode_without_bom_handling(whole);
    let is_in_use = |one: char| {
        matches!(one, '\t' | '\n' | '\r' | '\u{c}' | ' '..='~' | '\u{A0}'..='\u{52F}'
            | '\u{2010}'..='\u{206F}' | '\u{3000}'..='\u{30FF}' | '\u{4E00}'..='\u{9FFF}'
            | '\u{AC00}'..='\u{D7AF}' | '\u{FF00}'..='\u{FFEF}')
    };
    // Pairs of ASCII characters are ideographs, too; records that NULs separate have no others.
    let is_ascii = |byte: &u8| matches!(byte, b'\t' | b' '..=b'~');
    let is_pair = |unit: &&[u8; 2]| unit.iter().all(is_ascii);
    let pairs = units.iter().filter(is_pair).count();
    let has_others = units
        .iter()
        .any(|unit| !unit.contains(&0) && !unit.iter().all(is_ascii));
    let max_pairs = units.len() / if has_others { 2 } else { 8 };
    (!has_errors && pairs <= max_pairs && text.chars().all(is_in_use)).then_some(name)
}

/// The text of bytes in UTF-32 with a mark, or in UTF-16 without one. An incomplete character at
/// their end is left out.
#[must_use]
pub fn decode_wide(bytes: &[u8]) -> Option<String> {
    let order: Option<fn([u8; 4]) -> u32> = match bytes {
        [0xFF, 0xFE, 0, 0, ..] => Some(u32::from_le_bytes),
        [0, 0, 0xFE, 0xFF, ..] => Some(u32::from_be_bytes),
        _ => None,
    };
    if let Some(order) = order {
        let units = bytes[4..].as_chunks::<4>().0;
        return units
            .iter()
            .map(|unit| char::from_u32(order(*unit)))
            .collect();
    }
    let whole = &bytes[..bytes.len() & !1];
    let encoding = match wide_without_mark(whole)? {
        "UTF-16BE" => UTF_16BE,
        _ => UTF_16LE,
    };
    Some(encoding.decode_without_bom_handling(whole).0.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(text: &str, encoding: &'static Encoding) -> Vec<u8> {
        TextEncoding(encoding).encode(text).unwrap()
    }

    #[test]
    fn the_encodings_of_ordinary_texts_are_known() {
        use encoding_rs::{KOI8_U, WINDOWS_1250, WINDOWS_1251};
        for (text, encoding) in [
            ("[設定]\nname=テスト\nval=1\n", SHIFT_JIS),
            ("# 修复\nx = 1\n", GBK),
            ("名称=测试\n字𠀀\n", GB18030),
            ("設定檔案說明\n", BIG5),
            ("名前=テスト\n", EUC_JP),
            ("이름=테스트\n", EUC_KR),
            ("<?php echo 'café'; ?>\n", WINDOWS_1252),
            ("grüße aus München", WINDOWS_1252),
            ("// déjà vu: café\n", WINDOWS_1252),
            ("“quoted” – señor\n", WINDOWS_1252),
            ("; Настройки программы\nname = Иван\n", WINDOWS_1251),
            ("Имя=Тест\nval=1", WINDOWS_1251),
            ("Привет, это файл\n", KOI8_U),
            ("\u{FEFF}grün 😀\n", UTF_16LE),
            ("\u{FEFF}grün 😀\n", UTF_16BE),
            ("Příliš žluťoučký kůň úpěl ďábelské ódy.\n", WINDOWS_1250),
        ] {
            let bytes = encoded(text, encoding);
            let known = EncodingFinding::Known(TextEncoding(encoding), text.to_owned());
            assert_eq!(EncodingFinding::detect(&bytes), known, "{text}");
        }
    }

    #[test]
    fn nothing_is_known_of_what_is_no_text_in_one_encoding() {
        use encoding_rs::WINDOWS_1251;
        let half = |text: &str, encoding| [&encoded(text, encoding), text.as_bytes()].concat();
        for bytes in [
            half("設定\n説明=追加\n", SHIFT_JIS),
            half("修复\n", GBK),
            half("# café\n", WINDOWS_1252),
            half("Настройки\n", WINDOWS_1251),
            // Too short.
            encoded("да", WINDOWS_1251),
            encoded("5 µm ±2", WINDOWS_1252),
            b"caf\xE9\0".to_vec(),
            b"\x81\x8d\x8f\xff\xfe".to_vec(),
            b"\x01\x02\xe9\x03\x04".to_vec(),
            b"\xFF\xFEa\0\x00\xD8b\0".to_vec(),
            b"\x1b$B%F\x1b(B".to_vec(),
        ] {
            let finding = EncodingFinding::detect(&bytes);
            assert!(
                matches!(finding, EncodingFinding::Unknown(_)),
                "{finding:?}"
            );
        }
        for text in ["", "plain\0text", "é\n", "\x1b[31mred\x1b[0m $B"] {
            assert_eq!(
                EncodingFinding::detect(text.as_bytes()),
                EncodingFinding::Utf8
            );
        }
    }

    #[test]
    fn a_character_that_would_come_back_as_another_is_lacking() {
        for (encoding, text) in [(SHIFT_JIS, "¥‾−"), (EUC_JP, "¥‾−"), (EUC_KR, "¥")] {
            for one in text.chars() {
                let encoded = TextEncoding(encoding).encode(&one.to_string());
                assert_eq!(encoded, Err(one), "{encoding:?}");
            }
        }
    }

    #[test]
    fn text_with_states_comes_back_to_the_same_bytes() {
        let bytes = b"\x1b$B2A3J$O8^I41_$G$9!#\x1b(B\nprice $5\n";
        let (encoding, text) = EncodingFinding::with_states(bytes).unwrap();
        assert_eq!(text, "価格は五百円です。\nprice $5\n");
        assert_eq!(encoding.encode(&text).unwrap(), bytes);
        assert_eq!(EncodingFinding::with_states(b"\x1b$)C\x0eGQ1[\x0f\n"), None);
    }

    #[test]
    fn utf_16_is_told_without_its_mark() {
        for (text, encoding, name) in [
            ("key=1\r\n", UTF_16LE, "UTF-16LE"),
            ("gr\u{FC}n\n", UTF_16BE, "UTF-16BE"),
            ("日本語の文章です\n", UTF_16LE, "UTF-16LE"),
        ] {
            let bytes = encoded(text, encoding);
            assert_eq!(wide_without_mark(&bytes), Some(name));
            assert_eq!(decode_wide(&bytes).as_deref(), Some(text));
        }
        for bytes in [
            &b"some1\0text"[..],
            b"\0\0\0\0log line",
            b"\x7FELF\x02\0\x01\0",
            b"a\0",
            b"foo\0bar\0baz\0qux\0",
            b"a\0bcd\0e\0fgh\0",
        ] {
            assert_eq!(wide_without_mark(bytes), None, "{bytes:?}");
            assert_eq!(decode_wide(bytes), None, "{bytes:?}");
        }
    }
}
