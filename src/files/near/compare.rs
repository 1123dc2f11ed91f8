//! In what two texts differ that are folded to the same.

use super::fold::{Unit, unit};

/// How much of a text is quoted to name a difference, in characters.
const QUOTED: usize = 40;

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The file's line, from 1.
    pub line: u64,
    /// What differs.
    pub what: What,
    /// What the file has there.
    pub file: Vec<u8>,
    /// What the text that was looked for has there.
    pub sought: Vec<u8>,
    /// The text of the line just before it in the file.
    pub behind: String,
}

/// What can differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The blanks before a line's text.
    Indentation,
    /// The blanks behind a line's text.
    Trailing,
    /// The blanks within a line.
    Blanks,
    /// How a line ends.
    LineEnd,
    /// Where a line ends.
    LineBreak,
    /// A character, or the way it is written.
    Character,
    /// Small and capital letters: whole words are named.
    Case,
    /// The file has bytes there that are no UTF-8.
    Broken,
}

impl What {
    /// How far apart it sets two texts.
    pub fn weight(self) -> usize {
        match self {
            Self::LineEnd => 1,
            Self::Trailing | Self::Indentation | Self::Blanks => 2,
            Self::Character | Self::Broken => 3,
            Self::LineBreak => 4,
            Self::Case => 6,
        }
    }
}

/// Walks through a text unit by unit.
struct Walk<'a> {
    text: &'a [u8],
    at: usize,
    /// Where the line begins.
    line_start: usize,
}

impl<'a> Walk<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            at: 0,
            line_start: 0,
        }
    }

    fn next_unit(&self) -> Option<(Unit, &'a [u8])> {
        let (unit, length) = (self.at < self.text.len()).then(|| unit(self.text, self.at))?;
        Some((unit, &self.text[self.at..self.at + length]))
    }

    fn rest(&self) -> &'a [u8] {
        &self.text[self.at..]
    }

    /// Passes over blanks, and over line ends where they count as such.
    fn blanks(&mut self, line_ends: bool) -> &'a [u8] {
        let from = self.at;
        while let Some((unit, bytes)) = self.next_unit() {
            match unit {
                Unit::Blank => {}
                Unit::LineEnd if !line_ends => self.line_start = self.at + bytes.len(),
                _ => break,
            }
            self.at += bytes.len();
        }
        &self.text[from..self.at]
    }
}

/// In what `file`, which begins in line `line` of the file, differs from `sought`. Both are folded
/// to the same, with their line ends or without. `starts_line` says whether nothing is before
/// `file` in its line, `ends_line` whether nothing is behind it in its last one.
pub fn differences(
    (file, sought): (&[u8], &[u8]),
    mut line: u64,
    line_ends: bool,
    (starts_line, ends_line): (bool, bool),
) -> Vec<Difference> {
    let mut found: Vec<Difference> = Vec::new();
    let (mut left, mut right) = (Walk::new(file), Walk::new(sought));
    let mut at_start = starts_line;
    loop {
        let behind = quoted_before(&file[left.line_start..left.at]);
        let (here, there) = (left.blanks(line_ends), right.blanks(line_ends));
        let (next, other) = (left.next_unit(), right.next_unit());
        let ends = matches!(next, Some((Unit::LineEnd, _))) || next.is_none() && ends_line;
        let crossed = has_line_end(here) || has_line_end(there);
        let mut add = |what, file: &[u8], sought: &[u8]| {
            found.push(Difference {
                line,
                what,
                file: file.to_vec(),
                sought: sought.to_vec(),
                behind: behind.clone(),
            });
        };
        if here != there {
            let what = match () {
                () if crossed => What::LineBreak,
                () if at_start => What::Indentation,
                () if ends => What::Trailing,
                () => What::Blanks,
            };
            add(what, here, there);
        }
        line += count_line_ends(here);
        let (Some((unit, bytes)), Some((other, others))) = (next, other) else {
            return found;
        };
        at_start = unit == Unit::LineEnd;
        // An ellipsis stands against three dots.
        let (bytes, others) = match (unit, other) {
            (Unit::Ellipsis, Unit::Character('.')) => (bytes, three_dots(right.rest(), others)),
            (Unit::Character('.'), Unit::Ellipsis) => (three_dots(left.rest(), bytes), others),
            _ => (bytes, others),
        };
        if bytes != others {
            let what = match (unit, other) {
                (Unit::LineEnd, _) => What::LineEnd,
                (Unit::Broken, _) => What::Broken,
                (Unit::Character(one), Unit::Character(two))
                    if one != two && one.to_lowercase().eq(two.to_lowercase()) =>
                {
                    What::Case
                }
                _ => What::Character,
            };
            if what == What::Case {
                // The words as wholes; each once.
                let (one, two) = (word_at(file, left.at), word_at(sought, right.at));
                let again = found.last().is_some_and(|last| {
                    last.what == What::Case && last.line == line && last.file == one
                });
                if !again {
                    found.push(Difference {
                        line,
                        what,
                        file: one.to_vec(),
                        sought: two.to_vec(),
                        behind,
                    });
                }
            } else {
                found.push(Difference {
                    line,
                    what,
                    file: bytes.to_vec(),
                    sought: others.to_vec(),
                    behind,
                });
            }
        }
        left.at += bytes.len();
        right.at += others.len();
        if unit == Unit::LineEnd {
            line += 1;
            left.line_start = left.at;
        }
    }
}

/// The three dots with which `text` begins, or else its first, `one`.
fn three_dots<'a>(text: &'a [u8], one: &'a [u8]) -> &'a [u8] {
    match text.get(..3) {
        Some(dots @ b"...") => dots,
        _ => one,
    }
}

/// The end of `text`, short enough to be quoted.
fn quoted_before(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(&text[text.len().saturating_sub(4 * QUOTED)..]);
    let text = text.trim();
    let skipped = text.chars().count().saturating_sub(QUOTED / 2);
    text.chars().skip(skipped).collect()
}

/// The word around `text[at]`.
fn word_at(text: &[u8], at: usize) -> &[u8] {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let before = text[..at].iter().rev().take_while(|byte| is_word(byte));
    let from = at - before.take(2 * QUOTED).count();
    let behind = text[at..].iter().take_while(|byte| is_word(byte));
    &text[from..at + behind.take(2 * QUOTED).count()]
}

fn has_line_end(bytes: &[u8]) -> bool {
    bytes.contains(&b'\n')
}

/// How many line ends are in `bytes`.
pub fn count_line_ends(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(file: &str, sought: &str) -> Vec<(u64, What, String, String)> {
        let line_ends = super::super::fold::fold(file.as_bytes())
            == super::super::fold::fold(sought.as_bytes());
        let pair = (file.as_bytes(), sought.as_bytes());
        let found = differences(pair, 7, line_ends, (true, true));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let found = found.iter();
        found
            .map(|one| (one.line, one.what, text(&one.file), text(&one.sought)))
            .collect()
    }

    #[test]
    fn each_difference_is_found_where_it_is() {
        let file = "\tif x {\r\n\t\tsay(\u{201C}a\u{201D} );  \r\n\t}";
        let sought = "    if x {\n    \tsay(\"a\");\n\t}";
        let expected: Vec<(u64, What, String, String)> = [
            (7, What::Indentation, "\t", "    "),
            (7, What::LineEnd, "\r\n", "\n"),
            (8, What::Indentation, "\t\t", "    \t"),
            (8, What::Character, "\u{201C}", "\""),
            (8, What::Character, "\u{201D}", "\""),
            (8, What::Blanks, " ", ""),
            (8, What::Trailing, "  ", ""),
            (8, What::LineEnd, "\r\n", "\n"),
        ]
        .map(|(line, what, file, sought)| (line, what, file.to_owned(), sought.to_owned()))
        .to_vec();
        assert_eq!(compared(file, sought), expected);
        assert_eq!(compared(file, file), []);
    }

    #[test]
    fn words_in_other_letters_are_named_whole() {
        let found = compared("let MyName = a;", "let myname = A;");
        let words: Vec<_> = found.iter().map(|one| (&*one.2, &*one.3)).collect();
        assert_eq!(words, [("MyName", "myname"), ("a", "A")]);
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
                (7, What::LineBreak, "\n    "),
                (8, What::LineBreak, "\n    ")
            ]
        );
    }
}
