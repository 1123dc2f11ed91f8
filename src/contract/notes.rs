//! The field `note`: a sentence or two for the model, where the answer alone would lead it astray or
//! leave it without a next step.
//!
//! Rules: the decisions on the host's calls (8). A whole and plain answer has no note. A failure
//! carries its own ([`Failure::note`](crate::contract::failure::Failure::note)); an answer collects
//! what is to be said of it here, and writes it behind its last field.

use std::io;

use crate::contract::reply::Object;

/// What is to be said behind an answer, in the order in which it was found out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes(Vec<String>);

impl Notes {
    /// Says `note` too, which is one or more whole sentences; nothing, where it is empty or `None`.
    pub fn add(&mut self, note: impl Into<Option<String>>) {
        self.0.extend(note.into().filter(|note| !note.is_empty()));
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

impl Object<'_> {
    /// Writes the field `note`, if there is anything to say.
    pub fn note(&mut self, notes: &Notes) -> io::Result<()> {
        if notes.is_empty() {
            return Ok(());
        }
        self.field("note", &notes.text())
    }
}
