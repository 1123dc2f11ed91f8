//! Maps the codes of simple fonts to text, by the encodings that fonts name or have built in, and
//! by the names of glyphs.
//!
//! Rules: ISO 32000-2, annex D (character sets), 9.6.5 (encodings); the Adobe Glyph List and its
//! specification. `glyphs.txt` is that list without the characters that composite fonts encode by
//! other means (syllables, ideographs, presentation forms), with the names of TeX's fonts.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The tables of encodings and of fonts that come with Windows, one a line: a name, then runs of
/// characters, each after the code or glyph of its first one.
const TABLES: &str = include_str!("encodings.txt");

/// Returns the codes and characters of a table; none if there is no table of this name.
fn read_table(name: &str) -> impl Iterator<Item = (u32, char)> {
    let mut lines = TABLES.lines().map(|line| line.split('\t'));
    let runs = lines.find_map(|mut parts| (parts.next() == Some(name)).then_some(parts));
    let runs = runs.into_iter().flatten();
    runs.filter_map(|run| run.split_once(':'))
        .filter_map(|(first, characters)| Some((first.parse::<u32>().ok()?, characters)))
        .flat_map(|(first, characters)| (first..).zip(characters.chars()))
}

/// Names and their texts, one a line, sorted by bytes.
const GLYPHS: &str = include_str!("glyphs.txt");

/// A single-byte encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BaseEncoding {
    Standard,
    MacRoman,
    WinAnsi,
    Symbol,
    ZapfDingbats,
}

impl BaseEncoding {
    /// Returns the encoding of this name.
    pub(super) fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"StandardEncoding" => Self::Standard,
            b"MacRomanEncoding" => Self::MacRoman,
            b"WinAnsiEncoding" => Self::WinAnsi,
            _ => return None,
        })
    }

    /// Returns the characters of all codes; `\0` for those without one.
    pub(super) fn table(self) -> [char; 256] {
        let name = match self {
            Self::Standard => "Standard",
            Self::MacRoman => "MacRoman",
            Self::WinAnsi => "WinAnsi",
            Self::Symbol => "Symbol",
            Self::ZapfDingbats => "ZapfDingbats",
        };
        let mut table = ['\0'; 256];
        for (code, character) in read_table(name) {
            table[code as usize] = character;
        }
        table
    }
}

/// The characters of the font Symbol; `\0` for codes without one.
#[must_use]
pub fn symbol_table() -> &'static [char; 256] {
    static TABLE: LazyLock<[char; 256]> = LazyLock::new(|| BaseEncoding::Symbol.table());
    &TABLE
}

/// Returns glyphs and their characters of a font that comes with Windows, which files without the
/// font rely on. Most of these begin alike, and three are alike throughout.
pub(super) fn windows_glyphs(name: &str) -> HashMap<u32, char> {
    let name = name.replace(' ', "");
    let family = name.split([',', '-']).next().unwrap_or_default();
    let family = family.trim_end_matches("MT").trim_end_matches("PS");
    let (table, count) = match family {
        "Arial" | "TimesNewRoman" | "CourierNew" => ("Windows", usize::MAX),
        "ArialBlack" | "ArialNarrow" | "Verdana" | "Tahoma" | "Georgia" | "CenturyGothic" => {
            ("Windows", 95)
        }
        "Calibri" | "Cambria" => (family, usize::MAX),
        _ => return HashMap::new(),
    };
    read_table(table).take(count).collect()
}

/// Returns the characters of the glyphs of a subset whose names are their numbers in the whole
/// font; none if they are not, since then there would be the blank, which is the third.
pub(super) fn numbered_glyphs<'a>(
    font: &str,
    mut names: impl Iterator<Item = &'a Vec<u8>>,
) -> HashMap<u32, char> {
    if !names.any(|name| name == b"g3") {
        return HashMap::new();
    }
    let glyphs = windows_glyphs(font);
    if glyphs.is_empty() {
        return (3..).zip(' '..='~').collect();
    }
    glyphs
}

/// Appends the text of a glyph's name; returns false if it has none.
pub(super) fn push_name_text(name: &[u8], text: &mut String) -> bool {
    let Ok(name) = str::from_utf8(name) else {
        return false;
    };
    if let Some(name_text) = text_of_name(name) {
        text.push_str(name_text);
        return true;
    }
    // A suffix after a full stop selects a variant.
    let plain = name.split('.').next().unwrap_or_default();
    if plain.is_empty() {
        return false;
    }
    let before = text.len();
    for part in plain.split('_') {
        if let Some(name_text) = text_of_name(part) {
            text.push_str(name_text);
        } else {
            text.extend(char_of_number(part));
        }
    }
    text.len() > before
}

fn text_of_name(name: &str) -> Option<&'static str> {
    let bytes = GLYPHS.as_bytes();
    let (mut low, mut high) = (0, bytes.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        let start = memchr::memrchr(b'\n', &bytes[..middle]).map_or(0, |line_feed| line_feed + 1);
        let end = memchr::memchr(b'\n', &bytes[start..])
            .map_or(bytes.len(), |line_feed| start + line_feed);
        let (glyph, text) = GLYPHS[start..end].split_once(' ')?;
        match name.cmp(glyph) {
            std::cmp::Ordering::Equal => return Some(text),
            std::cmp::Ordering::Less => high = start,
            std::cmp::Ordering::Greater => low = end + 1,
        }
    }
    None
}

/// Decodes names that are numbers: `uni20AC`, `u1F600`; or a letter and a code, as bitmap fonts
/// have.
fn char_of_number(name: &str) -> Option<char> {
    let hexadecimal = |digits: &str| u32::from_str_radix(digits, 16).ok();
    let is_hex = |digits: &str| {
        digits
            .bytes()
            .all(|b| b.is_ascii_hexdigit() && !b.is_ascii_lowercase())
    };
    if let Some(digits) = name.strip_prefix("uni")
        && digits.len() >= 4
        && digits.is_ascii()
        && is_hex(&digits[..4])
    {
        return hexadecimal(&digits[..4]).and_then(char::from_u32);
    }
    if let Some(digits) = name.strip_prefix('u')
        && (4..=6).contains(&digits.len())
        && is_hex(digits)
    {
        return hexadecimal(digits).and_then(char::from_u32);
    }
    let digits = name.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    if digits.is_empty() || name.len() - digits.len() > 2 {
        return None;
    }
    let code = digits.parse::<u8>().ok()?;
    match code {
        32..127 | 161.. => Some(char::from(code)),
        // The ligatures of TeX's encodings, in bitmaps made by dvips.
        11..=15 if name.starts_with('a') => char::from_u32(0xfb00 + u32::from(code - 11)),
        27..=31 if name.starts_with('a') => char::from_u32(0xfb00 + u32::from(code - 27)),
        _ => None,
    }
}

/// Replaces characters for private use, at which Windows has those of Symbol.
pub(super) fn replace_private(text: &mut String) {
    if text.contains(|character| matches!(character, '\u{f020}'..='\u{f0ff}')) {
        let table = symbol_table();
        let replaced = text.chars().map(|character| match character {
            '\u{f020}'..='\u{f0ff}' => table[character as usize & 0xff],
            character => character,
        });
        *text = replaced.collect();
    }
}

/// True if a glyph's name is a letter and a code with a hexadecimal letter, as converters from AFP
/// name them: then the names of all its font are.
pub(super) fn is_hexadecimal(name: &[u8]) -> bool {
    matches!(name, [b'B' | b'C' | b'G', _, _])
        && name[1..].iter().all(u8::is_ascii_hexdigit)
        && name[1..].iter().any(|digit| !digit.is_ascii_digit())
}

/// Decodes a code of two hexadecimal digits.
pub(super) fn char_of_hexadecimal(digits: &[u8]) -> Option<char> {
    let digits = str::from_utf8(digits)
        .ok()
        .filter(|digits| digits.len() == 2)?;
    let code = u8::from_str_radix(digits, 16).ok()?;
    Some(BaseEncoding::WinAnsi.table()[usize::from(code)]).filter(|character| *character != '\0')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(name: &str) -> Option<String> {
        let mut text = String::new();
        push_name_text(name.as_bytes(), &mut text).then_some(text)
    }

    #[test]
    fn a_glyphs_name_says_what_it_stands_for() {
        for (name, text) in [
            ("A", "A"),
            ("Euro", "\u{20ac}"),
            ("eacute", "\u{e9}"),
            ("zcaron", "\u{17e}"),
            ("ffi", "ffi"),
            ("f_k", "fk"),
            ("a.alt", "a"),
            ("uni20AC", "\u{20ac}"),
            ("u1F600", "\u{1f600}"),
            ("G65", "A"),
            ("a233", "\u{e9}"),
            ("summationtext", "\u{2211}"),
            ("a14", "\u{fb03}"),
            ("a28", "\u{fb01}"),
        ] {
            assert_eq!(text_of(name).as_deref(), Some(text), "{name}");
        }
        assert_eq!(text_of(".notdef"), None);
        assert_eq!(text_of("glyphless"), None);
    }

    #[test]
    fn each_name_of_the_list_is_found() {
        for line in GLYPHS.lines() {
            let (name, text) = line.split_once(' ').unwrap();
            assert_eq!(text_of_name(name), Some(text), "{name}");
        }
    }

    #[test]
    fn encodings_have_their_characters_where_they_belong() {
        assert_eq!(BaseEncoding::WinAnsi.table()[0x80], '\u{20ac}');
        assert_eq!(BaseEncoding::WinAnsi.table()[0xff], '\u{ff}');
        assert_eq!(BaseEncoding::MacRoman.table()[0xca], ' ');
        assert_eq!(BaseEncoding::MacRoman.table()[0x8e], '\u{e9}');
        assert_eq!(BaseEncoding::Standard.table()[0xae], '\u{fb01}');
        assert_eq!(BaseEncoding::Standard.table()[0xfb], '\u{df}');
        assert_eq!(BaseEncoding::Symbol.table()[0x61], '\u{3b1}');
        assert_eq!(BaseEncoding::Symbol.table()[0xb7], '\u{2022}');
        assert_eq!(BaseEncoding::ZapfDingbats.table()[0x33], '\u{2713}');
        assert_eq!(BaseEncoding::ZapfDingbats.table()[0xfe], '\u{27be}');
    }

    #[test]
    fn glyphs_of_windows_fonts_have_their_characters() {
        for (font, glyph, character) in [
            ("Times New Roman,Bold", 3, Some(' ')),
            ("Times New Roman,Bold", 97, Some('~')),
            ("Times New Roman,Bold", 98, Some('\u{c4}')),
            ("Times New Roman,Bold", 258, Some('\u{102}')),
            ("Times New Roman,Bold", 570, Some('\u{410}')),
            ("Times New Roman,Bold", 651, Some('\u{2116}')),
            ("Verdana-Bold", 97, Some('~')),
            ("Verdana-Bold", 98, None),
            ("Calibri-Light", 410, Some('t')),
            ("Cambria", 156, Some('z')),
            ("Impact", 36, None),
        ] {
            let glyph_character = windows_glyphs(font).get(&glyph).copied();
            assert_eq!(glyph_character, character, "{font} {glyph}");
        }
    }
}
