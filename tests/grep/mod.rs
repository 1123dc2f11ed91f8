//! The grep tool, called as a host calls it.

mod asked_for;
mod calls;
mod costly;
pub mod documents;
mod encodings;
mod exclusions;
pub mod for_models;
mod left_out;
mod lines;
mod links;
mod patterns;
mod sparse;
