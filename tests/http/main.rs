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
#[path = "../common/providers.rs"]
mod providers;
#[path = "../common/reading.rs"]
mod reading;
#[path = "../common/redis.rs"]
mod redis_server;
#[path = "../common/server.rs"]
mod server;
mod sessions;
mod shared_cache;
mod token;
#[path = "../common/waiting.rs"]
mod waiting;
