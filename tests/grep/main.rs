//! The grep tool, called as a host calls it.

mod calls;
#[path = "../common/mod.rs"]
mod common;
mod costly;
mod encodings;
#[path = "../common/lines.rs"]
mod lines;
mod patterns;
