//! Searching in files: glob, grep, and the notes that they share.

mod empty_result;
pub mod glob;
pub mod grep;
mod ignored_note;
mod note;
mod scope;
