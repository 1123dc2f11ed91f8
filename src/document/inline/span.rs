//! Code spans, gathered whole since their fence depends on what they hold.
//!
//! Rules: `CommonMark` 0.31.2, "Code spans".

use super::super::{code, escape};
use super::{Inline, Mode, slot};

impl Inline {
    /// `code` begins.
    pub(in super::super) fn enter_code(&mut self) {
        self.in_code += 1;
    }

    /// `code` ends; what follows directly may be code as well.
    pub(in super::super) fn leave_code(&mut self) {
        self.in_code = self.in_code.saturating_sub(1);
    }

    pub(super) fn code_text(&mut self, text: &str) {
        for piece in text.split_inclusive(|c: char| c.is_ascii_whitespace()) {
            let word = piece.trim_end_matches(|c: char| c.is_ascii_whitespace());
            self.code.push_str(word);
            if word.len() < piece.len() {
                self.code_space();
            }
        }
    }

    pub(super) fn code_space(&mut self) {
        if !self.code.ends_with([' ', '\n']) {
            self.code.push(' ');
        }
    }

    /// Writes the code span that has been gathered.
    pub(super) fn flush_code(&mut self) {
        if self.code.is_empty() {
            return;
        }
        let gathered = std::mem::take(&mut self.code);
        let within = std::mem::replace(&mut self.in_code, 0);
        let code = gathered.trim_matches(|c: char| c.is_ascii_whitespace());
        if gathered.starts_with(' ') {
            self.space();
        }
        if !code.is_empty() {
            self.ready(Some('`'));
            self.settle(slot(b'`'));
            self.write_code(code);
            if gathered.ends_with(' ') {
                self.space();
            }
        }
        self.in_code = within;
    }

    pub(super) fn write_code(&mut self, code: &str) {
        let fence = code::span_fence(code);
        let padded = code.starts_with('`') || code.ends_with('`');
        self.sheet.out.extend(std::iter::repeat_n('`', fence));
        if padded {
            self.sheet.out.push(' ');
        }
        for (index, line) in code.split('\n').enumerate() {
            let line = line.trim_matches(' ');
            if index > 0 {
                // A line that Markdown would take for a block stays behind the one before it.
                let breaks = self.mode == Mode::Flow
                    && !line.starts_with(['<', '`', '~'])
                    && !line.is_empty()
                    && escape::line_start(line, false, false).is_none();
                if breaks {
                    self.sheet.line();
                } else {
                    self.sheet.out.push(' ');
                }
            }
            if self.mode == Mode::Cell {
                self.sheet.out.push_str(&line.replace('|', "\\|"));
            } else {
                self.sheet.out.push_str(line);
            }
        }
        let out = &mut self.sheet.out;
        if padded {
            out.push(' ');
        }
        out.extend(std::iter::repeat_n('`', fence));
        self.bracket_end = usize::MAX;
    }
}
