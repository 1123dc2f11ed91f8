//! Writes emphasis, deletion and links: opened when there is text for them, closed when the next
//! character is known.
//!
//! Rules: `CommonMark` 0.31.2, "Emphasis", "Links" and "Autolinks"; GitHub Flavored Markdown
//! 0.29, "Strikethrough".

use super::super::{flanks, target};
use super::group::WrittenDelimiter;
use super::{ActiveMarkup, InlineMarkup, InlineMode, InlineWriter, MarkupState, delimiter_slot};

impl<'a> InlineWriter<'a> {
    /// Opens markup, as soon as there is text for it.
    pub(in super::super) fn push_markup(&mut self, style: InlineMarkup<'a>) {
        let is_open =
            |open: &ActiveMarkup<'_>| open.style == style && open.state != MarkupState::Done;
        let again = matches!(style, InlineMarkup::Deleted | InlineMarkup::Strong)
            && self.styles.iter().any(is_open);
        let style = if again {
            // Markdown has no nested deletion, and strong text within such is no stronger.
            InlineMarkup::None
        } else {
            style
        };
        if style == InlineMarkup::None {
            self.styles.push(ActiveMarkup {
                style,
                state: MarkupState::Done,
            });
            return;
        }
        self.links += usize::from(matches!(style, InlineMarkup::Link { .. }));
        let continues = self.space.is_empty()
            && self.breaks == 0
            && self.pending == 0
            && !matches!(style, InlineMarkup::Link { .. })
            && self.closes.last().is_some_and(|close| close.style == style);
        if continues {
            self.styles.extend(self.closes.pop());
            return;
        }
        self.pending += 1;
        self.styles.push(ActiveMarkup {
            style,
            state: MarkupState::Pending,
        });
    }

    /// Closes the markup that was opened last.
    pub(in super::super) fn pop_markup(&mut self) {
        let Some(top) = self.styles.pop() else {
            return;
        };
        self.links -= usize::from(matches!(top.style, InlineMarkup::Link { .. }));
        match top.state {
            MarkupState::Pending => self.pending -= 1,
            MarkupState::Open(_) => self.closes.push(top),
            MarkupState::Done => {}
        }
    }

    /// Opens the link that was pushed last, although it has no text.
    pub(in super::super) fn open_empty_link(&mut self) {
        self.write_held_back(Some('['));
    }

    pub(super) fn open_pending(&mut self, next: Option<char>) {
        let before = (self.lines.out.len() != self.start)
            .then(|| self.lines.out.chars().next_back())
            .flatten();
        for index in 0..self.styles.len() {
            if self.styles[index].state != MarkupState::Pending {
                continue;
            }
            self.pending -= 1;
            self.styles[index].state = self.open_markup(index, before, next);
        }
    }

    pub(super) fn open_markup(
        &mut self,
        index: usize,
        before: Option<char>,
        next: Option<char>,
    ) -> MarkupState {
        let emphasis = match &self.styles[index].style {
            InlineMarkup::Link { .. } => {
                if self.in_link {
                    return MarkupState::Done;
                }
                if self.lines.out.len() > self.start && self.lines.out.ends_with('!') {
                    self.lines.out.pop();
                    self.lines.out.push_str("\\!");
                }
                self.lines.out.push('[');
                self.link_start = self.lines.out.len();
                self.in_link = true;
                return MarkupState::Open(b'[');
            }
            InlineMarkup::None => return MarkupState::Done,
            InlineMarkup::Deleted => false,
            InlineMarkup::Emphasis | InlineMarkup::Strong => true,
        };
        let opens = flanks::flanks('*', before, next).0;
        if !opens || !self.lines.affords(4) {
            return MarkupState::Done;
        }
        let after_own = self.delimiter_end == self.lines.out.len();
        let alternate = after_own
            && self.lines.out.ends_with('*')
            && !before.is_some_and(char::is_alphanumeric);
        let delimiter = match (emphasis, alternate) {
            (false, _) => b'~',
            (true, true) => b'_',
            (true, false) => b'*',
        };
        self.escape_partner(delimiter_slot(delimiter));
        self.open_delimiters[delimiter_slot(delimiter)] += 1;
        let text = char::from(delimiter);
        self.marks.push(WrittenDelimiter {
            offset: self.lines.out.len(),
            length: 1 + usize::from(self.styles[index].style != InlineMarkup::Emphasis),
            opens: true,
        });
        self.lines.out.push(text);
        if self.styles[index].style != InlineMarkup::Emphasis {
            self.lines.out.push(text);
        }
        self.delimiter_end = self.lines.out.len();
        MarkupState::Open(delimiter)
    }

    pub(super) fn close_held(&mut self, after: Option<char>) {
        if self.closes.is_empty() {
            return;
        }
        let closes = std::mem::take(&mut self.closes);
        for close in &closes {
            if let MarkupState::Open(delimiter) = close.state {
                self.write_close(close.style, delimiter, after);
            }
        }
    }

    pub(super) fn write_close(
        &mut self,
        style: InlineMarkup<'_>,
        delimiter: u8,
        after: Option<char>,
    ) {
        if let InlineMarkup::Link { address, title } = style {
            self.write_link_end(address, title);
            return;
        }
        let text = match (style, delimiter) {
            (InlineMarkup::Emphasis, b'_') => "_",
            (InlineMarkup::Emphasis, _) => "*",
            (InlineMarkup::Strong, b'_') => "__",
            (InlineMarkup::Strong, _) => "**",
            _ => "~~",
        };
        let which = delimiter_slot(delimiter);
        self.open_delimiters[which] = self.open_delimiters[which].saturating_sub(1);
        // `**a:**b` would not close, so the punctuation goes outside.
        let out = &self.lines.out;
        let mark = out.ends_with([':', '.', ',', ';', '?'])
            && after.is_some_and(flanks::is_word)
            && out[..out.len() - 1].ends_with(char::is_alphanumeric);
        let offset = self.lines.out.len() - usize::from(mark);
        if mark {
            self.insert_at(offset, text);
        } else {
            self.lines.out.push_str(text);
            self.delimiter_end = self.lines.out.len();
        }
        self.marks.push(WrittenDelimiter {
            offset,
            length: text.len(),
            opens: false,
        });
    }

    pub(super) fn write_link_end(&mut self, address: &str, title: &str) {
        self.in_link = false;
        if address.contains('`') || title.contains('`') {
            self.escape_partner(delimiter_slot(b'`'));
        }
        let cell = self.mode == InlineMode::Cell;
        let out = &mut self.lines.out;
        let text = &out[self.link_start..];
        let title = if title == text { "" } else { title };
        if title.trim().is_empty() && text == address && target::is_autolink(address) && !cell {
            out.replace_range(self.link_start - 1..self.link_start, "<");
            out.push('>');
            for loose in &mut self.loose {
                *loose = loose.filter(|loose| loose.offset < self.link_start);
            }
        } else {
            out.push(']');
            target::write_target(out, address, title, cell);
        }
        self.bracket_end = usize::MAX;
    }
}
