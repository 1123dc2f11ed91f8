//! Writes code spans.
//!
//! Rules: `CommonMark` 0.31.2, "Code spans".

use super::super::{escape, fence};
use super::{InlineMode, InlineWriter, delimiter_slot};

impl InlineWriter<'_> {
    pub(in super::super) fn write_code_span(&mut self, code: &str) {
        self.write_held_back(Some('`'));
        // The backticks of two adjacent spans would merge. In code nothing can be escaped, and
        // parsers disagree about a backslash before the escaped bar of a cell.
        if self.span_end == self.lines.out.len()
            || (self.mode == InlineMode::Cell && code.contains("\\|"))
        {
            self.write_text(code);
            return;
        }
        self.escape_partner(delimiter_slot(b'`'));
        let fence = fence::span_fence(code);
        let padded = code.starts_with('`') || code.ends_with('`');
        self.lines.out.extend(std::iter::repeat_n('`', fence));
        if padded {
            self.lines.out.push(' ');
        }
        // Three backticks and a line's end could begin a block of code.
        let in_lines = self.mode == InlineMode::Flow && fence < 3;
        for (index, line) in code.split('\n').enumerate() {
            let line = line.trim_matches(' ');
            if index > 0 {
                // A line that would be another block stays after the one before it. For some
                // parsers a table's second line may begin with more than blanks.
                let seen = line.trim_start_matches(['\u{b}', '\u{c}']);
                let breaks = in_lines
                    && !line.starts_with(['<', '`', '~'])
                    && !line.is_empty()
                    && escape::block_marker_at(seen, false, false).is_none();
                if breaks {
                    self.lines.begin_line();
                } else {
                    self.lines.out.push(' ');
                }
            }
            if self.mode == InlineMode::Cell {
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
        self.span_end = out.len();
        self.bracket_end = usize::MAX;
    }
}
