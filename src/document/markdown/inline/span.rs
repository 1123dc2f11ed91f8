//! Code spans.
//!
//! Rules: `CommonMark` 0.31.2, "Code spans".

use super::super::{escape, fence};
use super::{Inline, Mode, slot};

impl Inline<'_> {
    /// Writes a code span.
    pub(in super::super) fn code(&mut self, code: &str) {
        self.ready(Some('`'));
        self.settle(slot(b'`'));
        let fence = fence::span_fence(code);
        let padded = code.starts_with('`') || code.ends_with('`');
        self.lines.out.extend(std::iter::repeat_n('`', fence));
        if padded {
            self.lines.out.push(' ');
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
                    self.lines.line();
                } else {
                    self.lines.out.push(' ');
                }
            }
            if self.mode == Mode::Cell {
                self.lines.out.push_str(&line.replace('|', "\\|"));
            } else {
                self.lines.out.push_str(line);
            }
        }
        let out = &mut self.lines.out;
        if padded {
            out.push(' ');
        }
        out.extend(std::iter::repeat_n('`', fence));
        self.bracket_end = usize::MAX;
    }
}
