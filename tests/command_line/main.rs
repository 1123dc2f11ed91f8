//! The command line, as people use it.

#[path = "../common/mod.rs"]
mod common;
mod flags;
mod generated;
mod mistakes;
#[path = "../common/server.rs"]
mod server;
#[path = "../common/terminal.rs"]
mod terminal;
mod web;
