//! The store of tests: entries in memory, which age on demand.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::cache::{CacheEntry, CacheQuestion, CacheStore};

/// Entries in memory.
#[derive(Default)]
pub struct MemoryStore {
    entries: Mutex<Vec<(CacheQuestion, CacheEntry)>>,
}

impl MemoryStore {
    fn entries(&self) -> MutexGuard<'_, Vec<(CacheQuestion, CacheEntry)>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns all bytes that are stored, as text.
    #[must_use]
    pub fn text(&self) -> String {
        let entries = self.entries();
        let texts = entries
            .iter()
            .map(|(_, entry)| String::from_utf8_lossy(&entry.bytes));
        texts.collect()
    }

    /// Makes all entries older.
    pub fn grow_older(&self, by: Duration) {
        for (_, entry) in self.entries().iter_mut() {
            entry.age += by;
        }
    }
}

impl CacheStore for MemoryStore {
    fn get(&self, question: &CacheQuestion, longest: Duration) -> Option<CacheEntry> {
        let entries = self.entries();
        let (_, entry) = entries.iter().find(|(one, _)| one == question)?;
        (entry.age < longest).then(|| entry.clone())
    }

    fn put(&self, question: &CacheQuestion, bytes: &[u8], _good_for: Duration) {
        self.forget(question);
        let entry = CacheEntry {
            bytes: bytes.to_vec(),
            age: Duration::ZERO,
        };
        self.entries().push((question.clone(), entry));
    }

    fn forget(&self, question: &CacheQuestion) {
        self.entries().retain(|(one, _)| one != question);
    }
}
