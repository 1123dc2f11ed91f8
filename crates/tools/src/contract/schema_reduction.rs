//! A schema reduced to the keywords that every model provider takes, strict modes included.
//!
//! JSON Schema has more keywords than the providers' tool definitions know: `type`, `description`,
//! `properties`, `required`, `items` and `enum` are common to all. Bounds, lengths, formats and
//! defaults are not among them but matter to a model, so the descriptions say them in words. The
//! lists for the Model Context Protocol are reduced in the same way, because its clients hand them
//! on to the same providers.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

/// A provider's dialect of JSON Schema, beyond the common keywords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemaDialect {
    /// Every field is in `required`; optional ones may be null.
    pub requires_all: bool,
    /// Objects have `additionalProperties: false`.
    pub closes_objects: bool,
    /// Types are in capitals.
    pub writes_capitals: bool,
}

impl SchemaDialect {
    /// The common keywords and nothing else.
    pub const PLAIN: Self = Self {
        requires_all: false,
        closes_objects: false,
        writes_capitals: false,
    };
}

/// Reduces `schema` to a dialect. The names under `properties` are the fields' own and stay.
#[must_use]
pub fn reduce(form: SchemaDialect, schema: &Value) -> Value {
    let Some(keywords) = schema.as_object() else {
        return schema.clone();
    };
    let mut reduced = Map::new();
    for (keyword, value) in keywords {
        let value = match keyword.as_str() {
            "type" => match value.as_str() {
                Some(kind) if form.writes_capitals => kind.to_uppercase().into(),
                _ => value.clone(),
            },
            "properties" => reduce_properties(form, schema, value),
            "items" => reduce(form, value),
            "required" if form.requires_all => continue,
            "required" | "enum" | "description" => value.clone(),
            _ => continue,
        };
        reduced.insert(keyword.clone(), value);
    }
    describe_limits(keywords, &mut reduced);
    if schema["type"] == "object" {
        if form.requires_all {
            let names = schema["properties"].as_object().into_iter().flatten();
            let names: Vec<&str> = names.map(|(name, _)| name.as_str()).collect();
            reduced.insert("required".to_owned(), names.into());
        }
        if form.closes_objects {
            reduced.insert("additionalProperties".to_owned(), false.into());
        }
    }
    reduced.into()
}

fn reduce_properties(form: SchemaDialect, schema: &Value, properties: &Value) -> Value {
    let required = |name: &str| {
        let names = schema["required"].as_array().into_iter().flatten();
        names.into_iter().any(|one| one == name)
    };
    let properties = properties.as_object().into_iter().flatten();
    let properties = properties.map(|(name, property)| {
        let mut property = reduce(form, property);
        if form.requires_all && !required(name) {
            let kind = property["type"].take();
            property["type"] = json!([kind, "null"]);
            if let Some(values) = property.get_mut("enum").and_then(Value::as_array_mut) {
                values.push(Value::Null);
            }
        }
        (name.clone(), property)
    });
    properties.collect()
}

/// Adds the limits of dropped keywords to the description.
fn describe_limits(keywords: &Map<String, Value>, reduced: &mut Map<String, Value>) {
    let mut limits = String::new();
    for (keyword, words) in [
        ("minimum", "at least"),
        ("maximum", "at most"),
        ("minLength", "characters at least"),
        ("maxLength", "characters at most"),
        ("minItems", "items at least"),
        ("maxItems", "items at most"),
        ("pattern", "pattern"),
        ("format", "format"),
        ("default", "default"),
    ] {
        if let Some(value) = keywords.get(keyword) {
            let value = value.as_str().map_or(value.to_string(), str::to_owned);
            let separator = if limits.is_empty() { "" } else { ", " };
            let _ = write!(limits, "{separator}{words}: {value}");
        }
    }
    if !limits.is_empty() {
        let description = reduced.get("description").and_then(Value::as_str);
        let description = description.unwrap_or_default();
        let text = format!("{description} ({limits})").trim_start().to_owned();
        reduced.insert("description".to_owned(), text.into());
    }
}
