#![doc = include_str!("../README.md")]

pub mod braces;
mod bracket_set;
mod classes;
pub mod ere;
pub mod exclusions;
pub mod file_types;
pub mod glob_pattern;
pub mod ignore_files;
pub mod left_out;
pub mod missing_paths;
mod name_order;
pub mod ordered_pool;
pub mod paths;
pub mod scan;
pub mod walk;
pub mod wildcard;
