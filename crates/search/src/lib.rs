//! Searching: from a wildcard to the paths that it names, from a regular expression to
//! the lines that it matches.
//!
//! It knows bytes, paths and files only; the tools decide what to say about them.

pub mod braces;
mod classes;
pub mod ere;
pub mod ignore_files;
pub mod missing_paths;
mod order;
pub mod ordered_pool;
pub mod paths;
pub mod scan;
mod set;
pub mod steps;
pub mod walk;
pub mod wildcard;
