//! The tools of a coding agent: what a tool is, a row for each, and the tools themselves.
//!
//! Another program can call them in its own process: see [`registry`].
//!
//! | module | purpose |
//! |---|---|
//! | [`registry`] | one row for each tool, and how another program calls one |
//! | [`contract`] | tools, requests in, answers and failures out, descriptions of tools |
//! | [`tools`] | the tools, a file or a folder each |
//! | [`call`] | a call that is carried out, within its confinement, and answered |
//! | [`secrets`] | variables of the environment that are withheld from commands |

pub mod call;
pub mod contract;
pub mod registry;
pub mod secrets;
pub mod tools;
