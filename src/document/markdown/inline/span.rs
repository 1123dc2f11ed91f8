//! Code spans.
//!
//! Rules: `CommonMark` 0.31.2, "Code spans".

use super::super::{escape, fence};
use super::{Inline, Mode, slot};

impl Inline<'_> {
    /// Writes a code span.
    pub(in super::super) fn code(&mut self, code: &str) {
        self.ready(Some('`'));
        // The marks of two spans beside each other would be one mark; in code nothing can be escaped,
        // and of what escapes a cell's bar parsers read a backslash before it in different ways.
        if self.span_end == self.lines.out.len()
            || self.defines_its_link(code)
            || (self.mode == Mode::Cell && code.contains("\\|"))
        {
            self.text(code);
            return;
        }
        self.settle(slot(b'`'));
        let fence = fence::span_fence(code);
        let padded = code.starts_with('`') || code.ends_with('`');
        self.lines.out.extend(std::iter::repeat_n('`', fence));
        if padded {
            self.lines.out.push(' ');
        }
        // Three marks and a line's end could begin a block of code.
        let in_lines = self.mode == Mode::Flow && fence < 3;
        for (index, line) in code.split('\n').enumerate() {
            let line = line.trim_matches(' ');
            if index > 0 {
                // A line that Markdown would take for a block stays behind the one before it. To
                // some parsers a table's second line may begin with more than blanks.
                let seen = line.trim_start_matches(['\u{b}', '\u{c}']);
                let breaks = in_lines
                    && !line.starts_with(['<', '`', '~'])
                    && !line.is_empty()
                    && escape::line_start(seen, false, false).is_none();
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
        self.span_end = out.len();
        self.bracket_end = usize::MAX;
    }

    /// Whether `code` would end the bracket of the link that it stands in as the label of a
    /// definition: ``[a `]: b`](c)`` at the start of a paragraph, where blocks come before code.
    fn defines_its_link(&self, code: &str) -> bool {
        if !self.in_link || self.mode != Mode::Flow || !code.contains("]:") {
            return false;
        }
        let opened = self.link_start - 1;
        let link = self.lines.out[opened..].bytes();
        // A bracket before this line's start is that of the link's first line.
        opened <= self.start && escape::is_definition(link.chain([b'`']).chain(code.bytes()))
    }
}
