//! What the program says of itself to people: help, lists, and what was wrong with a command line.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::{Exit, PROGRAM};
use crate::schema::Schema;
use crate::tool::Tool;
use crate::toolbox::{self, TOOLS};

/// Prints `text` on stdout.
pub fn print(text: &str) -> Exit {
    let mut bytes = text.as_bytes();
    // Past the standard library's line buffer: one system call for one text.
    while let Ok(count) = rustix::io::write(rustix::stdio::stdout(), bytes) {
        bytes = &bytes[count..];
        if bytes.is_empty() {
            break;
        }
    }
    Exit::Success
}

/// The name and version.
pub fn version() -> String {
    format!("{PROGRAM} {}\n", env!("CARGO_PKG_VERSION"))
}

/// The links' names, a line each.
pub fn list() -> String {
    TOOLS
        .iter()
        .fold(String::new(), |list, tool| list + tool.link + "\n")
}

/// Help for the whole program.
pub fn program() -> String {
    let mut text = format!(
        "\
{PROGRAM}: a coding agent's hands in one executable

Usage: {PROGRAM} TOOL           answer the JSON request on stdin with JSON on stdout
       {PROGRAM} TOOL --schema  the tool's JSON schema
       {PROGRAM} TOOL --help    what the tool does, its fields, an example
       {PROGRAM} mcp            serve the tools over the Model Context Protocol; see mcp --help
       {PROGRAM} list           the names of the tools' links, a line each
       {PROGRAM} --version      the version

A link to this executable that bears a tool's name is that tool.

Tools:
"
    );
    for tool in TOOLS {
        let description = Schema::read(tool.schema).description;
        let first = description
            .split_once(". ")
            .map_or(&*description, |(first, _)| first);
        let _ = writeln!(
            text,
            "  {:<18} {}",
            tool.command(),
            first.trim_end_matches('.')
        );
    }
    text
}

/// Help for one tool, reached by `invocation`.
pub fn tool(tool: &Tool, invocation: &str) -> String {
    let schema = Schema::read(tool.schema);
    let mut text = format!(
        "{}: {}\n\n{}\n\nFields:\n",
        tool.name, schema.description, tool.manual.text
    );
    let width = schema
        .fields
        .iter()
        .map(|field| field.name.len())
        .max()
        .unwrap_or(0);
    for field in &schema.fields {
        let need = if field.required {
            "required"
        } else {
            "optional"
        };
        let _ = writeln!(
            text,
            "  {:<width$}  {} {}: {}",
            field.name,
            need,
            field.kind.label(),
            field.description
        );
    }
    let _ = write!(
        text,
        "
Usage: {invocation}           answer the JSON request on stdin with JSON on stdout
       {invocation} --schema  the JSON schema, which is the specification of the fields

Example:
  printf '%s' '{}' | {invocation}

What the specification leaves open is decided in README.md, \"What was decided\".
",
        tool.manual.example.replace('\'', r"'\''")
    );
    text
}

/// Says on stderr that `name` is no tool, which one is nearest, and what there is.
pub fn unknown_name(name: &str) -> Exit {
    let nearest = toolbox::nearest(name).map_or("", Tool::command);
    let all: Vec<&str> = TOOLS.iter().map(Tool::command).collect();
    complain(&format!(
        "{PROGRAM}: no tool is called `{}`; did you mean `{nearest}`?\nTools: {}\nSee `{PROGRAM} --help`.",
        name.escape_debug(),
        all.join(", ")
    ))
}

/// Says on stderr that a tool knows no such argument.
pub fn unknown_argument(invocation: &str, argument: &str) -> Exit {
    complain(&format!(
        "{invocation}: unexpected argument `{}`; the request comes as JSON on stdin, see `{invocation} --help`",
        argument.escape_debug()
    ))
}

fn complain(message: &str) -> Exit {
    let _ = writeln!(io::stderr(), "{message}");
    Exit::Usage
}
