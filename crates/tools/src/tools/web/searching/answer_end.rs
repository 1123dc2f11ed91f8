//! The end that answers with a list of what was found have in common, and how much of a list there
//! is room for.

use std::io;

use serde_json::Value;

use super::shown_hints;
use crate::contract::call_terms::Audience;
use crate::contract::reply::AnswerObject;
use crate::tools::web::research_cache::TRUST;
use iki_web::search::hints::SearchHints;

/// The fields after a list of what was found.
pub struct AnswerEnd<'a> {
    /// The noun for what was found, in the plural.
    pub noun: &'static str,
    /// Advice, if nothing was found.
    pub hints: Option<&'a SearchHints>,
    /// Number that was asked for, if it is not between 1 and 10.
    pub requested: Option<i64>,
    /// Number that is shown.
    pub shown: usize,
    /// Number that was found.
    pub found: usize,
}

impl AnswerEnd<'_> {
    /// Writes the fields, for readers of text as notes.
    pub fn write(&self, object: &mut AnswerObject<'_>) -> io::Result<()> {
        let Self { noun, .. } = self;
        let in_words = matches!(object.terms().reader, Audience::Model | Audience::Person);
        if let Some(hints) = self.hints {
            if in_words {
                object.nothing_found(&format!("no {noun}"))?;
                object.note(shown_hints::in_sentences(hints));
            } else {
                object.field("hints", &shown_hints::in_answer(hints))?;
            }
        }
        if let Some(requested) = self.requested {
            if in_words {
                object.note(format!(
                    "{requested} {noun} were asked for; there are 1 to 10."
                ));
            } else {
                object.field("requestedNumResults", &requested)?;
            }
        }
        object.field("trust", TRUST)?;
        if self.shown < self.found {
            object.note(format!(
                "{} of {} {noun} are shown, for which there is room.",
                self.shown, self.found
            ));
        }
        Ok(())
    }
}

/// Returns the number of rows for which there is room next to `around` bytes.
#[must_use]
pub fn count_fitting(object: &AnswerObject<'_>, rows: &[Value], around: usize) -> usize {
    let Some(room) = object.room() else {
        return rows.len();
    };
    let mut taken = around;
    let fits = |row: &&Value| {
        taken += row.to_string().len() + 1;
        taken <= room
    };
    rows.iter().take_while(fits).count()
}
