//! The fonts, colours and styles that an RTF file lists before its text.

use std::collections::{HashMap, HashSet};

use encoding_rs::X_USER_DEFINED;
use iki_base::charset::Charset;

use super::super::docx::styles::{heading_level_of, is_code, is_mono};
use crate::symbol_font::SymbolFont;

/// Limit of a file's fonts and styles.
const MAX_ENTRIES: usize = 20_000;

#[derive(Clone, Copy, Default)]
pub(super) struct RtfFont {
    pub(super) encoding: Option<Charset>,
    pub(super) mono: bool,
    pub(super) symbols: Option<SymbolFont>,
}

/// The formatting that a style gives a paragraph.
#[derive(Clone, Copy, Default)]
pub(super) struct RtfStyle {
    pub(super) heading: Option<u8>,
    pub(super) title: bool,
    pub(super) code: bool,
}

#[derive(Default)]
pub(super) struct RtfTables {
    pub(super) fonts: HashMap<i32, RtfFont>,
    pub(super) styles: HashMap<i32, RtfStyle>,
    /// The numbers of colours that are white.
    pub(super) white: HashSet<i32>,
    colours: i32,
    parts: [i32; 3],
    /// Number and encoding of the entry that is being read.
    pub(super) number: i32,
    pub(super) encoding: Option<Charset>,
    pub(super) outline: Option<u8>,
    name: String,
}

impl RtfTables {
    pub(super) fn add_colour_part(&mut self, index: usize, value: i32) {
        self.parts[index] = value;
    }

    pub(super) fn end_colour(&mut self) {
        if self.parts.iter().all(|part| *part >= 0xf8) && self.white.len() < MAX_ENTRIES {
            self.white.insert(self.colours);
        }
        self.colours = self.colours.saturating_add(1);
        self.parts = [0; 3];
    }

    /// Adds to the name of a font or a style, which ends at a semicolon.
    pub(super) fn add_name(&mut self, text: &str, is_font: bool) {
        for c in text.chars() {
            if c != ';' {
                self.name.push(c);
                continue;
            }
            let name = std::mem::take(&mut self.name);
            let name = name.trim();
            if is_font && self.fonts.len() < MAX_ENTRIES {
                let symbols = SymbolFont::named(name);
                let font = RtfFont {
                    encoding: symbols
                        .map_or(self.encoding, |_| Some(Charset::Browsers(X_USER_DEFINED))),
                    mono: is_mono(name),
                    symbols,
                };
                self.fonts.insert(self.number, font);
            } else if !is_font && self.styles.len() < MAX_ENTRIES {
                let name = name.to_lowercase();
                let by_outline = self.outline.filter(|outline| *outline < 9);
                let style = RtfStyle {
                    heading: heading_level_of(&name).or(by_outline.map(|outline| outline + 1)),
                    title: name == "title",
                    code: is_code(&name),
                };
                self.styles.insert(self.number, style);
            }
            (self.number, self.encoding, self.outline) = (0, None, None);
        }
        if self.name.len() > 1000 {
            self.name.clear();
        }
    }
}

/// The encoding of a font's character set.
pub(super) fn encoding_of_charset(charset: i32) -> Option<Charset> {
    let page = match charset {
        77 => 10_000,
        128 => 932,
        129 | 130 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        255 => 437,
        _ => return None,
    };
    encoding_of_code_page(page)
}

/// The encoding of a code page.
pub(in super::super) fn encoding_of_code_page(page: i32) -> Option<Charset> {
    match page {
        932 => Charset::for_label("shift_jis"),
        936 => Charset::for_label("gbk"),
        950 => Charset::for_label("big5"),
        10_000 => Charset::for_label("macintosh"),
        65_001 => Charset::for_label("utf-8"),
        866 => Charset::for_label("ibm866"),
        page => Charset::for_label(&format!("windows-{page}"))
            .or_else(|| Charset::for_dos_page(&page.to_string())),
    }
}
