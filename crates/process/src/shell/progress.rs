//! Reports of a command's last line of output while it runs.

use std::io::{self, Write};
use std::time::{Duration, Instant};

/// Minimum time between two reports.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// Maximum length of a line that is reported.
const MAX_LINE_BYTES: usize = 200;

/// The last whole line of some output. A carriage return ends a line too, because programs
/// overwrite their progress with it.
pub struct LastLine {
    report: fn(&[u8]),
    /// The last whole line that is not empty, as far as it is reported; empty once it has been.
    whole: Vec<u8>,
    /// The beginning of an incomplete line.
    begun: Vec<u8>,
    /// The time of the last report.
    reported: Option<Instant>,
}

impl LastLine {
    /// Reports to `report`, beginning with the first line.
    pub fn new(report: fn(&[u8])) -> Self {
        Self {
            report,
            whole: Vec::new(),
            begun: Vec::new(),
            reported: None,
        }
    }

    /// A writer that passes everything on to `sink` and keeps the last line.
    pub fn watch<'a>(&'a mut self, sink: &'a mut dyn Write) -> ProgressWriter<'a> {
        ProgressWriter { line: self, sink }
    }

    /// The time at which a line that has not been reported may be; `None` if there is no such line.
    pub fn due(&self) -> Option<Instant> {
        if self.whole.is_empty() {
            return None;
        }
        Some(
            self.reported
                .map_or_else(Instant::now, |reported| reported + REPORT_INTERVAL),
        )
    }

    /// Reports the last line if it is time for that.
    pub fn report_if_due(&mut self) {
        if self.due().is_some_and(|due| due <= Instant::now()) {
            (self.report)(trim_incomplete_character(&self.whole));
            self.whole.clear();
            self.reported = Some(Instant::now());
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        let Some(end) = memchr::memrchr2(b'\n', b'\r', bytes) else {
            self.begin_line(bytes);
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
        self.begin_line(line);
        if !self.begun.is_empty() {
            self.whole = std::mem::take(&mut self.begun);
        }
        self.begin_line(&bytes[end + 1..]);
    }

    fn begin_line(&mut self, bytes: &[u8]) {
        let room = MAX_LINE_BYTES - self.begun.len();
        self.begun
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

/// See [`LastLine::watch`].
pub struct ProgressWriter<'a> {
    line: &'a mut LastLine,
    sink: &'a mut dyn Write,
}

impl Write for ProgressWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink.write_all(bytes)?;
        self.line.push(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

/// `text` without an incomplete character at its end.
fn trim_incomplete_character(text: &[u8]) -> &[u8] {
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
            line.push(piece.as_bytes());
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
        assert_eq!(
            last_of(&["x".repeat(900).as_str(), "\n"]).len(),
            MAX_LINE_BYTES
        );
    }

    #[test]
    fn a_line_is_told_at_once_and_the_next_one_a_second_later() {
        let mut line = LastLine::new(|_| ());
        assert_eq!(line.due(), None);
        line.push(b"a\n");
        assert!(line.due().is_some_and(|due| due <= Instant::now()));
        line.report_if_due();
        line.push(b"b\n");
        assert!(line.due().is_some_and(|due| due > Instant::now()));
        line.report_if_due();
        assert_eq!(line.whole, b"b");
        assert_eq!(trim_incomplete_character(b"a\xc3"), b"a");
    }
}
