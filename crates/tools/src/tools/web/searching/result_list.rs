//! The answer of a search of research: a list of what was found, with the fields and notes that all
//! of them have.

use std::io;

use serde_json::Value;

use super::search_hints;
use super::search_meta::SearchMeta;
use crate::contract::notes::Notes;
use crate::contract::reply::{AnswerObject, META, Reply};
use crate::tools::web::research_call::TRUST;
use iki_web::search::hints::SearchHints;

/// Bytes that are reserved for the fields that all answers have if there is a limit.
const COMMON_FIELDS_BYTES: usize = 90;

/// Field with the number of entries that are shown.
const COUNT: &str = "resultCount";

/// A list of what was found.
pub struct FoundList {
    /// Noun for its entries, in the plural, which is the name of its field.
    pub noun: &'static str,
    /// Entries, in the form of the answer's reader.
    pub rows: Vec<Value>,
    /// Fields of the answer in their order: the list and its count without values, and other lists
    /// with an item for each entry.
    pub fields: Vec<(&'static str, Value)>,
    /// Number that was asked for, if it is not between 1 and 10.
    pub requested: Option<i64>,
    /// Advice, if nothing was found.
    pub hints: Option<SearchHints>,
    /// Notes on what was found.
    pub notes: Notes,
    /// Metadata for a client.
    pub meta: SearchMeta,
}

impl FoundList {
    /// Builds the answer.
    pub fn reply<'a>(self) -> Reply<'a> {
        Reply::new(move |object| self.write(object))
    }

    /// Writes as many entries as there is room for, for readers of text with notes in place of
    /// fields for programs.
    fn write(self, object: &mut AnswerObject<'_>) -> io::Result<()> {
        let Self { noun, rows, .. } = self;
        let in_words = object.terms().reader.reads_words();
        let lengths = self.fields.iter();
        let lengths = lengths.map(|(name, value)| name.len() + 4 + value.to_string().len());
        let shown_count =
            count_fitting(object, &rows, COMMON_FIELDS_BYTES + lengths.sum::<usize>());
        for (name, value) in &self.fields {
            match value {
                _ if *name == noun => object.field(name, &rows[..shown_count])?,
                _ if *name == COUNT => object.field(name, &shown_count)?,
                Value::Array(items) => object.field(name, &items[..shown_count])?,
                value => object.field(name, value)?,
            }
        }
        if let Some(hints) = &self.hints {
            if in_words {
                object.nothing_found(&format!("no {noun}"))?;
                object.note(search_hints::in_sentences(hints));
            } else {
                object.field("hints", &search_hints::in_answer(hints))?;
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
        let count = rows.len();
        if shown_count < count {
            object.note(format!(
                "{shown_count} of {count} {noun} are shown, for which there is room."
            ));
        }
        object.note(self.notes);
        object.field_for_server(META, &self.meta)
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
