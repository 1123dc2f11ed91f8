//! The writer of Markdown: a [`Model`] in, its Markdown out, so that it reads back as the same
//! model.
//!
//! Rules: `CommonMark` 0.31.2 and GitHub Flavored Markdown 0.29, read backwards. The model is
//! gone through once, without recursion.
//!
//! | module | what it is |
//! |---|---|
//! | `lines` | lines, prefixes and what stands between blocks |
//! | `inline` | text, whitespace, emphasis, links, code spans |
//! | `escape` | what Markdown would take for markup |
//! | `target` | where links and images lead to |
//! | `fence` | what stands around code |
//! | `table` | tables, row by row |

use std::time::Instant;

use self::inline::{Inline, Mode, Style};
use self::lines::{Block, Holder, Lines};
use super::Cuts;
use super::model::{AddressId, Content, Model, Node, Slice};

mod escape;
mod fence;
mod flanks;
mod inline;
mod lines;
mod table;
mod target;

#[cfg(test)]
mod tests;

/// Addresses that may be repeated without being paid for, in bytes: what a link's own markup in the
/// source pays for.
const SHORT: usize = 16;

/// How many nodes are written between two looks at the clock.
const NODES: u32 = 1024;

/// The highest number that an item can have.
const MAX_NUMBER: u32 = 999_999_999;

struct List {
    /// The number of its next item; `None` if items are not numbered.
    number: Option<u32>,
    mark: char,
    tight: bool,
}

struct Writer<'a> {
    model: &'a Model,
    inline: Inline<'a>,
    cuts: Cuts,
    /// The lists around the innermost item.
    lists: Vec<List>,
    tables: Vec<table::Grid<'a>>,
    /// What holds what is written next.
    open: Vec<Node>,
}

/// Writes the Markdown of a document that was read from `length` bytes, as far as it comes until
/// `end`.
pub(super) fn write(model: &Model, length: usize, end: Option<Instant>) -> (String, Cuts) {
    let mut writer = Writer {
        model,
        inline: Inline::new(Lines::new(length)),
        cuts: Cuts::default(),
        lists: Vec::new(),
        tables: Vec::new(),
        open: Vec::new(),
    };
    writer.run(end);
    writer.inline.end();
    let (markdown, full) = writer.inline.lines.finish();
    writer.cuts.length |= full;
    (markdown, writer.cuts)
}

impl<'a> Writer<'a> {
    fn run(&mut self, end: Option<Instant>) {
        let mut nodes = 0;
        for (at, node) in self.model.nodes().iter().enumerate() {
            nodes += 1;
            if nodes == NODES {
                nodes = 0;
                self.cuts.time = end.is_some_and(|end| Instant::now() >= end);
                if self.cuts.time {
                    return;
                }
            }
            if self.inline.lines.full() {
                self.cuts.length = true;
                return;
            }
            self.leave_before(at);
            self.inline.lines.read(node.read as usize);
            self.enter(node, node.end as usize == at + 1);
        }
        self.leave_before(usize::MAX);
    }

    /// Ends what does not hold the node at `at`.
    fn leave_before(&mut self, at: usize) {
        while let Some(node) = self.open.last()
            && node.end as usize <= at
        {
            let content = node.content;
            self.open.pop();
            self.leave(content);
        }
    }

    fn text(&self, slice: Slice) -> &'a str {
        self.model.text(slice)
    }

    fn enter(&mut self, node: &Node, empty: bool) {
        match node.content {
            Content::Text(text) => {
                self.inline.text(self.text(text));
                return;
            }
            Content::Code(code) => {
                self.inline.code(self.text(code));
                return;
            }
            Content::Break => {
                self.inline.line_break();
                return;
            }
            Content::NoteMark(number) => {
                self.inline.note_mark(number);
                return;
            }
            Content::Image {
                address,
                alt,
                title,
            } => {
                self.image(address, self.text(alt), self.text(title));
                return;
            }
            Content::Rule => {
                self.rule();
                return;
            }
            Content::CodeBlock { language, code } => {
                self.code_block(self.text(language), self.text(code));
                return;
            }
            Content::Emphasis => self.inline.push(Style::Emphasis),
            Content::Strong => self.inline.push(Style::Strong),
            Content::Deleted => self.inline.push(Style::Deleted),
            Content::Link { address, title } => {
                let style = self.link(address, self.text(title));
                self.inline.push(style);
                if empty && style != Style::None {
                    self.inline.empty_link();
                }
            }
            Content::Paragraph => {}
            Content::Heading(level) => {
                self.inline.end();
                self.inline.mode = Mode::Heading(level);
            }
            Content::Quote => {
                self.container(Block::Quote);
                self.inline.lines.open(Holder::Loose, "> ", None);
            }
            Content::Note(number) => {
                self.container(Block::Note);
                let marker = format!("[^{number}]: ");
                self.inline.lines.open(Holder::Loose, "    ", Some(marker));
            }
            Content::Definition => {
                self.inline.end();
                self.inline.definition = true;
            }
            Content::List { start, tight } => self.enter_list(start, tight),
            Content::Item { number, task } => self.enter_item(number, task),
            Content::Table(id) => self.enter_table(id),
            Content::Row => self.enter_row(),
            Content::Cell { columns, rows } => self.enter_cell(columns.into(), rows.into()),
        }
        self.open.push(*node);
    }

    fn leave(&mut self, content: Content) {
        match content {
            Content::Emphasis | Content::Strong | Content::Deleted | Content::Link { .. } => {
                self.inline.pop();
            }
            Content::Heading(_) => {
                self.inline.end();
                self.inline.mode = Mode::Flow;
            }
            Content::Quote | Content::Item { .. } | Content::Note(_) => {
                self.inline.end();
                self.inline.lines.close();
            }
            Content::List { .. } => {
                self.inline.end();
                self.inline.lines.close();
                self.lists.pop();
            }
            Content::Definition => {
                self.inline.end();
                self.inline.definition = false;
            }
            Content::Table(_) => {
                self.inline.end();
                self.tables.pop();
            }
            Content::Row => self.leave_row(),
            Content::Cell { columns, .. } => self.leave_cell(columns.into()),
            _ => self.inline.end(),
        }
    }

    /// Ends the text before a block that is not text itself.
    fn container(&mut self, block: Block) {
        self.inline.end();
        self.inline.definition = false;
        self.inline.lines.announce(block);
    }

    fn rule(&mut self) {
        self.container(Block::Rule);
        let lines = &mut self.inline.lines;
        let rule = if lines.in_list() { "___" } else { "---" };
        lines.line();
        lines.out.push_str(rule);
    }

    fn code_block(&mut self, language: &str, code: &str) {
        let affords = self.inline.lines.affords(language.len() + 8);
        let language = if affords { language } else { "" };
        self.container(Block::Fence);
        let (mark, length) = fence::block_fence(code);
        let fence: String = std::iter::repeat_n(mark, length).collect();
        let lines = &mut self.inline.lines;
        // A line without what the others begin with would end the block.
        let affords = lines.affords_lines(code, fence.len() + language.len());
        let prefix = (!affords).then(|| lines.without_prefix());
        lines.line();
        lines.out.push_str(&fence);
        lines.out.push_str(language);
        if !code.is_empty() {
            for line in code.split('\n') {
                lines.verbatim_line(line);
                lines.read(line.len() + 1);
            }
        }
        lines.line();
        lines.out.push_str(&fence);
        if let Some(prefix) = prefix {
            lines.prefix = prefix;
        }
    }

    fn enter_list(&mut self, start: Option<u32>, tight: bool) {
        let holder = if tight {
            Holder::TightList
        } else {
            Holder::Loose
        };
        let marks = if start.is_some() {
            ['.', ')']
        } else {
            ['-', '*']
        };
        self.inline.end();
        let after_same =
            matches!(self.inline.lines.last(), Block::List(mark, _) if mark == marks[0]);
        let mark = marks[usize::from(after_same)];
        self.container(Block::List(mark, start.is_none_or(|start| start == 1)));
        self.inline.lines.open(holder, "", None);
        self.lists.push(List {
            number: start,
            mark,
            tight,
        });
    }

    fn enter_item(&mut self, number: Option<u32>, task: Option<bool>) {
        let inside = matches!(
            self.open.last().map(|node| node.content),
            Some(Content::List { .. })
        );
        let (marker, tight) = match self.lists.last_mut() {
            Some(list) if inside => {
                let marker = match list.number {
                    Some(next) => {
                        let number = number.unwrap_or(next).min(MAX_NUMBER);
                        list.number = Some(number + 1);
                        format!("{number}{} ", list.mark)
                    }
                    None => format!("{} ", list.mark),
                };
                (marker, list.tight)
            }
            _ => ("- ".to_owned(), true),
        };
        let holder = if tight {
            Holder::TightItem
        } else {
            Holder::Loose
        };
        self.container(if inside {
            Block::Item
        } else {
            Block::List('-', true)
        });
        let prefix = " ".repeat(marker.len());
        self.inline.lines.open(holder, &prefix, Some(marker));
        if let Some(checked) = task {
            self.inline.task(checked);
        }
    }

    fn link(&mut self, address: AddressId, title: &'a str) -> Style<'a> {
        let address = self.address(address);
        if self.pays(address.len() + title.len()) {
            Style::Link { address, title }
        } else {
            Style::None
        }
    }

    /// Whether the source pays for an address of `bytes`. Where it does not, the text stays.
    fn pays(&mut self, bytes: usize) -> bool {
        let pays = bytes <= SHORT || self.inline.lines.affords(bytes);
        self.cuts.addresses |= !pays;
        pays
    }

    /// An address as absolute as it can be. The source's own spelling stays where that would make
    /// the Markdown many times longer than its source.
    fn address(&mut self, id: AddressId) -> &'a str {
        let (absolute, spelling) = self.model.address(id);
        let grown = absolute.len().saturating_sub(spelling.len());
        if self.inline.lines.grows(grown) {
            absolute
        } else {
            self.cuts.addresses = true;
            spelling
        }
    }

    fn image(&mut self, address: AddressId, alt: &str, title: &str) {
        let address = self.address(address);
        if !self.pays(address.len() + title.len()) {
            self.inline.text(alt);
            return;
        }
        let cell = self.inline.mode == Mode::Cell;
        let mut markup = format!("![{}]", target::escaped(alt, cell));
        target::write_target(&mut markup, address, title, cell);
        self.inline.raw(&markup);
    }
}
