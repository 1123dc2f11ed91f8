//! Reads the parts of XLSB files, in which a workbook is kept as records.
//!
//! Rules: MS-XLSB 2.1.4 (records) and 2.4 (their types).

use super::super::blocks::BlockWriter;
use super::super::xls::record::RecordData;
use super::cell_collection::CollectedSheet;
use super::format::CellFormats;
use super::sheet::{
    CellBudget, MAX_COLUMN, MAX_ROW, MAX_SHEETS, SheetContent, SheetContext, SheetEntry,
};
use super::strings::SharedStrings;
use iki_markdown::limits::StepClock;

/// The records of a part: their types and their data.
struct Records<'a>(&'a [u8]);

impl Records<'_> {
    /// Reads a number in bytes of seven bits, of which there are at most `limit`.
    fn number(&mut self, limit: u32) -> Option<usize> {
        let mut number = 0;
        for index in 0..limit {
            let (byte, unread) = self.0.split_first()?;
            self.0 = unread;
            number |= usize::from(byte & 0x7f) << (7 * index);
            if byte & 0x80 == 0 {
                break;
            }
        }
        Some(number)
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = (usize, RecordData<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let kind = self.number(2)?;
        let length = self.number(4)?;
        let (data, unread) = self.0.split_at_checked(length)?;
        self.0 = unread;
        Some((kind, RecordData::new(data, Vec::new())))
    }
}

/// Reads a text behind its length.
fn text(data: &mut RecordData<'_>) -> Option<String> {
    let count = data.long()? as usize;
    Some(data.wide_text(count))
}

/// Reads the sheets in their order, and whether days are counted from 1904 on.
pub(super) fn read_workbook(part: &[u8]) -> (Vec<SheetEntry>, bool) {
    let (mut sheets, mut from_1904) = (Vec::new(), false);
    for (kind, mut data) in Records(part) {
        match kind {
            // BrtWbProp
            0x99 => from_1904 = data.byte().is_some_and(|flags| flags & 1 == 1),
            // BrtBundleSh
            0x9c if sheets.len() < MAX_SHEETS => sheets.extend((|| {
                let [state, _] = [data.long()?, data.long()?];
                let relation = text(&mut data)?;
                Some(SheetEntry {
                    name: text(&mut data)?,
                    relation,
                    hidden: state != 0,
                })
            })()),
            _ => {}
        }
    }
    (sheets, from_1904)
}

pub(super) fn read_formats(part: &[u8], from_1904: bool) -> CellFormats {
    let mut formats = CellFormats::default();
    formats.from_1904 = from_1904;
    let mut in_cells = false;
    for (kind, mut data) in Records(part) {
        match kind {
            // BrtFmt
            0x2c => {
                let id = data.short().unwrap_or_default();
                formats.add_code(id.into(), &text(&mut data).unwrap_or_default());
            }
            // BrtBeginCellXFs, BrtEndCellXFs, BrtXF
            0x269 => in_cells = true,
            0x26a => in_cells = false,
            0x2f if in_cells => {
                data.skip(2);
                formats.add_cell(data.short().unwrap_or_default().into());
            }
            _ => {}
        }
    }
    formats
}

pub(super) fn read_strings(part: &[u8]) -> SharedStrings {
    let mut strings = SharedStrings::default();
    for (kind, mut data) in Records(part) {
        // BrtSSTItem
        if kind == 0x13 {
            data.skip(1);
            if !strings.push(&text(&mut data).unwrap_or_default()) {
                break;
            }
        }
    }
    strings
}

/// Reads a sheet within the budget.
pub(super) fn read_sheet(
    part: &[u8],
    context: &SheetContext<'_>,
    budget: &mut CellBudget,
    blocks: &mut BlockWriter,
) -> SheetContent {
    let mut sheet = CollectedSheet::new(budget);
    let (mut row, mut clock) = (0, StepClock::new(context.end));
    for (kind, mut data) in Records(part) {
        if clock.is_past() {
            blocks.is_late = true;
            break;
        }
        read_record(kind, &mut data, &mut row, context, &mut sheet).unwrap_or_default();
    }
    sheet.finish()
}

/// Reads a record; `None` if it is cut.
fn read_record(
    kind: usize,
    data: &mut RecordData<'_>,
    row: &mut u32,
    context: &SheetContext<'_>,
    sheet: &mut CollectedSheet<'_>,
) -> Option<()> {
    match kind {
        // BrtRowHdr
        0x00 => {
            *row = data.long()?.min(MAX_ROW - 1) + 1;
            data.skip(7);
            if data.byte()? & 0x10 != 0 {
                sheet.hidden_rows.insert(*row);
            }
        }
        // BrtColInfo
        0x3c => {
            let [first, last] = [data.long()?, data.long()?];
            data.skip(8);
            if data.byte()? & 1 == 1 {
                sheet.hide_columns(first.saturating_add(1), last.saturating_add(1));
            }
        }
        // Cells: BrtCellRk to BrtFmlaError
        0x02..=0x0b => {
            let column = data.long()?.min(MAX_COLUMN - 1) + 1;
            let style = data.long()? as usize & 0x00ff_ffff;
            let number = |number| context.formats.format_number(number, style);
            let value = match kind {
                0x02 => number(data.compact_number()?),
                0x03 | 0x0b => data.error()?.to_owned(),
                0x04 | 0x0a => data.truth()?.to_owned(),
                0x05 | 0x09 => number(data.real()?),
                0x07 => context.strings.get(data.long()? as usize)?.to_owned(),
                _ => text(data)?,
            };
            sheet.add((*row, column), &value);
        }
        // BrtHLink
        0x1ee => {
            let [row, _, column, _] = [data.long()?, data.long()?, data.long()?, data.long()?];
            let place = (row.saturating_add(1), column.saturating_add(1));
            let address = context.links.address(&text(data)?)?;
            sheet.add_link(place, address.into());
        }
        _ => {}
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::sheet::{CellBudget, SheetContext};
    use super::{read_formats, read_sheet, read_strings, read_workbook};
    use crate::office::blocks::BlockWriter;
    use crate::office::package::PartRelationships;

    /// A record of a type and of numbers, and what follows them.
    fn record(kind: u16, numbers: &[u32], tail: &[u8]) -> Vec<u8> {
        let data = numbers.iter().flat_map(|number| number.to_le_bytes());
        let data: Vec<u8> = data.chain(tail.iter().copied()).collect();
        let [low, high] = [kind & 0x7f, kind >> 7].map(|part| u8::try_from(part).unwrap());
        let kind: &[u8] = if high == 0 {
            &[low]
        } else {
            &[low | 0x80, high]
        };
        [kind, &[u8::try_from(data.len()).unwrap()], &data].concat()
    }

    fn text(text: &str) -> Vec<u8> {
        let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let length = u32::try_from(units.len() / 2).unwrap();
        [&length.to_le_bytes()[..], &units].concat()
    }

    #[test]
    fn a_binary_workbook_is_read_as_one_of_xml() {
        let names = [text("rId1"), text("Boats")].concat();
        let (sheets, from_1904) =
            read_workbook(&[record(0x99, &[], &[1]), record(0x9c, &[1, 1], &names)].concat());
        assert!(from_1904 && sheets[0].hidden);
        assert_eq!((&*sheets[0].relation, &*sheets[0].name), ("rId1", "Boats"));
        let styles = [
            record(0x2c, &[], &[&[164, 0][..], &text("0.0%")].concat()),
            record(0x2f, &[], &[0, 0, 14, 0]),
            record(0x269, &[1], b""),
            record(0x2f, &[], &[0, 0, 164, 0]),
        ];
        let formats = read_formats(&styles.concat(), false);
        let strings = read_strings(&record(0x13, &[], &[&[0][..], &text("shared")].concat()));
        let hidden_row = [1, 0].map(|number: u32| number.to_le_bytes()).concat();
        let part = [
            record(0x3c, &[2, 2, 0, 0], &[1, 0]),
            record(0x00, &[0, 0], &[0, 0, 0, 0]),
            record(0x07, &[0, 0, 0], b""),
            record(0x05, &[1, 0], &0.125_f64.to_le_bytes()),
            record(0x06, &[2, 0], &text("in a hidden column")),
            record(0x04, &[3, 0], &[1]),
            record(0x00, &[], &[&hidden_row[..], &[0, 0, 0, 0x10]].concat()),
            record(0x02, &[0, 0, 2], b""),
            record(0x00, &[2, 0], &[0, 0, 0, 0]),
            record(0x03, &[0, 0], &[0x2a]),
        ];
        let context = SheetContext {
            strings: &strings,
            formats: &formats,
            links: &PartRelationships::default(),
            end: None,
        };
        let (mut budget, mut blocks) = (CellBudget::default(), BlockWriter::default());
        let sheet = read_sheet(&part.concat(), &context, &mut budget, &mut blocks);
        let rows = sheet.rows.iter().map(|row| {
            let cells = row.cells.iter().map(|cell| (cell.column, &*cell.text));
            (row.number, row.hidden, cells.collect())
        });
        let wanted = [
            (1, 0, vec![(1, "shared"), (2, "12.5%"), (4, "TRUE")]),
            (3, 1, vec![(1, "#N/A")]),
        ];
        assert_eq!(rows.collect::<Vec<(u32, u32, Vec<_>)>>(), wanted);
        assert_eq!((sheet.hidden_rows, sheet.hidden_columns), (1, 1));
    }
}
