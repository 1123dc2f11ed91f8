//! A coding agent's hands in one executable.
//!
//! Imports run one way: door → registry → tools → workshops and contract.
//!
//! | module | what it is |
//! |---|---|
//! | [`cli`] | the door: `argv[0]` or a subcommand chooses the tool |
//! | [`search`] | workshop: wildcard → paths, searching files for lines |

pub mod cli;
pub mod search;
