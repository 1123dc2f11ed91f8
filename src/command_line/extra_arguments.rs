//! Advice on words and flags for which a tool has no place: the line to type instead.

use std::ffi::OsString;
use std::path::Path;

use clap::error::{ContextKind, ContextValue};
use clap::{Command, Error, ValueHint};

use crate::command_line::fields::{hint, value_name};
use crate::command_line::habitual_flags::takes_value;
use crate::command_line::typed_values::flags_of_lines;
use iki_base::wording::quoted;
use iki_tools::contract::schema::{FieldKind, Schema, SchemaField};
use iki_tools::registry;

/// The line to type instead of `args`, which the tool that is reached by `invocation` could not
/// take because of `error`: a word too many, or a flag that it does not have.
pub fn advise_on_extra_arguments(
    invocation: &str,
    schema: &Schema,
    args: &[OsString],
    (error, command): (&Error, &Command),
) -> Option<String> {
    let extra = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(extra)) => extra.as_str(),
        _ => "",
    };
    let words: Option<Vec<&str>> = args.iter().map(|arg| arg.to_str()).collect();
    let words = words?;
    let field = schema.fields.iter().find(|field| field.is_positional)?;
    let is_own = |word: &str| {
        let name = word.split('=').next().unwrap_or(word);
        let is_flag = |field: &SchemaField| name.strip_prefix("--") == Some(&*field.flag());
        schema.fields.iter().any(is_flag) || ["--json", "--root", "--read"].contains(&name)
    };
    let is_command = hint(field) == ValueHint::CommandString
        && !words.iter().any(|word| is_own(word))
        && (!words.first()?.starts_with('-') || ["-c", "-lc", "-ic"].contains(words.first()?));
    if extra.starts_with('-') && !is_command {
        return Some(unknown_flag(invocation, extra, command));
    }
    if words.iter().any(|word| is_own(word)) {
        return None;
    }
    let plain: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| !word.starts_with('-'))
        .collect();
    let each: Vec<String> = plain.iter().map(|word| quoted(word)).collect();
    let first = plain.first()?;
    let integers = schema
        .fields
        .iter()
        .filter(|field| field.kind == FieldKind::Integer);
    let numbers = plain.len() > 1 && plain[1..].iter().all(|word| word.parse::<i64>().is_ok());
    let lines = match &plain[..] {
        [_, range] if !numbers => flags_of_lines(range),
        _ => None,
    };
    let lines = lines.filter(|_| integers.clone().any(|field| field.name == "offset"));
    Some(match hint(field) {
        ValueHint::CommandString => {
            let is_line = |word: &str| word.contains(' ');
            let words = &words[..];
            let command = match words {
                // As the real shells have it, where words behind the command are its `$0` and `$1`.
                ["-c" | "-lc" | "-ic", command, _, ..] if command.contains('$') => {
                    quoted(&format!("bash {}", joined(words)))
                }
                ["-c" | "-lc" | "-ic", command, ..] if is_line(command) => quoted(command),
                ["-c" | "-lc" | "-ic", words @ ..] => quoted(&joined(words)),
                _ if plain.iter().all(|word| is_line(word)) => {
                    return Some(one_by_one("command", invocation, &each));
                }
                [line, words @ ..] if is_line(line) => quoted(&format!("{line} {}", joined(words))),
                ["--", words @ ..] | words => quoted(&joined(words)),
            };
            format!(
                "the {} is one word: put it in quotes, {invocation} {command}",
                field.name
            )
        }
        ValueHint::Url => one_by_one("address", invocation, &each),
        ValueHint::FilePath if lines.is_some() => {
            let lines = lines.unwrap_or_default();
            format!(
                "numbers are given by flags: {invocation} {} {lines}",
                quoted(first)
            )
        }
        ValueHint::FilePath if numbers => {
            let flags = integers.zip(&plain[1..]);
            let flags = flags.map(|(field, number)| format!(" --{} {number}", field.flag()));
            let flags: String = flags.collect();
            format!(
                "numbers are given by flags: {invocation} {}{flags}",
                quoted(first)
            )
        }
        ValueHint::FilePath
            if !schema
                .fields
                .iter()
                .any(|one| one.is_positional && one.name != field.name) =>
        {
            one_by_one("file", invocation, &each)
        }
        _ => advise_on_several(invocation, schema, &plain),
    })
}

/// The line to type where more `words` stand than the tool has places for.
fn advise_on_several(invocation: &str, schema: &Schema, words: &[&str]) -> String {
    let fields = schema.fields.iter();
    let places = fields.filter(|field| field.is_positional).count();
    if let ([file, pairs @ ..], 3) = (words, places)
        && pairs.len() % 2 == 0
    {
        // Texts and their replacements in turn.
        let calls = pairs
            .chunks(2)
            .map(|pair| joined(&[&[*file], pair].concat()));
        return one_by_one("replacement", invocation, &calls.collect::<Vec<_>>());
    }
    // The last value has more than one word.
    let (earlier_words, last_words) = words.split_at(places.saturating_sub(1).min(words.len()));
    let earlier_text: String = earlier_words
        .iter()
        .map(|word| quoted(word) + " ")
        .collect();
    let last = schema.fields.iter().rfind(|field| field.is_positional);
    let name = last.map(value_name).unwrap_or_default();
    let last_text = quoted(&last_words.join(" "));
    format!("{name} is one word: put it in quotes, {invocation} {earlier_text}{last_text}")
}

/// The line to type for a command without quotes whose own flags would be taken for this program's:
/// `bash ls -l`.
pub fn advise_on_flags_of_a_command(
    invocation: &str,
    schema: &Schema,
    command: &Command,
    args: &[OsString],
) -> Option<String> {
    let mut fields = schema.fields.iter().filter(|field| field.is_positional);
    let field = fields.find(|field| hint(field) == ValueHint::CommandString)?;
    let words: Option<Vec<&str>> = args.iter().map(|arg| arg.to_str()).collect();
    let words = words?;
    let mut before = "";
    let index = words.iter().position(|word| {
        let is_first = !word.starts_with('-') && !takes_value(command, before);
        before = word;
        is_first
    })?;
    let is_flag = |word: &&str| word.len() > 1 && word.starts_with('-') && !word.starts_with("--");
    words[index..].iter().any(is_flag).then(|| {
        format!(
            "the {} is one word: put it in quotes, {invocation} {}",
            field.name,
            quoted(&joined(&words[index..]))
        )
    })
}

fn joined(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

/// A call with each of `ends`.
fn one_by_one(what: &str, invocation: &str, ends: &[String]) -> String {
    let calls = ends.iter().take(3).map(|end| format!("{invocation} {end}"));
    let calls: Vec<String> = calls.collect();
    let more = if ends.len() > 3 { "; ..." } else { "" };
    format!("a call takes one {what}: {}{more}", calls.join("; "))
}

/// Says that there is no such flag, which one may have been meant, and which there are.
pub fn unknown_flag(invocation: &str, flag: &str, command: &Command) -> String {
    let visible_arguments = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let flags: Vec<String> = visible_arguments
        .filter_map(|arg| arg.get_long())
        .map(|long| format!("--{long}"))
        .collect();
    let meant = registry::nearest_names(flag, flags.iter().map(String::as_str));
    let meant = match &meant[..] {
        _ if !flag.starts_with("--") => String::new(),
        [only] => format!("; did you mean '{only}'?"),
        _ => String::new(),
    };
    let end = if meant.is_empty() { "." } else { "" };
    format!(
        "{invocation} has no {flag}{meant}{end} Its flags: {}",
        flags.join(" ")
    )
}

/// Advice on a wildcard pattern in whose place a shell has put names, or that stands behind the
/// directory: `words` are the pattern and the places that were typed.
pub fn advise_on_expanded_names(invocation: &str, words: &[&str]) -> Option<String> {
    let (first, rest) = words.split_first()?;
    let is_wild = |word: &str| word.contains(['*', '?', '[', '{']);
    let exists = |word: &str| Path::new(word).symlink_metadata().is_ok();
    if rest.is_empty() || is_wild(first) || !exists(first) {
        return None;
    }
    if let [pattern] = rest
        && is_wild(pattern)
    {
        let (pattern, place) = (quoted(pattern), quoted(first));
        return Some(format!(
            "the pattern comes first: {invocation} {pattern} {place}"
        ));
    }
    if !rest.iter().all(|word| exists(word)) {
        return None;
    }
    let extension = |word: &str| {
        Path::new(word)
            .extension()
            .map(|one| format!("*.{}", one.to_string_lossy()))
    };
    let parent = |word: &str| {
        Path::new(word)
            .parent()
            .map(|one| one.to_string_lossy().into_owned())
    };
    let common = |of: &dyn Fn(&str) -> Option<String>| {
        let one = of(first)?;
        rest.iter()
            .all(|word| of(word).as_ref() == Some(&one))
            .then_some(one)
    };
    let name = common(&extension).unwrap_or_else(|| "*".to_owned());
    let pattern = match common(&parent) {
        Some(parent) if !parent.is_empty() => format!("{parent}/{name}"),
        _ => name,
    };
    Some(format!(
        "the shell has put names in the pattern's place: put it in quotes, {invocation} {}",
        quoted(&pattern)
    ))
}
