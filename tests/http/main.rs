//! `ikigai-tools mcp --http` as its clients meet it: one server for many, over HTTP.

#[path = "../common/mod.rs"]
mod common;

mod access;
mod bounds;
#[path = "../common/http.rs"]
mod http;
mod life;
mod operation;
mod private;
#[path = "../common/reading.rs"]
mod reading;
#[path = "../common/server.rs"]
mod server;
mod sessions;
#[path = "../common/waiting.rs"]
mod waiting;
