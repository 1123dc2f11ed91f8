//! The front ends, which know the contract and not each other: a host's call, a person's call, the Model Context
//! Protocol.

mod abort;
pub mod host;
pub mod mcp;
pub mod person;
