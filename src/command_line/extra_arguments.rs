//! Advice on a shell command whose words were not put in quotes.

use std::ffi::OsString;

use clap::ValueHint;

use crate::command_line::fields::hint;
use iki_base::wording::quoted;
use iki_tools::contract::schema::Schema;

/// The words to type instead of `args`, if these are a command in several words, for which the tool
/// that is reached by `invocation` has no place.
pub fn advise_on_extra_arguments(
    invocation: &str,
    schema: &Schema,
    args: &[OsString],
) -> Option<String> {
    let mut fields = schema.fields.iter().filter(|field| field.in_place);
    let field = fields.find(|field| hint(field) == ValueHint::CommandString)?;
    let words: Option<Vec<&str>> = args.iter().map(|arg| arg.to_str()).collect();
    let words = words?;
    // Then the error is about flags.
    let is_flag = |word: &&str| {
        let mut fields = schema.fields.iter();
        let name = word.split('=').next().unwrap_or(word).strip_prefix("--");
        fields.any(|field| name == Some(&*field.flag()))
    };
    if words.iter().any(is_flag) || words.first()?.starts_with("--") {
        return None;
    }
    let command = match &words[..] {
        // As the real shells have it.
        ["-c" | "-lc" | "-ic", command, ..] => quoted(command),
        words => {
            let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            quoted(&words.join(" "))
        }
    };
    Some(format!(
        "the {} is one word: put it in quotes, {invocation} {command}",
        field.name
    ))
}
