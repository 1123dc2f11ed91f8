//! A front end: the tools over the Model Context Protocol, on stdin and stdout.
//!
//! Rules: the protocol's specification (modelcontextprotocol.io, revisions 2024-11-05 to
//! 2026-07-28; "stdio" under "Transports", "Cancellation", "Tools"). Everything that is said of a
//! tool comes from its row in the registry. Each call is a process of its own, this executable
//! called as a host calls it: a tool that dies takes one call with it. No other way of calling this
//! program starts any of this machinery.

mod call;
mod clients;
mod instructions;
pub mod list;
mod progress;
mod resources;
mod server;
mod structured;
mod text;
mod transport;

pub use progress::tell;

use std::io::{self, IsTerminal, Write};

use crate::command_line::mcp::{NAME, Options};
use crate::program::Exit;

/// Serves the tools as `options` say, until the client goes away.
pub fn serve(options: Options) -> Exit {
    if io::stdin().is_terminal() {
        log(
            "waits for a client's messages on stdin, which is a terminal: MCP clients start this \
             command \
             themselves. Ctrl-C ends it; --help says more",
        );
    }
    match server::run(options) {
        Ok(()) => Exit::Success,
        Err(reason) => {
            log(&reason);
            Exit::Failure
        }
    }
}

/// Writes a line to the log: stderr, since stdout belongs to the protocol.
pub fn log(line: &str) {
    // A log that nobody reads is not a reason to stop.
    let _ = writeln!(io::stderr(), "{NAME}: {line}");
}
