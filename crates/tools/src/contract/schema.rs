//! A tool's schema as the front ends for people need it: its fields, in order, each with its type
//! and description.
//!
//! It is read from the text that `--schema` prints, so that nothing is described twice. Rules: the
//! specification's schema format.

use serde_json::Value;

use crate::contract::tool::Tool;

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A string.
    Text,
    /// A whole number.
    Integer,
    /// Yes or no.
    Flag,
    /// A list of strings.
    Texts,
    /// A list of objects, for which there is no flag.
    Objects,
}

impl FieldKind {
    /// The type as help shows it.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::Integer => "integer",
            Self::Flag => "boolean",
            Self::Texts => "array of strings",
            Self::Objects => "array of objects",
        }
    }
}

/// One field of a request.
#[derive(Debug)]
pub struct SchemaField {
    /// The name, in `snake_case`.
    pub name: String,
    /// The type.
    pub kind: FieldKind,
    /// A request without it is invalid.
    pub is_required: bool,
    /// On a command line its value may stand without its name: it is required, or the first field
    /// of a tool that requires none.
    pub is_positional: bool,
    /// The values of an enumeration, and for flags the usual ones of others; else empty.
    pub values: Vec<String>,
    /// The meaning, in a sentence or two.
    pub description: String,
}

impl SchemaField {
    /// The field's name as that of a flag, in `kebab-case` and without dashes before it:
    /// `file-path`, `session-id`.
    #[must_use]
    pub fn flag(&self) -> String {
        let mut flag = String::with_capacity(self.name.len() + 4);
        for c in self.name.chars() {
            match c {
                '_' => flag.push('-'),
                c if c.is_ascii_uppercase() => flag.extend(['-', c.to_ascii_lowercase()]),
                c => flag.push(c),
            }
        }
        flag
    }
}

/// A tool's schema, read.
#[derive(Debug)]
pub struct Schema {
    /// The tool's purpose, in a sentence or more.
    pub description: String,
    /// The fields, in the schema's order.
    pub fields: Vec<SchemaField>,
}

impl Schema {
    /// The description's first sentence, without its full stop.
    #[must_use]
    pub fn summary(&self) -> &str {
        let first = self.description.split_once(". ");
        first
            .map_or(&*self.description, |(first, _)| first)
            .trim_end_matches('.')
    }

    /// The schema of a command line: the fields of the tool's schema for models that can be flags,
    /// required as for hosts.
    #[must_use]
    pub fn for_flags(tool: &Tool) -> Self {
        let hosts = Schema::read(tool.schema).fields;
        let mut schema = Schema::read(&tool.description_for_models());
        let is_flag = |field: &SchemaField| {
            field.kind != FieldKind::Objects && !tool.served_fields.contains(&&*field.name)
        };
        schema.fields.retain(is_flag);
        let requires_none = !hosts.iter().any(|host| host.is_required);
        for (index, field) in schema.fields.iter_mut().enumerate() {
            field.is_required = hosts
                .iter()
                .any(|host| host.name == field.name && host.is_required);
            field.is_positional = field.is_required || (requires_none && index == 0);
            let values = tool.values.iter().filter(|(name, _)| *name == field.name);
            let values = values.flat_map(|(_, values)| values.split(' '));
            field.values.extend(values.map(str::to_owned));
        }
        schema
    }

    /// Reads the text of a schema; what is missing there is empty here.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let schema: Value = serde_json::from_str(text).unwrap_or_default();
        let text_of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let parameters = &schema["parameters"];
        let required = parameters["required"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let properties = parameters["properties"].as_object().into_iter().flatten();
        let fields = properties.map(|(name, property)| SchemaField {
            name: name.clone(),
            kind: match property["type"].as_str() {
                Some("integer") => FieldKind::Integer,
                Some("boolean") => FieldKind::Flag,
                Some("array") if property["items"]["type"] == "object" => FieldKind::Objects,
                Some("array") => FieldKind::Texts,
                _ => FieldKind::Text,
            },
            is_required: required.iter().any(|one| one.as_str() == Some(name)),
            is_positional: false,
            values: property["enum"]
                .as_array()
                .map(|values| values.iter().map(text_of).collect())
                .unwrap_or_default(),
            description: text_of(&property["description"]),
        });
        Self {
            description: text_of(&schema["description"]),
            fields: fields.collect(),
        }
    }
}

/// Validates the text of a schema as a host does that discovers the tool, by the specification's
/// rules in their order. Returns the tool's name, or the first violation.
pub fn validate(text: &[u8]) -> Result<String, String> {
    let schema: Value =
        serde_json::from_slice(text).map_err(|error| format!("is not valid JSON: {error}"))?;
    if !schema.is_object() {
        return Err("is no JSON object".to_owned());
    }
    let name = schema["name"].as_str().ok_or("has no `name`")?;
    if !schema["description"].is_string() {
        return Err("has no `description`".to_owned());
    }
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(format!(
            "has a `name` of other than letters, digits and underscores: {}",
            schema["name"]
        ));
    }
    let parameters = &schema["parameters"];
    if parameters["type"] != "object" {
        return Err("has no `parameters` of type `object`".to_owned());
    }
    let properties = parameters["properties"]
        .as_object()
        .ok_or("has no `properties` in its `parameters`")?;
    for (field, property) in properties {
        let kind = property["type"].as_str().unwrap_or_default();
        if !TYPES.contains(&kind) {
            return Err(format!("has a field without a valid type: {field:?}"));
        }
    }
    let required = match &parameters["required"] {
        Value::Null => &[][..],
        Value::Array(names) => names,
        _ => return Err("has a `required` that is no array".to_owned()),
    };
    match required.iter().find(|field| {
        field
            .as_str()
            .is_none_or(|field| !properties.contains_key(field))
    }) {
        Some(field) => Err(format!("requires a field that it does not have: {field}")),
        None => Ok(name.to_owned()),
    }
}

/// The JSON types that a field may have.
const TYPES: [&str; 6] = ["string", "integer", "number", "boolean", "array", "object"];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::tool::ToolSet;
    use crate::registry;

    #[test]
    fn every_schema_is_read_with_its_fields_in_order() {
        let schema = Schema::read(registry::find_tool("file-edit").unwrap().schema);
        let fields: Vec<_> = schema
            .fields
            .iter()
            .map(|f| (&*f.name, f.kind, f.is_required))
            .collect();
        assert_eq!(
            fields,
            [
                ("file_path", FieldKind::Text, true),
                ("old_string", FieldKind::Text, true),
                ("new_string", FieldKind::Text, true),
                ("replace_all", FieldKind::Flag, false),
            ]
        );
        for tool in registry::TOOLS {
            let schema = Schema::read(tool.schema);
            assert!(
                !schema.description.is_empty() && !schema.fields.is_empty(),
                "{}",
                tool.name
            );
        }
    }

    /// The fields' names and types, the names of the required ones, and each field as it is
    /// written.
    fn properties(text: &str) -> (serde_json::Map<String, Value>, Value) {
        let schema: Value = serde_json::from_str(text).unwrap();
        let parameters = &schema["parameters"];
        let properties = parameters["properties"].as_object().unwrap().clone();
        (properties, parameters["required"].clone())
    }

    #[test]
    fn for_models_a_schema_has_the_same_fields_and_tells_their_bounds_and_defaults_in_words() {
        let (mut of_the_nine, mut of_research) = (0, 0);
        for tool in registry::TOOLS {
            assert_eq!(
                validate(tool.model_schema.as_bytes()).as_deref(),
                Ok(tool.name)
            );
            let (hosts, required) = properties(tool.schema);
            let (models, same) = properties(tool.model_schema);
            // Models may send a list of edits instead, and stop a command.
            let listed = |name: &Value| match tool.name {
                "file_edit" => name != "file_path",
                "bash" => true,
                _ => false,
            };
            let demanded = required.as_array().unwrap().iter();
            let demanded: Vec<&Value> = demanded.filter(|name| !listed(name)).collect();
            assert_eq!(json!(demanded), same, "{}", tool.name);
            let shared = models.keys().filter(|name| hosts.contains_key(*name));
            assert!(shared.eq(hosts.keys()), "{}", tool.name);
            for (name, field) in &models {
                let field_text = field["description"].as_str().unwrap();
                for keyword in field.as_object().unwrap().keys() {
                    let known =
                        ["type", "description", "items", "enum"].contains(&keyword.as_str());
                    assert!(known, "{}: {name}: {keyword}", tool.name);
                }
                let needed = required.as_array().unwrap().iter().any(|one| one == name);
                let lists = field["type"] == "array";
                // A filter of a search that is not given filters nothing, and a list none.
                let is_filter = tool.set == ToolSet::Research || !hosts.contains_key(name);
                let filters = is_filter && !field_text.contains("(default: ");
                let tells = !needed && !lists && !filters;
                assert_eq!(field_text.contains("(default: "), tells, "{field_text}");
                let Some(host) = hosts.get(name) else {
                    continue;
                };
                assert_eq!(host["type"], field["type"], "{name}");
                for keyword in ["minimum", "maximum", "minLength", "default"] {
                    // Pages have a bound that the specification leaves out.
                    if let Some(value) = host.get(keyword) {
                        assert!(
                            field_text.contains(&value.to_string()),
                            "{keyword} of {name}: {field_text}"
                        );
                    }
                }
            }
            let minified: Value = serde_json::from_str(tool.model_schema).unwrap();
            let size = if tool.set == ToolSet::Research {
                &mut of_research
            } else {
                &mut of_the_nine
            };
            *size += minified.to_string().len();
            assert!(!tool.model_schema.contains("libxml2"));
        }
        // Beside it, a list of tools has some 250 bytes a tool: titles and annotations.
        assert!(of_the_nine < 9500, "{of_the_nine}");
        assert!(of_research < 14_000, "{of_research}");
    }

    #[test]
    fn a_schema_is_validated_as_hosts_do() {
        for tool in registry::TOOLS {
            assert_eq!(validate(tool.schema.as_bytes()).as_deref(), Ok(tool.name));
        }
        let good = r#"{"name":"a_1","description":"","parameters":{"type":"object","properties":{"x":{"type":"number"}},"required":["x"]}}"#;
        assert_eq!(validate(good.as_bytes()).as_deref(), Ok("a_1"));
        for (part, replaced, reason) in [
            (good, "", "is not valid JSON"),
            (good, "[]", "is no JSON object"),
            ("\"name\":\"a_1\",", "", "has no `name`"),
            ("\"description\":\"\",", "", "has no `description`"),
            ("a_1", "a-1", "letters, digits and underscores: \"a-1\""),
            ("\"object\"", "\"array\"", "of type `object`"),
            ("properties", "fields", "no `properties`"),
            ("number", "float", "valid type: \"x\""),
            ("[\"x\"]", "[\"y\"]", "does not have: \"y\""),
            ("[\"x\"]", "3", "no array"),
        ] {
            let error = validate(good.replace(part, replaced).as_bytes()).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
