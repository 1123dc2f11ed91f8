//! Answers within a limit: measuring text as its audience receives it, and truncating it.
//!
//! Rules: agreed behaviour, see REFERENCE.md ("For hosts"). Text is truncated after a whole line; a
//! line that is longer than the limit is truncated after a character.
//!
//! | a tool that | uses |
//! |---|---|
//! | reads from somewhere and may stop | [`Text::is_full`], [`Text::close`]: a [`Truncation`] |
//! | goes on counting | [`Text::record`], which takes a record whole or not at all |
//! | keeps beginning and end | [`room`], [`TextMeasure::prefix`], [`TextMeasure::suffix`] |
//! | has a list | [`rows`] |
//!
//! [`Text::is_full`]: crate::contract::reply::Text::is_full
//! [`Text::close`]: crate::contract::reply::Text::close
//! [`Text::record`]: crate::contract::reply::Text::record
//! [`room`]: crate::contract::reply::AnswerObject::room
//! [`rows`]: crate::contract::reply::AnswerObject::rows

use memchr::{memchr, memchr_iter};
use serde::{Deserialize, Serialize};

use crate::contract::call_terms::Audience;

/// Length of a replacement character, in bytes.
const REPLACEMENT_BYTES: usize = '\u{FFFD}'.len_utf8();

/// Minimum number of bytes that are measured together.
const MIN_BLOCK_BYTES: usize = 1024;

/// A way to measure the length of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TextMeasure {
    /// As escaped in a JSON string.
    #[default]
    Json,
    /// Unescaped, with invalid UTF-8 replaced.
    Plain,
    /// As [`Self::Plain`], but a newline and the line after it measure at least so many bytes. Text
    /// within a limit in bytes is then within one in lines too, and all arithmetic is in bytes.
    Lines(usize),
}

impl TextMeasure {
    /// The measure for answers to `audience`.
    #[must_use]
    pub fn for_audience(audience: Audience) -> Self {
        match audience {
            Audience::Model => Self::Plain,
            Audience::Host | Audience::Person | Audience::Program => Self::Json,
        }
    }

    /// The plain measure by which text of at most `bytes` has at most `lines`.
    #[must_use]
    pub fn with_lines(bytes: usize, lines: usize) -> Self {
        Self::Lines(bytes.div_ceil(lines.max(1)))
    }

    /// Minimum measure of a newline and the line after it.
    fn least_line(self) -> usize {
        match self {
            Self::Json | Self::Plain => 0,
            Self::Lines(least) => least,
        }
    }

    /// Measured length of `text` in bytes, which is never less than its own.
    #[must_use]
    pub fn cost(self, text: &[u8]) -> usize {
        let is_valid = simdutf8::basic::from_utf8(text).is_ok();
        match self {
            Self::Plain if is_valid => text.len(),
            Self::Lines(least) if is_valid => {
                let mut cost = 0;
                let mut begun = None;
                for line_end in memchr_iter(b'\n', text).chain([text.len()]) {
                    cost += begun.map_or(line_end, |line_start| least.max(line_end - line_start));
                    begun = Some(line_end);
                }
                cost
            }
            Self::Json if is_valid => text.iter().copied().map(cost_in_json).sum(),
            _ => self.characters(text).map(|(_, cost)| cost).sum(),
        }
    }

    /// Length of the longest prefix of `text` that measures at most `room` bytes and ends after a
    /// whole character.
    #[must_use]
    pub fn prefix(self, text: &[u8], room: usize) -> usize {
        let mut left = room;
        let mut end = 0;
        // Most answers fit, and what is measured together takes a tenth of the time.
        if text.len() <= room && self.cost(text) <= room {
            return text.len();
        }
        loop {
            let block = next_block(&text[end..]);
            let cost = self.cost(&text[end..end + block]);
            if block == 0 || cost > left {
                break;
            }
            left -= cost;
            end += block;
        }
        for (length, cost) in self.characters(&text[end..]) {
            let Some(remaining_room) = left.checked_sub(cost) else {
                break;
            };
            left = remaining_room;
            end += length;
        }
        end
    }

    /// Start of the longest suffix of `text` that measures at most `room` bytes and begins with a
    /// whole character. Where lines count, it may be one line shorter.
    #[must_use]
    pub fn suffix(self, text: &[u8], room: usize) -> usize {
        let mut cost = self.cost(text);
        // Within a line, the charge of its newline for it no longer counts.
        let reserve = if cost > room { self.least_line() } else { 0 };
        let mut start = 0;
        loop {
            let block = next_block(&text[start..]);
            let remaining_cost = cost - self.cost(&text[start..start + block]);
            if block == 0 || remaining_cost + reserve <= room {
                break;
            }
            cost = remaining_cost;
            start += block;
        }
        for (length, one) in self.characters(&text[start..]) {
            if cost + reserve <= room {
                break;
            }
            cost -= one;
            start += length;
        }
        start
    }

    /// Own and measured length of each character or invalid sequence.
    fn characters(self, text: &[u8]) -> impl Iterator<Item = (usize, usize)> {
        // The cost that a newline was charged for the line after it.
        let mut paid = 0_usize;
        let all = text.utf8_chunks().flat_map(move |chunk| {
            let invalid = chunk.invalid();
            let valid = chunk.valid().chars().map(move |one| {
                let length = one.len_utf8();
                match (self, u8::try_from(one)) {
                    (Self::Json, Ok(byte)) if byte < 0x80 => (one, length, cost_in_json(byte)),
                    _ => (one, length, length),
                }
            });
            let broken = (
                char::REPLACEMENT_CHARACTER,
                invalid.len(),
                REPLACEMENT_BYTES,
            );
            valid.chain((!invalid.is_empty()).then_some(broken))
        });
        all.map(move |(one, length, cost)| {
            if one == '\n' {
                paid = self.least_line().saturating_sub(cost);
                return (length, cost + paid);
            }
            let free = cost.min(paid);
            paid -= free;
            (length, cost - free)
        })
    }
}

/// Length of the block at the beginning of `text` that is measured together: up to a newline,
/// because nothing after one depends on what is before it.
fn next_block(text: &[u8]) -> usize {
    let tail = text.get(MIN_BLOCK_BYTES..).unwrap_or_default();
    memchr(b'\n', tail).map_or(text.len(), |offset| MIN_BLOCK_BYTES + offset)
}

fn cost_in_json(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0..0x20 => 6,
        _ => 1,
    }
}

/// The shown part of a text that did not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truncation {
    /// Number of whole lines shown; 0 if the first line is already longer than the limit.
    pub lines: u64,
    /// Number of bytes shown, counted before repair and escaping.
    pub bytes: usize,
}

/// Text held back until it is known how much of it fits.
#[derive(Debug)]
pub struct BoundedText {
    measure: TextMeasure,
    room: usize,
    bytes: Vec<u8>,
    /// Measured length of the records held; `None` if no records were written.
    cost: Option<usize>,
    /// True if more was written than fits.
    is_full: bool,
}

impl BoundedText {
    /// An empty text that may measure `room` bytes.
    #[must_use]
    pub fn new(measure: TextMeasure, room: usize) -> Self {
        Self {
            measure,
            room,
            bytes: Vec::new(),
            cost: None,
            is_full: false,
        }
    }

    /// True if nothing that is written from now on will be shown.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// The room that is left after the records.
    #[must_use]
    pub fn room(&self) -> usize {
        self.room.saturating_sub(self.cost.unwrap_or(0))
    }

    /// The room that `text` takes.
    #[must_use]
    pub fn cost(&self, text: &[u8]) -> usize {
        self.measure.cost(text)
    }

    /// Holds as much of `bytes` as may still fit.
    pub fn hold(&mut self, bytes: &[u8]) {
        if self.is_full {
            return;
        }
        // Measured length is never less than length.
        let limit = self.room.saturating_sub(self.bytes.len());
        self.is_full = bytes.len() > limit;
        self.bytes
            .extend_from_slice(&bytes[..bytes.len().min(limit)]);
    }

    /// Holds `record` if all of it fits, or as much of the first record as fits. Returns true if it
    /// was held whole. After one that was not, no further record is held.
    pub fn record(&mut self, record: &[u8]) -> bool {
        if self.is_full {
            return false;
        }
        let cost = self.cost.unwrap_or(0) + self.measure.cost(record);
        if cost <= self.room {
            self.cost = Some(cost);
            self.bytes.extend_from_slice(record);
            return true;
        }
        if self.bytes.is_empty() {
            let end = self.measure.prefix(record, self.room);
            self.bytes.extend_from_slice(&record[..end]);
        }
        self.is_full = true;
        false
    }

    /// Returns the text to show, and its truncation if there was one.
    #[must_use]
    pub fn finish(mut self) -> (Vec<u8>, Option<Truncation>) {
        let end = self.measure.prefix(&self.bytes, self.room);
        if end == self.bytes.len() && !self.is_full {
            return (self.bytes, None);
        }
        self.bytes.truncate(end);
        if self.cost.is_none()
            && let Some(newline) = memchr::memrchr(b'\n', &self.bytes)
        {
            self.bytes.truncate(newline + 1);
        }
        let cut = Truncation {
            lines: memchr::memchr_iter(b'\n', &self.bytes).count() as u64,
            bytes: self.bytes.len(),
        };
        (self.bytes, Some(cut))
    }
}

/// The note of an answer that shows lines `first` to `last`, which tells how to continue after
/// them; lines counted from the end are negative. `left` is the number of requested lines still to
/// come, if the caller asked for a number.
#[must_use]
pub(crate) fn continuation_note(
    reader: Audience,
    first: i128,
    last: i128,
    left: Option<u64>,
) -> String {
    let next = last.saturating_add(1);
    match (reader, left) {
        (Audience::Model, None) => format!("lines {first}–{last}; go on with offset {next}"),
        (Audience::Model, Some(left)) => {
            format!("lines {first}–{last}; go on with offset {next}, limit {left}")
        }
        (_, None) => format!("lines {first} to {last}; go on with \"offset\":{next}"),
        (_, Some(left)) => {
            format!("lines {first} to {last}; go on with \"offset\":{next},\"limit\":{left}")
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hold_text(room: usize, text: &[u8]) -> (Vec<u8>, Option<Truncation>) {
        let mut bounded_text = BoundedText::new(TextMeasure::Json, room);
        for piece in text.chunks(3) {
            bounded_text.hold(piece);
        }
        bounded_text.finish()
    }

    #[test]
    fn text_is_cut_behind_the_last_whole_line_that_has_room() {
        let text = b"one\ntwo\nthree\n";
        for (room, byte_count, lines) in [
            (17, 14, None),
            (16, 8, Some(2)),
            (10, 8, Some(2)),
            (9, 4, Some(1)),
            (5, 4, Some(1)),
            (4, 3, Some(0)),
            (2, 2, Some(0)),
            (0, 0, Some(0)),
        ] {
            let (bytes, cut) = hold_text(room, text);
            assert_eq!(bytes, &text[..byte_count], "{room}");
            assert_eq!(cut.map(|cut| cut.lines), lines, "{room}");
        }
        assert_eq!(hold_text(9, b"").1, None);
    }

    #[test]
    fn records_are_kept_whole_or_not_at_all_but_for_a_first_one_that_is_too_long() {
        let mut bounded_text = BoundedText::new(TextMeasure::Plain, 9);
        assert!(bounded_text.record(b"abc") && bounded_text.record(b"\ndef"));
        assert!(!bounded_text.record(b"\nghi") && bounded_text.is_full());
        assert!(!bounded_text.record(b"\n"));
        let mut bounded_text = BoundedText::new(TextMeasure::Plain, 2);
        assert!(!bounded_text.record("aéz".as_bytes()));
        assert_eq!(bounded_text.finish().0, b"a");
    }

    proptest! {
        #[test]
        fn what_text_takes_is_what_it_takes_when_it_is_written(text: Vec<u8>) {
            let repaired = String::from_utf8_lossy(&text);
            let written = serde_json::to_string(&repaired).unwrap();
            prop_assert_eq!(TextMeasure::Json.cost(&text), written.len() - 2);
            prop_assert_eq!(TextMeasure::Plain.cost(&text), repaired.len());
            prop_assert!(TextMeasure::Plain.cost(&text) >= text.len());
        }

        #[test]
        fn text_within_its_bytes_is_within_its_lines(
            text in "(?s)([a-z\u{e9}]{0,9}\n{0,3}){0,40}", split: prop::sample::Index
        ) {
            let measure = TextMeasure::with_lines(100, 15);
            let (whole, text) = (text.as_bytes(), text.as_str());
            let prefix = &text[..measure.prefix(whole, 100)];
            prop_assert!(prefix.len() <= 100 && prefix.matches('\n').count() <= 15);
            prop_assert!(measure.cost(whole) >= whole.len());
            // The parts of a text never measure less than the whole.
            let (first, rest) = whole.split_at(split.index(whole.len() + 1));
            prop_assert!(measure.cost(first) + measure.cost(rest) >= measure.cost(whole));
        }

        #[test]
        fn beginnings_and_ends_are_the_longest_that_have_room(
            lines in 0..99usize, some in "(?s).{0,40}", room in 0..60usize
        ) {
            // Of several blocks, too.
            let text = "Some words of a line, \u{e9}.\n".repeat(lines) + &some;
            let room = room + lines * 20;
            for measure in [TextMeasure::Json, TextMeasure::Plain, TextMeasure::Lines(7)] {
                let end = measure.prefix(text.as_bytes(), room);
                prop_assert!(measure.cost(&text.as_bytes()[..end]) <= room);
                if let Some(next) = text[end..].chars().next() {
                    let longer = end + next.len_utf8();
                    prop_assert!(measure.cost(&text.as_bytes()[..longer]) > room);
                }
                let start = measure.suffix(text.as_bytes(), room);
                prop_assert!(measure.cost(&text.as_bytes()[start..]) <= room);
                let before = text[..start].chars().next_back();
                if measure.least_line() == 0 && let Some(before) = before {
                    let longer = start - before.len_utf8();
                    prop_assert!(measure.cost(&text.as_bytes()[longer..]) > room);
                }
            }
        }
    }
}
