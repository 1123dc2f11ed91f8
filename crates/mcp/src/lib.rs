#![doc = include_str!("../README.md")]
//!
//! # Rules
//!
//! A front end: the tools over the Model Context Protocol, on stdin and stdout or over HTTP.
//!
//! Rules: the protocol's specification (modelcontextprotocol.io, revisions 2024-11-05 to
//! 2026-07-28; "stdio" under "Transports", "Cancellation", "Tools"). Everything that is said of a
//! tool comes from its row in the registry. Each call is a process of its own, this executable
//! called as a host calls it: a tool that dies takes one call with it. No other way of calling this
//! program starts any of this machinery.

pub mod access;
mod background_calls;
mod cache;
mod cached_answer;
mod call;
mod call_answer;
mod call_process;
mod clients;
mod coalesced_calls;
mod http;
mod incoming_message;
mod instructions;
mod lifetime;
mod operator_reports;
pub mod options;
mod permits;
mod progress;
mod resources;
mod seen_files;
mod server;
mod server_signals;
mod stdio_transport;
mod structured_answer;
mod temporary_directories;
mod text_answer;
pub mod tool_listing;
mod unseen_characters;

#[cfg(fuzzing)]
pub mod fuzzing;

pub use progress::send_progress;

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::options::{McpOptions, NAME};
use iki_base::console::exit::ProgramExit;
use iki_base::console::sanitize;

/// Serves the tools as `options` say, until the client goes away.
#[must_use]
pub fn serve(options: McpOptions) -> ProgramExit {
    if options.http.is_none() && io::stdin().is_terminal() {
        log(
            "waits for a client's messages on stdin, which is a terminal: MCP clients start this \
             command themselves. Ctrl-C ends it; --help says more",
        );
    }
    match lifetime::run(options) {
        Ok(()) => ProgramExit::Success,
        Err(reason) => {
            log(&reason);
            ProgramExit::Failure
        }
    }
}

/// True if the log is a line of JSON for each event, for programs.
static IN_JSON: AtomicBool = AtomicBool::new(false);

/// Switches the log to lines of JSON.
fn log_in_json() {
    IN_JSON.store(true, Ordering::Relaxed);
}

/// Writes a line to the log: stderr, since stdout belongs to the protocol.
pub fn log(line: &str) {
    // A log without a reader is not a reason to stop.
    let _ = writeln!(io::stderr(), "{}", log_line(line));
}

/// `line` as the log has it.
fn log_line(line: &str) -> String {
    if IN_JSON.load(Ordering::Relaxed) {
        let line = json!({"time": operator_reports::now(), "message": line});
        sanitize::escape_json(&line.to_string())
    } else {
        format!("{NAME}: {}", sanitize::for_line(line))
    }
}
