//! The tools, a file each: the row, what a request's fields mean, and what is answered.
//!
//! A tool turns a request's fields into a workshop's arguments and the workshop's result into a
//! reply; it neither prints nor exits, and knows no other tool.

pub mod bash;
mod bash_output;
mod bash_refusals;
pub mod file_edit;
mod file_edit_differences;
mod file_edit_near;
mod file_failure;
pub mod file_read;
mod file_words;
pub mod file_write;
pub mod search;
pub mod web;
