//! Composite fonts, whose codes have several bytes and mean glyphs by number.
//!
//! Rules: ISO 32000-2, 9.7.

use std::collections::HashMap;

use lopdf::{Dictionary, Object};

use super::super::file::{PdfFile, number};
use super::cmap::CharacterMap;
use super::collection::CharacterCollection;
use super::{
    DecodedCode, base_name, encoding, is_symbol, program, push_readable, read_map, to_unicode,
};

/// Limit of a composite font's widths.
const MAX_WIDTHS: usize = 200_000;

/// A composite font.
pub(super) struct CompositeFont {
    map: CharacterMap,
    unicode: Option<CharacterMap>,
    widths: HashMap<u32, f32>,
    ranges: Vec<(u32, u32, f32)>,
    default: f32,
    /// The character collection in which its glyphs are numbered.
    collection: Option<&'static CharacterCollection>,
    /// True for Symbol, whose characters may be codes for private use.
    symbol: bool,
    /// Glyphs and their characters, if nothing else gives them.
    glyphs: HashMap<u32, char>,
}

/// Returns the glyphs of a composite font and their characters, as its program has them.
fn embedded_characters(file: &PdfFile, descendant: &Dictionary) -> HashMap<u32, char> {
    let descriptor = file.dict(descendant, b"FontDescriptor");
    let program = [b"FontFile".as_slice(), b"FontFile2", b"FontFile3"]
        .into_iter()
        .find_map(|key| file.get(descriptor?, key));
    let Some(Object::Stream(program)) = program else {
        return encoding::windows_glyphs(&base_name(file, descendant));
    };
    let glyphs = program::glyph_characters(&file.stream_data(program));
    let Some(Object::Stream(map)) = file.get(descendant, b"CIDToGIDMap") else {
        return glyphs;
    };
    let map = file.stream_data(map);
    let places = (0..=0xffff).zip(map.chunks_exact(2));
    let places = places.map(|(cid, pair)| (cid, u32::from(pair[0]) << 8 | u32::from(pair[1])));
    let places = places.filter(|(_, glyph)| *glyph != 0);
    if glyphs.is_empty() && map.len() > 0xffff {
        // A map of all codes there are is one of Unicode.
        return places
            .filter_map(|(cid, _)| Some((cid, char::from_u32(cid)?)))
            .collect();
    }
    places
        .filter_map(|(cid, glyph)| Some((cid, *glyphs.get(&glyph)?)))
        .collect()
}

impl CompositeFont {
    pub(super) fn read(file: &PdfFile, dict: &Dictionary, descendant: &Dictionary) -> Self {
        let encoding = file.get(dict, b"Encoding");
        let collection = file
            .dict(descendant, b"CIDSystemInfo")
            .and_then(|info| file.get(info, b"Ordering")?.as_str().ok());
        let mut composite = Self {
            map: encoding
                .and_then(|encoding| read_map(file, encoding, 0))
                .unwrap_or_default(),
            unicode: to_unicode(file, dict),
            widths: HashMap::new(),
            ranges: Vec::new(),
            default: file.number(descendant, b"DW").unwrap_or(1000.0) * 0.001,
            collection: collection.and_then(CharacterCollection::named),
            symbol: is_symbol(&base_name(file, dict)),
            glyphs: HashMap::new(),
        };
        if composite.unicode.is_none() && composite.collection.is_none() {
            composite.glyphs = embedded_characters(file, descendant);
        }
        composite.read_widths(file, file.array(descendant, b"W").unwrap_or_default());
        composite
    }

    pub(super) fn is_vertical(&self) -> bool {
        self.map.vertical
    }

    /// Number of entries of its tables.
    pub(super) fn entry_count(&self) -> usize {
        let unicode = self.unicode.as_ref().map_or(0, CharacterMap::entry_count);
        256 + self.map.entry_count()
            + unicode
            + self.widths.len()
            + self.ranges.len()
            + self.glyphs.len()
    }

    fn read_widths(&mut self, file: &PdfFile, array: &[Object]) {
        let mut index = 0;
        let number_at = |index: usize| number(file.resolve(array.get(index)?));
        while self.widths.len() + self.ranges.len() < MAX_WIDTHS
            && let Some(first) = number_at(index)
        {
            let first = first.max(0.0) as u32;
            let second = array.get(index + 1).map(|object| file.resolve(object));
            if let Some(Object::Array(widths)) = second {
                for (cid, width) in (first..).zip(widths.iter().take(65_536)) {
                    let width = number(file.resolve(width)).unwrap_or(0.0);
                    self.widths.insert(cid, width * 0.001);
                }
                index += 2;
            } else if let (Some(last), Some(width)) = (number_at(index + 1), number_at(index + 2)) {
                self.ranges
                    .push((first, last.max(0.0) as u32, width * 0.001));
                index += 3;
            } else {
                break;
            }
        }
        self.ranges.sort_by_key(|(first, ..)| *first);
    }

    fn width(&self, cid: u32) -> f32 {
        if let Some(width) = self.widths.get(&cid) {
            return *width;
        }
        let after = self.ranges.partition_point(|(first, ..)| *first <= cid);
        match after.checked_sub(1).map(|index| self.ranges[index]) {
            Some((_, last, width)) if cid <= last => width,
            _ => self.default,
        }
    }

    pub(super) fn decode(&self, string: &[u8], mut code: impl FnMut(DecodedCode<'_>)) {
        let (mut raw, mut text) = (String::new(), String::new());
        let mut unread = string;
        while !unread.is_empty() {
            let length = self.map.code_length(unread).clamp(1, unread.len());
            let (bytes, after) = unread.split_at(length);
            unread = after;
            let value = bytes
                .iter()
                .fold(0, |value, byte| value << 8 | u32::from(*byte));
            raw.clear();
            text.clear();
            let cid = self.map.cid(value);
            let known = self
                .unicode
                .as_ref()
                .is_some_and(|map| map.push_text(value, &mut raw))
                || self.map.push_set_text(bytes, &mut raw);
            if let (false, Some(cid)) = (known, cid) {
                match self.collection {
                    Some(collection) => raw.push_str(collection.text(cid).unwrap_or_default()),
                    None => raw.extend(self.glyphs.get(&cid)),
                }
            }
            if self.symbol {
                encoding::replace_private(&mut raw);
            }
            push_readable(&raw, &mut text);
            let width = match cid {
                Some(cid) => self.width(cid),
                None if length == 1 => self.default / 2.0,
                None => self.default,
            };
            code(DecodedCode {
                text: &text,
                width,
                blank: length == 1 && value == 32,
            });
        }
    }
}
