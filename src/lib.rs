//! A coding agent's hands in one executable.
//!
//! Imports run one way: door → registry → tools → workshops and contract.
//!
//! | module | what it is |
//! |---|---|
//! | [`cli`] | the door: `argv[0]` or a subcommand chooses the tool |
//! | [`web`] | workshop: what the web tools need of pages and servers |

pub mod cli;
pub mod web;
