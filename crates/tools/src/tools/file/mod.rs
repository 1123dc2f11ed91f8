//! file-read, file-write and file-edit.

mod composed;
pub mod edit;
mod edit_note;
mod failure;
mod paths;
pub mod read;
pub mod write;
mod write_note;
