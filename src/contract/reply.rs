//! JSON out: an answer as it is written, field by field, straight to its reader.
//!
//! Nothing is collected first: a command's output or a search's matches go out as they come,
//! escaped on the way, so that an answer of a gigabyte costs no more memory than one of a line.
//! Text that is not UTF-8 is repaired as the decisions on the host's calls have it (5): U+FFFD in
//! place of each broken part, everything around it kept.

mod text;

use std::borrow::Cow;
use std::io::{self, Write};

use base64::Engine;
use base64::prelude::BASE64_STANDARD as STANDARD;
use serde::Serialize;
use serde_json::Value;

use crate::contract::bounded::{BoundedText, TextMeasure, Truncation};
use crate::contract::notes::Notes;
use crate::contract::terms::{Audience, Terms};
use crate::unseen;

pub use text::Text;
use text::TextSink;

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

/// What a protocol hands on beside an answer, for the client and not for the model: an object.
pub const META: &str = "_meta";

/// A resource that a protocol hands on beside an answer: an object with `uri`, `name`, `mimeType`,
/// `description` and `size`.
pub const LINK: &str = "_link";

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
        at: ObjectProgress,
    },
    Viewer(&'w mut dyn Viewer),
}

/// How far a JSON object has come. Whatever breaks off the writing of one, it breaks off here and
/// not in between: texts go out in whole characters, other fields whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObjectProgress {
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
                at: ObjectProgress::default(),
            },
            terms,
            less,
        ))
    }

    /// Goes on with an object of which `out` has got as much as `at` says.
    pub fn go_on(out: &'w mut dyn Write, at: ObjectProgress, terms: Terms) -> io::Result<Self> {
        if at.in_text {
            out.write_all(b"\"")?;
        }
        let at = ObjectProgress {
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
    pub fn progress(&self) -> ObjectProgress {
        match self.sink {
            Sink::Json { at, .. } => at,
            Sink::Viewer(_) => ObjectProgress::default(),
        }
    }

    /// Whether it has been written that the call failed.
    #[must_use]
    pub fn has_failed(&self) -> bool {
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
    pub fn measure(&self) -> TextMeasure {
        TextMeasure::for_audience(self.terms.reader)
    }

    /// Says `notes` behind the last field: there is one field `note`, written when the object is
    /// closed.
    pub fn note(&mut self, notes: impl Into<Notes>) {
        self.notes.append(notes.into());
    }

    /// A file's name, or words that hold one, as its reader is shown it: unseen characters are
    /// spelled. A person's terminal sees to that itself, and a pipe gets names as they are.
    #[must_use]
    pub fn named<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.terms.reader {
            Audience::Person => Cow::Borrowed(text),
            Audience::Host | Audience::Model | Audience::Program => unseen::spelled(text),
        }
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
        let mut note = notes.text(|note| self.named(note));
        if let Some(limit) = self.terms.max_answer {
            let room = limit.saturating_sub(self.progress().spent + AROUND);
            note.truncate(TextMeasure::Json.prefix(note.as_bytes(), room));
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

    /// A field that is of use to programs alone: models are not shown it, and it takes no room of
    /// their answers.
    pub fn for_programs<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> io::Result<()> {
        if self.terms.reader == Audience::Model {
            return Ok(());
        }
        self.field(name, value)
    }

    /// What an answer for a model says in place of nothing: `no matches in 412 files`. Other
    /// readers have their fields.
    pub fn empty(&mut self, words: &str) -> io::Result<()> {
        if self.terms.reader == Audience::Model {
            self.field(EMPTY, words)?;
        }
        Ok(())
    }

    /// An image for a model that can see it. It is beside the limit, and other readers have no
    /// field for one.
    pub fn image(&mut self, mime_type: &str, bytes: &[u8]) -> io::Result<()> {
        let reader = self.terms.reader;
        if let Sink::Json { out, at } = &mut self.sink
            && reader == Audience::Model
        {
            let data = STANDARD.encode(bytes);
            begin(*out, *at, IMAGE)?;
            at.begun = true;
            let image = serde_json::json!({"mime_type": mime_type, "data": data});
            out.write_all(image.to_string().as_bytes())?;
        }
        Ok(())
    }

    /// What stands beside the answer, [`META`] or [`LINK`], where a server takes it: it is beside
    /// the limit too, and other readers have no field for it.
    pub fn beside<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> io::Result<()> {
        if !self.terms.served {
            return Ok(());
        }
        if let Sink::Json { out, at } = &mut self.sink {
            begin(*out, *at, name)?;
            at.begun = true;
            out.write_all(&serde_json::to_vec(value)?)?;
        }
        Ok(())
    }

    /// A field of text, as the bytes of it come.
    pub fn text(&mut self, name: &str) -> io::Result<Text<'_>> {
        let room = self.room().map(|room| room.saturating_sub(name.len()));
        let kept = room.map(|room| BoundedText::new(self.measure(), room));
        let plain = self.measure() == TextMeasure::Plain;
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
            repaired: false,
        })
    }

    /// A field of text that is all there. Where it was cut, if there was no room for all of it,
    /// comes back.
    pub fn whole_text(&mut self, name: &str, value: &[u8]) -> io::Result<Option<Truncation>> {
        let mut text = self.text(name)?;
        text.write_all(value)?;
        text.close()
    }
}

/// The beginning of the JSON text `whole` that has `room`; empty, where that is no text.
fn cut_text(whole: &[u8], room: usize) -> String {
    let mut text: String = serde_json::from_slice(whole).unwrap_or_default();
    text.truncate(TextMeasure::Json.prefix(text.as_bytes(), room));
    text
}

/// Begins field `name` of a JSON object.
fn begin(out: &mut dyn Write, at: ObjectProgress, name: &str) -> io::Result<()> {
    if at.begun {
        out.write_all(b",")?;
    }
    serde_json::to_writer(&mut *out, name)?;
    out.write_all(b":")
}

#[cfg(test)]
mod tests;
