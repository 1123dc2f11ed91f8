//! Reads character maps: the bytes of each code, its glyph and its text.
//!
//! Rules: ISO 32000-2, 9.7.5 (character maps) and 9.10.3 (`ToUnicode`); Adobe's technical notes
//! 5014 and 5411. Maps that are only named are those of East Asian character sets: their codes are
//! decoded as the WHATWG Encoding Standard does.

use std::collections::HashMap;

use encoding_rs::Encoding;

use super::super::lexer::{PdfLexer, PdfOperand, PdfToken};

/// Limit of a map's entries.
const MAX_ENTRIES: usize = 300_000;

/// Limit of the text of one code, in bytes.
const MAX_TEXT: usize = 512;

/// Limit of the ranges that are looked at for one code.
const MAX_OVERLAPS: usize = 64;

struct CmapRange {
    low: u32,
    high: u32,
    /// The text of `low`; its last character is counted up for the codes that follow.
    text: String,
}

/// The division of a string into codes.
#[derive(Clone, Copy, Default)]
enum CodeScheme {
    /// Two bytes each.
    #[default]
    Two,
    /// By the code space ranges of the map.
    Spaces,
    /// By a character set.
    Set(&'static Encoding),
    /// Two bytes each, of a character set without its high bits.
    SevenBits(&'static Encoding),
    Utf8,
    Utf16,
    Utf32,
}

/// A character map.
#[derive(Default)]
pub(super) struct CharacterMap {
    codes: CodeScheme,
    /// Length in bytes, lowest and highest code.
    code_spaces: Vec<(usize, u32, u32)>,
    texts: HashMap<u32, String>,
    ranges: Vec<CmapRange>,
    /// Lowest and highest code, and the glyph of the lowest.
    cids: Vec<(u32, u32, u32)>,
    pub(super) vertical: bool,
}

fn code_value(bytes: &[u8]) -> u32 {
    let last = bytes.get(bytes.len().saturating_sub(4)..);
    let add = |value: u32, byte: &u8| value << 8 | u32::from(*byte);
    last.unwrap_or_default().iter().fold(0, add)
}

fn utf16(bytes: &[u8]) -> String {
    if let [byte] = bytes {
        return char::from(*byte).to_string();
    }
    let units = bytes.chunks_exact(2).take(MAX_TEXT / 4);
    let units = units.map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
    char::decode_utf16(units).filter_map(Result::ok).collect()
}

impl CharacterMap {
    /// Returns the predefined map of this name.
    pub(super) fn named(name: &[u8]) -> Self {
        let name = String::from_utf8_lossy(name);
        let has = |part: &str| name.contains(part);
        let codes = if has("UTF8") {
            CodeScheme::Utf8
        } else if has("UTF32") {
            CodeScheme::Utf32
        } else if has("UCS2") || has("UTF16") {
            CodeScheme::Utf16
        } else if has("RKSJ") {
            CodeScheme::Set(encoding_rs::SHIFT_JIS)
        } else if matches!(&*name, "H" | "V" | "78-H" | "78-V" | "Ext-H" | "Ext-V") {
            CodeScheme::SevenBits(encoding_rs::EUC_JP)
        } else if matches!(&*name, "GB-H" | "GB-V") {
            CodeScheme::SevenBits(encoding_rs::GB18030)
        } else if matches!(&*name, "KSC-H" | "KSC-V") {
            CodeScheme::SevenBits(encoding_rs::EUC_KR)
        } else if has("EUC-") && !has("GB") && !has("KSC") && !has("CNS") {
            CodeScheme::Set(encoding_rs::EUC_JP)
        } else if has("GB") {
            CodeScheme::Set(encoding_rs::GB18030)
        } else if has("B5") || has("HKscs") {
            CodeScheme::Set(encoding_rs::BIG5)
        } else if has("KSC") {
            CodeScheme::Set(encoding_rs::EUC_KR)
        } else {
            CodeScheme::Two
        };
        Self {
            codes,
            vertical: name.ends_with("-V") || name == "V",
            ..Self::default()
        }
    }

    /// Reads a map, based on another one.
    pub(super) fn parse(bytes: &[u8], base: Option<Self>) -> Self {
        let mut map = base.unwrap_or_default();
        let mut lexer = PdfLexer::new(bytes);
        let mut operands = Vec::new();
        while let Some(item) = lexer.next() {
            match item {
                PdfToken::Operand(operand) => {
                    if operands.len() < MAX_ENTRIES {
                        operands.push(operand);
                    }
                    continue;
                }
                PdfToken::Operator(b"endcodespacerange") => map.add_code_spaces(&operands),
                PdfToken::Operator(b"endbfchar") => map.add_texts(&operands),
                PdfToken::Operator(b"endbfrange") => map.add_ranges(&operands),
                PdfToken::Operator(b"endcidchar") => map.add_cids(&operands, 2),
                PdfToken::Operator(b"endcidrange") => map.add_cids(&operands, 3),
                PdfToken::Operator(b"def") => {
                    if let [.., PdfOperand::Name(name), PdfOperand::Number(mode)] =
                        operands.as_slice()
                        && name.as_ref() == b"WMode"
                    {
                        map.vertical = *mode > 0.0;
                    }
                }
                PdfToken::Operator(_) => {}
            }
            operands.clear();
        }
        map.ranges.sort_by_key(|range| range.low);
        map.cids.sort_unstable();
        map
    }

    /// Number of entries.
    pub(super) fn entry_count(&self) -> usize {
        self.texts.len() + self.ranges.len() + self.cids.len()
    }

    fn is_full(&self) -> bool {
        self.entry_count() >= MAX_ENTRIES
    }

    fn add_code_spaces(&mut self, operands: &[PdfOperand<'_>]) {
        for pair in operands.chunks_exact(2) {
            if let (Some(low), Some(high)) = (pair[0].string(), pair[1].string())
                && (1..=4).contains(&low.len())
                && self.code_spaces.len() < 256
            {
                self.code_spaces
                    .push((low.len(), code_value(low), code_value(high)));
                self.codes = CodeScheme::Spaces;
            }
        }
    }

    fn add_texts(&mut self, operands: &[PdfOperand<'_>]) {
        for pair in operands.chunks_exact(2) {
            if let (Some(code), Some(text)) = (pair[0].string(), pair[1].string())
                && !self.is_full()
            {
                self.texts.insert(code_value(code), utf16(text));
            }
        }
    }

    fn add_ranges(&mut self, operands: &[PdfOperand<'_>]) {
        for triple in operands.chunks_exact(3) {
            let (Some(low), Some(high)) = (triple[0].string(), triple[1].string()) else {
                continue;
            };
            let (low, high) = (code_value(low), code_value(high));
            match &triple[2] {
                PdfOperand::String(text) if low <= high && !self.is_full() => {
                    let text = utf16(text);
                    self.ranges.push(CmapRange { low, high, text });
                }
                PdfOperand::Array(texts) => {
                    for (code, text) in (low..=high).zip(texts) {
                        if let Some(text) = text.string()
                            && !self.is_full()
                        {
                            self.texts.insert(code, utf16(text));
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn add_cids(&mut self, operands: &[PdfOperand<'_>], each: usize) {
        for entry in operands.chunks_exact(each) {
            let (Some(low), Some(high)) = (entry[0].string(), entry[each - 2].string()) else {
                continue;
            };
            if let Some(cid) = entry[each - 1].number()
                && !self.is_full()
            {
                self.cids
                    .push((code_value(low), code_value(high), cid as u32));
            }
        }
    }

    /// True if it has the text of any code.
    pub(super) fn has_texts(&self) -> bool {
        !self.texts.is_empty() || !self.ranges.is_empty()
    }

    /// Appends the text of a code; returns false if it has none.
    pub(super) fn push_text(&self, code: u32, text: &mut String) -> bool {
        if let Some(known_text) = self.texts.get(&code) {
            text.push_str(known_text);
            return !known_text.trim_matches('\0').is_empty();
        }
        // Ranges overlap in few files, and the one that begins last is the most exact.
        let after = self.ranges.partition_point(|range| range.low <= code);
        let before = self.ranges[..after].iter().rev().take(MAX_OVERLAPS);
        let Some(range) = before.into_iter().find(|range| code <= range.high) else {
            // Infix gives most codes as those of glyphs.
            let glyph = Some(code).filter(|_| !self.cids.is_empty());
            let glyph = glyph
                .and_then(|code| self.cid(code))
                .and_then(char::from_u32);
            text.extend(glyph);
            return glyph.is_some();
        };
        let mut characters = range.text.chars();
        let Some(last) = characters.next_back() else {
            return false;
        };
        let Some(last) = char::from_u32((last as u32).saturating_add(code - range.low)) else {
            return false;
        };
        text.push_str(characters.as_str());
        text.push(last);
        last != '\0'
    }

    /// Appends the text of a code by its character set; returns false if it has none.
    pub(super) fn push_set_text(&self, bytes: &[u8], text: &mut String) -> bool {
        let before = text.len();
        match self.codes {
            CodeScheme::Set(set) => {
                let (decoded, bad) = set.decode_without_bom_handling(bytes);
                if !bad {
                    text.push_str(&decoded);
                }
            }
            CodeScheme::SevenBits(set) => {
                let high: Vec<u8> = bytes.iter().map(|byte| byte | 0x80).collect();
                let (decoded, bad) = set.decode_without_bom_handling(&high);
                if !bad {
                    text.push_str(&decoded);
                }
            }
            CodeScheme::Utf16 => text.push_str(&utf16(bytes)),
            CodeScheme::Utf8 => text.push_str(str::from_utf8(bytes).unwrap_or_default()),
            CodeScheme::Utf32 => text.extend(char::from_u32(code_value(bytes))),
            CodeScheme::Two | CodeScheme::Spaces => {}
        }
        text.len() > before
    }

    /// Returns the glyph of a code.
    pub(super) fn cid(&self, code: u32) -> Option<u32> {
        if self.cids.is_empty() {
            return matches!(self.codes, CodeScheme::Two | CodeScheme::Spaces).then_some(code);
        }
        let after = self.cids.partition_point(|(low, ..)| *low <= code);
        let (low, high, cid) = *self.cids.get(after.checked_sub(1)?)?;
        (code <= high).then(|| cid.saturating_add(code - low))
    }

    /// Returns the length in bytes of the first code of a string, which is not empty.
    pub(super) fn code_length(&self, string: &[u8]) -> usize {
        let first = string[0];
        let length = match self.codes {
            CodeScheme::Two | CodeScheme::SevenBits(_) => 2,
            CodeScheme::Spaces => return self.space_length(string),
            CodeScheme::Set(set) if set == encoding_rs::GB18030 => match string {
                [0x81..=0xfe, 0x30..=0x39, ..] => 4,
                [0x81..=0xfe, ..] => 2,
                _ => 1,
            },
            CodeScheme::Set(set) if set == encoding_rs::SHIFT_JIS => {
                1 + usize::from(matches!(first, 0x81..=0x9f | 0xe0..=0xfc))
            }
            CodeScheme::Set(set) if set == encoding_rs::EUC_JP => match first {
                0x8f => 3,
                0x8e | 0xa1..=0xfe => 2,
                _ => 1,
            },
            CodeScheme::Set(_) => 1 + usize::from(matches!(first, 0x81..=0xfe)),
            CodeScheme::Utf8 => match first {
                0xf0.. => 4,
                0xe0..=0xef => 3,
                0xc0..=0xdf => 2,
                _ => 1,
            },
            CodeScheme::Utf16 => 2 + 2 * usize::from(matches!(first, 0xd8..=0xdb)),
            CodeScheme::Utf32 => 4,
        };
        length.min(string.len())
    }

    fn space_length(&self, string: &[u8]) -> usize {
        for length in 1..=string.len().min(4) {
            let bytes = &string[..length];
            let holds = |(width, low, high): &(usize, u32, u32)| {
                let inside = |(index, byte): (usize, &u8)| {
                    let shift = 8 * (length - 1 - index);
                    (low >> shift & 0xff..=high >> shift & 0xff).contains(&u32::from(*byte))
                };
                *width == length && bytes.iter().enumerate().all(inside)
            };
            if self.code_spaces.iter().any(holds) {
                return length;
            }
        }
        let shortest = self.code_spaces.iter().map(|(length, ..)| *length).min();
        shortest.unwrap_or(1).min(string.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(map: &CharacterMap, code: u32) -> String {
        let mut text = String::new();
        map.push_text(code, &mut text);
        text
    }

    #[test]
    fn a_map_says_what_codes_stand_for_one_by_one_and_by_ranges() {
        let map = CharacterMap::parse(
            b"1 begincodespacerange <0000> <FFFF> endcodespacerange
              2 beginbfchar <0003> <0020> <0010> <006600660069> endbfchar
              2 beginbfrange <0024> <0026> <0041> <0030> <0031> [<D83DDE00> <0062>] endbfrange",
            None,
        );
        assert_eq!(text_of(&map, 3), " ");
        assert_eq!(text_of(&map, 0x10), "ffi");
        assert_eq!(text_of(&map, 0x25), "B");
        assert_eq!(text_of(&map, 0x27), "");
        assert_eq!(text_of(&map, 0x30), "\u{1f600}");
        assert_eq!(text_of(&map, 0x31), "b");
        assert_eq!(map.code_length(b"\0\x24\0"), 2);
    }

    #[test]
    fn codes_of_different_lengths_are_told_apart() {
        let map = CharacterMap::parse(
            b"begincodespacerange <00> <80> <8140> <9ffc> endcodespacerange
              begincidrange <20> <7e> 1 <8140> <817e> 633 endcidrange /WMode 1 def",
            None,
        );
        assert_eq!(map.code_length(b"a\x81\x40"), 1);
        assert_eq!(map.code_length(b"\x81\x40a"), 2);
        assert_eq!(map.cid(0x21), Some(2));
        assert_eq!(map.cid(0x8141), Some(634));
        assert!(map.vertical);
    }

    #[test]
    fn named_maps_are_character_sets() {
        for (name, bytes, text) in [
            ("90ms-RKSJ-H", &b"\x93\xfa"[..], "\u{65e5}"),
            ("EUC-H", b"\xc6\xfc", "\u{65e5}"),
            ("H", b"\x46\x7c", "\u{65e5}"),
            ("GB-V", b"\x56\x50", "\u{4e2d}"),
            ("GBK-EUC-H", b"\xd6\xd0", "\u{4e2d}"),
            ("ETen-B5-H", b"\xa4\xa4", "\u{4e2d}"),
            ("KSCms-UHC-H", b"\xc7\xd1", "\u{d55c}"),
            ("UniJIS-UCS2-H", b"\x65\xe5", "\u{65e5}"),
            ("UniGB-UTF16-V", b"\xd8\x3d\xde\x00", "\u{1f600}"),
        ] {
            let map = CharacterMap::named(name.as_bytes());
            let mut read = String::new();
            assert_eq!(map.code_length(bytes), bytes.len(), "{name}");
            assert!(map.push_set_text(bytes, &mut read), "{name}");
            assert_eq!(read, text, "{name}");
        }
    }
}
