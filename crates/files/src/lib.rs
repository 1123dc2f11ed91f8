#![doc = include_str!("../README.md")]
//!
//! # Rules
//!
//! Workshop: reading regular files, and replacing them whole or not at all.
//!
//! Rules: specification of file-read, file-write and file-edit, and the decisions on them.

mod attributes;
pub mod binary_kind;
mod changed_lines;
mod directory;
mod draft;
mod edit;
mod edit_encoding;
mod environ;
mod image;
mod in_place;
mod line_ends;
mod lock;
mod missing_directories;
pub mod nearest;
mod positioned_io;
mod read;
mod regular;
mod replace;
mod target;

pub use changed_lines::ChangedLines;
pub use directory::{DirectoryEntry, DirectoryEntryKind, DirectoryPage, list_directory};
pub use edit::{
    AppliedReplacement, EditError, EditOptions, FailedEdit, FileEdit, TextReplacement, edit,
};
pub use edit_encoding::EncodingObstacle;
pub use image::is_whole_image;
pub use line_ends::LineEndChange;
pub use lock::{lock, while_waiting};
pub use missing_directories::CreatedDirectories;
pub use read::{FileContent, FileFacts, FirstLine, LineEnd, ReadInterruption, read};
pub use regular::{ErrorReason, FileAccessError, read_beginning};
pub use replace::write;
