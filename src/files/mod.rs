//! Workshop: reading regular files, and replacing them whole or not at all.
//!
//! Rules: specification of file-read, file-write and file-edit, and the decisions on them.

mod draft;
mod edit;
mod environ;
mod holes;
mod in_place;
pub mod kind;
mod line_ends;
mod lock;
pub mod nearest;
mod preserve;
mod read;
mod regular;
mod replace;
mod target;

#[cfg(fuzzing)]
pub use edit::Edited;
pub use edit::{EditError, edit};
pub use line_ends::LineEnds;
pub use lock::while_waiting;
pub use read::{Content, Facts, Interrupted, LineEnd, read};
pub use regular::{FileError, Reason};
pub use replace::write;
