//! The lines of a file that are most similar to the sought ones: lines of which most are equal, or
//! a single line that resembles another.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;
use std::time::Instant;

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use super::fold::{FoldedText, fold_text};
use super::is_over;

/// Maximum number of sought lines.
const MAX_SOUGHT_LINES: usize = 2000;

/// Maximum number of lines that the file may have more, or fewer, between the sought ones.
const MAX_SHIFT_LINES: usize = 40;

/// Maximum number of votes of a line that is everywhere in the file.
const MAX_LINE_VOTES: usize = 200;

/// Maximum weight of a line, which is the length of its folded text.
const MAX_LINE_WEIGHT: usize = 20;

/// Penalty for each line of the file between two equal ones, half the score of one letter.
const GAP_PENALTY: usize = 2;

/// Minimum similarity of two lines, in percent.
const MIN_SIMILARITY: usize = 60;

/// Lines of a file that are similar to the sought ones.
#[derive(Debug)]
pub struct SimilarLines {
    /// The lines of the file, from 0.
    pub lines: Range<usize>,
    /// The differences, in order: lines of the file, from 0, and sought ones.
    pub changes: Vec<(Range<usize>, Range<usize>)>,
}

/// Lines that are equal: the first of the file, the first sought one, and their number.
type EqualRun = (usize, usize, usize);

/// The lines of a folded file, and of the folded sought text.
struct LineSearch<'a> {
    file: Vec<&'a [u8]>,
    sought: Vec<Vec<u8>>,
    end: Option<Instant>,
}

/// The lines of the file that are most similar to those of `sought`, if any are similar enough.
///
/// # Errors
/// The time ran out, or there are more lines than are compared.
pub fn most_similar_lines(
    file: &FoldedText<'_>,
    sought: &[u8],
    end: Option<Instant>,
) -> Result<Option<SimilarLines>, ()> {
    let sought = sought.strip_suffix(b"\n").unwrap_or(sought);
    let sought = sought.split(|byte| *byte == b'\n');
    let sought: Vec<Vec<u8>> = sought.map(|line| fold_text(line, true)).collect();
    if sought.len() > MAX_SOUGHT_LINES {
        return Err(());
    }
    // No line follows the last line end.
    let bytes = file.bytes.strip_suffix(b"\n").unwrap_or(&file.bytes);
    let (mut lines, mut from) = (Vec::with_capacity(bytes.len() / 16), 0);
    for end in memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]) {
        lines.push(&bytes[from..end]);
        from = end + 1;
    }
    let search = LineSearch {
        file: lines,
        sought,
        end,
    };
    match search.by_equal_lines()? {
        Some(similar_lines) => Ok(Some(similar_lines)),
        None => search.by_similar_line(),
    }
}

impl LineSearch<'_> {
    /// The weight of the sought line `index`.
    fn weight(&self, index: usize) -> usize {
        match self.sought[index].len() {
            // Brackets are everywhere.
            0..3 => 0,
            length => length.min(MAX_LINE_WEIGHT),
        }
    }

    /// The lines around the place where most are equal.
    fn by_equal_lines(&self) -> Result<Option<SimilarLines>, ()> {
        let mut places: HashMap<&[u8], (Vec<usize>, usize)> = HashMap::new();
        for (index, line) in self.sought.iter().enumerate() {
            if self.weight(index) > 0 {
                places.entry(line).or_default().0.push(index);
            }
        }
        // The votes for each distance between the two texts.
        let mut votes: HashMap<usize, usize> = HashMap::new();
        for (there, line) in self.file.iter().enumerate() {
            if there % 4096 == 4095 && is_over(self.end) {
                return Err(());
            }
            if let Some((wanted, count)) = places.get_mut(line)
                && *count < MAX_LINE_VOTES
            {
                *count += wanted.len();
                for index in wanted {
                    *votes.entry(there + self.sought.len() - *index).or_default() +=
                        self.weight(*index);
                }
            }
        }
        let best = votes
            .into_iter()
            .max_by_key(|(shifted, votes)| (*votes, Reverse(*shifted)));
        Ok(best.and_then(|(shifted, _)| self.aligned(shifted.saturating_sub(self.sought.len()))))
    }

    /// True if the sought line `index` is line `there` of the file. The first may begin within its
    /// line, and the last may end within its own.
    fn is_equal(&self, index: usize, there: usize) -> bool {
        let (line, last) = (&*self.sought[index], self.sought.len() - 1);
        let may_be_part = line.len() > 2 && last > 0;
        self.file.get(there).is_some_and(|file| {
            line == *file
                || may_be_part && index == 0 && file.ends_with(line)
                || may_be_part && index == last && file.starts_with(line)
        })
    }

    /// The sought lines aligned with those around line `first` of the file; `None` if not enough of
    /// them are equal.
    fn aligned(&self, first: usize) -> Option<SimilarLines> {
        let mut runs = self.equal_runs(first);
        let count = self.sought.len();
        let (file, sought_start, length) = runs.first_mut()?;
        while *file > 0 && *sought_start > 0 && self.is_equal(*sought_start - 1, *file - 1) {
            (*file, *sought_start, *length) = (*file - 1, *sought_start - 1, *length + 1);
        }
        let start = file.saturating_sub(*sought_start);
        let (file, sought_start, length) = runs.last_mut()?;
        while *sought_start + *length < count
            && self.is_equal(*sought_start + *length, *file + *length)
        {
            *length += 1;
        }
        let lines = start..self.file.len().min(*file + count - *sought_start);
        let equal = runs
            .iter()
            .flat_map(|(_, sought_start, length)| *sought_start..*sought_start + *length)
            .map(|index| self.weight(index));
        if equal.sum::<usize>() * 3 < (0..count).map(|index| self.weight(index)).sum() {
            return None;
        }
        let (mut there, mut sought_line) = (lines.start, 0);
        let mut changes = Vec::new();
        for (file, sought, length) in runs.into_iter().chain([(lines.end, count, 0)]) {
            if file > there || sought > sought_line {
                changes.push((there..file, sought_line..sought));
            }
            (there, sought_line) = (file + length, sought + length);
        }
        Some(SimilarLines { lines, changes })
    }

    /// The equal lines around line `first` of the file, in order. Lines of the file between them
    /// count against them; without that, they would be spread over all that resembles the sought
    /// lines.
    fn equal_runs(&self, first: usize) -> Vec<EqualRun> {
        let from = first.saturating_sub(MAX_SHIFT_LINES);
        let to = self
            .file
            .len()
            .min(first + self.sought.len() + MAX_SHIFT_LINES);
        let window = &self.file[from..to];
        let sought: Vec<&[u8]> = self.sought.iter().map(Vec::as_slice).collect();
        let ops = capture_diff_slices_deadline(Algorithm::Histogram, window, &sought, self.end);
        let mut runs: Vec<EqualRun> = Vec::new();
        // The stretch of runs that counts most.
        let (mut best, mut stretch) = (0, 0..0);
        let (mut sum, mut start, mut last_end) = (0_usize, 0, 0);
        for operation in ops {
            let DiffOp::Equal {
                old_index,
                new_index,
                len,
            } = operation
            else {
                continue;
            };
            sum = sum.saturating_sub(GAP_PENALTY * (old_index - last_end));
            last_end = old_index + len;
            if sum == 0 {
                start = runs.len();
            }
            runs.push((from + old_index, new_index, len));
            let score = |line| 4 * (self.weight(line) + 1);
            sum += (new_index..new_index + len).map(score).sum::<usize>();
            if sum > best {
                (best, stretch) = (sum, start..runs.len());
            }
        }
        runs[stretch].to_vec()
    }

    /// The lines around the one that most resembles one of the longest sought lines, though none is
    /// equal.
    fn by_similar_line(&self) -> Result<Option<SimilarLines>, ()> {
        let pairs: Vec<BytePairs> = self
            .sought
            .iter()
            .map(|line| BytePairs::from_line(line))
            .collect();
        let mut longest: Vec<usize> = (0..pairs.len())
            .filter(|index| self.weight(*index) > 3)
            .collect();
        longest.sort_by_key(|index| Reverse(self.sought[*index].len()));
        let mut best = (MIN_SIMILARITY - 1, None);
        for index in longest.into_iter().take(3) {
            let mut line = (MIN_SIMILARITY - 1, None);
            for (first, of_file) in self.file.iter().skip(index).enumerate() {
                if first % 1024 == 1023 && is_over(self.end) {
                    return Err(());
                }
                let similarity = pairs[index].similarity(of_file);
                if similarity > line.0 {
                    line = (similarity, Some(first));
                }
            }
            let Some(first) = line.1 else {
                continue;
            };
            // The similarity of all lines from there on.
            let (mut sum, mut weights) = (0, 0);
            for (index, (pairs, of_file)) in pairs.iter().zip(&self.file[first..]).enumerate() {
                sum += self.weight(index) * pairs.similarity(of_file);
                weights += self.weight(index);
            }
            if sum / weights > best.0 {
                best = (sum / weights, Some(first));
            }
        }
        Ok(best.1.map(|first| {
            let lines = first..self.file.len().min(first + self.sought.len());
            let changes = vec![(lines.clone(), 0..self.sought.len())];
            SimilarLines { lines, changes }
        }))
    }
}

/// The pairs of neighbouring bytes in a line, to compare it with many others.
struct BytePairs {
    /// A bit for each pair, by the lower bits of its bytes.
    bits: [u32; 32],
    /// The number of different pairs.
    count: usize,
}

impl BytePairs {
    fn from_line(line: &[u8]) -> Self {
        let mut bits = [0; 32];
        for pair in line.windows(2) {
            bits[usize::from(pair[0] & 31)] |= 1 << (pair[1] & 31);
        }
        let count = bits.iter().map(|row: &u32| row.count_ones() as usize).sum();
        Self { bits, count }
    }

    /// The similarity of `other` to the line, in percent: twice the pairs that both have, by the
    /// pairs of both (Dice); or, if the line may be a part of `other`, the share of its pairs that
    /// `other` has.
    fn similarity(&self, other: &[u8]) -> usize {
        let pairs = other.len().saturating_sub(1);
        // Long lines have pairs of all kinds.
        if self.count == 0 || pairs > 8 * self.count + 8 {
            return 0;
        }
        let (mut left, mut common) = (self.bits, 0);
        for pair in other.windows(2) {
            let row = &mut left[usize::from(pair[0] & 31)];
            let bit = 1 << (pair[1] & 31);
            common += usize::from(*row & bit != 0);
            *row &= !bit;
        }
        let dice = 200 * common / (self.count + pairs);
        let part = 100 * common / self.count;
        dice.max(part.saturating_sub(10))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find_similar(file: &str, sought: &str) -> Option<SimilarLines> {
        let folded = FoldedText::new(file.as_bytes(), true, None);
        most_similar_lines(&folded, sought.as_bytes(), None).unwrap()
    }

    const FILE: &str = "use std::io;\n\nfn first() {\n    one();\n    two(1, 2);\n    \
                        three();\n}\n\nfn second() {\n    four();\n}\n";

    #[test]
    fn the_line_that_differs_is_found_among_equal_ones() {
        let block = find_similar(
            FILE,
            "fn first() {\n    one();\n    two(1);\n    three();\n}\n",
        )
        .unwrap();
        assert_eq!(block.lines, 2..7);
        assert_eq!(block.changes, [(4..5, 2..3)]);
    }

    #[test]
    fn lines_that_were_put_in_or_taken_out_are_found() {
        let block = find_similar(FILE, "fn first() {\n    one();\n    three();\n}\n").unwrap();
        assert_eq!((block.lines, block.changes), (2..7, vec![(4..5, 2..2)]));
        let block = find_similar(FILE, "fn second() {\n    new();\n    four();\n}").unwrap();
        assert_eq!((block.lines, block.changes), (8..11, vec![(9..9, 1..2)]));
    }

    #[test]
    fn lines_that_stand_together_are_found_though_some_stand_elsewhere_too() {
        let file = "class Writer:\n    def visit_For(self, node):\n        self.fill(\"for \")\n        \
             if node.orelse:\n            self.fill(\"else\")\n            \
             self.traverse(node.orelse)\n\n    def visit_If(self, node):\n        self.fill(\"if \
             \")\n        if node.orelse:\n            self.fill(\"else\")\n            \
             self.traverse(node.orelse)\n\n    def visit_While(self, node):\n        \
             self.fill(\"while \")\n        self.traverse(node.test)\n";
        let lines: Vec<&str> = file.split_inclusive('\n').collect();
        let sought = lines[9..16].concat();
        for (changed, to) in [
            ("node.test", "node.cond"),
            ("if node.orelse", "if node.body"),
        ] {
            let block = find_similar(file, &sought.replace(changed, to)).unwrap();
            assert_eq!(block.lines, 9..16, "{changed}: {:?}", block.changes);
        }
    }

    #[test]
    fn a_single_line_much_like_another_is_found() {
        let block = find_similar(FILE, "two(1, 3);").unwrap();
        assert_eq!((block.lines, block.changes), (4..5, vec![(4..5, 0..1)]));
    }

    #[test]
    fn nothing_is_found_where_nothing_is_alike() {
        for sought in ["SELECT * FROM users WHERE id = ?", "xy", "}\n}\n}", ""] {
            assert!(find_similar(FILE, sought).is_none(), "{sought}");
        }
    }
}
