//! Text inside a block: whitespace collapsed, emphasis, links and code put so that Markdown
//! reads them as the page meant them.
//!
//! Rules: CSS Text 3, "White Space Processing" (spaces collapse across elements, and vanish at
//! the ends of a block); `CommonMark` 0.31.2, "Inlines". Whitespace, opening and closing
//! delimiters are held back until the next character of text is known: only then can they be
//! written in the one order that works, closing delimiters, space, opening delimiters.

use super::escape::{self, Class};
use super::lines::{Block, Lines};

mod group;
mod literal;
mod span;
mod style;

/// What a line of text belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// A paragraph.
    Flow,
    /// A heading, which is one line.
    Heading(u8),
    /// A cell of a table, which is part of one line.
    Cell,
}

/// What an inline node does to its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style<'a> {
    Emphasis,
    Strong,
    Deleted,
    Link {
        address: &'a str,
        /// Empty if there is none.
        title: &'a str,
    },
    /// Nothing; it keeps nodes and styles in step.
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing of it has been written.
    Pending,
    /// Its opening delimiter stands, made of this character.
    Open(u8),
    /// It is not to be opened again.
    Done,
}

struct Active<'a> {
    style: Style<'a>,
    state: State,
}

/// A literal delimiter that stands unescaped since nothing has paired with it so far.
#[derive(Clone, Copy)]
struct Loose {
    at: usize,
    length: usize,
}

#[allow(
    clippy::struct_excessive_bools,
    reason = "each says one thing about the line, and none implies another"
)]
pub(super) struct Inline<'a> {
    pub(super) lines: Lines,
    pub(super) mode: Mode,
    /// Whether the next paragraph goes on from a term.
    pub(super) definition: bool,
    open: bool,
    first: bool,
    item: bool,
    start: usize,
    /// Where the paragraph of one line begins that was written last and may be a definition's term.
    term: Option<usize>,
    space: String,
    breaks: u32,
    styles: Vec<Active<'a>>,
    pending: usize,
    closes: Vec<Active<'a>>,
    loose: [Option<Loose>; 4],
    real: [usize; 4],
    /// The delimiters since something was opened where nothing was.
    marks: Vec<group::Mark>,
    delimiter_end: usize,
    bracket_end: usize,
    /// Where the code span that was written last ends.
    span_end: usize,
    link_start: usize,
    in_link: bool,
    links: usize,
}

const fn slot(delimiter: u8) -> usize {
    match delimiter {
        b'*' => 0,
        b'_' => 1,
        b'~' => 2,
        _ => 3,
    }
}

impl Inline<'_> {
    pub(super) fn new(lines: Lines) -> Self {
        Self {
            lines,
            mode: Mode::Flow,
            definition: false,
            open: false,
            first: true,
            item: false,
            start: 0,
            term: None,
            space: String::new(),
            breaks: 0,
            styles: Vec::new(),
            pending: 0,
            closes: Vec::new(),
            loose: [None; 4],
            real: [0; 4],
            marks: Vec::new(),
            delimiter_end: usize::MAX,
            bracket_end: usize::MAX,
            span_end: usize::MAX,
            link_start: 0,
            in_link: false,
            links: 0,
        }
    }

    /// Text of the document.
    pub(super) fn text(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let escape_brackets = self.links > 0 && !escape::balanced(text);
        let mut at = 0;
        loop {
            at += self.spaces(&bytes[at..]);
            let Some(next) = text[at..].chars().next() else {
                return;
            };
            // There it would be the mark of an encoding, which some parsers do not read as text.
            if next == '\u{feff}' && self.lines.out.is_empty() {
                at += next.len_utf8();
                continue;
            }
            self.ready(Some(next));
            at = self.run(text, at, escape_brackets);
        }
    }

    /// Holds back the whitespace that `bytes` begins with; returns its length.
    fn spaces(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            if escape::CLASS[*byte as usize] == Class::Space {
                self.space();
                at += 1;
                while bytes
                    .get(at)
                    .is_some_and(|b| escape::CLASS[*b as usize] == Class::Space)
                {
                    at += 1;
                }
            } else if escape::no_break_space(&bytes[at..]) {
                self.space.push('\u{a0}');
                at += 2;
            } else {
                break;
            }
        }
        at
    }

    /// Whitespace between two pieces of text.
    fn space(&mut self) {
        if !self.space.ends_with(' ') {
            self.space.push(' ');
        }
    }

    /// Writes `text` from `at` up to whitespace that is more than one space; returns where.
    fn run(&mut self, text: &str, at: usize, escape_brackets: bool) -> usize {
        let bytes = text.as_bytes();
        let (mut done, mut at) = (at, at);
        while let Some(&byte) = bytes.get(at) {
            match escape::CLASS[byte as usize] {
                Class::Plain => at += 1,
                Class::Space => {
                    let single = byte == b' '
                        && bytes
                            .get(at + 1)
                            .is_some_and(|next| escape::CLASS[*next as usize] == Class::Plain);
                    if !single {
                        break;
                    }
                    at += 2;
                }
                Class::Special => {
                    if byte == 0xc2 {
                        if escape::no_break_space(&bytes[at..]) {
                            break;
                        }
                        at += 2;
                        continue;
                    }
                    self.lines.out.push_str(&text[done..at]);
                    at += self.special(text, at, escape_brackets);
                    done = at;
                }
            }
        }
        self.lines.out.push_str(&text[done..at]);
        at
    }

    /// Brings everything up to date before the character `next` of content is written.
    fn ready(&mut self, next: Option<char>) {
        if self.breaks > 0 || !self.open {
            self.begin();
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
            self.open_styles(next);
        }
    }

    /// Begins the block if it has not begun, or its next line after `br`.
    fn begin(&mut self) {
        if self.open && self.breaks > 0 {
            self.close_held(Some(' '));
            self.end_group(Some(' '));
            match self.mode {
                Mode::Cell => {
                    self.lines.out.push_str("<br>");
                    self.breaks = 0;
                    return;
                }
                Mode::Flow if self.breaks == 1 => {
                    self.breaks = 0;
                    self.finish_line(true);
                    self.lines.out.push_str("  ");
                    self.lines.line();
                    self.start = self.lines.out.len();
                    self.first = false;
                    self.item = false;
                    return;
                }
                _ => self.end(),
            }
        }
        self.breaks = 0;
        self.open = true;
        self.first = true;
        self.item = self.lines.at_marker();
        let (loose, term) = (std::mem::take(&mut self.loose), self.term.take());
        match self.mode {
            Mode::Flow => {
                let follows = self.definition && self.lines.last() == Block::Text;
                let block = if follows {
                    // Most parsers read a term and its definition as one paragraph.
                    self.loose = loose;
                    if let Some(term) =
                        term.filter(|at| escape::opens_label(&self.lines.out[*at..]))
                    {
                        self.insert(term, "\\");
                    }
                    Block::Definition
                } else {
                    Block::Text
                };
                self.lines.announce(block);
                self.lines.line();
                if self.definition {
                    self.lines.out.push_str(": ");
                    self.definition = false;
                }
            }
            Mode::Heading(level) => {
                self.definition = false;
                self.lines.announce(Block::Heading);
                self.lines.line();
                self.lines
                    .out
                    .push_str(&"######"[..usize::from(level.min(6))]);
                self.lines.out.push(' ');
            }
            Mode::Cell => {}
        }
        self.start = self.lines.out.len();
    }

    /// Ends the block: everything open is closed, to be opened again in the next one.
    pub(super) fn end(&mut self) {
        self.space.clear();
        self.breaks = 0;
        if !self.open {
            return;
        }
        self.close_held(Some(' '));
        for index in (0..self.styles.len()).rev() {
            if let State::Open(delimiter) = self.styles[index].state {
                let style = self.styles[index].style;
                self.write_close(style, delimiter, Some(' '));
                self.styles[index].state = if matches!(style, Style::Link { .. }) {
                    State::Done
                } else {
                    self.pending += 1;
                    State::Pending
                };
            }
        }
        self.end_group(Some(' '));
        self.marks.clear();
        self.finish_line(false);
        self.open = false;
        self.term = (self.mode == Mode::Flow && self.first).then_some(self.start);
        self.real = [0; 4];
        self.bracket_end = usize::MAX;
    }

    /// Looks at the finished line for what would make it another block, alone or, where the
    /// paragraph goes on, with the next one.
    fn finish_line(&mut self, goes_on: bool) {
        match self.mode {
            Mode::Flow => {
                let (before, line) = self.lines.out.split_at(self.start);
                // The line's bracket is a link's own, which goes on in the next one.
                let is_link = self.link_start == self.start + 1;
                if let Some(at) = escape::line_start(line, self.first, self.item) {
                    self.escape_at(self.start + at);
                } else if (self.item
                    && (escape::is_rule_with_markers(before, line)
                        || escape::is_delimiter_row_with_marker(before, line)))
                    || (goes_on && self.first && !is_link && escape::opens_label(line))
                {
                    self.escape_at(self.start);
                }
            }
            Mode::Heading(_) => {
                let line = &self.lines.out[self.start..];
                let text = line.trim_end_matches('#');
                if text.len() < line.len() && (text.is_empty() || text.ends_with(' ')) {
                    self.insert(self.lines.out.len() - 1, "\\");
                }
            }
            Mode::Cell => {}
        }
    }

    /// A line end within the block, if there is something before it and after it.
    pub(super) fn line_break(&mut self) {
        if matches!(self.mode, Mode::Heading(_)) {
            self.space();
        } else if self.open {
            self.space.clear();
            self.breaks += 1;
        }
    }

    /// Writes Markdown of the conversion's own, such as an image, as a piece of the text.
    pub(super) fn raw(&mut self, markup: &str) {
        self.ready(markup.chars().next());
        if markup.contains('`') {
            self.settle(slot(b'`'));
        }
        self.lines.out.push_str(markup);
    }

    /// Writes where the text points to a note.
    pub(super) fn note_mark(&mut self, number: u32) {
        self.raw(&format!("[^{number}]"));
        // A parenthesis behind it would make it a link.
        self.bracket_end = self.lines.out.len();
    }

    /// Writes a task's box at the start of an item.
    pub(super) fn task(&mut self, checked: bool) {
        if self.open || !self.lines.at_marker() {
            return;
        }
        self.begin();
        self.item = false;
        self.lines
            .out
            .push_str(if checked { "[x] " } else { "[ ] " });
        self.start = self.lines.out.len();
    }
}
