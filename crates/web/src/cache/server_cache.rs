//! The cache of a server, for all its calls, in two layers: shared with other servers, in files.
//!
//! An entry is put into both layers, and taken from the first that has it: one that Redis has lost
//! is still there, because it is in the files, too. Of an answer that changes, the shared one is
//! the one that counts while it can be asked for.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::task::spawn_blocking;

use super::redis::{RedisCache, SharingState};
use super::{
    CacheEntry, CacheFiles, CacheQuestion, CacheStore, PersistentChange, PersistentEntry,
    PersistentFault, PersistentFiles, PersistentStore, SingleFlightGuard,
};

use iki_base::mutex::lock;

/// The cache of a server.
pub struct LayeredCache {
    shared: Option<Arc<RedisCache>>,
    local_files: Option<Arc<CacheFiles>>,
    /// Entries that last, unless they are shared.
    persistent: Option<Arc<PersistentFiles>>,
    /// The owner of the persistent entries of callers without a name.
    nameless: Option<String>,
    /// Questions whose answers calls of this server are finding out.
    turns: Arc<Mutex<HashSet<CacheQuestion>>>,
}

/// The locks of one turn, which end when this is dropped.
struct HeldLocks {
    question: CacheQuestion,
    turns: Arc<Mutex<HashSet<CacheQuestion>>>,
    /// Those outside this server.
    others: Vec<SingleFlightGuard>,
}

impl Drop for HeldLocks {
    fn drop(&mut self) {
        let mut turns = lock(&self.turns);
        turns.remove(&self.question);
    }
}

impl LayeredCache {
    /// The cache of a server with these files, if it has a place for them, and the shared one, if
    /// it has one.
    #[must_use]
    pub fn new(local_files: Option<CacheFiles>, shared: Option<Arc<RedisCache>>) -> Self {
        Self {
            shared,
            local_files: local_files.map(Arc::new),
            persistent: None,
            nameless: None,
            turns: Arc::default(),
        }
    }

    /// These layers with a place for entries that last: in `files`, unless they are shared. Those
    /// of callers without a name are `nameless`'s, or the user's own.
    #[must_use]
    pub fn with_persistent(self, files: Option<PersistentFiles>, nameless: Option<String>) -> Self {
        Self {
            persistent: files.map(Arc::new),
            nameless,
            ..self
        }
    }

    /// State of the shared cache; `None` if there is none to be.
    #[must_use]
    pub fn state(&self) -> Option<SharingState> {
        self.shared.as_ref().map(|shared| shared.sharing())
    }

    /// The answer to `question`, if there is one that is younger than `longest`.
    pub async fn get(&self, question: &CacheQuestion, longest: Duration) -> Option<CacheEntry> {
        if let Some(shared) = &self.shared {
            match shared.get(&shared.name(question), longest).await {
                Ok(Some(entry)) => return Some(entry),
                // Another server may have taken it back.
                Ok(None) if question.changes() => return None,
                Ok(None) | Err(_) => {}
            }
        }
        let local = Arc::clone(self.local_files.as_ref()?);
        let sought = question.clone();
        spawn_blocking(move || local.get(&sought, longest))
            .await
            .ok()?
    }

    /// Keeps the answer to `question`, which is of no use once it is as old as `good_for`.
    pub async fn put(&self, question: &CacheQuestion, bytes: &[u8], good_for: Duration) {
        let local = async {
            if let Some(local) = self.local_files.clone() {
                let (question, bytes) = (question.clone(), bytes.to_vec());
                let _ = spawn_blocking(move || local.put(&question, &bytes, good_for)).await;
            }
        };
        let shared = async {
            if let Some(shared) = &self.shared {
                shared.put(&shared.name(question), bytes, good_for).await;
            }
        };
        tokio::join!(local, shared);
    }

    /// Forgets the answer to `question`.
    pub async fn forget(&self, question: &CacheQuestion) {
        if let Some(local) = self.local_files.clone() {
            let question = question.clone();
            let _ = spawn_blocking(move || local.forget(&question)).await;
        }
        if let Some(shared) = &self.shared {
            shared.forget(&shared.name(question)).await;
        }
    }

    /// The persistent entry of `owner` of that name, if there is one that was changed less than
    /// `longest` ago.
    ///
    /// # Errors
    /// It is not known if there is one.
    pub async fn recall(
        &self,
        owner: Option<&str>,
        name: CacheQuestion,
        longest: Duration,
    ) -> Result<Option<PersistentEntry>, PersistentFault> {
        let name = name.of_owner(owner.or(self.nameless.as_deref()));
        if let Some(shared) = &self.shared {
            return shared.recall(&shared.name(&name), longest).await;
        }
        let files = self.persistent.clone().ok_or(PersistentFault::NoPlace)?;
        let entry = spawn_blocking(move || files.recall(&name, longest)).await;
        entry.map_err(|_| PersistentFault::Refused)?
    }

    /// Changes a persistent entry of `owner`; false if it is of another version.
    ///
    /// # Errors
    /// Nothing was changed, but for a store that did not answer, which may have.
    pub async fn change(
        &self,
        owner: Option<&str>,
        name: CacheQuestion,
        change: PersistentChange,
    ) -> Result<bool, PersistentFault> {
        let name = name.of_owner(owner.or(self.nameless.as_deref()));
        if let Some(shared) = &self.shared {
            return shared.change(&shared.name(&name), &change).await;
        }
        let files = self.persistent.clone().ok_or(PersistentFault::NoPlace)?;
        let done = spawn_blocking(move || files.change(&name, change)).await;
        done.map_err(|_| PersistentFault::Refused)?
    }

    /// The turn to find out the answer to `question`, of which there is one at a time: among this
    /// server's calls, this user's processes, and all servers while their shared cache can be
    /// reached. `None` if another call has it.
    pub async fn turn(&self, question: &CacheQuestion) -> Option<SingleFlightGuard> {
        let mut locks = self.turn_here(question)?;
        if let Some(shared) = &self.shared
            && let Ok(turn) = shared.turn(&shared.name(question)).await
        {
            locks.others.push(SingleFlightGuard::holding(turn?));
        }
        Some(SingleFlightGuard::holding(locks))
    }

    /// The turn among this server's calls and this user's processes.
    fn turn_here(&self, question: &CacheQuestion) -> Option<HeldLocks> {
        let mut turns = lock(&self.turns);
        if !turns.insert(question.clone()) {
            return None;
        }
        drop(turns);
        let mut locks = HeldLocks {
            question: question.clone(),
            turns: Arc::clone(&self.turns),
            others: Vec::new(),
        };
        if let Some(local) = &self.local_files {
            locks.others.push(local.turn(question)?);
        }
        Some(locks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn ask(what: &str) -> CacheQuestion {
        CacheQuestion::new("test", 1).with("what", Some(what))
    }

    fn files(place: &tempfile::TempDir) -> Option<CacheFiles> {
        CacheFiles::in_directory(place.path().join("cache"), &"07".repeat(32))
    }

    #[tokio::test]
    async fn what_is_put_in_is_in_the_files() {
        let place = tempfile::tempdir().unwrap();
        let layers = LayeredCache::new(files(&place), None);
        assert_eq!(layers.state(), None);
        assert_eq!(layers.get(&ask("a"), HOUR).await, None);
        layers.put(&ask("a"), b"one", HOUR).await;
        let later = LayeredCache::new(files(&place), None);
        assert_eq!(later.get(&ask("a"), HOUR).await.unwrap().bytes, b"one");
        later.forget(&ask("a")).await;
        assert_eq!(layers.get(&ask("a"), HOUR).await, None);
        assert_eq!(files(&place).unwrap().get(&ask("a"), HOUR), None);
        // As another process does.
        layers.put(&ask("a"), b"one", HOUR).await;
        files(&place).unwrap().forget(&ask("a"));
        assert_eq!(layers.get(&ask("a"), HOUR).await, None);
    }

    #[tokio::test]
    async fn one_has_the_turn_with_files_and_without() {
        let place = tempfile::tempdir().unwrap();
        for local_files in [files(&place), None] {
            let has_files = local_files.is_some();
            let layers = LayeredCache::new(local_files, None);
            let turn = layers.turn(&ask("a")).await.unwrap();
            assert!(layers.turn(&ask("a")).await.is_none());
            assert!(layers.turn(&ask("b")).await.is_some());
            if has_files {
                let another = LayeredCache::new(files(&place), None);
                assert!(another.turn(&ask("a")).await.is_none());
            }
            drop(turn);
            assert!(layers.turn(&ask("a")).await.is_some());
        }
    }
}
