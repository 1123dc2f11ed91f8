//! JSON out: an answer, written field by field straight to its reader.
//!
//! Nothing is collected first: a command's output or a search's matches go out as they come,
//! escaped on the way, so that an answer of a gigabyte costs no more memory than one of a line.
//! Text that is not UTF-8 is repaired as the decisions on the host's calls have it (5): U+FFFD in
//! place of each broken part, everything around it kept.

mod file_names;
mod text;
mod viewer;

use std::borrow::Cow;
use std::io::{self, Write};

use base64::Engine;
use base64::prelude::BASE64_STANDARD as STANDARD;
use serde::Serialize;
use serde_json::Value;

use crate::contract::answer_limit::{BoundedText, TextMeasure, Truncation};
use crate::contract::call_terms::{Audience, CallTerms};
use crate::contract::notes::{self, Notes};
use iki_base::unseen;

pub use text::Text;
use text::{ControlSpeller, TextSink};
pub use viewer::Viewer;

/// Usual length of a field that is not text, with its name, in bytes.
const USUAL_FIELD_BYTES: usize = 64;

/// Length in bytes from which an answer without a limit has a note of its length.
const LONG_ANSWER_BYTES: usize = 100_000;

/// Room kept free after a text for the fields and the note that follow, in bytes; at most a quarter
/// of the limit.
const NOTE_RESERVE_BYTES: usize = 2048;

/// Length of the quotes, colon, comma and braces around a text field, in bytes.
const TEXT_FIELD_BYTES: usize = 6;

/// The end of a note that had no room.
const CUT: &str = "…";

/// Length of an object's braces and of its note without the text, in bytes.
const NOTE_FIELD_BYTES: usize = "{,\"note\":\"\"}".len();

/// The field that tells models that nothing was found.
pub const EMPTY: &str = "empty";

/// The field that repeats a note ahead of the text, for models.
pub const AHEAD: &str = "ahead";

/// The field that holds an image, for models.
pub const IMAGE: &str = "image";

/// The field with data for a protocol's client, not for the model: an object.
pub const META: &str = "_meta";

/// The field with a resource for a protocol's client: an object with `uri`, `name`, `mimeType`,
/// `description` and `size`.
pub const LINK: &str = "_link";

/// A tool's prepared answer: the fields of one JSON object, written when the front end asks for
/// them. This is the second phase of a call, which can only fail as I/O does; see
/// [`Tool::run`](crate::contract::tool::Tool::run).
pub struct Reply<'a>(Box<ReplyWriter<'a>>);

/// Writes the fields of an answer, once.
type ReplyWriter<'a> = dyn FnOnce(&mut AnswerObject<'_>) -> io::Result<()> + 'a;

impl<'a> Reply<'a> {
    /// An answer whose fields `write` writes, in order.
    pub fn new(write: impl FnOnce(&mut AnswerObject<'_>) -> io::Result<()> + 'a) -> Self {
        Self(Box::new(write))
    }

    /// Writes the answer's fields into `object`.
    ///
    /// # Errors
    /// The reader accepts no more.
    pub fn write(self, object: &mut AnswerObject<'_>) -> io::Result<()> {
        (self.0)(object)
    }
}

/// An answer's fields, written as a JSON object or shown to a viewer.
pub struct AnswerObject<'w> {
    sink: Sink<'w>,
    terms: CallTerms,
    /// Advice on how to ask for less, for long answers.
    less: &'static str,
    /// True if the text is what a command wrote.
    is_command_s: bool,
    notes: Notes,
    /// The note that is repeated ahead of the text.
    ahead: Option<String>,
    /// The number of control characters that were spelled for a model.
    spelled: usize,
}

enum Sink<'w> {
    Json {
        out: &'w mut dyn Write,
        progress: ObjectProgress,
    },
    Viewer(&'w mut dyn Viewer),
}

/// Progress in writing a JSON object. If writing breaks off, it is always at such a point: texts go
/// out in whole characters, and other fields whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObjectProgress {
    /// A field has been written.
    has_fields: bool,
    /// A text has been opened and not closed.
    is_in_text: bool,
    /// The field `error` has been written, or `error_code`.
    has_failed: bool,
    /// Length of the answer so far, in bytes as its audience counts them.
    spent: usize,
}

impl<'w> AnswerObject<'w> {
    /// Opens a JSON object without limits on `out`, to which only whole characters are written.
    pub fn open(out: &'w mut dyn Write) -> io::Result<Self> {
        Self::open_on(out, CallTerms::default(), "")
    }

    /// Opens a JSON object on `out` that keeps to `terms`. `less` is a sentence on how to ask for
    /// less, added to long answers; empty for none.
    pub(crate) fn open_on(
        out: &'w mut dyn Write,
        terms: CallTerms,
        less: &'static str,
    ) -> io::Result<Self> {
        out.write_all(b"{")?;
        Ok(Self::with(
            Sink::Json {
                out,
                progress: ObjectProgress::default(),
            },
            terms,
            less,
        ))
    }

    /// Resumes an object that was written to `out` up to `progress`.
    pub fn resume(
        out: &'w mut dyn Write,
        progress: ObjectProgress,
        terms: CallTerms,
    ) -> io::Result<Self> {
        if progress.is_in_text {
            out.write_all(b"\"")?;
        }
        let progress = ObjectProgress {
            is_in_text: false,
            ..progress
        };
        Ok(Self::with(Sink::Json { out, progress }, terms, ""))
    }

    /// Opens an object that is shown to `viewer`, field by field.
    pub fn for_viewer(viewer: &'w mut dyn Viewer) -> Self {
        Self::with(Sink::Viewer(viewer), CallTerms::of_person(), "")
    }

    fn with(sink: Sink<'w>, terms: CallTerms, less: &'static str) -> Self {
        Self {
            sink,
            terms,
            less,
            notes: Notes::default(),
            ahead: None,
            spelled: 0,
            is_command_s: false,
        }
    }

    /// Progress in writing a JSON object.
    #[must_use]
    pub fn progress(&self) -> ObjectProgress {
        match self.sink {
            Sink::Json { progress, .. } => progress,
            Sink::Viewer(_) => ObjectProgress::default(),
        }
    }

    /// True if a failure has been written.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.progress().has_failed
    }

    /// True if a viewer is shown the answer, and it is not written as JSON.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        matches!(self.sink, Sink::Viewer(_))
    }

    /// The terms of the call.
    #[must_use]
    pub fn terms(&self) -> &CallTerms {
        &self.terms
    }

    /// Room for a text that is written next, in bytes as [`AnswerObject::measure`] counts them,
    /// with some kept free for further fields and a note. `None` if there is no limit.
    #[must_use]
    pub fn room(&self) -> Option<usize> {
        let limit = self.terms.max_answer?;
        let taken = self.progress().spent + NOTE_FIELD_BYTES + (limit / 4).min(NOTE_RESERVE_BYTES);
        Some(limit.saturating_sub(taken))
    }

    /// The measure of text for this audience.
    #[must_use]
    pub fn measure(&self) -> TextMeasure {
        self.terms.measure
    }

    /// Adds `notes`. They are written as one field `note` when the object is closed.
    pub fn note(&mut self, notes: impl Into<Notes>) {
        self.notes.append(notes.into());
    }

    /// Adds a note on how to go on after a long text, which a model is told ahead of the text too:
    /// a client that cuts an answer in the middle or at its end would take the only one away.
    pub(crate) fn note_at_both_ends(&mut self, note: impl Into<Option<String>>) {
        let note = note.into();
        self.note(note.clone());
        if self.terms.reader == Audience::Model {
            self.ahead = note;
        }
    }

    /// A file's name, or text with one, as the audience is shown it: unseen characters are spelled
    /// out. For persons nothing is changed here, because terminals do that themselves and pipes get
    /// names as they are.
    #[must_use]
    pub(crate) fn spell_names<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.terms.reader {
            Audience::Person => Cow::Borrowed(text),
            Audience::Host | Audience::Program => unseen::spelled(text),
            Audience::Model => match unseen::spelled(text) {
                Cow::Borrowed(text) => file_names::make_relative(text),
                Cow::Owned(text) => Cow::Owned(file_names::make_relative(&text).into_owned()),
            },
        }
    }

    /// Marks the text as a command's: no file is known to have its characters.
    pub(crate) fn mark_as_command_s(&mut self) {
        self.is_command_s = true;
    }

    /// Closes the object: nothing more may be written.
    pub fn close(&mut self) -> io::Result<()> {
        self.write_notes()?;
        match &mut self.sink {
            Sink::Json { out, .. } => out.write_all(b"}"),
            Sink::Viewer(viewer) => viewer.flush(),
        }
    }

    /// Maximum length of a note apart from its own text, in an answer with a limit.
    #[must_use]
    pub(crate) fn around_note(&self) -> usize {
        // A model is shown it on a line of its own, and ahead of the text on another.
        let line_ends = match self.terms.reader {
            Audience::Model => self.measure().cost(b"\n\n"),
            Audience::Host | Audience::Person | Audience::Program => 0,
        };
        NOTE_FIELD_BYTES + line_ends
    }

    fn write_notes(&mut self) -> io::Result<()> {
        let spent = self.progress().spent;
        let mut notes = std::mem::take(&mut self.notes);
        let as_bytes = "; file_edit takes the bytes themselves";
        let as_bytes = if self.is_command_s {
            ""
        } else {
            self.terms.if_served("file_edit", as_bytes)
        };
        notes.add(notes::on_spelled(self.spelled).map(|spelled| format!("{spelled}{as_bytes}.")));
        if spent > LONG_ANSWER_BYTES && self.terms.max_answer.is_none() && !self.less.is_empty() {
            notes.add(format!("This answer has {spent} bytes. {}", self.less));
        }
        if notes.is_empty() {
            return Ok(());
        }
        let mut note = notes.text(|note| self.spell_names(note));
        let mut ahead = self.ahead.take();
        if let Some(limit) = self.terms.max_answer {
            let measure = self.measure();
            let room = limit.saturating_sub(spent + self.around_note());
            if measure.prefix(note.as_bytes(), room) < note.len() {
                // Behind the last whole word, and so that it shows.
                let room = room.saturating_sub(CUT.len());
                let end = measure.prefix(note.as_bytes(), room);
                let words = note[..end].rfind(' ');
                note.truncate(words.unwrap_or_default());
                note += if words.is_some() { CUT } else { "" };
            }
            let room = room - measure.cost(note.as_bytes());
            // No client cuts a short answer.
            ahead =
                ahead.filter(|ahead| spent > limit / 2 && ahead.len() + NOTE_FIELD_BYTES < room);
        }
        if let Some(ahead) = ahead {
            let ahead = self.spell_names(&ahead).into_owned();
            self.field_beside(AHEAD, &ahead)?;
        }
        self.field("note", &note)
    }

    /// Writes a field of any value that serde can write. A text that exceeds the limit is
    /// truncated, and any other value left out; a note says so.
    pub fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> io::Result<()> {
        let room = self.room();
        let mut cut = None;
        match &mut self.sink {
            Sink::Json { out, progress: at } => {
                let mut field = Vec::with_capacity(USUAL_FIELD_BYTES);
                begin_field(&mut field, *at, name)?;
                let start = field.len();
                serde_json::to_writer(&mut field, value)?;
                if let Some(room) = room
                    && field.len() > room.max(USUAL_FIELD_BYTES)
                    && name != "note"
                {
                    let whole = field.split_off(start);
                    serde_json::to_writer(
                        &mut field,
                        &truncate_string(&whole, room.saturating_sub(start)),
                    )?;
                    cut = Some(format!("`{name}` is cut to what has room."));
                }
                out.write_all(&field)?;
                at.has_fields = true;
                at.spent += field.len();
                at.has_failed |= name.starts_with("error");
            }
            Sink::Viewer(viewer) => match serde_json::to_value(value)? {
                Value::String(text) => viewer.text(name, &text)?,
                value => viewer.value(name, value)?,
            },
        }
        self.notes.add(cut);
        Ok(())
    }

    /// Writes a list of as many `rows` as fit, and returns their number.
    pub fn rows<T: Serialize>(&mut self, name: &str, rows: &[T]) -> io::Result<usize> {
        let mut count = rows.len();
        if let Some(mut room) = self.room() {
            room = room.saturating_sub(name.len() + TEXT_FIELD_BYTES + "[]".len());
            count = 0;
            for row in rows {
                let length = serde_json::to_vec(row)?.len() + 1;
                let Some(remaining_room) = room.checked_sub(length) else {
                    break;
                };
                room = remaining_room;
                count += 1;
            }
        }
        self.field(name, &rows[..count])?;
        Ok(count)
    }

    /// Tells a model that nothing was found: `no matches in 412 files`. For other audiences nothing
    /// is written, because their fields say so.
    pub fn nothing_found(&mut self, words: &str) -> io::Result<()> {
        if self.terms.reader == Audience::Model {
            self.field(EMPTY, words)?;
        }
        Ok(())
    }

    /// Tells a person's front end that something could not be opened, listed or read: its exit code
    /// says so, whatever was found.
    pub(crate) fn not_all_read(&mut self) {
        if let Sink::Viewer(viewer) = &mut self.sink {
            viewer.not_all_read();
        }
    }

    /// Writes an image for a model. It does not count against the limit, and is not written for
    /// other audiences.
    pub fn image(&mut self, mime_type: &str, bytes: &[u8]) -> io::Result<()> {
        let reader = self.terms.reader;
        if let Sink::Json { out, progress: at } = &mut self.sink
            && reader == Audience::Model
        {
            let data = STANDARD.encode(bytes);
            begin_field(*out, *at, IMAGE)?;
            at.has_fields = true;
            let image = serde_json::json!({"mime_type": mime_type, "data": data});
            out.write_all(image.to_string().as_bytes())?;
        }
        Ok(())
    }

    /// Writes [`META`] or [`LINK`] if a server takes it.
    pub(crate) fn field_for_server<T: Serialize + ?Sized>(
        &mut self,
        name: &str,
        value: &T,
    ) -> io::Result<()> {
        if !self.terms.is_served {
            return Ok(());
        }
        self.field_beside(name, value)
    }

    /// Writes a field that does not count against the limit.
    fn field_beside<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> io::Result<()> {
        if let Sink::Json { out, progress: at } = &mut self.sink {
            begin_field(*out, *at, name)?;
            at.has_fields = true;
            out.write_all(&serde_json::to_vec(value)?)?;
        }
        Ok(())
    }

    /// Begins a field of text, whose bytes come in pieces.
    pub fn text(&mut self, name: &str) -> io::Result<Text<'_>> {
        let room = self.room().map(|room| room.saturating_sub(name.len()));
        let bounded = room.map(|room| BoundedText::new(self.measure(), room));
        let measure = self.measure();
        let is_spelled = self.terms.reader == Audience::Model;
        let spelling = is_spelled.then(|| ControlSpeller::new(&mut self.spelled));
        let sink = match &mut self.sink {
            Sink::Json { out, progress: at } => {
                begin_field(*out, *at, name)?;
                out.write_all(b"\"")?;
                at.has_fields = true;
                at.is_in_text = true;
                at.spent += name.len() + TEXT_FIELD_BYTES;
                TextSink::Json {
                    out: &mut **out,
                    progress: at,
                    escaped: Vec::new(),
                    measure,
                }
            }
            Sink::Viewer(viewer) => TextSink::Viewer(&mut **viewer, name.to_owned()),
        };
        Ok(Text {
            sink,
            pending: Vec::new(),
            bounded,
            is_repaired: false,
            spelling,
        })
    }

    /// Writes a field of text that is all there. Returns its truncation, if it did not fit.
    pub fn whole_text(&mut self, name: &str, value: &[u8]) -> io::Result<Option<Truncation>> {
        let mut text = self.text(name)?;
        text.write_all(value)?;
        text.close()
    }
}

/// The prefix of the JSON string `whole` that fits into `room`; empty if it is not a string.
fn truncate_string(whole: &[u8], room: usize) -> String {
    let mut text: String = serde_json::from_slice(whole).unwrap_or_default();
    text.truncate(TextMeasure::Json.prefix(text.as_bytes(), room));
    text
}

/// Begins field `name` of a JSON object.
fn begin_field(out: &mut dyn Write, progress: ObjectProgress, name: &str) -> io::Result<()> {
    if progress.has_fields {
        out.write_all(b",")?;
    }
    serde_json::to_writer(&mut *out, name)?;
    out.write_all(b":")
}

#[cfg(test)]
mod tests;
