//! The field `note`: a sentence or two for the model if the answer alone would lead it astray
//! or leave it without a next step.
//!
//! Rules: agreed behaviour, see REFERENCE.md ("For hosts"). A complete and plain answer has no
//! note. Notes are added to the object at any time ([`AnswerObject::note`]); a failure carries its
//! own ([`Failure::note`]). The field is written when the object is closed, after all others.
//!
//! [`AnswerObject::note`]: crate::contract::reply::AnswerObject::note
//! [`Failure::note`]: crate::contract::failure::Failure::note

use std::borrow::Cow;

use iki_base::wording::count_noun;

/// The notes of an answer, in the order in which they were added. The flag marks a note that quotes
/// a file; it is not altered, because the model may send that text back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes(Vec<(String, bool)>);

impl Notes {
    /// Adds `note`, one or more whole sentences; empty and `None` add nothing.
    pub fn add(&mut self, note: impl Into<Option<String>>) {
        let note = note.into().filter(|note| !note.is_empty());
        self.0.extend(note.map(|note| (note, false)));
    }

    /// Adds `note`, which quotes a file.
    pub fn quote(&mut self, note: impl Into<Option<String>>) {
        self.0.extend(note.into().map(|note| (note, true)));
    }

    /// Adds all `others`.
    pub fn append(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// True if there are no notes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text of the field. `named` rewrites notes as their reader is shown file names.
    #[must_use]
    pub fn text(&self, named: impl Fn(&str) -> Cow<'_, str>) -> String {
        let sentences = self.0.iter().map(|(note, quotes)| match quotes {
            true => Cow::Borrowed(&**note),
            false => named(note),
        });
        sentences.fold(String::new(), |mut text, note| {
            // A clause, on how to go on or on what was not searched, has no period of its own.
            match text.chars().next_back() {
                None => {}
                Some('.' | '!' | '?' | ':' | '`' | '"' | '\n') => text.push(' '),
                Some(_) => text.push_str(". "),
            }
            text + &note
        })
    }
}

/// Says that so many control characters of a text are spelled, if there are any.
#[must_use]
pub fn on_spelled(count: usize) -> Option<String> {
    let are = if count == 1 { "is" } else { "are" };
    let characters = count_noun(count as u64, "control character");
    (count > 0).then(|| format!("{characters} {are} spelled, as \\x1b"))
}

impl<T: Into<Option<String>>> From<T> for Notes {
    fn from(note: T) -> Self {
        let mut notes = Self::default();
        notes.add(note);
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_before_another_note_gets_its_period() {
        let mut notes = Notes::default();
        notes.add("lines 1\u{2013}9; go on with offset 10".to_owned());
        let alone = notes.text(|note| Cow::Borrowed(note));
        assert_eq!(alone, "lines 1\u{2013}9; go on with offset 10");
        notes.add("This begins at #a.".to_owned());
        notes.add("It ends there.".to_owned());
        assert_eq!(
            notes.text(|note| Cow::Borrowed(note)),
            "lines 1\u{2013}9; go on with offset 10. This begins at #a. It ends there."
        );
        let mut notes = Notes::from("not searched: a.gz (as `gzip`)".to_owned());
        notes.add("\"x\" is no field.".to_owned());
        let text = notes.text(|note| Cow::Borrowed(note));
        assert_eq!(text, "not searched: a.gz (as `gzip`). \"x\" is no field.");
    }
}
