//! Reads fonts: the text of a string's codes, and their widths.
//!
//! Rules: ISO 32000-2, 9.5 to 9.10. A font's `ToUnicode` goes first, then its encoding, then its
//! program, then its name.
//!
//! | module | what it is |
//! |---|---|
//! | `cmap` | character maps |
//! | `collection` | the glyphs of Adobe's East Asian character collections |
//! | `composite` | fonts whose codes have several bytes |
//! | `encoding` | encodings of one byte, the names of glyphs |
//! | `program` | encodings within font programs |
//! | `standard` | the widths of the standard fonts |

use std::collections::HashMap;

use lopdf::{Dictionary, Object};

use self::cmap::CharacterMap;
use self::composite::CompositeFont;
use self::encoding::BaseEncoding;
use super::file::{PdfFile, as_dict, number};
use super::geometry::{Matrix, median};
use iki_base::unseen;

mod cmap;
mod collection;
mod composite;
pub mod encoding;
mod program;
mod standard;

/// Maximum length of a chain of maps based on one another.
const MAX_BASES: usize = 4;

/// The style of a font.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct GlyphStyle {
    pub(super) bold: bool,
    pub(super) italic: bool,
    pub(super) mono: bool,
}

/// A decoded code of a string.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DecodedCode<'a> {
    pub(super) text: &'a str,
    /// In ems.
    pub(super) width: f32,
    /// True if word spacing applies to it.
    pub(super) blank: bool,
}

pub(super) struct PdfFont {
    pub(super) style: GlyphStyle,
    pub(super) vertical: bool,
    /// Height of an em, in units of the font's size.
    pub(super) em: f32,
    /// True if each glyph is a drawing of its own (Type 3).
    pub(super) is_drawn: bool,
    kind: FontEncoding,
}

enum FontEncoding {
    /// For each code the range of its text, and its width.
    Simple {
        text: String,
        codes: Vec<(u32, u32, f32)>,
    },
    Composite(Box<CompositeFont>),
}

impl PdfFont {
    /// Reads a font.
    pub(super) fn read(file: &PdfFile, dict: &Dictionary) -> Self {
        let kind = file.name(dict, b"Subtype").unwrap_or_default();
        let descendant = file
            .array(dict, b"DescendantFonts")
            .and_then(|fonts| as_dict(file.resolve(fonts.first()?)));
        let descendant_or_font = descendant.unwrap_or(dict);
        let descriptor = file.dict(descendant_or_font, b"FontDescriptor");
        let style = style_of(file, dict, descriptor);
        if kind == b"Type0" || descendant.is_some() {
            let composite = CompositeFont::read(file, dict, descendant_or_font);
            return Self {
                style,
                vertical: composite.is_vertical(),
                em: 1.0,
                is_drawn: false,
                kind: FontEncoding::Composite(Box::new(composite)),
            };
        }
        let matrix = (kind == b"Type3").then(|| {
            file.matrix(dict, b"FontMatrix")
                .unwrap_or(Matrix([0.001, 0.0, 0.0, 0.001, 0.0, 0.0]))
        });
        let mut text = String::new();
        let widths = SimpleWidths::read(file, dict, descriptor, matrix);
        let texts = simple_texts(file, dict, descriptor, &mut text);
        let codes = texts.into_iter().enumerate();
        let codes = codes.map(|(code, (start, end))| (start, end, widths.width(code)));
        Self {
            style,
            vertical: false,
            em: matrix.map_or(1.0, |matrix| em_of_type3(file, dict, &matrix)),
            is_drawn: matrix.is_some(),
            kind: FontEncoding::Simple {
                codes: codes.collect(),
                text,
            },
        }
    }

    /// Number of entries of its tables.
    pub(super) fn entry_count(&self) -> usize {
        match &self.kind {
            FontEncoding::Simple { codes, .. } => codes.len(),
            FontEncoding::Composite(composite) => composite.entry_count(),
        }
    }

    /// Passes each code of a string to `code`.
    pub(super) fn decode(&self, string: &[u8], mut code: impl FnMut(DecodedCode<'_>)) {
        match &self.kind {
            FontEncoding::Simple { text, codes } => {
                for byte in string {
                    let (start, end, width) = codes[usize::from(*byte)];
                    code(DecodedCode {
                        text: &text[start as usize..end as usize],
                        width,
                        blank: *byte == b' ',
                    });
                }
            }
            FontEncoding::Composite(composite) => composite.decode(string, code),
        }
    }
}

/// Returns the height of an em of a Type 3 font. Its units are its own, so its bounding box counts;
/// where that is empty, the width of most glyphs.
fn em_of_type3(file: &PdfFile, dict: &Dictionary, matrix: &Matrix) -> f32 {
    let numbers = |key| file.array(dict, key).map(|array| file.numbers(array));
    let scale = matrix.0[3].abs();
    let height = match numbers(b"FontBBox").as_deref() {
        Some([_, low, _, high]) => (high - low).abs() * scale,
        _ => 0.0,
    };
    let usual = scale * 1000.0;
    // Fonts made of others keep their units, and a box of glyphs far above and below a line.
    let whole = (0.99..1.01).contains(&usual) && (1.0..2.5).contains(&height);
    if height > 0.0 && height.is_finite() && !whole {
        return height;
    }
    let widths = numbers(b"Widths").unwrap_or_default().into_iter();
    match median(widths.filter(|width| *width > 0.0)) {
        width if width > 0.0 && !whole => 2.0 * width * matrix.0[0].abs(),
        _ => usual,
    }
}

fn style_of(file: &PdfFile, dict: &Dictionary, descriptor: Option<&Dictionary>) -> GlyphStyle {
    let name = base_name(file, dict).to_ascii_lowercase();
    let has = |parts: &str| parts.split(' ').any(|part| name.contains(part));
    // The names of TeX's fonts.
    let begins = |parts: &str| parts.split(' ').any(|part| name.starts_with(part));
    let flags = descriptor.and_then(|descriptor| file.number(descriptor, b"Flags"));
    let flags = flags.unwrap_or(0.0) as u32;
    let weight = descriptor.and_then(|descriptor| file.number(descriptor, b"FontWeight"));
    GlyphStyle {
        bold: has("bold black heavy demi")
            || begins("cmbx cmssbx ecbx sfbx cmb1 tcbx eurb")
            || name.ends_with("-bd")
            || weight.is_some_and(|weight| weight >= 600.0)
            || flags & 1 << 18 != 0,
        italic: has("italic oblique slanted")
            || begins("cmti cmsl ecti ecsl sfti sfsl cmssi")
            || name.ends_with("-it"),
        mono: has("mono courier typewriter consol lmtt inconsolata")
            || begins("cmtt ectt sftt cmsltt cmitt tctt pcrr cmvtt")
            || flags & 1 != 0,
    }
}

/// True if a font of this name has the encoding of Symbol.
fn is_symbol(name: &str) -> bool {
    let name = name.split([',', '-']).next().unwrap_or_default();
    matches!(name, "Symbol" | "SymbolMT")
}

/// Returns a font's name, without the prefix of a subset.
fn base_name(file: &PdfFile, dict: &Dictionary) -> String {
    let name = file.name(dict, b"BaseFont").unwrap_or_default();
    let name = match name.get(6) {
        Some(b'+') => &name[7..],
        _ => name,
    };
    String::from_utf8_lossy(name).into_owned()
}

/// The widths of a simple font.
struct SimpleWidths {
    first: usize,
    given: Vec<f32>,
    missing: f32,
    standard: Option<Vec<u16>>,
}

impl SimpleWidths {
    fn read(
        file: &PdfFile,
        dict: &Dictionary,
        descriptor: Option<&Dictionary>,
        matrix: Option<Matrix>,
    ) -> Self {
        let scale = matrix.map_or(0.001, |matrix| matrix.0[0].abs());
        let widths = file.array(dict, b"Widths").unwrap_or_default();
        let width = |width: &Object| number(file.resolve(width)).unwrap_or(0.0) * scale;
        let first = file.number(dict, b"FirstChar").unwrap_or(0.0).max(0.0);
        let missing = descriptor.and_then(|descriptor| file.number(descriptor, b"MissingWidth"));
        let standard = if widths.is_empty() {
            standard::widths(&base_name(file, dict))
        } else {
            None
        };
        let unknown = if widths.is_empty() { 500.0 } else { 0.0 };
        Self {
            first: first as usize,
            given: widths.iter().take(256).map(width).collect(),
            missing: missing.unwrap_or(unknown) * 0.001,
            standard,
        }
    }

    fn width(&self, code: usize) -> f32 {
        if let Some(standard) = &self.standard {
            let width = code.checked_sub(32).and_then(|index| standard.get(index));
            return width.map_or(0.55, |width| f32::from(*width) * 0.001);
        }
        let index = code.checked_sub(self.first);
        let width = index.and_then(|index| self.given.get(index));
        width.copied().unwrap_or(self.missing)
    }
}

/// Writes the text of each code of a simple font into `text`; returns the ranges.
fn simple_texts(
    file: &PdfFile,
    dict: &Dictionary,
    descriptor: Option<&Dictionary>,
    text: &mut String,
) -> Vec<(u32, u32)> {
    let unicode = to_unicode(file, dict);
    let encoding = file.get(dict, b"Encoding");
    let described = encoding.and_then(as_dict);
    let named = match (encoding, described) {
        (Some(Object::Name(name)), _) => BaseEncoding::named(name),
        (_, Some(described)) => file
            .name(described, b"BaseEncoding")
            .and_then(BaseEncoding::named),
        _ => None,
    };
    let flags = descriptor.and_then(|descriptor| file.number(descriptor, b"Flags"));
    let symbolic = flags.is_some_and(|flags| flags as u32 & 4 != 0);
    let truetype = file.name(dict, b"Subtype") == Some(b"TrueType");
    let name = base_name(file, dict);
    let code_text = if is_symbol(&name) {
        Some(BaseEncoding::Symbol)
    } else if name.starts_with("ZapfDingbats") {
        Some(BaseEncoding::ZapfDingbats)
    } else {
        named
    };
    let base = code_text.unwrap_or(if truetype && (symbolic || described.is_none()) {
        BaseEncoding::WinAnsi
    } else {
        BaseEncoding::Standard
    });
    let table = base.table();
    let mut glyphs: HashMap<u8, Vec<u8>> = HashMap::new();
    if code_text.is_none()
        && let Some(descriptor) = descriptor
    {
        glyphs.extend(program_encoding(file, descriptor));
    }
    let mut code = 0_usize;
    let differences = described.and_then(|described| file.array(described, b"Differences"));
    for object in differences.unwrap_or_default().iter().take(1024) {
        match file.resolve(object) {
            Object::Name(name) => {
                if let Ok(code) = u8::try_from(code) {
                    glyphs.insert(code, name.clone());
                }
                code += 1;
            }
            object => code = number(object).unwrap_or(0.0).max(0.0) as usize,
        }
    }
    let subset = encoding::numbered_glyphs(&name, glyphs.values());
    let glyph_of = |digits: &[u8]| {
        let glyph = str::from_utf8(digits).ok()?.parse().ok()?;
        subset.get(&glyph).copied()
    };
    let hexadecimal = glyphs.values().any(|name| encoding::is_hexadecimal(name));
    let mut code_text = String::new();
    // Bitmaps of a typesetter whose names say nothing have its codes, most of them letters.
    let letters = glyphs.keys().filter(|code| code.is_ascii_alphabetic());
    let numbered = file.name(dict, b"Subtype") == Some(b"Type3")
        && letters.count() * 2 > glyphs.len()
        && !glyphs
            .values()
            .any(|name| encoding::push_name_text(name, &mut code_text));
    let mut texts = Vec::with_capacity(256);
    for code in 0..=255_u8 {
        let start = text.len() as u32;
        code_text.clear();
        let known = unicode
            .as_ref()
            .is_some_and(|map| map.push_text(u32::from(code), &mut code_text));
        if !known {
            match glyphs.get(&code).map(Vec::as_slice) {
                Some([_, digits @ ..]) if hexadecimal => {
                    code_text.extend(encoding::char_of_hexadecimal(digits));
                }
                Some([b'g', digits @ ..])
                    if !subset.is_empty() && digits.iter().all(u8::is_ascii_digit) =>
                {
                    code_text.extend(glyph_of(digits));
                }
                Some(name) => {
                    encoding::push_name_text(name, &mut code_text);
                }
                None => code_text.extend(Some(table[usize::from(code)]).filter(|c| *c != '\0')),
            }
        }
        if code_text.is_empty() && (code == b' ' || numbered && code.is_ascii_graphic()) {
            code_text.push(char::from(code));
        }
        if base == BaseEncoding::Symbol {
            encoding::replace_private(&mut code_text);
        }
        push_readable(&code_text, text);
        texts.push((start, text.len() as u32));
    }
    texts
}

/// Returns the encoding in an embedded font program.
fn program_encoding(file: &PdfFile, descriptor: &Dictionary) -> Vec<(u8, Vec<u8>)> {
    let program = |key| match file.get(descriptor, key) {
        Some(Object::Stream(program)) => Some(file.stream_data(program)),
        _ => None,
    };
    if let Some(program) = program(b"FontFile") {
        return program::type1_encoding(&program);
    }
    program(b"FontFile3").map_or_else(Vec::new, |program| program::cff_encoding(&program))
}

/// Reads a font's `ToUnicode` map.
fn to_unicode(file: &PdfFile, dict: &Dictionary) -> Option<CharacterMap> {
    match file.get(dict, b"ToUnicode")? {
        Object::Stream(_) => read_map(file, file.get(dict, b"ToUnicode")?, 0),
        Object::Name(name) if name.starts_with(b"Identity") => Some(CharacterMap::parse(
            b"1 beginbfrange <0000> <FFFF> <0000> endbfrange",
            None,
        )),
        _ => None,
    }
    .filter(CharacterMap::has_texts)
}

fn read_map(file: &PdfFile, object: &Object, depth: usize) -> Option<CharacterMap> {
    match object {
        Object::Name(name) => Some(CharacterMap::named(name)),
        Object::Stream(stream) => {
            let base = file.get(&stream.dict, b"UseCMap");
            let base = base.filter(|_| depth < MAX_BASES);
            let base = base.and_then(|base| read_map(file, base, depth + 1));
            let mut map = CharacterMap::parse(&file.stream_data(stream), base);
            map.vertical |= file.number(&stream.dict, b"WMode") == Some(1.0);
            Some(map)
        }
        _ => None,
    }
}

/// Appends a code's text in readable form: without controls, ligatures as letters.
pub(super) fn push_readable(raw: &str, text: &mut String) {
    for character in raw.chars() {
        match character {
            '\u{fb00}' => text.push_str("ff"),
            '\u{fb01}' => text.push_str("fi"),
            '\u{fb02}' => text.push_str("fl"),
            '\u{fb03}' => text.push_str("ffi"),
            '\u{fb04}' => text.push_str("ffl"),
            '\u{fb05}' | '\u{fb06}' => text.push_str("st"),
            '\u{a0}' | '\t' | '\n' | '\r' | '\u{2000}'..='\u{200a}' | '\u{202f}' => text.push(' '),
            '\u{ad}' => text.push('-'),
            // Code points at which symbol fonts have their bullets.
            '\u{f0b7}' | '\u{f0a7}' | '\u{f0d8}' => text.push('\u{2022}'),
            '\u{f0fc}' => text.push('\u{2713}'),
            '\u{e000}'..='\u{f8ff}' | '\u{fffd}' => {}
            // These join or separate letters of some scripts.
            '\u{200c}' | '\u{200d}' => text.push(character),
            character if unseen::is_unseen(character) => {}
            character if character.is_control() => {}
            character => text.push(character),
        }
    }
}
