//! Texts that leave out their middle, with a line such as `// ... existing code ...` in its place.

use std::ops::Range;

use memchr::memmem::Finder;

use super::fold::{Folded, fold};
use super::{Place, count_line_ends};

/// How many places of a text's beginning are tried.
const MOST_PLACES: usize = 50;

/// The longest line that may stand for others, in characters.
const LONGEST: usize = 100;

/// A text that leaves something out.
#[derive(Debug)]
pub struct Elided {
    /// The line of it that stands for others.
    pub line: String,
    /// From the first line that it has to the last, and what is between.
    pub place: Place,
    /// The file's lines that each of its parts is, first and last.
    pub parts: Vec<(u64, u64)>,
}

/// The same, as it is found.
pub struct Found {
    line: String,
    parts: Vec<(u64, u64)>,
    /// From the beginning of the first part to the end of the last.
    pub range: Range<usize>,
}

impl Found {
    /// With what is to be said of its place.
    pub fn at(self, place: Place) -> Elided {
        Elided {
            line: self.line,
            place,
            parts: self.parts,
        }
    }
}

/// The parts of `sought` between the lines that stand for others, in the folded file, if they are
/// all there in this order.
pub fn find(file: &Folded<'_>, sought: &str) -> Option<Found> {
    let mut parts = vec![String::new()];
    let mut line = None;
    for one in sought.split_inclusive('\n') {
        if stands_for_others(one) {
            line.get_or_insert_with(|| one.trim().to_owned());
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push_str(one);
        }
    }
    let line = line?;
    // The line end before what is left out is no part of what is looked for: another line follows.
    let parts: Vec<Vec<u8>> = parts
        .iter()
        .map(|part| fold(part.trim_matches('\n').as_bytes()))
        .filter(|part| !part.is_empty())
        .collect();
    let ranges = in_order(file, &parts)?;
    // Code may have such a line itself.
    let stands = fold(line.as_bytes());
    let between = ranges
        .windows(2)
        .map(|pair| &file.bytes[pair[0].end..pair[1].start]);
    if between.map(<[u8]>::trim_ascii).any(|gap| gap == stands) {
        return None;
    }
    let ranges: Vec<Range<usize>> = ranges.iter().map(|range| file.trace(range)).collect();
    let whole = ranges.first()?.start..ranges.last()?.end;
    let number = |at: usize| 1 + count_line_ends(&file.source()[..at]);
    Some(Found {
        line,
        parts: ranges
            .iter()
            .map(|range| (number(range.start), number(range.end)))
            .collect(),
        range: whole,
    })
}

/// Where the parts are, one behind the other, as close together as they are anywhere.
fn in_order(file: &Folded<'_>, parts: &[Vec<u8>]) -> Option<Vec<Range<usize>>> {
    let (first, rest) = parts.split_first()?;
    let finders: Vec<Finder<'_>> = rest.iter().map(Finder::new).collect();
    let mut best: Option<Vec<Range<usize>>> = None;
    for at in Finder::new(first).find_iter(&file.bytes).take(MOST_PLACES) {
        let mut end = at + first.len();
        let mut ranges = Vec::with_capacity(parts.len());
        ranges.push(at..end);
        for finder in &finders {
            let Some(found) = finder.find(&file.bytes[end..]) else {
                return best;
            };
            let from = end + found;
            end = from + finder.needle().len();
            ranges.push(from..end);
        }
        let shorter = |best: &Vec<Range<usize>>| {
            best.last()
                .is_some_and(|last| end - at < last.end - best[0].start)
        };
        if best.as_ref().is_none_or(shorter) {
            best = Some(ranges);
        }
    }
    best
}

/// Whether a line says that others are left out in its place.
fn stands_for_others(line: &str) -> bool {
    let line = line.trim();
    if line.is_empty() || line.chars().count() > LONGEST {
        return false;
    }
    let is_mark = |one: char| "/*#<>!-{};%()[]\"'`".contains(one) || one.is_whitespace();
    let words = line.trim_matches(is_mark).to_lowercase();
    let dots = |text: &str| text == "..." || text == "\u{2026}";
    if dots(&words) {
        return true;
    }
    // Code has three dots too (`...args`, `x...`): words that say so are needed beside them.
    let dotted = words.contains("...") || words.contains('\u{2026}');
    let is_comment = line.starts_with(['/', '#', '<', '-', '*', ';', '%', '{', '(', '[', '.'])
        || line.starts_with('\u{2026}');
    let says_so = [
        "existing",
        "rest of",
        "remain",
        "unchanged",
        "omitted",
        "same as",
        "as before",
        "other ",
        "more ",
        "snip",
        "previous",
        "code",
        "lines",
        "truncated",
        "etc",
    ]
    .iter()
    .any(|word| words.contains(word));
    is_comment && says_so && (dotted || words.contains("unchanged") || words.contains("omitted"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_stand_for_others_are_known() {
        for line in [
            "...",
            "  // ...",
            "# ...",
            "…",
            "/* … */",
            "<!-- ... -->",
            "[...]",
            "(...)",
            "// ... existing code ...",
            "# ... rest of the function ...",
            "{/* ... */}",
            "// (rest unchanged)",
            "... (12 lines omitted)",
            "-- ... more columns ...",
        ] {
            assert!(stands_for_others(line), "{line}");
        }
        for line in [
            "f(...args)",
            "let all = [...rest];",
            "// Loading...",
            "print('...')x",
            "}",
            "",
            "for i in 0...9 {",
        ] {
            assert!(!stands_for_others(line), "{line}");
        }
    }
}
