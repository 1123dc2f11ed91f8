//! The commands that are not tools, and the complete command line as one tree, from which
//! completions and manual pages are made.

pub mod confinement;
pub mod extra_arguments;
pub mod fields;
pub mod flag_words;
mod habits;
pub mod habitual_flags;
pub mod help;
pub mod lacking_flags;
pub mod mcp;
pub mod other_programs;
pub mod typed_values;

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, Command, ValueHint, value_parser};
use clap_complete::Shell;

use iki_base::console::exit::{PROGRAM, ProgramExit};
use iki_base::console::{program_output, sanitize};
use iki_tools::contract::provider::ModelProvider;
use iki_tools::contract::schema::Schema;
use iki_tools::registry::{self, Registry};

/// The function that makes a command's definition.
type CommandBuilder = fn(Registry) -> Command;

/// The commands by their names, in the order in which help shows them.
const MAKERS: [(&str, CommandBuilder); 8] = [
    ("list", |_| list()),
    ("schema", schema),
    ("mcp", mcp::command),
    ("token", |_| token()),
    ("doctor", |_| doctor()),
    ("link", |_| link()),
    ("completions", |_| completions()),
    ("man", |_| man()),
];

/// True if `name` is a command that is carried out here: `mcp` is a front end of its own.
pub fn is_command(name: &str) -> bool {
    name != "mcp" && MAKERS.iter().any(|(one, _)| *one == name)
}

/// The commands, in the order in which help shows them.
pub fn all_commands(tools: Registry) -> Vec<Command> {
    MAKERS.iter().map(|(_, make)| make(tools)).collect()
}

/// The command called `name`; the others are not made.
pub fn find_command(tools: Registry, name: &str) -> Option<Command> {
    let mut makers = MAKERS.iter();
    let (_, make) = makers.find(|(one, _)| *one == name)?;
    Some(make(tools))
}

/// The complete command line.
pub fn tree(tools: Registry) -> Command {
    let commands = tools.into_iter().map(|tool| {
        let schema = Schema::for_flags(tool);
        let usage = fields::usage(tool, &format!("{PROGRAM} {}", tool.command()), &schema);
        fields::command(tool, &schema).override_usage(usage)
    });
    Command::new(PROGRAM)
        .version(env!("CARGO_PKG_VERSION"))
        .about("A coding agent's tools in one executable")
        .disable_help_subcommand(true)
        .subcommand_required(true)
        .subcommands(commands)
        .subcommands(all_commands(tools))
}

/// Help for `command`.
pub fn help(command: Command) -> String {
    let name = format!("{PROGRAM} {}", command.get_name());
    help::wrapped(&command.bin_name(name).render_help().to_string())
}

/// Reports a usage error on stderr.
pub fn report_misuse(mut error: clap::Error) -> ProgramExit {
    // The parser advises to write an unknown flag as a value, which nobody wants who types one.
    error.remove(ContextKind::Suggested);
    if let (Some(ContextValue::String(typed)), Some(ContextValue::String(meant))) = (
        error.get(ContextKind::InvalidArg),
        error.get(ContextKind::SuggestedArg),
    ) && registry::nearest_names(typed, std::iter::once(&**meant)).is_empty()
    {
        error.remove(ContextKind::SuggestedArg);
    }
    program_output::report_usage(sanitize::for_terminal(&error.render().to_string()).trim_end())
}

fn list() -> Command {
    Command::new("list")
        .about("Print the names of the tools' links, a line each")
        .arg(
            flag(
                "research",
                "Print those that `link --research` adds as well",
            )
            .alias("all"),
        )
}

fn schema(tools: Registry) -> Command {
    Command::new("schema")
        .about("Print the tools' definitions, in a provider's own form")
        .arg(
            option("for", "PROVIDER")
                .value_parser(PossibleValuesParser::new(
                    ModelProvider::NAMES.map(|(name, _)| name),
                ))
                .help("The provider whose request is to take them; none is the hosts' own form"),
        )
        .arg(
            flag(
                "no-strict",
                "Leave the provider's strict mode off: optional fields may then be missing",
            )
            .requires("for"),
        )
        .arg(
            Arg::new("tool")
                .value_name("TOOL")
                .action(ArgAction::Append)
                .value_parser(mcp::ToolNames { tools, sets: &[] })
                .hide_possible_values(true)
                .help(format!("The tools: {}; none is all of them", names(tools))),
        )
}

fn names(tools: Registry) -> String {
    let names: Vec<&str> = tools.commands().collect();
    names.join(", ")
}

fn doctor() -> Command {
    Command::new("doctor")
        .about("See whether hosts find the tools, and what to do where not")
        .long_about(
            "Looks at where the tools' links are, which of them a host finds, and which of them \
             hide others (a project's hide a person's, which hide the system's); at whether each \
             answers with a valid schema in time; and at whether the keys that tools need are \
             there. Each tool is started with --schema, as a host does, except a project's own, \
             since its authors could have put any program there. Exits 1 if anything is wrong, \
             and says what to do.",
        )
        .arg(flag(
            "run-project",
            "Start the tools that the project in this directory has brought, too",
        ))
}

fn token() -> Command {
    Command::new("token")
        .about("Make a token for somebody who is to use `mcp --http --tokens FILE`")
        .long_about(
            "Makes a token of 32 random bytes and prints it, alone, on stdout; it is not stored. \
             The server's file of tokens has a line for each, its holder's name and the SHA-256 \
             of the token. That line is added to --file, or else printed on stderr. A running \
             server reads its file again on SIGHUP; remove a line to lock its holder out.",
        )
        .arg(
            Arg::new("name")
                .value_name("NAME")
                .required(true)
                .help("Whose it is: 1 to 64 letters, digits, dots, hyphens and underscores"),
        )
        .arg(
            option("file", "FILE")
                .value_hint(ValueHint::FilePath)
                .value_parser(value_parser!(PathBuf))
                .help("Add the token's line to this file, made with mode 0600 if it is missing"),
        )
}

/// A flag without a value.
fn flag(name: &'static str, help: &'static str) -> Arg {
    let flag = Arg::new(name).long(name).action(ArgAction::SetTrue);
    flag.help(help)
}

/// A flag with a value.
fn option(name: &'static str, value: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value)
}

/// The directory that is the command's own.
fn directory(help: &'static str) -> Arg {
    let directory = Arg::new("directory").value_name("DIR").required(true);
    let directory = directory.value_hint(ValueHint::DirPath);
    directory.value_parser(value_parser!(PathBuf)).help(help)
}

fn link() -> Command {
    Command::new("link")
        .about("Install a link for each tool into a directory, or remove them")
        .long_about(
            "Creates a link for each tool in DIR, which is made if it is missing, and asks each \
             for its schema to see that it works. Where DIR is PREFIX/libexec/ikigai, \
             `ikigai-tools` is put into PREFIX/bin as well, and manual pages and completions for \
             bash, zsh and fish into PREFIX/share. Installing twice is installing once. A file \
             that is not this program's own is neither overwritten nor removed; in the place of a \
             link it makes the call exit 1. If DESTDIR is set, it stands before every path. Never \
             put DIR on a PATH, where `bash` and `grep` would shadow the real ones.",
        )
        .arg(directory(
            "Where hosts look: ~/.ikigai/tools, PROJECT/.ikigai/tools, PREFIX/libexec/ikigai",
        ))
        .args([
            flag(
                "suffix",
                "Let every link's name end in -tool, for hosts that register no other names",
            ),
            flag(
                "research",
                "Create links for the tools of the set research as well; they stay until --remove",
            ),
            flag(
                "copy",
                "Copy the program itself into DIR as well, so that the whole can be moved; or \
                 remove it",
            ),
            flag("links-only", "Leave PREFIX/bin and PREFIX/share alone"),
            flag(
                "remove",
                "Remove what was installed, and the directories made for it",
            ),
            flag("dry-run", "Say what would be done, and change nothing"),
        ])
}

fn completions() -> Command {
    let shell = Arg::new("shell").value_name("SHELL").required(true);
    Command::new("completions")
        .about("Print the completions for a shell")
        .arg(shell.value_parser(value_parser!(Shell)))
}

fn man() -> Command {
    Command::new("man")
        .about("Show a manual page, or write all of them into a directory")
        .arg(
            Arg::new("name")
                .value_name("NAME")
                .conflicts_with("out")
                .help("A tool or command; none is the program itself"),
        )
        .arg(
            option("out", "DIR")
                .value_hint(ValueHint::DirPath)
                .value_parser(value_parser!(PathBuf))
                .help("Write all pages into DIR, which is made if it is missing"),
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use iki_tools::registry::TOOLS;

    #[test]
    fn the_tree_is_sound_and_no_command_is_called_like_a_tool() {
        tree(TOOLS).debug_assert();
        let names: Vec<String> = all_commands(TOOLS)
            .iter()
            .map(|one| one.get_name().to_owned())
            .collect();
        for name in &names {
            assert!(registry::find_tool(name).is_none(), "{name}");
            assert_eq!(is_command(name), name != "mcp");
        }
    }
}
