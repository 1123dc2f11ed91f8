//! A store for tests: entries in memory, which age on demand.

use std::sync::Mutex;
use std::time::Duration;

use crate::cache::{CacheEntry, CacheQuestion, CacheStore};

/// Entries in memory.
#[derive(Default)]
pub struct MemoryStore {
    entries: Mutex<Vec<(CacheQuestion, CacheEntry)>>,
}

impl MemoryStore {
    /// Makes all entries older.
    pub fn grow_older(&self, by: Duration) {
        for (_, entry) in self.entries.lock().unwrap().iter_mut() {
            entry.age += by;
        }
    }
}

impl CacheStore for MemoryStore {
    fn get(&self, question: &CacheQuestion, longest: Duration) -> Option<CacheEntry> {
        let entries = self.entries.lock().unwrap();
        let (_, entry) = entries.iter().find(|(one, _)| one == question)?;
        (entry.age < longest).then(|| entry.clone())
    }

    fn put(&self, question: &CacheQuestion, bytes: &[u8], _good_for: Duration) {
        self.forget(question);
        let entry = CacheEntry {
            bytes: bytes.to_vec(),
            age: Duration::ZERO,
        };
        self.entries.lock().unwrap().push((question.clone(), entry));
    }

    fn forget(&self, question: &CacheQuestion) {
        self.entries
            .lock()
            .unwrap()
            .retain(|(one, _)| one != question);
    }
}
