//! What runs in the lines of a page: text, styles, code and line ends, put into paragraphs,
//! headings and cells.
//!
//! Rules: CSS Text 3, "White Space Processing" (whitespace alone makes no paragraph); HTML Living
//! Standard, "Text-level semantics". A paragraph begins where there is text and ends where a block
//! begins or ends. A style may reach over several of them: it is closed with each and opened
//! again in the next, except for a link, which leads somewhere once.

use crate::document::model::{Builder, Content, Slice};

/// What lines belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FlowMode {
    /// The page's flow: a paragraph wherever there is text.
    Flow,
    /// A heading of this level, which is one line.
    Heading(u8),
    /// A cell of a table.
    Cell,
}

/// An inline element that is open.
struct ActiveStyle {
    /// The node that it is; `None` if it is none.
    content: Option<Content>,
    /// Whether the node stands in the paragraph that is open.
    open: bool,
    /// Whether it has stood in one before.
    again: bool,
    /// Whether it is not to be opened any more.
    done: bool,
    /// How many pieces of content there were when it began.
    before: usize,
}

/// Nodes that styles may take by being opened again, in any page.
const FREE_COPIES: usize = 1024;

/// Styles that are looked at to see whether a link is open.
const MAX_AROUND: usize = 64;

/// Bytes of a page that pay for one more of them.
const COPY: usize = 16;

/// The document so far, and what is open in its last block.
pub(super) struct FlowBuilder {
    /// The document so far.
    pub(super) build: Builder,
    /// What the next text belongs to.
    pub(super) mode: FlowMode,
    /// Whether the block that the mode says is open.
    open: bool,
    /// Line ends that wait for the content after them.
    breaks: u32,
    styles: Vec<ActiveStyle>,
    /// How many styles are to be opened when content comes.
    waiting: usize,
    code: String,
    in_code: usize,
    contents: usize,
    copies: usize,
    /// The last character of the text so far.
    last: Option<char>,
}

impl FlowBuilder {
    /// A document to be read from a page of `length` bytes.
    pub(super) fn new(length: usize) -> Self {
        Self {
            build: Builder::for_source(length),
            mode: FlowMode::Flow,
            open: false,
            breaks: 0,
            styles: Vec::new(),
            waiting: 0,
            code: String::new(),
            in_code: 0,
            contents: 0,
            copies: FREE_COPIES,
            last: None,
        }
    }

    /// The character that text would directly follow in its line.
    pub(super) fn previous_char(&self) -> Option<char> {
        let goes_on = self.open && self.breaks == 0 || !self.code.is_empty();
        self.last.filter(|_| goes_on)
    }

    /// Notes that so many bytes of the page have been read.
    pub(super) fn read(&mut self, bytes: usize) {
        self.build.read(bytes);
    }

    /// Whether text is being gathered for a code span.
    pub(super) fn is_code(&self) -> bool {
        self.in_code > 0
    }

    /// Text of the page.
    pub(super) fn add_text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.last = text.chars().next_back();
        if self.in_code > 0 {
            self.code_text(text);
            return;
        }
        self.flush_code();
        let blank = is_blank(text);
        if !blank {
            self.prepare_content();
            self.copies += text.len() / COPY;
        } else if !self.open || self.breaks > 0 {
            return;
        }
        let kept = if blank && text.is_ascii() { " " } else { text };
        let kept = self.build.keep(kept);
        self.build.add(Content::Text(kept));
    }

    /// Whitespace between two pieces of text.
    pub(super) fn add_space(&mut self) {
        self.add_text(" ");
    }

    /// A node that stands in a line and holds nothing.
    pub(super) fn add_leaf(&mut self, content: Content) {
        self.last = None;
        self.prepare_content();
        self.build.add(content);
    }

    /// Brings everything up to date before a piece of content is added.
    fn prepare_content(&mut self) {
        self.flush_code();
        self.contents += 1;
        if self.open && self.breaks > 0 {
            if self.mode == FlowMode::Flow && self.breaks > 1 {
                self.end();
            } else {
                self.build.add(Content::Break);
            }
        }
        self.breaks = 0;
        if !self.open {
            self.begin();
        }
        if self.waiting > 0 {
            self.open_styles();
        }
    }

    fn begin(&mut self) {
        self.open = true;
        match self.mode {
            FlowMode::Flow => self.build.open(Content::Paragraph),
            FlowMode::Heading(level) => self.build.open(Content::Heading(level)),
            FlowMode::Cell => {}
        }
    }

    fn open_styles(&mut self) {
        self.waiting = 0;
        for style in &mut self.styles {
            let Some(content) = style.content.filter(|_| !style.open && !style.done) else {
                continue;
            };
            if style.again {
                if self.copies == 0 {
                    style.done = true;
                    continue;
                }
                self.copies -= 1;
            }
            style.open = true;
            self.build.open(content);
        }
    }

    /// Ends the block: every style that is open is closed, to be opened again in the next one.
    pub(super) fn end(&mut self) {
        self.flush_code();
        self.breaks = 0;
        if !self.open {
            return;
        }
        for style in self.styles.iter_mut().rev() {
            if std::mem::take(&mut style.open) {
                self.build.close_unless_empty();
                style.again = true;
                let link = matches!(style.content, Some(Content::Link { .. }));
                style.done = link && self.contents > style.before;
                self.waiting += usize::from(!style.done);
            }
        }
        if self.mode != FlowMode::Cell {
            self.build.close();
        }
        self.open = false;
    }

    /// The end of a block inside a heading or a cell, whose lines cannot end.
    pub(super) fn soft_end(&mut self) {
        self.flush_code();
        if self.mode != FlowMode::Cell {
            self.add_space();
        } else if self.open {
            self.breaks = 1;
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
        if matches!(self.mode, FlowMode::Heading(_)) {
            self.add_space();
        } else if self.open {
            self.breaks += 1;
        }
    }

    /// An inline element begins; `None` if it is no node.
    pub(super) fn push(&mut self, content: Option<Content>) {
        let content = content.filter(|content| match content {
            Content::Link { .. } => true,
            Content::Deleted => {
                let deleted = |style: &ActiveStyle| style.content == Some(Content::Deleted);
                self.in_code == 0 && !self.styles.iter().any(deleted)
            }
            _ => self.in_code == 0,
        });
        let mut open = false;
        if let Some(content) = content {
            self.flush_code();
            open = self.open && self.breaks == 0 && self.waiting == 0;
            if open {
                self.build.open(content);
            } else {
                self.waiting += 1;
            }
        }
        self.styles.push(ActiveStyle {
            content,
            open,
            again: false,
            done: false,
            before: self.contents,
        });
    }

    /// The inline element that began last ends.
    pub(super) fn pop(&mut self) {
        let Some(top) = self.styles.last() else {
            return;
        };
        if top.content.is_some() {
            self.flush_code();
        }
        if let Some(top) = self.styles.pop() {
            if top.open {
                self.build.close_unless_empty();
            } else if top.content.is_some() && !top.done {
                self.waiting -= 1;
            }
        }
    }

    /// The inline element that began last, if it is a node.
    pub(super) fn last_style(&self) -> Option<Content> {
        self.styles.last().and_then(|style| style.content)
    }

    /// Whether what comes next is part of a link.
    pub(super) fn in_link(&self) -> bool {
        let link = |style: &ActiveStyle| matches!(style.content, Some(Content::Link { .. }));
        self.styles.iter().rev().take(MAX_AROUND).any(link)
    }

    /// Whether the link that began last has held nothing so far but whitespace.
    pub(super) fn is_empty_link(&mut self) -> bool {
        let Some(ActiveStyle {
            content: Some(Content::Link { .. }),
            before,
            ..
        }) = self.styles.last()
        else {
            return false;
        };
        let before = *before;
        self.flush_code();
        before == self.contents
    }

    /// Ends the link that began last with the text that stands for it, if there is one.
    pub(super) fn pop_link(&mut self, label: Option<Slice>) {
        self.prepare_content();
        let link = self.styles.pop();
        if let Some(label) = label {
            self.build.add(Content::Text(label));
        }
        if link.is_some_and(|link| link.open) {
            self.build.close();
        }
    }

    /// The box of a task: what an item begins with says whether it is done.
    pub(super) fn task(&mut self, checked: bool) {
        if self.open || self.in_code > 0 || self.mode != FlowMode::Flow {
            return;
        }
        if self.build.mark_task(checked) {
            self.begin();
            if self.waiting > 0 {
                self.open_styles();
            }
        }
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
            if word.len() < piece.len() && !self.code.ends_with([' ', '\n']) {
                self.code.push(' ');
            }
        }
    }

    /// Adds the code span that has been gathered.
    fn flush_code(&mut self) {
        if self.code.is_empty() {
            return;
        }
        let mut gathered = std::mem::take(&mut self.code);
        let within = std::mem::replace(&mut self.in_code, 0);
        let code = gathered.trim_matches(|c: char| c.is_ascii_whitespace());
        if gathered.starts_with(' ') {
            self.add_space();
        }
        if !code.is_empty() {
            self.prepare_content();
            let kept = self.build.keep(code);
            self.build.add(Content::Code(kept));
            if gathered.ends_with(' ') {
                self.add_space();
            }
        }
        self.in_code = within;
        gathered.clear();
        self.code = gathered;
    }
}

/// Whether a text is nothing but whitespace and no-break spaces.
fn is_blank(text: &str) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let blank = byte.is_ascii_whitespace() || (byte == 0xc2 && bytes.next() == Some(0xa0));
        if !blank {
            return false;
        }
    }
    true
}
