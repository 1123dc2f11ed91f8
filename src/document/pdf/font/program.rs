//! Reads the encodings in font programs, for fonts to which the file gives none.
//!
//! Rules: Adobe Type 1 Font Format, 2.2; Adobe's technical note 5176 (Compact Font Format);
//! OpenType, `cmap`.
//! `cff_names.txt` holds the names that this note gives to every font, one a line.

use std::collections::HashMap;

use super::super::lexer::{PdfLexer, PdfOperand, PdfToken};

/// The standard strings of CFF fonts.
const NAMES: &str = include_str!("cff_names.txt");

/// Limit of a font's glyphs.
const MAX_GLYPHS: usize = 65_536;

/// Returns codes and their glyph names of a Type 1 font; `None` for Adobe's standard encoding.
pub(super) fn type1_encoding(program: &[u8]) -> Option<Vec<(u8, Vec<u8>)>> {
    let end = memchr::memmem::find(program, b"eexec").unwrap_or(program.len());
    let start = memchr::memmem::find(&program[..end], b"/Encoding")?;
    let mut lexer = PdfLexer::new(&program[start + b"/Encoding".len()..end]);
    let mut names = Vec::new();
    let mut before = [None, None];
    while let Some(item) = lexer.next() {
        match item {
            PdfToken::Operand(operand) => before = [before[1].take(), Some(operand)],
            PdfToken::Operator(b"StandardEncoding") => return None,
            PdfToken::Operator(b"put") => {
                if let [Some(PdfOperand::Number(code)), Some(PdfOperand::Name(name))] = &before
                    && (0.0..256.0).contains(code)
                    && name.as_ref() != b".notdef"
                {
                    names.push((*code as u8, name.to_vec()));
                }
            }
            PdfToken::Operator(b"def" | b"readonly") => break,
            PdfToken::Operator(_) => {}
        }
    }
    (!names.is_empty()).then_some(names)
}

/// Reads numbers of a binary font; returns `None` beyond its end.
struct FontReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> FontReader<'a> {
    fn at(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    fn number(&mut self, size: usize) -> Option<usize> {
        let end = self.at.checked_add(size)?;
        let bytes = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(
            bytes
                .iter()
                .fold(0, |value, byte| value << 8 | usize::from(*byte)),
        )
    }

    /// Reads the items of an INDEX.
    fn index(&mut self) -> Option<Vec<&'a [u8]>> {
        let count = self.number(2)?;
        if count == 0 {
            return Some(Vec::new());
        }
        let size = self.number(1).filter(|size| (1..=4).contains(size))?;
        let mut ends = Vec::with_capacity(count + 1);
        for _ in 0..=count {
            ends.push(self.number(size)?);
        }
        let data = self.at.checked_sub(1)?;
        self.at = data.checked_add(*ends.last()?)?;
        let item = |pair: &[usize]| self.bytes.get(data + pair[0]..data + pair[1]);
        Some(
            ends.windows(2)
                .map(|pair| item(pair).unwrap_or_default())
                .collect(),
        )
    }
}

/// Returns operands of a top DICT: charset, encoding, char strings; and whether the glyphs have no
/// names.
fn read_top_dict(dict: &[u8]) -> Option<(usize, usize, usize, bool)> {
    let (mut charset, mut encoding, mut glyphs, mut composite) = (0, 0, 0, false);
    let (mut reader, mut last) = (FontReader::at(dict, 0), 0);
    while let Some(byte) = reader.number(1) {
        match byte {
            12 => composite |= reader.number(1)? == 30,
            15 => charset = last,
            16 => encoding = last,
            17 => glyphs = last,
            28 => last = reader.number(2)?,
            29 => last = reader.number(4)?,
            30 => while reader.number(1)? & 0xf != 0xf {},
            32..=246 => last = byte - 139.min(byte),
            247..=250 => last = (byte - 247) * 256 + reader.number(1)? + 108,
            // Negative numbers are never offsets.
            251..=254 => {
                reader.number(1)?;
                last = 0;
            }
            _ => {}
        }
    }
    (glyphs > 0).then_some((charset, encoding, glyphs, composite))
}

/// Returns the names of the glyphs in order, as string numbers.
fn read_charset(font: &[u8], offset: usize, glyphs: usize) -> Option<Vec<usize>> {
    let mut ids = vec![0];
    if offset <= 2 {
        // Adobe's Latin character set is numbered in the order of the standard strings.
        ids.extend(1..glyphs.min(229));
        return Some(ids);
    }
    let mut reader = FontReader::at(font, offset);
    let format = reader.number(1)?;
    while ids.len() < glyphs.min(MAX_GLYPHS) {
        let first = reader.number(2)?;
        let more = match format {
            0 => 0,
            1 => reader.number(1)?,
            _ => reader.number(2)?,
        };
        ids.extend((first..=first + more).take(MAX_GLYPHS));
    }
    Some(ids)
}

/// Returns codes and their glyph names of a CFF font; `None` for Adobe's standard encoding, or if
/// there is none.
pub(super) fn cff_encoding(font: &[u8]) -> Option<Vec<(u8, Vec<u8>)>> {
    let mut reader = FontReader::at(font, usize::from(*font.get(2)?));
    reader.index()?;
    let dicts = reader.index()?;
    let strings = reader.index()?;
    let (charset_at, encoding, glyphs, composite) = read_top_dict(dicts.first()?)?;
    if composite || encoding <= 1 {
        return None;
    }
    let count = FontReader::at(font, glyphs).number(2)?;
    let ids = read_charset(font, charset_at, count)?;
    let listed: Vec<&str> = NAMES.lines().collect();
    let name = |id: usize| match listed.get(id) {
        Some(name) => Some(name.as_bytes().to_vec()),
        None => strings.get(id - listed.len()).map(|name| name.to_vec()),
    };
    let mut names = Vec::new();
    let mut reader = FontReader::at(font, encoding);
    let format = reader.number(1)?;
    let entries = reader.number(1)?;
    let mut glyph = 1;
    for _ in 0..entries {
        let first = reader.number(1)?;
        let more = if format.is_multiple_of(0x80) {
            0
        } else {
            reader.number(1)?
        };
        for code in first..=first + more {
            if let (Ok(code), Some(name)) =
                (u8::try_from(code), ids.get(glyph).and_then(|id| name(*id)))
            {
                names.push((code, name));
            }
            glyph += 1;
        }
    }
    if format & 0x80 != 0 {
        for _ in 0..reader.number(1)? {
            let (code, id) = (reader.number(1)?, reader.number(2)?);
            if let (Ok(code), Some(name)) = (u8::try_from(code), name(id)) {
                names.push((code, name));
            }
        }
    }
    (!names.is_empty()).then_some(names)
}

/// Returns the glyphs of a TrueType or OpenType font and their characters, as far as its `cmap`
/// table says them in Unicode.
pub(super) fn glyph_characters(font: &[u8]) -> HashMap<u32, char> {
    let mut glyphs = HashMap::new();
    let _ = read_cmap(font, &mut glyphs);
    glyphs
}

/// Reads the `cmap` table as far as it is sound.
fn read_cmap(font: &[u8], glyphs: &mut HashMap<u32, char>) -> Option<()> {
    let count = FontReader::at(font, 4).number(2)?;
    let at = (0..count.min(64)).map(|record| 12 + 16 * record);
    let cmap = at
        .filter(|at| font.get(*at..at + 4) == Some(b"cmap"))
        .find_map(|at| FontReader::at(font, at + 8).number(4))?;
    let mut records = FontReader::at(font, cmap.checked_add(2)?);
    for _ in 0..records.number(2)?.min(64) {
        let (platform, encoding) = (records.number(2)?, records.number(2)?);
        let start = cmap.checked_add(records.number(4)?)?;
        if glyphs.is_empty() && (platform == 0 || platform == 3 && matches!(encoding, 1 | 10)) {
            // One that is damaged does not keep another from being read.
            let _ = read_cmap_subtable(font, start, glyphs);
        }
    }
    Some(())
}

fn read_cmap_subtable(font: &[u8], start: usize, glyphs: &mut HashMap<u32, char>) -> Option<()> {
    let number = |at: usize| FontReader::at(font, start.checked_add(at)?).number(2);
    let mut left = 2 * MAX_GLYPHS;
    let mut add = |glyph: usize, code: usize| {
        left = left.checked_sub(1)?;
        if let Some(character) = char::from_u32(code as u32)
            && glyph != 0
        {
            glyphs.entry(glyph as u32).or_insert(character);
        }
        Some(())
    };
    match number(0)? {
        4 => {
            let size = number(6)? & !1;
            for at in (0..size).step_by(2) {
                let (last, first) = (number(14 + at)?, number(16 + size + at)?);
                let by = number(16 + 2 * size + at)?;
                let place = 16 + 3 * size + at;
                let offset = number(place)?;
                for code in first..=last {
                    let glyph = match offset {
                        0 => code,
                        offset => match number(place + offset + 2 * (code - first))? {
                            0 => continue,
                            glyph => glyph,
                        },
                    };
                    add((glyph + by) & 0xffff, code)?;
                }
            }
        }
        6 => {
            let first = number(6)?;
            for at in 0..number(8)? {
                add(number(10 + 2 * at)?, first + at)?;
            }
        }
        12 => {
            let mut reader = FontReader::at(font, start + 12);
            for _ in 0..reader.number(4)? {
                let (first, last) = (reader.number(4)?, reader.number(4)?);
                let glyph = reader.number(4)?;
                for code in first..=last {
                    add(glyph + (code - first), code)?;
                }
            }
        }
        _ => {}
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_1_font_names_the_glyphs_of_its_codes() {
        let program = b"%!PS-AdobeFont-1.0: X\n/Encoding 256 array\n0 1 255 {1 index exch /.notdef put} for\ndup 11 /ff put\ndup 65 /A put\nreadonly def\neexec dup 66 /B put";
        let names = type1_encoding(program).unwrap();
        assert_eq!(names, [(11, b"ff".to_vec()), (65, b"A".to_vec())]);
        assert!(type1_encoding(b"/Encoding StandardEncoding def").is_none());
    }

    #[test]
    fn a_cff_font_names_the_glyphs_of_its_codes() {
        // Header; names; a top DICT that says where things are; strings; subroutines.
        let mut font = vec![1, 0, 4, 1];
        font.extend([0, 1, 1, 1, 2, b'F']);
        let dict = [28, 0, 50, 15, 28, 0, 60, 16, 28, 0, 70, 17];
        font.extend([0, 1, 1, 1, 13]);
        font.extend(dict);
        font.extend([0, 1, 1, 1, 4, b'f', b'o', b'o']);
        font.extend([0, 0]);
        font.resize(50, 0);
        // Glyph 1 is the string 34 (`A`), glyph 2 the font's first one.
        font.extend([0, 0, 34, 1, 135]);
        font.resize(60, 0);
        font.extend([0, 2, 200, 201]);
        font.resize(70, 0);
        font.extend([0, 3, 1]);
        let names = cff_encoding(&font).unwrap();
        assert_eq!(names, [(200, b"A".to_vec()), (201, b"foo".to_vec())]);
        for length in 0..font.len() {
            cff_encoding(&font[..length]);
        }
    }

    /// A font whose only table is a `cmap` with this subtable.
    fn font_with_cmap(subtable: &[u16]) -> Vec<u8> {
        let mut font = b"\0\x01\0\0\0\x01\0\0\0\0\0\0cmap\0\0\0\0\0\0\0\x1c\0\0\0\0".to_vec();
        font.extend(b"\0\0\0\x01\0\x03\0\x01\0\0\0\x0c");
        font.extend(subtable.iter().flat_map(|number| number.to_be_bytes()));
        font
    }

    #[test]
    fn a_truetype_font_names_the_characters_of_its_glyphs() {
        let by_offset = [
            4, 0, 0, 4, 0, 0, 0, 0x42, 0xffff, 0, 0x41, 0xffff, 0, 1, 4, 0, 8, 7,
        ];
        let by_difference = [4, 0, 0, 2, 0, 0, 0, 0x42, 0, 0x41, 0xffc7, 0];
        let trimmed = [6, 0, 0, 0x41, 2, 8, 9];
        let groups = [12, 0, 0, 0, 0, 0, 0, 1, 0, 0x41, 0, 0x42, 0, 8];
        for subtable in [&by_offset[..], &by_difference, &trimmed, &groups] {
            let font = font_with_cmap(subtable);
            let glyphs = glyph_characters(&font);
            assert_eq!(glyphs.get(&8), Some(&'A'), "{subtable:?}");
            for length in 0..font.len() {
                glyph_characters(&font[..length]);
            }
        }
        let all = [
            12, 0, 0, 0, 0, 0, 0xffff, 0xffff, 0, 0, 0xffff, 0xffff, 0, 0,
        ];
        assert!(glyph_characters(&font_with_cmap(&all)).len() <= 2 * MAX_GLYPHS);
    }
}
