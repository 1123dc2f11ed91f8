//! Help, lists, and errors in a command line: what the program says of itself to people.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;

use crate::command_line;
use crate::command_line::{fields, flag_words, habitual_flags, other_programs};
use iki_base::console::exit::{PROGRAM, ProgramExit};
use iki_base::console::program_output::{print, report_usage};
use iki_base::console::sanitize;
use iki_process::shell;
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
    let width = tools.commands().map(str::len).max().unwrap_or(0);
    for tool in tools {
        let about = Schema::for_flags(tool);
        let _ = writeln!(text, "  {:<width$}  {}", tool.command(), about.summary());
    }
    text += "\nOther commands:\n";
    for command in command_line::all_commands(tools) {
        let about = command
            .get_about()
            .map(ToString::to_string)
            .unwrap_or_default();
        let _ = writeln!(text, "  {:<width$}  {about}", command.get_name());
    }
    wrapped(&text)
}

/// The most columns of a line of help.
const MAX_COLUMNS: usize = 100;

/// `text` in lines that a terminal shows whole. The rest of a long one stands below the words that
/// it belongs to.
pub fn wrapped(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    for line in text.lines() {
        let (mut line, mut is_first) = (line.to_owned(), true);
        let name = line.trim_start();
        let start = line.len() - name.len();
        let behind = name.find("  ").map(|gap| {
            let words = name[gap..].trim_start();
            line.len() - words.len()
        });
        let column = behind
            .filter(|offset| *offset <= MAX_COLUMNS / 2)
            .unwrap_or(start);
        let indent = " ".repeat(column);
        while line.chars().count() > MAX_COLUMNS {
            let end = line
                .char_indices()
                .nth(MAX_COLUMNS)
                .map_or(line.len(), |(offset, _)| offset);
            let from = if is_first { start } else { column };
            let Some(offset) = line[..end]
                .rfind(' ')
                .filter(|offset| *offset > from.max(column))
            else {
                break;
            };
            let remainder = format!("{indent}{}", line[offset..].trim_start());
            all += line[..offset].trim_end();
            all.push('\n');
            (line, is_first) = (remainder, false);
        }
        all += &line;
        all.push('\n');
    }
    all
}

/// `text` with each paragraph on one line, as it is before it is wrapped.
fn paragraphs(text: &str) -> String {
    let paragraph = |lines: &str| {
        if lines.lines().any(|line| line.starts_with(['-', ' '])) {
            lines.to_owned()
        } else {
            lines.replace('\n', " ")
        }
    };
    let paragraphs: Vec<String> = text.split("\n\n").map(paragraph).collect();
    paragraphs.join("\n\n")
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
{}: {}.

{}

Usage: {usage}  call it and print its answer as text
       {invocation:<width$}  answer the JSON request on stdin with JSON on stdout

Flags; {}:
",
        tool.command(),
        schema.summary(),
        paragraphs(&flag_words::of_person(tool, tool.manual.text())),
        match fields::field_of_places(tool, &schema) {
            _ if !schema.fields.iter().any(|field| field.is_required) =>
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
        let need = if field.is_required {
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
    let further = habitual_flags::further(tool);
    if !further.is_empty() {
        let _ = writeln!(text, "  As other programs have them:  {further}");
    }
    let _ = write!(
        text,
        "
Options:
  --input FILE  answer the JSON request in FILE (- for stdin) with JSON
{}  --root DIR    allow file access only in DIR; repeatable
  --read DIR    also allow reading and running DIR, or a file; repeatable
  --no-network  keep commands off the network
  --color WHEN  colour it: always, never, or auto, which is at a terminal
  --json        print the answer as a JSON object
  --schema      the JSON schema of a request on stdin
  --help        this text
  --version     the version

Example:
  {}
  {}

Exit status:
{}With --json or a request on stdin the exit codes are those for hosts: see the manual page.
",
        if tool.keeps_answers() {
            "  --no-cache    ask again, whatever is cached\n"
        } else {
            ""
        },
        fields::typed(invocation, &schema, tool.manual.example()),
        piped_example(tool, invocation),
        tool.exit_codes
            .pairs()
            .fold(String::new(), |lines, (code, meaning)| {
                lines + &format!("  {code:<8} {meaning}\n")
            }),
    );
    wrapped(&text)
}

/// A call with JSON on stdin, in several lines if one were too long.
fn piped_example(tool: &Tool, invocation: &str) -> String {
    let mut json = tool.manual.example().replace('\'', r"'\''");
    let width = "  printf '%s' '' | ".len() + invocation.len();
    let gap = if json.len() + width > MAX_COLUMNS {
        json = json.replace(",\"", ",\n    \"");
        "\n    "
    } else {
        " "
    };
    format!("printf '%s' '{json}' |{gap}{invocation}")
}

/// Help for what `words` name, or for the whole program.
pub fn about(tools: Registry, words: &[OsString]) -> ProgramExit {
    let Some(word) = words.first() else {
        return print(&program(tools));
    };
    let name = word.to_string_lossy();
    if let Some(command) = command_line::find_command(tools, &name) {
        return print(&command_line::help(command));
    }
    match tools.find_tool(&name) {
        Some(row) => print(&tool(row, &format!("{PROGRAM} {}", row.command()))),
        None => unknown_name(tools, &name, None),
    }
}

/// Says on stderr that `name` is neither a tool nor a command, which one may have been meant, and
/// which there are; or, where it was typed with `args`, that bash runs other programs.
pub fn unknown_name(tools: Registry, name: &str, args: Option<&[OsString]>) -> ProgramExit {
    let words = args
        .unwrap_or_default()
        .iter()
        .map(|word| word.to_string_lossy().into_owned());
    let words: Vec<String> = words.collect();
    let advice = other_programs::advise(tools, name, args.unwrap_or_default());
    let (what, call) = other_programs::run_as_typed(name, &words);
    let run = format!("{what}: {PROGRAM} {call}");
    let is_part = || {
        tools
            .commands()
            .any(|tool| tool.split('-').any(|part| part == name))
    };
    let is_program = args.is_some() && shell::find_on_path(OsStr::new(name)).is_some();
    let advice = advice.or_else(|| (is_program && !is_part()).then(|| run.clone()));
    if let Some(advice) = advice {
        let name = name.escape_debug();
        return report_usage(&sanitize::for_terminal(&format!(
            "{PROGRAM}: no tool is called `{name}`; {advice}\nSee `{PROGRAM} --help`."
        )));
    }
    let commands = command_line::all_commands(tools);
    let commands: Vec<&str> = commands.iter().map(clap::Command::get_name).collect();
    let tools: Vec<&str> = tools.commands().collect();
    let all = [&tools[..], &commands, &["--version", "--help"]].concat();
    let meant = registry::did_you_mean(&registry::nearest_names(name, all.into_iter()));
    let run = if words.is_empty() || name.starts_with('-') {
        String::new()
    } else {
        sanitize::for_line(&run) + "\n"
    };
    report_usage(&format!(
        "{PROGRAM}: no tool is called `{}`{meant}\n{run}Tools: {}\nCommands: {}\nSee `{PROGRAM} \
         --help`.",
        name.escape_debug(),
        tools.join(", "),
        commands.join(", ")
    ))
}
