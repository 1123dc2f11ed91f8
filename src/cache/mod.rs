//! What was found out lately, kept for a while, so that nobody asks the same thing twice: sealed
//! entries with an age.
//!
//! Each call may be a process of its own, so the entries are files ([`Files`]). A server holds the
//! cache for its calls ([`Layers`]), may share it with others ([`Redis`]), and its calls ask it
//! ([`Served`]). All that is asked of a store is [`Store`]. Nothing here fails: an entry that
//! cannot be read, opened or written is one that is not there.
//!
//! | module | what it is |
//! |---|---|
//! | `artifact` | results that are read by an address of their own |
//! | `broker` | a server's side of its calls' cache |
//! | `files` | the entries as files: whole or not at all, within a limit |
//! | `layers` | the cache of a server: in memory, shared, in files |
//! | `look` | what can be seen of the user's cache, for those who look after it |
//! | `keys` | the secret that names and seals entries |
//! | `memory` | entries in memory, within a limit |
//! | `name` | what an entry is called: a digest of all that its content depends on |
//! | `redis` | entries that several servers share |
//! | `seal` | the encryption of an entry |
//! | `served` | a call's side of its server's cache |
//! | `turn` | one at a time finds out what many want to know |
//! | `wire` | what a call and its server say to each other |

use std::time::Duration;

pub mod artifact;
pub mod broker;
mod files;
mod keys;
mod layers;
pub mod look;
mod memory;
mod name;
mod redis;
mod seal;
mod served;
mod turn;
#[cfg(not(fuzzing))]
mod wire;
#[cfg(fuzzing)]
pub mod wire;

pub use files::Files;
pub use keys::{KEY_VARIABLE, is_key};
pub use layers::Layers;
pub use name::Question;
pub use redis::{Address, REDIS_VARIABLE, Redis, Sharing};
pub use served::{of_server, serve_from};
pub use turn::{Turn, first_or_after};

/// An entry that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What was put in.
    pub bytes: Vec<u8>,
    /// How long ago that was; zero where the clock was set back by seconds.
    pub age: Duration,
}

/// Where entries are kept.
pub trait Store {
    /// The answer to `question`, if there is one that is younger than `longest`.
    fn get(&self, question: &Question, longest: Duration) -> Option<Entry>;

    /// Keeps the answer to `question`, in place of an earlier one, if there is room. It is of use
    /// to nobody once it is as old as `good_for`. Nobody ever sees half of one.
    fn put(&self, question: &Question, bytes: &[u8], good_for: Duration);

    /// Forgets the answer to `question`.
    fn forget(&self, question: &Question);

    /// The turn to find out the answer to `question`, which one has at a time; `None` where
    /// somebody else has it. A store that cannot tell gives everybody a turn. Whoever dies loses
    /// it.
    fn turn(&self, question: &Question) -> Option<Turn> {
        let _ = question;
        Some(Turn::default())
    }
}
