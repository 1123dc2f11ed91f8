//! Calls confined to directories and kept off the network, by every door.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/refusing.rs"]
mod refusing;

mod doors;
mod told;
