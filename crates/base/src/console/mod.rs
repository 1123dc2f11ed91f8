//! Workshop: the process's own streams, and text that is safe and readable on a terminal.

pub mod color;
pub mod exit;
pub mod sanitize;
pub mod say;
pub mod streams;
