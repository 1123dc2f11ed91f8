//! The front ends, which know the contract and not each other: a host's call, a person's call, the
//! Model Context Protocol. The parts that the first two share are in `answer` and `confined`, below
//! both; the entry decides which of them a call is for.
//!
//! # Output
//!
//! | who | stdout | stderr | exit code |
//! |---|---|---|---|
//! | `host`, for a host | one JSON object | why a request was a bad one, a tool's event for the user (one line of JSON), an internal error | 0 answered; 1 bad request, a web tool's failure |
//! | `person` | the answer's output and results, fields without a part of their own | errors, notes; at a terminal, that nothing was found | the command's own, or as the tool's row says |
//! | `person`, `--json` | as for a host | as for a host | as for a host |
//! | `mcp` | messages of the protocol, a line each | the log | 0; 1 it could not serve |
//! | commands | what was asked for | what was wrong | 0; 1 it was not done |
//! | a command line that is not understood | nothing | what is wrong with it | 2 |
//! | `--help`, `--version`, `--schema` | the text | nothing | 0 |
//!
//! No tool and no workshop prints anything: a tool's words leave by its reply or its failure. A
//! panic says on stderr where it was, for every caller. An answer that has lost its reader
//! (`EPIPE`) is not an error; one that cannot be written for another reason is one line on stderr
//! and exit code 1.

mod abort;
mod admit;
pub mod answer;
pub mod confined;
pub mod host;
pub mod mcp;
pub mod person;
