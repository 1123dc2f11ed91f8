//! Text folded: what looks alike becomes equal.
//!
//! Blanks and what cannot be seen are dropped, CRLF becomes LF; quotes of all kinds become one,
//! dashes too; letters become small, and composed with the accents that follow them. Each byte of
//! the folded text can be traced back to where it comes from.

use std::ops::Range;

use icu_normalizer::properties::CanonicalCompositionBorrowed;

use super::clock::Clock;
use crate::unseen;

/// How far apart, at least, the places are that are remembered of a text, in bytes.
const STEP: usize = 4096;

/// One character of a text, or a byte that belongs to none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A blank, or what has no width.
    Blank,
    /// LF, or CRLF.
    LineEnd,
    /// A character that is seen, with the accents behind it.
    Character(char),
    /// Three dots in one character.
    Ellipsis,
    /// Bytes that are no UTF-8.
    Broken,
}

/// The unit that begins at `bytes[at]`, and how long it is.
pub fn unit(bytes: &[u8], at: usize) -> (Unit, usize) {
    let (mut unit, mut length) = match bytes[at] {
        b'\n' => return (Unit::LineEnd, 1),
        b'\r' if bytes.get(at + 1) == Some(&b'\n') => return (Unit::LineEnd, 2),
        b'\t' | b'\r' | b' ' | 0x0B | 0x0C => return (Unit::Blank, 1),
        byte if byte.is_ascii() => (Unit::Character(char::from(byte)), 1),
        _ => match decode(bytes, at) {
            Ok('\u{2026}') => return (Unit::Ellipsis, 3),
            Ok(one) if is_blank(one) => return (Unit::Blank, one.len_utf8()),
            Ok(one) => (Unit::Character(one), one.len_utf8()),
            Err(length) => return (Unit::Broken, length),
        },
    };
    while let Unit::Character(base) = unit
        && bytes.get(at + length).is_some_and(|byte| !byte.is_ascii())
        && let Ok(mark) = decode(bytes, at + length)
        && let Some(composed) = compose(base, mark)
    {
        unit = Unit::Character(composed);
        length += mark.len_utf8();
    }
    (unit, length)
}

/// The character at `bytes[at]`, or how many bytes there are none.
fn decode(bytes: &[u8], at: usize) -> Result<char, usize> {
    let piece = &bytes[at..bytes.len().min(at + 4)];
    let valid = match std::str::from_utf8(piece) {
        Ok(text) => text,
        Err(broken) if broken.valid_up_to() == 0 => {
            return Err(broken.error_len().unwrap_or(piece.len()));
        }
        Err(broken) => std::str::from_utf8(&piece[..broken.valid_up_to()]).unwrap_or_default(),
    };
    valid.chars().next().ok_or(1)
}

/// The one character that `base` with an accent behind it is.
fn compose(base: char, mark: char) -> Option<char> {
    let is_mark = matches!(mark, '\u{300}'..='\u{36F}' | '\u{3099}' | '\u{309A}');
    is_mark
        .then(|| CanonicalCompositionBorrowed::new().compose(base, mark))
        .flatten()
}

/// Whether a character beyond ASCII is blank, or has no width.
fn is_blank(one: char) -> bool {
    one.is_whitespace() || unseen::is_unseen(one)
}

/// What a character is folded to.
fn folded(one: char) -> char {
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
        '\u{FF01}'..='\u{FF5E}' => folded(char::from_u32(u32::from(one) - 0xFEE0).unwrap_or(one)),
        _ if one.is_ascii() => one.to_ascii_lowercase(),
        _ => one.to_lowercase().next().unwrap_or(one),
    }
}

/// Puts what `unit` is folded to behind `out`.
fn push(unit: Unit, line_ends: bool, out: &mut Vec<u8>) {
    match unit {
        Unit::LineEnd if line_ends => out.push(b'\n'),
        Unit::Blank | Unit::LineEnd => {}
        Unit::Ellipsis => out.extend(b"..."),
        Unit::Broken => out.extend("\u{FFFD}".as_bytes()),
        Unit::Character(one) => {
            let mut bytes = [0; 4];
            out.extend(folded(one).encode_utf8(&mut bytes).as_bytes());
        }
    }
}

/// A folded text.
pub struct Folded<'a> {
    /// What it was folded from, as far as it was.
    source: &'a [u8],
    /// The text itself.
    pub bytes: Vec<u8>,
    /// Whether it has its line ends.
    line_ends: bool,
    /// Places in the folded text and in its source that belong together.
    marks: Vec<(usize, usize)>,
}

/// What becomes of each ASCII character that no accent follows; 0, where nothing does.
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

impl<'a> Folded<'a> {
    /// Folds `source`, with its line ends. Where `clock` runs out, the rest is left.
    pub fn new(source: &'a [u8], clock: &Clock) -> Self {
        let mut bytes = vec![0; source.len() + STEP];
        let mut marks = vec![(0, 0)];
        let (mut at, mut end) = (0, 0);
        let (mut next_mark, mut rest) = (STEP, Vec::new());
        while at < source.len() {
            if at >= next_mark {
                if clock.is_out() {
                    break;
                }
                marks.push((end, at));
                next_mark = at + STEP;
            }
            if bytes.len() < end + 2 * STEP {
                bytes.resize(bytes.len() + bytes.len() / 2 + 2 * STEP, 0);
            }
            let piece = &source[at..source.len().min(at + STEP)];
            let simple = simple_part(piece);
            for byte in &piece[..simple] {
                let folded = ASCII[usize::from(*byte)];
                bytes[end] = folded;
                end += usize::from(folded != 0);
            }
            at += simple;
            let (unit, length) = unit(source, at);
            rest.clear();
            push(unit, true, &mut rest);
            bytes[end..end + rest.len()].copy_from_slice(&rest);
            end += rest.len();
            at += length;
        }
        bytes.truncate(end);
        Self {
            source: &source[..at],
            bytes,
            line_ends: true,
            marks,
        }
    }

    /// The same without its line ends.
    pub fn without_line_ends(&self) -> Self {
        let mut bytes = Vec::with_capacity(self.bytes.len());
        let mut marks = Vec::with_capacity(self.marks.len());
        let mut from = 0;
        let mut keep = |to: usize, bytes: &mut Vec<u8>| {
            for line in self.bytes[from..to].split(|byte| *byte == b'\n') {
                bytes.extend_from_slice(line);
            }
            from = to;
        };
        for (folded, at) in &self.marks {
            keep(*folded, &mut bytes);
            marks.push((bytes.len(), *at));
        }
        keep(self.bytes.len(), &mut bytes);
        Self {
            source: self.source,
            bytes,
            line_ends: false,
            marks,
        }
    }

    /// What was folded.
    pub fn source(&self) -> &'a [u8] {
        self.source
    }

    /// Where in the source the bytes `range` of the folded text, which are some, come from.
    pub fn trace(&self, range: &Range<usize>) -> Range<usize> {
        self.unit_of(range.start).start..self.unit_of(range.end - 1).end
    }

    /// The unit of the source from which the folded byte at `wanted` comes.
    fn unit_of(&self, wanted: usize) -> Range<usize> {
        let after = self.marks.partition_point(|(folded, _)| *folded <= wanted);
        // The first mark is at 0.
        let (mut folded, mut at) = self.marks[after.saturating_sub(1)];
        let mut piece = Vec::new();
        while at < self.source.len() {
            let (unit, length) = unit(self.source, at);
            piece.clear();
            push(unit, self.line_ends, &mut piece);
            folded += piece.len();
            if folded > wanted {
                return at..at + length;
            }
            at += length;
        }
        at..at
    }
}

/// How much of the beginning of `piece` is ASCII, without a last character that an accent may
/// follow, and without NUL.
fn simple_part(piece: &[u8]) -> usize {
    let ascii = if piece.is_ascii() {
        piece.len()
    } else {
        piece
            .iter()
            .position(|byte| !byte.is_ascii())
            .unwrap_or(piece.len())
    };
    let ascii = memchr::memchr(0, &piece[..ascii]).unwrap_or(ascii);
    // What comes behind the piece is not known here.
    ascii.saturating_sub(1)
}

/// `text` folded, with its line ends.
pub fn fold(text: &[u8]) -> Vec<u8> {
    Folded::new(text, &Clock::endless()).bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
            assert_eq!(fold(one.as_bytes()), fold(other.as_bytes()), "{one}");
        }
        assert_ne!(fold(b"a\nb"), fold(b"ab"));
        assert_ne!(fold(b"a_b"), fold(b"ab"));
        assert_eq!(fold(b"\xE9t\xE9"), "\u{FFFD}t\u{FFFD}".as_bytes());
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
            let folded = Folded::new(&text, &Clock::endless());
            let folded = if line_ends { folded } else { folded.without_line_ends() };
            let step = folded.bytes.len() / 8 + 1;
            for from in (0..folded.bytes.len()).step_by(step) {
                for to in (from + 1..=folded.bytes.len()).step_by(step) {
                    let source = folded.trace(&(from..to));
                    let mut again = Folded::new(&text[source], &Clock::endless());
                    if !line_ends {
                        again = again.without_line_ends();
                    }
                    // A character is never parted.
                    let there = &folded.bytes[from..to];
                    prop_assert!(memchr::memmem::find(&again.bytes, there).is_some());
                    prop_assert!(again.bytes.len() <= there.len() + 6);
                }
            }
        }
    }
}
