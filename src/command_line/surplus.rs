//! Words that a tool's command line has no place for, and what they were most likely meant to be.
//!
//! The advice follows from the tool's row and schema: the content of its required field, and the
//! directory that it looks in.

use std::ffi::OsString;
use std::path::Path;

use clap::ValueHint;

use crate::command_line::fields::{hint, quoted};
use crate::contract::schema::{FieldKind, Schema, SchemaField};
use crate::contract::tool::{AccessScope, Tool};

/// The words to type instead of `args`, if they can be told. `args` hold something that the tool,
/// reached by `invocation`, has no place for.
pub fn advice(tool: &Tool, invocation: &str, schema: &Schema, args: &[OsString]) -> Option<String> {
    let mut words = Vec::new();
    for arg in args {
        match arg.to_str()? {
            "--json" => {}
            word => words.push(word),
        }
    }
    let mut required = schema.fields.iter().filter(|field| field.required);
    let (field, None) = (required.next()?, required.next()) else {
        return None;
    };
    let call = CallWords { invocation, words };
    match (tool.scope, hint(field)) {
        _ if call.names_a_field(schema) || call.words.first()?.starts_with("--") => None,
        (_, ValueHint::CommandString) => Some(call.as_command()),
        (AccessScope::Paths { directory, .. }, _) => {
            let directory = schema.fields.iter().find(|one| one.name == directory)?;
            call.with_directory(tool, schema, field, directory)
        }
        (_, ValueHint::Other) if field.kind == FieldKind::Text => call.as_text(field),
        (_, ValueHint::AnyPath | ValueHint::Url) => call.one_by_one(schema, field),
        _ => None,
    }
}

/// A call as it was typed.
struct CallWords<'a> {
    invocation: &'a str,
    words: Vec<&'a str>,
}

impl CallWords<'_> {
    /// True if a field's flag, or something like it, is among the words: then the error is about
    /// flags.
    fn names_a_field(&self, schema: &Schema) -> bool {
        self.words.iter().any(|word| {
            let name = word.split('=').next().unwrap_or(word).replace('_', "-");
            let field = |field: &SchemaField| name.strip_prefix("--") == Some(&*field.flag());
            schema.fields.iter().any(field)
        })
    }

    /// The first word that looks like an option.
    fn option(&self) -> Option<&str> {
        let mut words = self.words.iter();
        words
            .find(|word| word.starts_with('-') && word.len() > 1)
            .copied()
    }

    /// A command and its arguments, which are one word here.
    fn as_command(&self) -> String {
        let command = match &self.words[..] {
            // As the real shells have it.
            [option, command, ..] if ["-c", "-lc", "-ic"].contains(option) => (*command).to_owned(),
            words => {
                let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
                words.join(" ")
            }
        };
        format!(
            "the command is one word: put it in quotes, {} {}",
            self.invocation,
            quoted(&command)
        )
    }

    /// A text of several words, which is one word here.
    fn as_text(&self, field: &SchemaField) -> Option<String> {
        if self.option().is_some() {
            return None;
        }
        Some(format!(
            "the {} is one word: put it in quotes, {} {}",
            field.name,
            self.invocation,
            quoted(&self.words.join(" "))
        ))
    }

    /// A pattern, and behind it the directory to search, as `grep(1)` has it.
    fn with_directory(
        &self,
        tool: &Tool,
        schema: &Schema,
        field: &SchemaField,
        directory: &SchemaField,
    ) -> Option<String> {
        if self.words.iter().any(|word| word.starts_with("--")) {
            return None;
        }
        let options = self.words.iter().filter(|word| word.starts_with('-'));
        let plain: Vec<&str> = self
            .words
            .iter()
            .copied()
            .filter(|word| !word.starts_with('-'))
            .collect();
        let [pattern, places @ ..] = &plain[..] else {
            return None;
        };
        let (call, flag) = (self.invocation, directory.flag());
        let called = format!("{call} {}", quoted(pattern));
        let unknown = if options.count() == 0 {
            String::new()
        } else {
            let fields: Vec<String> = schema
                .fields
                .iter()
                .map(|one| format!("--{}", one.flag()))
                .collect();
            format!(
                "{} has no {}; it has {}. ",
                tool.command(),
                self.option().unwrap_or("such option"),
                fields.join(", ")
            )
        };
        let meant = match places {
            [] => format!("without it: {called}"),
            // The pattern itself names files here, and the shell has put them in its place.
            [place, ..] if is_wildcard(tool, field) && !Path::new(place).is_dir() => {
                format!("a pattern is one word: put it in quotes, {call} '*.txt'")
            }
            [place] => format!(
                "give the place to search with --{flag}: {called} --{flag} {}",
                quoted(place)
            ),
            [place, ..] => {
                let wildcard = schema.fields.iter().find(|one| is_wildcard(tool, one))?;
                format!(
                    "--{flag} takes one: {called} --{flag} {}, or, for the files that a pattern names, \
                     {called} --{} '*.txt'",
                    quoted(place),
                    wildcard.flag()
                )
            }
        };
        Some(unknown + &meant)
    }

    /// Several files or addresses, of which a call takes one.
    fn one_by_one(&self, schema: &Schema, field: &SchemaField) -> Option<String> {
        let (first, second) = match &self.words[..] {
            [first, second, ..] if self.option().is_none() => (first, second),
            _ => return None,
        };
        // A number behind a file is its first line.
        let line = schema
            .fields
            .iter()
            .find(|one| one.kind == FieldKind::Integer);
        Some(match line {
            Some(line) if second.parse::<u64>().is_ok() => format!(
                "give numbers by name: {} {} --{} {second}",
                self.invocation,
                quoted(first),
                line.flag()
            ),
            _ => format!(
                "a call takes one {}: {call} {}, and then {call} {}",
                field.name,
                quoted(first),
                quoted(second),
                call = self.invocation
            ),
        })
    }
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
            ("grep", &["x", "a.txt"], Some("x x --path a.txt")),
            ("grep", &["a b", "it's"], Some(r"x 'a b' --path 'it'\''s'")),
            (
                "grep",
                &["-r", "x", "src"],
                Some("--limit, --all. give the place to search with --path: x x --path src"),
            ),
            ("grep", &["-n", "x"], Some("without it: x x")),
            (
                "grep",
                &["x", "a", "b"],
                Some("x x --path a, or, for the files that a pattern names, x x --glob '*.txt'"),
            ),
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
