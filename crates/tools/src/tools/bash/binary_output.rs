//! A command's output on its way to a model: as a terminal would show it, or as bytes, if most of
//! them are no text.

use std::io::{self, Write};

use iki_files::binary_kind;
use iki_process::shell::TerminalText;

/// The bytes at the beginning that decide.
const SAMPLE_BYTES: usize = 16 * 1024;

/// The shortest output that is no text; shorter ones are easily shown.
const MIN_BYTES: usize = 64;

/// A writer that passes on text as a terminal would show it, and other bytes as they are.
pub enum TextOrBytes<W: Write> {
    /// Not decided: the beginning.
    Beginning(Vec<u8>, W),
    Text(Box<TerminalText<W>>),
    /// The nature of the bytes, and where they go.
    Bytes(String, W),
    /// A state that is over.
    Moved,
}

impl<W: Write> TextOrBytes<W> {
    pub fn new(out: W) -> Self {
        Self::Beginning(Vec::new(), out)
    }

    /// Decides by the beginning, and passes it on.
    fn decide(&mut self) -> io::Result<()> {
        let Self::Beginning(beginning, mut out) = std::mem::replace(self, Self::Moved) else {
            return Ok(());
        };
        if is_mostly_no_text(&beginning) {
            out.write_all(&beginning)?;
            *self = Self::Bytes(nature(&beginning), out);
        } else {
            let mut text = Box::new(TerminalText::new(out));
            text.write_all(&beginning)?;
            *self = Self::Text(text);
        }
        Ok(())
    }

    /// Passes on the rest. Returns what was written to, and the nature of bytes that are no text.
    pub fn finish(mut self) -> io::Result<(W, Option<String>)> {
        if let Self::Beginning(..) = self {
            self.decide()?;
        }
        match self {
            Self::Text(text) => Ok((text.finish()?, None)),
            Self::Bytes(nature, out) => Ok((out, Some(nature))),
            Self::Beginning(_, out) => Ok((out, None)),
            Self::Moved => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

impl<W: Write> Write for TextOrBytes<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Beginning(beginning, _) => {
                beginning.extend_from_slice(bytes);
                if beginning.len() >= SAMPLE_BYTES {
                    self.decide()?;
                }
            }
            Self::Text(text) => text.write_all(bytes)?,
            Self::Bytes(_, out) => out.write_all(bytes)?,
            Self::Moved => return Err(io::ErrorKind::BrokenPipe.into()),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Text(text) => text.flush(),
            _ => Ok(()),
        }
    }
}

/// True if three of ten bytes are no text, some of them control characters: text in an encoding
/// that is not known has none of these.
fn is_mostly_no_text(bytes: &[u8]) -> bool {
    let is_control = |byte: &&u8| **byte < 0x20 && !b"\t\n\r\x0c\x08\x07\x1b".contains(byte);
    let controls = bytes.iter().filter(is_control).count();
    let broken: usize = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    bytes.len() >= MIN_BYTES
        && controls * 20 >= bytes.len()
        && (controls + broken) * 10 >= bytes.len() * 3
}

/// The kind of the bytes, to follow their size.
fn nature(bytes: &[u8]) -> String {
    let wide =
        binary_kind::wide_encoding(bytes).or(iki_base::text_encoding::wide_without_mark(bytes));
    match (wide, binary_kind::detect(bytes)) {
        (Some(encoding), _) => format!(": {encoding} text"),
        (None, Some(kind)) if kind.words != "unknown kind" => format!(": {}", kind.words),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_told_from_text() {
        let program = [&b"\x7FELF\x02\x01\x01"[..], &[0; 200], b"GLIBC"].concat();
        for (written, nature) in [
            (&program[..], Some(": ELF program, library or object")),
            (&[7, 0, 0xFF].repeat(40_000), Some("")),
            (&b"k\0=\0v\0\r\0\n\0".repeat(20), Some(": UTF-16LE text")),
            (b"a\0b", None),
            (&b"some/file\0".repeat(30), None),
            (&b"caf\xe9 \x83\x65\x83\x58".repeat(30), None),
            (&b"\x1b[31mred\x1b[0m\x07".repeat(30), None),
        ] {
            for size in [1, 100_000] {
                let mut sink = TextOrBytes::new(Vec::new());
                for piece in written.chunks(size) {
                    sink.write_all(piece).unwrap();
                }
                let (out, actual) = sink.finish().unwrap();
                assert_eq!(actual.as_deref(), nature);
                if nature.is_some() {
                    assert_eq!(out, written);
                }
            }
        }
    }
}
