//! The tools' definitions as the `tools` of a provider's request, for its strict mode or without
//! it.
//!
//! The words are those for models ([`Tool::model_schema`]), or those that are true of a host's
//! calls ([`Tool::host_schema`]), because a program that sends the definitions to a provider hands
//! the model's calls to the tools as a host does.
//!
//! The formats are those of the providers' own references, as of 2026. Strict mode requires:
//!
//! - `openai`, the Responses API ("Function calling", "Structured Outputs: supported schemas"):
//!   `strict`, `additionalProperties: false`, every field in `required`, an optional one nullable;
//! - `openai-chat`, the Chat Completions API: the same, inside `function`;
//! - `anthropic`, the Messages API ("Strict tool use", "JSON Schema limitations"): `strict`,
//!   `additionalProperties: false`, no bounds;
//! - `gemini`, `FunctionDeclaration` and `Schema`, a subset of `OpenAPI` 3.0: types in capitals,
//!   none of JSON Schema's further keywords.
//!
//! Strict modes take no bounds, lengths, formats or defaults: see [`schema_reduction`]. Without
//! strict mode optional fields are optional, and `strict` is left out because that is the default;
//! only the Responses API defaults to strict mode, and is told otherwise.

use serde_json::{Map, Value, json};

use crate::contract::schema_reduction::{self, SchemaDialect};
use crate::contract::tool::Tool;

/// A model provider's API for which definitions are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelProvider {
    /// `OpenAI`'s Responses API.
    OpenAi,
    /// `OpenAI`'s Chat Completions API, which many others speak too.
    OpenAiChat,
    /// Anthropic's Messages API.
    Anthropic,
    /// Google's Gemini API.
    Gemini,
}

impl ModelProvider {
    /// The providers by their names on the command line.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("openai", Self::OpenAi),
        ("openai-chat", Self::OpenAiChat),
        ("anthropic", Self::Anthropic),
        ("gemini", Self::Gemini),
    ];

    /// The provider called `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let mut names = Self::NAMES.into_iter();
        names.find(|(known, _)| *known == name).map(|(_, one)| one)
    }
}

/// The provider's guarantee that a model's calls match the definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaMode {
    /// Calls always match; the definitions have to be in a stricter dialect for that.
    Strict,
    /// Calls may deviate.
    Free,
}

/// The definitions of `tools`, as the value of the request's field `tools`; without a provider, the
/// schemas for hosts.
#[must_use]
pub fn definitions(provider: Option<(ModelProvider, SchemaMode)>, tools: &[&Tool]) -> Value {
    let definitions = tools.iter().map(|tool| match provider {
        None => serde_json::from_str(tool.schema).unwrap_or_default(),
        Some((provider, mode)) => define(provider, mode, &words_for_hosts(tool)),
    });
    let definitions: Vec<Value> = definitions.collect();
    match provider {
        Some((ModelProvider::Gemini, _)) => json!([{ "functionDeclarations": definitions }]),
        _ => Value::Array(definitions),
    }
}

/// The tool's schema in the words that are true of a host's calls.
fn words_for_hosts(tool: &Tool) -> Value {
    let words = tool.host_schema.unwrap_or(tool.model_schema);
    serde_json::from_str(words).unwrap_or_default()
}

fn define(provider: ModelProvider, mode: SchemaMode, schema: &Value) -> Value {
    let (name, description) = (&schema["name"], &schema["description"]);
    let parameters = schema_reduction::reduce(dialect_for(provider, mode), &schema["parameters"]);
    let mut tool = Map::new();
    let mut put = |field: &str, value: Value| tool.insert(field.to_owned(), value);
    if provider == ModelProvider::OpenAi {
        put("type", "function".into());
    }
    put("name", name.clone());
    put("description", description.clone());
    match provider {
        ModelProvider::Anthropic => put("input_schema", parameters),
        _ => put("parameters", parameters),
    };
    match (provider, mode) {
        (ModelProvider::Gemini, _) => None,
        (_, SchemaMode::Strict) => put("strict", true.into()),
        (ModelProvider::OpenAi, SchemaMode::Free) => put("strict", false.into()),
        (_, SchemaMode::Free) => None,
    };
    match provider {
        ModelProvider::OpenAiChat => json!({ "type": "function", "function": tool }),
        _ => tool.into(),
    }
}

/// The dialect of schemas that the provider takes.
fn dialect_for(provider: ModelProvider, mode: SchemaMode) -> SchemaDialect {
    let plain = SchemaDialect::PLAIN;
    match provider {
        ModelProvider::Gemini => SchemaDialect {
            writes_capitals: true,
            ..plain
        },
        _ if mode == SchemaMode::Free => plain,
        ModelProvider::OpenAi | ModelProvider::OpenAiChat => SchemaDialect {
            requires_all: true,
            closes_objects: true,
            ..plain
        },
        ModelProvider::Anthropic => SchemaDialect {
            closes_objects: true,
            ..plain
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::TOOLS;

    fn all(provider: &str) -> Vec<Value> {
        all_in(provider, SchemaMode::Strict)
    }

    fn all_in(provider: &str, mode: SchemaMode) -> Vec<Value> {
        let tools: Vec<&Tool> = TOOLS.iter().collect();
        let provider = ModelProvider::from_name(provider).unwrap();
        let value = definitions(Some((provider, mode)), &tools);
        value.as_array().unwrap().clone()
    }

    fn each_schema(schema: &Value, check: &mut impl FnMut(&Value)) {
        check(schema);
        for (_, property) in schema["properties"].as_object().into_iter().flatten() {
            each_schema(property, check);
        }
        if let Some(items) = schema.get("items") {
            each_schema(items, check);
        }
    }

    fn assert_keywords(schema: &Value, allowed: &[&str]) {
        each_schema(schema, &mut |part| {
            for keyword in part.as_object().unwrap().keys() {
                assert!(allowed.contains(&keyword.as_str()), "{keyword} in {part}");
            }
        });
    }

    const STRICT: [&str; 7] = [
        "type",
        "description",
        "properties",
        "required",
        "items",
        "enum",
        "additionalProperties",
    ];

    #[test]
    fn without_a_provider_they_are_as_hosts_get_them() {
        let tools: Vec<&Tool> = TOOLS.iter().collect();
        for (definition, tool) in definitions(None, &tools)
            .as_array()
            .unwrap()
            .iter()
            .zip(TOOLS)
        {
            let schema: Value = serde_json::from_str(tool.schema).unwrap();
            assert_eq!(*definition, schema);
        }
    }

    #[test]
    fn openai_s_strict_mode_wants_every_field_and_no_other() {
        for (tool, row) in all("openai").iter().zip(TOOLS) {
            let keys: Vec<&String> = tool.as_object().unwrap().keys().collect();
            assert_eq!(
                keys,
                ["type", "name", "description", "parameters", "strict"]
            );
            assert_eq!(
                (&tool["type"], &tool["strict"]),
                (&json!("function"), &json!(true))
            );
            let parameters = &tool["parameters"];
            assert_keywords(parameters, &STRICT);
            each_schema(parameters, &mut |part| {
                if part["type"] == "object" {
                    assert_eq!(part["additionalProperties"], false);
                    let names: Vec<&String> =
                        part["properties"].as_object().unwrap().keys().collect();
                    assert_eq!(part["required"], json!(names));
                }
            });
            let original = words_for_hosts(row);
            let needed = original["parameters"]["required"].as_array().unwrap();
            for (name, property) in parameters["properties"].as_object().unwrap() {
                let kind = &original["parameters"]["properties"][name]["type"];
                let expected = if needed.contains(&json!(name)) {
                    kind.clone()
                } else {
                    json!([kind, "null"])
                };
                assert_eq!(property["type"], expected, "{name}");
            }
        }
        for (chat, tool) in all("openai-chat").iter().zip(all("openai")) {
            assert_eq!(chat["type"], "function");
            for name in ["name", "description", "parameters", "strict"] {
                assert_eq!(chat["function"][name], tool[name]);
            }
        }
    }

    #[test]
    fn anthropic_s_strict_mode_takes_optional_fields_and_no_bounds() {
        for (tool, row) in all("anthropic").iter().zip(TOOLS) {
            let keys: Vec<&String> = tool.as_object().unwrap().keys().collect();
            assert_eq!(keys, ["name", "description", "input_schema", "strict"]);
            let schema = &tool["input_schema"];
            assert_keywords(schema, &STRICT);
            assert_eq!(schema["additionalProperties"], false);
            let original = words_for_hosts(row);
            assert_eq!(schema["required"], original["parameters"]["required"]);
        }
    }

    #[test]
    fn without_strict_mode_optional_fields_are_optional_and_nothing_is_closed() {
        for (name, keys) in [
            (
                "openai",
                &["type", "name", "description", "parameters", "strict"][..],
            ),
            ("openai-chat", &["name", "description", "parameters"]),
            ("anthropic", &["name", "description", "input_schema"]),
        ] {
            for (tool, row) in all_in(name, SchemaMode::Free).iter().zip(TOOLS) {
                let tool = tool.get("function").unwrap_or(tool);
                assert_eq!(tool.as_object().unwrap().keys().collect::<Vec<_>>(), keys);
                assert_ne!(tool.get("strict"), Some(&json!(true)));
                let schema = tool.get("input_schema").unwrap_or(&tool["parameters"]);
                assert_keywords(schema, &STRICT[..6]);
                let original = words_for_hosts(row);
                assert_eq!(schema["required"], original["parameters"]["required"]);
                each_schema(schema, &mut |part| {
                    assert!(part["type"].is_string(), "{part}");
                });
            }
        }
        assert_eq!(all_in("gemini", SchemaMode::Free), all("gemini"));
    }

    #[test]
    fn the_words_are_those_for_models_and_true_of_a_host_s_calls() {
        for (name, _) in ModelProvider::NAMES {
            for mode in [SchemaMode::Strict, SchemaMode::Free] {
                let all = Value::from(all_in(name, mode)).to_string();
                assert!(all.contains("**/*") && !all.contains("libxml2"), "{all}");
                assert!(
                    all.contains("workdir") && all.contains("main_only"),
                    "{all}"
                );
                assert!(all.contains("the files directly in path"), "{all}");
            }
        }
    }

    #[test]
    fn gemini_takes_a_subset_of_openapi() {
        let [tool] = &all("gemini")[..] else {
            panic!("one object holds the declarations")
        };
        let declarations = tool["functionDeclarations"].as_array().unwrap();
        assert_eq!(declarations.len(), TOOLS.len());
        for declaration in declarations {
            assert_keywords(&declaration["parameters"], &STRICT[..6]);
            each_schema(&declaration["parameters"], &mut |part| {
                let kind = part["type"].as_str().unwrap();
                let kinds = ["STRING", "INTEGER", "NUMBER", "BOOLEAN", "ARRAY", "OBJECT"];
                assert!(kinds.contains(&kind), "{kind}");
            });
        }
    }

    #[test]
    fn what_strict_modes_do_not_take_is_said_in_the_description() {
        let schema = json!({
            "type": "object",
            "properties": {
                "n": {"type": "integer", "description": "How many", "minimum": 1, "maximum": 20, "default": 10},
                "unit": {"type": "string", "enum": ["a", "b"], "minLength": 2},
            },
            "required": ["n"],
        });
        let strict = schema_reduction::reduce(
            dialect_for(ModelProvider::OpenAi, SchemaMode::Strict),
            &schema,
        );
        assert_eq!(
            strict,
            json!({
                "type": "object",
                "properties": {
                    "n": {"type": "integer", "description": "How many (at least: 1, at most: 20, default: 10)"},
                    "unit": {"type": ["string", "null"], "enum": ["a", "b", null], "description": "(characters at least: 2)"},
                },
                "required": ["n", "unit"],
                "additionalProperties": false,
            })
        );
    }
}
