//! Words that a tool's command line has no place for, and what they were most likely meant to be.
//!
//! The advice follows from the tool's row and schema: the content of its required field, and the
//! directory that it looks in.

use std::ffi::OsString;
use std::path::Path;

use clap::ValueHint;

use crate::command_line::fields::{field_of_places, hint, quoted};
use crate::command_line::habits;
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
    let has_value = |word: &&str| habits::takes_value(tool, schema, word);
    if words.iter().any(is_field) || words.iter().any(has_value) || words.first()?.starts_with("--")
    {
        return None;
    }
    let option = words
        .iter()
        .find(|word| word.starts_with('-') && word.len() > 1);
    match (tool.scope, hint(field), &words[..]) {
        // As the real shells have it.
        (_, ValueHint::CommandString, ["-c" | "-lc" | "-ic", command, ..]) => {
            Some(in_quotes(invocation, "command", command))
        }
        (_, ValueHint::CommandString, words) => {
            let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            Some(in_quotes(invocation, "command", &words.join(" ")))
        }
        (AccessScope::Paths { directory, .. }, _, words) => {
            let call = (invocation, option.copied());
            with_directory(tool, schema, field, directory, call, words)
        }
        (_, ValueHint::Other, words) if field.kind == FieldKind::Text && option.is_none() => {
            Some(in_quotes(invocation, &field.name, &words.join(" ")))
        }
        (_, ValueHint::AnyPath | ValueHint::Url, [first, second, ..]) if option.is_none() => {
            // A number behind a file is its first line.
            let mut fields = schema.fields.iter();
            let line = fields.find(|one| one.kind == FieldKind::Integer);
            let line = line.filter(|_| second.parse::<u64>().is_ok());
            let (first, quoted_second) = (quoted(first), quoted(second));
            Some(match line {
                Some(line) => {
                    let flag = line.flag();
                    format!("give numbers by name: {invocation} {first} --{flag} {second}")
                }
                None => format!(
                    "a call takes one {}: {invocation} {first}, and then {invocation} {quoted_second}",
                    field.name
                ),
            })
        }
        _ => None,
    }
}

fn in_quotes(invocation: &str, field: &str, value: &str) -> String {
    let value = quoted(value);
    format!("the {field} is one word: put it in quotes, {invocation} {value}")
}

/// A pattern, and behind it the directory to search, as `grep(1)` has it.
fn with_directory(
    tool: &Tool,
    schema: &Schema,
    field: &SchemaField,
    directory: &str,
    (call, option): (&str, Option<&str>),
    words: &[&str],
) -> Option<String> {
    if words.iter().any(|word| word.starts_with("--")) {
        return None;
    }
    let directory = schema.fields.iter().find(|one| one.name == directory)?;
    let plain: Vec<&&str> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let [pattern, places @ ..] = &plain[..] else {
        return None;
    };
    let flag = directory.flag();
    let called = format!("{call} {}", quoted(pattern));
    let fields = schema.fields.iter().map(|one| format!("--{}", one.flag()));
    let fields = fields.collect::<Vec<_>>().join(", ");
    let unknown =
        option.map(|option| format!("{} has no {option} (it has {fields}); ", tool.command()));
    let meant = match places {
        _ if places.is_empty() || field_of_places(tool, schema).is_some() => {
            let places = places.iter().map(|place| format!(" {}", quoted(place)));
            format!("without it: {called}{}", places.collect::<String>())
        }
        // The pattern itself names files here, and the shell has put them in its place.
        [place, ..] if is_wildcard(tool, field) && !Path::new(place).is_dir() => {
            format!("a pattern is one word: put it in quotes, {call} '*.txt'")
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::find;

    #[test]
    fn words_too_many_become_the_call_that_was_meant() {
        for (tool, words, advised) in [
            ("bash", &["ls", "-la"][..], Some("quotes, x 'ls -la'")),
            ("bash", &["ls", "a b"], Some(r"quotes, x 'ls '\''a b'\'''")),
            ("bash", &["-c", "ls -la"], Some("quotes, x 'ls -la'")),
            ("bash", &["--json", "ls", "-la"], Some("quotes, x 'ls -la'")),
            ("bash", &["--command", "ls", "-la"], None),
            ("grep", &["-z", "x", "src"], Some("without it: x x src")),
            ("grep", &["-z", "x"], Some("without it: x x")),
            ("grep", &["-z", "-A", "2", "x"], None),
            ("grep", &["--patern", "x"], None),
            ("glob", &["*.rs", "/"], Some("x '*.rs' --path /")),
            ("glob", &["a.txt", "b.txt"], Some("quotes, x '*.txt'")),
            ("file-read", &["a", "b"], Some("x a, and then x b")),
            ("file-read", &["a", "10"], Some("x a --offset 10")),
            ("file-read", &["-n", "a"], None),
            ("file-edit", &["a", "b", "c", "d"], None),
            (
                "web-fetch",
                &["http://a/", "http://b/"],
                Some("x http://a/, and then x http://b/"),
            ),
            (
                "web-search-brave",
                &["rust", "lang"],
                Some("quotes, x 'rust lang'"),
            ),
            ("web-search-brave", &["rust", "-l"], None),
        ] {
            let tool = find(tool).unwrap();
            let args: Vec<OsString> = words.iter().map(OsString::from).collect();
            let advice = advice(tool, "x", &Schema::for_flags(tool), &args);
            match advised {
                Some(advised) => {
                    let advice = advice.unwrap();
                    assert!(advice.ends_with(advised), "{words:?}: {advice}");
                }
                None => assert_eq!(advice, None, "{words:?}"),
            }
        }
    }
}
