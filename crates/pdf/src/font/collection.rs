//! Maps the glyphs of Adobe's character collections to text, for East Asian fonts that do not say
//! themselves which letters their glyphs are.
//!
//! The tables are made from Adobe's `mapping-resources-pdf` (BSD 3-Clause; `packaging/licences`) by
//! `benches/documents/character_collections.py`, which describes their form.

use std::io::Read as _;
use std::sync::OnceLock;

use flate2::bufread::ZlibDecoder;

static JAPAN1: CharacterCollection = CharacterCollection::new(include_bytes!("japan1.bin"));
static GB1: CharacterCollection = CharacterCollection::new(include_bytes!("gb1.bin"));
static CNS1: CharacterCollection = CharacterCollection::new(include_bytes!("cns1.bin"));
static KOREA1: CharacterCollection = CharacterCollection::new(include_bytes!("korea1.bin"));

/// A character collection, whose table is unpacked once it is used.
pub(super) struct CharacterCollection {
    packed: &'static [u8],
    /// The texts of all glyphs, and where each ends.
    texts: OnceLock<(String, Vec<u32>)>,
}

impl CharacterCollection {
    const fn new(packed: &'static [u8]) -> Self {
        Self {
            packed,
            texts: OnceLock::new(),
        }
    }

    /// Returns the collection of this ordering.
    pub(super) fn named(ordering: &[u8]) -> Option<&'static Self> {
        Some(match ordering {
            b"Japan1" => &JAPAN1,
            b"GB1" => &GB1,
            b"CNS1" => &CNS1,
            b"Korea1" => &KOREA1,
            _ => return None,
        })
    }

    /// Returns the text of a glyph.
    pub(super) fn text(&self, glyph: u32) -> Option<&str> {
        let (texts, ends) = self.texts.get_or_init(|| unpack(self.packed));
        let glyph = glyph as usize;
        let start = glyph
            .checked_sub(1)
            .map_or(Some(0), |before| ends.get(before).copied())?;
        texts.get(start as usize..*ends.get(glyph)? as usize)
    }
}

fn unpack(packed: &[u8]) -> (String, Vec<u32>) {
    let mut numbers = Vec::new();
    // The tables are right (see the tests), so nothing is lost here.
    let _ = ZlibDecoder::new(packed).read_to_end(&mut numbers);
    let (mut texts, mut ends) = (String::new(), Vec::new());
    let (mut number, mut shift, mut last) = (0_u32, 0, 0_u32);
    for byte in numbers {
        number |= u32::from(byte & 0x7f) << shift;
        shift += 7;
        if byte >= 0x80 {
            continue;
        }
        if number == 0 {
            ends.pop();
        } else {
            if let Some(by) = number.checked_sub(2) {
                let by = (by >> 1) ^ (by & 1).wrapping_neg();
                last = last.wrapping_add(by);
                texts.extend(char::from_u32(last));
            }
            ends.push(texts.len() as u32);
        }
        (number, shift) = (0, 0);
    }
    (texts, ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glyphs_have_the_text_that_their_collection_says() {
        for (ordering, glyphs, texts) in [
            (
                "Japan1",
                23_060,
                &[(1, " "), (34, "A"), (3284, "\u{65e5}"), (8323, "\u{337b}")][..],
            ),
            (
                "GB1",
                30_284,
                &[(34, "A"), (4559, "\u{4e2d}"), (22_353, "\u{20ac}")],
            ),
            ("CNS1", 19_179, &[(34, "A"), (661, "\u{4e2d}")]),
            (
                "Korea1",
                18_352,
                &[(34, "A"), (1086, "\u{ac00}"), (8207, "((")],
            ),
        ] {
            let collection = CharacterCollection::named(ordering.as_bytes()).unwrap();
            for (glyph, text) in texts {
                assert_eq!(collection.text(*glyph), Some(*text), "{ordering} {glyph}");
            }
            assert!(collection.text(glyphs - 1).is_some(), "{ordering}");
            assert_eq!(collection.text(glyphs), None, "{ordering}");
        }
    }
}
