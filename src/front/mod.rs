//! The front ends, which know the contract and not each other: a host's call, a person's call, the
//! Model Context Protocol. The parts that the first two share are in `answer` and `confined`, below
//! both; the entry decides which of them a call is for.
//!
//! # Output
//!
//! | who | stdout | stderr | exit code |
//! |---|---|---|---|
//! | `host` | one JSON object | a reason or an event, a line | 0; 1 bad request, web failure |
//! | `person` | the answer's text | errors, notes | the command's own, or by the tool's row |
//! | `person`, `--json` | as for a host | as for a host | as for a host |
//! | `mcp` | messages of the protocol, a line each | the log | 0; 1 it could not serve |
//! | commands | what was asked for | what was wrong | 0; 1 it was not done |
//! | a command line that is not understood | nothing | what is wrong with it | 2 |
//! | `--help`, `--version`, `--schema` | the text | nothing | 0 |
//!
//! A host is told on stderr why its request was a bad one, a tool's event for the user as a line of
//! JSON, and an internal error. A person at a terminal reads there that nothing was found.
//!
//! No tool and no workshop prints anything: a tool's words leave by its reply or its failure. A
//! panic says on stderr where it was, for every caller. An answer that has lost its reader
//! (`EPIPE`) is not an error; one that cannot be written for another reason is one line on stderr
//! and exit code 1.

mod abort;
pub mod host;
pub mod person;
