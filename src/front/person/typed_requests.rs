//! The requests that a command line makes up, one for each place to search, and what to type where
//! its words cannot be meant as they stand.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use clap::error::ErrorKind;
use clap::{ArgMatches, Command};
use serde_json::{Map, Value};

use super::{CallFlags, stdin};
use crate::command_line::fields::{PLACES, field_of_places, positional_id, value_name};
use crate::command_line::{extra_arguments, habitual_flags};
use iki_base::console::streams::RawStdin;
use iki_base::wording::quoted;
use iki_tools::contract::schema::{FieldKind, Schema, SchemaField};
use iki_tools::contract::search_style::StdinPlace;
use iki_tools::contract::tool::{AccessScope, Tool};

/// A request that a command line makes up.
pub struct TypedRequest {
    pub json: Vec<u8>,
    /// Standard input, if that is searched.
    pub stdin: Option<StdinPlace>,
    /// The place to search, if a word names it.
    pub place: Option<String>,
}

/// The request that the flags and words make up, and the places in which to search. Words fill the
/// fields that stand in their place and that no flag gives, in order.
pub fn request(
    tool: &Tool,
    command: &mut Command,
    matches: &ArgMatches,
    schema: &Schema,
) -> Result<(Map<String, Value>, Vec<String>), clap::Error> {
    let places = field_of_places(tool, schema);
    let in_place = || schema.fields.iter().filter(|field| field.is_positional);
    let words = in_place().filter_map(|field| matches.get_one::<String>(&positional_id(field)));
    let further = places.and_then(|_| matches.get_many::<String>(PLACES));
    let mut words = words.chain(further.into_iter().flatten()).peekable();
    let mut request = Map::new();
    let mut missing = Vec::new();
    for field in &schema.fields {
        let value = flag_value(tool, matches, field);
        if let Some(value) = value.map_err(|why| command.error(ErrorKind::ValueValidation, why))? {
            request.insert(field.name.clone(), value);
        } else if field.is_positional {
            let is_given = habitual_flags::gives(tool, matches, field);
            // fd has a pattern there that matches everything, if a place is to follow.
            if is_given && words.clone().count() > 1 {
                words.next_if(|word| *word == ".");
            }
            match words.next_if(|_| !is_given) {
                Some(word) => {
                    let value = match &**word {
                        word if field.name == "pattern" => {
                            habitual_flags::as_pattern(tool, matches, field, word)
                        }
                        "-" if habitual_flags::takes_stdin(tool, field) => {
                            read_stdin().map_err(|why| command.error(ErrorKind::Io, why))?
                        }
                        word => word.to_owned(),
                    };
                    request.insert(field.name.clone(), value.into());
                }
                None if !field.is_required || is_given => {}
                None => missing.push(format!("--{} {}", field.flag(), value_name(field))),
            }
        }
    }
    let words: Vec<String> = words.cloned().collect();
    if let Some(word) = words.first()
        && places.is_none_or(|field| request.contains_key(field))
    {
        let message = format!(
            "unexpected argument '{word}': every required field has its value; optional ones are \
             given by their flags"
        );
        return Err(command.error(ErrorKind::UnknownArgument, message));
    }
    if !missing.is_empty() && !habitual_flags::ask_a_server(tool, matches) {
        let message = format!("missing: {}", missing.join(", "));
        return Err(command.error(ErrorKind::MissingRequiredArgument, message));
    }
    Ok((request, words))
}

/// The text on stdin.
fn read_stdin() -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = RawStdin.read_to_end(&mut bytes);
    read.map_err(|error| format!("stdin cannot be read: {error}"))?;
    String::from_utf8(bytes)
        .map_err(|_| "stdin is not UTF-8 text; a shell's > takes any bytes".to_owned())
}

/// The texts that were typed for the field. Wildcards that leave files out are values of another
/// one, among others.
fn texts_of<'m>(matches: &'m ArgMatches, name: &str) -> Vec<&'m str> {
    let of = |name: &str| {
        let texts = matches.try_get_many::<String>(name).ok().flatten();
        texts.into_iter().flatten().map(String::as_str)
    };
    let globs = of("glob").count();
    let is_left_out = |text: &&str| globs > 1 && text.starts_with('!');
    match name {
        "glob" => of(name).filter(|text| !is_left_out(text)).collect(),
        "exclude" => {
            let left_out = of("glob").filter(is_left_out);
            of(name).chain(left_out.map(|text| &text[1..])).collect()
        }
        _ => of(name).collect(),
    }
}

/// The value of the field's flag, if it is there.
fn flag_value(
    tool: &Tool,
    matches: &ArgMatches,
    field: &SchemaField,
) -> Result<Option<Value>, String> {
    let name = &field.name;
    Ok(match field.kind {
        FieldKind::Text => {
            let texts = texts_of(matches, name);
            match &texts[..] {
                [] => None,
                texts => Some(habitual_flags::joined(tool, matches, field, texts)?.into()),
            }
        }
        FieldKind::Integer => matches.get_one::<Value>(name).cloned(),
        FieldKind::Flag => matches.get_one::<bool>(name).map(|flag| (*flag).into()),
        FieldKind::Texts | FieldKind::Objects => matches
            .get_many::<String>(name)
            .map(|texts| texts.map(|text| Value::from(text.as_str())).collect()),
    })
}

/// Says what to type where the words cannot be meant as they stand.
pub fn advise(
    tool: &Tool,
    invocation: &str,
    schema: &Schema,
    request: &Map<String, Value>,
    places: &[String],
) -> Result<(), String> {
    let text = |field: &str| request.get(field).and_then(Value::as_str);
    let advice = match tool.scope {
        AccessScope::Machine => {
            let workdir = Path::new(text("workdir").unwrap_or("."));
            text("command").and_then(|command| script_of(invocation, workdir, command))
        }
        AccessScope::Paths { pattern, .. } => {
            let first = text(pattern).filter(|_| is_in_place(schema, pattern));
            let words = first.into_iter().chain(places.iter().map(String::as_str));
            let words: Vec<&str> = words.collect();
            first.and_then(|_| extra_arguments::advise_on_expanded_names(invocation, &words))
        }
        _ => None,
    };
    advice.map_or(Ok(()), Err)
}

/// The line to type for a pattern of several words without quotes: none of the `places` is there.
pub fn advise_on_words(
    invocation: &str,
    matches: &ArgMatches,
    request: &Map<String, Value>,
    places: &[String],
) -> Option<String> {
    let pattern = request.get("pattern").and_then(Value::as_str)?;
    let word = matches
        .try_get_one::<String>("pattern without its name")
        .ok()?;
    word.filter(|word| *word == pattern)?;
    let is_word = |place: &String| {
        let is_there = Path::new(place).symlink_metadata().is_ok();
        !is_there && !place.contains(['/', '*', '.', '-'])
    };
    (!places.is_empty() && places.iter().all(is_word)).then(|| {
        let words = format!("{pattern} {}", places.join(" "));
        format!(
            "Several words are put in quotes: {invocation} {}",
            quoted(&words)
        )
    })
}

fn is_in_place(schema: &Schema, name: &str) -> bool {
    let mut fields = schema.fields.iter();
    fields.any(|field| field.is_positional && field.name == name)
}

/// The line to type for a command that is the bare name of a file in the directory, as bash(1)
/// takes a script.
fn script_of(invocation: &str, directory: &Path, command: &str) -> Option<String> {
    let is_name = !command.is_empty() && !command.contains(|c: char| c.is_whitespace() || c == '/');
    let file = directory.join(command);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut programs = std::env::split_paths(&path).map(|place| place.join(command));
    if !is_name || !file.is_file() || programs.any(|program| program.is_file()) {
        return None;
    }
    let mode = file
        .metadata()
        .map_or(0, |metadata| metadata.permissions().mode());
    let call = if mode & 0o111 == 0 {
        format!("sh {command}")
    } else {
        format!("./{command}")
    };
    Some(format!(
        "{command} is a file in the directory: {invocation} {}",
        quoted(&call)
    ))
}

/// A request for each of `places`, or the one without any.
///
/// # Errors
/// Standard input is to be read like a file, and cannot be.
pub fn requests(
    tool: &Tool,
    schema: &Schema,
    matches: &ArgMatches,
    (mut request, flags): (Map<String, Value>, CallFlags),
    places: &[String],
) -> Result<Vec<TypedRequest>, String> {
    let bytes =
        |request: &Map<String, Value>| Value::from(request.clone()).to_string().into_bytes();
    let is_stdin = |place: &str| stdin::NAMES.contains(&place);
    if let AccessScope::File(field) = tool.scope
        && tool.hints.read_only
        && request.get(field).and_then(Value::as_str) == Some("-")
    {
        if flags.context.is_some() {
            return Err("a confined call reads no stdin: leave --root and --read out".to_owned());
        }
        let number = |name: &str| request.get(name).and_then(Value::as_u64);
        let is_from_end = request
            .get("offset")
            .and_then(Value::as_i64)
            .is_some_and(|offset| offset < 0);
        let lines = number("limit").filter(|_| !is_from_end);
        let lines = lines.map(|lines| lines.saturating_add(number("offset").unwrap_or(0)));
        stdin::announce_wait(tool.command(), StdinPlace::Named);
        request.insert(field.to_owned(), stdin::as_file(lines)?.into());
    }
    let Some(field) = field_of_places(tool, schema) else {
        return Ok(vec![TypedRequest {
            json: bytes(&request),
            stdin: None,
            place: None,
        }]);
    };
    let searches_lines = is_in_place(schema, "pattern")
        && request.contains_key("pattern")
        && matches!(tool.scope, AccessScope::Paths { pattern, .. } if pattern != "pattern");
    let one = |request: &Map<String, Value>| {
        let place = request.get(field).and_then(Value::as_str);
        let named = place.is_some_and(is_stdin) && searches_lines;
        let mut request = request.clone();
        if named {
            request.remove(field);
        }
        TypedRequest {
            json: bytes(&request),
            stdin: named.then_some(StdinPlace::Named),
            place: None,
        }
    };
    if !places.is_empty() {
        let with = |place: &String| {
            request.insert(field.to_owned(), place.as_str().into());
            TypedRequest {
                place: Some(place.clone()),
                ..one(&request)
            }
        };
        return Ok(places.iter().map(with).collect());
    }
    let mut only = one(&request);
    let says_where = [field, "glob", "exclude", "all", "type"]
        .iter()
        .any(|name| request.contains_key(*name))
        || habitual_flags::say_where(tool, matches);
    if searches_lines && !says_where && stdin::is_given() {
        only.stdin = Some(StdinPlace::Implied);
    }
    Ok(vec![only])
}
