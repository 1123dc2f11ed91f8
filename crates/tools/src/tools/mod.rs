//! The tools, by family: the row of each, what a request's fields mean, and what is answered.
//!
//! A tool turns a request's fields into a workshop's arguments and the workshop's result into a
//! reply; it neither prints nor exits, and knows no other tool.

pub mod bash;
pub mod file;
pub(crate) mod search;
pub mod web;
