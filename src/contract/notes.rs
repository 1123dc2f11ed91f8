//! The field `note`: a sentence or two for the model, where the answer alone would lead it astray
//! or leave it without a next step.
//!
//! Rules: the decisions on the host's calls (8). A whole and plain answer has no note. Whoever
//! finds out what is to be said tells the object ([`Object::note`]), at any time; a failure carries
//! its own ([`Failure::note`]). The field is written when the object is closed, behind all others.
//!
//! [`Object::note`]: crate::contract::reply::Object::note
//! [`Failure::note`]: crate::contract::failure::Failure::note

use std::borrow::Cow;

/// The notes behind an answer, in the order in which they were found out. The flag marks one that
/// quotes a file: that text may be sent back, so it stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes(Vec<(String, bool)>);

impl Notes {
    /// Says `note` too, which is one or more whole sentences; nothing, where it is empty or `None`.
    pub fn add(&mut self, note: impl Into<Option<String>>) {
        let note = note.into().filter(|note| !note.is_empty());
        self.0.extend(note.map(|note| (note, false)));
    }

    /// Says `note` too, which quotes a file.
    pub fn quote(&mut self, note: impl Into<Option<String>>) {
        self.0.extend(note.into().map(|note| (note, true)));
    }

    /// Says `others` too.
    pub fn append(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// Whether there is nothing to say.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text of the field, in which files are `named` as the reader is shown them.
    #[must_use]
    pub fn text(&self, named: impl Fn(&str) -> Cow<'_, str>) -> String {
        let said = self.0.iter().map(|(note, quotes)| match quotes {
            true => Cow::Borrowed(&**note),
            false => named(note),
        });
        said.collect::<Vec<_>>().join(" ")
    }
}

impl<T: Into<Option<String>>> From<T> for Notes {
    fn from(note: T) -> Self {
        let mut notes = Self::default();
        notes.add(note);
        notes
    }
}
