//! Builds a page's model in one walk through its tree, front to back and without recursion.
//!
//! Rules: HTML Living Standard, meaning of each element; content that a browser would not show is
//! left out.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use html2md::{Handle, NodeData};
use url::{Position, Url};

use self::list::OpenList;
use self::useless_links::is_icon;
use super::dom::{self, ElementKind};
use super::flow::{FlowBuilder, FlowMode};
use super::{code, preformatted, repeated_links, table};
use iki_markdown::document::{ALLOWANCE, DocumentCuts};
use iki_markdown::limits::StepClock;
use iki_markdown::model::{AddressId, DocumentModel, NodeContent};

pub(super) mod annotation;
mod cell;
mod code_block;
mod link;
mod list;
mod superscript;
mod useless_links;

/// The action at the end of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ElementExit {
    Block,
    Heading,
    Link,
    Style,
    Code,
    /// Code around links, which become no links of their own.
    Signature,
    /// Text that follows the element.
    Text(&'static str),
    Container,
    /// A heading in a cell.
    CellHeading,
    /// A list in a cell.
    CellList,
    List,
    /// An item of the list around it, or content that continues one.
    Item,
    Table,
    Row,
    Cell,
}

struct WalkFrame {
    node: Handle,
    next: usize,
    exit: ElementExit,
}

/// Maximum bytes of base addresses that are copied for a page: a hundred for each link of any
/// ordinary page, and nothing that takes long.
const MAX_JOINED_BYTES: usize = 64 * 1024 * 1024;

struct TreeWalk {
    flow: FlowBuilder,
    clock: StepClock,
    cuts: DocumentCuts,
    /// Long addresses by their location in memory, because the parser copies an unclosed element
    /// and its copies share them.
    addresses: HashMap<usize, Option<AddressId>>,
    /// Long texts that were used as the label of a link, in the same way.
    labels: HashSet<usize>,
    base: Url,
    base_given: bool,
    /// The page's own address without a fragment.
    here: String,
    /// The ID of the part that the address names, until it is found.
    section: Option<String>,
    /// Text of the open link; `link_has_text` is true if it is more than the text of images.
    link_text: String,
    link_has_text: bool,
    /// Addresses of the images so far.
    images: HashSet<String>,
    /// Bytes of base addresses that may still be copied.
    joinable: usize,
    /// Bytes by which absolute addresses may still lengthen the page.
    growable: usize,
    title: Option<String>,
    /// The lists around.
    lists: Vec<OpenList>,
    /// For each list around in a cell: the number of its next item, if it has numbers, and true if
    /// these count down.
    cell_lists: Vec<Option<(u32, bool)>>,
    /// Blocks that did not fit in a cell of the table around: they follow the table, as notes.
    deferred: Vec<Handle>,
    /// Number of notes so far.
    notes: u32,
    /// For each table around: true if it is a data table.
    tables: Vec<bool>,
    /// The rows of the current section of a data table, whose cells contain no other table.
    rows: table::SectionRows,
    stack: Vec<WalkFrame>,
    in_signature: bool,
}

/// Builds the model of the page with this root element until `end`; `length` is the page's, in
/// bytes.
pub(super) fn walk(
    root: &Handle,
    base: &Url,
    length: usize,
    end: Option<Instant>,
) -> (DocumentModel, DocumentCuts) {
    let mut walk = TreeWalk {
        flow: FlowBuilder::new(length),
        clock: StepClock::new(end),
        cuts: DocumentCuts::default(),
        addresses: HashMap::new(),
        labels: HashSet::new(),
        base: base.clone(),
        base_given: false,
        here: base[..Position::AfterQuery].to_owned(),
        section: dom::section_id(base),
        link_text: String::new(),
        link_has_text: false,
        images: HashSet::new(),
        joinable: MAX_JOINED_BYTES,
        growable: length.saturating_mul(2).saturating_add(ALLOWANCE),
        title: None,
        lists: Vec::new(),
        cell_lists: Vec::new(),
        deferred: Vec::new(),
        notes: 0,
        tables: Vec::new(),
        rows: table::SectionRows::default(),
        stack: Vec::new(),
        in_signature: false,
    };
    for child in root.children.borrow().iter() {
        if dom::name(child) == "head" {
            walk.read_head(child);
        }
    }
    walk.stack.push(WalkFrame {
        node: root.clone(),
        next: 0,
        exit: ElementExit::Text(""),
    });
    walk.run();
    walk.flow.end();
    let title = walk.title.unwrap_or_default();
    let mut model = walk.flow.build.finish(title);
    code::remove_labels(&mut model);
    repeated_links::remove_repeated(&mut model, &walk.here);
    (model, walk.cuts)
}

impl TreeWalk {
    fn run(&mut self) {
        while let Some(frame) = self.stack.last_mut() {
            self.cuts.time |= self.clock.is_past();
            if self.cuts.time {
                return;
            }
            let child = frame.node.children.borrow().get(frame.next).cloned();
            frame.next = frame.next.saturating_add(1);
            let in_list = frame.exit == ElementExit::List;
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

    /// Returns the formula that is the text of the innermost element, between the delimiters that
    /// `MathJax` and `KaTeX` look for, if the element is for formulas.
    fn formula_in<'a>(&self, text: &'a str) -> Option<&'a str> {
        let text = text.trim();
        let within = |start: &str, end: &str| text.strip_prefix(start)?.strip_suffix(end);
        let tex = within("\\(", "\\)").or_else(|| within("\\[", "\\]"))?;
        let class = dom::attribute(&self.stack.last()?.node, "class")?;
        annotation::is_formula(&class).then_some(tex)
    }

    fn read_head(&mut self, head: &Handle) {
        for node in head.children.borrow().iter() {
            match dom::kind(node) {
                Some(ElementKind::Title) => self.read_title(node),
                Some(ElementKind::Base) => self.read_base(node),
                _ => {}
            }
        }
    }

    fn read_title(&mut self, node: &Handle) {
        if self.title.is_none() {
            let text = preformatted::text_of(node);
            self.title = Some(text.split_ascii_whitespace().collect::<Vec<_>>().join(" "));
        }
    }

    fn read_base(&mut self, node: &Handle) {
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
                // The icons of fonts, which stand for links and marks of a heading.
                if matches!(self.flow.mode, FlowMode::Heading(_)) && contents.contains(is_icon) {
                    self.flow.add_text(&contents.replace(is_icon, ""));
                } else if let Some(tex) = self.formula_in(&contents) {
                    self.flow.enter_code();
                    self.flow.add_text(tex);
                    self.flow.leave_code();
                } else {
                    self.flow.add_text(&contents);
                }
                self.flow.read(contents.len());
                return;
            }
            NodeData::Element { name, .. } => {
                self.flow.read(name.local.len() + 2);
                let kind = dom::kind(&node).unwrap_or(ElementKind::Inline);
                if kind == ElementKind::Dropped {
                    return;
                }
                if dom::is_hidden(&node) {
                    self.enter_hidden(&node);
                    return;
                }
                if self
                    .section
                    .as_deref()
                    .is_some_and(|id| dom::is_section(&node, id))
                {
                    self.section = None;
                    if matches!(
                        kind,
                        ElementKind::Block
                            | ElementKind::Heading(_)
                            | ElementKind::Item
                            | ElementKind::Preformatted
                            | ElementKind::Table
                    ) {
                        self.end_block();
                    }
                    self.flow.build.begin_section();
                }
                self.enter_element(&node, kind)
            }
            _ => return,
        };
        if let Some(exit) = exit {
            self.stack.push(WalkFrame {
                node,
                next: 0,
                exit,
            });
        }
    }

    /// Begins an element; `None` if its children are to be skipped.
    fn enter_element(&mut self, node: &Handle, kind: ElementKind) -> Option<ElementExit> {
        let flow = self.flow.mode == FlowMode::Flow;
        Some(match kind {
            ElementKind::Dropped => return None,
            ElementKind::Inline => return self.enter_inline(node),
            ElementKind::Link => return self.enter_link(node),
            ElementKind::Media => {
                self.add_media(node);
                return None;
            }
            ElementKind::Emphasis => self.enter_style(NodeContent::Emphasis),
            ElementKind::Strong => self.enter_style(NodeContent::Strong),
            ElementKind::Deleted => self.enter_style(NodeContent::Deleted),
            ElementKind::Code => self.enter_code(node),
            ElementKind::Quoted => {
                self.flow.add_text("\"");
                ElementExit::Text("\"")
            }
            ElementKind::Raised => return self.enter_raised(node),
            ElementKind::Boxed => {
                self.flow.add_space();
                ElementExit::Text(" ")
            }
            ElementKind::Break => {
                self.flow.line_break();
                return None;
            }
            ElementKind::Image => {
                self.add_image(node);
                return None;
            }
            ElementKind::Input => {
                self.add_input(node);
                return None;
            }
            ElementKind::Title => {
                self.read_title(node);
                return None;
            }
            ElementKind::Base => {
                self.read_base(node);
                return None;
            }
            ElementKind::Preformatted => {
                self.add_preformatted(node);
                return None;
            }
            ElementKind::Rule => {
                self.end_block();
                if flow {
                    self.flow.build.add(NodeContent::Rule);
                }
                return None;
            }
            _ if !flow => {
                self.flow.soft_end();
                if self.flow.mode == FlowMode::Cell {
                    return self.enter_in_cell(node, kind);
                }
                ElementExit::Block
            }
            ElementKind::Table | ElementKind::Block if self.add_listing(node) => return None,
            ElementKind::Table => self.enter_table(node),
            ElementKind::Row if self.tables.last() == Some(&true) => {
                self.rows.begin_row();
                self.enter_container(NodeContent::Row);
                ElementExit::Row
            }
            ElementKind::Cell if self.is_in(ElementExit::Row) => self.enter_cell(node),
            ElementKind::Cell if self.is_gutter(node) => return None,
            ElementKind::Heading(level) => {
                self.flow.end();
                self.flow.mode = FlowMode::Heading(level);
                ElementExit::Heading
            }
            ElementKind::Quote => self.enter_container(NodeContent::Quote),
            ElementKind::Definition => self.enter_container(NodeContent::Definition),
            ElementKind::Bullets | ElementKind::Numbers => {
                self.enter_list(node, kind == ElementKind::Numbers)
            }
            ElementKind::Item => self.enter_item(node),
            _ => {
                self.flow.end();
                if self.is_in(ElementExit::Table) && self.tables.last() == Some(&true) {
                    self.rows = table::SectionRows::read(node);
                }
                ElementExit::Block
            }
        })
    }

    /// True if the innermost open element ends so.
    fn is_in(&self, exit: ElementExit) -> bool {
        self.stack.last().is_some_and(|frame| frame.exit == exit)
    }

    /// Skips a hidden element. A hidden cell of a table keeps its place, so that those after it
    /// keep their columns.
    fn enter_hidden(&mut self, node: &Handle) {
        if self.is_in(ElementExit::Row) && table::cell_visibility(node) == Some(false) {
            let exit = self.enter_cell(node);
            self.leave(&WalkFrame {
                node: node.clone(),
                next: 0,
                exit,
            });
        }
    }

    fn leave(&mut self, frame: &WalkFrame) {
        match frame.exit {
            ElementExit::Text(text) => self.flow.add_text(text),
            ElementExit::Block => self.end_block(),
            ElementExit::Heading | ElementExit::Cell => {
                self.flow.end();
                self.flow.mode = FlowMode::Flow;
                if frame.exit == ElementExit::Cell {
                    self.flow.build.close();
                }
            }
            ElementExit::Link => self.leave_link(&frame.node),
            ElementExit::Style => self.flow.pop(),
            ElementExit::Code => self.flow.leave_code(),
            ElementExit::Signature => self.leave_signature(),
            ElementExit::Container => {
                self.flow.end();
                self.flow.build.close();
            }
            ElementExit::CellHeading => {
                self.flow.pop();
                self.flow.soft_end();
            }
            ElementExit::CellList => {
                self.cell_lists.pop();
                self.flow.soft_end();
            }
            ElementExit::Item => self.flow.end(),
            ElementExit::List => self.leave_list(),
            ElementExit::Table => {
                self.flow.end();
                if self.tables.pop() == Some(true) {
                    self.flow.build.close();
                    self.add_notes();
                }
            }
            ElementExit::Row => {
                self.flow.end();
                self.flow.build.close_unless_empty();
            }
        }
    }

    /// Ends a block at the beginning or the end of another one.
    fn end_block(&mut self) {
        if self.flow.mode == FlowMode::Flow {
            self.flow.end();
        } else {
            self.flow.soft_end();
        }
    }

    /// Begins a block that contains blocks.
    fn enter_container(&mut self, content: NodeContent) -> ElementExit {
        self.flow.end();
        self.flow.build.open(content);
        ElementExit::Container
    }

    fn enter_style(&mut self, content: NodeContent) -> ElementExit {
        self.flow.push(Some(content));
        ElementExit::Style
    }

    fn enter_table(&mut self, node: &Handle) -> ElementExit {
        self.flow.end();
        table::move_foot_last(node);
        let shape = table::read_shape(node);
        self.tables.push(shape.is_some());
        self.rows = table::SectionRows::read(node);
        if let Some(shape) = shape {
            let id = self.flow.build.keep_table(shape);
            self.flow.build.open(NodeContent::Table(id));
        }
        ElementExit::Table
    }
}
