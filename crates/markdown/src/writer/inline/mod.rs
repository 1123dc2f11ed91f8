//! Writes text inside a block: whitespace collapsed; emphasis, links and code placed so that
//! Markdown reads them as the page meant them.
//!
//! Rules: CSS Text 3, "White Space Processing" (spaces collapse across elements, and vanish at the
//! ends of a block); `CommonMark` 0.31.2, "Inlines". Whitespace and delimiters are held back until
//! the next character of text is known, because only then can they be written in the one order that
//! works: closing delimiters, space, opening delimiters.

use super::escape::{self, ByteClass};
use super::lines::{MarkdownBlock, MarkdownLines};

mod group;
mod literal;
mod span;
mod style;

/// The kinds of blocks that hold a line of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InlineMode {
    /// A paragraph.
    Flow,
    /// A heading, which is one line.
    Heading(u8),
    /// A table cell, which is part of one line.
    Cell,
}

/// The markup of an inline node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InlineMarkup<'a> {
    Emphasis,
    Strong,
    Deleted,
    Link {
        address: &'a str,
        /// Empty if there is none.
        title: &'a str,
    },
    /// No markup; keeps nodes and markup in step.
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MarkupState {
    /// Not written yet.
    Pending,
    /// Opened with this delimiter character.
    Open(u8),
    /// Not to be opened again.
    Done,
}

struct ActiveMarkup<'a> {
    style: InlineMarkup<'a>,
    state: MarkupState,
}

/// A literal delimiter that is unescaped because it has no partner so far.
#[derive(Clone, Copy)]
struct LiteralDelimiter {
    offset: usize,
    length: usize,
}

#[allow(
    clippy::struct_excessive_bools,
    reason = "each says one thing about the line, and none implies another"
)]
pub(super) struct InlineWriter<'a> {
    pub(super) lines: MarkdownLines,
    pub(super) mode: InlineMode,
    /// True if the next paragraph continues a term.
    pub(super) continues_term: bool,
    open: bool,
    first: bool,
    item: bool,
    start: usize,
    space: String,
    breaks: u32,
    styles: Vec<ActiveMarkup<'a>>,
    pending: usize,
    closes: Vec<ActiveMarkup<'a>>,
    loose: [Option<LiteralDelimiter>; 4],
    open_delimiters: [usize; 4],
    /// The delimiters of the current group.
    marks: Vec<group::WrittenDelimiter>,
    delimiter_end: usize,
    bracket_end: usize,
    /// End of the last code span.
    span_end: usize,
    link_start: usize,
    in_link: bool,
    links: usize,
}

const fn delimiter_slot(delimiter: u8) -> usize {
    match delimiter {
        b'*' => 0,
        b'_' => 1,
        b'~' => 2,
        _ => 3,
    }
}

impl InlineWriter<'_> {
    pub(super) fn new(lines: MarkdownLines) -> Self {
        Self {
            lines,
            mode: InlineMode::Flow,
            continues_term: false,
            open: false,
            first: true,
            item: false,
            start: 0,
            space: String::new(),
            breaks: 0,
            styles: Vec::new(),
            pending: 0,
            closes: Vec::new(),
            loose: [None; 4],
            open_delimiters: [0; 4],
            marks: Vec::new(),
            delimiter_end: usize::MAX,
            bracket_end: usize::MAX,
            span_end: usize::MAX,
            link_start: 0,
            in_link: false,
            links: 0,
        }
    }

    pub(super) fn write_text(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let escape_brackets = self.links > 0 && !escape::brackets_balance(text);
        let mut offset = 0;
        loop {
            offset += self.hold_spaces(&bytes[offset..]);
            let Some(next) = text[offset..].chars().next() else {
                return;
            };
            // At the start it would be a byte order mark, which some parsers do not read as text.
            if next == '\u{feff}' && self.lines.out.is_empty() {
                offset += next.len_utf8();
                continue;
            }
            self.write_held_back(Some(next));
            offset = self.write_run(text, offset, escape_brackets);
        }
    }

    /// Holds back the whitespace that `bytes` begins with; returns its length.
    fn hold_spaces(&mut self, bytes: &[u8]) -> usize {
        let mut offset = 0;
        while let Some(byte) = bytes.get(offset) {
            if escape::class(*byte) == ByteClass::Space {
                self.hold_space();
                offset += 1;
                while bytes
                    .get(offset)
                    .is_some_and(|b| escape::class(*b) == ByteClass::Space)
                {
                    offset += 1;
                }
            } else if escape::starts_with_no_break_space(&bytes[offset..]) {
                self.space.push('\u{a0}');
                offset += 2;
            } else {
                break;
            }
        }
        offset
    }

    /// Holds back one space.
    fn hold_space(&mut self) {
        if !self.space.ends_with(' ') {
            self.space.push(' ');
        }
    }

    /// Writes `text` from `offset` up to whitespace of more than one space; returns where that
    /// begins.
    fn write_run(&mut self, text: &str, offset: usize, escape_brackets: bool) -> usize {
        let bytes = text.as_bytes();
        let (mut done, mut offset) = (offset, offset);
        while let Some(&byte) = bytes.get(offset) {
            match escape::class(byte) {
                ByteClass::Plain => offset += 1,
                ByteClass::Space => {
                    let single = byte == b' '
                        && bytes
                            .get(offset + 1)
                            .is_some_and(|next| escape::class(*next) == ByteClass::Plain);
                    if !single {
                        break;
                    }
                    offset += 2;
                }
                ByteClass::Special => {
                    if byte == 0xc2 {
                        if escape::starts_with_no_break_space(&bytes[offset..]) {
                            break;
                        }
                        offset += 2;
                        continue;
                    }
                    self.lines.out.push_str(&text[done..offset]);
                    offset += self.write_special(text, offset, escape_brackets);
                    done = offset;
                }
            }
        }
        self.lines.out.push_str(&text[done..offset]);
        offset
    }

    /// Writes everything that was held back, before the character `next`.
    fn write_held_back(&mut self, next: Option<char>) {
        if self.breaks > 0 || !self.open {
            self.begin_text();
        } else {
            let after = if self.space.is_empty() {
                next
            } else {
                Some(' ')
            };
            if !self.closes.is_empty() {
                self.close_held(after);
            }
            if self.pending == 0 || !self.space.is_empty() {
                self.end_group(after);
            }
            if self.lines.out.len() != self.start {
                self.lines.out.push_str(&self.space);
            }
        }
        self.space.clear();
        if self.pending > 0 {
            self.open_pending(next);
        }
    }

    /// Begins the block if it has not begun, or its next line after a line break.
    fn begin_text(&mut self) {
        if self.open && self.breaks > 0 {
            self.close_held(Some(' '));
            self.end_group(Some(' '));
            match self.mode {
                InlineMode::Cell => {
                    self.lines.out.push_str("<br>");
                    self.breaks = 0;
                    return;
                }
                InlineMode::Flow if self.breaks == 1 => {
                    self.breaks = 0;
                    self.finish_line();
                    self.lines.out.push_str("  ");
                    self.lines.begin_line();
                    self.start = self.lines.out.len();
                    self.first = false;
                    self.item = false;
                    return;
                }
                _ => self.end_block(),
            }
        }
        self.breaks = 0;
        self.open = true;
        self.first = true;
        self.item = self.lines.at_marker();
        let loose = std::mem::take(&mut self.loose);
        match self.mode {
            InlineMode::Flow => {
                let follows = self.continues_term && self.lines.last_block() == MarkdownBlock::Text;
                let block = if follows {
                    // Most parsers read a term and its definition as one paragraph.
                    self.loose = loose;
                    MarkdownBlock::Definition
                } else {
                    MarkdownBlock::Text
                };
                self.lines.announce_block(block);
                self.lines.begin_line();
                if self.continues_term {
                    self.lines.out.push_str(": ");
                    self.continues_term = false;
                }
            }
            InlineMode::Heading(level) => {
                self.continues_term = false;
                self.lines.announce_block(MarkdownBlock::Heading);
                self.lines.begin_line();
                self.lines
                    .out
                    .push_str(&"######"[..usize::from(level.min(6))]);
                self.lines.out.push(' ');
            }
            InlineMode::Cell => {}
        }
        self.start = self.lines.out.len();
    }

    /// Ends the block: all markup is closed, to be reopened in the next one.
    pub(super) fn end_block(&mut self) {
        self.space.clear();
        self.breaks = 0;
        if !self.open {
            return;
        }
        self.close_held(Some(' '));
        for index in (0..self.styles.len()).rev() {
            if let MarkupState::Open(delimiter) = self.styles[index].state {
                let style = self.styles[index].style;
                self.write_close(style, delimiter, Some(' '));
                self.styles[index].state = if matches!(style, InlineMarkup::Link { .. }) {
                    MarkupState::Done
                } else {
                    self.pending += 1;
                    MarkupState::Pending
                };
            }
        }
        self.end_group(Some(' '));
        self.marks.clear();
        self.finish_line();
        self.open = false;
        self.open_delimiters = [0; 4];
        self.bracket_end = usize::MAX;
    }

    /// Escapes the finished line where it would be another block.
    fn finish_line(&mut self) {
        match self.mode {
            InlineMode::Flow => {
                let (before, line) = self.lines.out.split_at(self.start);
                if let Some(offset) = escape::block_marker_at(line, self.first, self.item) {
                    self.escape_at(self.start + offset);
                } else if self.item && escape::is_rule_with_markers(before, line) {
                    self.escape_at(self.start);
                }
            }
            InlineMode::Heading(_) => {
                let line = &self.lines.out[self.start..];
                let text = line.trim_end_matches('#');
                if text.len() < line.len() && (text.is_empty() || text.ends_with(' ')) {
                    self.insert_at(self.lines.out.len() - 1, "\\");
                }
            }
            InlineMode::Cell => {}
        }
    }

    /// Breaks the line, if there is text before and after the break.
    pub(super) fn line_break(&mut self) {
        if matches!(self.mode, InlineMode::Heading(_)) {
            self.hold_space();
        } else if self.open {
            self.space.clear();
            self.breaks += 1;
        }
    }

    /// Writes Markdown of the writer's own, such as an image, as a piece of text.
    pub(super) fn write_markup(&mut self, markup: &str) {
        self.write_held_back(markup.chars().next());
        if markup.contains('`') {
            self.escape_partner(delimiter_slot(b'`'));
        }
        self.lines.out.push_str(markup);
    }

    /// Writes a reference to a footnote.
    pub(super) fn write_note_mark(&mut self, number: u32) {
        self.write_markup(&format!("[^{number}]"));
        // A parenthesis right after it would make it a link.
        self.bracket_end = self.lines.out.len();
    }

    /// Writes the box of a task at the start of an item.
    pub(super) fn write_task_box(&mut self, checked: bool) {
        if self.open || !self.lines.at_marker() {
            return;
        }
        self.begin_text();
        self.item = false;
        self.lines
            .out
            .push_str(if checked { "[x] " } else { "[ ] " });
        self.start = self.lines.out.len();
    }
}
