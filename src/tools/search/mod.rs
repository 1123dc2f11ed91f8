//! Searching in files: glob, grep, and the note that they share.

pub mod glob;
pub mod grep;
mod ignored_note;
mod note;
mod scope;
