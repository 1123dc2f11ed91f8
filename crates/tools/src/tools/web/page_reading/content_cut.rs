//! Truncation of content at a sensible place.
//!
//! Rules: the specification's content of `scrape_page`.

use iki_base::wording::floor_boundary;

/// Blanks between words; the third is a wide one, as Chinese and Japanese have it.
const BLANKS: [&str; 4] = [" ", "\t", "\u{3000}", "\n"];

/// Beginning of a text that was cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentBeginning {
    /// The text.
    pub text: String,
    /// First line that is not wholly in it, from 1.
    pub next_line: usize,
}

/// Returns the beginning of `text` that has at most `limit` bytes, if that is not all of it: up to
/// the last end of a paragraph in it, or else of a sentence, a line, a word, each only in its
/// second half. If the cut splits a code block of `markdown`, the block is closed.
pub fn beginning(text: &str, limit: usize, markdown: bool) -> Option<ContentBeginning> {
    if text.len() <= limit {
        return None;
    }
    let end = end(text, limit);
    let Some(fence) = open_fence(&text[..end]).filter(|_| markdown) else {
        return Some(cut_at(text, end, ""));
    };
    // The closing fence needs room too, and code is cut at the end of a line.
    let end = floor_boundary(text, limit.saturating_sub(fence.len() + 1));
    let line = text[..end].rfind('\n').filter(|offset| *offset > limit / 2);
    let end = line.unwrap_or(end);
    let same = open_fence(&text[..end]).is_some_and(|one| one == fence);
    Some(cut_at(text, end, if same { &fence } else { "" }))
}

/// Cuts `text` so; true if it was longer.
pub fn shorten(text: &mut String, limit: usize, markdown: bool) -> bool {
    let beginning = beginning(text, limit, markdown);
    let is_cut = beginning.is_some();
    if let Some(beginning) = beginning {
        *text = beginning.text;
    }
    is_cut
}

fn cut_at(text: &str, end: usize, fence: &str) -> ContentBeginning {
    let prefix = &text[..end];
    let breaks = memchr::memchr_iter(b'\n', prefix.as_bytes()).count();
    let behind_a_line = text[end..].starts_with(['\n', '\r']);
    let mut text = prefix.to_owned();
    if !fence.is_empty() {
        text.push('\n');
        text.push_str(fence);
    }
    ContentBeginning {
        text,
        next_line: breaks + 1 + usize::from(behind_a_line),
    }
}

/// Returns the position to cut `text`, which is longer than `limit`.
fn end(text: &str, limit: usize) -> usize {
    let last = floor_boundary(text, limit);
    let half = floor_boundary(text, limit / 2);
    // The next character shows whether the last one ends something.
    let seen = &text[half..floor_boundary(text, last.saturating_add(4))];
    let last_seen = last - half;
    let beyond = |offset: &usize| half + *offset > limit / 2 && *offset <= last_seen;
    let before = |marks| last_end(seen, last_seen, marks).filter(beyond);
    before(&["\n\n", "\r\n\r\n"])
        .or_else(|| sentence(seen, last_seen).filter(beyond))
        .or_else(|| before(&["\n"]))
        .or_else(|| before(&BLANKS))
        .map_or(last, |offset| half + offset)
}

/// Returns the end of the last piece of text before one of these within the first `last` bytes of
/// `seen`.
fn last_end(seen: &str, last: usize, marks: &[&str]) -> Option<usize> {
    let ends = marks.iter().filter_map(|mark| {
        let mut positions = seen.rmatch_indices(mark).map(|(offset, _)| offset);
        positions.find(|offset| *offset <= last)
    });
    ends.max().map(|offset| seen[..offset].trim_end().len())
}

/// Returns the end of the last such sentence.
fn sentence(seen: &str, last: usize) -> Option<usize> {
    let mut next = None;
    for (offset, c) in seen.char_indices().rev() {
        let behind = offset + c.len_utf8();
        let ends = match c {
            '.' | '!' | '?' => next.is_some_and(char::is_whitespace),
            '。' | '！' | '？' => true,
            _ => false,
        };
        if ends && behind <= last {
            return Some(behind);
        }
        next = Some(c);
    }
    None
}

/// Returns the line that would close the code block left open at the end of `text`.
fn open_fence(text: &str) -> Option<String> {
    let mut fences = CodeFences::default();
    for line in text.lines() {
        fences.pass(line);
    }
    let (mark, length, before) = fences.open?;
    Some(before + &mark.to_string().repeat(length))
}

/// The code block in which a line of Markdown is, if any.
#[derive(Default)]
pub struct CodeFences {
    open: Option<(char, usize, String)>,
}

impl CodeFences {
    /// Passes over the next line. True if it belongs to a code block.
    pub fn pass(&mut self, line: &str) -> bool {
        let inside = self.open.is_some();
        let (before, line) = line.split_at(markers(line, !inside));
        let Some(mark) = line.chars().next().filter(|c| matches!(c, '`' | '~')) else {
            return inside;
        };
        let remainder = line.trim_start_matches(mark);
        let length = line.len() - remainder.len();
        match &self.open {
            None if length >= 3 && (mark == '~' || !remainder.contains('`')) => {
                let blank = |c: char| if c == '>' { c } else { ' ' };
                self.open = Some((mark, length, before.chars().map(blank).collect()));
            }
            Some((one, least, _))
                if *one == mark && length >= *least && remainder.trim().is_empty() =>
            {
                self.open = None;
            }
            _ => {}
        }
        inside || self.open.is_some()
    }
}

/// Returns the length of the markers of quotations, and of list items if `items`, at the beginning
/// of `line`.
pub fn markers(line: &str, items: bool) -> usize {
    let mut offset = 0;
    loop {
        let remainder = &line[offset..];
        let digits = remainder.len()
            - remainder
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .len();
        let numbered = digits > 0 && remainder[digits..].starts_with(['.', ')']);
        let length = match remainder.as_bytes() {
            [b' ' | b'\t' | b'>', ..] => 1,
            [b'-' | b'*' | b'+', b' ', ..] if items => 2,
            _ if items && numbered && remainder[digits + 1..].starts_with(' ') => digits + 2,
            _ => return offset,
        };
        offset += length;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(text: &str, limit: usize) -> Option<String> {
        beginning(text, limit, true).map(|one| one.text)
    }

    #[test]
    fn what_fits_is_not_cut() {
        assert_eq!(cut("", 1), None);
        assert_eq!(cut("abc", 3), None);
        assert_eq!(cut("abc", 2).as_deref(), Some("ab"));
    }

    #[test]
    fn it_is_cut_behind_a_paragraph_a_sentence_a_line_or_a_word_beyond_the_half() {
        for (text, limit, expected) in [
            (
                "one two.\n\nthree four. five",
                21,
                "one two.\n\nthree four.",
            ),
            ("one. two.\n\nthree four", 14, "one. two."),
            ("one. two.\n\nthree", 9, "one. two."),
            ("one. two.\r\n\r\nthree", 15, "one. two."),
            ("a.\n\nthree four five. six", 21, "a.\n\nthree four five."),
            (
                "version 1.25 of many\nlines here",
                24,
                "version 1.25 of many",
            ),
            ("version 1.25 of manythings", 17, "version 1.25 of"),
            ("version 1.25 of manythings", 15, "version 1.25 of"),
            ("a bcdefghijklmnopqrst", 10, "a bcdefghi"),
            ("日本。語日本語日本語", 16, "日本。"),
            ("日本語日本語日本語", 11, "日本語"),
        ] {
            assert_eq!(
                cut(text, limit).as_deref(),
                Some(expected),
                "{text:?} {limit}"
            );
        }
    }

    #[test]
    fn code_that_is_cut_is_closed_as_it_was_opened() {
        let code = "Text before.\n\n```rust\nlet a = 1;\nlet b = 2;\nlet c = 3;\n```\n\nText.";
        assert_eq!(
            cut(code, 50).as_deref(),
            Some("Text before.\n\n```rust\nlet a = 1;\nlet b = 2;\n```")
        );
        assert_eq!(
            beginning(code, 50, false)
                .unwrap()
                .text
                .matches("```")
                .count(),
            1
        );
        let item = "- ~~~~\n  aaaaaaaaaa\n  ~~~\n  bbbbbbbbbb\n  cccccccc\n  ~~~~";
        assert_eq!(
            cut(item, 48).as_deref(),
            Some("- ~~~~\n  aaaaaaaaaa\n  ~~~\n  bbbbbbbbbb\n  ~~~~")
        );
        let quote = "> ```\n> aaaaaaaaaa\n> bbbbbbbbbb\n> cccccccccc\n> ```";
        assert_eq!(
            cut(quote, 40).as_deref(),
            Some("> ```\n> aaaaaaaaaa\n> bbbbbbbbbb\n> ```")
        );
        assert_eq!(cut("3. `x` y z", 8).as_deref(), Some("3. `x` y"));
    }

    #[test]
    fn the_next_line_is_the_first_that_is_not_whole() {
        let next = |text, limit| beginning(text, limit, true).unwrap().next_line;
        assert_eq!(next("one\ntwo\nthree", 7), 3);
        assert_eq!(next("one\ntwo\nthree", 10), 3);
        assert_eq!(next("one\n\nthree four", 11), 3);
        assert_eq!(next("abcdefghi", 5), 1);
    }

    proptest! {
        #[test]
        fn a_beginning_is_one_and_has_room(
            text in "(?s)([a-z. \n`>é日]|```\n|- ){0,60}",
            limit in 1..80usize,
        ) {
            match beginning(&text, limit, false) {
                None => prop_assert!(text.len() <= limit),
                Some(cut) => {
                    prop_assert!(text.starts_with(&cut.text));
                    prop_assert!(cut.text.len() <= limit && cut.text.len() < text.len());
                }
            }
            if let Some(cut) = beginning(&text, limit, true) {
                prop_assert!(cut.text.len() <= limit.max(8));
            }
        }
    }
}
