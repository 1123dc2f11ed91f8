//! Workshop: running a shell command or a program, and leaving nothing of it behind when the caller dies.
//!
//! Rules: specification of the bash tool, and the decisions on it. What POSIX leaves open is taken from `sh(1p)`.

pub mod descendants;
mod launch;
mod program;
mod shell;
mod watchdog;

pub use program::{Cut, Ended, run_program};
pub use shell::{Shell, run};
