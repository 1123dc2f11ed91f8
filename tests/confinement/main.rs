//! Calls confined to directories and kept off the network, by every door.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/refusing.rs"]
mod refusing;

mod deaths;
mod doors;
#[path = "../mcp/session.rs"]
mod session;
mod work;
