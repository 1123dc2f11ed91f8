//! The glob tool, and the walk and the wildcards beneath it.

mod calls;
#[path = "../common/mod.rs"]
mod common;
mod like_libc;
mod messages;
mod notes;
mod walk;
