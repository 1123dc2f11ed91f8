//! The walk over a page's tree, front to back and without recursion, that writes its Markdown.
//!
//! Rules: what each element becomes is `CommonMark` 0.31.2 and GitHub Flavored Markdown 0.29
//! read backwards; what a browser would not show is left out.

use std::collections::HashSet;
use std::time::Instant;

use html2md::{Handle, NodeData};
use url::Url;

use super::dom::{self, Kind};
use super::inline::{Inline, Mode, Style};
use super::sheet::{Block, Holder, Sheet};
use super::table::{self, Shape};
use super::{Cuts, Document, code, pre};

mod grid;
mod list;
mod media;

/// What is to be done when an element ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    Nothing,
    Block,
    Heading,
    Link,
    Style,
    Code,
    /// Code around links, which are not to be written.
    Signature,
    Quoted,
    Boxed,
    Quote,
    List,
    Item,
    Definition,
    Table,
    Row,
    Cell,
}

struct Frame {
    node: Handle,
    next: usize,
    exit: Exit,
}

struct List {
    ordered: bool,
    number: u64,
    mark: char,
    holder: Holder,
    width: usize,
}

struct Grid {
    shape: Shape,
    spans: Vec<usize>,
    column: usize,
    begun: bool,
    header_due: bool,
}

/// Bytes of bases that a page may have copied: a hundred for each link of any page that is
/// meant to be read, and nothing that takes long.
const MAX_JOINED: usize = 64 * 1024 * 1024;

/// How many nodes are walked between two looks at the clock.
const NODES: u32 = 1024;

struct Walk {
    inline: Inline,
    end: Option<Instant>,
    cuts: Cuts,
    /// Where the long addresses are in memory that have been read: the parser copies an element that is not closed, and
    /// its copies share them.
    addresses: HashSet<usize>,
    base: Url,
    base_given: bool,
    /// Bytes of bases that may still be copied to join addresses to them.
    joinable: usize,
    title: Option<String>,
    lists: Vec<List>,
    /// The tables around, `None` for one that lays out.
    tables: Vec<Option<Grid>>,
    stack: Vec<Frame>,
    in_signature: bool,
}

/// Writes the Markdown of the page whose root element is `root`, as far as it comes until `end`; `length` is the
/// page's, in bytes.
pub(super) fn render(
    root: &Handle,
    base: &Url,
    length: usize,
    end: Option<Instant>,
) -> (Document, Cuts) {
    let mut walk = Walk {
        inline: Inline::new(Sheet::new(length)),
        end,
        cuts: Cuts::default(),
        addresses: HashSet::new(),
        base: base.clone(),
        base_given: false,
        joinable: MAX_JOINED,
        title: None,
        lists: Vec::new(),
        tables: Vec::new(),
        stack: Vec::new(),
        in_signature: false,
    };
    for child in root.children.borrow().iter() {
        if dom::name(child) == "head" {
            walk.head(child);
        }
    }
    walk.stack.push(Frame {
        node: root.clone(),
        next: 0,
        exit: Exit::Nothing,
    });
    walk.run();
    walk.inline.end();
    let (markdown, full) = walk.inline.sheet.finish();
    walk.cuts.length |= full;
    let document = Document {
        title: walk.title.unwrap_or_default(),
        markdown,
    };
    (document, walk.cuts)
}

impl Walk {
    fn run(&mut self) {
        let mut nodes = 0;
        while let Some(frame) = self.stack.last_mut() {
            nodes += 1;
            if nodes == NODES {
                nodes = 0;
                self.cuts.time = self.end.is_some_and(|end| Instant::now() >= end);
                if self.cuts.time {
                    return;
                }
            }
            if self.inline.sheet.full() {
                self.cuts.length = true;
                return;
            }
            let child = frame.node.children.borrow().get(frame.next).cloned();
            frame.next = frame.next.saturating_add(1);
            let in_list = frame.exit == Exit::List;
            match child {
                Some(child) => {
                    if in_list {
                        self.list_child(&child);
                    }
                    self.enter(child);
                }
                None => {
                    if let Some(frame) = self.stack.pop() {
                        self.leave(&frame);
                    }
                }
            }
        }
    }

    fn head(&mut self, head: &Handle) {
        for node in head.children.borrow().iter() {
            match dom::kind(node) {
                Some(Kind::Title) => self.title(node),
                Some(Kind::Base) => self.base(node),
                _ => {}
            }
        }
    }

    fn title(&mut self, node: &Handle) {
        if self.title.is_none() {
            let text = pre::text_of(node);
            self.title = Some(text.split_ascii_whitespace().collect::<Vec<_>>().join(" "));
        }
    }

    fn base(&mut self, node: &Handle) {
        if let Some(href) = dom::attribute(node, "href")
            && !self.base_given
        {
            self.base_given = true;
            if let Ok(base) = self.base.join(&href)
                && !base.cannot_be_a_base()
            {
                self.base = base;
            }
        }
    }

    fn enter(&mut self, node: Handle) {
        let exit = match &node.data {
            NodeData::Text { contents } => {
                let contents = contents.borrow();
                self.inline.text(&contents);
                self.inline.sheet.read(contents.len());
                return;
            }
            NodeData::Element { name, .. } => {
                self.inline.sheet.read(name.local.len() + 2);
                let kind = dom::kind_of(&name.local);
                if kind == Kind::Dropped || dom::is_hidden(&node) {
                    return;
                }
                self.enter_element(&node, kind)
            }
            _ => return,
        };
        if let Some(exit) = exit {
            self.stack.push(Frame {
                node,
                next: 0,
                exit,
            });
        }
    }

    /// Begins an element; `None` if its children are not to be walked.
    fn enter_element(&mut self, node: &Handle, kind: Kind) -> Option<Exit> {
        let flow = self.inline.mode == Mode::Flow;
        Some(match kind {
            Kind::Dropped => return None,
            Kind::Inline => Exit::Nothing,
            Kind::Link => return Some(self.enter_link(node)),
            Kind::Emphasis => self.style(Style::Emphasis),
            Kind::Strong => self.style(Style::Strong),
            Kind::Deleted => self.style(Style::Deleted),
            Kind::Code => self.enter_code(node),
            Kind::Quoted => {
                self.inline.text("\"");
                Exit::Quoted
            }
            Kind::Boxed => {
                self.inline.space();
                Exit::Boxed
            }
            Kind::Break => {
                self.inline.line_break();
                return None;
            }
            Kind::Image => {
                self.image(node);
                return None;
            }
            Kind::Input => {
                self.input(node);
                return None;
            }
            Kind::Title => {
                self.title(node);
                return None;
            }
            Kind::Base => {
                self.base(node);
                return None;
            }
            Kind::Rule => {
                self.rule();
                return None;
            }
            Kind::Preformatted => {
                self.preformatted(node);
                return None;
            }
            Kind::Table if flow => self.enter_table(node),
            Kind::Row if self.grid().is_some() => {
                if let Some(grid) = self.grid() {
                    grid.column = 0;
                }
                Exit::Row
            }
            Kind::Cell if self.grid().is_some() => self.enter_cell(node),
            _ if !flow => {
                self.inline.soft_end();
                Exit::Block
            }
            Kind::Heading(level) => {
                self.inline.end();
                self.inline.mode = Mode::Heading(level);
                Exit::Heading
            }
            Kind::Quote => {
                self.container(Block::Quote);
                self.inline.sheet.open(Holder::Loose, "> ", None);
                Exit::Quote
            }
            Kind::Bullets | Kind::Numbers => self.enter_list(node, kind == Kind::Numbers),
            Kind::Item => self.enter_item(node),
            Kind::Definition => {
                self.inline.end();
                self.inline.definition = true;
                Exit::Definition
            }
            _ => {
                self.inline.end();
                Exit::Block
            }
        })
    }

    fn leave(&mut self, frame: &Frame) {
        match frame.exit {
            Exit::Nothing => {}
            Exit::Block => self.boundary(),
            Exit::Heading => {
                self.inline.end();
                self.inline.mode = Mode::Flow;
            }
            Exit::Link => self.leave_link(&frame.node),
            Exit::Style => {
                self.inline.pop();
            }
            Exit::Code => self.inline.leave_code(),
            Exit::Signature => self.leave_signature(),
            Exit::Quoted => self.inline.text("\""),
            Exit::Boxed => self.inline.space(),
            Exit::Quote | Exit::Item => {
                self.inline.end();
                self.inline.sheet.close();
            }
            Exit::List => {
                self.inline.end();
                self.inline.sheet.close();
                self.lists.pop();
            }
            Exit::Definition => {
                self.inline.end();
                self.inline.definition = false;
            }
            Exit::Table => {
                self.inline.end();
                self.tables.pop();
            }
            Exit::Row => self.leave_row(),
            Exit::Cell => {
                self.inline.end();
                self.inline.mode = Mode::Flow;
                let (columns, _) = table::span(&frame.node);
                let sheet = &mut self.inline.sheet;
                if !sheet.out.ends_with("| ") {
                    sheet.out.push(' ');
                }
                // The other columns of the cell are empty, as far as the page pays for them.
                for _ in 1..columns {
                    if sheet.affords(2) {
                        sheet.out.push_str("| ");
                    }
                }
            }
        }
    }

    /// The end of one block and the beginning of another.
    fn boundary(&mut self) {
        if self.inline.mode == Mode::Flow {
            self.inline.end();
        } else {
            self.inline.soft_end();
        }
    }

    /// Ends the text before a block that is none itself.
    fn container(&mut self, block: Block) {
        self.inline.end();
        self.inline.definition = false;
        self.inline.sheet.announce(block);
    }

    fn style(&mut self, style: Style) -> Exit {
        self.inline.push(style);
        Exit::Style
    }

    fn rule(&mut self) {
        if self.inline.mode == Mode::Flow {
            self.container(Block::Rule);
            let sheet = &mut self.inline.sheet;
            let rule = if sheet.in_list() { "___" } else { "---" };
            sheet.line();
            sheet.out.push_str(rule);
        } else {
            self.inline.soft_end();
        }
    }

    fn preformatted(&mut self, node: &Handle) {
        let text = pre::text_of(node);
        if self.inline.mode != Mode::Flow || self.inline.is_code() {
            self.inline.enter_code();
            self.inline.text(&text);
            self.inline.leave_code();
            return;
        }
        let text = text.strip_suffix('\n').unwrap_or(&text);
        if text.trim().is_empty() && !pre::holds_code(node) {
            self.boundary();
            return;
        }
        let around = self.stack.iter().rev().take(3).map(|frame| &frame.node);
        let language = pre::language(node, around)
            .filter(|language| self.inline.sheet.affords(language.len() + 8))
            .unwrap_or_default();
        self.container(Block::Fence);
        let (mark, length) = code::block_fence(text);
        let fence: String = std::iter::repeat_n(mark, length).collect();
        let sheet = &mut self.inline.sheet;
        sheet.line();
        sheet.out.push_str(&fence);
        sheet.out.push_str(&language);
        if !text.is_empty() {
            for line in text.split('\n') {
                sheet.verbatim_line(line);
                sheet.read(line.len() + 1);
            }
        }
        sheet.line();
        sheet.out.push_str(&fence);
    }
}
