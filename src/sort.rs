//! Sorting in one piece of code for all types.
//!
//! The standard library's sorts are compiled anew for each type and order, some 5 KB at a time.
//! Lists that are short, or sorted seldom, are sorted here; those of millions of names are not.

use std::cmp::Ordering;

/// Stable sorting, as the standard library's [`sort_by`](slice::sort_by) and its like.
pub trait Sort<T> {
    /// Sorts by `compare`, which has to be a total order.
    fn arrange_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Sorts by a key, which is asked for at each comparison.
    fn arrange_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.arrange_by(|one, other| key(one).cmp(&key(other)));
    }

    /// Sorts by the type's own order.
    fn arrange(&mut self)
    where
        T: Ord,
    {
        self.arrange_by(T::cmp);
    }
}

impl<T> Sort<T> for [T] {
    fn arrange_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let items = &*self;
        let places = places(items.len(), &mut |one, other| {
            compare(&items[one], &items[other])
        });
        move_to(places, &mut |one, other| self.swap(one, other));
    }
}

/// The place to which each of so many items belongs.
fn places(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|one, other| compare(*one, *other));
    let mut places = vec![0; count];
    for (place, item) in order.into_iter().enumerate() {
        places[item] = place;
    }
    places
}

/// Brings each item to its place.
fn move_to(mut places: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for at in 0..places.len() {
        while places[at] != at {
            let place = places[at];
            swap(at, place);
            places.swap(at, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_sorts_as_the_standard_library_does(items in prop::collection::vec((0_u8..9, any::<u8>()), 0..200)) {
            let (mut ours, mut theirs) = (items.clone(), items.clone());
            ours.arrange_by_key(|(key, _)| *key);
            theirs.sort_by_key(|(key, _)| *key);
            prop_assert_eq!(ours, theirs);
            let (mut ours, mut theirs) = (items.clone(), items);
            ours.arrange();
            theirs.sort_by(Ord::cmp);
            prop_assert_eq!(ours, theirs);
        }
    }
}
