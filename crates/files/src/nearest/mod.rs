//! Finds the text of a file that is nearest to one that is not in it, so that the caller learns
//! what is there instead. Nothing is ever replaced by similarity.
//!
//! Rules: the decisions on file-edit. A search ends when its time is over; its answer is true of as
//! much of the file as it has seen.

mod differences;
mod finding;
mod fold;
mod lines;
mod repair;

use std::ops::Range;
use std::time::Instant;

use memchr::memmem::Finder;

pub use differences::{DifferenceKind, TextDifference};
pub use finding::{NearestFinding, NearestPlace, NearestText};
pub use repair::TextRepair;

use differences::{count_line_ends, text_differences};
use fold::{FoldedText, TextUnit, blank_end, blank_start, fold_text, unit_at};
use lines::SimilarLines;

/// Maximum number of lines that are named of several.
pub const MAX_NAMED_LINES: usize = 12;

/// Maximum number of places equal when folded that are compared to find the nearest of them.
const MAX_COMPARED_PLACES: usize = 500;

/// Minimum length of folded text that is searched for across line ends; shorter text would match
/// inside unrelated words.
const MIN_JOINED_BYTES: usize = 6;

/// Minimum length of folded new text that is searched for; shorter text would match inside words.
const MIN_NEW_TEXT_BYTES: usize = 6;

/// Maximum number of places of the new text. Text that is everywhere was not put there by one edit.
const MAX_PLACES_OF_NEW_TEXT: usize = 3;

/// True if the time of a search, until `end`, is over.
fn is_over(end: Option<Instant>) -> bool {
    end.is_some_and(|end| Instant::now() >= end)
}

/// Looks in `content`, a file or its beginning, for what is nearest to `sought`, which is not in it
/// and was to be replaced by `new`. The search ends at `end`.
#[must_use]
pub(crate) fn find_nearest(
    content: &[u8],
    sought: &[u8],
    new: &[u8],
    end: Option<Instant>,
) -> NearestText {
    let search = NearestSearch {
        content,
        sought,
        end,
    };
    let mut finding = search.nearest();
    let places = places_of_new_text(content, new);
    // The place may be what an earlier edit has made: then most of it is the new text.
    if let NearestFinding::Place(place) = &finding
        && places.iter().any(|offset| {
            let (start, end) = (place.range.start, place.range.end);
            let made = end
                .min(offset + new.len())
                .saturating_sub(start.max(*offset));
            made * 2 > end - start
        })
    {
        finding = NearestFinding::Nothing;
    }
    NearestText {
        lines_with_new_text: line_numbers(content, &places),
        finding,
    }
}

/// Offsets at which the file already has `new`; empty if `new` is too short or too common to prove
/// an earlier edit.
fn places_of_new_text(content: &[u8], new: &[u8]) -> Vec<usize> {
    if fold_text(new, false).len() < MIN_NEW_TEXT_BYTES {
        return Vec::new();
    }
    let find = |new: &[u8]| -> Vec<usize> {
        let finder = Finder::new(new);
        let places = finder.find_iter(content);
        places.take(MAX_PLACES_OF_NEW_TEXT + 1).collect()
    };
    let mut places = find(new);
    if places.is_empty() {
        places = find(&super::line_ends::with_crlf(new));
    }
    if places.len() > MAX_PLACES_OF_NEW_TEXT {
        places.clear();
    }
    places
}

/// The numbers of the lines in which the offsets `places`, which ascend, are.
fn line_numbers(content: &[u8], places: &[usize]) -> Vec<u64> {
    let (mut line, mut from) = (1, 0);
    let number = |offset: &usize| {
        line += count_line_ends(&content[from..*offset]);
        from = *offset;
        line
    };
    places.iter().map(number).collect()
}

struct NearestSearch<'a> {
    content: &'a [u8],
    sought: &'a [u8],
    end: Option<Instant>,
}

impl NearestSearch<'_> {
    fn nearest(&self) -> NearestFinding {
        if self.content.is_empty() {
            return NearestFinding::Empty;
        }
        if fold_text(self.sought, false).is_empty() {
            return NearestFinding::Blank;
        }
        let folded = FoldedText::new(self.content, true, self.end);
        let mut texts = vec![(None, self.sought.to_vec())];
        if let Ok(sought) = std::str::from_utf8(self.sought) {
            let repaired = repair::repaired_texts(sought);
            texts.extend(repaired.map(|(repair, text)| (Some(repair), text.into_bytes())));
        }
        for (repair, text) in texts {
            if let Some(nearest_text) = self.find_equal_when_folded(&folded, repair, &text) {
                return nearest_text;
            }
            if is_over(self.end) {
                return NearestFinding::Unknown;
            }
        }
        let joined = FoldedText::new(self.content, false, self.end);
        if let Some(nearest_text) = self.find_equal_when_folded(&joined, None, self.sought) {
            return nearest_text;
        }
        let is_cut = folded.source.len() < self.content.len();
        match lines::most_similar_lines(&folded, self.sought, self.end) {
            Ok(Some(lines)) => self.place_of_lines(&lines),
            Ok(None) if !is_cut => NearestFinding::Nothing,
            Ok(None) | Err(()) => NearestFinding::Unknown,
        }
    }

    /// The best of the places that equal `text` when both are folded (case, blanks, look-alike
    /// characters); line ends must match if `folded` has them.
    fn find_equal_when_folded(
        &self,
        folded: &FoldedText<'_>,
        repair: Option<TextRepair>,
        text: &[u8],
    ) -> Option<NearestFinding> {
        let line_ends = folded.has_line_ends;
        let sought = fold_text(text, line_ends);
        let is_blank = sought.iter().all(|byte| *byte == b'\n');
        if is_blank || !line_ends && sought.len() < MIN_JOINED_BYTES {
            return None;
        }
        let mut best = None;
        let mut least = usize::MAX;
        for offset in Finder::new(&sought)
            .find_iter(&folded.bytes)
            .take(MAX_COMPARED_PLACES)
        {
            if best.is_some() && is_over(self.end) {
                break;
            }
            let range = folded.trace(&(offset..offset + sought.len()));
            let range = self.with_blanks(range, text, line_ends);
            let differences = text_differences(self.content, range.clone(), text, line_ends);
            let distance = differences.iter().map(|one| one.kind.distance()).sum();
            if distance < least {
                least = distance;
                best = Some((range, differences));
            }
        }
        best.map(|(range, differences)| self.place(range, repair, differences))
    }

    /// `range` with the blanks before and after it, where `sought` has blanks there. They reach
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

    /// The place of `range`, from the start of which the lines of `differences` are counted.
    fn place(
        &self,
        range: Range<usize>,
        repair: Option<TextRepair>,
        mut differences: Vec<TextDifference>,
    ) -> NearestFinding {
        let text = &self.content[range.clone()];
        let first = 1 + count_line_ends(&self.content[..range.start]);
        for one in &mut differences {
            one.line += first;
        }
        let same: Vec<usize> = Finder::new(text).find_iter(self.content).collect();
        NearestFinding::Place(NearestPlace {
            repair,
            differences,
            range,
            text: text.to_vec(),
            first,
            last: first + count_line_ends(text.strip_suffix(b"\n").unwrap_or(text)),
            same: line_numbers(self.content, &same),
        })
    }

    fn place_of_lines(&self, similar: &SimilarLines) -> NearestFinding {
        let lines_of = |text| <[u8]>::split_inclusive(text, |byte| *byte == b'\n').collect();
        let (file, sought): (Vec<&[u8]>, Vec<&[u8]>) =
            (lines_of(self.content), lines_of(self.sought));
        let changes = similar.changes.iter().map(|(there, sought_lines)| {
            let line = (there.start - similar.lines.start) as u64;
            let (there, sought_text) = (
                file[there.clone()].concat(),
                sought[sought_lines.clone()].concat(),
            );
            TextDifference::new(line, DifferenceKind::Lines, &there, &sought_text)
        });
        let length = |lines: &[&[u8]]| lines.iter().map(|line| line.len()).sum::<usize>();
        let mut start = length(&file[..similar.lines.start]);
        let mut end = start + length(&file[similar.lines.clone()]);
        if !self.sought.ends_with(b"\n") {
            let text = &self.content[..end];
            let text = text.strip_suffix(b"\n").unwrap_or(text);
            end = text.strip_suffix(b"\r").unwrap_or(text).len();
        }
        if unit_at(self.sought, 0).0 != TextUnit::Blank {
            start = blank_end(&self.content[..end], start, false);
        }
        self.place(start..end, None, changes.collect())
    }
}

#[cfg(test)]
mod tests;
