//! The parts of a text between blank lines: which of them are prose, and which of those stood in an
//! earlier text.

use std::collections::HashSet;

use crate::tools::web::page_reading::content_cut::{self, CodeFences};
use iki_base::wording::joined_words;

/// A part of a text, with the blank lines after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceBlock<'t> {
    pub text: &'t str,
    /// True for sentences, or a list of them; false for a heading, a part of a code block, a table,
    /// and anything else that is more than its words.
    pub is_prose: bool,
}

/// Splits a text into its parts. Of one that is not Markdown, whatever does not read like sentences
/// may be code or data.
pub fn blocks(text: &str, markdown: bool) -> Vec<SourceBlock<'_>> {
    let mut list = Vec::new();
    let mut fences = CodeFences::default();
    let (mut start, mut offset, mut in_code, mut after_blank) = (0, 0, false, false);
    for line in text.split_inclusive('\n') {
        let code = markdown && fences.pass(line.trim_end());
        let blank = !code && line.trim().is_empty();
        if after_blank && !blank {
            list.push(block(&text[start..offset], markdown, in_code));
            (start, in_code) = (offset, false);
        }
        after_blank = blank;
        in_code |= code;
        offset += line.len();
    }
    if start < text.len() {
        list.push(block(&text[start..], markdown, in_code));
    }
    list
}

fn block(text: &str, markdown: bool, in_code: bool) -> SourceBlock<'_> {
    let is_prose = if markdown {
        !in_code && is_prose_in_markdown(text)
    } else {
        reads_like_sentences(text)
    };
    SourceBlock { text, is_prose }
}

fn is_prose_in_markdown(text: &str) -> bool {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let is_row = |line: &str| {
        let line = line[content_cut::markers(line, true)..].trim_end();
        line.starts_with('|')
            || (line.contains('|') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ')))
    };
    let is_indented = |line: &str| line.starts_with("    ") || line.starts_with('\t');
    let is_heading = text.starts_with('#') && lines().count() == 1;
    let is_data = lines().any(is_row) || lines().all(is_indented);
    !is_heading && !is_data && text.contains(char::is_alphanumeric)
}

fn reads_like_sentences(text: &str) -> bool {
    let ends = text
        .trim_end()
        .ends_with(['.', '!', '?', '\u{2026}', '。', '！', '？']);
    ends && !text
        .lines()
        .any(|line| line.starts_with([' ', '\t', '{', '[', '<']))
}

/// A text without the paragraphs that stood in earlier ones.
#[derive(Default)]
pub struct NewText {
    /// The rest.
    pub text: String,
    /// Number of paragraphs that were left out.
    pub left_out: u64,
    /// The paragraphs of the rest, each with its end there.
    paragraphs: Vec<(usize, String)>,
}

impl NewText {
    /// Leaves out the paragraphs that stood word for word in `earlier` texts.
    pub fn without_repeats(text: &str, markdown: bool, earlier: &HashSet<String>) -> Self {
        let mut new = Self::default();
        for block in blocks(text, markdown) {
            if block.is_prose {
                let words = joined_words(block.text);
                if earlier.contains(&words) {
                    new.left_out += 1;
                    continue;
                }
                let end = new.text.len() + block.text.trim_end().len();
                new.paragraphs.push((end, words));
            }
            new.text.push_str(block.text);
        }
        if new.left_out > 0 {
            new.text.truncate(new.text.trim_end().len());
        }
        new
    }

    /// Adds the paragraphs to those of earlier texts, if they end within the first `length` bytes.
    pub fn remember(self, length: usize, earlier: &mut HashSet<String>) {
        let all = self.paragraphs.into_iter();
        let paragraphs = all.take_while(|(end, _)| *end <= length);
        earlier.extend(paragraphs.map(|(_, words)| words));
    }
}

/// Returns the prose of a text, each paragraph and each item of a list on one line and without the
/// marks in front of it.
pub fn prose_lines(text: &str, markdown: bool) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for block in blocks(text, markdown)
        .into_iter()
        .filter(|block| block.is_prose)
    {
        let mut begins = true;
        for line in block.text.trim_end().lines() {
            let marks = if markdown {
                content_cut::markers(line, true)
            } else {
                0
            };
            let item = markdown && marks > content_cut::markers(line, false);
            let words = joined_words(&line[marks..]);
            match lines.last_mut() {
                Some(last) if !begins && !item => {
                    last.push(' ');
                    last.push_str(&words);
                }
                _ => lines.push(words),
            }
            begins = false;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKDOWN: &str = "# A heading\n\nOne paragraph\nof two lines.\n\n```rust\nlet a = \
                            1;\n\nlet b = 2;\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n- One \
                            item.\n- Another\n  of two lines.\n\n---\n\n> Quoted.\n\n    indented \
                            code\n";

    #[test]
    fn a_text_is_its_parts() {
        let kinds: Vec<_> = blocks(MARKDOWN, true)
            .into_iter()
            .map(|block| (block.text.split('\n').next().unwrap(), block.is_prose))
            .collect();
        assert_eq!(
            kinds,
            [
                ("# A heading", false),
                ("One paragraph", true),
                ("```rust", false),
                ("| a | b |", false),
                ("- One item.", true),
                ("---", false),
                ("> Quoted.", true),
                ("    indented code", false),
            ]
        );
        for form in [true, false] {
            for text in [MARKDOWN, "", "\n\n", "a", "a\n\n\nb", "```\na\n\nb"] {
                let all: Vec<&str> = blocks(text, form).iter().map(|block| block.text).collect();
                assert_eq!(all.concat(), text);
            }
        }
    }

    /// Leaves out what `earlier` texts have, and adds what is new to them.
    fn new(text: &str, markdown: bool, earlier: &mut HashSet<String>) -> (String, u64) {
        let mut new = NewText::without_repeats(text, markdown, earlier);
        let parts = (std::mem::take(&mut new.text), new.left_out);
        new.remember(parts.0.len(), earlier);
        parts
    }

    #[test]
    fn what_stood_earlier_is_left_out_but_no_code_no_table_and_no_heading() {
        let earlier = &mut HashSet::new();
        new(MARKDOWN, true, earlier);
        let again = format!("New.\n\n{MARKDOWN}\nNew, too.\n\nNew.\n");
        let (new_text, left_out) = new(&again, true, earlier);
        assert_eq!(left_out, 3);
        assert_eq!(
            new_text,
            "New.\n\n# A heading\n\n```rust\nlet a = 1;\n\nlet b = 2;\n```\n\n| a | b |\n| - | - \
             |\n| 1 | 2 |\n\n---\n\n    indented code\n\nNew, too.\n\nNew."
        );
        let other = "One paragraph  of two\nlines.\n\nOne paragraph of two lines!";
        let (new_text, left_out) = new(other, true, earlier);
        assert_eq!((&*new_text, left_out), ("One paragraph of two lines!", 1));
    }

    #[test]
    fn of_a_text_that_was_cut_only_what_is_shown_counts() {
        let mut earlier = HashSet::new();
        let text = "One.\n\nTwo.\n\nThree.";
        let first = NewText::without_repeats(text, true, &earlier);
        first.remember("One.\n\nTwo.".len(), &mut earlier);
        let (new_text, left_out) = new(text, true, &mut earlier);
        assert_eq!((&*new_text, left_out), ("Three.", 2));
    }

    #[test]
    fn of_plain_text_only_what_reads_like_sentences_is_left_out() {
        let text = "A sentence.\n\nfn main() {\n    x();\n}\n\nimport os\n\n    indented.";
        let earlier = &mut HashSet::new();
        new(text, false, earlier);
        let (new_text, left_out) = new(text, false, earlier);
        assert_eq!(left_out, 1);
        assert_eq!(new_text, &text["A sentence.\n\n".len()..]);
        let data = "{\"a\": \"b.\"}.";
        new(data, false, earlier);
        assert_eq!(new(data, false, earlier).1, 0);
    }

    #[test]
    fn prose_stands_on_lines_of_its_own() {
        assert_eq!(
            prose_lines(MARKDOWN, true),
            [
                "One paragraph of two lines.",
                "One item.",
                "Another of two lines.",
                "Quoted."
            ]
        );
    }
}
