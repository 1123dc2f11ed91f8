//! Workshop for everything that leaves the machine: one guarded HTTP client, and the readers of its
//! replies.

pub mod charset;
pub mod client;
pub mod credentials;
pub mod guard;
pub mod resolve;
pub mod search;
