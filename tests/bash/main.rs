//! The bash tool, called as a host calls it.

mod advice;
mod calls;
#[path = "../common/mod.rs"]
mod common;
mod ending;
mod limits;
