//! `ikigai-tools doctor`, in places of the test's own.

mod advice;
mod machine;
mod seen;

#[path = "../http/redis_server.rs"]
mod redis_server;
