//! What a command wrote last, for whoever waits for it.

use std::io::{self, Write};
use std::time::{Duration, Instant};

/// How often it is told, at most.
const EVERY: Duration = Duration::from_secs(1);

/// How much of a line is told, in bytes.
const LONGEST: usize = 200;

/// The last whole line of what goes by. A carriage return ends a line too: that is how programs
/// write progress over itself.
pub struct LastLine {
    tell: fn(&[u8]),
    /// The last whole line with something in it, as far as it is told; empty once it has been.
    whole: Vec<u8>,
    /// The beginning of the line that is not at its end.
    begun: Vec<u8>,
    /// When something was told last.
    told: Option<Instant>,
}

impl LastLine {
    /// Tells `tell`, beginning with the first line.
    pub fn new(tell: fn(&[u8])) -> Self {
        Self {
            tell,
            whole: Vec::new(),
            begun: Vec::new(),
            told: None,
        }
    }

    /// A writer that passes on to `sink` and watches what goes by.
    pub fn beside<'a, W: Write>(&'a mut self, sink: &'a mut W) -> ProgressWriter<'a, W> {
        ProgressWriter { line: self, sink }
    }

    /// When the line that has not been told yet may be told; `None` where there is none.
    pub fn due(&self) -> Option<Instant> {
        if self.whole.is_empty() {
            return None;
        }
        Some(self.told.map_or_else(Instant::now, |told| told + EVERY))
    }

    /// Tells the last line, where it is time for that.
    pub fn tell_if_due(&mut self) {
        if self.due().is_some_and(|due| due <= Instant::now()) {
            (self.tell)(until_character(&self.whole));
            self.whole.clear();
            self.told = Some(Instant::now());
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        let Some(end) = memchr::memrchr2(b'\n', b'\r', bytes) else {
            self.begin(bytes);
            return;
        };
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let written = bytes[..end].iter().rposition(|byte| !is_end(byte));
        let ended = &bytes[..written.map_or(0, |last| last + 1)];
        let line = match memchr::memrchr2(b'\n', b'\r', ended) {
            Some(before) => {
                self.begun.clear();
                &ended[before + 1..]
            }
            None => ended,
        };
        self.begin(line);
        if !self.begun.is_empty() {
            self.whole = std::mem::take(&mut self.begun);
        }
        self.begin(&bytes[end + 1..]);
    }

    fn begin(&mut self, bytes: &[u8]) {
        let room = LONGEST - self.begun.len();
        self.begun
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

/// See [`LastLine::beside`].
pub struct ProgressWriter<'a, W> {
    line: &'a mut LastLine,
    sink: &'a mut W,
}

impl<W: Write> Write for ProgressWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink.write_all(bytes)?;
        self.line.take(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

/// `text` without the beginning of a character at its end.
fn until_character(text: &[u8]) -> &[u8] {
    match std::str::from_utf8(text) {
        Err(error) if error.error_len().is_none() => &text[..error.valid_up_to()],
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last_of(pieces: &[&str]) -> String {
        let mut line = LastLine::new(|_| ());
        for piece in pieces {
            line.take(piece.as_bytes());
        }
        String::from_utf8(line.whole).unwrap()
    }

    #[test]
    fn the_last_whole_line_with_something_in_it_is_known_however_it_comes() {
        for (pieces, last) in [
            (&["a\nb\n"][..], "b"),
            (&["a\nb"], "a"),
            (&["a", "b\nc"], "ab"),
            (&["a", "\n\n", "\n"], "a"),
            (&["a\n\nb", "c\n\n"], "bc"),
            (&["10%\r20%\r3"], "20%"),
            (&["a\r\n"], "a"),
            (&["x", "y\nz\nw"], "z"),
            (&["a"], ""),
            (&["\n"], ""),
        ] {
            assert_eq!(last_of(pieces), last, "{pieces:?}");
        }
        assert_eq!(last_of(&["x".repeat(900).as_str(), "\n"]).len(), LONGEST);
    }

    #[test]
    fn a_line_is_told_at_once_and_the_next_one_a_second_later() {
        let mut line = LastLine::new(|_| ());
        assert_eq!(line.due(), None);
        line.take(b"a\n");
        assert!(line.due().is_some_and(|due| due <= Instant::now()));
        line.tell_if_due();
        line.take(b"b\n");
        assert!(line.due().is_some_and(|due| due > Instant::now()));
        line.tell_if_due();
        assert_eq!(line.whole, b"b");
        assert_eq!(until_character(b"a\xc3"), b"a");
    }
}
