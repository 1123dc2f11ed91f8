//! Reads the sheets of an ODS file.
//!
//! Rules: `OpenDocument` 1.3, part 3, 9 (tables) and 19.385 (values). A cell shows its text;
//! dates are written as ISO 8601.

use std::ops::Range;
use std::rc::Rc;

use super::super::docx::styles::RunProperties;
use super::super::inlines::InlineContent;
use super::super::xlsx::cell_collection::CollectedSheet;
use super::super::xlsx::grid::column_name;
use super::super::xlsx::sheet::{CellBudget, MAX_COLUMN, MAX_ROW, SheetContent};
use super::super::xlsx::write_sheet;
use super::text::OdfReader;
use iki_markdown::xml::{XmlReader, XmlTag};

/// Limit of a sheet's comments.
const MAX_COMMENTS: usize = 20_000;

/// Reads the sheets of the element that was opened last.
pub(super) fn read(xml: &mut XmlReader<'_>, reader: &mut OdfReader<'_, '_>) {
    let level = xml.depth();
    let mut budget = CellBudget::default();
    let mut hidden = 0;
    while let Some(tag) = xml.tag_within(level) {
        if tag.name() != "table" {
            xml.skip();
            continue;
        }
        let style = tag.attribute("style-name").unwrap_or_default();
        if reader.styles.look("table", &style).hidden {
            hidden += 1;
            xml.skip();
            continue;
        }
        reader
            .blocks
            .add_plain_heading(2, &tag.attribute("name").unwrap_or_default());
        let mut more = SheetExtras::default();
        let read = read_sheet(xml, reader, &mut budget, &mut more);
        write_sheet(read, &mut reader.blocks);
        for comment in more.comments {
            reader.blocks.add_item(0, None, u32::MAX, &comment);
        }
        for source in more.shapes {
            reader.read_source(source);
        }
    }
    reader.blocks.add_left_out(hidden, "hidden sheet");
}

/// The parts of a sheet besides the values of its cells.
#[derive(Default)]
struct SheetExtras<'x> {
    comments: Vec<InlineContent>,
    shapes: Vec<&'x str>,
}

fn read_sheet<'x>(
    xml: &mut XmlReader<'x>,
    reader: &mut OdfReader<'_, '_>,
    budget: &mut CellBudget,
    more: &mut SheetExtras<'x>,
) -> SheetContent {
    let level = xml.depth();
    let mut sheet = CollectedSheet::new(budget);
    let (mut columns, mut row_after) = (1, 1_u32);
    while let Some(tag) = xml.tag_within(level) {
        match tag.name() {
            "table-column" => {
                let end = columns_after(columns, &tag);
                if is_collapsed(&tag) {
                    sheet.hide_columns(columns, end - 1);
                }
                columns = end;
            }
            "table-row" => {
                let repeated = tag.number::<u32>("number-rows-repeated");
                let rows = row_after..row_after.saturating_add(repeated.unwrap_or(1).max(1));
                row_after = rows.end;
                if is_collapsed(&tag) {
                    // The rows that end a sheet may be hidden without number.
                    if rows.len() < 10_000 {
                        sheet.hidden_rows.extend(rows.start..rows.end.min(MAX_ROW));
                    }
                    xml.skip();
                } else if sheet.has_room() {
                    read_row(xml, reader, &mut sheet, more, rows);
                } else {
                    xml.skip();
                }
            }
            "shapes" => more.shapes.push(xml.skip_to_source()),
            "forms" | "named-expressions" | "conditional-formats" => xml.skip(),
            _ => {}
        }
    }
    sheet.finish()
}

/// Reads a row, which may stand for several.
fn read_row<'x>(
    xml: &mut XmlReader<'x>,
    reader: &mut OdfReader<'_, '_>,
    sheet: &mut CollectedSheet<'_>,
    more: &mut SheetExtras<'x>,
    rows: Range<u32>,
) {
    let level = xml.depth();
    let mut cells = Vec::new();
    let mut column = 1;
    while let Some(tag) = xml.tag_within(level) {
        if !matches!(tag.name(), "table-cell" | "covered-table-cell") {
            continue;
        }
        let end = columns_after(column, &tag);
        if tag.name() == "covered-table-cell" {
            column = end;
            xml.skip();
            continue;
        }
        let attribute = |name: &str| tag.value(name);
        let (kind, date, value) = (
            attribute("value-type"),
            attribute("date-value"),
            attribute("value"),
        );
        let text = attribute("string-value");
        let mut cell_text = String::new();
        let mut link = None;
        xml.each_tag(|xml, tag| match tag.name() {
            "p" => {
                let (inlines, _) = reader.read_inlines(xml, RunProperties::default(), true);
                link = link.take().or_else(|| inlines.first_link());
                if !cell_text.is_empty() {
                    cell_text.push('\n');
                }
                cell_text.push_str(&inlines.plain());
            }
            "annotation" => {
                let source = xml.skip_to_source();
                let place = format!("{}{}", column_name(column), rows.start);
                let words = OdfReader::comment_of(source, &place);
                if more.comments.len() < MAX_COMMENTS {
                    more.comments
                        .push(reader.plain_inlines(source).behind(&words));
                }
            }
            "frame" | "custom-shape" | "g" => more.shapes.push(xml.skip_to_source()),
            _ => {}
        });
        if kind == "date" && !date.is_empty() {
            cell_text = date.trim_end_matches("T00:00:00").replacen('T', " ", 1);
        } else if cell_text.is_empty() {
            cell_text = if text.is_empty() { value } else { text };
        }
        if !cell_text.trim().is_empty() && column < end {
            cells.push((column..end, cell_text, link));
        }
        column = end;
    }
    // Rows without cells may be any number.
    if cells.is_empty() {
        return;
    }
    for row in rows {
        for (columns, text, link) in &cells {
            for column in columns.clone() {
                if !sheet.has_room() {
                    return;
                }
                sheet.add((row, column), text);
                if let Some(link) = link {
                    sheet.add_link((row, column), Rc::clone(link));
                }
            }
        }
    }
}

/// Returns the column after an element that may mean several.
fn columns_after(column: u32, tag: &XmlTag<'_>) -> u32 {
    let repeated = tag.number("number-columns-repeated").unwrap_or(1);
    column.saturating_add(repeated).clamp(column, MAX_COLUMN)
}

fn is_collapsed(tag: &XmlTag<'_>) -> bool {
    tag.attribute("visibility")
        .is_some_and(|how| how != "visible")
}
