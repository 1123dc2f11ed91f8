//! A coding agent's hands in one executable.
//!
//! Imports run one way: door → registry → tools → workshops and contract.
//!
//! | module | what it is |
//! |---|---|
//! | [`cli`] | the door: `argv[0]` or a subcommand chooses the tool |
//! | [`web`] | workshop: the HTTP client with its address guard, charsets, searches, credentials |

pub mod cli;
pub mod web;
