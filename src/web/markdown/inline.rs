//! Text inside a block: whitespace collapsed, emphasis, links and code put so that Markdown
//! reads them as the page meant them.
//!
//! Rules: CSS Text 3, "White Space Processing" (spaces collapse across elements, and vanish at
//! the ends of a block); `CommonMark` 0.31.2, "Inlines". Whitespace, opening and closing
//! delimiters are held back until the next character of text is known: only then can they be
//! written in the one order that works, closing delimiters, space, opening delimiters.

use super::code;
use super::escape::{self, Class};
use super::link;
use super::sheet::{Block, Sheet};

/// What a line of text belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The page's flow: a paragraph wherever there is text.
    Flow,
    /// A heading, which is one line.
    Heading(u8),
    /// A cell of a table, which is part of one line.
    Cell,
}

/// What an inline element does to its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Emphasis,
    Strong,
    Deleted,
    Link {
        address: String,
        title: Option<String>,
    },
    /// Nothing; it keeps elements and styles in step.
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

struct Active {
    style: Style,
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
pub(super) struct Inline {
    pub(super) sheet: Sheet,
    pub(super) mode: Mode,
    /// Whether the next paragraph goes on from a term.
    pub(super) definition: bool,
    open: bool,
    first: bool,
    item: bool,
    start: usize,
    space: String,
    breaks: u32,
    styles: Vec<Active>,
    pending: usize,
    closes: Vec<Active>,
    code: String,
    in_code: usize,
    loose: [Option<Loose>; 4],
    real: [usize; 4],
    delimiter_end: usize,
    bracket_end: usize,
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

impl Inline {
    pub(super) fn new(sheet: Sheet) -> Self {
        Self {
            sheet,
            mode: Mode::Flow,
            definition: false,
            open: false,
            first: true,
            item: false,
            start: 0,
            space: String::new(),
            breaks: 0,
            styles: Vec::new(),
            pending: 0,
            closes: Vec::new(),
            code: String::new(),
            in_code: 0,
            loose: [None; 4],
            real: [0; 4],
            delimiter_end: usize::MAX,
            bracket_end: usize::MAX,
            link_start: 0,
            in_link: false,
            links: 0,
        }
    }

    /// Whether text is being gathered for a code span.
    pub(super) fn is_code(&self) -> bool {
        self.in_code > 0
    }

    /// Text of the page.
    pub(super) fn text(&mut self, text: &str) {
        if self.in_code > 0 {
            self.code_text(text);
            return;
        }
        let bytes = text.as_bytes();
        let escape_brackets = self.links > 0 && !escape::balanced(text);
        let mut at = 0;
        loop {
            at += self.spaces(&bytes[at..]);
            let Some(next) = text[at..].chars().next() else {
                return;
            };
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
                self.flush_code();
                self.space.push('\u{a0}');
                at += 2;
            } else {
                break;
            }
        }
        at
    }

    /// Whitespace between two pieces of text.
    pub(super) fn space(&mut self) {
        if self.in_code > 0 {
            self.code_space();
            return;
        }
        self.flush_code();
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
                    self.sheet.out.push_str(&text[done..at]);
                    at += self.special(text, at, escape_brackets);
                    done = at;
                }
            }
        }
        self.sheet.out.push_str(&text[done..at]);
        at
    }

    /// Writes the one special character (or run of delimiters) at `at`; returns its length.
    fn special(&mut self, text: &str, at: usize, escape_brackets: bool) -> usize {
        let bytes = text.as_bytes();
        let byte = bytes[at];
        let next = bytes.get(at + 1).copied();
        let escaped = match byte {
            b'*' | b'_' | b'~' | b'`' => return self.delimiters(text, at),
            b'\\' => next.is_none_or(|next| next.is_ascii_punctuation()),
            b'<' => escape::opens_tag(&bytes[at + 1..]),
            b'&' => escape::is_reference(&bytes[at + 1..]),
            b'|' => self.mode == Mode::Cell,
            b'(' => self.bracket_end == self.sheet.out.len(),
            b'[' | b']' => escape_brackets,
            _ => false,
        };
        if escaped {
            self.sheet.out.push('\\');
        }
        self.sheet.out.push(char::from(byte));
        if byte == b']' && !escaped {
            self.bracket_end = self.sheet.out.len();
        }
        1
    }

    fn delimiters(&mut self, text: &str, at: usize) -> usize {
        let byte = text.as_bytes()[at];
        let length = text.as_bytes()[at..]
            .iter()
            .take_while(|b| **b == byte)
            .count();
        let after = text[at + length..].chars().next();
        let before = if self.sheet.out.len() == self.start {
            None
        } else {
            self.sheet.out.chars().next_back()
        };
        let (opens, closes) = match byte {
            b'`' => (true, true),
            b'~' if length > 2 => (false, false),
            _ if at + length == text.len() || at == 0 => {
                // The neighbour stands in another element.
                let (opens, closes) = escape::flanks(char::from(byte), before, after);
                (
                    opens || at + length == text.len(),
                    closes || before.is_some(),
                )
            }
            _ => escape::flanks(char::from(byte), before, after),
        };
        let which = slot(byte);
        if closes {
            self.settle(which);
        }
        let escaped =
            (opens && self.loose[which].is_some()) || ((opens || closes) && self.real[which] > 0);
        if escaped {
            for _ in 0..length {
                self.sheet.out.push('\\');
                self.sheet.out.push(char::from(byte));
            }
        } else {
            if opens {
                self.loose[which] = Some(Loose {
                    at: self.sheet.out.len(),
                    length,
                });
            }
            self.sheet.out.push_str(&text[at..at + length]);
        }
        length
    }

    /// Escapes the literal delimiter that something could now pair with.
    fn settle(&mut self, which: usize) {
        let Some(loose) = self.loose[which].take() else {
            return;
        };
        for index in 0..loose.length {
            self.insert(loose.at + 2 * index, "\\");
        }
    }

    fn insert(&mut self, at: usize, text: &str) {
        self.sheet.out.insert_str(at, text);
        let length = text.len();
        let moved = |place: &mut usize| {
            if *place > at && *place != usize::MAX {
                *place += length;
            }
        };
        moved(&mut self.link_start);
        moved(&mut self.delimiter_end);
        moved(&mut self.bracket_end);
        for loose in self.loose.iter_mut().flatten() {
            moved(&mut loose.at);
        }
    }

    /// Brings everything up to date before the character `next` of content is written.
    fn ready(&mut self, next: Option<char>) {
        self.flush_code();
        if self.breaks > 0 || !self.open {
            self.begin();
        } else {
            if !self.closes.is_empty() {
                let after = if self.space.is_empty() {
                    next
                } else {
                    Some(' ')
                };
                self.close_held(after);
            }
            if self.sheet.out.len() != self.start {
                self.sheet.out.push_str(&self.space);
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
            match self.mode {
                Mode::Cell => {
                    self.sheet.out.push_str("<br>");
                    self.breaks = 0;
                    return;
                }
                Mode::Flow if self.breaks == 1 => {
                    self.breaks = 0;
                    self.finish_line();
                    self.sheet.out.push_str("  ");
                    self.sheet.line();
                    self.start = self.sheet.out.len();
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
        self.item = self.sheet.at_marker();
        match self.mode {
            Mode::Flow => {
                let follows = self.definition && self.sheet.last() == Block::Text;
                let block = if follows {
                    Block::Definition
                } else {
                    Block::Text
                };
                self.sheet.announce(block);
                self.sheet.line();
                if self.definition {
                    self.sheet.out.push_str(": ");
                    self.definition = false;
                }
            }
            Mode::Heading(level) => {
                self.definition = false;
                self.sheet.announce(Block::Heading);
                self.sheet.line();
                self.sheet
                    .out
                    .push_str(&"######"[..usize::from(level.min(6))]);
                self.sheet.out.push(' ');
            }
            Mode::Cell => {}
        }
        self.start = self.sheet.out.len();
    }

    /// Ends the block: everything open is closed, to be opened again in the next one.
    pub(super) fn end(&mut self) {
        self.flush_code();
        self.space.clear();
        self.breaks = 0;
        if !self.open {
            return;
        }
        self.close_held(Some(' '));
        for index in (0..self.styles.len()).rev() {
            if let State::Open(delimiter) = self.styles[index].state {
                let style = std::mem::replace(&mut self.styles[index].style, Style::None);
                self.write_close(&style, delimiter, Some(' '));
                self.styles[index].state = if matches!(style, Style::Link { .. }) {
                    State::Done
                } else {
                    self.pending += 1;
                    State::Pending
                };
                self.styles[index].style = style;
            }
        }
        self.finish_line();
        self.open = false;
        self.loose = [None; 4];
        self.real = [0; 4];
        self.bracket_end = usize::MAX;
    }

    /// Looks at the finished line for what would make it another block.
    fn finish_line(&mut self) {
        match self.mode {
            Mode::Flow => {
                let line = &self.sheet.out[self.start..];
                if let Some(at) = escape::line_start(line, self.first, self.item) {
                    self.insert(self.start + at, "\\");
                }
            }
            Mode::Heading(_) => {
                let line = &self.sheet.out[self.start..];
                let text = line.trim_end_matches('#');
                if text.len() < line.len() && (text.is_empty() || text.ends_with(' ')) {
                    self.insert(self.sheet.out.len() - 1, "\\");
                }
            }
            Mode::Cell => {}
        }
    }

    /// `br`.
    pub(super) fn line_break(&mut self) {
        if self.in_code > 0 {
            if !self.code.is_empty() && !self.code.ends_with('\n') {
                self.code.push('\n');
            }
            return;
        }
        self.flush_code();
        if matches!(self.mode, Mode::Heading(_)) {
            self.space();
        } else if self.open {
            self.space.clear();
            self.breaks += 1;
        }
    }

    /// The end of a block inside a heading or a cell, whose lines cannot end.
    pub(super) fn soft_end(&mut self) {
        self.flush_code();
        if self.mode == Mode::Cell {
            if self.open {
                self.space.clear();
                self.breaks = 1;
            }
        } else {
            self.space();
        }
    }

    /// Opens the style of an element, when and if there is text for it.
    pub(super) fn push(&mut self, style: Style) {
        let style = if self.in_code > 0 && !matches!(style, Style::Link { .. }) {
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
        self.flush_code();
        self.links += usize::from(matches!(style, Style::Link { .. }));
        let continues = self.space.is_empty()
            && self.breaks == 0
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

    /// Closes the style of an element. Returns the style if nothing was written for it.
    pub(super) fn pop(&mut self) -> Option<Style> {
        let top = self.styles.last()?;
        if top.style != Style::None {
            self.flush_code();
        }
        let top = self.styles.pop()?;
        self.links -= usize::from(matches!(top.style, Style::Link { .. }));
        match top.state {
            State::Pending => {
                self.pending -= 1;
                Some(top.style)
            }
            State::Open(_) => {
                self.closes.push(top);
                None
            }
            State::Done => None,
        }
    }

    fn open_styles(&mut self, next: Option<char>) {
        let before = (self.sheet.out.len() != self.start)
            .then(|| self.sheet.out.chars().next_back())
            .flatten();
        for index in 0..self.styles.len() {
            if self.styles[index].state != State::Pending {
                continue;
            }
            self.pending -= 1;
            self.styles[index].state = self.open_style(index, before, next);
        }
    }

    fn open_style(&mut self, index: usize, before: Option<char>, next: Option<char>) -> State {
        let emphasis = match &self.styles[index].style {
            Style::Link { .. } => {
                if self.in_link {
                    return State::Done;
                }
                if self.sheet.out.len() > self.start && self.sheet.out.ends_with('!') {
                    self.sheet.out.pop();
                    self.sheet.out.push_str("\\!");
                }
                self.sheet.out.push('[');
                self.link_start = self.sheet.out.len();
                self.in_link = true;
                return State::Open(b'[');
            }
            Style::None => return State::Done,
            Style::Deleted => false,
            Style::Emphasis | Style::Strong => true,
        };
        if !escape::flanks('*', before, next).0 || !self.sheet.affords(4) {
            return State::Done;
        }
        let after_own = self.delimiter_end == self.sheet.out.len();
        let alternate = after_own
            && self.sheet.out.ends_with('*')
            && !before.is_some_and(char::is_alphanumeric);
        let delimiter = match (emphasis, alternate) {
            (false, _) => b'~',
            (true, true) => b'_',
            (true, false) => b'*',
        };
        self.settle(slot(delimiter));
        self.real[slot(delimiter)] += 1;
        let text = char::from(delimiter);
        self.sheet.out.push(text);
        if self.styles[index].style != Style::Emphasis {
            self.sheet.out.push(text);
        }
        self.delimiter_end = self.sheet.out.len();
        State::Open(delimiter)
    }

    fn close_held(&mut self, after: Option<char>) {
        if self.closes.is_empty() {
            return;
        }
        let closes = std::mem::take(&mut self.closes);
        for close in &closes {
            if let State::Open(delimiter) = close.state {
                self.write_close(&close.style, delimiter, after);
            }
        }
    }

    fn write_close(&mut self, style: &Style, delimiter: u8, after: Option<char>) {
        if let Style::Link { address, title } = style {
            self.write_link_end(address, title.as_deref());
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
        let out = &self.sheet.out;
        let mark = out.ends_with([':', '.', ',', ';', '?'])
            && after.is_some_and(char::is_alphanumeric)
            && out[..out.len() - 1].ends_with(char::is_alphanumeric);
        if mark {
            self.insert(self.sheet.out.len() - 1, text);
        } else {
            self.sheet.out.push_str(text);
            self.delimiter_end = self.sheet.out.len();
        }
    }

    fn write_link_end(&mut self, address: &str, title: Option<&str>) {
        self.in_link = false;
        let cell = self.mode == Mode::Cell;
        let out = &mut self.sheet.out;
        let text = &out[self.link_start..];
        let title = title.filter(|title| *title != text && !title.trim().is_empty());
        if title.is_none() && text == address && link::is_autolink(address) && !cell {
            out.replace_range(self.link_start - 1..self.link_start, "<");
            out.push('>');
            for loose in &mut self.loose {
                *loose = loose.filter(|loose| loose.at < self.link_start);
            }
        } else {
            out.push(']');
            link::write_target(out, address, title, cell);
        }
        self.bracket_end = usize::MAX;
    }

    /// Writes Markdown of the conversion's own, such as an image, as a piece of the text.
    pub(super) fn raw(&mut self, markup: &str) {
        self.ready(markup.chars().next());
        self.sheet.out.push_str(markup);
    }

    /// Writes a task's box at the start of an item.
    pub(super) fn task(&mut self, checked: bool) {
        if self.open || self.in_code > 0 || !self.sheet.at_marker() {
            return;
        }
        self.begin();
        self.item = false;
        self.sheet
            .out
            .push_str(if checked { "[x] " } else { "[ ] " });
        self.start = self.sheet.out.len();
    }

    /// `code` begins.
    pub(super) fn enter_code(&mut self) {
        self.in_code += 1;
    }

    /// `code` ends; what follows directly may be code as well.
    pub(super) fn leave_code(&mut self) {
        self.in_code = self.in_code.saturating_sub(1);
    }

    fn code_text(&mut self, text: &str) {
        for piece in text.split_inclusive(|c: char| c.is_ascii_whitespace()) {
            let word = piece.trim_end_matches(|c: char| c.is_ascii_whitespace());
            self.code.push_str(word);
            if word.len() < piece.len() {
                self.code_space();
            }
        }
    }

    fn code_space(&mut self) {
        if !self.code.ends_with([' ', '\n']) {
            self.code.push(' ');
        }
    }

    /// Writes the code span that has been gathered.
    fn flush_code(&mut self) {
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

    fn write_code(&mut self, code: &str) {
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
