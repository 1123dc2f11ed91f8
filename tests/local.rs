//! What works on this machine: the tools of commands and files, what all tools have in common, the
//! other doors than a host's calls, and what installs the program and looks after it.

#![allow(
    clippy::disallowed_methods,
    reason = "tests make connections, and change the environment while nothing else runs"
)]

#[macro_use]
#[path = "common/at_once.rs"]
mod at_once;

at_once!(10);

mod common;
#[path = "common/heavy_messages.rs"]
mod heavy_messages;
#[path = "common/reading.rs"]
mod reading;
#[path = "common/refusing.rs"]
mod refusing;
#[path = "common/scanned.rs"]
mod scanned;
#[path = "common/server.rs"]
mod server;
#[path = "common/staged.rs"]
mod staged;
#[path = "common/steps.rs"]
mod steps;

mod bash;
mod caller_gone;
mod command_line;
mod doctor;
mod file;
mod glob;
mod grep;
mod install;
mod link;
mod mcp;
mod meant_fields;
mod messages;
mod pictures;
mod protocol;
mod readme;
mod refused_services;
mod search;
mod secrets;
mod table_of_deaths;
