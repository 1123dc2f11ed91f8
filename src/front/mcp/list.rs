//! A tool as the protocol lists it: made from its row and its schema, in the forms that every provider takes.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use serde_json::Value;

use crate::contract::tool::Tool;

/// The words of JSON Schema that every provider's tool definitions know, strict modes included. Bounds, defaults and
/// formats are not among them; the descriptions say what matters of those, and the tools bring values within bounds.
const WORDS: [&str; 6] = [
    "type",
    "description",
    "properties",
    "required",
    "items",
    "enum",
];

/// The tool's entry in `tools/list`.
pub fn entry(tool: &Tool) -> Listed {
    let schema: Value = serde_json::from_str(tool.schema).unwrap_or_default();
    let description = schema["description"].as_str().unwrap_or_default();
    let parameters = match plain(&schema["parameters"]) {
        Value::Object(parameters) => parameters,
        _ => JsonObject::new(),
    };
    let hints = tool.hints;
    let annotations = ToolAnnotations::with_title(tool.title)
        .read_only(hints.read_only)
        .destructive(hints.destructive)
        .idempotent(hints.idempotent)
        .open_world(hints.open_world);
    Listed::new(tool.name, description.to_owned(), Arc::new(parameters))
        .with_title(tool.title)
        .with_annotations(annotations)
}

/// `schema` in those words alone. The names under `properties` are the fields' own and stay.
fn plain(schema: &Value) -> Value {
    let Value::Object(words) = schema else {
        return schema.clone();
    };
    let kept = words
        .iter()
        .filter(|(word, _)| WORDS.contains(&word.as_str()));
    let plain = kept.map(|(word, value)| {
        let value = match (word.as_str(), value) {
            ("properties", Value::Object(fields)) => fields
                .iter()
                .map(|(name, field)| (name.clone(), plain(field)))
                .collect(),
            ("items", value) => self::plain(value),
            (_, value) => value.clone(),
        };
        (word.clone(), value)
    });
    plain.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::registry::TOOLS;

    #[test]
    fn a_schema_keeps_the_words_that_every_provider_knows() {
        let schema = json!({
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "format": {"type": "string", "format": "uri", "description": "a", "minLength": 2},
                "n": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
                "list": {"type": "array", "items": {"type": "string", "pattern": "x"}, "maxItems": 3}
            },
            "required": ["format"]
        });
        assert_eq!(
            plain(&schema),
            json!({
                "type": "object",
                "properties": {
                    "format": {"type": "string", "description": "a"},
                    "n": {"type": "integer"},
                    "list": {"type": "array", "items": {"type": "string"}}
                },
                "required": ["format"]
            })
        );
    }

    #[test]
    fn every_tool_has_a_title_a_description_and_true_hints() {
        for tool in TOOLS {
            let entry = serde_json::to_value(entry(tool)).unwrap();
            assert_eq!(entry["name"], tool.name);
            assert!(!tool.title.is_empty() && entry["title"] == tool.title);
            assert!(
                entry["description"]
                    .as_str()
                    .is_some_and(|text| !text.is_empty())
            );
            assert_eq!(entry["inputSchema"]["type"], "object");
            assert_eq!(entry["annotations"]["readOnlyHint"], tool.hints.read_only);
            // What changes nothing can neither destroy nor add up.
            assert!(!tool.hints.read_only || (tool.hints.idempotent && !tool.hints.destructive));
        }
    }
}
