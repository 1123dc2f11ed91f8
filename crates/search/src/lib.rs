#![doc = include_str!("../README.md")]

pub mod braces;
mod classes;
pub mod ere;
pub mod exclusions;
pub mod file_types;
pub mod ignore_files;
pub mod left_out;
pub mod missing_paths;
mod order;
pub mod ordered_pool;
pub mod paths;
pub mod scan;
mod set;
pub mod steps;
pub mod walk;
pub mod wildcard;
