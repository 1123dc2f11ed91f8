//! The grep tool, called as a host calls it.

mod asked_for;
mod calls;
mod costly;
pub mod documents;
mod encodings;
pub mod for_models;
mod left_out;
mod lines;
mod patterns;
mod sparse;
