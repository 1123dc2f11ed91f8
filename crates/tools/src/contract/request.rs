//! JSON in: a request's bytes become fields, which tools ask for by type.
//!
//! Reading is lenient where models are known to be imprecise, and exact where that would be a
//! guess. Rules: agreed behaviour, see REFERENCE.md. Strings are borrowed from the request,
//! in large requests even those with escapes, so that a file of 100 MB is not copied on its way to
//! the disk.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use serde::de::DeserializeSeed;
use serde_json::Value;

use crate::contract::call_terms::CallTerms;
use crate::contract::failure::Failure;
use iki_base::wording;
use json_values::{JsonDepth, RawFields, parse_field};

mod field_aliases;
mod foreign_fields;
mod in_place;
mod json_values;

/// Some hosts' runtimes write it before their JSON; it has no meaning.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Size in bytes from which a request is read in place.
const IN_PLACE_BYTES: usize = 64 * 1024;

/// Maximum length of a value or a name that is quoted in a message, in characters.
const MAX_QUOTED_CHARS: usize = 60;

/// Maximum length of a text that a message writes out for the caller to send.
const MAX_SENT_BYTES: usize = 200;

/// The fields of one call, or of one object in it.
#[derive(Debug, Default)]
pub struct Request<'a> {
    fields: Vec<(Cow<'a, str>, FieldValue<'a>)>,
    terms: CallTerms,
    /// The note on fields that the tool does not have, if there are any.
    ignored: Option<String>,
    /// The refusal of a field that asks for what the tool does not do.
    refused: Option<Box<Failure>>,
}

impl<'a> Request<'a> {
    /// Reads a request as [`parse`](Self::parse) does. The strings of a large one are unescaped in
    /// `bytes` themselves.
    pub fn parse_in_place(bytes: &'a mut [u8]) -> Result<Self, Failure> {
        let spans = (bytes.len() >= IN_PLACE_BYTES)
            .then(|| in_place::field_spans(bytes))
            .flatten();
        match spans {
            Some(spans) => Ok(Self::of_fields(in_place::unescape_fields(bytes, spans))),
            None => Self::parse(bytes),
        }
    }

    /// Reads a request: one JSON object with nothing but white space around it.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Failure> {
        let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Err(Failure::bad_request("empty input"));
        }
        let invalid = |reason| Failure::bad_request(format!("invalid JSON: {reason}"));
        // A value that cannot be represented makes only its own field unusable.
        match serde_json::from_slice(bytes) {
            Ok(RawFields(fields)) => {
                let fields = fields.into_iter().filter_map(parse_field);
                Ok(Self::of_fields(fields.collect()))
            }
            Err(error) if error.is_data() => {
                let mut reader = serde_json::Deserializer::from_slice(bytes);
                let other = JsonDepth::Leaf.deserialize(&mut reader);
                let kind = other.and_then(|other| reader.end().map(|()| other.kind()));
                Err(invalid(match kind {
                    Ok(kind) => format!("expected an object, found {kind}"),
                    Err(error) => error.to_string(),
                }))
            }
            Err(error) => Err(invalid(error.to_string())),
        }
    }

    fn of_fields(fields: Vec<(Cow<'a, str>, FieldValue<'a>)>) -> Self {
        Self {
            fields,
            ..Self::default()
        }
    }

    /// The terms of the call.
    #[must_use]
    pub fn terms(&self) -> &CallTerms {
        &self.terms
    }

    /// Sets the field `name` to this text, replacing any other value.
    pub(crate) fn set_text(&mut self, name: &'static str, text: String) {
        let value = FieldValue::Text(Cow::Owned(text));
        self.fields.push((Cow::Borrowed(name), value));
    }

    /// A required string, which may be empty.
    pub fn required_text(&self, name: &str) -> Result<&str, Failure> {
        match self.field(name) {
            None => Err(Failure::bad_request(format!("missing {name} field"))),
            Some(FieldValue::Text(text)) => Ok(text),
            Some(other) if name == "content" => Err(other
                .refuse_for(name, "a string")
                .with_note("Send it as text.")),
            Some(other) => Err(other.refuse_for(name, "a string")),
        }
    }

    /// An optional string; an empty one counts as missing.
    pub fn text(&self, name: &str) -> Result<Option<&str>, Failure> {
        match self.non_empty_field(name) {
            None => Ok(None),
            Some(FieldValue::Text(text)) => Ok(Some(text)),
            Some(other) => Err(other.refuse_for(name, "a string")),
        }
    }

    /// An optional whole number, clamped to `bounds`; 0 counts as missing.
    pub fn integer(&self, name: &str, bounds: RangeInclusive<u64>) -> Result<Option<u64>, Failure> {
        let Some(number) = self.number(name)? else {
            return Ok(None);
        };
        let (least, limit) = (i128::from(*bounds.start()), i128::from(*bounds.end()));
        Ok(u64::try_from(number.clamp(least, limit)).ok())
    }

    /// An optional whole number, unclamped and perhaps negative; 0 counts as missing.
    pub fn number(&self, name: &str) -> Result<Option<i128>, Failure> {
        let Some(value) = self.non_empty_field(name) else {
            return Ok(None);
        };
        let number = match value {
            FieldValue::Integer(number) => Some(*number),
            FieldValue::Real(number) => as_whole_number(*number),
            FieldValue::Text(text) => parse_integer(text),
            _ => None,
        };
        let number = number.ok_or_else(|| value.refuse_for(name, "an integer"))?;
        Ok((number != 0).then_some(number))
    }

    /// An optional flag; false if it is missing.
    pub fn flag(&self, name: &str) -> Result<bool, Failure> {
        match self.non_empty_field(name) {
            None => Ok(false),
            Some(FieldValue::Bool(flag)) => Ok(*flag),
            Some(FieldValue::Text(text)) if text.trim().eq_ignore_ascii_case("true") => Ok(true),
            Some(FieldValue::Text(text)) if text.trim().eq_ignore_ascii_case("false") => Ok(false),
            Some(other) => Err(other.refuse_for(name, "a boolean")),
        }
    }

    /// An optional choice: the value that is called so in `choices`, in which a value may have
    /// several names.
    pub fn choice<T: Copy + PartialEq>(
        &self,
        name: &str,
        choices: &[(&str, T)],
    ) -> Result<Option<T>, Failure> {
        let text = self.text(name)?.map(str::trim).unwrap_or_default();
        if text.is_empty() {
            return Ok(None);
        }
        let mut all = choices.iter();
        if let Some((_, value)) = all.find(|(one, _)| one.eq_ignore_ascii_case(text)) {
            return Ok(Some(*value));
        }
        let is_first =
            |one: &&(&str, T)| choices.iter().find(|other| other.1 == one.1) == Some(*one);
        let names: Vec<&str> = choices.iter().filter(is_first).map(|one| one.0).collect();
        Err(Failure::bad_request(format!(
            "{name} must be {}",
            wording::join_list(&names, "or")
        )))
    }

    /// An optional list of objects, each as a request of its own; `None` if it is missing.
    pub fn objects(&self, name: &str) -> Result<Option<Vec<&Request<'a>>>, Failure> {
        let wanted = "an array of objects";
        match self.field(name) {
            Some(FieldValue::List(values)) => {
                let objects = values.iter().map(|value| match value {
                    FieldValue::Object(fields) => Ok(fields),
                    other => Err(other.refuse_for(name, wanted)),
                });
                objects.collect::<Result<_, _>>().map(Some)
            }
            Some(other) if !other.is_empty() => Err(other.refuse_for(name, wanted)),
            _ => Ok(None),
        }
    }

    /// True if this field is given.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.non_empty_field(name).is_some()
    }

    /// An optional list of strings; empty if it is missing. Empty strings in it are ignored.
    pub fn texts(&self, name: &str) -> Result<Vec<&str>, Failure> {
        let wanted = "an array of strings";
        match self.non_empty_field(name) {
            None => Ok(Vec::new()),
            Some(FieldValue::List(values)) => values
                .iter()
                .filter(|value| !value.is_empty())
                .map(|value| match value {
                    FieldValue::Text(text) => Ok(text.as_ref()),
                    other => Err(other.refuse_for(name, wanted)),
                })
                .collect(),
            Some(FieldValue::Text(text)) => Ok(vec![text.as_ref()]),
            Some(other) => Err(other.refuse_for(name, wanted)),
        }
    }

    /// An optional field unless it is empty: models in strict mode send every field, and leave
    /// empty what they do not want.
    fn non_empty_field(&self, name: &str) -> Option<&FieldValue<'a>> {
        self.field(name).filter(|value| !value.is_empty())
    }

    /// The last field of this name, as in most readers of JSON.
    fn field(&self, name: &str) -> Option<&FieldValue<'a>> {
        self.fields
            .iter()
            .rev()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }
}

/// The text to send for the field `name` in the place of the list of `words`.
fn send_as_text(name: &str, words: &[&str]) -> String {
    let (text, more) = match (name, words) {
        (_, [only]) => ((*only).to_owned(), ""),
        ("command", words) => {
            let words: Vec<_> = words
                .iter()
                .map(|word| wording::quoted_for_shell(word))
                .collect();
            (words.join(" "), "")
        }
        (_, words) => (
            words.first().copied().unwrap_or_default().to_owned(),
            ", and the others in calls of their own",
        ),
    };
    if text.len() > MAX_SENT_BYTES {
        return format!("Send {name} as text.");
    }
    format!("Send \"{name}\":{}{more}.", Value::from(text))
}

/// Shortens a value for its quotation in a message.
#[must_use]
pub(crate) fn quote_value(value: &str) -> String {
    let short: String = value.chars().take(MAX_QUOTED_CHARS).collect();
    format!("{short:?}")
}

/// Parses a whole number in any notation of JSON's. Beyond the range of integers, it is the
/// nearest one.
#[must_use]
pub fn parse_integer(text: &str) -> Option<i128> {
    let text = text.trim();
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    // JSON has no `NaN` and no `inf`, which `parse` would accept.
    let number = text.bytes().any(|byte| byte.is_ascii_digit());
    number
        .then(|| text.parse().ok())
        .flatten()
        .and_then(as_whole_number)
}

/// `number` as an integer if it is whole; beyond the range of integers, the nearest one.
fn as_whole_number(number: f64) -> Option<i128> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the cast saturates, and bounds follow"
    )]
    (number.fract() == 0.0 || number.is_infinite()).then_some(number as i128)
}

/// A JSON value, borrowed from the request if possible. Of values that no field takes, only the
/// kind is kept.
#[derive(Debug)]
enum FieldValue<'a> {
    Null,
    Bool(bool),
    Integer(i128),
    /// Infinite if the number is too large for the type.
    Real(f64),
    Text(Cow<'a, str>),
    List(Vec<FieldValue<'a>>),
    /// The whole request, or an object in it.
    Object(Request<'a>),
    /// A non-empty array or an object deeper than any that a field has.
    Other(&'static str),
    /// JSON that cannot be represented, such as half of a surrogate pair, and the reason.
    Unrepresentable(String),
}

impl FieldValue<'_> {
    fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Integer(_) | Self::Real(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "an array",
            Self::Object(_) => "an object",
            Self::Other(kind) => kind,
            Self::Unrepresentable(_) => "a value that cannot be held",
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Text(text) => text.is_empty(),
            Self::List(values) => values.is_empty(),
            _ => false,
        }
    }

    /// The refusal of this value in the field `name`, which must be `wanted`.
    fn refuse_for(&self, name: &str, wanted: &str) -> Failure {
        let mut reason = format!("{name} must be {wanted}");
        if let Self::Unrepresentable(cause) = self {
            reason = format!("{reason}: {cause}");
        }
        let failure = Failure::bad_request(reason);
        match self.words() {
            Some(words) if wanted == "a string" => failure.with_note(send_as_text(name, &words)),
            _ => failure,
        }
    }

    /// The texts of a list that has nothing else.
    fn words(&self) -> Option<Vec<&str>> {
        let Self::List(values) = self else {
            return None;
        };
        let texts = values.iter().map(|value| match value {
            FieldValue::Text(text) => Some(text.as_ref()),
            _ => None,
        });
        texts.collect()
    }
}

#[cfg(test)]
mod tests;
