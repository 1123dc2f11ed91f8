//! The command line, as people use it.

mod flags;
mod generated;
mod habits;
mod mistakes;
mod other_programs;
mod stdin;
mod terminal;
pub mod typed;
mod web;
