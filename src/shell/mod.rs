//! Workshop: running a shell command or a program, and leaving nothing of it behind if the caller
//! dies.
//!
//! Rules: specification of the bash tool, and the decisions on it. What POSIX leaves open is taken
//! from `sh(1p)`.

mod command;
mod program;

pub use command::{Shell, run};
pub use program::{ProgramError, run_program};
