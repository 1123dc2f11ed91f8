//! The oracles of the fuzzers: what is true of every input, a module a target.
//!
//! A target is one call of its module's `check`, which panics where an oracle is offended. What an
//! oracle compares with is written anew here, or is somebody else's: a copy of the code that it
//! judges would have its mistakes.

#![cfg(fuzzing)]

pub mod address;
pub mod charset;
pub mod css;
pub mod date;
pub mod document {
    pub use crate::file::check;
}
pub mod edit;
pub mod ere;
pub mod feed;
mod file;
pub mod head;
pub mod markdown;
pub mod mcp;
/// By this name the tests of the writer know the model.
pub use iki_markdown::model;
pub mod page;
pub mod providers;
pub mod request;
pub mod scanner;
pub mod wildcard;

mod read_alike;
mod take;
