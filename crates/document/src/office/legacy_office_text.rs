//! Reads texts as programs write them of a document: a line for each paragraph, or sheets of values
//! in quotes.

use super::blocks::BlockWriter;
use super::xlsx::sheet::{CellBudget, SheetCell, SheetContent, SheetRow};
use super::xlsx::write_sheet;
use crate::FileKind;

/// Reads what `catdoc(1)` and its like write of a document of this kind.
pub(crate) fn read(text: &str, kind: FileKind) -> BlockWriter {
    let mut blocks = BlockWriter::default();
    if kind == FileKind::Xls {
        let mut budget = CellBudget::default();
        let sheets = text.split('\u{c}').enumerate();
        for (at, sheet) in sheets.filter(|(_, sheet)| !sheet.trim().is_empty()) {
            blocks.add_plain_heading(2, &format!("Sheet {}", at + 1));
            let read = read_sheet(sheet.trim_start_matches('\n'), &mut budget);
            write_sheet(read, &mut blocks);
        }
    } else {
        for line in text.lines() {
            blocks.add_plain_paragraph(line.trim());
        }
    }
    blocks
}

/// Reads values in quotes, with commas between them.
fn read_sheet(text: &str, budget: &mut CellBudget) -> SheetContent {
    let mut sheet = SheetContent::default();
    let mut cells = Vec::new();
    let mut value = String::new();
    let (mut column, mut number) = (1, 1);
    for (at, part) in text.split('"').enumerate() {
        if at % 2 == 1 {
            value.push_str(part);
            continue;
        }
        // A quote within a value is doubled.
        if part.is_empty() && at > 0 {
            value.push('"');
        }
        for end in part.chars() {
            if !matches!(end, ',' | '\n') {
                value.push(end);
                continue;
            }
            let text = std::mem::take(&mut value);
            if !text.trim().is_empty() {
                cells.push(SheetCell {
                    column,
                    text: text.into(),
                    link: None,
                });
            }
            column += 1;
            if end != '\n' {
                continue;
            }
            let cells = std::mem::take(&mut cells);
            if !budget.is_left() {
                sheet.cut = true;
                return sheet;
            }
            if !cells.is_empty() {
                budget.take(&cells);
                sheet.rows.push(SheetRow {
                    number,
                    hidden: 0,
                    cells,
                });
            }
            (column, number) = (1, number + 1);
        }
    }
    sheet
}
