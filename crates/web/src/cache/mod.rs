//! The cache: recent answers, as sealed entries with an age.
//!
//! Each call may be a process of its own, so the entries are files ([`CacheFiles`]). A server holds
//! the cache for its calls ([`LayeredCache`]), may share it with others ([`RedisCache`]), and its
//! calls ask it ([`RemoteStore`]). All of them are a [`CacheStore`]. Nothing here fails, because an
//! entry that cannot be read, opened or written counts as missing.
//!
//! | module | purpose |
//! |---|---|
//! | `artifact` | results that are read by an address of their own |
//! | `files` | the entries as files: whole or not at all, within a limit |
//! | `persistent`, `persistent_files` | entries that nothing makes room for, and these as files |
//! | `server_cache` | the cache of a server: shared, in files |
//! | `status` | the state of the user's cache, for the diagnosis of an installation |
//! | `keys` | the secret that names and seals entries |
//! | `question` | the name of an entry: a digest of all that its content depends on |
//! | `protocol` | messages between a call and its server |
//! | `redis` | entries that several servers share |
//! | `remote_store` | a call's side of its server's cache |
//! | `seal` | the encryption of an entry |
//! | `single_flight` | of many equal calls one asks |
//! | `store_server` | a server's side of its calls' cache |

use std::time::Duration;

pub mod artifact;
mod files;
mod keys;
mod persistent_files;
mod persistent_store;
mod protocol;
mod question;
mod redis;
mod remote_store;
mod seal;
mod server_cache;
mod single_flight;
pub mod status;
pub mod store_server;

pub use files::CacheFiles;
pub use keys::{KEY_VARIABLE, is_key};
pub use persistent_files::PersistentFiles;
pub use persistent_store::{PersistentChange, PersistentEntry, PersistentFault, PersistentStore};
pub use question::CacheQuestion;
pub use redis::{REDIS_VARIABLE, RedisAddress, RedisCache, RedisMemory, SharingState};
pub use remote_store::RemoteStore;
pub use server_cache::LayeredCache;
pub use single_flight::SingleFlightGuard;
pub use single_flight::get_or_wait;

/// An entry that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheEntry {
    /// The content.
    pub bytes: Vec<u8>,
    /// Time since it was put in; zero if the clock was set back by seconds.
    pub age: Duration,
}

/// A cache, or a layer of one.
pub trait CacheStore: Sync {
    /// The answer to `question`, if there is one that is younger than `longest`.
    fn get(&self, question: &CacheQuestion, longest: Duration) -> Option<CacheEntry>;

    /// Keeps the answer to `question`, in place of an earlier one, if there is room. It is of no
    /// use once it is as old as `good_for`. A reader never sees half of one.
    fn put(&self, question: &CacheQuestion, bytes: &[u8], good_for: Duration);

    /// Forgets the answer to `question`.
    fn forget(&self, question: &CacheQuestion);

    /// The turn to find out the answer to `question`, which one caller has at a time; `None` if
    /// another has it. A store that cannot tell gives every caller a turn. A process that dies
    /// loses it.
    fn turn(&self, question: &CacheQuestion) -> Option<SingleFlightGuard> {
        let _ = question;
        Some(SingleFlightGuard::default())
    }

    /// The store of entries that last, if it is a server's.
    fn persistent(&self) -> Option<&dyn PersistentStore> {
        None
    }
}
