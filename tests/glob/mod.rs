//! The glob tool, and the walk and the wildcards beneath it.

mod calls;
mod for_models;
mod like_libc;
pub mod notes;
mod walk;
