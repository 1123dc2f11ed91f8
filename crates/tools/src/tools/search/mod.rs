//! Searching in files: glob, grep, and the notes that they share.

mod empty_result;
mod exclude;
pub mod glob;
pub mod grep;
mod links;
mod name_search;
mod note;
mod omission_note;
