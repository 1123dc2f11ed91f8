//! A tool's command line, made from its schema: each field is a flag, the required ones stand without their names as
//! well, in the schema's order.
//!
//! The forms are those of POSIX "Utility Conventions" (12.2) with GNU's long options. What a person types becomes the
//! very JSON request that a host would send, so that both are understood alike.

use std::ffi::OsString;
use std::io::{self, IsTerminal};

use clap::builder::ValueParser;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint, value_parser};
use serde_json::{Map, Value};

use super::{Exit, call, help};
use crate::schema::{Field, Kind, Schema};
use crate::tool::Tool;

/// Carries out what a person wants of `tool`, reached by `invocation`.
pub fn run(tool: &Tool, invocation: &str, args: &[OsString]) -> Exit {
    let schema = Schema::read(tool.schema);
    let mut command = command(tool, &schema).bin_name(invocation);
    command = command.override_usage(usage(invocation, &schema));
    let words = std::iter::once(OsString::from(invocation)).chain(args.iter().cloned());
    let parsed = command.try_get_matches_from_mut(words);
    let result = parsed.and_then(|matches| {
        if matches.get_flag("schema") {
            return Ok(help::print(tool.schema));
        }
        if let Some(file) = matches.get_one::<OsString>("input") {
            return Ok(call::answer_file(tool, file));
        }
        if !gives_fields(&matches, &schema) {
            return Ok(without_fields(tool, invocation));
        }
        let request = request(&mut command, &matches, &schema)?;
        let request = Value::Object(request).to_string().into_bytes();
        if io::stdout().is_terminal() && !matches.get_flag("json") {
            Ok(call::as_text(tool, &request))
        } else {
            Ok(call::as_json(tool, Ok(&request)))
        }
    });
    result.unwrap_or_else(|error| match error.kind() {
        ErrorKind::DisplayHelp => help::print(&help::tool(tool, invocation)),
        ErrorKind::DisplayVersion => help::print(&help::version()),
        _ => help::misused(&error),
    })
}

/// A call without any field: the request is on stdin, unless that is a terminal, where nobody would think of typing it.
pub fn without_fields(tool: &Tool, invocation: &str) -> Exit {
    if !io::stdin().is_terminal() {
        call::answer(tool)
    } else if io::stdout().is_terminal() {
        help::print(&help::tool(tool, invocation))
    } else {
        help::nothing_given(invocation)
    }
}

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
        .arg(flag("json", "Answer with JSON, on a terminal too"))
        .arg(flag("schema", "Print the tool's JSON schema"));
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

/// How the tool with this schema is called, as a line of help.
pub fn usage(invocation: &str, schema: &Schema) -> String {
    let required = schema.fields.iter().filter(|field| field.required);
    required.fold(format!("{invocation} [OPTIONS]"), |line, field| {
        line + " " + &value_name(field)
    })
}

/// What stands for the field's value in help: `FILE_PATH`.
pub fn value_name(field: &Field) -> String {
    match field.kind {
        Kind::Integer => "N".to_owned(),
        Kind::Texts => "LIST".to_owned(),
        Kind::Text | Kind::Flag => field.name.to_uppercase(),
    }
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

fn option(field: &Field) -> Arg {
    let option = Arg::new(field.name.clone())
        .long(field.flag())
        .value_name(value_name(field))
        .value_hint(hint(field))
        .help(field.description.clone());
    // Whoever has the schema before them may write a field's name as it is there.
    let option = if field.flag() == field.name {
        option
    } else {
        option.alias(field.name.clone())
    };
    match field.kind {
        // Any text may be meant, one that looks like a flag too.
        Kind::Text => option.allow_hyphen_values(true),
        Kind::Integer => option
            .value_parser(value_parser!(i64))
            .allow_negative_numbers(true),
        Kind::Flag => option
            .value_parser(value_parser!(bool))
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true"),
        Kind::Texts => option
            .action(ArgAction::Append)
            .value_delimiter(',')
            .help(format!(
                "{} (repeatable, or separated by commas)",
                field.description
            )),
    }
}

fn hint(field: &Field) -> ValueHint {
    match field.name.as_str() {
        "command" => ValueHint::CommandString,
        "url" => ValueHint::Url,
        name if name == "path" || name.ends_with("_path") => ValueHint::AnyPath,
        _ => ValueHint::Other,
    }
}

fn positional_id(field: &Field) -> String {
    format!("{} without its name", field.name)
}

fn ids(field: &Field) -> Vec<String> {
    let mut ids = vec![field.name.clone()];
    if field.required {
        ids.push(positional_id(field));
    }
    ids
}

fn gives_fields(matches: &ArgMatches, schema: &Schema) -> bool {
    let mut ids = schema.fields.iter().flat_map(ids);
    ids.any(|id| matches.value_source(&id) == Some(ValueSource::CommandLine))
}

/// The request that the flags and words mean. Words fill the required fields that no flag gives, in order.
fn request(
    command: &mut Command,
    matches: &ArgMatches,
    schema: &Schema,
) -> Result<Map<String, Value>, clap::Error> {
    let required = || schema.fields.iter().filter(|field| field.required);
    let mut words = required().filter_map(|field| matches.get_one::<String>(&positional_id(field)));
    let mut request = Map::new();
    let mut missing = Vec::new();
    for field in &schema.fields {
        if let Some(value) = given(matches, field) {
            request.insert(field.name.clone(), value);
        } else if field.required {
            match words.next() {
                Some(word) => {
                    request.insert(field.name.clone(), Value::from(word.as_str()));
                }
                None => missing.push(format!("--{} {}", field.flag(), value_name(field))),
            }
        }
    }
    if let Some(word) = words.next() {
        let message = format!(
            "unexpected argument '{word}': every required field has its value; \
             optional ones are given by their flags"
        );
        return Err(command.error(ErrorKind::UnknownArgument, message));
    }
    if !missing.is_empty() {
        let message = format!("missing: {}", missing.join(", "));
        return Err(command.error(ErrorKind::MissingRequiredArgument, message));
    }
    Ok(request)
}

/// What the field's flag says, if it is there.
fn given(matches: &ArgMatches, field: &Field) -> Option<Value> {
    let name = &field.name;
    match field.kind {
        Kind::Text => matches
            .get_one::<String>(name)
            .map(|text| Value::from(text.as_str())),
        Kind::Integer => matches.get_one::<i64>(name).map(|number| (*number).into()),
        Kind::Flag => matches.get_one::<bool>(name).map(|flag| (*flag).into()),
        Kind::Texts => matches
            .get_many::<String>(name)
            .map(|texts| texts.map(|text| Value::from(text.as_str())).collect()),
    }
}

/// The command line that means `request`: what a person types where a host sends that.
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
            (Some(_), Kind::Flag) => line.extend([" --", &field.flag()]),
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
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+%@".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolbox::{self, TOOLS};

    /// Flags of every tool, beside those of its fields.
    const COMMON: [&str; 5] = ["input", "json", "schema", "help", "version"];

    fn parse(tool: &str, words: &[&str]) -> Result<Value, clap::Error> {
        let tool = toolbox::find(tool).unwrap();
        let schema = Schema::read(tool.schema);
        let mut command = command(tool, &schema);
        let words = std::iter::once("tool").chain(words.iter().copied());
        let matches = command.try_get_matches_from_mut(words)?;
        request(&mut command, &matches, &schema).map(Value::Object)
    }

    #[test]
    fn every_command_line_is_sound_and_no_field_is_called_like_a_common_flag() {
        for tool in TOOLS {
            let schema = Schema::read(tool.schema);
            command(tool, &schema).debug_assert();
            for field in &schema.fields {
                assert!(!COMMON.contains(&&*field.flag()), "{}", field.name);
            }
        }
    }

    #[test]
    fn every_field_of_every_tool_is_a_flag_in_both_spellings() {
        for tool in TOOLS {
            let schema = Schema::read(tool.schema);
            for snake in [false, true] {
                let mut words = Vec::new();
                let mut expected = Map::new();
                for field in &schema.fields {
                    let flag = if snake {
                        field.name.clone()
                    } else {
                        field.flag()
                    };
                    let (value, json): (&[&str], Value) = match field.kind {
                        Kind::Text => (&["-x y"], "-x y".into()),
                        Kind::Integer => (&["-7"], (-7).into()),
                        Kind::Flag => (&[], true.into()),
                        Kind::Texts => (&["a,b"], vec!["a", "b"].into()),
                    };
                    words.push(format!("--{flag}"));
                    words.extend(value.iter().map(|&word| word.to_owned()));
                    expected.insert(field.name.clone(), json);
                }
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                assert_eq!(parse(tool.name, &words).unwrap(), Value::Object(expected));
            }
        }
    }

    #[test]
    fn words_fill_the_required_fields_that_no_flag_gives() {
        let edit = |words: &[&str]| parse("file-edit", words).unwrap().to_string();
        let expected = r#"{"file_path":"f","old_string":"o","new_string":"n"}"#;
        assert_eq!(edit(&["f", "o", "n"]), expected);
        assert_eq!(edit(&["--old-string", "o", "f", "n"]), expected);
        assert_eq!(edit(&["o", "n", "--file-path=f"]), expected);
        assert_eq!(edit(&["f", "--", "o", "n"]), expected);
        assert_eq!(
            edit(&["f", "", "--new-string=-n", "--replace-all=false"]),
            r#"{"file_path":"f","old_string":"","new_string":"-n","replace_all":false}"#
        );
    }

    #[test]
    fn what_is_missing_or_too_much_is_named() {
        let error = |words: &[&str]| parse("file-edit", words).unwrap_err().to_string();
        assert!(
            error(&["f"]).contains("missing: --old-string OLD_STRING, --new-string NEW_STRING")
        );
        assert!(error(&["a", "b", "c", "--file-path", "f"]).contains("unexpected argument 'c'"));
        assert!(error(&["a", "b", "c", "d"]).contains("unexpected argument 'd'"));
        let error = |words: &[&str]| parse("file-read", words).unwrap_err().to_string();
        assert!(error(&["f", "--limit", "x"]).contains("invalid value 'x' for '--limit <N>'"));
        assert!(error(&["f", "--limt", "1"]).contains("--limit"));
        assert!(error(&["f", "--input", "x"]).contains("cannot be used with"));
    }

    #[test]
    fn lists_may_be_repeated_or_separated_by_commas() {
        for tool in TOOLS {
            let schema = Schema::read(tool.schema);
            for field in schema
                .fields
                .iter()
                .filter(|field| field.kind == Kind::Texts)
            {
                let flag = format!("--{}", field.flag());
                let request = parse(tool.name, &["word", &flag, "a,b", &flag, "c"]).unwrap();
                assert_eq!(request[&field.name], serde_json::json!(["a", "b", "c"]));
            }
        }
    }

    #[test]
    fn an_example_is_typed_as_it_is_sent() {
        for tool in TOOLS {
            let schema = Schema::read(tool.schema);
            let line = typed("x", &schema, tool.manual.example);
            assert!(line.starts_with("x ") && !line.contains('{'), "{line}");
        }
        let schema = Schema::read(toolbox::find("grep").unwrap().schema);
        assert_eq!(
            typed("grep", &schema, r#"{"path":"it's","pattern":"^a"}"#),
            r"grep '^a' --path 'it'\''s'"
        );
    }
}
