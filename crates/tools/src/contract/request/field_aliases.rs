//! A request's fields under the tool's own names: other agents' names count as these, and words for
//! "not given" as not given. Fields that the tool does not have are named in the answer.
//!
//! Rules: agreed behaviour, see REFERENCE.md.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::de::DeserializeSeed;

use super::{FieldValue, JsonDepth, Request, quote_value};
use crate::contract::call_terms::{Audience, CallTerms};
use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::contract::schema::{FieldKind, Schema, SchemaField};
use crate::contract::tool::Tool;

/// Words for an optional value that is not given.
const NOT_GIVEN: [&str; 6] = ["any", "none", "all", "auto", "default", "null"];

/// Optional fields that are neither numbers nor enumerations, and in which no such word is a value.
const NAMES_OF_KINDS: [&str; 5] = ["language", "country", "site", "lens", "provider"];

/// Other agents' name for the last line of a window: its value becomes a number of lines.
const END_LINE: &str = "end_line";

/// Maximum number of ignored fields that are named.
const MAX_NAMED_FIELDS: usize = 5;

impl Request<'_> {
    /// This request as one to `tool`, under these terms.
    #[must_use]
    pub fn for_tool(mut self, tool: &Tool, terms: CallTerms) -> Self {
        self.terms = terms;
        self.rename(tool.aliases);
        // Most requests mean what they say. They start faster if the schema is not read, only
        // searched for the names of their fields: a test sees to it that schemas write `"name": {`.
        // The search is the standard library's: a faster one asks first what the processor can,
        // which takes longer than the whole search.
        let is_plain = |(name, value): &(Cow<'_, str>, FieldValue<'_>)| {
            value.is_plain() && tool.model_schema.contains(&format!("\"{name}\": {{"))
        };
        if self.fields.iter().all(is_plain) {
            return self;
        }
        let schema = Schema::read(tool.model_schema);
        let mut unknown = BTreeSet::new();
        self.take_as_meant(tool, &schema, &mut unknown);
        // The note to a host names the fields that are for hosts.
        let for_hosts = tool.host_schema.filter(|_| terms.reader == Audience::Host);
        let fields = for_hosts.map_or(schema.fields, |words| Schema::read(words).fields);
        self.ignored = note_on_ignored(&unknown, &fields);
        self
    }

    /// Reads the fields, and those of objects in them, as they are meant. Adds the names of
    /// `unknown` ones.
    fn take_as_meant(&mut self, tool: &Tool, schema: &Schema, unknown: &mut BTreeSet<String>) {
        self.rename(tool.aliases);
        self.fields.retain_mut(|(name, value)| {
            let Some(field) = schema.fields.iter().find(|field| field.name == *name) else {
                if !value.is_empty() {
                    unknown.insert(quote_value(name));
                }
                return true;
            };
            if let FieldKind::Texts | FieldKind::Objects = field.kind {
                value.read_list();
            }
            if let FieldValue::List(values) = value {
                for value in values {
                    if let FieldValue::Object(object) = value {
                        object.take_as_meant(tool, schema, unknown);
                    }
                }
            }
            !matches!(value, FieldValue::Text(text) if is_not_given(field, text))
        });
    }

    /// Gives fields of other names those of the tool's own, unless these are given themselves.
    fn rename(&mut self, aliases: &'static [(&'static str, &'static str)]) {
        for (other, own) in aliases {
            let Some(at) = self.fields.iter().rposition(|(name, _)| name == other) else {
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

    /// The result of a call of this request, with the note on fields that the tool does not have.
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

impl FieldValue<'_> {
    /// True if it means itself in every field.
    fn is_plain(&self) -> bool {
        match self {
            Self::Text(text) => {
                !is_word_for_nothing(text) && !text.trim_start().starts_with(['[', '{'])
            }
            Self::List(values) => values.iter().all(Self::is_plain),
            Self::Object(_) => false,
            _ => true,
        }
    }

    /// Reads a list that is written as text, and a single object as a list of one.
    fn read_list(&mut self) {
        if let Self::Text(text) = self {
            // A reader lends nothing, so that the text can be replaced.
            let mut reader = serde_json::Deserializer::from_reader(text.as_bytes());
            let read = JsonDepth::Field.deserialize(&mut reader);
            let is_element = |value: &Self| matches!(value, Self::Text(_) | Self::Object(_));
            match read.and_then(|value| reader.end().map(|()| value)) {
                Ok(Self::List(values)) if values.iter().all(is_element) => {
                    *self = Self::List(values);
                }
                Ok(only @ Self::Object(_)) => *self = only,
                _ => {}
            }
        }
        if let Self::Object(only) = self {
            *self = Self::List(vec![Self::Object(std::mem::take(only))]);
        }
    }
}

/// True if `text` in the field says that the field is not given.
fn is_not_given(field: &SchemaField, text: &str) -> bool {
    let takes_words = field.kind == FieldKind::Integer
        || !field.values.is_empty()
        || NAMES_OF_KINDS.contains(&&*field.name);
    let is_value = |text: &str| {
        field
            .values
            .iter()
            .any(|one| one.eq_ignore_ascii_case(text))
    };
    !field.required && takes_words && is_word_for_nothing(text) && !is_value(text.trim())
}

fn is_word_for_nothing(text: &str) -> bool {
    let text = text.trim();
    NOT_GIVEN.iter().any(|word| word.eq_ignore_ascii_case(text))
}

fn note_on_ignored(unknown: &BTreeSet<String>, known: &[SchemaField]) -> Option<String> {
    let (is, it) = match unknown.len() {
        0 => return None,
        1 => ("is not a field", "it was"),
        _ => ("are not fields", "they were"),
    };
    let named: Vec<&str> = unknown
        .iter()
        .take(MAX_NAMED_FIELDS)
        .map(|name| &**name)
        .collect();
    let more = match unknown.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let known: Vec<&str> = known.iter().map(|field| &*field.name).collect();
    let (named, known) = (named.join(", "), known.join(", "));
    Some(format!(
        "{named}{more} {is} of this tool, so {it} ignored; the fields are {known}."
    ))
}
