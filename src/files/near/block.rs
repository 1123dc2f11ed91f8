//! The lines of a file that are most like those that were looked for: lines that are equal but for
//! some of them, or a single line that is much like another.

use std::collections::HashMap;
use std::ops::Range;

use super::clock::Clock;
use super::fold::{Folded, fold};
use crate::sort::Sort;

/// The most lines that are compared with one another.
const MOST_LINES: usize = 2000;

/// How many lines a file may have more, or fewer, between those that were looked for.
const SLACK: usize = 40;

/// A line that is in the file more often than this says nothing about where a text is.
const MOST_PLACES: usize = 200;

/// How much a line counts at most, by the length of what is seen of it.
const MOST_WEIGHT: usize = 20;

/// How much it counts against a list of equal lines that a line stands between two of them: half of
/// what a letter counts for it.
const BETWEEN: i32 = 2;

/// What a list counts that there is not.
const NOTHING: i32 = i32::MIN / 2;

/// From which likeness on a line is called alike, in hundredths.
const ALIKE: usize = 60;

/// Lines of a file that are like others.
#[derive(Debug)]
pub struct Block {
    /// The lines of the file, from 0.
    pub lines: Range<usize>,
    /// Where they differ, in order: which lines of the file, from 0, and which of those that were
    /// looked for.
    pub changes: Vec<(Range<usize>, Range<usize>)>,
}

/// The lines of a folded file, and of the folded text that was looked for.
struct Compared<'a> {
    file: Vec<&'a [u8]>,
    sought: Vec<Vec<u8>>,
}

/// The lines of the file that are most like those of `sought`, if any are much like them.
///
/// # Errors
/// The time ran out, or there are more lines than are compared.
pub fn nearest(file: &Folded<'_>, sought: &[u8], clock: &Clock) -> Result<Option<Block>, ()> {
    let sought = sought.strip_suffix(b"\n").unwrap_or(sought);
    let lines: Vec<Vec<u8>> = sought.split(|byte| *byte == b'\n').map(fold).collect();
    if lines.len() > MOST_LINES {
        return Err(());
    }
    let mut from = 0;
    let mut file_lines = Vec::with_capacity(file.bytes.len() / 16);
    // Behind the last line end is no line.
    let unended = (!file.bytes.ends_with(b"\n")).then_some(file.bytes.len());
    for end in memchr::memchr_iter(b'\n', &file.bytes).chain(unended) {
        file_lines.push(&file.bytes[from..end]);
        from = end + 1;
    }
    let compared = Compared {
        file: file_lines,
        sought: lines,
    };
    if let Some(block) = compared.by_equal_lines(clock)? {
        return Ok(Some(block));
    }
    compared.by_alike_lines(clock)
}

impl Compared<'_> {
    /// How much line `at` of those looked for counts.
    fn weight(&self, at: usize) -> usize {
        let length = self.sought[at].len();
        // Brackets alone are everywhere.
        if length < 3 {
            0
        } else {
            length.min(MOST_WEIGHT)
        }
    }

    /// Whether line `at` of those looked for is line `there` of the file. The first may begin
    /// within its line, and the last may end within its own.
    fn equal(&self, at: usize, there: usize) -> bool {
        let (line, file) = (&self.sought[at][..], self.file[there]);
        let last = self.sought.len() - 1;
        line == file
            || line.len() > 2
                && last > 0
                && (at == 0 && file.ends_with(line) || at == last && file.starts_with(line))
    }

    /// Where most lines are equal.
    fn by_equal_lines(&self, clock: &Clock) -> Result<Option<Block>, ()> {
        let mut places: HashMap<&[u8], (Vec<usize>, Vec<usize>)> = HashMap::new();
        for (at, line) in self.sought.iter().enumerate() {
            if self.weight(at) > 0 {
                places.entry(line).or_default().0.push(at);
            }
        }
        let mut lengths = [false; 256];
        for line in places.keys() {
            lengths[line.len() % 256] = true;
        }
        for (there, line) in self.file.iter().enumerate() {
            if there % 4096 == 4095 && clock.is_out() {
                return Err(());
            }
            if lengths[line.len() % 256]
                && let Some((_, places)) = places.get_mut(line)
                && places.len() <= MOST_PLACES
            {
                places.push(there);
            }
        }
        // How much speaks for each distance between the two texts.
        let mut votes: HashMap<usize, usize> = HashMap::new();
        for (line, (wanted, places)) in &places {
            if places.len() > MOST_PLACES || wanted.len() > MOST_PLACES {
                continue;
            }
            for at in wanted {
                for there in places {
                    let vote = votes.entry(there + self.sought.len() - at).or_default();
                    *vote += line.len().min(MOST_WEIGHT);
                }
            }
        }
        let Some((shifted, _)) = votes
            .into_iter()
            .max_by_key(|(shifted, votes)| (*votes, usize::MAX - shifted))
        else {
            return Ok(None);
        };
        let first = shifted.saturating_sub(self.sought.len());
        Ok(self.aligned(first))
    }

    /// The lines around line `first` of the file, line by line beside those looked for; `None`
    /// where not enough of them are equal.
    fn aligned(&self, first: usize) -> Option<Block> {
        let from = first.saturating_sub(SLACK);
        let to = self.file.len().min(first + self.sought.len() + SLACK);
        let pairs = self.common(from..to, first);
        let (start, end) = (*pairs.first()?, *pairs.last()?);
        let total: usize = (0..self.sought.len()).map(|at| self.weight(at)).sum();
        let equal: usize = pairs.iter().map(|(at, _)| self.weight(*at)).sum();
        if equal * 3 < total {
            return None;
        }
        let behind = self.sought.len() - 1 - end.0;
        let lines = start.1.saturating_sub(start.0)..self.file.len().min(end.1 + behind + 1);
        let mut changes = Vec::new();
        let (mut at, mut there) = (0, lines.start);
        for (next, found) in pairs.into_iter().chain([(self.sought.len(), lines.end)]) {
            if next > at || found > there {
                changes.push((there..found, at..next));
            }
            (at, there) = (next + 1, found + 1);
        }
        Some(Block { lines, changes })
    }

    /// The list of lines that both have in the same order that counts most. Lines of the file that
    /// stand between two of them count against it, or else the list is spread over all that is
    /// like the lines looked for.
    fn common(&self, file: Range<usize>, first: usize) -> Vec<(usize, usize)> {
        let (rows, columns) = (self.sought.len(), file.len());
        let width = columns + 1;
        // What a list counts that has begun before, and goes on with these lines or later ones.
        let mut on = vec![NOTHING; (rows + 1) * width];
        let begun = |on: &[i32], at: usize, column: usize| {
            let equal = self.equal(at, file.start + column);
            equal.then(|| self.gain(at) + on[(at + 1) * width + column + 1].max(0))
        };
        let (mut best, mut start) = ((0, 0), None);
        for at in (0..rows).rev() {
            for column in (0..columns).rev() {
                let here = begun(&on, at, column);
                let later =
                    on[(at + 1) * width + column].max(on[at * width + column + 1] - BETWEEN);
                on[at * width + column] = later.max(here.unwrap_or(NOTHING));
                let Some(here) = here else {
                    continue;
                };
                // Of two that count the same, the one that is nearer to where it is looked for.
                let near = usize::MAX - (file.start + column).abs_diff(first + at);
                if (here, near) > best {
                    (best, start) = ((here, near), Some((at, column)));
                }
            }
        }
        let mut pairs = Vec::new();
        let Some((mut at, mut column)) = start else {
            return pairs;
        };
        loop {
            pairs.push((at, file.start + column));
            (at, column) = (at + 1, column + 1);
            loop {
                let value = on[at * width + column];
                if value <= 0 {
                    return pairs;
                }
                if begun(&on, at, column) == Some(value) {
                    break;
                }
                if value == on[(at + 1) * width + column] {
                    at += 1;
                } else {
                    column += 1;
                }
            }
        }
    }

    /// How much it counts that line `at` of those looked for is found.
    fn gain(&self, at: usize) -> i32 {
        4 * i32::try_from(self.weight(at) + 1).unwrap_or(1)
    }

    /// Where the lines are much alike, though none is equal.
    fn by_alike_lines(&self, clock: &Clock) -> Result<Option<Block>, ()> {
        let mut longest: Vec<usize> = (0..self.sought.len()).collect();
        longest.arrange_by_key(|at| (usize::MAX - self.sought[*at].len(), *at));
        longest.dedup_by_key(|at| &self.sought[*at]);
        let mut best: Option<(usize, usize)> = None;
        for at in longest.into_iter().take(3) {
            if self.sought[at].len() < 4 {
                break;
            }
            let Some((there, _)) = self.most_alike(at, clock)? else {
                continue;
            };
            let Some(first) = there.checked_sub(at) else {
                continue;
            };
            let likeness = self.likeness_from(first);
            if best.is_none_or(|(most, _)| likeness > most) {
                best = Some((likeness, first));
            }
        }
        let Some((_, first)) = best.filter(|(likeness, _)| *likeness >= ALIKE) else {
            return Ok(None);
        };
        let lines = first..self.file.len().min(first + self.sought.len());
        let mut changes = Vec::new();
        for at in 0..self.sought.len() {
            let there = (first + at).min(lines.end);
            let file = there..(there + 1).min(lines.end);
            if file.is_empty() || self.file[there] != self.sought[at] {
                changes.push((file, at..at + 1));
            }
        }
        Ok(Some(Block { lines, changes }))
    }

    /// How much the lines from `first` on are like those looked for, all in all.
    fn likeness_from(&self, first: usize) -> usize {
        let (mut sum, mut weights) = (0, 0);
        for (at, line) in self.sought.iter().enumerate() {
            let weight = self.weight(at);
            let file = self.file.get(first + at).copied().unwrap_or_default();
            sum += weight * Bigrams::of(line).likeness(file);
            weights += weight;
        }
        sum.checked_div(weights).unwrap_or(0)
    }

    /// The line of the file that is most like line `at` of those looked for, if it is alike.
    fn most_alike(&self, at: usize, clock: &Clock) -> Result<Option<(usize, usize)>, ()> {
        let bigrams = Bigrams::of(&self.sought[at]);
        let mut best: Option<(usize, usize)> = None;
        for (there, line) in self.file.iter().enumerate() {
            if there % 1024 == 1023 && clock.is_out() {
                return Err(());
            }
            let likeness = bigrams.likeness(line);
            if likeness >= ALIKE && best.is_none_or(|(_, most)| likeness > most) {
                best = Some((there, likeness));
            }
        }
        Ok(best)
    }
}

/// The pairs of bytes of a line, to compare it with many others.
struct Bigrams {
    /// How often each pair is in the line.
    counts: HashMap<(u8, u8), u8>,
    /// Whether a pair is in the line at all, by a few of its bits.
    present: Vec<bool>,
    pairs: usize,
}

impl Bigrams {
    fn of(line: &[u8]) -> Self {
        let mut counts: HashMap<(u8, u8), u8> = HashMap::new();
        let mut present = vec![false; 1 << 12];
        for pair in line.windows(2) {
            let count = counts.entry((pair[0], pair[1])).or_default();
            *count = count.saturating_add(1);
            present[Self::slot(pair)] = true;
        }
        Self {
            counts,
            present,
            pairs: line.len().saturating_sub(1),
        }
    }

    fn slot(pair: &[u8]) -> usize {
        usize::from(pair[0] & 0x3F) << 6 | usize::from(pair[1] & 0x3F)
    }

    /// How much `other` is like the line, in hundredths: twice the pairs that both have, by the
    /// pairs of both (Dice); or, where the line may be a part of the other, the part of it that
    /// the other has.
    fn likeness(&self, other: &[u8]) -> usize {
        let pairs = other.len().saturating_sub(1);
        if self.pairs == 0 || pairs == 0 || pairs > 8 * self.pairs + 8 {
            return 0;
        }
        let rough = other
            .windows(2)
            .filter(|pair| self.present[Self::slot(pair)]);
        if self.score(rough.count(), pairs) < ALIKE {
            return 0;
        }
        let mut left = self.counts.clone();
        let mut common = 0;
        for pair in other.windows(2) {
            if let Some(count) = left.get_mut(&(pair[0], pair[1]))
                && *count > 0
            {
                *count -= 1;
                common += 1;
            }
        }
        self.score(common, pairs)
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

    fn found(file: &str, sought: &str) -> Option<Block> {
        let folded = Folded::new(file.as_bytes(), &Clock::endless());
        nearest(&folded, sought.as_bytes(), &Clock::endless()).unwrap()
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
