//! Text folded: what looks alike becomes equal.
//!
//! Blanks and what cannot be seen are dropped, CRLF becomes LF; quotes of all kinds become one,
//! dashes too; letters become small, and composed with the accents that follow them. Each byte of
//! the folded text can be traced back to where it comes from.

use std::ops::Range;
use std::time::Instant;

use icu_normalizer::properties::CanonicalCompositionBorrowed;

use super::is_over;
use iki_base::unseen;

/// The least number of bytes between two places of a text that are remembered.
const STEP: usize = 4096;

/// One character of a text, or a byte that belongs to none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextUnit {
    /// A blank, or what has no width.
    Blank,
    /// LF, or CRLF.
    LineEnd,
    /// A character that is seen, with the accents that follow it.
    Character(char),
    /// Three dots in one character.
    Ellipsis,
    /// Bytes that are not UTF-8.
    NotUtf8,
}

/// The unit that begins at `bytes[offset]`, and its length in bytes.
pub fn unit_at(bytes: &[u8], offset: usize) -> (TextUnit, usize) {
    let (mut unit, mut length) = match bytes[offset] {
        b'\n' => return (TextUnit::LineEnd, 1),
        b'\r' if bytes.get(offset + 1) == Some(&b'\n') => return (TextUnit::LineEnd, 2),
        b'\t' | b'\r' | b' ' | 0x0B | 0x0C => return (TextUnit::Blank, 1),
        byte if byte.is_ascii() => (TextUnit::Character(char::from(byte)), 1),
        _ => match decode(bytes, offset) {
            Ok('\u{2026}') => return (TextUnit::Ellipsis, 3),
            Ok(one) if is_blank(one) => return (TextUnit::Blank, one.len_utf8()),
            Ok(one) => (TextUnit::Character(one), one.len_utf8()),
            Err(length) => return (TextUnit::NotUtf8, length),
        },
    };
    while let TextUnit::Character(base) = unit
        && bytes
            .get(offset + length)
            .is_some_and(|byte| !byte.is_ascii())
        && let Ok(mark) = decode(bytes, offset + length)
        && let Some(composed) = compose(base, mark)
    {
        unit = TextUnit::Character(composed);
        length += mark.len_utf8();
    }
    (unit, length)
}

/// The character at `bytes[offset]`, or the number of bytes there that are not part of one.
fn decode(bytes: &[u8], offset: usize) -> Result<char, usize> {
    let piece = &bytes[offset..bytes.len().min(offset + 4)];
    let valid = match std::str::from_utf8(piece) {
        Ok(text) => text,
        Err(broken) if broken.valid_up_to() == 0 => {
            return Err(broken.error_len().unwrap_or(piece.len()));
        }
        Err(broken) => std::str::from_utf8(&piece[..broken.valid_up_to()]).unwrap_or_default(),
    };
    valid.chars().next().ok_or(1)
}

/// The one character that `base` and the accent after it make.
fn compose(base: char, mark: char) -> Option<char> {
    let is_mark = matches!(mark, '\u{300}'..='\u{36F}' | '\u{3099}' | '\u{309A}');
    is_mark
        .then(|| CanonicalCompositionBorrowed::new().compose(base, mark))
        .flatten()
}

/// True if a character beyond ASCII is blank, or has no width.
fn is_blank(one: char) -> bool {
    one.is_whitespace() || unseen::is_unseen(one)
}

/// The character that stands for `one` and all that look like it.
fn folded_character(one: char) -> char {
    match one {
        '"'
        | '`'
        | '\u{AB}'
        | '\u{B4}'
        | '\u{BB}'
        | '\u{2018}'..='\u{201F}'
        | '\u{2032}'
        | '\u{2033}' => '\'',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{FF01}'..='\u{FF5E}' => {
            folded_character(char::from_u32(u32::from(one) - 0xFEE0).unwrap_or(one))
        }
        _ if one.is_ascii() => one.to_ascii_lowercase(),
        _ => one.to_lowercase().next().unwrap_or(one),
    }
}

/// Appends the folded form of `unit`.
fn push_folded(unit: TextUnit, line_ends: bool, out: &mut Vec<u8>) {
    match unit {
        TextUnit::LineEnd if line_ends => out.push(b'\n'),
        TextUnit::Blank | TextUnit::LineEnd => {}
        TextUnit::Ellipsis => out.extend(b"..."),
        TextUnit::NotUtf8 => out.extend("\u{FFFD}".as_bytes()),
        TextUnit::Character(one) => {
            let mut bytes = [0; 4];
            out.extend(folded_character(one).encode_utf8(&mut bytes).as_bytes());
        }
    }
}

/// A folded text.
pub struct FoldedText<'a> {
    /// The text that was folded, as far as it was.
    pub source: &'a [u8],
    /// The text itself.
    pub bytes: Vec<u8>,
    /// True if it has its line ends.
    pub has_line_ends: bool,
    /// Places in the folded text and in its source that belong together.
    marks: Vec<(usize, usize)>,
}

/// The folded form of each ASCII character that no accent follows; 0 where it is dropped.
const ASCII: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0x01u8;
    while byte <= 0x7F {
        table[byte as usize] = match byte {
            b'"' | b'`' => b'\'',
            b'\t' | b'\r' | b' ' | 0x0B | 0x0C => 0,
            _ => byte.to_ascii_lowercase(),
        };
        byte += 1;
    }
    table
};

impl<'a> FoldedText<'a> {
    /// Folds `source`, with its `line_ends` or without. At `end` the rest is left.
    pub fn new(source: &'a [u8], has_line_ends: bool, end: Option<Instant>) -> Self {
        let mut bytes = Vec::with_capacity(source.len());
        let mut marks = vec![(0, 0)];
        let (mut offset, mut next_mark) = (0, STEP);
        while offset < source.len() {
            if offset >= next_mark {
                if is_over(end) {
                    break;
                }
                marks.push((bytes.len(), offset));
                next_mark = offset + STEP;
            }
            let piece = &source[offset..source.len().min(offset + STEP)];
            let simple = &piece[..simple_part(piece)];
            // Written without a branch for each byte, which halves the time.
            let mut end = bytes.len();
            bytes.resize(end + simple.len(), 0);
            for byte in simple {
                let folded = ASCII[usize::from(*byte)];
                bytes[end] = folded;
                end += usize::from(folded != 0 && (has_line_ends || folded != b'\n'));
            }
            bytes.truncate(end);
            offset += simple.len();
            let (unit, length) = unit_at(source, offset);
            push_folded(unit, has_line_ends, &mut bytes);
            offset += length;
        }
        Self {
            source: &source[..offset],
            bytes,
            has_line_ends,
            marks,
        }
    }

    /// The part of the source that the bytes `range` of the folded text, at least one, come from.
    pub fn trace(&self, range: &Range<usize>) -> Range<usize> {
        self.unit_of(range.start).start..self.unit_of(range.end - 1).end
    }

    /// The unit of the source from which the folded byte at `wanted` comes.
    fn unit_of(&self, wanted: usize) -> Range<usize> {
        let after = self.marks.partition_point(|(folded, _)| *folded <= wanted);
        // The first mark is at 0.
        let (mut folded, mut offset) = self.marks[after.saturating_sub(1)];
        let mut piece = Vec::new();
        while offset < self.source.len() {
            let (unit, length) = unit_at(self.source, offset);
            piece.clear();
            push_folded(unit, self.has_line_ends, &mut piece);
            folded += piece.len();
            if folded > wanted {
                return offset..offset + length;
            }
            offset += length;
        }
        offset..offset
    }
}

/// The number of bytes at the beginning of `piece` that are ASCII, without a last character that an
/// accent may follow, and without NUL.
fn simple_part(piece: &[u8]) -> usize {
    let other = piece.iter().position(|byte| !byte.is_ascii() || *byte == 0);
    let ascii = other.unwrap_or(piece.len());
    // The byte after the piece is not known here.
    ascii.saturating_sub(1)
}

/// `text` folded, with its `line_ends` or without.
pub fn fold_text(text: &[u8], line_ends: bool) -> Vec<u8> {
    FoldedText::new(text, line_ends, None).bytes
}

/// The end of the blanks that begin at `from`, and, with `line_ends`, of the line ends among them.
pub fn blank_end(text: &[u8], mut from: usize, line_ends: bool) -> usize {
    while from < text.len() {
        match unit_at(text, from) {
            (TextUnit::Blank, length) => from += length,
            (TextUnit::LineEnd, length) if line_ends => from += length,
            _ => break,
        }
    }
    from
}

/// The start of the blanks that end at `to`, and, with `line_ends`, of the line ends among them.
pub fn blank_start(text: &[u8], mut to: usize, line_ends: bool) -> usize {
    // A blank has four bytes at most; CRLF has to be seen before its LF.
    while let Some(length) = (1..=to.min(4)).rev().find(|length| {
        let (unit, whole) = unit_at(&text[..to], to - length);
        whole == *length && (unit == TextUnit::Blank || line_ends && unit == TextUnit::LineEnd)
    }) {
        to -= length;
    }
    to
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn blanks_of_all_widths_end_where_they_began() {
        for blank in [
            " ",
            "\r\n",
            "\u{a0}",
            "\u{3000}",
            "\u{e0067}",
            "\u{e0100} \t",
        ] {
            let text = format!("a{blank}b");
            let end = text.len() - 1;
            assert_eq!(blank_end(text.as_bytes(), 1, true), end, "{blank:?}");
            assert_eq!(blank_start(text.as_bytes(), end, true), 1, "{blank:?}");
        }
    }

    #[test]
    fn what_looks_alike_is_folded_to_the_same() {
        for (one, other) in [
            ("\tif (a)  {\r\n", "    if(a) {\n"),
            ("say \u{201C}it\u{2019}s\u{201D}", "say \"it's\""),
            ("a\u{A0}b\u{200B}", "a b"),
            ("1\u{2013}2 \u{2014} 3 \u{2026}", "1-2 - 3 ..."),
            ("Stra\u{DF}e \u{C4}rger", "stra\u{DF}e \u{E4}rger"),
            ("caf\u{E9}", "cafe\u{301}"),
            ("\u{FF08}x\u{FF09}", "(x)"),
        ] {
            assert_eq!(
                fold_text(one.as_bytes(), true),
                fold_text(other.as_bytes(), true),
                "{one}"
            );
        }
        assert_ne!(fold_text(b"a\nb", true), fold_text(b"ab", true));
        assert_ne!(fold_text(b"a_b", true), fold_text(b"ab", true));
        assert_eq!(
            fold_text(b"\xE9t\xE9", true),
            "\u{FFFD}t\u{FFFD}".as_bytes()
        );
    }

    proptest! {
        #[test]
        fn each_folded_byte_is_traced_to_what_it_comes_from(
            words in proptest::collection::vec("[ab é’\t\r\n…e\u{301}\u{a0}]{0,6}", 0..400),
            filling in 0..9000usize,
            line_ends: bool,
        ) {
            let mut text = words.concat().into_bytes();
            text.extend(std::iter::repeat_n(b' ', filling));
            text.extend(b"\xE9 end \xE2\x82");
            let folded = FoldedText::new(&text, line_ends, None);
            let step = folded.bytes.len() / 8 + 1;
            for from in (0..folded.bytes.len()).step_by(step) {
                for to in (from + 1..=folded.bytes.len()).step_by(step) {
                    let source = folded.trace(&(from..to));
                    let again = FoldedText::new(&text[source], line_ends, None);
                    // A character is never parted.
                    let there = &folded.bytes[from..to];
                    prop_assert!(memchr::memmem::find(&again.bytes, there).is_some());
                    prop_assert!(again.bytes.len() <= there.len() + 6);
                }
            }
        }
    }
}
