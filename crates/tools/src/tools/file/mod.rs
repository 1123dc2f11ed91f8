//! file-read, file-write and file-edit.

pub mod edit;
mod edit_note;
mod failure;
pub mod read;
pub mod write;
mod write_note;
