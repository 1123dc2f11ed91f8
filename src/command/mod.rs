//! Workshop: running a shell command, and leaving nothing of it behind when the caller dies.
//!
//! Rules: specification of the bash tool, and the decisions on it. What POSIX leaves open is taken from `sh(1p)`.

pub mod descendants;
mod shell;
mod watchdog;

pub use shell::run;
