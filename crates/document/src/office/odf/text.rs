//! Reads the blocks of `OpenDocument` text: paragraphs, headings, sections, tables and notes.
//!
//! Rules: `OpenDocument` 1.3, part 3, 4 to 6 (text) and 9 (tables).

use std::collections::HashMap;

use super::super::blocks::{BlockWriter, ItemLabel, ParagraphRole, TableCell};
use super::super::comments::comment_of;
use super::super::docx::styles::RunProperties;
use super::super::inlines::InlineContent;
use super::super::limits::{MAX_COLUMNS, MAX_NOTES};
use super::super::package::ZipPackage;
use super::list::{OdfItem, OdfList};
use super::styles::{self, LEVELS, OdfStyles};
use iki_markdown::model::NodeContent;
use iki_markdown::xml::{XmlReader, XmlTag};

/// Maximum nesting of lists, tables and shapes.
const MAX_DEPTH: usize = 24;

/// Limit of an author's name, in bytes.
const MAX_AUTHOR: usize = 1000;

/// A note or a comment that the text refers to.
pub(super) struct OdfNote {
    /// The words before its text.
    text: String,
    source: String,
}

#[allow(clippy::struct_excessive_bools, reason = "each is asked by itself")]
pub(super) struct OdfReader<'p, 'b> {
    pub(super) package: &'p mut ZipPackage<'b>,
    pub(super) styles: OdfStyles,
    pub(super) blocks: BlockWriter,
    pub(super) lists: Vec<OdfList>,
    /// Key and count of the last list of a style, by its level.
    pub(super) last_lists: HashMap<(String, usize), (u32, Option<u32>)>,
    pub(super) list_count: u32,
    /// The list that a shape gives its text.
    pub(super) list_of_text: String,
    pub(super) item: Option<OdfItem>,
    notes: Vec<OdfNote>,
    /// The numbers of the last headings.
    outline: [u32; LEVELS],
    pub(super) depth: usize,
    /// True if white text may be visible.
    pub(super) may_be_dark: bool,
    in_note: bool,
}

impl<'p, 'b> OdfReader<'p, 'b> {
    pub(super) fn new(package: &'p mut ZipPackage<'b>, styles: OdfStyles) -> Self {
        Self {
            package,
            styles,
            blocks: BlockWriter::default(),
            lists: Vec::new(),
            last_lists: HashMap::new(),
            list_count: 0,
            list_of_text: String::new(),
            item: None,
            notes: Vec::new(),
            outline: [0; LEVELS],
            depth: 0,
            may_be_dark: false,
            in_note: false,
        }
    }

    /// Counts the nesting; skips the element that was opened last if it is too deep.
    pub(super) fn enter(&mut self, xml: &mut XmlReader<'_>) -> bool {
        if self.depth >= MAX_DEPTH {
            self.blocks.is_cut = true;
            xml.skip();
            return false;
        }
        self.depth += 1;
        true
    }

    /// Reads the blocks of the element that is the `level`-th open one.
    pub(super) fn read_blocks(&mut self, xml: &mut XmlReader<'_>, level: usize) {
        while let Some(tag) = xml.tag_within(level) {
            if !self.blocks.has_room() {
                return;
            }
            self.read_block(xml, &tag);
        }
    }

    pub(super) fn read_block(&mut self, xml: &mut XmlReader<'_>, tag: &XmlTag<'_>) {
        match tag.name() {
            "p" => self.read_paragraph(xml, tag, None),
            "h" => {
                let level = tag.number("outline-level").unwrap_or(1);
                self.read_paragraph(xml, tag, Some(level));
            }
            "list" => self.read_list(xml, tag),
            "table" => self.read_table(xml),
            "section" if is_hidden(tag) => xml.skip(),
            "tracked-changes" | "forms" | "scripts" | "event-listeners" | "annotation"
            | "sequence-decls" | "variable-decls" | "user-field-decls" | "notes" | "desc" => {
                xml.skip();
            }
            name if name.ends_with("-source") => xml.skip(),
            "frame" | "custom-shape" | "rect" | "ellipse" | "circle" | "line" | "connector"
            | "polygon" | "polyline" | "path" | "caption" | "g" => self.read_shape(xml, tag),
            _ => {}
        }
    }

    /// Reads the source of a text box, a note or a cell.
    pub(super) fn read_source(&mut self, source: &str) {
        if self.depth >= MAX_DEPTH {
            self.blocks.is_cut = true;
            return;
        }
        self.depth += 1;
        let lists = std::mem::take(&mut self.lists);
        let item = self.item.take();
        let mut xml = XmlReader::new(source, self.package.end());
        self.read_blocks(&mut xml, 0);
        self.blocks.add_faults(&xml);
        self.write_item();
        (self.lists, self.item) = (lists, item);
        self.depth -= 1;
    }

    fn read_paragraph(&mut self, xml: &mut XmlReader<'_>, tag: &XmlTag<'_>, heading: Option<u8>) {
        if !self.enter(xml) {
            return;
        }
        let name = tag.attribute("style-name").unwrap_or_default();
        let look = self.styles.look("paragraph", &name);
        let (mut inlines, boxes) = self.read_inlines(xml, look.run, look.code);
        let mut role = ParagraphRole {
            heading: heading.or(look.title.then_some(1)),
            is_title: look.title && !self.in_note,
            is_code: look.code && inlines.is_plain(),
            label: None,
        };
        if let Some(level) = role.heading {
            let is_numbered = heading.is_some()
                && tag.attribute("is-list-header").is_none()
                && look.list.as_deref() != Some("");
            if is_numbered && !inlines.is_blank() {
                let index = usize::from(level.clamp(1, 10)) - 1;
                self.outline[index] = self.outline[index].saturating_add(1);
                self.outline[index + 1..].fill(0);
                let text = styles::label(&self.styles.outline, index, &self.outline);
                role.label = (!text.is_empty()).then(|| ItemLabel {
                    number: Some(self.outline[index]),
                    text,
                    ..ItemLabel::default()
                });
            }
            inlines.unbold();
            if self.blocks.cells.is_empty() {
                self.item = None;
            }
            self.blocks.add_by_role(role, inlines);
        } else if let Some(item) = self.item.as_mut().filter(|_| look.labelled != Some(false)) {
            item.inlines.add_line("", inlines);
        } else {
            self.blocks.add_by_role(role, inlines);
        }
        for source in boxes {
            self.read_source(&source);
        }
        self.depth -= 1;
    }

    pub(super) fn read_table(&mut self, xml: &mut XmlReader<'_>) {
        self.write_item();
        if !self.enter(xml) {
            return;
        }
        let level = xml.depth();
        let (mut rows, mut columns): (Vec<Vec<TableCell>>, usize) = (Vec::new(), 0);
        while let Some(tag) = xml.tag_within(level) {
            if !self.blocks.has_room() {
                break;
            }
            match tag.name() {
                "table-column" => {
                    let more = tag.number("number-columns-repeated").unwrap_or(1);
                    columns = more.min(MAX_COLUMNS).saturating_add(columns);
                }
                "table-row" => {
                    // A table of one column only frames its content; one within a cell is part of
                    // the cell's text.
                    let frames = columns == 1 || !self.blocks.cells.is_empty();
                    let row = self.read_row(xml, frames);
                    if !row.is_empty() {
                        rows.push(row);
                    }
                }
                _ => {}
            }
        }
        self.depth -= 1;
        self.blocks.add_table(rows);
    }

    fn read_row(&mut self, xml: &mut XmlReader<'_>, frames: bool) -> Vec<TableCell> {
        let mut row = Vec::new();
        // Columns that the last cell covers.
        let mut covered = 0;
        xml.each_tag(|xml, tag| {
            let name = tag.name();
            if name != "table-cell" && name != "covered-table-cell" {
                return;
            }
            let depth = xml.depth();
            if frames {
                self.read_blocks(xml, depth);
                return;
            }
            let many = |name: &str| tag.number::<usize>(name).unwrap_or(1).clamp(1, MAX_COLUMNS);
            let repeated = many("number-columns-repeated");
            if name == "covered-table-cell" {
                xml.skip();
                let spanned = repeated.min(covered);
                covered -= spanned;
                let empty_cells = (spanned..repeated).map(|_| TableCell::default());
                row.extend(empty_cells.take(MAX_COLUMNS.saturating_sub(row.len())));
                return;
            }
            let columns = many("number-columns-spanned");
            covered = columns - 1;
            self.blocks.cells.push(InlineContent::default());
            let item = self.item.take();
            let lists = std::mem::take(&mut self.lists);
            self.read_blocks(xml, depth);
            self.write_item();
            (self.item, self.lists) = (item, lists);
            let content = self.blocks.cells.pop().unwrap_or_default();
            row.push(TableCell::new(content, columns, false));
            row.extend((1..repeated).map(|_| TableCell::default()));
        });
        row
    }

    /// Keeps a note for the end of the document and returns its number.
    pub(super) fn keep_note(&mut self, text: String, source: &str) -> Option<u32> {
        if self.in_note || self.notes.len() >= MAX_NOTES {
            return None;
        }
        self.notes.push(OdfNote {
            text,
            source: source.to_owned(),
        });
        u32::try_from(self.notes.len()).ok()
    }

    /// Writes the notes after the text.
    pub(super) fn write_notes(&mut self) {
        self.in_note = true;
        self.write_item();
        self.blocks.end();
        let notes = std::mem::take(&mut self.notes);
        for (number, note) in (1..).zip(notes) {
            if !self.blocks.has_room() {
                break;
            }
            self.blocks.builder.open(NodeContent::Note(number));
            if note.text.is_empty() {
                self.read_source(&note.source);
            } else {
                let inlines = self.plain_inlines(&note.source);
                self.blocks.add_paragraph(&inlines.behind(&note.text));
            }
            self.blocks.end();
            self.blocks.builder.close();
        }
    }

    /// The text of several paragraphs, each on a line.
    pub(super) fn plain_inlines(&mut self, source: &str) -> InlineContent {
        self.blocks.cells.push(InlineContent::default());
        self.read_source(source);
        self.blocks.cells.pop().unwrap_or_default()
    }

    /// The words before the text of the comment with this source.
    pub(super) fn comment_of(source: &str, cell: &str) -> String {
        let mut author = String::new();
        XmlReader::new(source, None).each_tag(|xml, tag| {
            if tag.name() == "creator" && author.is_empty() {
                author = xml.text_within(MAX_AUTHOR);
            }
        });
        comment_of(&author, cell)
    }

    /// True if text with these properties is visible.
    pub(super) fn is_shown(&self, run: &RunProperties) -> bool {
        let on_white = !self.may_be_dark && !self.styles.shaded && self.blocks.cells.is_empty();
        !run.is_unseen(on_white)
    }
}

/// True if an element says that it is hidden.
pub(super) fn is_hidden(tag: &XmlTag<'_>) -> bool {
    tag.says("display", "none") || tag.says("is-hidden", "true")
}
