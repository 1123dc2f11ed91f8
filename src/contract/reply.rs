//! JSON out: an answer as it is written, field by field, straight to its reader.
//!
//! Nothing is collected first: a command's output or a search's matches go out as they come,
//! escaped on the way, so that an answer of a gigabyte costs no more memory than one of a line.
//! Text that is not UTF-8 is repaired as the decisions on the host's calls have it (5): U+FFFD in
//! place of each broken part, everything around it kept.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

/// How much text is gathered before it is checked, escaped and passed on, in bytes.
const PIECE: usize = 64 * 1024;

/// How long a field that is not text mostly is, its name included, in bytes.
const SHORT: usize = 64;

/// A tool's answer, prepared: the fields of one JSON object, written when the front end asks for
/// them. This is the second phase of a call, which can only fail as I/O does; see
/// [`Tool::run`](crate::contract::tool::Tool::run).
pub struct Reply<'a>(Box<dyn Fields + 'a>);

/// What writes an answer's fields, once.
trait Fields: FnOnce(&mut Object<'_>) -> io::Result<()> {}

impl<F: FnOnce(&mut Object<'_>) -> io::Result<()>> Fields for F {}

impl<'a> Reply<'a> {
    /// An answer whose fields `write` puts down, in order.
    pub fn new(write: impl FnOnce(&mut Object<'_>) -> io::Result<()> + 'a) -> Self {
        Self(Box::new(write))
    }

    /// Writes the answer's fields into `object`.
    ///
    /// # Errors
    /// Whoever reads the answer takes no more of it.
    pub fn write(self, object: &mut Object<'_>) -> io::Result<()> {
        (self.0)(object)
    }
}

/// A reader who is shown an answer as it comes, and not as JSON: a person.
pub trait Viewer {
    /// A further piece of the text of field `name`.
    fn text(&mut self, name: &str, piece: &str) -> io::Result<()>;

    /// Field `name`, which is not text.
    fn value(&mut self, name: &str, value: Value) -> io::Result<()>;

    /// Nothing more comes for a while: what has come is to be shown.
    fn flush(&mut self) -> io::Result<()>;
}

/// An answer's fields on their way out: as a JSON object, or to a viewer.
pub struct Object<'w>(Sink<'w>);

enum Sink<'w> {
    Json {
        out: &'w mut dyn Write,
        at: Progress,
    },
    Viewer(&'w mut dyn Viewer),
}

/// How far a JSON object has come. Whatever breaks off the writing of one, it breaks off here and
/// not in between: texts go out in whole characters, other fields whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// A field has been written.
    begun: bool,
    /// A text has been opened and not closed.
    in_text: bool,
    /// The field `error` has been written, or `error_code`.
    failed: bool,
}

impl<'w> Object<'w> {
    /// Opens a JSON object on `out`. What is written there comes in whole characters.
    pub fn open(out: &'w mut dyn Write) -> io::Result<Self> {
        out.write_all(b"{")?;
        Ok(Self(Sink::Json {
            out,
            at: Progress::default(),
        }))
    }

    /// Goes on with an object of which `out` has got as much as `at` says.
    pub fn go_on(out: &'w mut dyn Write, at: Progress) -> io::Result<Self> {
        if at.in_text {
            out.write_all(b"\"")?;
        }
        let at = Progress {
            in_text: false,
            ..at
        };
        Ok(Self(Sink::Json { out, at }))
    }

    /// How far a JSON object has come.
    #[must_use]
    pub fn progress(&self) -> Progress {
        match self.0 {
            Sink::Json { at, .. } => at,
            Sink::Viewer(_) => Progress::default(),
        }
    }

    /// Whether it has been written that the call failed.
    #[must_use]
    pub fn says_that_it_failed(&self) -> bool {
        self.progress().failed
    }

    /// Opens an object that `viewer` is shown, field by field.
    pub fn shown(viewer: &'w mut dyn Viewer) -> Self {
        Self(Sink::Viewer(viewer))
    }

    /// Closes the object: nothing more may be written.
    pub fn close(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Sink::Json { out, .. } => out.write_all(b"}"),
            Sink::Viewer(viewer) => viewer.flush(),
        }
    }

    /// A field of any value that serde can write.
    pub fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> io::Result<()> {
        match &mut self.0 {
            Sink::Json { out, at } => {
                let mut field = Vec::with_capacity(SHORT);
                begin(&mut field, *at, name)?;
                serde_json::to_writer(&mut field, value)?;
                out.write_all(&field)?;
                at.begun = true;
                at.failed |= name.starts_with("error");
                Ok(())
            }
            Sink::Viewer(viewer) => match serde_json::to_value(value)? {
                Value::String(text) => viewer.text(name, &text),
                value => viewer.value(name, value),
            },
        }
    }

    /// A field of text, as the bytes of it come.
    pub fn text(&mut self, name: &str) -> io::Result<Text<'_>> {
        let sink = match &mut self.0 {
            Sink::Json { out, at } => {
                begin(*out, *at, name)?;
                out.write_all(b"\"")?;
                at.begun = true;
                at.in_text = true;
                TextSink::Json {
                    out: &mut **out,
                    at,
                    escaped: Vec::new(),
                }
            }
            Sink::Viewer(viewer) => TextSink::Viewer(&mut **viewer, name.to_owned()),
        };
        Ok(Text {
            sink,
            pending: Vec::new(),
        })
    }

    /// A field of text that is all there.
    pub fn whole_text(&mut self, name: &str, value: &[u8]) -> io::Result<()> {
        let mut text = self.text(name)?;
        text.write_all(value)?;
        text.close()
    }
}

/// Begins field `name` of a JSON object.
fn begin(out: &mut dyn Write, at: Progress, name: &str) -> io::Result<()> {
    if at.begun {
        out.write_all(b",")?;
    }
    serde_json::to_writer(&mut *out, name)?;
    out.write_all(b":")
}

/// Text on its way out: takes any bytes, passes on UTF-8, escaped where it is to be JSON. It must
/// be closed.
pub struct Text<'w> {
    sink: TextSink<'w>,
    /// Bytes not yet passed on: small writes, or the beginning of a character.
    pending: Vec<u8>,
}

enum TextSink<'w> {
    Json {
        out: &'w mut dyn Write,
        at: &'w mut Progress,
        escaped: Vec<u8>,
    },
    Viewer(&'w mut dyn Viewer, String),
}

impl Text<'_> {
    /// Passes on what is left and closes the string.
    pub fn close(mut self) -> io::Result<()> {
        let pending = std::mem::take(&mut self.pending);
        let rest = self.pass_on(&pending)?;
        if rest > 0 {
            self.put("\u{FFFD}")?;
        }
        match self.sink {
            TextSink::Json { out, at, .. } => {
                out.write_all(b"\"")?;
                at.in_text = false;
                Ok(())
            }
            TextSink::Viewer(..) => Ok(()),
        }
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
            TextSink::Json { out, escaped, .. } => {
                escaped.clear();
                json_escape_simd::escape_into(text, escaped);
                // The escaper writes whole strings; the quotes are this string's own business.
                let inner = escaped.len() - 1;
                out.write_all(&escaped[1..inner])
            }
            TextSink::Viewer(viewer, name) => viewer.text(name, text),
        }
    }
}

impl Write for Text<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
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
        if matches!(self.sink, TextSink::Json { .. }) {
            return Ok(());
        }
        let mut pending = std::mem::take(&mut self.pending);
        let rest = self.pass_on(&pending)?;
        pending.drain(..pending.len() - rest);
        self.pending = pending;
        match &mut self.sink {
            TextSink::Json { .. } => Ok(()),
            TextSink::Viewer(viewer, _) => viewer.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(pieces: &[&[u8]]) -> String {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out).unwrap();
        let mut text = object.text("t").unwrap();
        for piece in pieces {
            text.write_all(piece).unwrap();
        }
        text.close().unwrap();
        object.close().unwrap();
        String::from_utf8(out).unwrap()
    }

    fn read_back(json: &str) -> String {
        let value: serde_json::Value = serde_json::from_str(json).unwrap();
        value["t"].as_str().unwrap().to_owned()
    }

    #[test]
    fn every_ascii_character_is_escaped_as_serde_json_would() {
        let all: String = (0..=127u8).map(char::from).collect();
        let expected = format!("{{\"t\":{}}}", serde_json::to_string(&all).unwrap());
        assert_eq!(written(&[all.as_bytes()]), expected);
    }

    #[test]
    fn broken_bytes_become_replacement_characters_and_the_rest_is_kept() {
        let bytes = b"a\xffb\xe2\x82c\xf0\x9f\x98\x80\xed\xa0\x80z\xe2\x82";
        assert_eq!(
            read_back(&written(&[bytes])),
            String::from_utf8_lossy(bytes)
        );
    }

    #[test]
    fn where_the_writes_are_cut_makes_no_difference() {
        let mut bytes = Vec::new();
        for n in 0..40_000u32 {
            bytes.extend_from_slice("é€😀\"\\\n".as_bytes());
            bytes.push(n.to_le_bytes()[0]);
        }
        let whole = String::from_utf8_lossy(&bytes);
        for step in [1, 7, 4096, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 2] {
            let pieces: Vec<&[u8]> = bytes.chunks(step).collect();
            assert_eq!(
                read_back(&written(&pieces)),
                whole,
                "in pieces of {step} bytes"
            );
        }
    }

    /// Writes down what it is shown.
    #[derive(Default)]
    struct Notes(String);

    impl Viewer for Notes {
        fn text(&mut self, name: &str, piece: &str) -> io::Result<()> {
            self.0.extend([name, "=", piece, ";"]);
            Ok(())
        }

        fn value(&mut self, name: &str, value: Value) -> io::Result<()> {
            self.0.extend([name, ":", &value.to_string(), ";"]);
            Ok(())
        }

        fn flush(&mut self) -> io::Result<()> {
            self.0 += "|";
            Ok(())
        }
    }

    #[test]
    fn a_viewer_is_shown_each_piece_when_it_is_flushed_and_no_half_character() {
        let mut notes = Notes::default();
        let mut object = Object::shown(&mut notes);
        let mut text = object.text("output").unwrap();
        text.write_all(b"a\xe2\x82").unwrap();
        text.flush().unwrap();
        text.write_all(b"\xac\n").unwrap();
        text.flush().unwrap();
        text.write_all(b"\xff\xe2").unwrap();
        text.close().unwrap();
        object.field("count", &2).unwrap();
        object.field("note", "n").unwrap();
        object.close().unwrap();
        assert_eq!(
            notes.0,
            "output=a;|output=\u{20ac}\n;|output=\u{FFFD};output=\u{FFFD};count:2;note=n;|"
        );
    }

    #[test]
    fn fields_stand_in_order_between_commas() {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out).unwrap();
        object.whole_text("output", b"x\0").unwrap();
        object.field("count", &3).unwrap();
        object.field("ok", &true).unwrap();
        object.close().unwrap();
        assert_eq!(out, br#"{"output":"x\u0000","count":3,"ok":true}"#);
    }
}
