//! The writer of Markdown: a [`DocumentModel`] in, Markdown out that reads back as the same model.
//!
//! Rules: `CommonMark` 0.31.2 and GitHub Flavored Markdown 0.29, read backwards. The model is
//! walked once, without recursion.
//!
//! | module | what it is |
//! |---|---|
//! | `lines` | lines, prefixes and gaps between blocks |
//! | `inline` | text, whitespace, emphasis, links, code spans |
//! | `escape` | text that would be read as markup |
//! | `target` | destinations and titles of links and images |
//! | `fence` | fences around code |
//! | `flanks` | neighbours of delimiters |
//! | `table` | tables, row by row |

use std::time::Instant;

use self::inline::{InlineMarkup, InlineMode, InlineWriter};
use self::lines::{ContainerKind, MarkdownBlock, MarkdownLines};
use crate::document::DocumentCuts;
use crate::limits::StepClock;
use crate::model::{AddressId, DocumentModel, DocumentNode, NodeContent, TextSlice};

pub use fence::block_fence;

mod escape;
mod fence;
mod flanks;
mod inline;
mod lines;
mod table;
mod target;

#[cfg(test)]
mod tests;

/// Length in bytes up to which an address may be repeated for free, because a link's own markup in
/// the source pays for it.
const FREE_ADDRESS: usize = 16;

/// The highest number of an item.
const MAX_NUMBER: u32 = 999_999_999;

struct MarkdownList {
    /// Number of the next item; `None` for a bullet list.
    number: Option<u32>,
    mark: char,
    tight: bool,
}

struct MarkdownWriter<'a> {
    model: &'a DocumentModel,
    inline: InlineWriter<'a>,
    cuts: DocumentCuts,
    /// The lists around the innermost item.
    lists: Vec<MarkdownList>,
    tables: Vec<table::OpenTable<'a>>,
    /// The ancestors of the node that is written next.
    open: Vec<DocumentNode>,
    /// Bytes that were written before the part that the document's address names.
    section: Option<usize>,
}

/// Writes the Markdown of a document that was read from `length` bytes, until `end`.
#[must_use]
pub fn write(model: &DocumentModel, length: usize, end: Option<Instant>) -> (String, DocumentCuts) {
    let (markdown, cuts, _) = write_with_section(model, length, end);
    (markdown, cuts)
}

/// The same, with the number of lines before the part that the document's address names.
#[must_use]
pub fn write_with_section(
    model: &DocumentModel,
    length: usize,
    end: Option<Instant>,
) -> (String, DocumentCuts, Option<usize>) {
    let mut writer = MarkdownWriter {
        model,
        inline: InlineWriter::new(MarkdownLines::new(length)),
        cuts: DocumentCuts::default(),
        lists: Vec::new(),
        tables: Vec::new(),
        open: Vec::new(),
        section: None,
    };
    writer.run(end);
    writer.inline.end_block();
    let (markdown, full) = writer.inline.lines.finish();
    writer.cuts.length |= full;
    let before = |bytes: usize| {
        let before = memchr::memchr_iter(b'\n', markdown.as_bytes().get(..bytes)?).count();
        let is_gap = |line: &&str| line.trim_matches([' ', '>']).is_empty();
        let gap = markdown.lines().skip(before + 1).take_while(is_gap).count();
        Some(if bytes == 0 { 0 } else { before + 1 + gap })
    };
    let section = writer.section.and_then(before);
    (markdown, writer.cuts, section)
}

impl<'a> MarkdownWriter<'a> {
    fn run(&mut self, end: Option<Instant>) {
        let mut clock = StepClock::new(end);
        for (index, node) in self.model.nodes().iter().enumerate() {
            self.cuts.time = clock.is_past();
            if self.cuts.time {
                return;
            }
            if self.inline.lines.is_full() {
                self.cuts.length = true;
                return;
            }
            self.leave_before(index);
            if self.model.section() == Some(index) {
                self.section = Some(self.inline.lines.out.len());
            }
            self.inline.lines.add_credit(node.read as usize);
            self.enter(node, node.end as usize == index + 1);
        }
        self.leave_before(usize::MAX);
    }

    /// Closes the nodes that do not hold the node at `index`.
    fn leave_before(&mut self, index: usize) {
        while let Some(node) = self.open.last()
            && node.end as usize <= index
        {
            let content = node.content;
            self.open.pop();
            self.leave(content);
        }
    }

    fn text(&self, slice: TextSlice) -> &'a str {
        self.model.text(slice)
    }

    fn enter(&mut self, node: &DocumentNode, empty: bool) {
        match node.content {
            NodeContent::Text(text) => self.inline.write_text(self.text(text)),
            NodeContent::Code(code) => self.inline.write_code_span(self.text(code)),
            NodeContent::Break => self.inline.line_break(),
            NodeContent::NoteMark(number) => self.inline.write_note_mark(number),
            NodeContent::Image {
                address,
                alt,
                title,
            } => self.write_image(address, self.text(alt), self.text(title)),
            NodeContent::Rule => self.write_rule(),
            NodeContent::CodeBlock { language, code } => {
                self.write_code_block(self.text(language), self.text(code));
            }
            content => {
                self.enter_container(content, empty);
                self.open.push(*node);
            }
        }
    }

    /// Begins a node that holds others, or none if it is `empty`.
    fn enter_container(&mut self, content: NodeContent, empty: bool) {
        match content {
            NodeContent::Emphasis => self.inline.push_markup(InlineMarkup::Emphasis),
            NodeContent::Strong => self.inline.push_markup(InlineMarkup::Strong),
            NodeContent::Deleted => self.inline.push_markup(InlineMarkup::Deleted),
            NodeContent::Link { address, title } => {
                let style = self.link_markup(address, self.text(title));
                self.inline.push_markup(style);
                if empty && style != InlineMarkup::None {
                    self.inline.open_empty_link();
                }
            }
            NodeContent::Heading(level) => {
                self.inline.end_block();
                self.inline.mode = InlineMode::Heading(level);
            }
            NodeContent::Quote => {
                self.begin_block(MarkdownBlock::Quote);
                self.inline.lines.open(ContainerKind::Loose, "> ", None);
            }
            NodeContent::Note(number) => {
                self.begin_block(MarkdownBlock::Note);
                let marker = format!("[^{number}]: ");
                self.inline
                    .lines
                    .open(ContainerKind::Loose, "    ", Some(marker));
            }
            NodeContent::Definition => {
                self.inline.end_block();
                self.inline.continues_term = true;
            }
            NodeContent::List { start, tight } => self.enter_list(start, tight),
            NodeContent::Item { number, task } => self.enter_item(number, task),
            NodeContent::Table(id) => self.enter_table(id),
            NodeContent::Row => self.enter_row(),
            NodeContent::Cell { columns, rows } => self.enter_cell(columns.into(), rows.into()),
            _ => {}
        }
    }

    fn leave(&mut self, content: NodeContent) {
        match content {
            content if content.is_markup() => self.inline.pop_markup(),
            NodeContent::Heading(_) => {
                self.inline.end_block();
                self.inline.mode = InlineMode::Flow;
            }
            NodeContent::Quote | NodeContent::Item { .. } | NodeContent::Note(_) => {
                self.inline.end_block();
                self.inline.lines.close();
            }
            NodeContent::List { .. } => {
                self.inline.end_block();
                self.inline.lines.close();
                self.lists.pop();
            }
            NodeContent::Definition => {
                self.inline.end_block();
                self.inline.continues_term = false;
            }
            NodeContent::Table(_) => {
                self.inline.end_block();
                self.tables.pop();
            }
            NodeContent::Row => self.leave_row(),
            NodeContent::Cell { columns, .. } => self.leave_cell(columns.into()),
            _ => self.inline.end_block(),
        }
    }

    /// Ends the text before a block of another kind.
    fn begin_block(&mut self, block: MarkdownBlock) {
        self.inline.end_block();
        self.inline.continues_term = false;
        self.inline.lines.announce_block(block);
    }

    fn write_rule(&mut self) {
        self.begin_block(MarkdownBlock::Rule);
        let lines = &mut self.inline.lines;
        let rule = if lines.in_list() { "___" } else { "---" };
        lines.begin_line();
        lines.out.push_str(rule);
    }

    fn write_code_block(&mut self, language: &str, code: &str) {
        let affords = self.inline.lines.affords(language.len() + 8);
        let language = if affords { language } else { "" };
        self.begin_block(MarkdownBlock::Fence);
        let (mark, length) = fence::block_fence(code);
        let fence: String = std::iter::repeat_n(mark, length).collect();
        let lines = &mut self.inline.lines;
        lines.begin_line();
        lines.out.push_str(&fence);
        lines.out.push_str(language);
        if !code.is_empty() {
            for line in code.split('\n') {
                lines.write_verbatim_line(line);
                lines.add_credit(line.len() + 1);
            }
        }
        lines.begin_line();
        lines.out.push_str(&fence);
    }

    fn enter_list(&mut self, start: Option<u32>, tight: bool) {
        let holder = if tight {
            ContainerKind::TightList
        } else {
            ContainerKind::Loose
        };
        let marks = if start.is_some() {
            ['.', ')']
        } else {
            ['-', '*']
        };
        self.inline.end_block();
        let last = self.inline.lines.last_block();
        let after_same = matches!(last, MarkdownBlock::List(mark, _) if mark == marks[0]);
        let mark = marks[usize::from(after_same)];
        self.begin_block(MarkdownBlock::List(
            mark,
            start.is_none_or(|start| start == 1),
        ));
        self.inline.lines.open(holder, "", None);
        self.lists.push(MarkdownList {
            number: start,
            mark,
            tight,
        });
    }

    fn enter_item(&mut self, number: Option<u32>, task: Option<bool>) {
        let inside = matches!(
            self.open.last().map(|node| node.content),
            Some(NodeContent::List { .. })
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
            ContainerKind::TightItem
        } else {
            ContainerKind::Loose
        };
        self.begin_block(if inside {
            MarkdownBlock::Item
        } else {
            MarkdownBlock::List('-', true)
        });
        let prefix = " ".repeat(marker.len());
        self.inline.lines.open(holder, &prefix, Some(marker));
        if let Some(checked) = task {
            self.inline.write_task_box(checked);
        }
    }

    fn link_markup(&mut self, address: AddressId, title: &'a str) -> InlineMarkup<'a> {
        let address = self.address(address);
        if self.affords_address(address.len() + title.len()) {
            InlineMarkup::Link { address, title }
        } else {
            InlineMarkup::None
        }
    }

    /// Returns true if the source pays for an address of `bytes`. Otherwise only the text is
    /// written.
    fn affords_address(&mut self, bytes: usize) -> bool {
        let pays = bytes <= FREE_ADDRESS || self.inline.lines.affords(bytes);
        self.cuts.addresses |= !pays;
        pays
    }

    /// Returns an address as absolute as it can be, or as the source spells it if the absolute form
    /// would make the Markdown many times longer than its source.
    fn address(&mut self, id: AddressId) -> &'a str {
        let (absolute, spelling) = self.model.address(id);
        let grown = absolute.len().saturating_sub(spelling.len());
        if self.inline.lines.take_growth(grown) {
            absolute
        } else {
            self.cuts.addresses = true;
            spelling
        }
    }

    fn write_image(&mut self, address: AddressId, alt: &str, title: &str) {
        let address = self.address(address);
        if !self.affords_address(address.len() + title.len()) {
            self.inline.write_text(alt);
            return;
        }
        let cell = self.inline.mode == InlineMode::Cell;
        let mut markup = format!("![{}]", target::escape_label(alt, cell));
        target::write_target(&mut markup, address, title, cell);
        self.inline.write_markup(&markup);
    }
}
