//! A command's output as its last state on a terminal: without escape sequences, and of a line that
//! was overwritten what is there in the end, each character being one column wide.
//!
//! Rules: the decisions on MCP and the command line (7).

use std::collections::VecDeque;
use std::io::{self, Write};

/// Maximum length of a line that is buffered because a carriage return may overwrite it.
const MAX_HELD_LINE_BYTES: usize = 64 << 10;

/// Maximum number of lines above it that are held, because a program may move the cursor up to
/// them.
const MAX_HELD_LINES: usize = 64;

/// Maximum length of a line to which a program moves the cursor up.
const MAX_LINE_ABOVE_BYTES: usize = 1024;

/// Passes on what is written, as a terminal would show it in the end.
pub struct TerminalText<W> {
    parser: vte::Parser,
    lines: HeldLines,
    out: W,
}

/// The lines that may be written over.
#[derive(Default)]
struct HeldLines {
    /// The text that is passed on next.
    ready: Vec<u8>,
    above: VecDeque<String>,
    /// The most lines above the cursor.
    max_above: usize,
    /// The line in which the cursor is.
    line: String,
    /// The lines below the cursor, nearest last.
    below: Vec<String>,
    /// The offset in `line` at which the next character is written.
    cursor: usize,
    /// True if the cursor is at the line's start because of a carriage return.
    is_returned: bool,
}

impl<W: Write> TerminalText<W> {
    /// Makes one that writes to `out`.
    #[must_use]
    pub fn new(out: W) -> Self {
        Self::holding(MAX_HELD_LINES, out)
    }

    /// Makes one that passes on each line as soon as it ends, for somebody who is watching.
    #[must_use]
    pub fn line_by_line(out: W) -> Self {
        Self::holding(0, out)
    }

    fn holding(max_above: usize, out: W) -> Self {
        Self {
            parser: vte::Parser::new(),
            out,
            lines: HeldLines {
                max_above,
                ..HeldLines::default()
            },
        }
    }

    /// The lines that are held, as they are now, and the place to which the others go.
    pub(super) fn held(&mut self) -> (String, &mut W) {
        let HeldLines {
            above, line, below, ..
        } = &self.lines;
        let lines = above.iter().chain([line]).chain(below.iter().rev());
        let lines: Vec<&str> = lines.map(String::as_str).collect();
        (lines.join("\n"), &mut self.out)
    }

    /// Passes on the last lines, and returns what was written to.
    pub fn finish(mut self) -> io::Result<W> {
        self.lines.pass_on();
        self.write_ready()?;
        Ok(self.out)
    }

    fn write_ready(&mut self) -> io::Result<()> {
        self.out.write_all(&self.lines.ready)?;
        self.lines.ready.clear();
        Ok(())
    }
}

impl<W: Write> Write for TerminalText<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.parser.advance(&mut self.lines, bytes);
        // Who watches is shown a question, too.
        if self.lines.max_above == 0 && self.lines.line.ends_with(' ') {
            self.lines.pass_on();
        }
        self.write_ready()?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl HeldLines {
    fn write(&mut self, text: &str) {
        self.ready.extend_from_slice(text.as_bytes());
    }

    /// Passes on all lines, but for empty ones below the cursor: they were cleared.
    fn pass_on(&mut self) {
        self.cursor = 0;
        let line = std::mem::take(&mut self.line);
        let below = self.below.drain(..).skip_while(String::is_empty);
        let below = below.collect::<Vec<_>>().into_iter().rev();
        let lines = self.above.drain(..).chain([line]).chain(below);
        let lines = lines.collect::<Vec<_>>().join("\n");
        self.write(&lines);
    }

    fn begin_line(&mut self) {
        self.cursor = 0;
        if !self.below.is_empty() {
            return self.move_cursor(false, 1);
        }
        if self.line.len() > MAX_LINE_ABOVE_BYTES {
            self.pass_on();
            return self.write("\n");
        }
        self.above.push_back(std::mem::take(&mut self.line));
        if self.above.len() > self.max_above
            && let Some(mut first) = self.above.pop_front()
        {
            first.push('\n');
            self.write(&first);
            // Its memory is used again.
            first.clear();
            self.line = first;
        }
    }

    /// The number of characters before the cursor.
    fn column(&self) -> usize {
        self.line[..self.cursor].chars().count()
    }

    /// Moves the cursor within the line, to its end at most.
    fn set_column(&mut self, column: usize) {
        let line = self.line.trim_end_matches('\r');
        let offset = line.char_indices().nth(column);
        self.cursor = offset.map_or(line.len(), |(offset, _)| offset);
    }

    /// Moves the cursor back by some characters, to the line's start at most.
    fn move_back(&mut self, count: u16) {
        let before = self.line[..self.cursor].char_indices().rev();
        let offset = before.take(count.into()).last();
        self.cursor = offset.map_or(self.cursor, |(offset, _)| offset);
    }

    /// Moves the cursor ahead by some characters, to the line's end at most.
    fn move_ahead(&mut self, count: u16) {
        let after = self.line[self.cursor..].trim_end_matches('\r');
        let offset = after.char_indices().nth(count.into());
        self.cursor += offset.map_or(after.len(), |(offset, _)| offset);
    }

    /// Moves the cursor up or down, in its column if the line is as long.
    fn move_cursor(&mut self, up: bool, lines: u16) {
        let column = self.column();
        for _ in 0..lines {
            let line = std::mem::take(&mut self.line);
            if up && let Some(above) = self.above.pop_back() {
                self.below.push(line);
                self.line = above;
            } else if !up && let Some(below) = self.below.pop() {
                self.above.push_back(line);
                self.line = below;
            } else {
                self.line = line;
            }
        }
        self.set_column(column);
    }
}

impl vte::Perform for HeldLines {
    fn print(&mut self, character: char) {
        self.is_returned = false;
        match self.line[self.cursor..].chars().next() {
            None => self.line.push(character),
            Some(overwritten) => {
                let end = self.cursor + overwritten.len_utf8();
                self.line
                    .replace_range(self.cursor..end, character.encode_utf8(&mut [0; 4]));
            }
        }
        self.cursor += character.len_utf8();
        if self.line.len() >= MAX_HELD_LINE_BYTES {
            self.pass_on();
        }
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\n' => {
                // A CRLF that the command wrote stays CRLF.
                if std::mem::take(&mut self.is_returned) && !self.line.ends_with('\r') {
                    self.line.push('\r');
                }
                self.begin_line();
            }
            b'\r' => (self.cursor, self.is_returned) = (0, true),
            b'\x08' => self.move_back(1),
            // A control character of eight bits can hardly be meant: it is a byte that is no UTF-8.
            0x80.. => self.print(char::REPLACEMENT_CHARACTER),
            other => self.print(char::from(other)),
        }
    }

    fn csi_dispatch(&mut self, parameters: &vte::Params, _: &[u8], _: bool, action: char) {
        let first = parameters.iter().next().and_then(|one| one.first());
        let first = first.copied().unwrap_or(0);
        match action {
            'A' | 'B' | 'E' | 'F' => {
                if matches!(action, 'E' | 'F') {
                    self.cursor = 0;
                }
                self.move_cursor(matches!(action, 'A' | 'F'), first.max(1));
            }
            'C' => self.move_ahead(first.max(1)),
            'D' => self.move_back(first.max(1)),
            'G' => self.set_column(usize::from(first.max(1)) - 1),
            'J' | 'K' if first == 0 || first == 2 && action == 'K' => {
                if action == 'J' {
                    self.below.clear();
                }
                if first == 2 {
                    self.cursor = 0;
                }
                self.line.truncate(self.cursor);
                self.is_returned &= !self.line.is_empty();
            }
            _ => {}
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
            ("2/3\r\x1b[Kdone\n3/3\r\x1b[K", "done\n"),
            ("2/3\x1b[2K\r\n", "\r\n"),
            ("a \x1b[31m\x1b[Kred\x1b[m\x1b[K b", "a red b"),
            ("a: 1\nb: 1\n\x1b[2Aa: 2\nb: 2\nend", "a: 2\nb: 2\nend"),
            (
                "a: 1\r\nb: 1\r\n\x1b[2A\x1b[2K\ra: 2\r\x1b[2B\x1b[1A\x1b[2K\rb: 2\r\x1b[1Bend\r\n",
                "a: 2\nb: 2\nend\r\n",
            ),
            (
                "1\n2\n\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2K\x1b[Gdone",
                "done",
            ),
            ("1\n2\n\x1b[2F\x1b[Jdone\nand more", "done\nand more"),
            ("1\n2\n\x1b[99A3\n", "3\n2"),
            ("1\n2\n\n\n", "1\n2\n\n\n"),
            ("é日本\u{1f600}\rE\u{e9}", "Eé本\u{1f600}"),
            ("[    ] a.c\r[ OK ]\n", "[ OK ] a.c\n"),
            ("abcdef\rXY\x1b[K\r\nabcdef\x1b[2D\x1b[CX", "XY\r\nabcdeX"),
            ("one\r\ntwo\x1b[A!\n", "one!\ntwo"),
            ("é日本\x1b[2DE\x1b[9CX\x1b[9D\x1b[C!", "é!本X"),
        ] {
            for size in [1, 3, 1000] {
                let mut text = TerminalText::new(Vec::new());
                for piece in written.as_bytes().chunks(size) {
                    text.write_all(piece).unwrap();
                }
                let output = String::from_utf8(text.finish().unwrap()).unwrap();
                assert_eq!(output, expected, "{written:?} in {size}");
            }
        }
    }

    #[test]
    fn who_watches_is_shown_each_line_when_it_ends() {
        let mut text = TerminalText::line_by_line(Vec::new());
        for (written, shown) in [
            ("\x1b[31mred\x1b[0m\n1 of", "red\n"),
            (" 3\r3 of 3\n\n\x1b[9Aend", "red\n3 of 3\n\n"),
        ] {
            text.write_all(written.as_bytes()).unwrap();
            assert_eq!(String::from_utf8_lossy(&text.out), shown);
        }
        assert_eq!(text.finish().unwrap(), b"red\n3 of 3\n\nend");
    }

    #[test]
    fn bytes_that_are_no_characters_are_replaced() {
        let mut text = TerminalText::new(Vec::new());
        text.write_all(b"\x80 \x93quoted\x94 caf\xe9 \x9b1m\n")
            .unwrap();
        let output = String::from_utf8(text.finish().unwrap()).unwrap();
        assert_eq!(
            output,
            "\u{fffd} \u{fffd}quoted\u{fffd} caf\u{fffd} \u{fffd}1m\n"
        );
    }

    #[test]
    fn the_last_lines_are_held_and_no_others() {
        let lines = |last: u32| (1..=last).fold(String::new(), |all, n| all + &format!("{n}\n"));
        let mut text = TerminalText::new(Vec::new());
        text.write_all(lines(1_000).as_bytes()).unwrap();
        assert_eq!(text.out, lines(1_000 - 64).as_bytes());
        let output = String::from_utf8(text.finish().unwrap()).unwrap();
        assert_eq!(output, lines(1_000));
    }

    #[test]
    fn a_line_without_an_end_takes_no_memory() {
        let mut text = TerminalText::new(io::sink());
        for _ in 0..200 {
            text.write_all(&[b'x'; 10_000]).unwrap();
        }
        assert!(text.lines.line.capacity() <= 4 * MAX_HELD_LINE_BYTES);
    }
}
