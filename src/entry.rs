//! The entry point, which alone knows all front ends. `argv[0]` or the first argument decides: a
//! tool without arguments answers a host, a tool with arguments a person; `mcp` is a server, and
//! everything else is a command.
//!
//! Rules: the decisions on the host's calls (2, 6).

use std::ffi::OsString;
use std::process::ExitCode;

use crate::command_line::mcp::{Asked, Call};
use crate::command_line::{self, help};
use crate::console::exit::{PROGRAM, ProgramExit};
use crate::console::say;
use crate::contract::terms::Terms;
use crate::contract::tool::{Family, Tool};
use crate::front::person::{Beside, Outcome};
use crate::front::{answer, confined, host, mcp, person};
use crate::registry::TOOLS;
use crate::sandbox::signals;
use crate::web::guard;
use crate::{cache, commands, secrets, shell};

/// Runs the program with its command line, `argv[0]` included.
pub fn run(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    signals::settle();
    let program = args.next().unwrap_or_default();
    let args: Vec<OsString> = args.collect();
    // `std::path` would do the same, but every call would have to load two more pages of code.
    let name = program
        .as_encoded_bytes()
        .rsplit(|byte| *byte == b'/')
        .next();
    let name = name.and_then(|name| std::str::from_utf8(name).ok());
    let exit = match name.and_then(|name| TOOLS.find(name)) {
        Some(tool) => run_tool(tool, tool.link, &args),
        None => run_program(&args),
    };
    exit.into()
}

/// Runs the program under its own name, whose first argument is a tool or a command.
fn run_program(args: &[OsString]) -> ProgramExit {
    answer::settle_panics();
    let Some((first, rest)) = args.split_first() else {
        return say::print(&help::program(TOOLS));
    };
    match first.to_str() {
        Some("--help" | "-h") => say::print(&help::program(TOOLS)),
        Some("--version" | "-V") => say::print(&say::version()),
        Some("help") => help::about(TOOLS, rest),
        Some("mcp") => run_mcp(rest),
        Some(name) if command_line::NAMES.contains(&name) => commands::run(TOOLS, name, rest),
        name => match name.and_then(|name| TOOLS.find(name)) {
            Some(tool) => run_tool(tool, &format!("{PROGRAM} {}", tool.command()), rest),
            None => help::unknown_name(TOOLS, &first.to_string_lossy()),
        },
    }
}

/// Runs one tool, which was called as `invocation`.
fn run_tool(tool: &Tool, invocation: &str, args: &[OsString]) -> ProgramExit {
    // First, because hosts ask it of each tool, and it needs nothing of the rest.
    if args.len() == 1 && args[0] == "--schema" {
        return say::print(tool.schema);
    }
    answer::settle_panics();
    hide_secrets(tool);
    let outcome = match args.first() {
        None => person::without_fields(tool, invocation, Beside::default()),
        Some(_) => person::run(tool, invocation, args),
    };
    match outcome {
        Outcome::Done(exit) => exit,
        Outcome::Stdin(beside) => host::answer_on(tool, beside.on(Terms::of_host())),
        Outcome::File(file, beside) => host::answer_file(tool, &file, beside.on(Terms::of_host())),
    }
}

/// Removes the keys from a local tool's environment, because it has no use for them and could show
/// them; hides the memory of any other tool.
fn hide_secrets(tool: &Tool) {
    secrets::declare(TOOLS.rows());
    if tool.family == Family::Local {
        // SAFETY: this runs once, while the process has one thread and no pointers into the
        // environment.
        drop(unsafe { secrets::take(&TOOLS) });
    } else {
        secrets::hide_memory();
    }
}

/// One call of a server, within its directories.
fn run_call(call: &Call) -> ProgramExit {
    let tool = call.tool;
    if call.public_only {
        guard::fetch_public_alone();
    }
    if let Some(holder) = &call.holder {
        shell::keep_outputs_of(holder);
    }
    if let Some(bounds) = &call.bounds {
        confined::ask(bounds.clone(), call.reads_outputs);
    }
    if let Some(socket) = call.store {
        // SAFETY: the server made it for this process, which has only begun.
        unsafe { cache::serve_from(socket) };
    }
    hide_secrets(tool);
    let progress = call.progress.then_some(mcp::tell as fn(&[u8]));
    host::answer_on(
        tool,
        Terms {
            progress,
            ..call.terms
        },
    )
}

/// Runs a server of the Model Context Protocol, or one call of a server.
fn run_mcp(args: &[OsString]) -> ProgramExit {
    match command_line::mcp::read(TOOLS, args) {
        Ok(Asked::Serve(options)) => mcp::serve(options),
        Ok(Asked::Call(call)) => run_call(&call),
        Err(error) if error.use_stderr() => say::report_misuse(&error),
        Err(error) => say::print(&error.render().to_string()),
    }
}
