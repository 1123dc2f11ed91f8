//! JSON out: an answer as it is written, field by field, straight to its reader.
//!
//! Nothing is collected first: a command's output or a search's matches go out as they come,
//! escaped on the way, so that an answer of a gigabyte costs no more memory than one of a line.
//! Text that is not UTF-8 is repaired as the decisions on the host's calls have it (5): U+FFFD in
//! place of each broken part, everything around it kept.

use std::io::{self, Write};

use base64::Engine;
use base64::prelude::BASE64_STANDARD as STANDARD;
use serde::Serialize;
use serde_json::Value;

use crate::contract::bounded::{Cut, Kept, Measure};
use crate::contract::notes::Notes;
use crate::contract::terms::{Reader, Terms};

/// How much text is gathered before it is checked, escaped and passed on, in bytes.
const PIECE: usize = 64 * 1024;

/// How long a field that is not text mostly is, its name included, in bytes.
const SHORT: usize = 64;

/// From how many bytes on an answer says how long it is, where nobody has set a limit.
const LONG: usize = 100_000;

/// What is kept free behind a text for the fields and the note that follow, in bytes; a quarter of
/// the limit, where that is less.
const RESERVE: usize = 2048;

/// What stands around a text and an object: its quotes, colon, comma and braces, in bytes.
const AROUND_TEXT: usize = 6;

/// What closes an object, and what stands around its note, in bytes.
const AROUND: usize = "{,\"note\":\"\"}".len();

/// The field that says what was not found, for models.
pub const EMPTY: &str = "empty";

/// The field that holds an image, for models.
pub const IMAGE: &str = "image";

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

    /// Whether texts are to come byte for byte ([`Viewer::bytes`]), also where they are not UTF-8.
    fn takes_bytes(&self) -> bool {
        false
    }

    /// A further piece of the text of field `name`, as it came.
    fn bytes(&mut self, name: &str, piece: &[u8]) -> io::Result<()> {
        self.text(name, &String::from_utf8_lossy(piece))
    }

    /// Field `name`, which is not text.
    fn value(&mut self, name: &str, value: Value) -> io::Result<()>;

    /// Nothing more comes for a while: what has come is to be shown.
    fn flush(&mut self) -> io::Result<()>;
}

/// An answer's fields on their way out: as a JSON object, or to a viewer.
pub struct Object<'w> {
    sink: Sink<'w>,
    terms: Terms,
    /// How to ask for less, for those who get much.
    less: &'static str,
    notes: Notes,
}

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
    /// How much of the answer there is, in bytes, as its reader measures it.
    spent: usize,
}

impl<'w> Object<'w> {
    /// Opens a JSON object on `out` that nothing bounds. What is written there comes in whole
    /// characters.
    pub fn open(out: &'w mut dyn Write) -> io::Result<Self> {
        Self::open_on(out, Terms::default(), "")
    }

    /// Opens a JSON object on `out` that keeps to `terms`; `less` is a sentence on how to ask for
    /// less, for answers that grow long, and empty where they do not say so.
    pub fn open_on(out: &'w mut dyn Write, terms: Terms, less: &'static str) -> io::Result<Self> {
        out.write_all(b"{")?;
        Ok(Self::with(
            Sink::Json {
                out,
                at: Progress::default(),
            },
            terms,
            less,
        ))
    }

    /// Goes on with an object of which `out` has got as much as `at` says.
    pub fn go_on(out: &'w mut dyn Write, at: Progress, terms: Terms) -> io::Result<Self> {
        if at.in_text {
            out.write_all(b"\"")?;
        }
        let at = Progress {
            in_text: false,
            ..at
        };
        Ok(Self::with(Sink::Json { out, at }, terms, ""))
    }

    /// Opens an object that `viewer` is shown, field by field.
    pub fn shown(viewer: &'w mut dyn Viewer) -> Self {
        Self::with(Sink::Viewer(viewer), Terms::of_person(), "")
    }

    fn with(sink: Sink<'w>, terms: Terms, less: &'static str) -> Self {
        Self {
            sink,
            terms,
            less,
            notes: Notes::default(),
        }
    }

    /// How far a JSON object has come.
    #[must_use]
    pub fn progress(&self) -> Progress {
        match self.sink {
            Sink::Json { at, .. } => at,
            Sink::Viewer(_) => Progress::default(),
        }
    }

    /// Whether it has been written that the call failed.
    #[must_use]
    pub fn says_that_it_failed(&self) -> bool {
        self.progress().failed
    }

    /// Whether a person or a script is shown the answer as it comes, and not as JSON.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        matches!(self.sink, Sink::Viewer(_))
    }

    /// The terms of the call.
    #[must_use]
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// How much room a text has that comes next, in bytes as [`Object::measure`] counts them: what
    /// the limit leaves when the fields behind it and a note have theirs. `None` is no limit.
    #[must_use]
    pub fn room(&self) -> Option<usize> {
        let limit = self.terms.max_answer?;
        let taken = self.progress().spent + AROUND + (limit / 4).min(RESERVE);
        Some(limit.saturating_sub(taken))
    }

    /// How the length of text is counted here.
    #[must_use]
    pub fn measure(&self) -> Measure {
        Measure::of(self.terms.reader)
    }

    /// Says `notes` behind the last field: there is one field `note`, written when the object is
    /// closed.
    pub fn note(&mut self, notes: impl Into<Notes>) {
        self.notes.append(notes.into());
    }

    /// Closes the object: nothing more may be written.
    pub fn close(&mut self) -> io::Result<()> {
        self.say_notes()?;
        match &mut self.sink {
            Sink::Json { out, .. } => out.write_all(b"}"),
            Sink::Viewer(viewer) => viewer.flush(),
        }
    }

    fn say_notes(&mut self) -> io::Result<()> {
        let spent = self.progress().spent;
        let mut notes = std::mem::take(&mut self.notes);
        if spent > LONG && self.terms.max_answer.is_none() && !self.less.is_empty() {
            notes.add(format!("This answer has {spent} bytes. {}", self.less));
        }
        if notes.is_empty() {
            return Ok(());
        }
        let mut note = notes.text();
        if let Some(limit) = self.terms.max_answer {
            let room = limit.saturating_sub(self.progress().spent + AROUND);
            note.truncate(Measure::Json.prefix(note.as_bytes(), room));
        }
        self.field("note", &note)
    }

    /// A field of any value that serde can write. Where there is a limit, a text that is longer
    /// than what is left is cut, and any other value left out; a note says so.
    pub fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> io::Result<()> {
        let room = self.room();
        let mut cut = None;
        match &mut self.sink {
            Sink::Json { out, at } => {
                let mut field = Vec::with_capacity(SHORT);
                begin(&mut field, *at, name)?;
                let start = field.len();
                serde_json::to_writer(&mut field, value)?;
                if let Some(room) = room
                    && field.len() > room.max(SHORT)
                    && name != "note"
                {
                    let whole = field.split_off(start);
                    serde_json::to_writer(
                        &mut field,
                        &cut_text(&whole, room.saturating_sub(start)),
                    )?;
                    cut = Some(format!("`{name}` is cut to what has room."));
                }
                out.write_all(&field)?;
                at.begun = true;
                at.spent += field.len();
                at.failed |= name.starts_with("error");
            }
            Sink::Viewer(viewer) => match serde_json::to_value(value)? {
                Value::String(text) => viewer.text(name, &text)?,
                value => viewer.value(name, value)?,
            },
        }
        self.notes.add(cut);
        Ok(())
    }

    /// A field that is a list: of `rows`, as many as there is room for, whose number comes back.
    pub fn rows<T: Serialize>(&mut self, name: &str, rows: &[T]) -> io::Result<usize> {
        let mut count = rows.len();
        if let Some(mut room) = self.room() {
            room = room.saturating_sub(name.len() + AROUND_TEXT + "[]".len());
            count = 0;
            for row in rows {
                let length = serde_json::to_vec(row)?.len() + 1;
                let Some(rest) = room.checked_sub(length) else {
                    break;
                };
                room = rest;
                count += 1;
            }
        }
        self.field(name, &rows[..count])?;
        Ok(count)
    }

    /// What an answer for a model says in place of nothing: `no matches in 412 files`. Other
    /// readers have their fields.
    pub fn empty(&mut self, words: &str) -> io::Result<()> {
        if self.terms.reader == Reader::Model {
            self.field(EMPTY, words)?;
        }
        Ok(())
    }

    /// An image for a model that can see it. It is beside the limit, and other readers have no field
    /// for one.
    pub fn image(&mut self, mime_type: &str, bytes: &[u8]) -> io::Result<()> {
        let reader = self.terms.reader;
        if let Sink::Json { out, at } = &mut self.sink
            && reader == Reader::Model
        {
            let data = STANDARD.encode(bytes);
            begin(*out, *at, IMAGE)?;
            at.begun = true;
            let image = serde_json::json!({"mime_type": mime_type, "data": data});
            out.write_all(image.to_string().as_bytes())?;
        }
        Ok(())
    }

    /// A field of text, as the bytes of it come.
    pub fn text(&mut self, name: &str) -> io::Result<Text<'_>> {
        let room = self.room().map(|room| room.saturating_sub(name.len()));
        let kept = room.map(|room| Kept::new(self.measure(), room));
        let plain = self.measure() == Measure::Plain;
        let sink = match &mut self.sink {
            Sink::Json { out, at } => {
                begin(*out, *at, name)?;
                out.write_all(b"\"")?;
                at.begun = true;
                at.in_text = true;
                at.spent += name.len() + AROUND_TEXT;
                TextSink::Json {
                    out: &mut **out,
                    at,
                    escaped: Vec::new(),
                    plain,
                }
            }
            Sink::Viewer(viewer) => TextSink::Viewer(&mut **viewer, name.to_owned()),
        };
        Ok(Text {
            sink,
            pending: Vec::new(),
            kept,
        })
    }

    /// A field of text that is all there. Where it was cut, if there was no room for all of it,
    /// comes back.
    pub fn whole_text(&mut self, name: &str, value: &[u8]) -> io::Result<Option<Cut>> {
        let mut text = self.text(name)?;
        text.write_all(value)?;
        text.close()
    }
}

/// The beginning of the JSON text `whole` that has `room`; empty, where that is no text.
fn cut_text(whole: &[u8], room: usize) -> String {
    let mut text: String = serde_json::from_slice(whole).unwrap_or_default();
    text.truncate(Measure::Json.prefix(text.as_bytes(), room));
    text
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
    /// Where there is a limit, what is kept back until it is known how much of it has room.
    kept: Option<Kept>,
}

enum TextSink<'w> {
    Json {
        out: &'w mut dyn Write,
        at: &'w mut Progress,
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
        self.kept.as_ref().is_some_and(Kept::is_full)
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
    pub fn close(mut self) -> io::Result<Option<Cut>> {
        let mut cut = None;
        if let Some(kept) = self.kept.take() {
            let (shown, behind) = kept.finish();
            self.write_all(&shown)?;
            cut = behind;
        }
        let pending = std::mem::take(&mut self.pending);
        let rest = self.pass_on(&pending)?;
        if rest > 0 {
            self.put("\u{FFFD}")?;
        }
        match self.sink {
            TextSink::Json { out, at, .. } => {
                out.write_all(b"\"")?;
                at.in_text = false;
            }
            TextSink::Viewer(..) => {}
        }
        Ok(cut)
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

    /// What a host reads that has set this limit.
    fn bounded(limit: usize, fill: impl FnOnce(&mut Object<'_>)) -> Value {
        let mut out = Vec::new();
        let terms = Terms::within(Reader::Host, Some(limit), None);
        let mut object = Object::open_on(&mut out, terms, "Ask for less.").unwrap();
        fill(&mut object);
        object.close().unwrap();
        assert!(out.len() <= limit, "{} of {limit}", out.len());
        serde_json::from_slice(&out).unwrap()
    }

    #[test]
    fn within_a_limit_there_is_room_for_all_fields_and_the_note() {
        for limit in [256, 300, 1000, 5000, 100_000] {
            let answer = bounded(limit, |object| {
                let mut text = object.text("output").unwrap();
                for _ in 0..50_000 {
                    text.write_all(b"a \"line\" \x01\n").unwrap();
                }
                assert!(text.is_full());
                let cut = text.close().unwrap().unwrap();
                object.field("count", &50_000).unwrap();
                object.note(format!("{} lines", cut.lines));
            });
            let shown = answer["output"].as_str().unwrap();
            assert_eq!(answer["count"], 50_000);
            assert_eq!(answer["note"], format!("{} lines", shown.lines().count()));
            assert!(shown.ends_with('\n'), "{limit}: {shown}");

            let answer = bounded(limit, |object| {
                object.field("title", &"\u{1}é".repeat(90_000)).unwrap();
                object.whole_text("content", b"all\n").unwrap();
                object.note("n".repeat(90_000));
            });
            assert!(answer["note"].as_str().unwrap().starts_with('`'));

            let rows = vec!["row"; 90_000];
            let answer = bounded(limit, |object| {
                let count = object.rows("results", &rows).unwrap();
                object.field("count", &count).unwrap();
            });
            assert_eq!(answer["results"].as_array().unwrap().len(), answer["count"]);
        }
    }

    #[test]
    fn without_a_limit_a_long_answer_says_how_long_it_is() {
        let answer = |length: usize| {
            let mut out = Vec::new();
            let mut object = Object::open_on(&mut out, Terms::default(), "Ask for less.").unwrap();
            object.whole_text("output", &vec![b'x'; length]).unwrap();
            object.close().unwrap();
            serde_json::from_slice::<Value>(&out).unwrap()
        };
        assert_eq!(answer(90_000).get("note"), None);
        assert_eq!(
            answer(200_000)["note"],
            "This answer has 200012 bytes. Ask for less."
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
