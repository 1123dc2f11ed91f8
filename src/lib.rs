//! A coding agent's hands in one executable.
//!
//! Imports run one way: entry → front ends and commands → registry → tools → workshops and
//! contract.
//!
//! Another program can call the tools in its own process: see [`registry`]. Everything else here is
//! the executable's.
//!
//! | module | what it is |
//! |---|---|
//! | `entry` | `argv[0]` or a subcommand decides: a host's call, a person's call, MCP, a command |
//! | `front` | the front ends, which do not know each other: host, person, MCP |
//! | `commands` | list, schema, doctor, link, completions, man: what the program does beside the tools |
//! | `command_line` | flags of tools and commands, and the help that follows from them |
//! | [`registry`] | a row a tool, and how another program calls one |
//! | [`contract`] | what a tool is, a request in, an answer or a failure out, how a tool is described |
//! | `tools` | the tools, a file each |
//! | `sandbox` | workshop: which directories a process may touch, and who outlives whom |
//! | `shell` | workshop: running a shell command or a program |
//! | `files` | workshop: reading files, replacing them whole or not at all |
//! | `paths` | workshop: the path that was meant by one that leads to nothing |
//! | `search` | workshop: finding files by wildcard, and lines in files by regular expression |
//! | `web` | workshop: fetching pages, searching the web |
//! | `document` | workshop: documents, as Markdown |
//! | `hosts` | workshop: one table of hosts, and the lenses that search in them |
//! | `page` | workshop: what a page says of itself, and what kind of source it is |
//! | `browser` | workshop: pages that their scripts put together, by the user's browser |
//! | `cache` | workshop: what was found out lately, sealed, with an age |
//! | `access` | workshop: who may use a server, and how much of it |
//! | `basics` | leaf rooms: days and dates, small words, what files begin with |
//! | `sort` | workshop: sorting in one piece of code for all types |
//! | `unseen` | workshop: characters that nobody sees, taken out of texts and spelled in names |
//! | `secrets` | which variables of the environment no command and no file shows |
//! | `console` | workshop: the process's own streams, and text for a terminal |
//! | `program` | the program's name, and how a run ends |
//! | `made_up_tool` | a whole tool that no executable has, for the tests of what follows from a row |
//! | `fuzzing` | doors for the fuzzers of `fuzz/`, which no other build has |

mod access;
mod basics;
mod command_line;
mod commands;
mod console;
pub mod contract;
mod files;
mod front;
mod hosts;
#[cfg(test)]
mod made_up_tool;
mod paths;
mod program;
pub mod registry;
mod sandbox;
mod secrets;
mod shell;
mod sort;
mod tools;
mod unseen;

// Public for the executable and for nobody else.
#[doc(hidden)]
pub mod entry;

// Doors for the fuzzers of fuzz/; no other build has them.
#[cfg(fuzzing)]
pub mod fuzzing;

// Private, so that the compiler names what the program does not use; tests and benches have the
// feature, and look into these workshops from outside.
#[cfg(not(feature = "internals"))]
mod browser;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod browser;
#[cfg(not(feature = "internals"))]
mod cache;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod cache;
#[cfg(not(feature = "internals"))]
mod document;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod document;
#[cfg(not(feature = "internals"))]
mod page;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod page;
#[cfg(not(feature = "internals"))]
mod search;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod search;
#[cfg(not(feature = "internals"))]
mod web;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod web;
