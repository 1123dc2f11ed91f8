//! The entry: `argv[0]` or the first argument decides what a call is. A tool without arguments
//! answers a host, a tool with arguments a person; `mcp` is a server, and what is left is a
//! command. The one place that knows all front ends.
//!
//! Names and exit codes are agreed behaviour, see REFERENCE.md ("For hosts").

use std::ffi::OsString;
use std::io::{self, IsTerminal};

use crate::command_line::mcp::McpCommand;
use crate::command_line::{self, help};
use crate::commands;
use crate::front::person::{CallFlags, CommandLineResult};
use crate::front::{host, person};
use iki_base::console::color;
use iki_base::console::exit::{PROGRAM, ProgramExit};
use iki_base::console::program_output;
use iki_mcp as mcp;
use iki_process::sandbox::{signals, step_register};
use iki_process::shell;
use iki_tools::call::answer;
use iki_tools::contract::call_context::CallContext;
use iki_tools::contract::call_terms::CallTerms;
use iki_tools::contract::tool::{AccessScope, EnvelopeFamily, Tool};
use iki_tools::registry::TOOLS;
use iki_tools::secrets;
use iki_web::cache::RemoteStore;
use iki_web::guard;

/// Runs the program with its command line, `argv[0]` included.
pub fn run(mut args: impl Iterator<Item = OsString>) -> ProgramExit {
    signals::reset_inherited();
    let program = args.next().unwrap_or_default();
    let args: Vec<OsString> = args.collect();
    // `std::path` would do the same, at the price of two more pages of code to be brought in by
    // every call.
    let name = program
        .as_encoded_bytes()
        .rsplit(|byte| *byte == b'/')
        .next();
    let name = name.and_then(|name| std::str::from_utf8(name).ok());
    match name.and_then(|name| TOOLS.find_tool(name)) {
        Some(tool) => run_tool(tool, tool.link, &args),
        None => run_program(&args),
    }
}

/// The program under its own name, whose first argument says what to do.
fn run_program(args: &[OsString]) -> ProgramExit {
    answer::install_panic_hook();
    let Some((first, rest)) = args.split_first() else {
        return program_output::print(&help::program(TOOLS));
    };
    match first.to_str() {
        Some("--help" | "-h") => program_output::print(&help::program(TOOLS)),
        Some("--version" | "-V" | "-v") => program_output::print(&program_output::version()),
        Some("help") => help::about(TOOLS, rest),
        Some("mcp") => run_mcp(rest),
        Some(name) if command_line::is_command(name) => commands::run(TOOLS, name, rest),
        name => match name.and_then(|name| TOOLS.find_tool(name)) {
            Some(tool) => run_tool(tool, &format!("{PROGRAM} {}", tool.command()), rest),
            None => help::unknown_name(TOOLS, &first.to_string_lossy(), Some(rest)),
        },
    }
}

/// One tool, reached by `invocation`.
fn run_tool(tool: &Tool, invocation: &str, args: &[OsString]) -> ProgramExit {
    // The schema, which hosts ask of each tool, comes first and waits for nothing else.
    if args.len() == 1 && args[0] == "--schema" {
        return program_output::print(tool.schema);
    }
    answer::install_panic_hook();
    hide_secrets(tool);
    let outcome = match args.first() {
        None => person::without_fields(tool, invocation, CallFlags::default()),
        Some(_) => person::run(tool, invocation, args),
    };
    match outcome {
        CommandLineResult::Done(exit) => exit,
        CommandLineResult::Stdin(flags) => {
            let exit = host::answer_stdin(tool, flags.apply_to(CallTerms::of_host()));
            let is_file_reader = matches!(tool.scope, AccessScope::File(_)) && tool.hints.read_only;
            // A person has put a text there, and no request.
            if is_file_reader && exit != ProgramExit::Success && io::stdout().is_terminal() {
                let advice = format!("to read what stdin has, type {invocation} -");
                color::print_note(tool.command(), &advice);
            }
            exit
        }
        CommandLineResult::File(file, flags) => {
            host::answer_file(tool, &file, flags.apply_to(CallTerms::of_host()))
        }
    }
}

/// Takes the keys away from a tool that has no use for them and can show them; any other keeps its
/// memory to itself.
fn hide_secrets(tool: &Tool) {
    secrets::declare(TOOLS.rows());
    if tool.family == EnvelopeFamily::Local {
        // SAFETY: the entry is gone through once, when the process has one thread and has kept
        // nothing.
        drop(unsafe { secrets::take(&TOOLS) });
    } else {
        secrets::hide_memory();
    }
}

/// One call of a server, which stdin describes.
fn run_call(tool: &Tool) -> ProgramExit {
    hide_secrets(tool);
    host::answer_call(tool, |description| {
        let mut context = CallContext::read(description)?;
        if context.is_public_only {
            guard::restrict_to_public_addresses();
        }
        if let Some(owner) = &context.owner {
            shell::keep_outputs_of(owner);
        }
        if let Some(socket) = context.cache_socket {
            // SAFETY: the server made it for this process, which has only begun.
            context.cache = unsafe { RemoteStore::on_descriptor(socket) };
        }
        if let Some(register) = context.step_register {
            // SAFETY: the server has handed it down to this process, which has only begun.
            unsafe { step_register::take(register) };
        }
        Some(context.into_terms(mcp::send_progress))
    })
}

/// The Model Context Protocol: a server, or one call of a server.
fn run_mcp(args: &[OsString]) -> ProgramExit {
    match command_line::mcp::read(TOOLS, args) {
        Ok(McpCommand::Serve(options)) => mcp::serve(*options),
        Ok(McpCommand::Call(tool)) => run_call(tool),
        Err(error) if error.use_stderr() => command_line::report_misuse(error),
        Err(error) => program_output::print(&help::wrapped(&error.render().to_string())),
    }
}
