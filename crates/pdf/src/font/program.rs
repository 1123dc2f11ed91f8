//! Reads the encodings in font programs, for fonts to which the file gives none.
//!
//! Rules: Adobe Type 1 Font Format, 2.2; Adobe's technical note 5176 (Compact Font Format);
//! OpenType, `cmap`.

use std::collections::HashMap;

use ttf_parser::cmap::Subtable;
use ttf_parser::{RawFace, Tag, cff, cmap};

use super::super::lexer::{PdfLexer, PdfOperand, PdfToken};

/// The last character that is looked for in a font: the two planes that have letters.
const LAST_CHARACTER: char = '\u{1ffff}';

/// Limit of the tables of characters of a font.
const MAX_TABLES: usize = 4;

/// Returns codes and their glyph names of a Type 1 font; none for Adobe's standard encoding.
pub(super) fn type1_encoding(program: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut names = Vec::new();
    let end = memchr::memmem::find(program, b"eexec").unwrap_or(program.len());
    let Some(start) = memchr::memmem::find(&program[..end], b"/Encoding") else {
        return names;
    };
    let mut lexer = PdfLexer::new(&program[start + b"/Encoding".len()..end]);
    let mut before = [None, None];
    while let Some(item) = lexer.next() {
        match item {
            PdfToken::Operand(operand) => before = [before[1].take(), Some(operand)],
            PdfToken::Operator(b"put") => {
                if let [Some(PdfOperand::Number(code)), Some(PdfOperand::Name(name))] = &before
                    && (0.0..256.0).contains(code)
                    && name.as_ref() != b".notdef"
                {
                    names.push((*code as u8, name.to_vec()));
                }
            }
            PdfToken::Operator(b"StandardEncoding" | b"def" | b"readonly") => break,
            PdfToken::Operator(_) => {}
        }
    }
    names
}

/// Returns codes and their glyph names of a CFF font.
pub(super) fn cff_encoding(font: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let font = cff::Table::parse(font);
    let name = |code: u8| {
        let font = font.as_ref()?;
        let glyph = font.glyph_index(code).filter(|glyph| glyph.0 != 0)?;
        Some((code, font.glyph_name(glyph)?.as_bytes().to_vec()))
    };
    (0..=255).filter_map(name).collect()
}

/// Returns the glyphs of a TrueType or OpenType font and their characters, as far as its `cmap`
/// table says them in Unicode.
pub(super) fn glyph_characters(font: &[u8]) -> HashMap<u32, char> {
    let tables = RawFace::parse(font, 0).map(|face| face.table_records);
    let mut tables = tables.unwrap_or_default().into_iter();
    let cmap = tables.find(|table| table.tag == Tag::from_bytes(b"cmap"));
    let cmap = cmap.and_then(|table| cmap::Table::parse(font.get(table.offset as usize..)?));
    let maps = cmap.map(|cmap| cmap.subtables).unwrap_or_default();
    // One that is damaged does not keep another from being read.
    let maps = (0..maps.len()).filter_map(|index| maps.get(index));
    let mut glyphs = HashMap::new();
    for map in maps.filter(Subtable::is_unicode).take(MAX_TABLES) {
        for character in '\0'..=LAST_CHARACTER {
            if let Some(glyph) = map.glyph_index(character.into())
                && glyph.0 != 0
            {
                glyphs.entry(glyph.0.into()).or_insert(character);
            }
        }
    }
    glyphs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_1_font_names_the_glyphs_of_its_codes() {
        let program = b"%!PS-AdobeFont-1.0: X\n/Encoding 256 array\n0 1 255 {1 index exch /.notdef put} for\ndup 11 /ff put\ndup 65 /A put\nreadonly def\neexec dup 66 /B put";
        let names = type1_encoding(program);
        assert_eq!(names, [(11, b"ff".to_vec()), (65, b"A".to_vec())]);
        assert!(type1_encoding(b"/Encoding StandardEncoding def").is_empty());
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
        font.extend([0, 3, 1, 1, 2, 3, 4, 14, 14, 14]);
        let names = cff_encoding(&font);
        let letter = b"A".to_vec();
        // A glyph has its code in Adobe's encoding as well.
        let known = [(65, letter.clone()), (200, letter), (201, b"foo".to_vec())];
        assert_eq!(names, known);
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
        assert!(glyph_characters(&font_with_cmap(&all)).len() <= 0xffff);
    }
}
