//! The text of a file that is nearest to one that is not in it, so that the caller can be told what
//! is there instead. Nothing is ever replaced by likeness.
//!
//! Rules: the decisions on file-edit. A search ends when its time is over; its answer is true of as
//! much of the file as it has seen.

mod differences;
mod finding;
mod fold;
mod lines;
mod repair;

use std::ops::Range;
use std::time::{Duration, Instant};

use memchr::memmem::Finder;

pub use differences::{DifferenceKind, TextDifference};
pub use finding::{FilePlace, LineChange, NearestFinding, NearestText, QuotedText};
pub use repair::TextRepair;

use differences::{count_line_ends, text_differences};
use fold::{FoldedText, TextUnit, blank_end, blank_start, fold_text, unit_at};
use lines::LikeLines;

/// The most lines that are named of several.
pub const MOST_NAMED: usize = 12;

/// The most places that look alike and are compared to find the nearest of them.
const MOST_PLACES: usize = 500;

/// The longest text of a file that is quoted, in bytes and in lines.
const QUOTED: (usize, u64) = (2000, 40);

/// The longest line of a file that is quoted beside another, in characters.
const QUOTED_LINE: usize = 160;

/// The most lines of a change that are quoted.
const QUOTED_LINES: usize = 3;

/// The shortest text that is looked for without its line ends, folded: of a few characters it is
/// not known what they are a part of.
const SHORTEST_JOINED: usize = 6;

/// The time of a search.
pub struct SearchClock(Option<Instant>);

impl SearchClock {
    /// Runs out after `duration`.
    pub fn of(duration: Duration) -> Self {
        Self(Instant::now().checked_add(duration))
    }

    /// Never runs out.
    pub const fn endless() -> Self {
        Self(None)
    }

    fn end(&self) -> Option<Instant> {
        self.0
    }

    fn is_out(&self) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }
}

/// Looks in `content`, the `whole` of a file or its beginning, for what is nearest to `sought`,
/// which is not in it and was to be replaced by `new`.
pub fn find_nearest(
    content: &[u8],
    whole: bool,
    sought: &[u8],
    new: &[u8],
    clock: &SearchClock,
) -> NearestText {
    let ends = count_line_ends(content);
    let unended = !content.is_empty() && !content.ends_with(b"\n");
    let already = already(content, new);
    let search = NearestSearch {
        content,
        sought,
        clock,
    };
    let (finding, place) = search.nearest();
    // The place may be what an earlier edit has made: then most of it is the new text.
    let made = place.is_some_and(|place| {
        already.iter().any(|at| {
            let end = place.end.min(at + new.len());
            end.saturating_sub(place.start.max(*at)) * 2 > place.len()
        })
    });
    NearestText {
        lines: ends + u64::from(unended),
        whole,
        already: line_numbers(content, &already),
        finding: if made {
            NearestFinding::Nothing
        } else {
            finding
        },
    }
}

/// The places of `new` in the file, if it is a text that says something and they are few.
fn already(content: &[u8], new: &[u8]) -> Vec<usize> {
    let seen = fold_text(new).len();
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
    // A text that is everywhere was not put there by one edit.
    if found.len() > 3 {
        found.clear();
    }
    found
}

/// True if no word goes on beyond `place`.
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

struct NearestSearch<'a> {
    content: &'a [u8],
    sought: &'a [u8],
    clock: &'a SearchClock,
}

type FoundPlace = (NearestFinding, Option<Range<usize>>);

impl NearestSearch<'_> {
    fn nearest(&self) -> FoundPlace {
        if self.content.is_empty() {
            return (NearestFinding::Empty, None);
        }
        if let Some(encoding) = super::kind::wide_encoding(self.content) {
            return (NearestFinding::Wide(encoding), None);
        }
        let folded = FoldedText::new(self.content, true, self.clock);
        if is_blank(&fold_text(self.sought)) {
            return (NearestFinding::Blank, None);
        }
        let mut texts = vec![(None, self.sought.to_vec())];
        if let Ok(sought) = std::str::from_utf8(self.sought) {
            let repaired = repair::repaired_texts(sought).into_iter();
            texts.extend(repaired.map(|(repair, text)| (Some(repair), text.into_bytes())));
        }
        for (repair, text) in texts {
            if let Some(found) = self.alike(&folded, repair, &text, true) {
                return found;
            }
            if self.clock.is_out() {
                return (NearestFinding::Unknown, None);
            }
        }
        let joined = FoldedText::new(self.content, false, self.clock);
        if let Some(found) = self.alike(&joined, None, self.sought, false) {
            return found;
        }
        let cut = folded.source().len() < self.content.len();
        match lines::most_like_lines(&folded, self.sought, self.clock) {
            Ok(Some(lines)) => self.stale(&lines),
            Ok(None) if !cut => (NearestFinding::Nothing, None),
            Ok(None) | Err(()) => (NearestFinding::Unknown, None),
        }
    }

    /// Of the places that are folded to the same as `text`, with their `line_ends` or without, the
    /// one that is nearest to it.
    fn alike(
        &self,
        folded: &FoldedText<'_>,
        repair: Option<TextRepair>,
        text: &[u8],
        line_ends: bool,
    ) -> Option<FoundPlace> {
        let mut sought = fold_text(text);
        sought.retain(|byte| line_ends || *byte != b'\n');
        if is_blank(&sought) || !line_ends && sought.len() < SHORTEST_JOINED {
            return None;
        }
        let mut best: Option<(usize, Range<usize>)> = None;
        let mut others = 0;
        for at in Finder::new(&sought)
            .find_iter(&folded.bytes)
            .take(MOST_PLACES)
        {
            if best.is_some() && self.clock.is_out() {
                break;
            }
            let range = folded.trace(&(at..at + sought.len()));
            let range = self.with_blanks(range, text, line_ends);
            let differences = self.differences(&range, text, 0, line_ends);
            let weight = differences.iter().map(|one| one.kind.weight()).sum();
            match &best {
                Some((least, _)) if weight > *least => {}
                Some((least, _)) if weight == *least => others += 1,
                _ => {
                    best = Some((weight, range));
                    others = 0;
                }
            }
        }
        let (_, range) = best?;
        let place = self.place(range.clone());
        let found = NearestFinding::Alike {
            repair,
            differences: self.differences(&range, text, place.first, line_ends),
            place,
            others,
        };
        Some((found, Some(range)))
    }

    /// `range` with the blanks before and behind it, where `sought` has blanks there. They reach
    /// over the end of a line only where line ends do not count and those of `sought` do so, too.
    fn with_blanks(&self, range: Range<usize>, sought: &[u8], line_ends: bool) -> Range<usize> {
        let over = |blanks: &[u8]| !line_ends && blanks.contains(&b'\n');
        let before = over(&sought[..blank_end(sought, 0, true)]);
        let behind = over(&sought[blank_start(sought, sought.len(), true)..]);
        let (mut start, mut end) = (range.start, range.end);
        if blank_end(sought, 0, before) > 0 {
            start = blank_start(self.content, start, before);
        }
        if blank_start(sought, sought.len(), behind) < sought.len() {
            end = blank_end(self.content, end, behind);
        }
        start..end
    }

    /// The differences between the file's `range`, which begins in line `line`, and `sought`.
    fn differences(
        &self,
        range: &Range<usize>,
        sought: &[u8],
        line: u64,
        line_ends: bool,
    ) -> Vec<TextDifference> {
        let (before, behind) = (&self.content[..range.start], &self.content[range.end..]);
        let starts_line = before.is_empty() || before.ends_with(b"\n");
        let ends_line = behind.is_empty() || unit_at(behind, 0).0 == TextUnit::LineEnd;
        let pair = (&self.content[range.clone()], sought);
        text_differences(pair, line, line_ends, (starts_line, ends_line))
    }

    /// The lines and the text of `range`.
    fn place(&self, range: Range<usize>) -> FilePlace {
        let text = &self.content[range.clone()];
        let first = 1 + count_line_ends(&self.content[..range.start]);
        let inner = text.strip_suffix(b"\n").unwrap_or(text);
        let last = first + count_line_ends(inner);
        let (most_bytes, most_lines) = QUOTED;
        let quoted = match std::str::from_utf8(text) {
            _ if text.len() > most_bytes || last - first >= most_lines => QuotedText::TooLong,
            Ok(text) => QuotedText::Text(text.to_owned()),
            Err(_) => QuotedText::NotText,
        };
        let places: Vec<usize> = Finder::new(text).find_iter(self.content).collect();
        let named = &places[..places.len().min(MOST_NAMED)];
        FilePlace {
            first,
            last,
            text: quoted,
            same: (line_numbers(self.content, named), places.len()),
        }
    }

    fn stale(&self, found: &LikeLines) -> FoundPlace {
        let file: Vec<&[u8]> = self
            .content
            .split_inclusive(|byte| *byte == b'\n')
            .collect();
        let sought = self.sought.strip_suffix(b"\n").unwrap_or(self.sought);
        let sought: Vec<&[u8]> = sought.split(|byte| *byte == b'\n').collect();
        let shown = |lines: &[&[u8]]| {
            let mut quoted: Vec<String> = lines
                .iter()
                .take(QUOTED_LINES)
                .map(|line| shown(line))
                .collect();
            if lines.len() > quoted.len() {
                quoted.push("…".to_owned());
            }
            quoted
        };
        let changes = found.changes.iter().map(|(there, at)| LineChange {
            lines: there.start as u64 + 1..there.end as u64 + 1,
            file: shown(&file[there.clone()]),
            sought: shown(&sought[at.clone()]),
        });
        let differing: usize = found.changes.iter().map(|(_, at)| at.len()).sum();
        let length = |lines: &[&[u8]]| lines.iter().map(|line| line.len()).sum::<usize>();
        let mut start = length(&file[..found.lines.start]);
        let mut end = start + length(&file[found.lines.clone()]);
        if !self.sought.ends_with(b"\n") {
            end = start + without_line_end(&self.content[start..end]).len();
        }
        if unit_at(self.sought, 0).0 != TextUnit::Blank {
            start = blank_end(&self.content[..end], start, false);
        }
        let finding = NearestFinding::Stale {
            place: self.place(start..end),
            changes: changes.collect(),
            equal: sought.len() - differing,
        };
        (finding, Some(start..end))
    }
}

/// True if nothing but line ends is left of a folded text.
fn is_blank(folded: &[u8]) -> bool {
    folded.iter().all(|byte| *byte == b'\n')
}

fn without_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// A line as it is quoted beside another.
fn shown(line: &[u8]) -> String {
    let line = String::from_utf8_lossy(without_line_end(line));
    match line.char_indices().nth(QUOTED_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.into_owned(),
    }
}

#[cfg(test)]
mod tests;
