//! Words that a tool's command line has no place for, and what they were most likely meant to be.
//!
//! The advice follows from the tool's row and schema: the content of its required field, and the
//! directory that it looks in.

use std::ffi::OsString;
use std::path::Path;

use clap::ValueHint;

use crate::basics::wording::quoted;
use crate::command_line::fields::{field_of_places, hint};
use crate::command_line::habitual_flags;
use crate::contract::schema::{FieldKind, Schema, SchemaField};
use crate::contract::tool::{AccessScope, Tool};

/// The words to type instead of `args`, if they can be told. `args` hold something that the tool,
/// reached by `invocation`, has no place for.
pub fn advice(tool: &Tool, invocation: &str, schema: &Schema, args: &[OsString]) -> Option<String> {
    let words: Option<Vec<&str>> = args.iter().map(|arg| arg.to_str()).collect();
    let words: Vec<&str> = words?
        .into_iter()
        .filter(|word| *word != "--json")
        .collect();
    let mut required = schema.fields.iter().filter(|field| field.in_place);
    let (field, None) = (required.next()?, required.next()) else {
        return None;
    };
    // Then the error is about flags.
    let name = |word: &str| word.split('=').next().unwrap_or(word).replace('_', "-");
    let is_field = |word: &&str| {
        let mut fields = schema.fields.iter();
        fields.any(|field| name(word).strip_prefix("--") == Some(&*field.flag()))
    };
    let has_value = |word: &&str| habitual_flags::takes_value(tool, schema, word);
    if words.iter().any(is_field) || words.iter().any(has_value) || words.first()?.starts_with("--")
    {
        return None;
    }
    let option = words
        .iter()
        .find(|word| word.starts_with('-') && word.len() > 1);
    let in_quotes = |value: &str| {
        let value = quoted(value);
        format!(
            "the {} is one word: put it in quotes, {invocation} {value}",
            field.name
        )
    };
    match (tool.scope, hint(field), &words[..]) {
        // As the real shells have it.
        (_, ValueHint::CommandString, ["-c" | "-lc" | "-ic", command, ..]) => {
            Some(in_quotes(command))
        }
        (_, ValueHint::CommandString, words) => {
            let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            Some(in_quotes(&words.join(" ")))
        }
        (AccessScope::Paths { directory, .. }, _, words) => {
            let flag = schema
                .fields
                .iter()
                .find(|one| one.name == directory)?
                .flag();
            with_directory(tool, schema, field, (invocation, &flag), words)
        }
        (_, ValueHint::Other, words) if field.kind == FieldKind::Text && option.is_none() => {
            Some(in_quotes(&words.join(" ")))
        }
        // A number behind a file is its first line.
        (_, ValueHint::FilePath, [file, line]) if line.parse::<u64>().is_ok() => {
            let mut fields = schema.fields.iter();
            let flag = fields.find(|one| one.kind == FieldKind::Integer)?.flag();
            let file = quoted(file);
            Some(format!(
                "give numbers by name: {invocation} {file} --{flag} {line}"
            ))
        }
        _ => None,
    }
}

/// A pattern, and behind it the directory to search, as `grep(1)` has it.
fn with_directory(
    tool: &Tool,
    schema: &Schema,
    field: &SchemaField,
    (invocation, flag): (&str, &str),
    words: &[&str],
) -> Option<String> {
    let (options, plain): (Vec<&str>, Vec<&str>) =
        words.iter().partition(|word| word.starts_with('-'));
    let (pattern, places) = plain.split_first()?;
    if options.iter().any(|option| option.starts_with("--")) {
        return None;
    }
    let unknown = options
        .first()
        .map(|option| format!("{} has no {option}; ", tool.command()));
    let called = format!("{invocation} {}", quoted(pattern));
    let meant = match places {
        _ if places.is_empty() || field_of_places(tool, schema).is_some() => {
            let places = places.iter().map(|place| quoted(place));
            let words: Vec<String> = std::iter::once(called).chain(places).collect();
            format!("without it: {}", words.join(" "))
        }
        // The pattern itself names files here, and the shell has put them in its place.
        [place, ..] if is_wildcard(tool, field) && !Path::new(place).is_dir() => {
            format!("a pattern is one word: put it in quotes, {invocation} '*.txt'")
        }
        [place, ..] => {
            let place = quoted(place);
            format!("give the place to search with --{flag}: {called} --{flag} {place}")
        }
        [] => called,
    };
    Some(unknown.unwrap_or_default() + &meant)
}

/// True if the tool takes `field` for a wildcard pattern.
fn is_wildcard(tool: &Tool, field: &SchemaField) -> bool {
    matches!(tool.scope, AccessScope::Paths { pattern, .. } if pattern == field.name)
}
