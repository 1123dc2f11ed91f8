//! The fields of an answer other than its content, of which some are left out where there is little
//! room.
//!
//! Rules: the decisions on the host's calls (9).

use serde::Serialize;
use serde_json::value::RawValue;

/// Fields of an answer without its content, in their order.
#[derive(Default)]
pub struct AnswerFields<'a>(pub Vec<(&'a str, Box<RawValue>)>);

impl<'a> AnswerFields<'a> {
    /// Adds a field.
    pub fn add(&mut self, name: &'a str, value: impl Serialize) {
        // Texts, numbers and JSON always serialise; the page's own declarations are unchanged.
        if let Ok(value) = serde_json::value::to_raw_value(&value) {
            self.0.push((name, value));
        }
    }

    /// Adds a field that has a value.
    pub fn add_some(&mut self, name: &'a str, value: Option<impl Serialize>) {
        if let Some(value) = value {
            self.add(name, value);
        }
    }

    /// Returns the length of the fields as JSON, each with its comma, in bytes.
    pub fn length(&self) -> usize {
        let one = |(name, value): &(&str, Box<RawValue>)| name.len() + 4 + value.get().len();
        self.0.iter().map(one).sum()
    }

    /// Leaves out dispensable fields, in their order, until the others have room; returns the names
    /// of those left out. The names have blanks between them.
    pub fn drop_until_fits(&mut self, room: usize, dispensable: &'static str) -> Vec<&'static str> {
        let mut left_out = Vec::new();
        for name in dispensable.split(' ') {
            if self.length() <= room {
                break;
            }
            let before = self.0.len();
            self.0.retain(|(one, _)| *one != name);
            if self.0.len() < before {
                left_out.push(name);
            }
        }
        left_out
    }
}
