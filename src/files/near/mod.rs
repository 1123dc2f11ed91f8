//! What in a file is nearest to a text that is not in it, so that whoever looked for it can be told
//! what is there instead. Nothing is ever replaced by likeness.
//!
//! Rules: the decisions on file-edit. A search ends when its time is over; what it says is true of
//! as much of the file as it has seen.

mod block;
mod clock;
mod compare;
mod elide;
mod finding;
mod fold;
mod repair;

use std::ops::Range;

use memchr::memmem::Finder;

pub use clock::Clock;
pub use compare::{Difference, What};
pub use elide::Elided;
pub use finding::{Change, Finding, Near, Place, Quote};
pub use repair::Repair;

use compare::{count_line_ends, differences};
use fold::{Folded, Unit, fold, unit};

/// How many lines are named of several.
pub const MOST_NAMED: usize = 12;

/// How many places that look alike are compared to find the nearest of them.
const MOST_PLACES: usize = 500;

/// The longest text of a file that is quoted, in bytes and in lines.
const QUOTED: (usize, u64) = (2000, 40);

/// The longest line of a file that is quoted beside another, in characters.
const QUOTED_LINE: usize = 160;

/// Looks in `content`, the `whole` of a file or its beginning, for what is nearest to `sought`,
/// which is not in it and was to be replaced by `new`.
pub fn search(content: &[u8], whole: bool, sought: &[u8], new: &[u8], clock: &Clock) -> Near {
    let crlf = Finder::new("\r\n").find_iter(content).count() as u64;
    let ends = count_line_ends(content);
    let unended = !content.is_empty() && !content.ends_with(b"\n");
    let mut near = Near {
        lines: ends + u64::from(unended),
        whole,
        line_ends: (crlf, ends - crlf),
        already: Vec::new(),
        finding: Finding::Unknown,
    };
    let already = already(content, new);
    near.already = line_numbers(content, &already);
    let search = Search {
        content,
        sought,
        clock,
    };
    let (finding, place) = search.nearest();
    // What was found may be what the edit has made of it: then most of it is the new text.
    let made = place.is_some_and(|place| {
        already.iter().any(|at| {
            let common = place
                .end
                .min(at + new.len())
                .saturating_sub(place.start.max(*at));
            common * 2 > place.len()
        })
    });
    near.finding = if made { Finding::Nothing } else { finding };
    near
}

/// Where `new` is in the file, if it is a text that says something, in a few places.
fn already(content: &[u8], new: &[u8]) -> Vec<usize> {
    let seen = fold(new).len();
    let with_crlf = super::line_ends::with_crlf(new);
    let find = |text: &[u8]| -> Vec<usize> {
        let finder = Finder::new(text);
        let found = finder.find_iter(content).take(MOST_NAMED);
        found
            .filter(|at| is_apart(content, *at..at + text.len()))
            .collect()
    };
    if seen < 3 {
        return Vec::new();
    }
    let mut found = find(new);
    if found.is_empty() && with_crlf != new {
        found = find(&with_crlf);
    }
    // What is everywhere was not put there by one edit.
    if found.len() > 3 {
        found.clear();
    }
    found
}

/// Whether no word goes on beyond `place`.
fn is_apart(content: &[u8], place: Range<usize>) -> bool {
    let is_word = |at: usize| {
        let byte = content.get(at).copied().unwrap_or(b' ');
        byte.is_ascii_alphanumeric() || byte == b'_'
    };
    let goes_on = |at: usize| at > 0 && is_word(at - 1) && is_word(at);
    !goes_on(place.start) && !goes_on(place.end)
}

/// The numbers of the lines in which the offsets `places`, which ascend, are.
pub fn line_numbers(content: &[u8], places: &[usize]) -> Vec<u64> {
    let (mut line, mut from) = (1, 0);
    let number = |at: &usize| {
        line += count_line_ends(&content[from..*at]);
        from = *at;
        line
    };
    places.iter().map(number).collect()
}

struct Search<'a> {
    content: &'a [u8],
    sought: &'a [u8],
    clock: &'a Clock,
}

type Found = (Finding, Option<Range<usize>>);

impl Search<'_> {
    fn nearest(&self) -> Found {
        if self.content.is_empty() {
            return (Finding::Empty, None);
        }
        if let Some(encoding) = super::kind::wide_encoding(self.content) {
            return (Finding::Wide(encoding), None);
        }
        let folded = Folded::new(self.content, self.clock);
        let sought = fold(self.sought);
        if sought.iter().all(|byte| *byte == b'\n') {
            return (Finding::Blank, None);
        }
        let cut = folded.source().len() < self.content.len();
        if let Some(found) = self.alike(&folded, &sought) {
            return found;
        }
        if let Some(found) = self.repaired(&folded) {
            return found;
        }
        if let Some(found) = self.without_line_ends(&folded, &sought) {
            return found;
        }
        let text = String::from_utf8_lossy(self.sought);
        if let Some(elided) = elide::find(&folded, &text) {
            let place = self.place(elided.range.clone());
            let range = elided.range.clone();
            return (Finding::Elided(elided.at(place)), Some(range));
        }
        match block::nearest(&folded, self.sought, self.clock) {
            Ok(Some(block)) => self.stale(&block),
            Ok(None) if !cut => (Finding::Nothing, None),
            Ok(None) | Err(()) => (Finding::Unknown, None),
        }
    }

    /// A place that is folded to the same, the nearest of them.
    fn alike(&self, folded: &Folded<'_>, sought: &[u8]) -> Option<Found> {
        let (place, others) = self.nearest_place(folded, sought, self.sought, true)?;
        let differences = self.differences(&place, self.sought, true);
        let found = Finding::Alike {
            place: self.place(place.clone()),
            differences,
            others,
        };
        Some((found, Some(place)))
    }

    /// The same without regard to where lines end.
    fn without_line_ends(&self, folded: &Folded<'_>, sought: &[u8]) -> Option<Found> {
        let sought: Vec<u8> = sought
            .iter()
            .copied()
            .filter(|byte| *byte != b'\n')
            .collect();
        // Of a few characters nobody knows what they are a part of.
        if sought.len() < 6 {
            return None;
        }
        let folded = folded.without_line_ends();
        let (place, others) = self.nearest_place(&folded, &sought, self.sought, false)?;
        let differences = self.differences(&place, self.sought, false);
        let found = Finding::Alike {
            place: self.place(place.clone()),
            differences,
            others,
        };
        Some((found, Some(place)))
    }

    fn repaired(&self, folded: &Folded<'_>) -> Option<Found> {
        let sought = std::str::from_utf8(self.sought).ok()?;
        let mut tried = vec![fold(self.sought)];
        for (repair, text) in repair::repairs(sought) {
            if self.clock.is_out() {
                return None;
            }
            let text = text.as_bytes();
            let folded_text = fold(text);
            if tried.contains(&folded_text) {
                continue;
            }
            let found = self.nearest_place(folded, &folded_text, text, true);
            tried.push(folded_text);
            let Some((range, _)) = found else {
                continue;
            };
            let found = Finding::Repaired {
                repair,
                place: self.place(range.clone()),
                differences: self.differences(&range, text, true),
            };
            return Some((found, Some(range)));
        }
        None
    }

    /// Of the places that are folded to `folded_sought`, the one that is nearest to `sought`, and
    /// how many others are as near.
    fn nearest_place(
        &self,
        folded: &Folded<'_>,
        folded_sought: &[u8],
        sought: &[u8],
        line_ends: bool,
    ) -> Option<(Range<usize>, usize)> {
        if folded_sought.iter().all(|byte| *byte == b'\n') {
            return None;
        }
        let finder = Finder::new(folded_sought);
        let mut best: Option<(usize, Range<usize>)> = None;
        let mut equal = 0;
        for at in finder.find_iter(&folded.bytes).take(MOST_PLACES) {
            if best.is_some() && self.clock.is_out() {
                break;
            }
            let range = folded.trace(&(at..at + folded_sought.len()));
            let range = self.with_blanks(range, sought, line_ends);
            let differences = self.differences_from(&range, sought, 0, line_ends);
            let weight = differences.iter().map(|one| one.what.weight()).sum();
            match &best {
                Some((least, _)) if weight > *least => {}
                Some((least, _)) if weight == *least => equal += 1,
                _ => {
                    best = Some((weight, range));
                    equal = 0;
                }
            }
        }
        best.map(|(_, range)| (range, equal))
    }

    /// `range` with the blanks before and behind it, where `sought` has blanks there.
    fn with_blanks(&self, range: Range<usize>, sought: &[u8], line_ends: bool) -> Range<usize> {
        // Blanks alone do not reach over the end of a line.
        let counts = |unit, line_ends| match unit {
            Unit::Blank => true,
            Unit::LineEnd => line_ends,
            _ => false,
        };
        let (mut start, mut end) = (range.start, range.end);
        let over_lines = !line_ends && leading_line_end(sought);
        if counts(unit(sought, 0).0, over_lines) {
            while let Some(before) = blank_before(&self.content[..start])
                && counts(before.0, over_lines)
            {
                start -= before.1;
            }
        }
        let over_lines = !line_ends && trailing_line_end(sought);
        if blank_before(sought).is_some_and(|(unit, _)| counts(unit, over_lines)) {
            while end < self.content.len() {
                let (unit, length) = unit(self.content, end);
                if !counts(unit, over_lines) {
                    break;
                }
                end += length;
            }
        }
        start..end
    }

    fn differences(&self, range: &Range<usize>, sought: &[u8], line_ends: bool) -> Vec<Difference> {
        let line = 1 + count_line_ends(&self.content[..range.start]);
        self.differences_from(range, sought, line, line_ends)
    }

    fn differences_from(
        &self,
        range: &Range<usize>,
        sought: &[u8],
        line: u64,
        line_ends: bool,
    ) -> Vec<Difference> {
        let (before, behind) = (&self.content[..range.start], &self.content[range.end..]);
        let starts_line = before.is_empty() || before.ends_with(b"\n");
        let ends_line = behind.is_empty() || unit(behind, 0).0 == Unit::LineEnd;
        let pair = (&self.content[range.clone()], sought);
        differences(pair, line, line_ends, (starts_line, ends_line))
    }

    /// What is to be said of the place `range`.
    fn place(&self, range: Range<usize>) -> Place {
        let text = &self.content[range.clone()];
        let first = 1 + count_line_ends(&self.content[..range.start]);
        let inner = text.strip_suffix(b"\n").unwrap_or(text);
        let last = first + count_line_ends(inner);
        let (most_bytes, most_lines) = QUOTED;
        let quote = match std::str::from_utf8(text) {
            _ if text.len() > most_bytes || last - first >= most_lines => Quote::TooLong,
            Ok(text) => Quote::Text(text.to_owned()),
            Err(_) => Quote::NotText,
        };
        let finder = Finder::new(text);
        let mut same = Vec::new();
        let mut count = 0;
        for at in finder.find_iter(self.content) {
            count += 1;
            if same.len() < MOST_NAMED {
                same.push(at);
            }
        }
        Place {
            first,
            last,
            text: quote,
            same: (line_numbers(self.content, &same), count),
        }
    }

    fn stale(&self, block: &block::Block) -> Found {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', self.content).map(|at| at + 1));
        let start = |line: usize| *starts.get(line).unwrap_or(&self.content.len());
        let line = |at: usize| {
            let line = &self.content[start(at)..start(at + 1)];
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            line.strip_suffix(b"\r").unwrap_or(line)
        };
        let sought = self.sought.strip_suffix(b"\n").unwrap_or(self.sought);
        let sought: Vec<&[u8]> = sought.split(|byte| *byte == b'\n').collect();
        let number = |line: usize| line as u64 + 1;
        let changes: Vec<Change> = block
            .changes
            .iter()
            .map(|(file, old)| Change {
                lines: number(file.start)..number(file.end),
                file: file.clone().take(3).map(|at| shown(line(at))).collect(),
                sought: sought[old.clone()]
                    .iter()
                    .take(3)
                    .map(|line| shown(line))
                    .collect(),
            })
            .collect();
        let differing: usize = block.changes.iter().map(|(_, old)| old.len()).sum();
        let mut range = start(block.lines.start)..start(block.lines.end);
        if !self.sought.ends_with(b"\n") {
            let text = &self.content[range.clone()];
            let text = text.strip_suffix(b"\n").unwrap_or(text);
            range.end = range.start + text.strip_suffix(b"\r").unwrap_or(text).len();
        }
        if unit(self.sought, 0).0 != Unit::Blank {
            while range.start < range.end && unit(self.content, range.start).0 == Unit::Blank {
                range.start += unit(self.content, range.start).1;
            }
        }
        let found = Finding::Stale {
            place: self.place(range.clone()),
            changes,
            equal: sought.len() - differing,
        };
        (found, Some(range))
    }
}

/// The blank or line end at the end of `text`, and how long it is.
fn blank_before(text: &[u8]) -> Option<(Unit, usize)> {
    if text.ends_with(b"\r\n") {
        return Some((Unit::LineEnd, 2));
    }
    (1..=text.len().min(3)).find_map(|length| {
        let at = text.len() - length;
        let found = unit(text, at);
        (found.1 == length && matches!(found.0, Unit::Blank | Unit::LineEnd)).then_some(found)
    })
}

/// Whether a line ends before any of `text` is seen.
fn leading_line_end(text: &[u8]) -> bool {
    let mut at = 0;
    while at < text.len() {
        match unit(text, at) {
            (Unit::Blank, length) => at += length,
            (found, _) => return found == Unit::LineEnd,
        }
    }
    false
}

/// Whether a line ends behind all that is seen of `text`.
fn trailing_line_end(text: &[u8]) -> bool {
    let mut end = text.len();
    while let Some((unit, length)) = blank_before(&text[..end]) {
        if unit == Unit::LineEnd {
            return true;
        }
        end -= length;
    }
    false
}

/// A line as it is quoted beside another.
fn shown(line: &[u8]) -> String {
    let line = String::from_utf8_lossy(line);
    match line.char_indices().nth(QUOTED_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.into_owned(),
    }
}

#[cfg(test)]
mod tests;
