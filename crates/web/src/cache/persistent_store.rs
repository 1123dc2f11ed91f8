//! Entries that last: state that calls change together and that nothing makes room for, such as
//! research sessions. Each change says which version it is made of, and is refused if another came
//! first, so that no change is lost in whatever order they are made.

use std::time::Duration;

use ring::aead::NONCE_LEN;

use super::CacheQuestion;
use super::seal::MAGIC;

/// Length of a version.
const VERSION: usize = MAGIC.len() + NONCE_LEN;

/// The version of an entry: the beginning of its sealed form, which is another one each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryVersion(pub(super) [u8; VERSION]);

impl EntryVersion {
    /// The version of that sealed form; `None` if it is none.
    pub(super) fn from_sealed(sealed: &[u8]) -> Option<Self> {
        sealed.first_chunk().copied().map(Self)
    }
}

/// A version followed by the content, as a message has them.
pub(super) fn join(version: Option<EntryVersion>, bytes: &[u8]) -> Vec<u8> {
    let version = version.map_or([0; VERSION], |version| version.0);
    [&version, bytes].concat()
}

/// The version, if there is one, and the content in a message; `None` if it is malformed.
pub(super) fn split(message: &[u8]) -> Option<(Option<EntryVersion>, &[u8])> {
    let (version, bytes) = message.split_first_chunk()?;
    let version = (*version != [0; VERSION]).then_some(EntryVersion(*version));
    Some((version, bytes))
}

/// An entry that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersistentEntry {
    /// The content.
    pub bytes: Vec<u8>,
    /// Its version.
    pub version: EntryVersion,
}

/// A change of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersistentChange {
    /// The version that is changed; `None` if there is no entry.
    pub before: Option<EntryVersion>,
    /// The content afterwards; empty to remove the entry.
    pub after: Vec<u8>,
    /// Time since its last change at which an entry is of no use any more.
    pub good_for: Duration,
}

/// The reason why an entry was neither read nor changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PersistentFault {
    /// There is no place for such entries.
    NoPlace,
    /// The disk is full.
    NoSpace,
    /// Another process holds all of them for too long.
    Busy,
    /// The store that keeps them does not answer.
    Unreachable,
    /// The operating system or the store refuses it.
    Refused,
}

impl PersistentFault {
    /// Its number.
    pub(super) fn number(self) -> u8 {
        self as u8
    }

    /// The reason of that number.
    pub(super) fn of_number(number: u8) -> Self {
        match number {
            0 => Self::NoPlace,
            1 => Self::NoSpace,
            2 => Self::Busy,
            4 => Self::Refused,
            _ => Self::Unreachable,
        }
    }
}

/// A store of entries that last.
pub trait PersistentStore {
    /// The entry of that name, if there is one that was changed less than `longest` ago.
    ///
    /// # Errors
    /// It is not known if there is one.
    fn recall(
        &self,
        name: &CacheQuestion,
        longest: Duration,
    ) -> Result<Option<PersistentEntry>, PersistentFault>;

    /// Makes a change; false if the entry is not, or no longer, of the version that is changed. A
    /// reader sees the entry as it was or as it is afterwards, whenever this ends.
    ///
    /// # Errors
    /// Nothing was changed, but for a store that did not answer, which may have.
    fn change(
        &self,
        name: &CacheQuestion,
        change: PersistentChange,
    ) -> Result<bool, PersistentFault>;
}
