//! The lines that replacements have changed, as they are numbered when all are made.

use memchr::memchr_iter;

/// Maximum number of ranges that are kept.
const MAX_RANGES: usize = 1000;

/// Lines that have changed. Later replacements move what earlier ones have changed.
#[derive(Debug, Default)]
pub struct ChangedLines {
    /// First and last lines, from 1.
    ranges: Vec<(u64, u64)>,
    /// More have changed than are known.
    pub is_partial: bool,
}

impl ChangedLines {
    /// Adds the lines of a replacement of `old` by `new` wherever `old` began: `count` times, first
    /// in the lines `begins`, which ascend.
    pub fn add(&mut self, begins: &[u64], count: u64, old: &[u8], new: &[u8]) {
        if count > begins.len() as u64 {
            // The lines after them have moved by an unknown number.
            let known = begins.last().copied().unwrap_or_default();
            self.ranges.retain(|(_, last)| *last < known);
            self.is_partial = true;
        }
        let line_ends = |text: &[u8]| memchr_iter(b'\n', text).count() as u64;
        // A line end that both have stays where it is.
        let both = u64::from(old.ends_with(b"\n") && new.ends_with(b"\n"));
        let (removed, added) = (line_ends(old) - both, line_ends(new) - both);
        // From the last one on, so that those before it still have their numbers.
        for start in begins.iter().rev() {
            let moved = |line: u64| match line {
                line if line > start + removed => line - removed + added,
                line if line > *start => line.min(start + added),
                line => line,
            };
            for (first, last) in &mut self.ranges {
                (*first, *last) = (moved(*first), moved(*last));
            }
            self.ranges.push((*start, start + added));
        }
        if self.ranges.len() > MAX_RANGES {
            self.ranges.sort_unstable();
            self.ranges.truncate(MAX_RANGES);
            self.is_partial = true;
        }
    }

    /// The lines in order, those that touch as one range.
    #[must_use]
    pub fn ranges(&self) -> Vec<(u64, u64)> {
        let mut sorted = self.ranges.clone();
        sorted.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::new();
        for (first, last) in sorted {
            match joined.last_mut() {
                Some(before) if first <= before.1 + 1 => before.1 = before.1.max(last),
                _ => joined.push((first, last)),
            }
        }
        joined
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_replacements_move_the_lines_of_earlier_ones() {
        let mut changed = ChangedLines::default();
        changed.add(&[9], 1, b"x", b"y");
        assert_eq!(changed.ranges(), [(9, 9)]);
        changed.add(&[2, 5], 2, b"one\n", b"one\ntwo\n");
        assert_eq!(changed.ranges(), [(2, 3), (6, 7), (11, 11)]);
        changed.add(&[4], 1, b"gone\n", b"");
        assert_eq!(changed.ranges(), [(2, 6), (10, 10)]);
        changed.add(&[1], 1, b"a\nb\nc\nd\ne\nf\ng", b"all");
        assert_eq!(changed.ranges(), [(1, 1), (4, 4)]);
        assert!(!changed.is_partial);
        changed.add(&[1, 2], 5, b"x", b"y");
        assert_eq!(changed.ranges(), [(1, 2)]);
        assert!(changed.is_partial);
    }
}
