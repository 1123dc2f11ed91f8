//! Words that a tool's command line has no place for: a command, pattern or query without its
//! quotes, and the place to search without its flag, as `grep(1)` has it.

use std::ffi::OsString;
use std::path::Path;

use clap::ValueHint;

use crate::command_line::fields::{hint, quoted};
use crate::contract::schema::{FieldKind, Schema};
use crate::contract::tool::{AccessScope, Tool};

/// The words to type instead of `args`, if they can be told. `args` hold something that the tool,
/// reached by `invocation`, has no place for.
pub fn advice(tool: &Tool, invocation: &str, schema: &Schema, args: &[OsString]) -> Option<String> {
    let words: Option<Vec<&str>> = args.iter().map(|arg| arg.to_str()).collect();
    let words: Vec<&str> = words?
        .into_iter()
        .filter(|word| *word != "--json")
        .collect();
    let mut required = schema.fields.iter().filter(|field| field.required);
    let (field, None) = (required.next()?, required.next()) else {
        return None;
    };
    // Then the error is about flags.
    let name = |word: &str| word.split('=').next().unwrap_or(word).replace('_', "-");
    let is_field = |word: &&str| {
        let mut fields = schema.fields.iter();
        fields.any(|field| name(word).strip_prefix("--") == Some(&*field.flag()))
    };
    if words.iter().any(is_field) || words.first()?.starts_with("--") {
        return None;
    }
    let has_options = words.iter().any(|word| word.starts_with('-'));
    match (tool.scope, hint(field), &words[..]) {
        // As the real shells have it.
        (_, ValueHint::CommandString, ["-c" | "-lc" | "-ic", command, ..]) => {
            Some(in_quotes(invocation, "command", command))
        }
        (_, ValueHint::CommandString, words) => {
            let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            Some(in_quotes(invocation, "command", &words.join(" ")))
        }
        _ if has_options => None,
        // The pattern itself names files here, and the shell has put them in its place.
        (AccessScope::Paths { pattern, .. }, _, [_, place, ..])
            if pattern == field.name && !Path::new(place).is_dir() =>
        {
            Some(format!(
                "a pattern is one word: put it in quotes, {invocation} '*.txt'"
            ))
        }
        (AccessScope::Paths { directory, .. }, _, [pattern, place]) => {
            let (pattern, place, flag) =
                (quoted(pattern), quoted(place), directory.replace('_', "-"));
            Some(format!(
                "give the place to search with --{flag}: {invocation} {pattern} --{flag} {place}"
            ))
        }
        (AccessScope::Network, ValueHint::Other, words) if field.kind == FieldKind::Text => {
            Some(in_quotes(invocation, &field.name, &words.join(" ")))
        }
        _ => None,
    }
}

fn in_quotes(invocation: &str, field: &str, value: &str) -> String {
    let value = quoted(value);
    format!("the {field} is one word: put it in quotes, {invocation} {value}")
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
            ("grep", &["-r", "x", "src"], None),
            ("grep", &["x", "a", "b"], None),
            ("grep", &["--patern", "x"], None),
            ("glob", &["*.rs", "/"], Some("x '*.rs' --path /")),
            ("glob", &["a.txt", "b.txt"], Some("quotes, x '*.txt'")),
            ("file-read", &["a", "b"], None),
            ("file-edit", &["a", "b", "c", "d"], None),
            ("web-fetch", &["http://a/", "http://b/"], None),
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
