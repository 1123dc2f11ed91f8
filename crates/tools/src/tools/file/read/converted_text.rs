//! Lines of a text that is made of what no file has as it is shown.

use std::io;

use super::lines::LineRange;
use crate::contract::answer_limit;
use crate::contract::line_window::line_window;
use crate::contract::reply::AnswerObject;
use iki_base::wording::{count_noun, thousands};
use iki_files::FirstLine;

/// Some lines of such a text.
#[derive(Clone, Copy)]
pub struct ConvertedLines<'a> {
    /// The lines.
    pub text: &'a str,
    /// The number of the first of them.
    pub first: u64,
    /// The number of those that the whole text has.
    pub total: u64,
    /// The reason why the text is not all that was to be read, if it is not.
    pub cut: Option<&'a str>,
}

impl<'a> ConvertedLines<'a> {
    /// The lines of `text` that are wanted.
    pub fn select(text: &'a str, wanted: &LineRange<'_>) -> Self {
        let total = text.lines().count() as u64;
        let skipped = wanted.first.skips(total);
        Self {
            text: line_window(text, skipped + 1, wanted.limit),
            first: skipped + 1,
            total,
            cut: None,
        }
    }

    /// Answers with them, and says how to go on where more is wanted than is shown.
    pub fn answer(
        self,
        object: &mut AnswerObject<'_>,
        wanted: &LineRange<'_>,
        what: &str,
    ) -> io::Result<()> {
        let is_past_the_end = self.text.is_empty() && self.first > 1;
        if is_past_the_end && self.cut.is_none() {
            object.note(wanted.past_the_end(Some(self.total), what));
        }
        let cut = object.whole_text("output", self.text.as_bytes())?;
        let mut line_count = self.text.lines().count() as u64;
        if let Some(cut) = cut {
            line_count = cut.lines.max(1);
            if cut.lines == 0 {
                let line = self.text.lines().next().unwrap_or_default();
                object.note(format!(
                    "line {} is {} bytes long, {} of them shown",
                    self.first,
                    thousands(line.len() as u64),
                    thousands(cut.bytes as u64)
                ));
            }
        }
        let left = wanted.limit.map(|limit| limit.saturating_sub(line_count));
        let last = self.first + line_count.saturating_sub(1);
        if let Some(cut) = self.cut.filter(|_| is_past_the_end || last >= self.total) {
            let lines = count_noun(self.total, "line");
            let past = match wanted.first {
                FirstLine::Number(first) if is_past_the_end => {
                    format!("; offset {first} is past them")
                }
                _ => String::new(),
            };
            object.note(format!(
                "The {what} was not read to its end: {lines}{past}. {cut}"
            ));
            object.not_all_read();
        }
        if line_count > 0 && last < self.total && left != Some(0) {
            object.note_at_both_ends(answer_limit::continuation_note(
                object.terms().reader,
                self.first.into(),
                last.into(),
                left,
            ));
        }
        Ok(())
    }
}
