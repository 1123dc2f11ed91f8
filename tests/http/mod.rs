//! `ikigai-tools mcp --http` as its clients meet it: one server for many, over HTTP.

mod access;
mod bounds;
mod life;
mod memory;
mod messages;
mod operation;
mod private;
pub mod redis_server;
mod restart;
mod sessions;
mod shared_cache;
mod token;
