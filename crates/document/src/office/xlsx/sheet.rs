//! Reads the cells of a sheet.
//!
//! Rules: ISO/IEC 29500-1, 18.3.1. A merged cell shows its value once, in the first of its cells.

use std::rc::Rc;
use std::time::Instant;

use super::super::blocks::BlockWriter;
use super::super::package::PartRelationships;
use super::cell_collection::CollectedSheet;
use super::format::CellFormats;
use super::strings::{self, MAX_CELL, SharedStrings};
use iki_markdown::xml::{XmlReader, XmlTag, is_true};

/// Limit of a document's sheets.
pub(in super::super) const MAX_SHEETS: usize = 1000;

/// A sheet in the workbook's list.
pub(in super::super) struct SheetEntry {
    pub(in super::super) name: String,
    pub(in super::super) relation: String,
    pub(in super::super) hidden: bool,
}

/// Limits of a sheet: columns and rows.
pub(in super::super) const MAX_COLUMN: u32 = 16_384;
pub(in super::super) const MAX_ROW: u32 = 1_048_576;

/// The parts that a sheet's cells refer to.
pub(super) struct SheetContext<'a> {
    pub(super) strings: &'a SharedStrings,
    pub(super) formats: &'a CellFormats,
    pub(super) links: &'a PartRelationships,
    pub(super) end: Option<Instant>,
}

/// A cell that is not empty.
pub(in super::super) struct SheetCell {
    pub(in super::super) column: u32,
    pub(in super::super) text: Box<str>,
    pub(in super::super) link: Option<Rc<str>>,
}

/// A row that is not empty, its cells sorted by column.
pub(in super::super) struct SheetRow {
    pub(in super::super) number: u32,
    /// Number of hidden rows before it.
    pub(in super::super) hidden: u32,
    pub(in super::super) cells: Vec<SheetCell>,
}

/// The number of cells and bytes of text that may still be read.
pub(in super::super) struct CellBudget {
    pub(super) cells: usize,
    pub(super) text: usize,
}

impl Default for CellBudget {
    fn default() -> Self {
        Self {
            cells: 300_000,
            text: 12 << 20,
        }
    }
}

/// The rows of a sheet, and what is missing from them.
#[derive(Default)]
pub(in super::super) struct SheetContent {
    pub(in super::super) rows: Vec<SheetRow>,
    pub(in super::super) hidden_rows: usize,
    pub(in super::super) hidden_columns: usize,
    pub(in super::super) cut: bool,
}

/// Reads a sheet within the budget.
pub(super) fn read(
    text: &str,
    context: &SheetContext<'_>,
    budget: &mut CellBudget,
    blocks: &mut BlockWriter,
) -> SheetContent {
    let mut sheet = CollectedSheet::new(budget);
    read_links(text, context, &mut sheet);
    let (mut row_after, mut column_after) = (1, 1);
    let mut xml = XmlReader::new(text, context.end);
    while let Some(tag) = xml.tag_within(0) {
        match tag.name() {
            "col" if tag.is_set("hidden") => {
                let column = |name| tag.number(name).unwrap_or(0);
                sheet.hide_columns(column("min"), column("max"));
            }
            "row" => {
                let number = tag.number("r").unwrap_or(row_after).clamp(1, MAX_ROW);
                row_after = number.saturating_add(1);
                column_after = 1;
                if tag.is_set("hidden") {
                    sheet.hidden_rows.insert(number);
                    xml.skip();
                } else if !sheet.has_room() {
                    break;
                }
            }
            "c" => {
                let place = tag
                    .attribute("r")
                    .and_then(|place| parse_cell_reference(&place));
                let column = place.map_or(column_after, |(column, _)| column);
                column_after = column.saturating_add(1);
                let value = cell_text(&mut xml, &tag, context);
                sheet.add((row_after - 1, column), &value);
            }
            "headerFooter"
            | "extLst"
            | "conditionalFormatting"
            | "dataValidations"
            | "mergeCells"
            | "hyperlinks"
            | "sheetViews" => xml.skip(),
            _ => {}
        }
    }
    blocks.add_faults(&xml);
    sheet.finish()
}

/// Returns the text that a cell shows.
fn cell_text(xml: &mut XmlReader<'_>, tag: &XmlTag<'_>, context: &SheetContext<'_>) -> String {
    let style = tag.number("s").unwrap_or(0);
    let kind = tag.value("t");
    let (mut value, mut formula, mut inline) = (None, String::new(), String::new());
    xml.each_tag(|xml, tag| match tag.name() {
        "v" => value = Some(xml.text_within(MAX_CELL)),
        "f" => formula = xml.text_within(MAX_CELL),
        "is" => inline = strings::rich_text(xml),
        "extLst" => xml.skip(),
        _ => {}
    });
    if kind == "inlineStr" {
        return inline;
    }
    let Some(value) = value.filter(|value| !value.is_empty()) else {
        // A formula whose value no program has stored.
        return if formula.trim().is_empty() || kind == "str" {
            inline
        } else {
            format!("={}", formula.trim())
        };
    };
    match kind.as_str() {
        "s" => {
            let text = value
                .trim()
                .parse()
                .ok()
                .and_then(|index| context.strings.get(index));
            text.unwrap_or_default().to_owned()
        }
        "b" => if is_true(value.trim()) {
            "TRUE"
        } else {
            "FALSE"
        }
        .to_owned(),
        "str" | "e" | "d" => value,
        _ => context.formats.format_value(value.trim(), style),
    }
}

/// Parses a cell reference such as `AB12` into column and row, both from 1 on.
fn parse_cell_reference(place: &str) -> Option<(u32, u32)> {
    let mut column: u32 = 0;
    let mut unread = place.trim().bytes().filter(|byte| *byte != b'$').peekable();
    while let Some(letter) = unread.next_if(u8::is_ascii_alphabetic) {
        column = column
            .checked_mul(26)?
            .checked_add(u32::from(letter.to_ascii_uppercase() - b'A') + 1)?;
    }
    let row: String = unread.map(char::from).collect();
    let row: u32 = row.parse().ok()?;
    ((1..=MAX_COLUMN).contains(&column) && (1..=MAX_ROW).contains(&row)).then_some((column, row))
}

/// Reads the links of cells, which follow the cells in the file.
fn read_links(text: &str, context: &SheetContext<'_>, sheet: &mut CollectedSheet<'_>) {
    let Some(start) = text
        .rfind("<hyperlinks")
        .or_else(|| text.rfind(":hyperlinks>"))
    else {
        return;
    };
    let start = text[..=start].rfind('<').unwrap_or(start);
    XmlReader::new(&text[start..], context.end).each_tag(|_, tag| {
        if tag.name() != "hyperlink" {
            return;
        }
        let id = tag.relation("id").unwrap_or_default();
        let place = tag.attribute("ref").unwrap_or_default();
        let place = parse_cell_reference(place.split(':').next().unwrap_or_default());
        if let (Some((column, row)), Some(address)) = (place, context.links.address(&id)) {
            sheet.add_link((row, column), address.into());
        }
    });
}

#[cfg(test)]
mod tests {
    use super::parse_cell_reference;

    #[test]
    fn a_place_is_a_column_and_a_row() {
        for (place, wanted) in [
            ("A1", Some((1, 1))),
            ("$AB$12", Some((28, 12))),
            ("XFD1048576", Some((16_384, 1_048_576))),
            ("XFE1", None),
            ("A0", None),
            ("1", None),
            ("AAAAAAAAAAAAAAA1", None),
            ("", None),
        ] {
            assert_eq!(parse_cell_reference(place), wanted, "{place}");
        }
    }
}
