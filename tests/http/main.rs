//! `ikigai-tools mcp --http` as its clients meet it: one server for many, over HTTP.

#[macro_use]
#[path = "../common/at_once.rs"]
mod at_once;

at_once!(8);

#[path = "../common/mod.rs"]
mod common;

mod access;
mod after_a_minute;
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
