//! A field of text as it is written: invalid UTF-8 is replaced, and JSON escaped.
//!
//! Rules: agreed behaviour, see REFERENCE.md ("For hosts").

use std::borrow::Cow;
use std::io::{self, Write};
use std::str::Utf8Error;

use super::{ObjectProgress, Viewer};
use crate::contract::answer_limit::{BoundedText, TextMeasure, Truncation};
use iki_base::control_spelling;

/// Length of the pieces in which text is checked, escaped and passed on, in bytes.
pub(super) const MAX_PIECE_BYTES: usize = 64 * 1024;

/// A field of text, which takes any bytes and passes on UTF-8, escaped for JSON. It must be closed.
pub struct Text<'w> {
    pub(super) sink: TextSink<'w>,
    /// Bytes not yet passed on: small writes, or an incomplete character.
    pub(super) pending: Vec<u8>,
    /// Text held back until it is known how much of it fits, if there is a limit.
    pub(super) bounded: Option<BoundedText>,
    /// Invalid UTF-8 was replaced.
    pub(super) is_repaired: bool,
    /// Control characters are spelled, and counted here.
    pub(super) spelling: Option<ControlSpeller<'w>>,
}

/// Spells control characters in bytes on their way to a model.
pub(super) struct ControlSpeller<'w> {
    /// The number of those that are shown, once that is known.
    count: &'w mut usize,
    /// The number of those that were spelled.
    spelled: usize,
    /// The first byte of a character that may be one, the rest of which is still to come.
    begun: bool,
    /// Offsets in the spelled text, and by how much it is longer there than the text itself.
    longer: Vec<(usize, usize)>,
    length: usize,
}

/// The first byte of the control characters U+0080 to U+009F, and of others, in UTF-8.
const LATIN_1_LEAD: u8 = 0xC2;

impl<'w> ControlSpeller<'w> {
    pub(super) fn new(count: &'w mut usize) -> Self {
        Self {
            count,
            spelled: 0,
            begun: false,
            longer: Vec::new(),
            length: 0,
        }
    }

    /// `bytes` as they are shown. A last byte may be held back, until it is known what it begins.
    fn spelled<'b>(&mut self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        let is_odd = |byte: &u8| {
            *byte < 0x20 && !b"\t\n\r\x0c".contains(byte) || matches!(*byte, 0x7F | LATIN_1_LEAD)
        };
        if !self.begun && !bytes.iter().any(is_odd) {
            self.length += bytes.len();
            return Cow::Borrowed(bytes);
        }
        let mut spelt = Vec::with_capacity(bytes.len() + bytes.len() / 4);
        let mut spelling = String::new();
        for byte in bytes {
            let character = match (std::mem::take(&mut self.begun), *byte) {
                (true, low @ 0x80..0xA0) => Some((char::from(low), 2)),
                (begun, byte) => {
                    if begun {
                        spelt.push(LATIN_1_LEAD);
                    }
                    if byte == LATIN_1_LEAD {
                        self.begun = true;
                        continue;
                    }
                    is_odd(&byte).then_some((char::from(byte), 1))
                }
            };
            let Some((character, byte_count)) = character else {
                spelt.push(*byte);
                continue;
            };
            spelling.clear();
            control_spelling::spell(character, &mut spelling);
            spelt.extend_from_slice(spelling.as_bytes());
            self.spelled += 1;
            if self.longer.len() < MAX_KEPT_PLACES {
                let longer = spelling.len() - byte_count;
                self.longer.push((self.length + spelt.len(), longer));
            }
        }
        self.length += spelt.len();
        Cow::Owned(spelt)
    }

    /// Counts the characters that are shown, of a text that may be cut. Returns the length of the
    /// text itself up to there.
    fn finish(self, cut: Option<usize>) -> usize {
        let Some(cut) = cut else {
            *self.count += self.spelled;
            return self.length;
        };
        let entries = self.longer.iter().take_while(|(offset, _)| *offset <= cut);
        let lengths: Vec<usize> = entries.map(|(_, longer)| *longer).collect();
        *self.count += lengths.len();
        cut - lengths.iter().sum::<usize>()
    }
}

/// Maximum number of spelled characters whose places are kept.
const MAX_KEPT_PLACES: usize = 64 * 1024;

/// Destination of a text.
pub(super) enum TextSink<'w> {
    Json {
        out: &'w mut dyn Write,
        progress: &'w mut ObjectProgress,
        escaped: Vec<u8>,
        measure: TextMeasure,
    },
    Viewer(&'w mut dyn Viewer, String),
}

impl Text<'_> {
    /// True if nothing that is written from now on will be shown, because there is no room.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.bounded.as_ref().is_some_and(BoundedText::is_full)
    }

    /// The bytes of text that still have room, if there is a limit.
    #[must_use]
    pub fn room(&self) -> Option<usize> {
        self.bounded.as_ref().map(BoundedText::room)
    }

    /// The room that `text` takes.
    #[must_use]
    pub fn cost(&self, text: &[u8]) -> usize {
        let Some(bounded) = &self.bounded else {
            return text.len();
        };
        let mut count = 0;
        let speller = self
            .spelling
            .as_ref()
            .map(|_| ControlSpeller::new(&mut count));
        match speller {
            Some(mut speller) => bounded.cost(&speller.spelled(text)),
            None => bounded.cost(text),
        }
    }

    /// Sends everything so far to the reader, except for an incomplete character and text that is
    /// held back because of a limit.
    pub fn send(&mut self) -> io::Result<()> {
        let mut pending = std::mem::take(&mut self.pending);
        let unsent_bytes = self.pass_on(&pending)?;
        pending.drain(..pending.len() - unsent_bytes);
        self.pending = pending;
        match &mut self.sink {
            TextSink::Json { out, .. } => out.flush(),
            TextSink::Viewer(viewer, _) => viewer.flush(),
        }
    }

    /// Writes `record` whole, or nothing more at all if it does not fit; of the first record, as
    /// much as fits is written. Returns true if it was written whole.
    pub fn record(&mut self, record: &[u8]) -> io::Result<bool> {
        match &mut self.bounded {
            Some(bounded) => match &mut self.spelling {
                Some(speller) => {
                    let mut spelt = speller.spelled(record);
                    if std::mem::take(&mut speller.begun) {
                        spelt.to_mut().push(LATIN_1_LEAD);
                    }
                    Ok(bounded.record(&spelt))
                }
                None => Ok(bounded.record(record)),
            },
            None => self.write_all(record).map(|()| true),
        }
    }

    /// Passes on the rest and closes the string. Returns its truncation, if it did not fit.
    pub fn close(self) -> io::Result<Option<Truncation>> {
        Ok(self.close_and_check()?.0)
    }

    /// Closes the string as [`Text::close`] does; the flag is true if invalid UTF-8 was replaced.
    pub(crate) fn close_and_check(mut self) -> io::Result<(Option<Truncation>, bool)> {
        let mut cut = None;
        let speller = self.spelling.take();
        if speller.as_ref().is_some_and(|speller| speller.begun) {
            self.write_all(&[LATIN_1_LEAD])?;
        }
        if let Some(bounded) = self.bounded.take() {
            let (prefix, behind) = bounded.finish();
            self.write_all(&prefix)?;
            cut = behind;
        }
        if let Some(speller) = speller {
            let own_length = speller.finish(cut.map(|cut| cut.bytes));
            cut = cut.map(|cut| Truncation {
                bytes: own_length,
                ..cut
            });
        }
        let pending = std::mem::take(&mut self.pending);
        let unsent_bytes = self.pass_on(&pending)?;
        if unsent_bytes > 0 {
            self.is_repaired = true;
            self.emit("\u{FFFD}")?;
        }
        let repaired = self.is_repaired;
        match self.sink {
            TextSink::Json {
                out, progress: at, ..
            } => {
                out.write_all(b"\"")?;
                at.is_in_text = false;
            }
            TextSink::Viewer(..) => {}
        }
        Ok((cut, repaired))
    }

    /// Passes on `bytes` except for an incomplete character at their end, whose length is returned.
    fn pass_on(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut start = 0;
        while start < bytes.len() {
            let piece = &bytes[start..bytes.len().min(start + MAX_PIECE_BYTES)];
            let mut incomplete = 0;
            if let Ok(text) = simdutf8::basic::from_utf8(piece) {
                self.emit(text)?;
            } else {
                let text = self.repair(piece, &mut incomplete);
                self.emit(&text)?;
            }
            start += piece.len() - incomplete;
            if start + incomplete == bytes.len() {
                return Ok(incomplete);
            }
        }
        Ok(0)
    }

    /// Returns the text of a piece with U+FFFD in place of each part that is not UTF-8, but for an
    /// incomplete character at its end, of which it takes the length. It is one text because a
    /// binary file may have a broken part in every other byte.
    fn repair(&mut self, piece: &[u8], incomplete: &mut usize) -> String {
        let mut text = String::with_capacity(piece.len() + piece.len() / 2);
        let mut offset = 0;
        for chunk in piece.utf8_chunks() {
            let invalid = chunk.invalid();
            text.push_str(chunk.valid());
            offset += chunk.valid().len() + invalid.len();
            if invalid.is_empty() {
                continue;
            }
            let goes_on = |broken: Utf8Error| broken.error_len().is_none();
            if offset == piece.len() && str::from_utf8(invalid).is_err_and(goes_on) {
                *incomplete = invalid.len();
            } else {
                self.is_repaired = true;
                text.push('\u{FFFD}');
            }
        }
        text
    }

    fn emit(&mut self, text: &str) -> io::Result<()> {
        match &mut self.sink {
            TextSink::Json {
                out,
                progress: at,
                escaped,
                measure,
            } => {
                escaped.clear();
                json_escape_simd::escape_into(text, escaped);
                // The escaper adds quotes, which this string writes itself.
                let inner = escaped.len() - 1;
                at.spent += match measure {
                    TextMeasure::Json => inner - 1,
                    TextMeasure::Plain | TextMeasure::Lines(_) => measure.cost(text.as_bytes()),
                };
                out.write_all(&escaped[1..inner])
            }
            TextSink::Viewer(viewer, name) => viewer.text(name, text),
        }
    }
}

impl Write for Text<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_full() {
            return Ok(bytes.len());
        }
        if let Some(mut speller) = self.spelling.take() {
            let spelled = speller.spelled(bytes);
            let written = self.write_all(&spelled);
            self.spelling = Some(speller);
            return written.map(|()| bytes.len());
        }
        if let TextSink::Viewer(viewer, name) = &mut self.sink
            && viewer.takes_bytes()
        {
            viewer.bytes(name, bytes)?;
            return Ok(bytes.len());
        }
        if let Some(bounded) = &mut self.bounded {
            bounded.hold(bytes);
            return Ok(bytes.len());
        }
        if self.pending.len() + bytes.len() <= MAX_PIECE_BYTES {
            if self.pending.capacity() == 0 {
                self.pending.reserve_exact(MAX_PIECE_BYTES);
            }
            self.pending.extend_from_slice(bytes);
            return Ok(bytes.len());
        }
        let mut pending = std::mem::take(&mut self.pending);
        let unsent_bytes = self.pass_on(&pending)?;
        pending.drain(..pending.len() - unsent_bytes);
        // A character that began in the last write is completed; that takes four bytes at most.
        let mut taken = 0;
        while !pending.is_empty() && taken < bytes.len() {
            pending.push(bytes[taken]);
            taken += 1;
            let unsent_bytes = self.pass_on(&pending)?;
            pending.drain(..pending.len() - unsent_bytes);
        }
        if pending.is_empty() {
            let unsent_bytes = self.pass_on(&bytes[taken..])?;
            pending.extend_from_slice(&bytes[bytes.len() - unsent_bytes..]);
        }
        self.pending = pending;
        Ok(bytes.len())
    }

    /// Shows a viewer everything so far. Readers of JSON wait for the end anyway, and larger pieces
    /// are faster for them.
    fn flush(&mut self) -> io::Result<()> {
        match self.sink {
            TextSink::Json { .. } => Ok(()),
            TextSink::Viewer(..) => self.send(),
        }
    }
}
