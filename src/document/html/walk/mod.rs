//! The walk through a page's tree, front to back and without recursion, that builds its model.
//!
//! Rules: HTML Living Standard, what each element represents; what a browser would not show is
//! left out.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use html2md::{Handle, NodeData};
use url::{Position, Url};

use super::dom::{self, Kind};
use super::flow::{Flow, Mode};
use super::{pre, repeats, table};
use crate::document::model::{AddressId, DocumentModel, NodeContent, TextSlice};
use crate::document::{ALLOWANCE, DocumentCuts};

mod link;
mod list;
mod raised;
mod useless;

/// What is to be done when an element ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    Nothing,
    Block,
    Heading,
    Link,
    Style,
    Code,
    /// Code around links, which are not links of their own.
    Signature,
    Quoted,
    Boxed,
    /// What stands higher, in brackets or not.
    Raised {
        bracketed: bool,
    },
    /// A block that holds blocks.
    Container,
    List,
    /// An item of the list around it, or what goes on with one.
    Item,
    Table,
    Row,
    Cell,
}

struct Frame {
    node: Handle,
    next: usize,
    exit: Exit,
}

/// Bytes of bases that a page may have copied: a hundred for each link of any page that is
/// meant to be read, and nothing that takes long.
const MAX_JOINED: usize = 64 * 1024 * 1024;

/// How many nodes are walked between two looks at the clock.
const NODES: u32 = 1024;

struct Walk {
    flow: Flow,
    end: Option<Instant>,
    cuts: DocumentCuts,
    /// The long addresses by where they are in memory: the parser copies an element that is not
    /// closed, and its copies share them.
    addresses: HashMap<usize, Option<AddressId>>,
    /// The same of other long attributes.
    attributes: HashMap<usize, TextSlice>,
    /// The long texts that stood for a link, in the same way.
    labels: HashSet<usize>,
    base: Url,
    base_given: bool,
    /// The page's own address, without a fragment.
    here: String,
    /// What the link says that is open, and whether that is more than what stands for its images.
    link_text: String,
    link_says: bool,
    /// The images so far, as hashes of their addresses.
    images: HashSet<u64>,
    /// Where links lead that hold nothing.
    empty: Vec<AddressId>,
    /// Images that the page has for decoration alone.
    decoration: Vec<AddressId>,
    /// Bytes of bases that may still be copied to join addresses to them.
    joinable: usize,
    /// Bytes that absolute addresses may still add.
    growable: usize,
    title: Option<String>,
    /// The lists around: whether an item of each is open.
    lists: Vec<bool>,
    /// The tables around: whether each holds data.
    tables: Vec<bool>,
    /// The rows of the section of data that is open: no cell of one holds another table.
    rows: table::Rows,
    stack: Vec<Frame>,
    in_signature: bool,
}

/// Reads the page whose root element is `root`, as far as it comes until `end`; `length` is the
/// page's, in bytes.
pub(super) fn walk(
    root: &Handle,
    base: &Url,
    length: usize,
    end: Option<Instant>,
) -> (DocumentModel, DocumentCuts) {
    let mut walk = Walk {
        flow: Flow::new(length),
        end,
        cuts: DocumentCuts::default(),
        addresses: HashMap::new(),
        attributes: HashMap::new(),
        labels: HashSet::new(),
        base: base.clone(),
        base_given: false,
        here: base[..Position::AfterQuery].to_owned(),
        link_text: String::new(),
        link_says: false,
        images: HashSet::new(),
        empty: Vec::new(),
        decoration: Vec::new(),
        joinable: MAX_JOINED,
        growable: length.saturating_mul(2).saturating_add(ALLOWANCE),
        title: None,
        lists: Vec::new(),
        tables: Vec::new(),
        rows: table::Rows::default(),
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
    walk.flow.end();
    if walk.flow.build.is_empty() {
        walk.write_all_there_is();
    }
    let title = walk.title.unwrap_or_default();
    let mut model = walk.flow.build.finish(title);
    repeats::tidy(&mut model, &walk.here);
    (model, walk.cuts)
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
                self.addresses.clear();
            }
        }
    }

    fn enter(&mut self, node: Handle) {
        let exit = match &node.data {
            NodeData::Text { contents } => {
                let contents = contents.borrow();
                self.flow.text(&contents);
                self.flow.read(contents.len());
                return;
            }
            NodeData::Element { name, .. } => {
                self.flow.read(name.local.len() + 2);
                let kind = dom::kind_of(&name.local);
                if kind == Kind::Dropped {
                    return;
                }
                if dom::is_hidden(&node) {
                    self.hidden(&node);
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
        let flow = self.flow.mode == Mode::Flow;
        Some(match kind {
            Kind::Dropped => return None,
            Kind::Inline => Exit::Nothing,
            Kind::Link => return self.enter_link(node),
            Kind::Media => {
                self.media(node);
                return None;
            }
            Kind::Emphasis => self.style(NodeContent::Emphasis),
            Kind::Strong => self.style(NodeContent::Strong),
            Kind::Deleted => self.style(NodeContent::Deleted),
            Kind::Code => self.enter_code(node),
            Kind::Quoted => {
                self.flow.text("\"");
                Exit::Quoted
            }
            Kind::Raised => self.enter_raised(node),
            Kind::Boxed => {
                self.flow.space();
                Exit::Boxed
            }
            Kind::Break => {
                self.flow.line_break();
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
            Kind::Preformatted => {
                self.preformatted(node);
                return None;
            }
            Kind::Rule => {
                self.boundary();
                if flow {
                    self.flow.build.add(NodeContent::Rule);
                }
                return None;
            }
            _ if !flow => {
                self.flow.soft_end();
                if kind == Kind::Item && self.flow.mode == Mode::Cell {
                    self.flow.text("• ");
                }
                Exit::Block
            }
            Kind::Table => self.enter_table(node),
            Kind::Row if self.tables.last() == Some(&true) => {
                self.rows.next();
                self.container(NodeContent::Row);
                Exit::Row
            }
            Kind::Cell if self.stack.last().is_some_and(|f| f.exit == Exit::Row) => {
                self.enter_cell(node)
            }
            Kind::Heading(level) => {
                self.flow.end();
                self.flow.mode = Mode::Heading(level);
                Exit::Heading
            }
            Kind::Quote => self.container(NodeContent::Quote),
            Kind::Definition => self.container(NodeContent::Definition),
            Kind::Bullets | Kind::Numbers => self.enter_list(node, kind == Kind::Numbers),
            Kind::Item => self.enter_item(node),
            _ => {
                self.flow.end();
                if self.stack.last().is_some_and(|f| f.exit == Exit::Table)
                    && self.tables.last() == Some(&true)
                {
                    self.rows = table::Rows::of(node);
                }
                Exit::Block
            }
        })
    }

    /// What is not seen: a cell of a table keeps its place, or those behind it would be read as
    /// others.
    fn hidden(&mut self, node: &Handle) {
        if self.stack.last().is_some_and(|f| f.exit == Exit::Row)
            && table::place(node) == Some(false)
        {
            let exit = self.enter_cell(node);
            self.leave(&Frame {
                node: node.clone(),
                next: 0,
                exit,
            });
        }
    }

    fn leave(&mut self, frame: &Frame) {
        match frame.exit {
            Exit::Nothing => {}
            Exit::Block => self.boundary(),
            Exit::Heading | Exit::Cell => {
                self.flow.end();
                self.flow.mode = Mode::Flow;
                if frame.exit == Exit::Cell {
                    self.flow.build.close();
                }
            }
            Exit::Link => self.leave_link(&frame.node),
            Exit::Style => self.flow.pop(),
            Exit::Code => self.flow.leave_code(),
            Exit::Signature => self.leave_signature(),
            Exit::Quoted => self.flow.text("\""),
            Exit::Boxed => self.flow.space(),
            Exit::Raised { bracketed } => {
                if bracketed {
                    self.flow.text(")");
                }
            }
            Exit::Container => {
                self.flow.end();
                self.flow.build.close();
            }
            Exit::Item => self.flow.end(),
            Exit::List => self.leave_list(),
            Exit::Table => {
                self.flow.end();
                if self.tables.pop() == Some(true) {
                    self.flow.build.close();
                }
            }
            Exit::Row => {
                self.flow.end();
                self.flow.build.close_unless_empty();
            }
        }
    }

    /// The end of one block and the beginning of another.
    fn boundary(&mut self) {
        if self.flow.mode == Mode::Flow {
            self.flow.end();
        } else {
            self.flow.soft_end();
        }
    }

    /// Begins a block that holds blocks.
    fn container(&mut self, content: NodeContent) -> Exit {
        self.flow.end();
        self.flow.build.open(content);
        Exit::Container
    }

    fn style(&mut self, content: NodeContent) -> Exit {
        self.flow.push(Some(content));
        Exit::Style
    }

    fn preformatted(&mut self, node: &Handle) {
        let text = pre::text_of(node);
        if self.flow.mode != Mode::Flow || self.flow.is_code() {
            self.flow.enter_code();
            self.flow.text(&text);
            self.flow.leave_code();
            return;
        }
        self.flow.end();
        let text = text.strip_suffix('\n').unwrap_or(&text);
        if text.trim().is_empty() && !pre::holds_code(node) {
            return;
        }
        let around = self.stack.iter().rev().take(3).map(|frame| &frame.node);
        let language = pre::language(node, around).unwrap_or_default();
        let build = &mut self.flow.build;
        let language = build.keep(&language);
        let code = build.keep(text);
        build.add(NodeContent::CodeBlock { language, code });
    }

    fn enter_table(&mut self, node: &Handle) -> Exit {
        self.flow.end();
        let shape = table::shape(node);
        self.tables.push(shape.is_some());
        if let Some(shape) = shape {
            let id = self.flow.build.keep_table(shape);
            self.flow.build.open(NodeContent::Table(id));
        }
        Exit::Table
    }

    fn enter_cell(&mut self, node: &Handle) -> Exit {
        self.flow.end();
        let (columns, rows) = self.rows.span(node);
        let limited = |number| u16::try_from(number).unwrap_or(u16::MAX);
        let (columns, rows) = (limited(columns), limited(rows));
        self.flow.build.open(NodeContent::Cell { columns, rows });
        self.flow.mode = Mode::Cell;
        Exit::Cell
    }
}
