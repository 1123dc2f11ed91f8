//! Entries in memory, decrypted: the recently used ones, within a limit of bytes.
//!
//! The least recently used entry is removed first. Ages go on while the machine sleeps.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use super::{CacheEntry, CacheQuestion};

use crate::basics::mutex::lock;

/// The most that all entries have together, in bytes.
const MOST: usize = 8 * 1024 * 1024;

/// The most that one entry has, in bytes.
const LONGEST: usize = 1024 * 1024;

/// Bytes that an entry takes beside its question and its bytes, about.
const BESIDE: usize = 200;

/// Entries in memory.
pub(super) struct MemoryCache {
    most: usize,
    entries: Mutex<MemoryEntries>,
}

#[derive(Default)]
struct MemoryEntries {
    entries: HashMap<CacheQuestion, MemoryEntry>,
    /// The questions by their last use, the least recent one first.
    by_use: BTreeMap<u64, CacheQuestion>,
    uses: u64,
    total: usize,
}

struct MemoryEntry {
    bytes: Vec<u8>,
    /// The time at which it was put in, by the machine's clock.
    since: Duration,
    /// Age of the entry when it was put in: it may be older than the machine's clock.
    age: Duration,
    used: u64,
}

impl MemoryCache {
    pub(super) fn new() -> Self {
        Self::with_limit(MOST)
    }

    fn with_limit(most: usize) -> Self {
        Self {
            most,
            entries: Mutex::default(),
        }
    }

    /// The answer to `question`, if there is one that is younger than `longest`.
    pub(super) fn get(&self, question: &CacheQuestion, longest: Duration) -> Option<CacheEntry> {
        let mut kept = lock(&self.entries);
        let kept = &mut *kept;
        let slot = kept.entries.get_mut(question)?;
        let age = now().saturating_sub(slot.since).saturating_add(slot.age);
        if age >= longest {
            kept.remove(question);
            return None;
        }
        kept.uses += 1;
        let key = kept.by_use.remove(&slot.used);
        slot.used = kept.uses;
        let bytes = slot.bytes.clone();
        kept.by_use
            .insert(kept.uses, key.unwrap_or_else(|| question.clone()));
        Some(CacheEntry { bytes, age })
    }

    /// Keeps `entry`, unless it is too large or an answer that changes.
    pub(super) fn put(&self, question: &CacheQuestion, entry: &CacheEntry) {
        let mut kept = lock(&self.entries);
        kept.remove(question);
        if question.changes() || entry.bytes.len() > LONGEST {
            return;
        }
        // Each question is stored twice.
        kept.total += size(question, entry.bytes.len());
        kept.uses += 1;
        let used = kept.uses;
        kept.by_use.insert(used, question.clone());
        let slot = MemoryEntry {
            bytes: entry.bytes.clone(),
            since: now(),
            age: entry.age,
            used,
        };
        kept.entries.insert(question.clone(), slot);
        while kept.total > self.most
            && let Some((_, oldest)) = kept.by_use.first_key_value()
        {
            let oldest = oldest.clone();
            kept.remove(&oldest);
        }
    }

    /// Forgets the answer to `question`.
    pub(super) fn forget(&self, question: &CacheQuestion) {
        lock(&self.entries).remove(question);
    }
}

impl MemoryEntries {
    fn remove(&mut self, question: &CacheQuestion) {
        if let Some(slot) = self.entries.remove(question) {
            self.by_use.remove(&slot.used);
            self.total -= size(question, slot.bytes.len());
        }
    }
}

fn size(question: &CacheQuestion, bytes: usize) -> usize {
    2 * question.parts().len() + bytes + BESIDE
}

/// The time since the machine was started, its sleep included.
fn now() -> Duration {
    let time = clock_gettime(ClockId::Boottime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn ask(number: usize) -> CacheQuestion {
        CacheQuestion::new("test", 1).with("number", Some(number.to_le_bytes()))
    }

    fn entry(length: usize) -> CacheEntry {
        CacheEntry {
            bytes: vec![7; length],
            age: Duration::ZERO,
        }
    }

    #[test]
    fn what_is_put_in_comes_out_until_it_is_too_old() {
        let memory = MemoryCache::new();
        assert_eq!(memory.get(&ask(1), HOUR), None);
        let old = CacheEntry {
            age: HOUR / 2,
            ..entry(3)
        };
        memory.put(&ask(1), &old);
        let found = memory.get(&ask(1), HOUR).unwrap();
        assert_eq!(found.bytes, old.bytes);
        assert!(found.age >= HOUR / 2 && found.age < HOUR / 2 + Duration::from_secs(60));
        assert_eq!(memory.get(&ask(1), HOUR / 2), None);
        assert_eq!(memory.get(&ask(1), HOUR), None, "it is taken out");
        memory.put(&ask(1), &entry(3));
        memory.forget(&ask(1));
        assert_eq!(memory.get(&ask(1), HOUR), None);
        assert_eq!(lock(&memory.entries).total, 0);
    }

    #[test]
    fn what_is_older_than_the_machine_has_run_is_no_younger_for_that() {
        let memory = MemoryCache::new();
        let old = CacheEntry {
            age: now() + HOUR,
            ..entry(3)
        };
        memory.put(&ask(1), &old);
        let found = memory.get(&ask(1), old.age + HOUR).unwrap();
        assert!(found.age >= old.age && found.age < old.age + Duration::from_secs(60));
        assert_eq!(memory.get(&ask(1), old.age), None);
    }

    #[test]
    fn the_least_recently_used_goes_first() {
        let memory = MemoryCache::with_limit(3 * 2000);
        for number in 0..3 {
            memory.put(&ask(number), &entry(1500));
        }
        assert!(memory.get(&ask(0), HOUR).is_some());
        memory.put(&ask(3), &entry(1500));
        let there = [0, 1, 2, 3].map(|number| memory.get(&ask(number), HOUR).is_some());
        assert_eq!(there, [true, false, true, true]);
    }

    #[test]
    fn however_much_comes_it_stays_within_its_limit() {
        let memory = MemoryCache::new();
        for number in 0..2000 {
            memory.put(&ask(number % 1500), &entry(number % 100 * 1000));
            let kept = lock(&memory.entries);
            let real: usize = kept
                .entries
                .iter()
                .map(|(question, slot)| size(question, slot.bytes.len()))
                .sum();
            assert_eq!(kept.total, real);
            assert!(kept.total <= MOST);
            assert_eq!(kept.by_use.len(), kept.entries.len());
        }
        assert!(lock(&memory.entries).total > MOST / 2);
    }

    #[test]
    fn what_changes_and_what_is_too_large_is_not_kept() {
        let memory = MemoryCache::new();
        memory.put(&ask(1).that_changes(), &entry(1));
        assert_eq!(memory.get(&ask(1).that_changes(), HOUR), None);
        memory.put(&ask(2), &entry(LONGEST));
        assert!(memory.get(&ask(2), HOUR).is_some());
        memory.put(&ask(2), &entry(LONGEST + 1));
        assert_eq!(memory.get(&ask(2), HOUR), None, "nor is an earlier one");
    }
}
