//! Workshop: the process's own streams, and text that is safe and readable on a terminal.

pub mod color;
pub mod exit;
pub mod program_output;
pub mod sanitize;
pub mod streams;
