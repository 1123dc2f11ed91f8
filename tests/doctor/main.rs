//! `ikigai-tools doctor`, in places of the test's own.

mod advice;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/machine.rs"]
mod machine;
mod seen;
#[path = "../common/server.rs"]
mod server;
