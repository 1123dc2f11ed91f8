//! The differences between two texts that are folded to the same.

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
    /// The bytes of the text that was looked for.
    pub sought: Vec<u8>,
}

/// A kind of difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// The blanks before a line's text.
    Indentation,
    /// The blanks behind a line's text.
    Trailing,
    /// The blanks or line ends within the text.
    Blanks,
    /// LF or CRLF.
    LineEnd,
    /// A character, or the way it is written.
    Character,
    /// Small and capital letters; the bytes are left out.
    Case,
    /// The file has bytes there that are not UTF-8.
    NotUtf8,
}

impl DifferenceKind {
    /// The distance that it adds between two texts.
    pub fn weight(self) -> usize {
        match self {
            Self::LineEnd => 1,
            Self::Trailing | Self::Indentation | Self::Blanks => 2,
            Self::Character | Self::NotUtf8 => 3,
            Self::Case => 6,
        }
    }
}

/// The differences between `file`, which begins in line `line` of the file, and `sought`. Both are
/// folded to the same, with their `line_ends` or without. `starts_line` says that nothing is before
/// `file` in its line, `ends_line` that nothing is behind it in its last one.
pub fn text_differences(
    (file, sought): (&[u8], &[u8]),
    mut line: u64,
    line_ends: bool,
    (starts_line, ends_line): (bool, bool),
) -> Vec<TextDifference> {
    let mut found: Vec<TextDifference> = Vec::new();
    let (mut left, mut right) = (0, 0);
    let mut at_start = starts_line;
    loop {
        let here = &file[left..blank_end(file, left, !line_ends)];
        let there = &sought[right..blank_end(sought, right, !line_ends)];
        (left, right) = (left + here.len(), right + there.len());
        let next = (left < file.len()).then(|| unit_at(file, left));
        let other = (right < sought.len()).then(|| unit_at(sought, right));
        let ends = next.map_or(ends_line, |(unit, _)| unit == TextUnit::LineEnd);
        let mut add = |line, kind, file: &[u8], sought: &[u8]| {
            found.push(TextDifference {
                line,
                kind,
                file: file.to_vec(),
                sought: sought.to_vec(),
            });
        };
        if here != there {
            let kind = match () {
                () if here.contains(&b'\n') || there.contains(&b'\n') => DifferenceKind::Blanks,
                () if at_start => DifferenceKind::Indentation,
                () if ends => DifferenceKind::Trailing,
                () => DifferenceKind::Blanks,
            };
            add(line, kind, here, there);
        }
        line += count_line_ends(here);
        let (Some((unit, length)), Some((other, other_length))) = (next, other) else {
            return found;
        };
        // An ellipsis stands against three dots.
        let bytes = match unit {
            TextUnit::Character('.') if other == TextUnit::Ellipsis => three_dots(&file[left..]),
            _ => &file[left..left + length],
        };
        let others = match other {
            TextUnit::Character('.') if unit == TextUnit::Ellipsis => three_dots(&sought[right..]),
            _ => &sought[right..right + other_length],
        };
        if bytes != others {
            match (unit, other) {
                (TextUnit::LineEnd, _) => add(line, DifferenceKind::LineEnd, bytes, others),
                (TextUnit::NotUtf8, _) => add(line, DifferenceKind::NotUtf8, bytes, others),
                (TextUnit::Character(one), TextUnit::Character(two))
                    if one != two && one.to_lowercase().eq(two.to_lowercase()) =>
                {
                    add(line, DifferenceKind::Case, b"", b"");
                }
                _ => add(line, DifferenceKind::Character, bytes, others),
            }
        }
        (left, right) = (left + bytes.len(), right + others.len());
        at_start = unit == TextUnit::LineEnd;
        line += u64::from(at_start);
    }
}

/// The three dots with which `text` begins, or else its first one.
fn three_dots(text: &[u8]) -> &[u8] {
    let length = if text.starts_with(b"...") { 3 } else { 1 };
    &text[..length]
}

/// Counts the line ends in `bytes`.
pub fn count_line_ends(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(file: &str, sought: &str) -> Vec<(u64, DifferenceKind, String, String)> {
        let folded = |text: &str| crate::files::nearest::fold::fold_text(text.as_bytes());
        let line_ends = folded(file) == folded(sought);
        let pair = (file.as_bytes(), sought.as_bytes());
        let found = text_differences(pair, 7, line_ends, (true, true));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let found = found.iter();
        found
            .map(|one| (one.line, one.kind, text(&one.file), text(&one.sought)))
            .collect()
    }

    #[test]
    fn each_difference_is_found_where_it_is() {
        let file = "\tif x {\r\n\t\tsay(\u{201C}a\u{201D} );  \r\n\t}";
        let sought = "    if x {\n    \tsay(\"a\");\n\t}";
        let expected: Vec<(u64, DifferenceKind, String, String)> = [
            (7, DifferenceKind::Indentation, "\t", "    "),
            (7, DifferenceKind::LineEnd, "\r\n", "\n"),
            (8, DifferenceKind::Indentation, "\t\t", "    \t"),
            (8, DifferenceKind::Character, "\u{201C}", "\""),
            (8, DifferenceKind::Character, "\u{201D}", "\""),
            (8, DifferenceKind::Blanks, " ", ""),
            (8, DifferenceKind::Trailing, "  ", ""),
            (8, DifferenceKind::LineEnd, "\r\n", "\n"),
        ]
        .map(|(line, what, file, sought)| (line, what, file.to_owned(), sought.to_owned()))
        .to_vec();
        assert_eq!(compared(file, sought), expected);
        assert_eq!(compared(file, file), []);
    }

    #[test]
    fn letters_in_another_case_are_told_without_them() {
        let found = compared("let MyName = a;", "let myname = A;");
        assert!(
            found
                .iter()
                .all(|one| one.1 == DifferenceKind::Case && one.2.is_empty())
        );
    }

    #[test]
    fn an_ellipsis_and_accents_are_characters() {
        let found = compared("a\u{2026} caf\u{E9}.", "a... cafe\u{301}.");
        let pairs: Vec<_> = found.iter().map(|one| (&*one.2, &*one.3)).collect();
        assert_eq!(pairs, [("\u{2026}", "..."), ("\u{E9}", "e\u{301}")]);
    }

    #[test]
    fn lines_that_are_broken_otherwise_are_found_where_they_break() {
        let found = compared("f(\n    a,\n    b)", "f(a, b)");
        let found: Vec<_> = found.iter().map(|one| (one.0, one.1, &*one.2)).collect();
        assert_eq!(
            found,
            [
                (7, DifferenceKind::Blanks, "\n    "),
                (8, DifferenceKind::Blanks, "\n    ")
            ]
        );
    }
}
