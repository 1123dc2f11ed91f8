//! Inline content of a page: text, styles, code and line ends, put into paragraphs, headings and
//! cells.
//!
//! Rules: CSS Text 3, "White Space Processing" (a paragraph needs more than whitespace); HTML
//! Living Standard, "Text-level semantics". A paragraph begins where there is text and ends where a
//! block begins or ends. A style may reach over several of them: it is closed with each and opened
//! again in the next, except for a link, which leads somewhere once.

use iki_markdown::model::{ModelBuilder, NodeContent, TextSlice};

/// The block to which inline content belongs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum FlowMode {
    /// The page's flow: a paragraph opens wherever there is text.
    #[default]
    Flow,
    /// A heading of this level, in one line.
    Heading(u8),
    Cell,
}

struct ActiveStyle {
    /// Its node; `None` if it has none.
    content: Option<NodeContent>,
    /// True if the node is open in the current paragraph.
    is_open: bool,
    /// True if it was open in an earlier paragraph.
    was_open: bool,
    /// True if it will not be opened again.
    is_done: bool,
    /// Number of pieces of content before it.
    before: usize,
}

/// Number of nodes for reopened styles that any page may have.
const FREE_COPIES: usize = 1024;

/// Maximum number of styles searched for an open link.
const MAX_AROUND: usize = 64;

/// Number of bytes of text that allow one more such node.
const TEXT_PER_COPY: usize = 16;

/// The document so far, with the open elements of its last block.
#[derive(Default)]
pub(super) struct FlowBuilder {
    pub(super) build: ModelBuilder,
    /// The block to which the next text belongs.
    pub(super) mode: FlowMode,
    /// True if the block of `mode` is open.
    open: bool,
    /// Line ends to be written before the next content.
    breaks: u32,
    styles: Vec<ActiveStyle>,
    /// Number of styles to be opened before the next content.
    waiting: usize,
    code: String,
    in_code: usize,
    contents: usize,
    copies: usize,
    /// The last character of the text so far.
    last: Option<char>,
}

impl FlowBuilder {
    /// Creates an empty document for a page of `length` bytes.
    pub(super) fn new(length: usize) -> Self {
        Self {
            build: ModelBuilder::for_source(length),
            copies: FREE_COPIES,
            ..Self::default()
        }
    }

    /// Returns the character that text would directly follow in its line.
    pub(super) fn previous_char(&self) -> Option<char> {
        let goes_on = self.open && self.breaks == 0 || !self.code.is_empty();
        self.last.filter(|_| goes_on)
    }

    /// Counts bytes of the page that have been read.
    pub(super) fn read(&mut self, bytes: usize) {
        self.build.count_source(bytes);
    }

    /// True if text is being collected for a code span.
    pub(super) fn is_code(&self) -> bool {
        self.in_code > 0
    }

    /// Adds text of the page.
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
            self.copies += text.len() / TEXT_PER_COPY;
        } else if !self.open || self.breaks > 0 {
            return;
        }
        let slice = if blank && text.is_ascii() { " " } else { text };
        let slice = self.build.keep(slice);
        self.build.add(NodeContent::Text(slice));
    }

    /// Adds whitespace between two pieces of text.
    pub(super) fn add_space(&mut self) {
        self.add_text(" ");
    }

    /// Adds an inline node without children.
    pub(super) fn add_leaf(&mut self, content: NodeContent) {
        self.last = None;
        self.prepare_content();
        self.build.add(content);
    }

    /// Writes pending code and line ends, and opens the block and its styles, before content is
    /// added.
    fn prepare_content(&mut self) {
        self.flush_code();
        self.contents += 1;
        if self.open && self.breaks > 0 {
            if self.mode == FlowMode::Flow && self.breaks > 1 {
                self.end();
            } else {
                self.build.add(NodeContent::Break);
            }
        }
        self.breaks = 0;
        if !self.open {
            self.open_block();
        }
        if self.waiting > 0 {
            self.open_styles();
        }
    }

    fn open_block(&mut self) {
        self.open = true;
        match self.mode {
            FlowMode::Flow => self.build.open(NodeContent::Paragraph),
            FlowMode::Heading(level) => self.build.open(NodeContent::Heading(level)),
            FlowMode::Cell => {}
        }
    }

    fn open_styles(&mut self) {
        self.waiting = 0;
        for style in &mut self.styles {
            let Some(content) = style.content.filter(|_| !style.is_open && !style.is_done) else {
                continue;
            };
            if style.was_open {
                if self.copies == 0 {
                    style.is_done = true;
                    continue;
                }
                self.copies -= 1;
            }
            style.is_open = true;
            self.build.open(content);
        }
    }

    /// Ends the block; its open styles are closed and open again in the next one.
    pub(super) fn end(&mut self) {
        self.flush_code();
        self.breaks = 0;
        if !self.open {
            return;
        }
        for style in self.styles.iter_mut().rev() {
            if std::mem::take(&mut style.is_open) {
                self.build.close_unless_empty();
                style.was_open = true;
                let link = matches!(style.content, Some(NodeContent::Link { .. }));
                style.is_done = link && self.contents > style.before;
                self.waiting += usize::from(!style.is_done);
            }
        }
        if self.mode != FlowMode::Cell {
            self.build.close();
        }
        self.open = false;
    }

    /// Ends a block inside a heading or a cell, which goes on.
    pub(super) fn soft_end(&mut self) {
        self.flush_code();
        if self.mode != FlowMode::Cell {
            self.add_space();
        } else if self.open {
            self.breaks = 1;
        }
    }

    /// Adds the line end of a `br`.
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

    /// Begins an inline element; `None` if it has no node.
    pub(super) fn push(&mut self, content: Option<NodeContent>) {
        let content = content.filter(|content| match content {
            NodeContent::Link { .. } => true,
            NodeContent::Deleted => {
                let deleted = |style: &ActiveStyle| style.content == Some(NodeContent::Deleted);
                self.in_code == 0 && !self.styles.iter().any(deleted)
            }
            _ => self.in_code == 0,
        });
        let mut is_open = false;
        if let Some(content) = content {
            self.flush_code();
            is_open = self.open && self.breaks == 0 && self.waiting == 0;
            if is_open {
                self.build.open(content);
            } else {
                self.waiting += 1;
            }
        }
        self.styles.push(ActiveStyle {
            content,
            is_open,
            was_open: false,
            is_done: false,
            before: self.contents,
        });
    }

    /// Ends the inline element that began last.
    pub(super) fn pop(&mut self) {
        let Some(top) = self.styles.last() else {
            return;
        };
        if top.content.is_some() {
            self.flush_code();
        }
        if let Some(top) = self.styles.pop() {
            if top.is_open {
                self.build.close_unless_empty();
            } else if top.content.is_some() && !top.is_done {
                self.waiting -= 1;
            }
        }
    }

    /// True within a link.
    pub(super) fn in_link(&self) -> bool {
        let link = |style: &ActiveStyle| matches!(style.content, Some(NodeContent::Link { .. }));
        self.styles.iter().rev().take(MAX_AROUND).any(link)
    }

    /// True if the link that began last contains only whitespace so far.
    pub(super) fn is_empty_link(&mut self) -> bool {
        let Some(ActiveStyle {
            content: Some(NodeContent::Link { .. }),
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

    /// Ends the link that began last, after adding its label.
    pub(super) fn pop_link(&mut self, label: TextSlice) {
        self.prepare_content();
        let link = self.styles.pop();
        self.build.add(NodeContent::Text(label));
        if link.is_some_and(|link| link.is_open) {
            self.build.close();
        }
    }

    /// Marks the item as a task, if its checkbox is its first content.
    pub(super) fn task(&mut self, checked: bool) {
        if self.open || self.in_code > 0 || self.mode != FlowMode::Flow {
            return;
        }
        if self.build.mark_task(checked) {
            self.open_block();
            if self.waiting > 0 {
                self.open_styles();
            }
        }
    }

    pub(super) fn enter_code(&mut self) {
        self.in_code += 1;
    }

    /// Leaves a `code` element; text of another one that directly follows joins its span.
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

    /// Adds the code span collected so far.
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
            let code_within_limit = self.build.keep(code);
            self.build.add(NodeContent::Code(code_within_limit));
            if gathered.ends_with(' ') {
                self.add_space();
            }
        }
        self.in_code = within;
        gathered.clear();
        self.code = gathered;
    }
}

/// True if a text consists of whitespace and no-break spaces.
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
