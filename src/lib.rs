//! The tools of a coding agent in one executable.
//!
//! Imports run one way: entry → front ends and commands → registry → tools → contract → workshops.
//!
//! Another program can call the tools in its own process: see [`registry`]. Everything else here is
//! for the executable.
//!
//! | module | purpose |
//! |---|---|
//! | `entry` | `argv[0]` or a subcommand decides: a host's call, a person's call, MCP, a command |
//! | `front` | the front ends, which do not know each other: host, person, MCP |
//! | `commands` | list, schema, doctor, link, completions, man: everything but the tools |
//! | `command_line` | flags of tools and commands, and the help that follows from them |
//! | `allocator` | the allocator of the executable, a module of `main.rs` |
//! | [`registry`] | one row for each tool, and how another program calls one |
//! | [`contract`] | tools, requests in, answers and failures out, descriptions of tools |
//! | `tools` | the tools, a file or a folder each |
//! | `sandbox` | workshop: the directories that a process may touch, and who ends before whom |
//! | `shell` | workshop: running a shell command or a program |
//! | `paths` | workshop: which path a missing one was meant to be |
//! | `files` | workshop: reading files, replacing them whole or not at all |
//! | `search` | workshop: finding files by wildcard, and lines in files by regular expression |
//! | `web` | workshop: fetching pages, searching the web |
//! | `document` | workshop: documents, as Markdown |
//! | `conversion` | workshop: documents that installed programs help to read |
//! | `hosts` | workshop: the table of web hosts, and the lenses that search in them |
//! | `page` | workshop: a page's own metadata, and its kind of source |
//! | `papers` | workshop: finding scholarly papers |
//! | `browser` | workshop: pages made by scripts, rendered by the user's browser |
//! | `research_sessions` | workshop: the steps and sources of a research, kept from call to call |
//! | `cache` | workshop: recent answers and pages, encrypted, with their age |
//! | `access` | workshop: a server's tokens and limits |
//! | `basics` | leaf modules: dates, wording of messages, signatures, parallel work |
//! | `unseen` | workshop: invisible characters, removed from texts and spelled out in names |
//! | `secrets` | variables of the environment that are withheld from commands |
//! | `console` | workshop: the process's streams and exit codes, and text for a terminal |
//! | `cpu_clock` | processor time, by which tests bound what an input costs |
//! | `made_up_tool` | a complete tool for tests of everything that follows from a row |
//! | `fuzzing` | entry points for the fuzzers of `fuzz/`, in no other build |

mod access;
mod basics;
mod command_line;
mod commands;
mod console;
pub mod contract;
mod conversion;
#[cfg(test)]
mod cpu_clock;
mod files;
mod front;
mod hosts;
#[cfg(test)]
mod made_up_tool;
mod paths;
pub mod registry;
mod research_sessions;
mod sandbox;
mod secrets;
mod shell;
mod tools;
mod unseen;

// Public only for the executable.
#[doc(hidden)]
pub mod entry;

// Entry points for the fuzzers of fuzz/, in no other build.
#[cfg(fuzzing)]
pub mod fuzzing;

// Private, so that the compiler reports unused code; tests and benches enable the feature and use
// these workshops from outside.
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
mod papers;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod papers;
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
