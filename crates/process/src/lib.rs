//! Commands and programs, and what they may touch: a process that this crate starts leaves nothing
//! running, whoever dies, and the kernel keeps it to the directories that it was given.
//!
//! | module | purpose |
//! |---|---|
//! | [`sandbox`] | the directories that a process may touch, and who ends before whom |
//! | [`shell`] | running a shell command or a program |

pub mod sandbox;
pub mod shell;
