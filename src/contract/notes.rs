//! The field `note`: a sentence or two for the model, where the answer alone would lead it astray or
//! leave it without a next step.
//!
//! Rules: the decisions on the host's calls (8). A whole and plain answer has no note. Whoever finds
//! out what is to be said tells the object ([`Object::note`]), at any time; a failure carries its
//! own ([`Failure::note`]). The field is written when the object is closed, behind all others.
//!
//! [`Object::note`]: crate::contract::reply::Object::note
//! [`Failure::note`]: crate::contract::failure::Failure::note

/// What is to be said behind an answer, in the order in which it was found out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes(Vec<String>);

impl Notes {
    /// Says `note` too, which is one or more whole sentences; nothing, where it is empty or `None`.
    pub fn add(&mut self, note: impl Into<Option<String>>) {
        self.0.extend(note.into().filter(|note| !note.is_empty()));
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

    /// The text of the field.
    #[must_use]
    pub fn text(&self) -> String {
        self.0.join(" ")
    }
}

impl<T: Into<Option<String>>> From<T> for Notes {
    fn from(note: T) -> Self {
        let mut notes = Self::default();
        notes.add(note);
        notes
    }
}
