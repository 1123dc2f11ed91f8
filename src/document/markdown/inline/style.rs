//! Emphasis, deletion and links: opened when there is text for them, closed when it is known
//! what follows.
//!
//! Rules: `CommonMark` 0.31.2, "Emphasis", "Links" and "Autolinks"; GitHub Flavored Markdown
//! 0.29, "Strikethrough".

use super::super::{flanks, target};
use super::group::Mark;
use super::{Active, Inline, Mode, State, Style, slot};

impl<'a> Inline<'a> {
    /// Opens a style, when and if there is text for it.
    pub(in super::super) fn push(&mut self, style: Style<'a>) {
        let again = style == Style::Deleted && self.styles.iter().any(|open| open.style == style);
        let style = if again {
            // What is deleted twice cannot be said.
            Style::None
        } else {
            style
        };
        if style == Style::None {
            self.styles.push(Active {
                style,
                state: State::Done,
            });
            return;
        }
        self.links += usize::from(matches!(style, Style::Link { .. }));
        let continues = self.space.is_empty()
            && self.breaks == 0
            && self.pending == 0
            && !matches!(style, Style::Link { .. })
            && self.closes.last().is_some_and(|close| close.style == style);
        if continues {
            self.styles.extend(self.closes.pop());
            return;
        }
        self.pending += 1;
        self.styles.push(Active {
            style,
            state: State::Pending,
        });
    }

    /// Closes the style that was opened last.
    pub(in super::super) fn pop(&mut self) {
        let Some(top) = self.styles.pop() else {
            return;
        };
        self.links -= usize::from(matches!(top.style, Style::Link { .. }));
        match top.state {
            State::Pending => self.pending -= 1,
            State::Open(_) => self.closes.push(top),
            State::Done => {}
        }
    }

    /// Opens the link that was pushed last although there is no text for it.
    pub(in super::super) fn empty_link(&mut self) {
        self.ready(Some('['));
    }

    pub(super) fn open_styles(&mut self, next: Option<char>) {
        let before = (self.lines.out.len() != self.start)
            .then(|| self.lines.out.chars().next_back())
            .flatten();
        for index in 0..self.styles.len() {
            if self.styles[index].state != State::Pending {
                continue;
            }
            self.pending -= 1;
            self.styles[index].state = self.open_style(index, before, next);
        }
    }

    pub(super) fn open_style(
        &mut self,
        index: usize,
        before: Option<char>,
        next: Option<char>,
    ) -> State {
        let emphasis = match &self.styles[index].style {
            Style::Link { .. } => {
                if self.in_link {
                    return State::Done;
                }
                if self.lines.out.len() > self.start && self.lines.out.ends_with('!') {
                    self.lines.out.pop();
                    self.lines.out.push_str("\\!");
                }
                self.lines.out.push('[');
                self.link_start = self.lines.out.len();
                self.in_link = true;
                return State::Open(b'[');
            }
            Style::None => return State::Done,
            Style::Deleted => false,
            Style::Emphasis | Style::Strong => true,
        };
        let opens = flanks::flanks('*', before, next).is_some_and(|(opens, _)| opens);
        if !opens || !self.lines.affords(4) {
            return State::Done;
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
        self.settle(slot(delimiter));
        self.part_tildes();
        self.real[slot(delimiter)] += 1;
        let text = char::from(delimiter);
        self.marks.push(Mark {
            at: self.lines.out.len(),
            length: 1 + usize::from(self.styles[index].style != Style::Emphasis),
            opens: true,
        });
        self.lines.out.push(text);
        if self.styles[index].style != Style::Emphasis {
            self.lines.out.push(text);
        }
        self.delimiter_end = self.lines.out.len();
        State::Open(delimiter)
    }

    pub(super) fn close_held(&mut self, after: Option<char>) {
        if self.closes.is_empty() {
            return;
        }
        let closes = std::mem::take(&mut self.closes);
        for close in &closes {
            if let State::Open(delimiter) = close.state {
                self.write_close(close.style, delimiter, after);
            }
        }
    }

    pub(super) fn write_close(&mut self, style: Style<'_>, delimiter: u8, after: Option<char>) {
        if let Style::Link { address, title } = style {
            self.write_link_end(address, title);
            return;
        }
        let text = match (style, delimiter) {
            (Style::Emphasis, b'_') => "_",
            (Style::Emphasis, _) => "*",
            (Style::Strong, b'_') => "__",
            (Style::Strong, _) => "**",
            _ => "~~",
        };
        let which = slot(delimiter);
        self.real[which] = self.real[which].saturating_sub(1);
        // `**a:**b` would not close: the mark goes outside.
        let out = &self.lines.out;
        let mark = out.ends_with([':', '.', ',', ';', '?'])
            && after.is_some_and(flanks::may_be_word)
            && out[..out.len() - 1].ends_with(char::is_alphanumeric);
        if !mark {
            self.part_tildes();
        }
        let at = self.lines.out.len() - usize::from(mark);
        if mark {
            self.insert(at, text);
        } else {
            self.lines.out.push_str(text);
            self.delimiter_end = self.lines.out.len();
        }
        self.marks.push(Mark {
            at,
            length: text.len(),
            opens: false,
        });
    }

    pub(super) fn write_link_end(&mut self, address: &str, title: &str) {
        self.in_link = false;
        if address.contains('`') || title.contains('`') {
            self.settle(slot(b'`'));
        }
        let cell = self.mode == Mode::Cell;
        let out = &mut self.lines.out;
        let text = &out[self.link_start..];
        let title = if title == text { "" } else { title };
        if title.trim().is_empty() && text == address && target::is_autolink(address) && !cell {
            out.replace_range(self.link_start - 1..self.link_start, "<");
            out.push('>');
            for loose in &mut self.loose {
                *loose = loose.filter(|loose| loose.at < self.link_start);
            }
        } else {
            out.push(']');
            target::write_target(out, address, title, cell);
        }
        self.bracket_end = usize::MAX;
    }
}
