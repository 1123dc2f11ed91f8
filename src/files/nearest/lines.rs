//! The lines of a file that are most like those that were looked for: lines that are equal but for
//! some of them, or a single line that is much like another.

use std::collections::HashMap;
use std::ops::Range;

use similar::DiffOp;
use similar::algorithms::{Capture, histogram};

use super::SearchClock;
use super::fold::{FoldedText, fold_text};

/// The most lines that are compared with one another.
const MOST_LINES: usize = 2000;

/// The most lines that a file may have more, or fewer, between those that were looked for.
const SLACK: usize = 40;

/// The most votes of a line that is everywhere in the file.
const MOST_VOTES: usize = 200;

/// The most that a line counts, by the length of its folded text.
const MOST_WEIGHT: usize = 20;

/// Penalty for each line of the file between two equal ones, half the score of one letter.
const GAP_PENALTY: usize = 2;

/// Minimum likeness of two lines, in percent.
const ALIKE: usize = 60;

/// Lines of a file that are like others.
#[derive(Debug)]
pub struct LikeLines {
    /// The lines of the file, from 0.
    pub lines: Range<usize>,
    /// The differences, in order: lines of the file, from 0, and those that were looked for.
    pub changes: Vec<(Range<usize>, Range<usize>)>,
}

/// Lines that are equal: the first of the file, the first of those looked for, and their number.
type EqualRun = (usize, usize, usize);

/// The lines of a folded file, and of the folded text that was looked for.
struct LineSearch<'a> {
    file: Vec<&'a [u8]>,
    sought: Vec<Vec<u8>>,
    clock: &'a SearchClock,
}

/// The lines of the file that are most like those of `sought`, if any are much like them.
///
/// # Errors
/// The time ran out, or there are more lines than are compared.
pub fn most_like_lines(
    file: &FoldedText<'_>,
    sought: &[u8],
    clock: &SearchClock,
) -> Result<Option<LikeLines>, ()> {
    let sought = sought.strip_suffix(b"\n").unwrap_or(sought);
    let sought: Vec<Vec<u8>> = sought.split(|byte| *byte == b'\n').map(fold_text).collect();
    if sought.len() > MOST_LINES {
        return Err(());
    }
    // Behind the last line end is no line.
    let bytes = file.bytes.strip_suffix(b"\n").unwrap_or(&file.bytes);
    let (mut lines, mut from) = (Vec::with_capacity(bytes.len() / 16), 0);
    for end in memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]) {
        lines.push(&bytes[from..end]);
        from = end + 1;
    }
    let search = LineSearch {
        file: lines,
        sought,
        clock,
    };
    match search.by_equal_lines()? {
        Some(found) => Ok(Some(found)),
        None => search.by_alike_lines(),
    }
}

impl LineSearch<'_> {
    /// The weight of line `at` of those looked for.
    fn weight(&self, at: usize) -> usize {
        let length = self.sought[at].len();
        // Brackets alone are everywhere.
        if length < 3 {
            0
        } else {
            length.min(MOST_WEIGHT)
        }
    }

    /// The lines around the place where most are equal.
    fn by_equal_lines(&self) -> Result<Option<LikeLines>, ()> {
        let mut places: HashMap<&[u8], (Vec<usize>, usize)> = HashMap::new();
        for (at, line) in self.sought.iter().enumerate() {
            if self.weight(at) > 0 {
                places.entry(line).or_default().0.push(at);
            }
        }
        // The votes for each distance between the two texts.
        let mut votes: HashMap<usize, usize> = HashMap::new();
        for (there, line) in self.file.iter().enumerate() {
            if there % 4096 == 4095 && self.clock.is_out() {
                return Err(());
            }
            if let Some((wanted, count)) = places.get_mut(line)
                && *count < MOST_VOTES
            {
                *count += wanted.len();
                for at in wanted {
                    *votes.entry(there + self.sought.len() - *at).or_default() += self.weight(*at);
                }
            }
        }
        let best = votes
            .into_iter()
            .max_by_key(|(shifted, votes)| (*votes, usize::MAX - shifted));
        Ok(best.and_then(|(shifted, _)| self.aligned(shifted.saturating_sub(self.sought.len()))))
    }

    /// True if line `at` of those looked for is line `there` of the file. The first may begin
    /// within its line, and the last may end within its own.
    fn is_equal(&self, at: usize, there: usize) -> bool {
        let (line, file) = (&self.sought[at][..], self.file[there]);
        let last = self.sought.len() - 1;
        line == file
            || line.len() > 2
                && last > 0
                && (at == 0 && file.ends_with(line) || at == last && file.starts_with(line))
    }

    /// The lines around line `first` of the file beside those looked for; `None` where not enough
    /// of them are equal.
    fn aligned(&self, first: usize) -> Option<LikeLines> {
        let mut runs = self.equal_runs(first);
        let count = self.sought.len();
        let (file, sought, length) = runs.first_mut()?;
        while *file > 0 && *sought > 0 && self.is_equal(*sought - 1, *file - 1) {
            (*file, *sought, *length) = (*file - 1, *sought - 1, *length + 1);
        }
        let (file, sought) = (*file, *sought);
        let (last_file, last_sought, last) = runs.last_mut()?;
        let (mut end, mut end_sought) = (*last_file + *last, *last_sought + *last);
        while end < self.file.len() && end_sought < count && self.is_equal(end_sought, end) {
            (end, end_sought, *last) = (end + 1, end_sought + 1, *last + 1);
        }
        let weight = |range: Range<usize>| range.map(|at| self.weight(at)).sum::<usize>();
        let equal = runs
            .iter()
            .map(|(_, sought, length)| weight(*sought..sought + length));
        if equal.sum::<usize>() * 3 < weight(0..count) {
            return None;
        }
        let lines = file.saturating_sub(sought)..self.file.len().min(end + count - end_sought);
        let (mut there, mut at) = (lines.start, 0);
        let mut changes = Vec::new();
        for (file, sought, length) in runs.into_iter().chain([(lines.end, count, 0)]) {
            if file > there || sought > at {
                changes.push((there..file, at..sought));
            }
            (there, at) = (file + length, sought + length);
        }
        Some(LikeLines { lines, changes })
    }

    /// The equal lines around line `first` of the file, in order. Lines of the file between them
    /// count against them, or else they are spread over all that is like the lines looked for.
    fn equal_runs(&self, first: usize) -> Vec<EqualRun> {
        let from = first.saturating_sub(SLACK);
        let to = self.file.len().min(first + self.sought.len() + SLACK);
        let sought: Vec<&[u8]> = self.sought.iter().map(Vec::as_slice).collect();
        let (window, end) = (&self.file[from..to], self.clock.end());
        let new = &*sought;
        let mut found = Capture::new();
        // One algorithm by its own name: by a number, all of them would be in the executable.
        let Ok(()) = histogram::diff_deadline_raw(
            &mut found,
            window,
            0..window.len(),
            new,
            0..new.len(),
            end,
        );
        let operations = found.into_ops();
        let runs: Vec<EqualRun> = operations
            .into_iter()
            .filter_map(|operation| match operation {
                DiffOp::Equal {
                    old_index,
                    new_index,
                    len,
                } => Some((from + old_index, new_index, len)),
                _ => None,
            })
            .collect();
        // The stretch of runs that counts most.
        let (mut best, mut stretch) = (0, 0..0);
        let (mut sum, mut start) = (0_usize, 0);
        for (at, (file, sought, length)) in runs.iter().enumerate() {
            let end = at
                .checked_sub(1)
                .map_or(*file, |before| runs[before].0 + runs[before].2);
            sum = sum.saturating_sub(GAP_PENALTY * (file - end));
            if sum == 0 {
                start = at;
            }
            sum += (*sought..sought + length)
                .map(|line| 4 * (self.weight(line) + 1))
                .sum::<usize>();
            if sum > best {
                (best, stretch) = (sum, start..at + 1);
            }
        }
        runs[stretch].to_vec()
    }

    /// The lines that are much alike, though none is equal.
    fn by_alike_lines(&self) -> Result<Option<LikeLines>, ()> {
        let mut longest: Vec<usize> = (0..self.sought.len()).collect();
        longest.sort_unstable_by_key(|at| (usize::MAX - self.sought[*at].len(), *at));
        longest.dedup_by_key(|at| &self.sought[*at]);
        longest.retain(|at| self.sought[*at].len() > 3);
        let bigrams: Vec<BigramCounts> = self
            .sought
            .iter()
            .map(|line| BigramCounts::of(line))
            .collect();
        let mut best = (ALIKE, None);
        for at in longest.into_iter().take(3) {
            let mut line = (ALIKE, None);
            for (there, of_file) in self.file.iter().enumerate() {
                if there % 1024 == 1023 && self.clock.is_out() {
                    return Err(());
                }
                let likeness = bigrams[at].likeness(of_file);
                if likeness > line.0 || likeness == ALIKE && line.1.is_none() {
                    line = (likeness, Some(there));
                }
            }
            let Some(first) = line.1.and_then(|there| there.checked_sub(at)) else {
                continue;
            };
            // The likeness of all lines from there on.
            let (mut sum, mut weights) = (0, 0);
            for (at, bigrams) in bigrams.iter().enumerate() {
                let of_file = self.file.get(first + at).copied().unwrap_or_default();
                sum += self.weight(at) * bigrams.likeness(of_file);
                weights += self.weight(at);
            }
            let likeness = sum.checked_div(weights).unwrap_or(0);
            if likeness > best.0 || likeness == ALIKE && best.1.is_none() {
                best = (likeness, Some(first));
            }
        }
        let Some(first) = best.1 else {
            return Ok(None);
        };
        let lines = first..self.file.len().min(first + self.sought.len());
        let changes = (0..self.sought.len())
            .map(|at| {
                let there = (first + at).min(lines.end);
                (there..(there + 1).min(lines.end), at..at + 1)
            })
            .filter(|(file, at)| file.is_empty() || self.file[file.start] != self.sought[at.start])
            .collect();
        Ok(Some(LikeLines { lines, changes }))
    }
}

/// The pairs of bytes of a line, to compare it with many others.
struct BigramCounts {
    /// The number of times each pair is in the line, by a few of its bits.
    counts: [u8; 1 << 12],
    pairs: usize,
}

impl BigramCounts {
    fn slot(pair: &[u8]) -> usize {
        usize::from(pair[0] & 0x3F) << 6 | usize::from(pair[1] & 0x3F)
    }

    fn of(line: &[u8]) -> Self {
        let mut counts = [0_u8; 1 << 12];
        for pair in line.windows(2) {
            let count = &mut counts[Self::slot(pair)];
            *count = count.saturating_add(1);
        }
        let pairs = line.len().saturating_sub(1);
        Self { counts, pairs }
    }

    /// The likeness of `other` to the line, in percent: twice the pairs that both have, by the
    /// pairs of both (Dice); or, where the line may be a part of the other, the part of it that
    /// the other has.
    fn likeness(&self, other: &[u8]) -> usize {
        let pairs = other.len().saturating_sub(1);
        if self.pairs == 0 || pairs == 0 || pairs > 8 * self.pairs + 8 {
            return 0;
        }
        let is_there = |pair: &&[u8]| self.counts[Self::slot(pair)] > 0;
        if self.score(other.windows(2).filter(is_there).count(), pairs) < ALIKE {
            return 0;
        }
        // Pairs that the line has only so often count only so often.
        let mut left = self.counts;
        let common = other.windows(2).filter(|pair| {
            let count = &mut left[Self::slot(pair)];
            let is_left = *count > 0;
            *count = count.saturating_sub(1);
            is_left
        });
        self.score(common.count(), pairs)
    }

    fn score(&self, common: usize, pairs: usize) -> usize {
        let dice = 200 * common / (self.pairs + pairs);
        // A part has to be a larger one, since long lines have pairs of all kinds.
        let part = 100 * common.min(self.pairs) / self.pairs;
        dice.max(part.saturating_sub(10))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(file: &str, sought: &str) -> Option<LikeLines> {
        let folded = FoldedText::new(file.as_bytes(), true, &SearchClock::endless());
        most_like_lines(&folded, sought.as_bytes(), &SearchClock::endless()).unwrap()
    }

    const FILE: &str = "use std::io;\n\nfn first() {\n    one();\n    two(1, 2);\n    three();\n}\n\n\
                        fn second() {\n    four();\n}\n";

    #[test]
    fn the_line_that_differs_is_found_among_equal_ones() {
        let block = found(
            FILE,
            "fn first() {\n    one();\n    two(1);\n    three();\n}\n",
        )
        .unwrap();
        assert_eq!(block.lines, 2..7);
        assert_eq!(block.changes, [(4..5, 2..3)]);
    }

    #[test]
    fn lines_that_were_put_in_or_taken_out_are_found() {
        let block = found(FILE, "fn first() {\n    one();\n    three();\n}\n").unwrap();
        assert_eq!((block.lines, block.changes), (2..7, vec![(4..5, 2..2)]));
        let block = found(FILE, "fn second() {\n    new();\n    four();\n}").unwrap();
        assert_eq!((block.lines, block.changes), (8..11, vec![(9..9, 1..2)]));
    }

    #[test]
    fn lines_that_stand_together_are_found_though_some_stand_elsewhere_too() {
        let file = "class Writer:\n    def visit_For(self, node):\n        self.fill(\"for \")\n        if \
                    node.orelse:\n            self.fill(\"else\")\n            \
                    self.traverse(node.orelse)\n\n    def visit_If(self, node):\n        \
                    self.fill(\"if \")\n        if node.orelse:\n            self.fill(\"else\")\n            \
                    self.traverse(node.orelse)\n\n    def visit_While(self, node):\n        \
                    self.fill(\"while \")\n        self.traverse(node.test)\n";
        let lines: Vec<&str> = file.split_inclusive('\n').collect();
        let sought = lines[9..16].concat();
        for (changed, to) in [
            ("node.test", "node.cond"),
            ("if node.orelse", "if node.body"),
        ] {
            let block = found(file, &sought.replace(changed, to)).unwrap();
            assert_eq!(block.lines, 9..16, "{changed}: {:?}", block.changes);
        }
    }

    #[test]
    fn a_single_line_much_like_another_is_found() {
        let block = found(FILE, "two(1, 3);").unwrap();
        assert_eq!((block.lines, block.changes), (4..5, vec![(4..5, 0..1)]));
    }

    #[test]
    fn nothing_is_found_where_nothing_is_alike() {
        for sought in ["SELECT * FROM users WHERE id = ?", "xy", "}\n}\n}", ""] {
            assert!(found(FILE, sought).is_none(), "{sought}");
        }
    }
}
