//! A tool as the protocol lists it: made from its row and its schema for models, in the forms that
//! every provider takes.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use serde_json::Value;

use crate::instructions;
use iki_process::sandbox::confinement::Confinement;
use iki_tools::contract::schema_reduction::{SchemaDialect, reduce};
use iki_tools::contract::tool::Tool;
use iki_tools::registry::TOOLS;

/// The entry in `tools/list` of one of the tools that are `served`, with the place where it works;
/// for programs, with the schema of its answers, if it has one.
#[must_use]
pub fn entry(
    tool: &Tool,
    served: &[&Tool],
    structured: bool,
    confinement: Option<&Confinement>,
) -> Listed {
    let mut schema: Value =
        serde_json::from_str(&tool.description_for_models()).unwrap_or_default();
    if let Some(fields) = schema["parameters"]["properties"].as_object_mut() {
        let is_served = |name: &str| served.iter().any(|one| one.name == name);
        let absent = tool
            .fields_beside
            .iter()
            .filter(|(_, beside)| !is_served(beside));
        absent.for_each(|(field, _)| {
            fields.remove(*field);
        });
    }
    let mut description = description(&schema, tool, served);
    // Many clients show their models no instructions.
    for sentence in instructions::of_place(&[tool], confinement) {
        description = format!("{description} {sentence}");
    }
    let parameters = match reduce(SchemaDialect::PLAIN, &schema["parameters"]) {
        Value::Object(parameters) => parameters,
        _ => JsonObject::new(),
    };
    let hints = tool.hints;
    let annotations = ToolAnnotations::with_title(tool.title)
        .read_only(hints.read_only)
        .destructive(hints.destructive)
        .idempotent(hints.idempotent)
        .open_world(hints.open_world);
    let mut listed = Listed::new(tool.name, description, Arc::new(parameters))
        .with_title(tool.title)
        .with_annotations(annotations);
    let answers = tool.output_schema.filter(|_| structured);
    listed.output_schema = answers.and_then(|schema| serde_json::from_str(schema).ok());
    listed
}

/// The description, without the sentences that name a tool which is not served.
fn description(schema: &Value, tool: &Tool, served: &[&Tool]) -> String {
    let text = schema["description"].as_str().unwrap_or_default();
    let is_there = |name: &str| name == tool.name || served.iter().any(|one| one.name == name);
    let names_absent = |sentence: &str| {
        let mut words = sentence.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| TOOLS.iter().any(|one| one.name == word) && !is_there(word))
    };
    let sentences = text.split_inclusive(". ");
    let sentences_kept: String = sentences.filter(|one| !names_absent(one)).collect();
    sentences_kept.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use iki_tools::contract::tool::ToolSet;

    fn all() -> Vec<&'static Tool> {
        TOOLS.iter().collect()
    }

    #[test]
    fn a_description_names_no_tool_that_is_not_served() {
        for tool in TOOLS {
            let alone = entry(tool, &[tool], false, None)
                .description
                .unwrap_or_default();
            let among_all = entry(tool, &all(), false, None)
                .description
                .unwrap_or_default();
            assert!(among_all.starts_with(&alone[..20]), "{}", tool.name);
            for other in TOOLS.iter().filter(|other| other.name != tool.name) {
                assert!(!alone.contains(other.name), "{}: {alone}", tool.name);
            }
        }
    }

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
            reduce(SchemaDialect::PLAIN, &schema),
            json!({
                "type": "object",
                "properties": {
                    "format": {
                        "type": "string",
                        "description": "a (characters at least: 2, format: uri)"
                    },
                    "n": {"type": "integer", "description": "(at least: 1, at most: 9, default: 3)"},
                    "list": {
                        "type": "array",
                        "items": {"type": "string", "description": "(pattern: x)"},
                        "description": "(items at most: 3)"
                    }
                },
                "required": ["format"]
            })
        );
    }

    #[test]
    fn no_field_no_bound_and_no_default_of_a_host_s_schema_is_lost() {
        for tool in TOOLS {
            let schema: Value = serde_json::from_str(tool.schema).unwrap();
            let listed = serde_json::to_value(entry(tool, &all(), false, None)).unwrap();
            let listed = &listed["inputSchema"];
            let required = schema["parameters"]["required"].as_array().unwrap();
            for name in listed["required"].as_array().unwrap() {
                assert!(required.contains(name), "{}: {name}", tool.name);
            }
            for (name, field) in schema["parameters"]["properties"].as_object().unwrap() {
                let field_text = listed["properties"][name]["description"].as_str();
                let field_text = field_text.unwrap_or_else(|| panic!("{}: {name}", tool.name));
                for word in ["minimum", "maximum", "minLength", "default"] {
                    let Some(value) = field.get(word) else {
                        continue;
                    };
                    let value = value.as_str().map_or(value.to_string(), str::to_owned);
                    assert!(
                        field_text.contains(&value) || value == "[]",
                        "{name}, {word}: {field_text}"
                    );
                }
            }
        }
    }

    #[test]
    fn only_programs_are_told_what_answers_are_like() {
        for tool in TOOLS {
            let listed =
                |structured| serde_json::to_value(entry(tool, &all(), structured, None)).unwrap();
            assert_eq!(listed(false).get("outputSchema"), None);
            let schema = listed(true).get("outputSchema").cloned();
            assert_eq!(
                schema.is_some(),
                tool.set == ToolSet::Research,
                "{}",
                tool.name
            );
            let Some(schema) = schema else { continue };
            // Clients demand this; further fields may come, because `note` is not the only one.
            assert_eq!(schema["type"], "object");
            assert_eq!(schema.get("additionalProperties"), None);
            assert!(schema["properties"]["note"].is_object());
        }
    }

    #[test]
    fn the_tools_of_research_take_less_than_sixteen_kilobytes_of_the_list() {
        for (structured, limit) in [(false, 16_000), (true, 24_000)] {
            let tools = TOOLS.iter().filter(|tool| tool.set == ToolSet::Research);
            let entries = tools
                .map(|tool| serde_json::to_vec(&entry(tool, &all(), structured, None)).unwrap());
            let size: usize = entries.map(|entry| entry.len()).sum();
            assert!(size <= limit, "{size} bytes, structured: {structured}");
        }
    }

    #[test]
    fn every_tool_has_a_title_a_description_and_true_hints() {
        for tool in TOOLS {
            let entry = serde_json::to_value(entry(tool, &all(), false, None)).unwrap();
            assert_eq!(entry["name"], tool.name);
            assert!(!tool.title.is_empty() && entry["title"] == tool.title);
            assert!(
                entry["description"]
                    .as_str()
                    .is_some_and(|text| !text.is_empty())
            );
            assert_eq!(entry["inputSchema"]["type"], "object");
            assert_eq!(entry["annotations"]["readOnlyHint"], tool.hints.read_only);
            // A tool that changes nothing can neither destroy nor add up.
            assert!(!tool.hints.read_only || (tool.hints.idempotent && !tool.hints.destructive));
        }
    }
}
