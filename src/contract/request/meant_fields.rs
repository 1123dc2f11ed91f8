//! The fields of a tool that a request means: other agents' names for them are taken for them, and
//! words for "not given" are not given. The fields that the tool has not are named in the answer.
//!
//! Rules: the decisions on the host's calls (4) and on our own doors (9).

use std::borrow::Cow;

use super::{FieldValue, Request, quote_value};
use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::contract::schema::{FieldKind, Schema, SchemaField};
use crate::contract::terms::Terms;
use crate::contract::tool::Tool;

/// Words for an optional value that is not given.
const NOT_GIVEN: [&str; 6] = ["any", "none", "all", "auto", "default", "null"];

/// Optional fields that are neither numbers nor enumerations, and in which no such word is a value.
const NAMES_OF_KINDS: [&str; 5] = ["language", "country", "site", "lens", "provider"];

/// Other agents' name for the last line of a window: its value becomes a number of lines.
const END_LINE: &str = "end_line";

/// The most ignored fields that are named.
const MOST_NAMED: usize = 5;

impl Request<'_> {
    /// The same request as one to `tool`, under these terms.
    #[must_use]
    pub fn on(mut self, tool: &Tool, terms: Terms) -> Self {
        let schema = Schema::read(tool.model_schema);
        let find = |name: &str| schema.fields.iter().find(|field| field.name == name);
        self.rename(tool.aliases, |name| find(name).is_some());
        for (_, value) in &mut self.fields {
            let values = match value {
                FieldValue::List(values) => &mut values[..],
                _ => &mut [],
            };
            for value in values {
                if let FieldValue::Object(object) = value {
                    object.rename(tool.aliases, |_| true);
                }
            }
        }
        let mut unknown = Vec::new();
        self.fields
            .retain(|(name, value)| match (find(name), value) {
                (Some(field), FieldValue::Text(text)) => !is_not_given(field, text.trim()),
                (None, value) if !value.is_empty() => {
                    unknown.push(quote_value(name));
                    true
                }
                _ => true,
            });
        unknown.dedup();
        let known: Vec<&str> = schema.fields.iter().map(|field| &*field.name).collect();
        self.ignored = note_on_ignored(&unknown, &known);
        self.terms = terms;
        self
    }

    /// Gives fields of other names those of the tool's own, unless these are given themselves.
    fn rename(
        &mut self,
        aliases: &'static [(&'static str, &'static str)],
        is_own: impl Fn(&str) -> bool,
    ) {
        for (other, own) in aliases {
            let at = self.fields.iter().rposition(|(name, _)| name == other);
            let Some(at) = at.filter(|_| is_own(own)) else {
                continue;
            };
            let is_empty = self.fields[at].1.is_empty();
            if self
                .field(own)
                .is_some_and(|own| !own.is_empty() || is_empty)
            {
                continue;
            }
            if *other == END_LINE {
                let first = self.number("offset").ok().map(Option::unwrap_or_default);
                let last = self.number(other).ok().flatten();
                let (Some(first @ 0..), Some(last @ 1..)) = (first, last) else {
                    continue;
                };
                let lines = last.saturating_sub(first.max(1)).saturating_add(1);
                self.fields[at].1 = FieldValue::Integer(lines.max(1));
            }
            let (_, value) = self.fields.remove(at);
            self.fields.push((Cow::Borrowed(own), value));
        }
    }

    /// The result of a call of this request, with the note on the fields that the tool has not.
    pub(crate) fn name_ignored<'r>(
        &'r self,
        result: Result<Reply<'r>, Failure>,
    ) -> Result<Reply<'r>, Failure> {
        let Some(note) = &self.ignored else {
            return result;
        };
        match result {
            Ok(reply) => Ok(Reply::new(move |object| {
                let written = reply.write(object);
                object.note(note.clone());
                written
            })),
            Err(failure) => Err(failure.and_note(note)),
        }
    }
}

/// True if `text` in the field says that the field is not given.
fn is_not_given(field: &SchemaField, text: &str) -> bool {
    let takes_words = field.kind == FieldKind::Integer
        || !field.values.is_empty()
        || NAMES_OF_KINDS.contains(&&*field.name);
    let is_word = |text: String| NOT_GIVEN.contains(&&*text) && !field.values.contains(&text);
    !field.required && takes_words && is_word(text.to_ascii_lowercase())
}

fn note_on_ignored(unknown: &[String], known: &[&str]) -> Option<String> {
    let (named, more) = unknown.split_at(unknown.len().min(MOST_NAMED));
    let (is, it) = match named {
        [] => return None,
        [_] => ("is no field", "it was"),
        _ => ("are no fields", "they were"),
    };
    let more = match more.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (named, known) = (named.join(", "), known.join(", "));
    Some(format!(
        "{named}{more} {is} of this tool, so {it} ignored; the fields are {known}."
    ))
}
