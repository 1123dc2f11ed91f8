//! Help, lists, and errors in a command line: what the program says of itself to people.

use std::ffi::OsString;
use std::fmt::Write as _;

use crate::command_line;
use crate::command_line::{fields, habitual_flags};
use iki_base::console::exit::{PROGRAM, ProgramExit};
use iki_base::console::say::{print, report_usage};
use iki_tools::contract::schema::{FieldKind, Schema, SchemaField};
use iki_tools::contract::tool::Tool;
use iki_tools::registry;
use iki_tools::registry::Registry;

/// The names of the links that are installed, a line each.
pub fn list(tools: Registry, research: bool) -> String {
    tools
        .linked(research)
        .fold(String::new(), |list, tool| list + tool.link + "\n")
}

/// Help for the whole program.
pub fn program(tools: Registry) -> String {
    let mut text = format!(
        "\
{PROGRAM}: a coding agent's tools in one executable

Usage: {PROGRAM} TOOL [OPTIONS] FIELD...  call a tool and print its answer as text
       {PROGRAM} TOOL                     answer the JSON request on stdin with JSON on stdout
       {PROGRAM} TOOL --schema            the tool's JSON schema
       {PROGRAM} TOOL --help              what the tool does, its fields, an example
       {PROGRAM} --version                the version

A link to this executable that bears a tool's name is that tool.

Tools:
"
    );
    for tool in tools {
        row(&mut text, tool.command(), Schema::for_flags(tool).summary());
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

/// Words on the flags of a tool that requires some of them.
const WITHOUT_FLAG_WORDS: &str = "required ones may be given without the flag, in this order";

/// Help for one tool, reached by `invocation`.
pub fn tool(tool: &Tool, invocation: &str) -> String {
    let schema = Schema::for_flags(tool);
    let usage = fields::usage(tool, invocation, &schema);
    let width = usage.len();
    let mut text = format!(
        "\
{}: {}

{}

Usage: {usage}  call it and print its answer as text
       {invocation:<width$}  answer the JSON request on stdin with JSON on stdout

Flags; {}:
",
        tool.name,
        schema.description,
        tool.manual.text(),
        match fields::field_of_places(tool, &schema) {
            _ if !schema.fields.iter().any(|field| field.required) =>
                "the first may be given without the flag".to_owned(),
            Some(field) => format!(
                "{WITHOUT_FLAG_WORDS}, and then each {}",
                field.to_uppercase()
            ),
            None => WITHOUT_FLAG_WORDS.to_owned(),
        },
    );
    let flags = |field: &SchemaField| {
        let short = habitual_flags::short(tool, field)
            .map_or(String::new(), |letter| format!(", -{letter}"));
        format!("--{}{short}", field.flag())
    };
    let width = schema.fields.iter().map(|field| flags(field).len());
    let width = width.max().unwrap_or(0);
    for field in &schema.fields {
        let need = if field.required {
            "required"
        } else {
            "optional"
        };
        let several = match field.kind {
            FieldKind::Texts => "; repeat the flag, or separate by commas".to_owned(),
            _ if habitual_flags::takes_stdin(tool, field) => {
                "; as a word, - is what stdin has".to_owned()
            }
            // Most descriptions name them.
            _ if field
                .values
                .iter()
                .all(|one| field.description.contains(one)) =>
            {
                habitual_flags::of_values(tool, field)
            }
            _ => format!(": {}", field.values.join(", ")),
        };
        let _ = writeln!(
            text,
            "  {:<width$}  {need} {}: {}{several}",
            flags(field),
            field.kind.label(),
            field.description
        );
    }
    let _ = write!(
        text,
        "
Options:
  --input FILE  answer the JSON request in FILE (- for stdin) with JSON
{}  --root DIR    allow file access only in DIR; repeatable
  --read DIR    also allow reading and running DIR, or a file; repeatable
  --no-network  keep commands off the network
  --json        print the answer as a JSON object
  --schema      the JSON schema of a request on stdin
  --help        this text
  --version     the version

Example:
  {}
  printf '%s' '{}' | {invocation}

Exit status:
{}With --json or a request on stdin the exit codes are those for hosts: see the manual page.
",
        if tool.keeps_answers() {
            "  --no-cache    ask again, whatever is cached\n"
        } else {
            ""
        },
        fields::typed(invocation, &schema, tool.manual.example()),
        tool.manual.example().replace('\'', r"'\''"),
        tool.exit_codes
            .pairs()
            .fold(String::new(), |lines, (code, meaning)| {
                lines + &format!("  {code:<8} {meaning}\n")
            }),
    );
    text
}

/// Help for what `words` name, or for the whole program.
pub fn about(tools: Registry, words: &[OsString]) -> ProgramExit {
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

/// Says on stderr that `name` is neither a tool nor a command, which one may have been meant, and
/// which there are.
pub fn unknown_name(tools: Registry, name: &str) -> ProgramExit {
    let commands = command_line::all(tools);
    let commands: Vec<&str> = commands.iter().map(clap::Command::get_name).collect();
    let tools: Vec<&str> = tools.commands().collect();
    let all = [&tools[..], &commands, &["--version", "--help"]].concat();
    let meant = registry::did_you_mean(&registry::nearest_names(name, all.into_iter()));
    report_usage(&format!(
        "{PROGRAM}: no tool is called `{}`{meant}\nTools: {}\nCommands: {}\nSee `{PROGRAM} --help`.",
        name.escape_debug(),
        tools.join(", "),
        commands.join(", ")
    ))
}
