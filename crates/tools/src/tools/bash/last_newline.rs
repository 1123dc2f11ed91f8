//! A command's output without its last newline.

use std::io::{self, Write};

use super::MAX_EXAMINED_BYTES;

/// Passes on what is written, but for a newline at the very end.
pub struct WithoutLastNewline<W> {
    pub text: W,
    /// True if a newline waits for more to come.
    pub holds_newline: bool,
    /// True if something was passed on.
    pub has_text: bool,
    /// The last [`MAX_EXAMINED_BYTES`] bytes that were written.
    pub end: Vec<u8>,
}

impl<W: Write> Write for WithoutLastNewline<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some((last, before)) = bytes.split_last() else {
            return Ok(0);
        };
        if std::mem::take(&mut self.holds_newline) {
            self.text.write_all(b"\n")?;
            self.has_text = true;
        }
        self.holds_newline = *last == b'\n';
        let passed_on = if self.holds_newline { before } else { bytes };
        self.has_text |= !passed_on.is_empty();
        self.text.write_all(passed_on)?;
        self.keep_end(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.text.flush()
    }
}

impl<W> WithoutLastNewline<W> {
    pub fn new(text: W) -> Self {
        Self {
            text,
            holds_newline: false,
            has_text: false,
            end: Vec::new(),
        }
    }

    fn keep_end(&mut self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(MAX_EXAMINED_BYTES)..];
        let surplus = (self.end.len() + bytes.len()).saturating_sub(MAX_EXAMINED_BYTES);
        self.end.drain(..surplus);
        self.end.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_last_newline_is_left_out() {
        for (pieces, expected) in [
            (vec!["a\n", "\n", "b\n"], "a\n\nb"),
            (vec!["\n"], ""),
            (vec!["\n", "\n"], "\n"),
            (vec!["a", "\r\n"], "a\r"),
            (vec![], ""),
        ] {
            let mut output = WithoutLastNewline::new(Vec::new());
            for piece in pieces {
                output.write_all(piece.as_bytes()).unwrap();
            }
            assert_eq!(output.text, expected.as_bytes());
            assert_eq!(output.has_text, !expected.is_empty());
        }
    }
}
