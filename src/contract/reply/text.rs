//! A field of text on its way out, repaired where it is no UTF-8 and escaped where it is to be
//! JSON.
//!
//! Rules: the decisions on the host's calls (5, 9).

use std::io::{self, Write};

use super::{ObjectProgress, Viewer};
use crate::contract::bounded::{BoundedText, Truncation};

/// How much text is gathered before it is checked, escaped and passed on, in bytes.
pub(super) const PIECE: usize = 64 * 1024;

/// Text on its way out: takes any bytes, passes on UTF-8, escaped where it is to be JSON. It must
/// be closed.
pub struct Text<'w> {
    pub(super) sink: TextSink<'w>,
    /// Bytes not yet passed on: small writes, or the beginning of a character.
    pub(super) pending: Vec<u8>,
    /// Where there is a limit, what is kept back until it is known how much of it has room.
    pub(super) kept: Option<BoundedText>,
    /// Whether any of what was passed on was no UTF-8.
    pub(super) repaired: bool,
}

/// Where it goes.
pub(super) enum TextSink<'w> {
    Json {
        out: &'w mut dyn Write,
        at: &'w mut ObjectProgress,
        escaped: Vec<u8>,
        /// The reader counts bytes before they are escaped.
        plain: bool,
    },
    Viewer(&'w mut dyn Viewer, String),
}

impl Text<'_> {
    /// Whether nothing more of the text will be shown, since there is no room for it.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.kept.as_ref().is_some_and(BoundedText::is_full)
    }

    /// Sends what has come to its reader, but for half a character, and what is kept back until it
    /// is known how much of it has room.
    pub fn send(&mut self) -> io::Result<()> {
        let mut pending = std::mem::take(&mut self.pending);
        let rest = self.pass_on(&pending)?;
        pending.drain(..pending.len() - rest);
        self.pending = pending;
        match &mut self.sink {
            TextSink::Json { out, .. } => out.flush(),
            TextSink::Viewer(viewer, _) => viewer.flush(),
        }
    }

    /// Writes all of `record`, or, where there is no room for it, nothing of it, and then nothing
    /// more; only the first one is shown as far as there is room. Whether it was written whole
    /// comes back.
    pub fn record(&mut self, record: &[u8]) -> io::Result<bool> {
        match &mut self.kept {
            Some(kept) => Ok(kept.record(record)),
            None => self.write_all(record).map(|()| true),
        }
    }

    /// Passes on what is left and closes the string. Where it was cut, if there was no room for all
    /// of it, comes back.
    pub fn close(self) -> io::Result<Option<Truncation>> {
        Ok(self.close_and_check()?.0)
    }

    /// The same, and whether any of it was no UTF-8.
    pub fn close_and_check(mut self) -> io::Result<(Option<Truncation>, bool)> {
        let mut cut = None;
        if let Some(kept) = self.kept.take() {
            let (shown, behind) = kept.finish();
            self.write_all(&shown)?;
            cut = behind;
        }
        let pending = std::mem::take(&mut self.pending);
        let rest = self.pass_on(&pending)?;
        if rest > 0 {
            self.repaired = true;
            self.put("\u{FFFD}")?;
        }
        let repaired = self.repaired;
        match self.sink {
            TextSink::Json { out, at, .. } => {
                out.write_all(b"\"")?;
                at.in_text = false;
            }
            TextSink::Viewer(..) => {}
        }
        Ok((cut, repaired))
    }

    /// Passes on `bytes` but for the last few when they begin a character and do not end it: their
    /// number comes back.
    fn pass_on(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut start = 0;
        while start < bytes.len() {
            let piece = &bytes[start..bytes.len().min(start + PIECE)];
            let last = start + piece.len() == bytes.len();
            match simdutf8::compat::from_utf8(piece) {
                Ok(text) => {
                    self.put(text)?;
                    start += piece.len();
                }
                Err(broken) => {
                    let (valid, rest) = piece.split_at(broken.valid_up_to());
                    for chunk in valid.utf8_chunks() {
                        self.put(chunk.valid())?;
                    }
                    start += valid.len();
                    match broken.error_len() {
                        Some(length) => {
                            self.repaired = true;
                            self.put("\u{FFFD}")?;
                            start += length;
                        }
                        None if last => return Ok(rest.len()),
                        None => {}
                    }
                }
            }
        }
        Ok(0)
    }

    fn put(&mut self, text: &str) -> io::Result<()> {
        match &mut self.sink {
            TextSink::Json {
                out,
                at,
                escaped,
                plain,
            } => {
                escaped.clear();
                json_escape_simd::escape_into(text, escaped);
                // The escaper writes whole strings; the quotes are this string's own business.
                let inner = escaped.len() - 1;
                at.spent += if *plain { text.len() } else { inner - 1 };
                out.write_all(&escaped[1..inner])
            }
            TextSink::Viewer(viewer, name) => viewer.text(name, text),
        }
    }
}

impl Write for Text<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let TextSink::Viewer(viewer, name) = &mut self.sink
            && viewer.takes_bytes()
        {
            viewer.bytes(name, bytes)?;
            return Ok(bytes.len());
        }
        if let Some(kept) = &mut self.kept {
            kept.take(bytes);
            return Ok(bytes.len());
        }
        if self.pending.len() + bytes.len() <= PIECE {
            if self.pending.capacity() == 0 {
                self.pending.reserve_exact(PIECE);
            }
            self.pending.extend_from_slice(bytes);
            return Ok(bytes.len());
        }
        let mut pending = std::mem::take(&mut self.pending);
        let rest = self.pass_on(&pending)?;
        pending.drain(..pending.len() - rest);
        // A character that began in the last write ends in this one: four bytes settle it either
        // way.
        let mut taken = 0;
        while !pending.is_empty() && taken < bytes.len() {
            pending.push(bytes[taken]);
            taken += 1;
            let rest = self.pass_on(&pending)?;
            pending.drain(..pending.len() - rest);
        }
        if pending.is_empty() {
            let rest = self.pass_on(&bytes[taken..])?;
            pending.extend_from_slice(&bytes[bytes.len() - rest..]);
        }
        self.pending = pending;
        Ok(bytes.len())
    }

    /// Shows a viewer what has come. A JSON reader waits for the end anyway, and is better served
    /// in larger pieces.
    fn flush(&mut self) -> io::Result<()> {
        match self.sink {
            TextSink::Json { .. } => Ok(()),
            TextSink::Viewer(..) => self.send(),
        }
    }
}
