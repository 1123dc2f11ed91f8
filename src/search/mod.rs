//! Searching: from a wildcard to the paths it names, and from a file to its matching lines.
//!
//! Knows bytes, paths and files only; what to say about them is the business of the tools.

pub mod paths;
pub mod scan;
mod set;
pub mod walk;
pub mod wildcard;
