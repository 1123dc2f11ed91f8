//! JSON in: a request's bytes become fields, each asked for by the type that its tool wants.
//!
//! Lenient where models are known to be imprecise and exact where that would be a guess: the rules are the decisions
//! on the host's calls, 2 and 4. Strings without escapes are borrowed from the request, so that a file of 100 MB is
//! not copied on its way to the disk.

use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::failure::Failure;

/// One call's fields.
#[derive(Debug)]
pub struct Request<'a> {
    fields: Vec<(Cow<'a, str>, Value<'a>)>,
}

impl<'a> Request<'a> {
    /// Reads a request: one JSON object, and nothing but white space around it.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Failure> {
        // Some hosts' runtimes write a byte-order mark before their JSON; it says nothing.
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Err(Failure::bad_request("empty input"));
        }
        let value = serde_json::from_slice(bytes)
            .map_err(|error| Failure::bad_request(format!("invalid JSON: {error}")))?;
        match value {
            Value::Object(fields) => Ok(Self { fields }),
            other => Err(Failure::bad_request(format!(
                "invalid JSON: expected an object, found {}",
                other.kind()
            ))),
        }
    }

    /// A string that must be there; it may be empty.
    pub fn required_text(&self, name: &str) -> Result<&str, Failure> {
        match self.field(name) {
            None => Err(Failure::bad_request(format!("missing {name} field"))),
            Some(Value::Text(text)) => Ok(text),
            Some(_) => Err(must_be(name, "a string")),
        }
    }

    /// A string that may be missing; an empty one counts as missing.
    pub fn text(&self, name: &str) -> Result<Option<&str>, Failure> {
        match self.given(name) {
            None => Ok(None),
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(_) => Err(must_be(name, "a string")),
        }
    }

    /// A whole number that may be missing, brought within `bounds`; 0 counts as missing.
    pub fn integer(&self, name: &str, bounds: RangeInclusive<u64>) -> Result<Option<u64>, Failure> {
        let number = match self.given(name) {
            None => return Ok(None),
            Some(Value::Integer(number)) => *number,
            Some(Value::Real(number)) => {
                whole(*number).ok_or_else(|| must_be(name, "an integer"))?
            }
            Some(Value::Text(text)) => {
                let text = text.trim();
                let parsed = text.parse::<i128>().ok();
                let number = parsed.or_else(|| text.parse::<f64>().ok().and_then(whole));
                number.ok_or_else(|| must_be(name, "an integer"))?
            }
            Some(_) => return Err(must_be(name, "an integer")),
        };
        if number == 0 {
            return Ok(None);
        }
        let (least, most) = (i128::from(*bounds.start()), i128::from(*bounds.end()));
        Ok(u64::try_from(number.clamp(least, most)).ok())
    }

    /// A yes or no that may be missing, which is no.
    pub fn flag(&self, name: &str) -> Result<bool, Failure> {
        match self.given(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(Value::Text(text)) if text.trim().eq_ignore_ascii_case("true") => Ok(true),
            Some(Value::Text(text)) if text.trim().eq_ignore_ascii_case("false") => Ok(false),
            Some(_) => Err(must_be(name, "a boolean")),
        }
    }

    /// A list of strings that may be missing, which is an empty one; empty strings in it are passed over.
    pub fn texts(&self, name: &str) -> Result<Vec<&str>, Failure> {
        let wrong = || must_be(name, "an array of strings");
        match self.given(name) {
            None => Ok(Vec::new()),
            Some(Value::List(values)) => values
                .iter()
                .filter(|value| !value.is_empty())
                .map(|value| match value {
                    Value::Text(text) => Ok(text.as_ref()),
                    _ => Err(wrong()),
                })
                .collect(),
            Some(Value::Text(text)) => Ok(vec![text.as_ref()]),
            Some(_) => Err(wrong()),
        }
    }

    /// An optional field that says something: models in strict mode send every field, empty where they mean none.
    fn given(&self, name: &str) -> Option<&Value<'a>> {
        self.field(name).filter(|value| !value.is_empty())
    }

    /// Of a field that is there twice, the last one counts, as in most readers of JSON.
    fn field(&self, name: &str) -> Option<&Value<'a>> {
        self.fields
            .iter()
            .rev()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }
}

fn must_be(name: &str, what: &str) -> Failure {
    Failure::bad_request(format!("{name} must be {what}"))
}

/// The whole number that `number` is, if it is one; beyond the range of integers, the nearest.
fn whole(number: f64) -> Option<i128> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the cast saturates, and bounds follow"
    )]
    (number.fract() == 0.0).then_some(number as i128)
}

/// A JSON value that borrows from the request where it can.
#[derive(Debug)]
enum Value<'a> {
    Null,
    Bool(bool),
    Integer(i128),
    Real(f64),
    Text(Cow<'a, str>),
    List(Vec<Value<'a>>),
    Object(Vec<(Cow<'a, str>, Value<'a>)>),
}

impl Value<'_> {
    fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Integer(_) | Self::Real(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "an array",
            Self::Object(_) => "an object",
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
}

impl<'de> Deserialize<'de> for Value<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Value::Integer(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Value::Integer(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Value::Real(value))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(Value::Text(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Value::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = sequence.next_element()? {
            values.push(value);
        }
        Ok(Value::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(Name(name)) = map.next_key()? {
            fields.push((name, map.next_value()?));
        }
        Ok(Value::Object(fields))
    }
}

/// A field's name, borrowed where it has no escapes.
struct Name<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Text(text) => Ok(Self(text)),
            other => Err(serde::de::Error::custom(format!(
                "field named by {}",
                other.kind()
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason<T>(result: Result<T, Failure>) -> String {
        match result {
            Ok(_) => String::from("no failure"),
            Err(failure) => {
                assert!(failure.bad_request);
                failure.message
            }
        }
    }

    #[test]
    fn what_is_no_object_is_a_bad_request_that_says_why() {
        assert_eq!(reason(Request::parse(b" \n")), "empty input");
        assert_eq!(
            reason(Request::parse(b"[1]")),
            "invalid JSON: expected an object, found an array"
        );
        assert_eq!(
            reason(Request::parse(b"{\"a\":1} x")),
            "invalid JSON: trailing characters at line 1 column 9"
        );
        assert!(reason(Request::parse(b"{\"a\":\"\xff\"}")).starts_with("invalid JSON: "));
        assert!(reason(Request::parse(&b"[".repeat(1_000_000))).starts_with("invalid JSON: "));
    }

    #[test]
    fn a_byte_order_mark_before_the_object_is_passed_over() {
        let request = Request::parse("\u{FEFF}{\"a\":\"x\"}".as_bytes()).unwrap();
        assert_eq!(request.required_text("a").unwrap(), "x");
    }

    #[test]
    fn a_string_without_escapes_is_borrowed_from_the_request() {
        let bytes = br#"{"a":"plain","b":"esc\naped"}"#;
        let request = Request::parse(bytes).unwrap();
        assert!(
            bytes
                .as_ptr_range()
                .contains(&request.required_text("a").unwrap().as_ptr())
        );
        assert_eq!(request.required_text("b").unwrap(), "esc\naped");
    }

    #[test]
    fn required_text_must_be_there_and_must_be_text() {
        let request = Request::parse(br#"{"n":3,"null":null,"empty":""}"#).unwrap();
        assert_eq!(reason(request.required_text("gone")), "missing gone field");
        assert_eq!(reason(request.required_text("n")), "n must be a string");
        assert_eq!(
            reason(request.required_text("null")),
            "null must be a string"
        );
        assert_eq!(request.required_text("empty").unwrap(), "");
    }

    #[test]
    fn empty_optional_fields_are_not_given() {
        let request = Request::parse(br#"{"a":null,"b":"","c":[],"d":0,"e":"0","f":0.0}"#).unwrap();
        for name in ["a", "b", "c", "gone"] {
            assert_eq!(request.text(name).unwrap(), None);
            assert!(!request.flag(name).unwrap());
            assert!(request.texts(name).unwrap().is_empty());
        }
        for name in ["a", "b", "c", "d", "e", "f", "gone"] {
            assert_eq!(request.integer(name, 1..=9).unwrap(), None);
        }
    }

    #[test]
    fn what_is_evidently_meant_is_taken() {
        let request =
            Request::parse(br#"{"a":"3","b":3.0,"c":" 3.0 ","t":"true","f":"False"}"#).unwrap();
        for name in ["a", "b", "c"] {
            assert_eq!(request.integer(name, 1..=9).unwrap(), Some(3));
        }
        assert!(request.flag("t").unwrap());
        assert!(!request.flag("f").unwrap());
    }

    #[test]
    fn numbers_out_of_range_are_brought_within_their_bounds() {
        let request =
            Request::parse(br#"{"a":-5,"b":99,"c":1e300,"d":18446744073709551615,"e":"-1e300"}"#)
                .unwrap();
        let bounded = |name| request.integer(name, 1..=20).unwrap();
        assert_eq!(bounded("a"), Some(1));
        assert_eq!(bounded("b"), Some(20));
        assert_eq!(bounded("c"), Some(20));
        assert_eq!(bounded("d"), Some(20));
        assert_eq!(bounded("e"), Some(1));
        assert_eq!(request.integer("d", 1..=u64::MAX).unwrap(), Some(u64::MAX));
    }

    #[test]
    fn any_other_type_names_the_field_and_what_it_must_be() {
        let request = Request::parse(br#"{"a":true,"b":1.5,"c":"x","d":[1],"e":{}}"#).unwrap();
        assert_eq!(reason(request.integer("a", 1..=9)), "a must be an integer");
        assert_eq!(reason(request.integer("b", 1..=9)), "b must be an integer");
        assert_eq!(reason(request.integer("c", 1..=9)), "c must be an integer");
        assert_eq!(reason(request.texts("d")), "d must be an array of strings");
        assert_eq!(reason(request.text("e")), "e must be a string");
        assert_eq!(reason(request.flag("c")), "c must be a boolean");
    }

    #[test]
    fn of_a_field_given_twice_the_last_counts() {
        let request = Request::parse(br#"{"a":"first","a":"last"}"#).unwrap();
        assert_eq!(request.required_text("a").unwrap(), "last");
    }
}
