//! The reader of XLSX and XLSB files (`SpreadsheetML`): each sheet becomes a heading and its
//! tables.
//!
//! Rules: ISO/IEC 29500-1, 18; MS-XLSB. Sheets are read as an editor shows them: values as
//! formatted, without hidden sheets, rows and columns; notices say how many there are.
//!
//! | module | what it is |
//! |---|---|
//! | `strings` | the texts that cells share |
//! | `format` | numbers, dates and times as cells show them |
//! | `sheet` | the cells of a sheet |
//! | `binary` | the parts of XLSB files |
//! | `cell_collection` | cells on their way to be rows |
//! | `grid` | cells as tables |

use std::collections::HashMap;

use self::format::CellFormats;
use self::sheet::{MAX_SHEETS, SheetContent, SheetEntry};
use self::strings::SharedStrings;
use super::blocks::BlockWriter;
use super::comments;
use super::package::ZipPackage;
use super::pptx::slide::SlideReader;
use iki_base::wording::plural;
use iki_markdown::xml::{XmlReader, decoded};

mod binary;
pub(super) mod cell_collection;
pub(super) mod format;
pub(super) mod grid;
pub(super) mod sheet;
pub(super) mod strings;

/// Reads the document whose workbook is `main`.
pub(super) fn read(package: &mut ZipPackage<'_>, main: &str) -> BlockWriter {
    let relations = package.relations(main);
    let is_binary = main.to_ascii_lowercase().ends_with(".bin");
    let workbook = package.bytes(main).unwrap_or_default();
    let mut part = |kind| {
        let name = relations.first(kind);
        name.and_then(|name| package.bytes(name))
            .unwrap_or_default()
    };
    let (sheets, formats, strings);
    if is_binary {
        let from_1904;
        (sheets, from_1904) = binary::read_workbook(&workbook);
        formats = binary::read_formats(&part("styles"), from_1904);
        strings = binary::read_strings(&part("sharedStrings"));
    } else {
        let from_1904;
        (sheets, from_1904) = read_workbook(&decoded(workbook));
        formats = CellFormats::read(&decoded(part("styles")), from_1904);
        strings = SharedStrings::read(&decoded(part("sharedStrings")));
    }
    let mut blocks = BlockWriter::default();
    let mut budget = sheet::CellBudget::default();
    let mut hidden = 0;
    for sheet in &sheets {
        if sheet.hidden {
            hidden += 1;
            continue;
        }
        let Some(name) = relations.part(&sheet.relation) else {
            continue;
        };
        if !name.contains("worksheets/") && name.contains("chartsheets/") || !package.has(name) {
            continue;
        }
        let links = package.relations(name);
        let Some(part) = package.bytes(name) else {
            continue;
        };
        blocks.add_plain_heading(2, &sheet.name);
        let context = sheet::SheetContext {
            strings: &strings,
            formats: &formats,
            links: &links,
            end: package.end(),
        };
        let read = if is_binary {
            binary::read_sheet(&part, &context, &mut budget, &mut blocks)
        } else {
            sheet::read(&decoded(part), &context, &mut budget, &mut blocks)
        };
        write_sheet(read, &mut blocks);
        for part in links.all("comments") {
            let text = package.text(part).unwrap_or_default();
            comments::write(&text, &HashMap::new(), &mut blocks);
        }
        if let Some(drawing) = links.first("drawing") {
            let relations = package.relations(drawing);
            let text = package.text(drawing).unwrap_or_default();
            let mut shapes = SlideReader::for_notes(package, &relations);
            shapes.read(&text, &mut blocks);
            shapes.write(&mut blocks);
        }
    }
    blocks.is_cut |= strings.cut;
    blocks.add_left_out(hidden, "hidden sheet");
    blocks
}

/// Writes the cells of a sheet, and notices of what is missing.
pub(super) fn write_sheet(read: SheetContent, blocks: &mut BlockWriter) {
    let row_count = read.rows.len();
    if row_count == 0 {
        blocks.add_plain_paragraph("[This sheet is empty.]");
    }
    grid::write(read.rows, blocks);
    let mut notices = Vec::new();
    for (count, what) in [(read.hidden_rows, "row"), (read.hidden_columns, "column")] {
        if count > 0 {
            notices.push(format!("{count} hidden {what}{}", plural(count as u64)));
        }
    }
    if !notices.is_empty() {
        let verb = if read.hidden_rows + read.hidden_columns == 1 {
            "is"
        } else {
            "are"
        };
        blocks.add_plain_paragraph(&format!(
            "[Left out: {} {verb} not shown.]",
            notices.join(" and ")
        ));
    }
    blocks.is_cut |= read.cut;
    if read.cut {
        blocks.add_plain_paragraph(&format!(
            "[Cut off: this sheet has more rows than fit here; {row_count} of them are shown.]"
        ));
    }
}

/// Reads the sheets in their order, and whether days are counted from 1904 on.
fn read_workbook(workbook: &str) -> (Vec<SheetEntry>, bool) {
    let (mut sheets, mut from_1904) = (Vec::new(), false);
    XmlReader::new(workbook, None).each_tag(|xml, tag| match tag.name() {
        "workbookPr" => {
            let on = tag.attribute("date1904");
            from_1904 = on.is_some_and(|on| iki_markdown::xml::is_true(&on));
        }
        "sheet" if sheets.len() < MAX_SHEETS => sheets.push(SheetEntry {
            name: tag.value("name"),
            relation: tag.relation("id").unwrap_or_default().into_owned(),
            hidden: tag
                .attribute("state")
                .is_some_and(|state| state.to_ascii_lowercase().ends_with("hidden")),
        }),
        // Other namespaces have elements of the same names.
        "extLst" => xml.skip(),
        _ => {}
    });
    (sheets, from_1904)
}
