//! The values of a request as they are read from JSON: as deep as fields go, and no deeper.

use std::borrow::Cow;
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::value::RawValue;

use super::{FieldValue, Request};

/// The depth of a value in a request, which decides how much of it is kept: fields are strings,
/// numbers, objects that have such, or lists of these. Deeper values are skipped without
/// recursion, so that deep nesting does not exhaust the stack.
#[derive(Clone, Copy)]
pub(super) enum JsonDepth {
    Field,
    Element,
    Leaf,
}

impl<'de> DeserializeSeed<'de> for JsonDepth {
    type Value = FieldValue<'de>;

    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<FieldValue<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for JsonDepth {
    type Value = FieldValue<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(FieldValue::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(FieldValue::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(FieldValue::Integer(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(FieldValue::Integer(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(FieldValue::Real(value))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(FieldValue::Text(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(FieldValue::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        if let Self::Field = self {
            while let Some(value) = sequence.next_element_seed(Self::Element)? {
                values.push(value);
            }
            return Ok(FieldValue::List(values));
        }
        let mut empty = true;
        while let Some(IgnoredAny) = sequence.next_element()? {
            empty = false;
        }
        Ok(if empty {
            FieldValue::List(values)
        } else {
            FieldValue::Other("an array")
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        if let Self::Leaf = self {
            while let Some((IgnoredAny, IgnoredAny)) = map.next_entry()? {}
            return Ok(FieldValue::Other("an object"));
        }
        let mut fields = Vec::new();
        while let Some(FieldName(name)) = map.next_key()? {
            fields.push((name, map.next_value_seed(Self::Leaf)?));
        }
        Ok(FieldValue::Object(Request::of_fields(fields)))
    }
}

/// A request's names and values as they are written, even if they cannot be represented.
pub(super) struct RawFields<'a>(pub(super) Vec<(&'a RawValue, &'a RawValue)>);

impl<'de> Deserialize<'de> for RawFields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RawFieldsVisitor;
        impl<'de> Visitor<'de> for RawFieldsVisitor {
            type Value = RawFields<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(RawFields(fields))
            }
        }
        deserializer.deserialize_map(RawFieldsVisitor)
    }
}

/// Parses a field; `None` if its name cannot be represented.
pub(super) fn parse_field<'a>(
    (name, json): (&'a RawValue, &'a RawValue),
) -> Option<(Cow<'a, str>, FieldValue<'a>)> {
    let FieldName(name) = serde_json::from_str(name.get()).ok()?;
    Some((name, parse_value(json.get())))
}

/// Parses a value, which may be [`FieldValue::Unrepresentable`].
pub(super) fn parse_value(json: &str) -> FieldValue<'_> {
    let read = JsonDepth::Field.deserialize(&mut serde_json::Deserializer::from_str(json));
    read.unwrap_or_else(|error| match json.parse() {
        Ok(number) => FieldValue::Real(number),
        Err(_) => FieldValue::Unrepresentable(error.to_string()),
    })
}

/// A field's name, borrowed if it has no escapes.
pub(super) struct FieldName<'a>(pub(super) Cow<'a, str>);

impl<'de> Deserialize<'de> for FieldName<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match JsonDepth::Leaf.deserialize(deserializer)? {
            FieldValue::Text(text) => Ok(Self(text)),
            other => Err(serde::de::Error::custom(format!(
                "field named by {}",
                other.kind()
            ))),
        }
    }
}
