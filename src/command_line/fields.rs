//! A tool's command line, made from its schema: each field is a flag, the required ones stand
//! without their names as well, in the schema's order.
//!
//! The forms are those of POSIX "Utility Conventions" (12.2) with GNU's long options. The words
//! that a person types become the very JSON request that a host would send, so that both are
//! understood alike.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgAction, Command, ValueHint, value_parser};
use serde_json::{Map, Value};

use crate::command_line::{confinement, flag, habitual_flags};
use iki_base::wording::quoted;
use iki_tools::contract::request;
use iki_tools::contract::schema::{FieldKind, Schema, SchemaField};
use iki_tools::contract::tool::{AccessScope, Tool};

/// The flag by which a person asks anew for an answer that may be cached. It is not a field of a
/// request.
pub const NO_CACHE: &str = "no-cache";

/// The command line of `tool`, for reading, completing and describing it.
pub fn command(tool: &Tool, schema: &Schema) -> Command {
    let mut command = Command::new(tool.command())
        .about(schema.summary().to_owned())
        .version(env!("CARGO_PKG_VERSION"))
        .arg(
            Arg::new("input")
                .long("input")
                .value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .value_parser(ValueParser::os_string())
                .conflicts_with_all(schema.fields.iter().flat_map(ids))
                .help("Answer the JSON request in FILE, - for stdin, with JSON"),
        )
        .arg(flag("json", "Print the answer as a JSON object"))
        .arg(flag("schema", "Print the tool's JSON schema"))
        .args(confinement::flags());
    if tool.keeps_answers() {
        command = command.arg(flag(NO_CACHE, "Ask again, whatever is cached"));
    }
    for field in &schema.fields {
        let mut option = habitual_flags::option(tool, field, field_option(field));
        // Of several the last one counts, as elsewhere; a list has them all.
        if matches!(option.get_action(), ArgAction::Set) {
            option = option.overrides_with(field.name.clone());
        }
        command = command.arg(option);
    }
    for field in schema.fields.iter().filter(|field| field.is_positional) {
        command = command.arg(
            Arg::new(positional_id(field))
                .value_name(value_name(field))
                .value_hint(hint(field))
                .help(if habitual_flags::takes_stdin(tool, field) {
                    format!("The same as --{}; - for what stdin has", field.flag())
                } else {
                    format!("The same as --{}", field.flag())
                }),
        );
    }
    if let Some(directory) = field_of_places(tool, schema) {
        let help = format!("The same as --{directory}, of which there may be several");
        let places = Arg::new(PLACES).value_name(directory.to_uppercase());
        let places = places.num_args(1..).value_hint(ValueHint::FilePath);
        command = command.arg(places.help(help));
    }
    command
}

/// The words after those for required fields, if they are places to search.
pub const PLACES: &str = "places";

/// The field of which such words are values, if the tool takes them.
pub fn field_of_places(tool: &Tool, schema: &Schema) -> Option<&'static str> {
    match tool.scope {
        AccessScope::Paths { directory, .. } => {
            let mut fields = schema.fields.iter();
            fields
                .any(|field| field.name == directory)
                .then_some(directory)
        }
        _ => None,
    }
}

/// Usage of the tool with this schema, as a line of help.
pub fn usage(tool: &Tool, invocation: &str, schema: &Schema) -> String {
    let required = schema.fields.iter().filter(|field| field.is_positional);
    let line = required.fold(format!("{invocation} [OPTIONS]"), |line, field| {
        let name = value_name(field);
        line + " "
            + &if field.is_required {
                name
            } else {
                format!("[{name}]")
            }
    });
    let places = field_of_places(tool, schema);
    places.map_or_else(
        || line.clone(),
        |field| format!("{line} [{}]...", field.to_uppercase()),
    )
}

/// The placeholder of the field's value in help: `FILE_PATH`.
pub fn value_name(field: &SchemaField) -> String {
    match field.kind {
        FieldKind::Integer => "N".to_owned(),
        FieldKind::Texts | FieldKind::Objects => "LIST".to_owned(),
        FieldKind::Text | FieldKind::Flag => field.flag().replace('-', "_").to_uppercase(),
    }
}

fn field_option(field: &SchemaField) -> Arg {
    let option = Arg::new(field.name.clone())
        .long(field.flag())
        .value_name(value_name(field))
        .value_hint(hint(field))
        .help(field.description.clone());
    // A person who reads the schema may write a field's name as it is there.
    let option = if field.flag() == field.name {
        option
    } else {
        option.alias(field.name.clone())
    };
    match field.kind {
        // Any text may be meant, one that looks like a flag too.
        FieldKind::Text if field.values.is_empty() => option.allow_hyphen_values(true),
        FieldKind::Text => option
            .allow_hyphen_values(true)
            .value_parser(UsualValues(field.values.clone())),
        FieldKind::Integer => option.value_parser(integer).allow_negative_numbers(true),
        FieldKind::Flag => option
            .value_parser(value_parser!(bool))
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true"),
        FieldKind::Texts | FieldKind::Objects => option
            .action(ArgAction::Append)
            .value_delimiter(',')
            .help(format!(
                "{} (repeatable, or separated by commas)",
                field.description
            )),
    }
}

/// Any text, for the tool or command to judge; completions offer these.
#[derive(Clone, Debug)]
pub struct UsualValues(pub Vec<String>);

impl TypedValueParser for UsualValues {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().cloned().map(PossibleValue::new)))
    }
}

/// An integer in any form that JSON has: the tool brings it within its bounds.
fn integer(text: &str) -> Result<Value, String> {
    let text = text.trim();
    if let Ok(number) = text.parse::<i64>() {
        return Ok(number.into());
    }
    match request::parse_integer(text) {
        // Text keeps all of it, and the tool reads it as it reads a number.
        Some(_) => Ok(text.into()),
        None => Err("not an integer".to_owned()),
    }
}

/// The kind of value that the field holds, for completions and advice.
pub fn hint(field: &SchemaField) -> ValueHint {
    match field.name.as_str() {
        "command" => ValueHint::CommandString,
        "url" => ValueHint::Url,
        "workdir" => ValueHint::DirPath,
        name if name == "path" || name.ends_with("_path") => ValueHint::FilePath,
        _ => ValueHint::Other,
    }
}

pub fn positional_id(field: &SchemaField) -> String {
    format!("{} without its name", field.name)
}

pub fn ids(field: &SchemaField) -> Vec<String> {
    let mut ids = vec![field.name.clone()];
    if field.is_positional {
        ids.push(positional_id(field));
    }
    ids
}

/// The command line that means `request`, as a person would type it.
pub fn typed(invocation: &str, schema: &Schema, request: &str) -> String {
    let request: Map<String, Value> = serde_json::from_str(request).unwrap_or_default();
    let word = |value: &Value| match value.as_str() {
        Some(text) => quoted(text),
        None => quoted(&value.to_string()),
    };
    let mut line = invocation.to_owned();
    for field in &schema.fields {
        match (request.get(&field.name), field.kind) {
            (None | Some(Value::Bool(false)), _) => {}
            (Some(_), FieldKind::Flag) => line.extend([" --", &field.flag()]),
            (Some(value), _) if field.is_positional => {
                line += " ";
                line += &word(value);
            }
            (Some(value), _) => line.extend([" --", &field.flag(), " ", &word(value)]),
        }
    }
    line
}
