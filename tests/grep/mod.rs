//! The grep tool, called as a host calls it.

mod calls;
mod costly;
mod encodings;
mod lines;
pub mod own_door;
mod patterns;
