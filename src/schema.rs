//! A tool's schema as a person's doors need it: its fields, in order, each with its type, bounds and description.
//!
//! Read from the very text that `--schema` prints, so that nothing is described twice. The forms that occur are those
//! of the specification's schema format.

use serde_json::Value;

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A string.
    Text,
    /// A whole number.
    Integer,
    /// Yes or no.
    Flag,
    /// A list of strings.
    Texts,
}

impl Kind {
    /// The kind as help shows it.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::Integer => "integer",
            Self::Flag => "boolean",
            Self::Texts => "array of strings",
        }
    }
}

/// One field of a request.
#[derive(Debug)]
pub struct Field {
    /// The name, in `snake_case`.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
    /// Whether a request without it is a bad one.
    pub required: bool,
    /// What it means.
    pub description: String,
}

/// A tool's schema, read.
#[derive(Debug)]
pub struct Schema {
    /// What the tool does.
    pub description: String,
    /// The fields, in the schema's order.
    pub fields: Vec<Field>,
}

impl Schema {
    /// Reads the text of a schema; what it does not say is empty.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let schema: Value = serde_json::from_str(text).unwrap_or_default();
        let text_of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let parameters = &schema["parameters"];
        let required = parameters["required"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let properties = parameters["properties"].as_object().into_iter().flatten();
        let fields = properties.map(|(name, property)| Field {
            name: name.clone(),
            kind: match property["type"].as_str() {
                Some("integer") => Kind::Integer,
                Some("boolean") => Kind::Flag,
                Some("array") => Kind::Texts,
                _ => Kind::Text,
            },
            required: required.iter().any(|one| one.as_str() == Some(name)),
            description: text_of(&property["description"]),
        });
        Self {
            description: text_of(&schema["description"]),
            fields: fields.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolbox;

    #[test]
    fn every_schema_is_read_with_its_fields_in_order() {
        let schema = Schema::read(toolbox::find("file-edit").unwrap().schema);
        let fields: Vec<_> = schema
            .fields
            .iter()
            .map(|f| (&*f.name, f.kind, f.required))
            .collect();
        assert_eq!(
            fields,
            [
                ("file_path", Kind::Text, true),
                ("old_string", Kind::Text, true),
                ("new_string", Kind::Text, true),
                ("replace_all", Kind::Flag, false),
            ]
        );
        for tool in toolbox::TOOLS {
            let schema = Schema::read(tool.schema);
            assert!(
                !schema.description.is_empty() && !schema.fields.is_empty(),
                "{}",
                tool.name
            );
        }
    }
}
