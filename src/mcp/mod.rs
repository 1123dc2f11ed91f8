//! The second door: the tools over the Model Context Protocol, on stdin and stdout.
//!
//! Rules: the protocol's specification (modelcontextprotocol.io, revisions 2024-11-05 to 2026-07-28; "stdio" under
//! "Transports", "Cancellation", "Tools"). Everything that is said of a tool comes from its row in the registry. Each
//! call is a process of its own, this executable called as a host calls it: a tool that dies takes one call with it.
//! No other way of calling this program starts anything of what is needed here.

mod call;
mod confine;
mod list;
mod options;
mod orphans;
mod roots;
mod server;
mod wire;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use crate::tool::Tool;
use options::Asked;
pub use options::{ToolName, command};

/// How log lines begin.
const NAME: &str = "ikigai-tools mcp";

/// Serves the tools as `args` (behind `mcp`) ask for; `answer` is how the first door answers the request on stdin.
pub fn run(args: &[OsString], answer: impl FnOnce(&'static Tool) -> ExitCode) -> ExitCode {
    match options::read(args) {
        Ok(Asked::Serve(options)) => {
            if io::stdin().is_terminal() {
                log(
                    "waits for a client's messages on stdin, which is a terminal: MCP clients start this command \
                     themselves. Ctrl-C ends it; --help says more",
                );
            }
            match server::run(options) {
                Ok(()) => ExitCode::SUCCESS,
                Err(reason) => {
                    log(&reason);
                    ExitCode::FAILURE
                }
            }
        }
        Ok(Asked::Confined(tool, roots)) => match confine::to(&roots, !tool.hints.read_only) {
            Ok(()) => answer(tool),
            Err(reason) => {
                log(&reason);
                ExitCode::FAILURE
            }
        },
        Err(error) => {
            // Help goes to stdout, what was wrong to stderr.
            match error.print() {
                _ if error.use_stderr() => ExitCode::from(2),
                Err(fault) if fault.kind() != io::ErrorKind::BrokenPipe => {
                    log(&format!("stdout cannot be written to: {fault}"));
                    ExitCode::FAILURE
                }
                _ => ExitCode::SUCCESS,
            }
        }
    }
}

/// A line for whoever reads the log: stderr, since stdout is the protocol's alone.
fn log(line: &str) {
    // A log that nobody takes is no reason to stop.
    let _ = writeln!(io::stderr(), "{NAME}: {line}");
}
