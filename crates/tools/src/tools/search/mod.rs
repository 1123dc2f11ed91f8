//! Searching in files: glob, grep, and the notes that they share.

mod empty_result;
mod exclude;
pub mod glob;
pub mod grep;
mod left_out_note;
mod note;
mod scope;
