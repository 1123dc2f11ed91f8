//! A command's output as its last state on a terminal: without escape sequences, and of a line that
//! was written over and over the last version alone.
//!
//! Rules: the decisions on our own doors (7).

use std::io::{self, Write};

/// The most bytes of a line that are held, because they may be written over.
const LONGEST_HELD: usize = 64 << 10;

/// Passes on what is written, as a terminal would show it in the end.
pub struct TerminalText<W> {
    parser: vte::Parser,
    line: HeldLine<W>,
}

/// The line that is being written.
struct HeldLine<W> {
    out: W,
    held: String,
    /// True if the next character is the first of a new version.
    is_returned: bool,
    failed: Option<io::Error>,
}

impl<W: Write> TerminalText<W> {
    pub fn new(out: W) -> Self {
        Self {
            parser: vte::Parser::new(),
            line: HeldLine {
                out,
                held: String::new(),
                is_returned: false,
                failed: None,
            },
        }
    }

    /// Passes on the last line, which has no line feed, and returns what was written to.
    pub fn finish(mut self) -> io::Result<W> {
        self.line.pass_on();
        self.line.failed.map_or(Ok(self.line.out), Err)
    }
}

impl<W: Write> Write for TerminalText<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.parser.advance(&mut self.line, bytes);
        self.line.failed.take().map_or(Ok(bytes.len()), Err)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.line.out.flush()
    }
}

impl<W: Write> HeldLine<W> {
    fn pass_on(&mut self) {
        if let Err(error) = self.out.write_all(self.held.as_bytes()) {
            self.failed.get_or_insert(error);
        }
        self.held.clear();
    }
}

impl<W: Write> vte::Perform for HeldLine<W> {
    fn print(&mut self, character: char) {
        if std::mem::take(&mut self.is_returned) {
            self.held.clear();
        }
        self.held.push(character);
        if self.held.len() >= LONGEST_HELD {
            self.pass_on();
        }
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\n' => {
                // The file's own line ends stay.
                self.held
                    .push_str(if self.is_returned { "\r\n" } else { "\n" });
                self.is_returned = false;
                self.pass_on();
            }
            b'\r' => self.is_returned = true,
            b'\x08' => drop(self.held.pop()),
            other => self.print(char::from(other)),
        }
    }

    fn csi_dispatch(&mut self, parameters: &vte::Params, _: &[u8], _: bool, action: char) {
        let column = parameters.iter().next().and_then(|one| one.first());
        if action == 'G' && column.is_none_or(|column| *column <= 1) {
            self.is_returned = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_shown_in_its_last_state_and_sequences_are_taken_out() {
        for (written, expected) in [
            ("plain\n\nlines", "plain\n\nlines"),
            ("\x1b[1;31mred\x1b[0m\n", "red\n"),
            ("10 %\r50 %\r100 %\ndone\n", "100 %\ndone\n"),
            ("10 %\r\x1b[K100 %", "100 %"),
            ("10 %\x1b[1G100 %\r\n", "100 %\r\n"),
            ("a\r\nb\r\n\r\n", "a\r\nb\r\n\r\n"),
            ("|\x08/\x08-\x08done", "done"),
            ("N\x08NA\x08A\tx", "NA\tx"),
            (
                "\x1b]0;title\x07text\x1b]8;;http://x/\x1b\\link\x1b]8;;\x1b\\",
                "textlink",
            ),
            ("nul \0 bell \x07", "nul \0 bell \x07"),
            ("half \x1b[3", "half "),
            ("é日本\u{1f600}\r\u{e9}", "é"),
        ] {
            for size in [1, 3, 1000] {
                let mut text = TerminalText::new(Vec::new());
                for piece in written.as_bytes().chunks(size) {
                    text.write_all(piece).unwrap();
                }
                let shown = String::from_utf8(text.finish().unwrap()).unwrap();
                assert_eq!(shown, expected, "{written:?} in {size}");
            }
        }
    }

    #[test]
    fn a_line_without_an_end_takes_no_memory() {
        let mut text = TerminalText::new(io::sink());
        for _ in 0..200 {
            text.write_all(&[b'x'; 10_000]).unwrap();
        }
        assert!(text.line.held.capacity() <= 4 * LONGEST_HELD);
    }
}
