//! A tool's command line, made from its schema: each field is a flag, the required ones stand
//! without their names as well, in the schema's order.
//!
//! The forms are those of POSIX "Utility Conventions" (12.2) with GNU's long options. The words
//! that a person types become the very JSON request that a host would send, so that both are
//! understood alike.

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, Command, ValueHint, value_parser};
use serde_json::{Map, Value};

use crate::command_line::confinement;
use crate::contract::request;
use crate::contract::schema::{FieldKind, Schema, SchemaField};
use crate::contract::tool::Tool;

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
                .help("Answer the JSON request in FILE, - for stdin, as for a host"),
        )
        .arg(flag("json", "Answer with the JSON object that a host gets"))
        .arg(flag("schema", "Print the tool's JSON schema"))
        .args(confinement::flags());
    if tool.keeps_answers() {
        command = command.arg(flag(NO_CACHE, "Ask anew, whatever was found out lately"));
    }
    for field in &schema.fields {
        command = command.arg(option(field));
    }
    for field in schema.fields.iter().filter(|field| field.required) {
        command = command.arg(
            Arg::new(positional_id(field))
                .value_name(value_name(field))
                .value_hint(hint(field))
                .help(format!("The same as --{}", field.flag())),
        );
    }
    command
}

/// Usage of the tool with this schema, as a line of help.
pub fn usage(invocation: &str, schema: &Schema) -> String {
    let required = schema.fields.iter().filter(|field| field.required);
    required.fold(format!("{invocation} [OPTIONS]"), |line, field| {
        line + " " + &value_name(field)
    })
}

/// The placeholder of the field's value in help: `FILE_PATH`.
pub fn value_name(field: &SchemaField) -> String {
    match field.kind {
        FieldKind::Integer => "N".to_owned(),
        FieldKind::Texts | FieldKind::Objects => "LIST".to_owned(),
        FieldKind::Text | FieldKind::Flag => field.name.to_uppercase(),
    }
}

/// A flag without a value.
pub(super) fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

fn option(field: &SchemaField) -> Arg {
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
        FieldKind::Text => option.allow_hyphen_values(true),
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
        name if name == "path" || name.ends_with("_path") => ValueHint::AnyPath,
        _ => ValueHint::Other,
    }
}

pub fn positional_id(field: &SchemaField) -> String {
    format!("{} without its name", field.name)
}

pub fn ids(field: &SchemaField) -> Vec<String> {
    let mut ids = vec![field.name.clone()];
    if field.required {
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
            (Some(value), _) if field.required => {
                line += " ";
                line += &word(value);
            }
            (Some(value), _) => line.extend([" --", &field.flag(), " ", &word(value)]),
        }
    }
    line
}

/// `text` as one word of a POSIX shell.
pub fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+%@".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
