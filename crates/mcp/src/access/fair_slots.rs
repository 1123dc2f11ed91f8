//! Slots that all token owners share, so that none of them takes those that the others need.
//!
//! No owner may hold more slots than are left: the first owner who takes as many as possible has a
//! half of them, the second a half of the rest, and so on. So there is always one for the next.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::access::TokenOwner;
use iki_base::mutex::lock;

/// Slots that token owners hold for a while.
#[derive(Debug)]
pub struct FairSlots {
    all: usize,
    /// True if owners are told apart.
    is_divided: bool,
    taken: Mutex<HashMap<TokenOwner, usize>>,
}

/// One such slot, held until this is dropped.
#[derive(Debug)]
pub struct HeldSlot {
    slots: Arc<FairSlots>,
    holder: TokenOwner,
}

impl FairSlots {
    /// This many slots. If they are not `divided`, one owner may take all of them.
    #[must_use]
    pub fn new(all: usize, divided: bool) -> Arc<Self> {
        Arc::new(Self {
            all,
            is_divided: divided,
            taken: Mutex::default(),
        })
    }

    /// Takes a slot for `holder`, if one is left for them.
    #[must_use]
    pub fn take(self: &Arc<Self>, holder: &TokenOwner) -> Option<HeldSlot> {
        let mut taken = lock(&self.taken);
        let left = self.all - taken.values().sum::<usize>();
        let count = taken.get(holder).copied().unwrap_or_default();
        if left == 0 || (self.is_divided && count >= left) {
            return None;
        }
        taken.insert(holder.clone(), count + 1);
        Some(HeldSlot {
            slots: Arc::clone(self),
            holder: holder.clone(),
        })
    }
}

impl Drop for HeldSlot {
    fn drop(&mut self) {
        let mut taken = lock(&self.slots.taken);
        match taken.get_mut(&self.holder) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(taken.remove(&self.holder)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_of(places: &Arc<FairSlots>, holder: &str) -> Vec<HeldSlot> {
        let holder = TokenOwner::new(holder);
        std::iter::from_fn(|| places.take(&holder)).collect()
    }

    #[test]
    fn whoever_takes_all_they_can_leaves_as_much_to_the_others() {
        let places = FairSlots::new(16, true);
        let anna = all_of(&places, "anna");
        let ben = all_of(&places, "ben");
        let others: Vec<HeldSlot> = ["c", "d", "e"]
            .map(|name| all_of(&places, name))
            .into_iter()
            .flatten()
            .collect();
        assert_eq!((anna.len(), ben.len(), others.len()), (8, 4, 4));
        drop((anna, ben));
        assert_eq!(all_of(&places, "ben").len(), 6);
        drop(others);
        assert!(lock(&places.taken).is_empty());
    }

    #[test]
    fn where_nobody_is_told_apart_all_of_it_can_be_taken() {
        let places = FairSlots::new(3, false);
        let all = all_of(&places, "local");
        assert_eq!((all.len(), all_of(&places, "another").len()), (3, 0));
    }
}
