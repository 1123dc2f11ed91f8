//! What every tool and every front end keeps: what a tool is, a request in, an answer or a failure out, and how a tool
//! is described.
//!
//! Rules: the specification's protocol of all tools, and the decisions on the host's calls.

pub mod failure;
pub mod provider;
pub mod reply;
pub mod request;
pub mod schema;
pub mod tool;
