//! What the program says of itself to people: help, lists, and what was wrong with a command line.

use std::ffi::OsString;
use std::fmt::Write as _;

use crate::command_line::fields;
use crate::console::say::{complain, print};
use crate::contract::schema::{Field, FieldKind, Schema};
use crate::contract::tool::{Part, Tool};
use crate::program::{Exit, PROGRAM};
use crate::registry::Registry;
use crate::{command_line, registry};

/// The links' names, a line each.
pub fn list(tools: Registry) -> String {
    tools
        .iter()
        .fold(String::new(), |list, tool| list + tool.link + "\n")
}

/// Help for the whole program.
pub fn program(tools: Registry) -> String {
    let mut text = format!(
        "\
{PROGRAM}: a coding agent's hands in one executable

Usage: {PROGRAM} TOOL [OPTIONS] FIELD...  call a tool: text on a terminal, JSON elsewhere
       {PROGRAM} TOOL                     answer the JSON request on stdin with JSON on stdout
       {PROGRAM} TOOL --schema            the tool's JSON schema
       {PROGRAM} TOOL --help              what the tool does, its fields, an example
       {PROGRAM} --version                the version

A link to this executable that bears a tool's name is that tool.

Tools:
"
    );
    for tool in tools {
        row(
            &mut text,
            tool.command(),
            Schema::read(tool.model_schema).summary(),
        );
    }
    text += "\nOther commands:\n";
    for command in command_line::all(tools) {
        let about = command.get_about().map(ToString::to_string);
        row(&mut text, command.get_name(), &about.unwrap_or_default());
    }
    text
}

fn row(text: &mut String, name: &str, about: &str) {
    let _ = writeln!(text, "  {name:<18} {about}");
}

/// Help for one tool, reached by `invocation`.
pub fn tool(tool: &Tool, invocation: &str) -> String {
    let schema = Schema::read(tool.model_schema);
    let usage = fields::usage(invocation, &schema);
    let width = usage.len();
    let mut text = format!(
        "\
{}: {}

{}

Usage: {usage}  call it: text on a terminal, JSON elsewhere
       {invocation:<width$}  answer the JSON request on stdin with JSON on stdout

Fields, each a flag (--{}); the required ones may stand without it, in this order:
",
        tool.name,
        schema.description,
        tool.manual.text,
        schema.fields.first().map(Field::flag).unwrap_or_default(),
    );
    let names = schema.fields.iter().map(|field| field.name.len());
    let width = names.max().unwrap_or(0);
    for field in &schema.fields {
        let need = if field.required {
            "required"
        } else {
            "optional"
        };
        let several = match field.kind {
            FieldKind::Texts => "; repeat the flag, or separate by commas",
            _ => "",
        };
        let _ = writeln!(
            text,
            "  {:<width$}  {need} {}: {}{several}",
            field.name,
            field.kind.label(),
            field.description
        );
    }
    let _ = write!(
        text,
        "
Options:
  --input FILE  answer the JSON request in FILE as one on stdin
  --json        answer with JSON on a terminal too
  --schema      the JSON schema, which is the specification of the fields
  --help        this text
  --version     the version

Example:
  {}
  printf '%s' '{}' | {invocation}

On a terminal the answer is text, and errors go to stderr with exit code 1{}.
What the specification leaves open is decided in README.md, \"What was decided\".
",
        fields::typed(invocation, &schema, tool.manual.example),
        tool.manual.example.replace('\'', r"'\''"),
        if tool.has(Part::ExitCode) {
            ";\nelse the exit code is that of the command which was run"
        } else {
            ""
        }
    );
    text
}

/// Help for what `words` name, or for the whole program.
pub fn about(tools: Registry, words: &[OsString]) -> Exit {
    let Some(word) = words.first() else {
        return print(&program(tools));
    };
    let name = word.to_string_lossy();
    if let Some(command) = command_line::find(tools, &name) {
        return print(&command_line::help(command));
    }
    match tools.find(&name) {
        Some(found) => print(&tool(found, &format!("{PROGRAM} {}", found.command()))),
        None => unknown_name(tools, &name),
    }
}

/// Says on stderr that `name` is no tool and no command, which one may have been meant, and what
/// there is.
pub fn unknown_name(tools: Registry, name: &str) -> Exit {
    let commands = command_line::all(tools);
    let commands: Vec<&str> = commands.iter().map(clap::Command::get_name).collect();
    let tools: Vec<&str> = tools.commands().collect();
    let all = [&tools[..], &commands, &["--version", "--help"]].concat();
    let meant = registry::did_you_mean(&registry::alike(name, all.into_iter()));
    complain(&format!(
        "{PROGRAM}: no tool is called `{}`{meant}\nTools: {}\nCommands: {}\nSee `{PROGRAM} --help`.",
        name.escape_debug(),
        tools.join(", "),
        commands.join(", ")
    ))
}
