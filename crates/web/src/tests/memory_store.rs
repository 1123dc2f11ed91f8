//! The store of tests, of this crate's own and of the executable's: entries in memory, which age on
//! demand.

use std::sync::Mutex;
use std::time::Duration;

use iki_base::mutex::lock;
use iki_web::cache::{CacheEntry, CacheQuestion, CacheStore};

/// Entries in memory.
#[derive(Default)]
pub struct MemoryStore {
    entries: Mutex<Vec<(CacheQuestion, CacheEntry)>>,
}

impl MemoryStore {
    /// Returns all bytes that are stored, as text.
    #[allow(dead_code, reason = "this crate's own tests do not ask")]
    #[must_use]
    pub fn text(&self) -> String {
        let entries = lock(&self.entries);
        let texts = entries
            .iter()
            .map(|(_, entry)| String::from_utf8_lossy(&entry.bytes));
        texts.collect()
    }

    /// Makes all entries older.
    pub fn grow_older(&self, by: Duration) {
        for (_, entry) in lock(&self.entries).iter_mut() {
            entry.age += by;
        }
    }
}

impl CacheStore for MemoryStore {
    fn get(&self, question: &CacheQuestion, longest: Duration) -> Option<CacheEntry> {
        let entries = lock(&self.entries);
        let (_, entry) = entries.iter().find(|(one, _)| one == question)?;
        (entry.age < longest).then(|| entry.clone())
    }

    fn put(&self, question: &CacheQuestion, bytes: &[u8], _good_for: Duration) {
        self.forget(question);
        let entry = CacheEntry {
            bytes: bytes.to_vec(),
            age: Duration::ZERO,
        };
        lock(&self.entries).push((question.clone(), entry));
    }

    fn forget(&self, question: &CacheQuestion) {
        lock(&self.entries).retain(|(one, _)| one != question);
    }
}
