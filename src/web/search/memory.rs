//! A store for tests: entries in memory, which age on demand.

use std::sync::Mutex;
use std::time::Duration;

use crate::cache::{Entry, Question, Store};

/// Entries in memory.
#[derive(Default)]
pub struct MemoryStore {
    entries: Mutex<Vec<(Question, Entry)>>,
}

impl MemoryStore {
    /// Makes all entries older.
    pub fn grow_older(&self, by: Duration) {
        for (_, entry) in self.entries.lock().unwrap().iter_mut() {
            entry.age += by;
        }
    }
}

impl Store for MemoryStore {
    fn get(&self, question: &Question, longest: Duration) -> Option<Entry> {
        let entries = self.entries.lock().unwrap();
        let (_, entry) = entries.iter().find(|(one, _)| one == question)?;
        (entry.age < longest).then(|| entry.clone())
    }

    fn put(&self, question: &Question, bytes: &[u8], _good_for: Duration) {
        self.forget(question);
        let entry = Entry {
            bytes: bytes.to_vec(),
            age: Duration::ZERO,
        };
        self.entries.lock().unwrap().push((question.clone(), entry));
    }

    fn forget(&self, question: &Question) {
        self.entries
            .lock()
            .unwrap()
            .retain(|(one, _)| one != question);
    }
}
