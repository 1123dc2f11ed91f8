//! What takes a network, which is the loopback here: the tools that fetch, search and read pages,
//! the documents that they read, and the server over HTTP.

#![allow(
    clippy::disallowed_methods,
    reason = "tests make connections, and change the environment while nothing else runs"
)]

#[macro_use]
#[path = "common/at_once.rs"]
mod at_once;

at_once!(12);

mod common;
#[path = "common/heavy_messages.rs"]
mod heavy_messages;
#[path = "http/http_server.rs"]
mod http_server;
#[path = "common/providers.rs"]
mod providers;
#[path = "common/reading.rs"]
mod reading;
#[path = "common/scanned.rs"]
mod scanned;
#[path = "common/server.rs"]
mod server;
#[path = "common/staged.rs"]
mod staged;

mod document;
mod http;
mod research;
mod web;
