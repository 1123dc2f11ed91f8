//! A request's fields under the tool's own names: other agents' names count as these, and words for
//! "not given" as not given. Fields that the tool does not have are named in the answer.
//!
//! Rules: agreed behaviour, see REFERENCE.md.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;

use serde::de::DeserializeSeed;
use serde_json::Value;

use super::foreign_fields::{self, ForeignField, LAST_LINE, LINE_RANGE, OPPOSITES};
use super::json_values::JsonDepth;
use super::{FieldValue, Request, quote_value};
use crate::contract::call_terms::{Audience, CallTerms};
use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::contract::schema::{FieldKind, Schema, SchemaField};
use crate::contract::tool::{AccessScope, Tool};

/// Words for an optional value that is not given.
const NOT_GIVEN: [&str; 6] = ["any", "none", "all", "auto", "default", "null"];

/// Optional fields that are neither numbers nor enumerations, and in which no such word is a value.
const NAMES_OF_KINDS: [&str; 6] = ["language", "country", "site", "lens", "provider", "type"];

/// Fields of text in which a number or a flag is taken for its JSON.
const TAKES_SCALARS: [&str; 5] = ["pattern", "query", "command", "old_string", "new_string"];

/// The field of a shell's command.
const COMMAND: &str = "command";

/// Maximum number of ignored fields that are named.
const MAX_NAMED_FIELDS: usize = 5;

/// The findings on fields that a tool does not have.
#[derive(Default)]
struct FoundFields {
    /// The names of those that are ignored.
    unknown: BTreeSet<String>,
    /// Sentences on those that are other names of fields that are given as well.
    beside: Vec<String>,
    /// The refusal of one that asks for what the tool does not do.
    refused: Option<Failure>,
}

impl Request<'_> {
    /// This request as one to `tool`, under these terms.
    #[must_use]
    pub fn for_tool(mut self, tool: &Tool, terms: CallTerms) -> Self {
        self.terms = terms;
        // Most requests mean what they say. They start faster if the schema is not read, only
        // searched for the names of their fields: a test sees to it that schemas write `"name": {`.
        // The search is the standard library's: a faster one asks first what the processor can,
        // which takes longer than the whole search.
        let is_plain = |(name, value): &(Cow<'_, str>, FieldValue<'_>)| {
            value.is_plain(name) && tool.model_schema.contains(&format!("\"{name}\": {{"))
        };
        if self.fields.iter().all(is_plain) {
            return self;
        }
        let schema = Schema::read(tool.model_schema);
        let mut report = FoundFields::default();
        self.take_as_meant(tool, &schema, &mut report, None);
        self.refused = report.refused.map(Box::new);
        // The note to a host names the fields that are for hosts.
        let for_hosts = tool.host_schema.filter(|_| terms.reader == Audience::Host);
        let fields = for_hosts.map_or(schema.fields, |words| Schema::read(words).fields);
        let unknown = note_on_ignored(&report.unknown, &fields);
        let notes: Vec<String> = report.beside.into_iter().chain(unknown).collect();
        self.ignored = Some(notes.join(" ")).filter(|note| !note.is_empty());
        self
    }

    /// Reads the fields, and those of objects in them, as they are meant. `outer_path` is the file
    /// of the request in which this is an object.
    fn take_as_meant(
        &mut self,
        tool: &Tool,
        schema: &Schema,
        report: &mut FoundFields,
        outer_path: Option<&str>,
    ) {
        self.rename(tool, schema);
        let is_inner = outer_path.is_some();
        let file_path = self.text("file_path").ok().flatten().or(outer_path);
        let file_path = file_path.unwrap_or_default().to_owned();
        let terms = self.terms;
        for index in 0..self.fields.len() {
            let (name, value) = &self.fields[index];
            let is_known = schema.fields.iter().any(|field| field.name == *name);
            let is_path = matches!(tool.scope, AccessScope::File(path) if path == name);
            let meaning = if is_inner && is_path {
                match value {
                    // Without a file of the request that is what is missing.
                    FieldValue::Text(path)
                        if !path.is_empty()
                            && outer_path.is_some_and(|outer| {
                                !outer.is_empty() && !is_same_file(path, outer)
                            }) =>
                    {
                        ForeignField::Refused(foreign_fields::refusal(
                            tool,
                            name,
                            "edits are of one file; send a call for each",
                        ))
                    }
                    _ => ForeignField::Idle,
                }
            } else if is_known {
                continue;
            } else if let Some(own_name) = own_name(tool, schema, name) {
                self.meaning_beside(tool, own_name, index)
            } else {
                let call = (Some(&*file_path), &terms);
                match foreign_fields::meaning(tool, (name, value), self, call) {
                    ForeignField::Read(read) if name != read && self.has(read) => {
                        self.meaning_beside(tool, read, index)
                    }
                    meaning => meaning,
                }
            };
            match meaning {
                ForeignField::Idle => {}
                ForeignField::Read(name) => self.fields[index].0 = Cow::Borrowed(name),
                ForeignField::Refused(failure) => {
                    report.refused.get_or_insert(failure);
                }
                ForeignField::Beside(own_name) => report.beside.push(format!(
                    "{} is {own_name}, which has another value, so it was ignored.",
                    quote_value(name)
                )),
                ForeignField::Unknown => {
                    report.unknown.insert(quote_value(name));
                }
            }
        }
        self.fields.retain_mut(|(name, value)| {
            let Some(field) = schema.fields.iter().find(|field| field.name == *name) else {
                return true;
            };
            if let FieldKind::Texts | FieldKind::Objects = field.kind {
                value.read_list();
            }
            if field.kind == FieldKind::Text {
                value.read_scalar(name);
                if name == COMMAND && terms.reader != Audience::Host {
                    value.read_shell_call(&terms);
                }
            }
            if let FieldValue::List(values) = value {
                for value in values {
                    if let FieldValue::Object(object) = value {
                        object.terms = terms;
                        object.take_as_meant(tool, schema, report, Some(&file_path));
                    }
                }
            }
            !matches!(value, FieldValue::Text(text) if is_not_given(field, text))
        });
    }

    /// The meaning of the other name at `index` for the field `own_name`, which is given too: two
    /// values are none, where something is changed by them.
    fn meaning_beside(&self, tool: &Tool, own_name: &str, index: usize) -> ForeignField {
        let (name, value) = &self.fields[index];
        let text = value.as_text();
        match self.field(own_name) {
            _ if value.is_empty() => ForeignField::Idle,
            Some(other) if !text.is_empty() && is_same_value(own_name, &text, &other.as_text()) => {
                ForeignField::Idle
            }
            None => ForeignField::Unknown,
            _ if tool.hints.read_only => ForeignField::Beside(own_name.to_owned()),
            _ => ForeignField::Refused(foreign_fields::refusal(
                tool,
                name,
                &format!("it is {own_name}, which has another value"),
            )),
        }
    }

    /// Gives fields of other names those of the tool's own, unless these are given themselves.
    fn rename(&mut self, tool: &Tool, schema: &Schema) {
        for (other, own_name) in tool.aliases {
            if let Some(index) = self.fields.iter().rposition(|(name, _)| name == other) {
                self.take_for(index, own_name);
            }
        }
        if let Some(index) = self
            .fields
            .iter()
            .rposition(|(name, _)| foreign_fields::is_same(LINE_RANGE, name))
            && schema.fields.iter().any(|field| field.name == "offset")
            && !self.has("offset")
            && !self.has("limit")
            && let Some((first, last)) = self.fields[index].1.line_range()
        {
            self.fields.remove(index);
            let mut push = |name, number| {
                self.fields
                    .push((Cow::Borrowed(name), FieldValue::Integer(number)));
            };
            push("offset", first);
            if last >= first {
                push("limit", last - first + 1);
            }
        }
        for index in (0..self.fields.len()).rev() {
            let name = &self.fields[index].0;
            if schema.fields.iter().any(|field| field.name == *name) {
                continue;
            }
            if let Some(own_name) = foreign_fields::own_name(schema, name) {
                self.take_for(index, own_name);
            }
        }
    }

    /// Takes the field at `index` for the field `own_name`, unless that is given itself.
    fn take_for(&mut self, index: usize, own_name: &str) {
        let (name, value) = &self.fields[index];
        let is_empty = value.is_empty();
        let is_given = |value: &FieldValue<'_>| !value.is_empty() || is_empty;
        if self.field(own_name).is_some_and(is_given) {
            return;
        }
        let is = |other: &str| foreign_fields::is_same(other, name);
        let taken = if is(LAST_LINE) {
            let is_first = |name: &str| foreign_fields::is_same("start_line", name);
            let names = || self.fields.iter().map(|(name, _)| &**name);
            let first = names().find(|name| *name == "offset" || is_first(name));
            let first = self.number(first.unwrap_or("offset"));
            let first = first.ok().map(Option::unwrap_or_default);
            let last = self.number(name).ok().flatten();
            match (first, last) {
                (Some(first @ 0..), Some(last @ 1..)) if last >= first => {
                    let lines = last.saturating_sub(first.max(1)).saturating_add(1);
                    Some(FieldValue::Integer(lines))
                }
                // To the end, as without it.
                (Some(0..), Some(-1)) => {
                    self.fields.remove(index);
                    return;
                }
                _ => return,
            }
        } else if OPPOSITES.iter().any(|other| is(other)) {
            match self.flag(name) {
                Ok(flag) => Some(FieldValue::Bool(!flag && !is_empty)),
                Err(_) => return,
            }
        } else {
            None
        };
        self.fields[index].0 = Cow::Owned(own_name.to_owned());
        if let Some(taken) = taken {
            self.fields[index].1 = taken;
        }
        // The last of a name counts.
        let field = self.fields.remove(index);
        self.fields.push(field);
    }

    /// The refusal of a field that asks for what the tool does not do.
    pub(crate) fn refusal(&self) -> Option<Failure> {
        self.refused.as_deref().cloned()
    }

    /// True if this flag, which the schema does not have, is given and is false, in whatever words.
    pub(crate) fn is_denied(&self, name: &str) -> Result<bool, Failure> {
        let Some(value) = self.field(name).filter(|value| !value.is_empty()) else {
            return Ok(false);
        };
        let text = value.as_text();
        match (text.trim(), foreign_fields::flag_of_word(&text)) {
            (_, Some(flag)) => Ok(!flag),
            ("0", _) => Ok(true),
            ("1", _) => Ok(false),
            _ => Err(value.refuse_for(name, "a boolean")),
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
    fn is_plain(&self, name: &str) -> bool {
        match self {
            Self::Text(text) => {
                !is_word_for_nothing(text) && !text.trim_start().starts_with(['[', '{'])
            }
            Self::List(values) => {
                name != COMMAND && values.iter().all(|value| value.is_plain(name))
            }
            Self::Object(_) => false,
            _ => !TAKES_SCALARS.contains(&name),
        }
    }

    /// Takes a number or a flag in the field `name`, which is text, for its JSON.
    fn read_scalar(&mut self, name: &str) {
        let json = match self {
            Self::Bool(flag) => flag.to_string(),
            Self::Integer(number) => number.to_string(),
            Self::Real(number) if number.is_finite() => Value::from(*number).to_string(),
            _ => return,
        };
        if TAKES_SCALARS.contains(&name) {
            *self = Self::Text(json.into());
        }
    }

    /// Takes a call of the shell in use, as a list of words, for the command that it runs.
    fn read_shell_call(&mut self, terms: &CallTerms) {
        if let Self::List(values) = self
            && let [Self::Text(shell), Self::Text(flags), Self::Text(command)] = &mut values[..]
            && ["-c", "-lc", "-ic"].contains(&&**flags)
            && foreign_fields::is_shell_in_use(shell, terms)
        {
            *self = Self::Text(std::mem::take(command));
        }
    }

    /// The first line and the last of a list of both, -1 being the end of the file.
    fn line_range(&self) -> Option<(i128, i128)> {
        let numbers: Vec<i128> = match self {
            Self::List(values) => values.iter().map_while(Self::as_integer).collect(),
            Self::Text(text) => {
                let numbers = text.trim().trim_matches(['[', ']']).split(',');
                numbers.filter_map(super::parse_integer).collect()
            }
            _ => return None,
        };
        match numbers[..] {
            [first, last] if first > 0 && (last == -1 || last >= first) => Some((first, last)),
            _ => None,
        }
    }

    fn as_integer(&self) -> Option<i128> {
        match self {
            Self::Integer(number) => Some(*number),
            Self::Text(text) => super::parse_integer(text),
            _ => None,
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

/// The field of the tool that has this other name.
fn own_name<'s>(tool: &Tool, schema: &'s Schema, name: &str) -> Option<&'s str> {
    let mut aliases = tool.aliases.iter();
    match aliases.find(|(other, _)| *other == name) {
        Some((_, own_name)) => Some(own_name),
        None => foreign_fields::own_name(schema, name),
    }
}

/// True if both are the same value of the field: of one that has a path, the same place.
fn is_same_value(field: &str, one: &str, other: &str) -> bool {
    let is_path = ["path", "file_path", "workdir"].contains(&field);
    one == other || is_path && is_same_file(one, other)
}

/// True if both paths name the same file, from the working directory on: by their words, or by what
/// is there.
fn is_same_file(one: &str, other: &str) -> bool {
    let absolute = |path: &str| std::path::absolute(path).ok();
    let is_same_place = || {
        let place = fs::canonicalize(one).ok();
        place.is_some() && place == fs::canonicalize(other).ok()
    };
    absolute(one) == absolute(other) || is_same_place()
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
    !field.is_required && takes_words && is_word_for_nothing(text) && !is_value(text.trim())
}

pub(super) fn is_word_for_nothing(text: &str) -> bool {
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
