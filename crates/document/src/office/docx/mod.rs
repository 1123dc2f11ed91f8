//! The reader of DOCX files (`WordprocessingML`).
//!
//! Rules: ISO/IEC 29500-1, 17. The text is read as an editor shows it: tracked insertions but no
//! deletions, no hidden text, a text box once, in whichever way it is stored.
//!
//! | module | what it is |
//! |---|---|
//! | `styles` | headings, code and run properties by styles |
//! | `numbering` | the numbers of lists |
//! | `paragraph` | paragraphs and runs |
//! | `field` | hyperlinks as field codes |

use std::collections::HashMap;

use memchr::memmem;

use self::field::DocxField;
use self::numbering::ListNumbering;
use self::styles::{StyleSheet, is_shaded, is_white};
use super::blocks::{BlockWriter, TableCell};
use super::comments::comment_of;
use super::inlines::InlineContent;
use super::limits::{MAX_COLUMNS, MAX_DEPTH, MAX_NOTES};
use super::package::{PartRelationships, ZipPackage};
use crate::embedded_page::append_page;
use iki_html::PageSyntax;
use iki_markdown::model::NodeContent;
use iki_markdown::xml::XmlReader;

pub(super) mod field;
mod numbering;
mod paragraph;
pub(super) mod styles;

/// The kinds of notes: the parts that hold them, and the elements in these.
const NOTES: [(&str, &str); 3] = [
    ("footnotes", "footnote"),
    ("endnotes", "endnote"),
    ("comments", "comment"),
];

/// A note: its kind as an index of [`NOTES`], and its identifier.
type NoteKey = (usize, String);

#[allow(clippy::struct_excessive_bools, reason = "each is asked by itself")]
struct DocxReader<'p, 'b> {
    package: &'p mut ZipPackage<'b>,
    relations: PartRelationships,
    styles: StyleSheet,
    numbering: ListNumbering,
    blocks: BlockWriter,
    fields: Vec<DocxField>,
    /// The notes that the text refers to, in order.
    notes: Vec<NoteKey>,
    numbers: HashMap<NoteKey, u32>,
    /// A paragraph whose end was deleted, so that the next one continues it.
    joined: Option<InlineContent>,
    depth: usize,
    /// True if the text may have another background than white.
    shaded: bool,
    in_note: bool,
}

/// Reads the document whose main part is `main`.
pub(super) fn read(package: &mut ZipPackage<'_>, main: &str) -> BlockWriter {
    let relations = package.relations(main);
    let mut part = |kind| package.related(&relations, kind);
    let styles = StyleSheet::read(&part("styles"));
    let mut numbering = ListNumbering::read(&part("numbering"));
    numbering.resolve_style_links(&styles);
    let text = package.text(main).unwrap_or_default();
    let mut docx = DocxReader {
        package,
        relations,
        styles,
        numbering,
        blocks: BlockWriter::default(),
        fields: Vec::new(),
        notes: Vec::new(),
        numbers: HashMap::new(),
        joined: None,
        depth: 0,
        // A picture may be behind any text.
        shaded: memmem::find(text.as_bytes(), b"behindDoc=\"1\"").is_some(),
        in_note: false,
    };
    docx.read_part(&text);
    drop(text);
    docx.write_notes();
    docx.blocks
}

impl DocxReader<'_, '_> {
    fn read_part(&mut self, text: &str) {
        let mut xml = XmlReader::new(text, self.package.end());
        self.read_blocks(&mut xml, 0);
        self.fields.clear();
        if let Some(left) = self.joined.take() {
            self.blocks.add_paragraph(&left);
        }
        self.blocks.add_faults(&xml);
    }

    /// Reads the blocks of the element that is the `level`-th open one.
    fn read_blocks(&mut self, xml: &mut XmlReader<'_>, level: usize) {
        while let Some(tag) = xml.tag_within(level) {
            if !self.blocks.has_room() {
                return;
            }
            match tag.name() {
                "p" => self.read_paragraph(xml),
                "tbl" => self.read_table(xml),
                "background" => {
                    let colour = tag.attribute("color").unwrap_or_default();
                    self.shaded |= colour != "auto" && !is_white(&colour);
                    xml.skip();
                }
                "shd" => self.shaded |= is_shaded(&tag),
                "altChunk" => {
                    let id = tag.relation("id").unwrap_or_default();
                    self.read_chunk(&id);
                    xml.skip();
                }
                "del" | "moveFrom" | "sectPr" | "Fallback" | "sdtPr" | "docParts" => xml.skip(),
                _ => {}
            }
        }
    }

    /// Reads the content of a text box.
    fn read_text_box(&mut self, text: &str) {
        if self.depth >= MAX_DEPTH {
            self.blocks.is_cut = true;
            return;
        }
        self.depth += 1;
        // The colour of a box is unknown.
        let shaded = self.shaded;
        self.shaded |= !self.in_note;
        let fields = std::mem::take(&mut self.fields);
        let mut xml = XmlReader::new(text, self.package.end());
        self.read_blocks(&mut xml, 0);
        self.blocks.add_faults(&xml);
        self.fields = fields;
        self.shaded = shaded;
        self.depth -= 1;
    }

    fn read_table(&mut self, xml: &mut XmlReader<'_>) {
        if self.depth >= MAX_DEPTH {
            self.blocks.is_cut = true;
            xml.skip();
            return;
        }
        self.depth += 1;
        let shaded = self.shaded;
        let level = xml.depth();
        let mut rows: Vec<Vec<TableCell>> = Vec::new();
        let mut columns = 0;
        while let Some(tag) = xml.tag_within(level) {
            if !self.blocks.has_room() {
                break;
            }
            match tag.name() {
                "gridCol" => columns += 1,
                "tblPr" => {
                    xml.each_tag(|_, tag| {
                        let style = || tag.attribute("val").unwrap_or_default();
                        self.shaded |= match tag.name() {
                            "shd" => is_shaded(tag),
                            "tblStyle" => self.styles.shades(&style()),
                            _ => false,
                        };
                    });
                }
                "tblPrEx" | "tblGridChange" | "Fallback" => xml.skip(),
                "tr" => {
                    // A table of one column only frames its content; one within a cell is part of
                    // the cell's text.
                    let frames = columns == 1 || !self.blocks.cells.is_empty();
                    let row = self.read_row(xml, frames);
                    if !frames && !row.is_empty() {
                        rows.push(row);
                    }
                }
                _ => {}
            }
        }
        self.depth -= 1;
        self.shaded = shaded;
        self.blocks.add_table(rows);
    }

    /// Reads a row, or writes its blocks if its table only frames them.
    fn read_row(&mut self, xml: &mut XmlReader<'_>, frames: bool) -> Vec<TableCell> {
        let level = xml.depth();
        let mut row = Vec::new();
        while let Some(tag) = xml.tag_within(level) {
            match tag.name() {
                "tblPrEx" | "trPrChange" | "Fallback" => xml.skip(),
                "hidden" if !tag.is_on() => {}
                "del" | "hidden" => {
                    // The row's properties delete or hide all of it.
                    while xml.within(level).is_some() {}
                    return Vec::new();
                }
                "gridBefore" => {
                    for _ in 0..tag.number::<usize>("val").unwrap_or(0).min(MAX_COLUMNS) {
                        row.push(TableCell::default());
                    }
                }
                "tc" if frames => {
                    let shaded = self.shaded;
                    let level = xml.depth();
                    self.read_blocks(xml, level);
                    self.shaded = shaded;
                }
                "tc" => row.push(self.read_cell(xml)),
                _ => {}
            }
        }
        row
    }

    fn read_cell(&mut self, xml: &mut XmlReader<'_>) -> TableCell {
        let level = xml.depth();
        let mut columns = 1;
        let mut goes_on = false;
        let shaded = self.shaded;
        self.blocks.cells.push(InlineContent::default());
        while let Some(tag) = xml.tag_within(level) {
            match tag.name() {
                "gridSpan" => columns = tag.number::<usize>("val").unwrap_or(1),
                "vMerge" | "hMerge" => {
                    goes_on |= tag.attribute("val").is_none_or(|value| value == "continue");
                }
                "tcPrChange" | "del" | "moveFrom" | "Fallback" | "sdtPr" => xml.skip(),
                "shd" => self.shaded |= is_shaded(&tag),
                "p" => self.read_paragraph(xml),
                "tbl" => self.read_table(xml),
                _ => {}
            }
        }
        self.shaded = shaded;
        let content = self.blocks.cells.pop().unwrap_or_default();
        TableCell::new(content, columns, goes_on)
    }

    /// Returns the number of a note that the text refers to, of a kind of [`NOTES`].
    fn note_number(&mut self, kind: usize, id: &str) -> Option<u32> {
        if self.in_note || self.notes.len() >= MAX_NOTES {
            return None;
        }
        let key = (kind, id.to_owned());
        let next = u32::try_from(self.notes.len()).ok()? + 1;
        let number = *self.numbers.entry(key.clone()).or_insert(next);
        if number == next {
            self.notes.push(key);
        }
        Some(number)
    }

    /// Writes the notes after the text.
    fn write_notes(&mut self) {
        if self.notes.is_empty() {
            return;
        }
        self.in_note = true;
        self.blocks.end();
        let notes = std::mem::take(&mut self.notes);
        let main = std::mem::take(&mut self.relations);
        for (kind, (part, element)) in NOTES.into_iter().enumerate() {
            let Some(name) = main.first(part).map(str::to_owned) else {
                continue;
            };
            let text = self.package.text(&name).unwrap_or_default();
            self.relations = self.package.relations(&name);
            let mut texts: HashMap<NoteKey, (String, &str)> = HashMap::new();
            XmlReader::new(&text, self.package.end()).each_tag(|xml, tag| {
                if tag.name() == element {
                    let id = tag.attribute("id").unwrap_or_default();
                    let key = (kind, id.into_owned());
                    let author = tag.value("author");
                    let text = xml.skip_to_source();
                    if self.numbers.contains_key(&key) {
                        texts.insert(key, (author, text));
                    }
                }
            });
            for key in notes.iter().filter(|key| key.0 == kind) {
                let (Some((author, text)), Some(number)) = (texts.get(key), self.numbers.get(key))
                else {
                    continue;
                };
                if !self.blocks.has_room() {
                    break;
                }
                self.blocks.builder.open(NodeContent::Note(*number));
                if element == "comment" {
                    self.joined = Some(InlineContent::from_text(&comment_of(author, "")));
                }
                self.read_text_box(text);
                if let Some(left) = self.joined.take() {
                    self.blocks.add_paragraph(&left);
                }
                self.blocks.end();
                self.blocks.builder.close();
            }
        }
    }

    /// Reads a document of another kind within this one: a page or plain text.
    fn read_chunk(&mut self, id: &str) {
        let Some(name) = self.relations.part(id).map(str::to_owned) else {
            return;
        };
        let Some(text) = self.package.text(&name) else {
            return;
        };
        let name = name.to_lowercase();
        let ending = name.rsplit('.').next().unwrap_or_default();
        if matches!(ending, "htm" | "html" | "xhtml") {
            let end = self.package.end();
            append_page(&text, &name, PageSyntax::Html, end, &mut self.blocks);
        } else if ending == "txt" {
            for line in text.lines() {
                self.blocks.add_plain_paragraph(line);
            }
        }
    }
}
