//! Workshop: from a wildcard to the paths that it names, from a regular expression to the lines that it matches.
//!
//! Knows bytes, paths and files only; what to say about them is the business of the tools.

mod classes;
pub mod ere;
pub mod paths;
pub mod scan;
mod set;
pub mod walk;
mod ways;
pub mod wildcard;
