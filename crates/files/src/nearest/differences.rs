//! The differences between a place of a file and a text that equals it when both are folded.

use std::ops::Range;

use super::fold::{TextUnit, blank_end, unit_at};

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextDifference {
    /// The file's line, from 1.
    pub line: u64,
    /// Its kind.
    pub kind: DifferenceKind,
    /// The file's bytes there.
    pub file: Vec<u8>,
    /// The bytes of the sought text.
    pub sought: Vec<u8>,
}

impl TextDifference {
    /// A difference of this kind.
    #[must_use]
    pub fn new(line: u64, kind: DifferenceKind, file: &[u8], sought: &[u8]) -> Self {
        let (file, sought) = (file.to_vec(), sought.to_vec());
        Self {
            line,
            kind,
            file,
            sought,
        }
    }
}

/// A kind of difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// The blanks before a line's text.
    Indentation,
    /// The blanks after a line's text, or the bytes of its line end.
    Ending,
    /// Blanks or a character within the text.
    Within,
    /// Upper and lower case; the bytes are left out.
    Case,
    /// Whole lines.
    Lines,
}

impl DifferenceKind {
    /// The distance that it adds between two texts.
    #[must_use]
    pub fn distance(self) -> usize {
        if self == Self::Case { 3 } else { 1 }
    }
}

/// The differences between the `range` of a file and `sought`, which are equal when folded, with
/// their `line_ends` or without. Lines are counted from the start of the range, from 0.
pub fn text_differences(
    content: &[u8],
    range: Range<usize>,
    sought: &[u8],
    line_ends: bool,
) -> Vec<TextDifference> {
    let file = &content[..range.end];
    let (mut line, mut left, mut right) = (0, range.start, 0);
    let mut differences = Vec::new();
    loop {
        let starts_line = left == 0 || file[left - 1] == b'\n';
        let here = &file[left..blank_end(file, left, !line_ends)];
        let there = &sought[right..blank_end(sought, right, !line_ends)];
        (left, right) = (left + here.len(), right + there.len());
        let ends_line = left == content.len() || unit_at(content, left).0 == TextUnit::LineEnd;
        if here != there {
            let kind = match () {
                () if here.contains(&b'\n') || there.contains(&b'\n') => DifferenceKind::Within,
                () if starts_line => DifferenceKind::Indentation,
                () if ends_line => DifferenceKind::Ending,
                () => DifferenceKind::Within,
            };
            differences.push(TextDifference::new(line, kind, here, there));
        }
        line += count_line_ends(here);
        if left == file.len() || right == sought.len() {
            return differences;
        }
        let (unit, mut length) = unit_at(file, left);
        let (other, mut other_length) = unit_at(sought, right);
        // `…` in one text corresponds to three dots in the other.
        if other == TextUnit::Ellipsis && file[left..].starts_with(b"...") {
            length = 3;
        } else if unit == TextUnit::Ellipsis && sought[right..].starts_with(b"...") {
            other_length = 3;
        }
        let here = &file[left..left + length];
        let there = &sought[right..right + other_length];
        if here != there {
            differences.push(match (unit, other) {
                (TextUnit::Character(one), TextUnit::Character(two))
                    if one != two && one.to_lowercase().eq(two.to_lowercase()) =>
                {
                    TextDifference::new(line, DifferenceKind::Case, b"", b"")
                }
                (TextUnit::LineEnd, _) => {
                    TextDifference::new(line, DifferenceKind::Ending, here, there)
                }
                _ => TextDifference::new(line, DifferenceKind::Within, here, there),
            });
        }
        (left, right) = (left + length, right + other_length);
        line += u64::from(unit == TextUnit::LineEnd);
    }
}

/// Counts the line ends in `bytes`.
pub fn count_line_ends(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(file: &str, sought: &str) -> Vec<(u64, DifferenceKind, String, String)> {
        let folded = |text: &str| crate::nearest::fold::fold_text(text.as_bytes(), true);
        let line_ends = folded(file) == folded(sought);
        let (file, range) = (file.as_bytes(), 0..file.len());
        let differences = text_differences(file, range, sought.as_bytes(), line_ends);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let differences = differences.iter();
        differences
            .map(|one| (one.line, one.kind, text(&one.file), text(&one.sought)))
            .collect()
    }

    #[test]
    fn each_difference_is_found_where_it_is() {
        let file = "\tif x {\r\n\t\tsay(\u{201C}a\u{201D} );  \r\n\t}";
        let sought = "    if x {\n    \tsay(\"a\");\n\t}";
        let expected: Vec<(u64, DifferenceKind, String, String)> = [
            (0, DifferenceKind::Indentation, "\t", "    "),
            (0, DifferenceKind::Ending, "\r\n", "\n"),
            (1, DifferenceKind::Indentation, "\t\t", "    \t"),
            (1, DifferenceKind::Within, "\u{201C}", "\""),
            (1, DifferenceKind::Within, "\u{201D}", "\""),
            (1, DifferenceKind::Within, " ", ""),
            (1, DifferenceKind::Ending, "  ", ""),
            (1, DifferenceKind::Ending, "\r\n", "\n"),
        ]
        .map(|(line, what, file, sought)| (line, what, file.to_owned(), sought.to_owned()))
        .to_vec();
        assert_eq!(compared(file, sought), expected);
        assert_eq!(compared(file, file), []);
    }

    #[test]
    fn letters_in_another_case_are_told_without_them() {
        let differences = compared("let MyName = a;", "let myname = A;");
        assert!(
            differences
                .iter()
                .all(|one| one.1 == DifferenceKind::Case && one.2.is_empty())
        );
    }

    #[test]
    fn an_ellipsis_and_accents_are_characters() {
        let differences = compared("a\u{2026} caf\u{E9}.", "a... cafe\u{301}.");
        let pairs: Vec<_> = differences.iter().map(|one| (&*one.2, &*one.3)).collect();
        assert_eq!(pairs, [("\u{2026}", "..."), ("\u{E9}", "e\u{301}")]);
    }

    #[test]
    fn lines_that_are_broken_otherwise_are_found_where_they_break() {
        let differences = compared("f(\n    a,\n    b)", "f(a, b)");
        let differences: Vec<_> = differences
            .iter()
            .map(|one| (one.0, one.1, &*one.2))
            .collect();
        assert_eq!(
            differences,
            [
                (0, DifferenceKind::Within, "\n    "),
                (1, DifferenceKind::Within, "\n    ")
            ]
        );
    }
}
