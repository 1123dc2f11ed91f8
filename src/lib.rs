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
//! | `made_up_tool` | a complete tool for tests of everything that follows from a row |

mod command_line;
mod commands;
mod front;
#[cfg(test)]
mod made_up_tool;

// Public only for the executable.
#[doc(hidden)]
pub mod entry;
