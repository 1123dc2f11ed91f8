//! Sorting by numbers, in one piece of code for all types: the standard library's sort takes 5 KB
//! of the executable for each type and each comparison.

use std::mem;

/// Sorts by a number, in the order of [`f64::total_cmp`]; equal ones stay in their order.
pub fn sort_by_number<T>(items: &mut [T], number: impl FnMut(&T) -> f64) {
    let bits = items.iter().map(number).map(|number| {
        let bits = number.to_bits();
        if number.is_sign_negative() {
            !bits
        } else {
            bits | 1 << 63
        }
    });
    let order = sorted_places(bits.collect());
    rearrange(items, order);
}

/// Sorts by a count; equal ones stay in their order.
pub fn sort_by_count<T>(items: &mut [T], count: impl FnMut(&T) -> usize) {
    let counts = items.iter().map(count).map(|count| count as u64);
    let order = sorted_places(counts.collect());
    rearrange(items, order);
}

/// Returns the places of the keys in their order.
fn sorted_places(keys: Vec<u64>) -> Vec<usize> {
    let mut keys: Vec<(u64, usize)> = keys.into_iter().zip(0..).collect();
    keys.sort_unstable();
    keys.into_iter().map(|(_, place)| place).collect()
}

/// Moves each item to its place in `order`.
fn rearrange<T>(items: &mut [T], mut order: Vec<usize>) {
    for start in 0..items.len() {
        let mut at = start;
        loop {
            let from = mem::replace(&mut order[at], at);
            if from == start || from == at {
                break;
            }
            items.swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn items_are_sorted_as_the_standard_library_does(
            mut items in prop::collection::vec((-3_i8..3, any::<f64>(), 0_usize..4), 0..40)
        ) {
            let mut expected = items.clone();
            expected.sort_by(|a, b| a.1.total_cmp(&b.1));
            sort_by_number(&mut items, |item| item.1);
            prop_assert_eq!(format!("{items:?}"), format!("{expected:?}"));
            expected.sort_by_key(|item| item.2);
            sort_by_count(&mut items, |item| item.2);
            prop_assert_eq!(format!("{items:?}"), format!("{expected:?}"));
            expected.sort_by_key(|item| item.0);
            sort_by_number(&mut items, |item| f64::from(item.0));
            prop_assert_eq!(format!("{items:?}"), format!("{expected:?}"));
        }
    }
}
