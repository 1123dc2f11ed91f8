//! A coding agent's hands in one executable.
//!
//! Imports run one way: door → registry → tools → workshops and contract.
//!
//! | module | what it is |
//! |---|---|
//! | [`cli`] | the first door: `argv[0]` or a subcommand chooses the tool |
//! | [`mcp`] | the second door: the same tools over the Model Context Protocol |
//! | [`toolbox`] | the registry: a row a tool |
//! | [`tool`], [`request`], [`reply`], [`failure`], [`schema`] | the contract: what a tool is, what comes in, what goes out, how it is described |
//! | [`secrets`] | which variables of the environment no command and no file shows |
//! | [`tools`] | the tools, one room each |
//! | [`command`] | workshop: running a shell command |
//! | [`files`] | workshop: reading files, replacing them whole or not at all |
//! | [`search`] | workshop: finding files by wildcard, and lines in files by regular expression |
//! | [`web`] | workshop: fetching pages, searching the web, turning HTML into Markdown |

pub mod cli;
pub mod command;
pub mod failure;
pub mod files;
pub mod mcp;
pub mod reply;
pub mod request;
pub mod schema;
pub mod search;
pub mod secrets;
pub mod tool;
pub mod toolbox;
pub mod tools;
pub mod web;
