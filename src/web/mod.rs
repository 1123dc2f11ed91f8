//! Workshop: what the web tools need of pages and servers.

pub mod markdown;
