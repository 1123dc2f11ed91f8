//! Reads the cells of a sheet, its links, its comments and the texts of its shapes.
//!
//! Rules: MS-XLS 2.4, by the types of its records.

use std::collections::HashMap;
use std::time::Instant;

use memchr::memmem;

use super::super::blocks::BlockWriter;
use super::super::comments;
use super::super::xlsx::cell_collection::{CellPlace, CollectedSheet};
use super::super::xlsx::grid::column_name;
use super::super::xlsx::sheet::CellBudget;
use super::super::xlsx::write_sheet;
use super::record::RecordData;
use super::{BEGIN, END, Records, Workbook};
use iki_markdown::limits::StepClock;

/// Limit of a sheet's comments and shapes.
const MAX_OBJECTS: usize = 20_000;

/// The kind of an object that is the box of a comment.
const COMMENT_BOX: u16 = 0x19;

/// The identifier of a link's address among the forms that its target may have, and the bytes
/// between it and the address.
pub(super) const ADDRESS_FORM: &[u8] =
    b"\xe0\xc9\xea\x79\xf9\xba\xce\x11\x8c\x82\x00\xaa\x00\x4b\xa9\x0b";

/// A sheet while it is read.
struct XlsSheet<'b> {
    book: &'b Workbook,
    cells: CollectedSheet<'b>,
    /// The place of the last formula, whose text follows it.
    formula: CellPlace,
    /// Kind and identifier of the last object, whose text follows it.
    object: (u16, u16),
    /// The texts of comments by their objects; the places, objects and authors of comments.
    comment_texts: HashMap<u16, String>,
    comments: Vec<(CellPlace, u16, String)>,
    shapes: Vec<String>,
}

/// Reads the sheet at the beginning of `records`, and writes it.
pub(super) fn read(
    records: &mut Records<'_>,
    book: &Workbook,
    end: Option<Instant>,
    budget: &mut CellBudget,
    blocks: &mut BlockWriter,
) {
    let mut sheet = XlsSheet {
        book,
        cells: CollectedSheet::new(budget),
        formula: (0, 0),
        object: (0, 0),
        comment_texts: HashMap::new(),
        comments: Vec::new(),
        shapes: Vec::new(),
    };
    let mut depth = 0_usize;
    let mut is_whole = false;
    let mut clock = StepClock::new(end);
    for (kind, mut data) in records {
        if clock.is_past() {
            blocks.is_late = true;
            break;
        }
        match kind {
            BEGIN => depth += 1,
            END if depth <= 1 => {
                is_whole = true;
                break;
            }
            END => depth -= 1,
            // A deeper record belongs to a chart.
            _ if depth == 1 => {
                sheet.read_record(kind, &mut data).unwrap_or_default();
            }
            _ => {}
        }
    }
    blocks.is_broken |= !is_whole && !blocks.is_late;
    write_sheet(sheet.cells.finish(), blocks);
    for ((row, column), object, author) in &sheet.comments {
        let place = format!("{}{row}", column_name(*column));
        let text = sheet.comment_texts.get(object).map_or("", String::as_str);
        comments::write_one(author, &place, text, blocks);
    }
    for text in &sheet.shapes {
        for line in text.lines() {
            blocks.add_plain_paragraph(line);
        }
    }
}

impl XlsSheet<'_> {
    /// Reads a record; `None` if it is cut.
    fn read_record(&mut self, kind: u16, data: &mut RecordData<'_>) -> Option<()> {
        match kind {
            // Row
            0x0208 => {
                let row = data.short()?;
                data.skip(10);
                if data.short()? & 0x20 != 0 {
                    self.cells.hidden_rows.insert(u32::from(row) + 1);
                }
            }
            // ColInfo
            0x007d => {
                let [first, last, _, _, flags] = read_shorts(data)?;
                if flags & 1 == 1 {
                    let [first, last] =
                        [first, last.min(255)].map(|text_start| u32::from(text_start) + 1);
                    self.cells.hide_columns(first, last);
                }
            }
            // MulRk
            0x00bd => {
                let (row, mut column) = read_place(data)?;
                while data.len() > 2 {
                    let style = data.short()?;
                    let number = data.compact_number()?;
                    self.add_number((row, column), number, style);
                    column += 1;
                }
            }
            // Number, Rk, Label, RString, BoolErr, LabelSst, Formula
            0x0203 | 0x027e | 0x0204 | 0x00d6 | 0x0205 | 0x00fd | 0x0006 => {
                let place = read_place(data)?;
                let style = data.short()?;
                self.read_cell(kind, place, style, data)?;
            }
            // String
            0x0207 => {
                let text = self.book.text(data)?;
                self.cells.add(self.formula, &text);
            }
            // HLink
            0x01b8 => {
                let [row, _, column, _] = read_shorts(data)?;
                let text_start = memmem::find(data.unread(), ADDRESS_FORM)?;
                data.skip(text_start + ADDRESS_FORM.len());
                let length = data.long()? as usize / 2;
                let address = data.wide_text(length);
                let address = address.split('\0').next().unwrap_or_default();
                let place = (u32::from(row) + 1, u32::from(column) + 1);
                self.cells.add_link(place, address.into());
            }
            // Obj
            0x005d => {
                data.skip(4);
                self.object = (data.short()?, data.short()?);
            }
            // TxO
            0x01b6 if self.shapes.len() + self.comment_texts.len() < MAX_OBJECTS => {
                data.skip(10);
                let count = data.short()?;
                data.skip(data.len());
                let text = data.text(count.into(), None)?.replace('\r', "\n");
                let (kind, object) = self.object;
                if kind == COMMENT_BOX {
                    self.comment_texts.insert(object, text);
                } else {
                    self.shapes.push(text);
                }
            }
            // Note
            0x001c if self.book.encoding.is_none() && self.comments.len() < MAX_OBJECTS => {
                let place = read_place(data)?;
                data.short()?;
                let object = data.short()?;
                self.comments.push((place, object, self.book.text(data)?));
            }
            _ => {}
        }
        Some(())
    }

    fn read_cell(
        &mut self,
        kind: u16,
        place: CellPlace,
        style: u16,
        data: &mut RecordData<'_>,
    ) -> Option<()> {
        match kind {
            0x0203 => self.add_number(place, data.real()?, style),
            0x027e => self.add_number(place, data.compact_number()?, style),
            0x00fd => {
                let text = self.book.strings.get(data.long()? as usize)?;
                self.cells.add(place, text);
            }
            0x0205 => {
                let is_error = data.unread().get(1) == Some(&1);
                let text = if is_error { data.error() } else { data.truth() };
                self.cells.add(place, text?);
            }
            0x0006 => {
                self.formula = place;
                let value: [u8; 8] = data.bytes()?;
                if value[6..] != [0xff, 0xff] {
                    self.add_number(place, f64::from_le_bytes(value), style);
                    return Some(());
                }
                let mut of = RecordData::new(&value[2..], Vec::new());
                match value[0] {
                    1 => self.cells.add(place, of.truth()?),
                    2 => self.cells.add(place, of.error()?),
                    _ => {}
                }
            }
            _ => {
                let text = self.book.text(data)?;
                self.cells.add(place, &text);
            }
        }
        Some(())
    }

    fn add_number(&mut self, place: CellPlace, number: f64, style: u16) {
        let text = self.book.formats.format_number(number, style.into());
        self.cells.add(place, &text);
    }
}

/// Reads a row and a column.
fn read_place(data: &mut RecordData<'_>) -> Option<CellPlace> {
    let [row, column] = read_shorts(data)?;
    Some((u32::from(row) + 1, u32::from(column) + 1))
}

fn read_shorts<const N: usize>(data: &mut RecordData<'_>) -> Option<[u16; N]> {
    let mut numbers = [0; N];
    for number in &mut numbers {
        *number = data.short()?;
    }
    Some(numbers)
}
