//! The first door: `argv[0]` or the first argument chooses a tool; without further arguments it is called as a host
//! calls it, with them as a person does.
//!
//! Names and exit codes follow the decisions on the host's calls (2, 6).

mod call;
mod caller;
mod commands;
mod complete;
mod doctor;
mod flags;
mod generate;
mod harmless;
mod help;
mod invoke;
mod provider;
mod run_command;
mod say;
mod show;
mod signals;
mod streams;
mod surplus;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::tool::{Family, Tool};
use crate::{mcp, secrets, toolbox};

/// The program's own name.
const PROGRAM: &str = "ikigai-tools";

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    /// What was asked for was done, or answered.
    Success,
    /// A bad request, or a web tool's failure.
    Failure,
    /// The command line could not be understood.
    Usage,
    /// A command that was run for a person ended with this exit code.
    Code(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Success => Self::SUCCESS,
            Exit::Failure => Self::FAILURE,
            Exit::Usage => Self::from(2),
            Exit::Code(code) => Self::from(code),
        }
    }
}

/// Runs the program with its command line, `argv[0]` included.
pub fn run(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    signals::settle();
    call::settle_panics();
    let program = args.next().unwrap_or_default();
    let args: Vec<OsString> = args.collect();
    // `std::path` would do the same, at the price of two more pages of code to be brought in by every call.
    let name = program
        .as_encoded_bytes()
        .rsplit(|byte| *byte == b'/')
        .next();
    let name = name.and_then(|name| std::str::from_utf8(name).ok());
    let exit = match name.and_then(toolbox::find) {
        Some(tool) => run_tool(tool, tool.link, &args),
        None if args.first().is_some_and(|first| first == "mcp") => {
            return mcp::run(&args[1..], |tool| {
                hide_secrets(tool);
                call::answer(tool).into()
            });
        }
        None => run_program(&args),
    };
    exit.into()
}

/// The program under its own name, whose first argument says what to do.
fn run_program(args: &[OsString]) -> Exit {
    let Some((first, rest)) = args.split_first() else {
        return say::print(&help::program());
    };
    match first.to_str() {
        Some("--help" | "-h") => say::print(&help::program()),
        Some("--version" | "-V") => say::print(&say::version()),
        Some("help") => help::about(rest),
        Some("list") if rest.is_empty() => say::print(&help::list()),
        Some(name) if commands::NAMES.contains(&name) => run_command::run(name, rest),
        name => match name.and_then(toolbox::find) {
            Some(tool) => run_tool(tool, &format!("{PROGRAM} {}", tool.command()), rest),
            None => help::unknown_name(&first.to_string_lossy()),
        },
    }
}

/// One tool, reached by `invocation`.
fn run_tool(tool: &Tool, invocation: &str, args: &[OsString]) -> Exit {
    hide_secrets(tool);
    // What hosts do comes first, and waits for nothing that only people need.
    let Some(first) = args.first() else {
        return invoke::without_fields(tool, invocation);
    };
    match first.to_str() {
        Some("--schema") if args.len() == 1 => say::print(tool.schema),
        _ => invoke::run(tool, invocation, args),
    }
}

/// Takes the keys away from a tool that has no use for them and can show them.
fn hide_secrets(tool: &Tool) {
    if tool.family == Family::Local {
        // SAFETY: a door is gone through once, when the process has one thread and has kept nothing.
        drop(unsafe { secrets::take() });
    }
}
