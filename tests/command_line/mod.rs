//! The command line, as people use it.

mod flags;
mod generated;
mod habits;
mod mistakes;
mod terminal;
mod web;
