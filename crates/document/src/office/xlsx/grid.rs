//! Writes cells as tables: an empty row separates two of them, empty columns are left out.

use super::super::blocks::{BlockWriter, TableCell};
use super::super::inlines::{InlineContent, RunStyle};
use super::sheet::{SheetCell, SheetRow};

/// Maximum number of grid places for each filled cell.
const MAX_PLACES_PER_CELL: usize = 12;

/// Writes the rows of a sheet.
pub(super) fn write(rows: Vec<SheetRow>, blocks: &mut BlockWriter) {
    let mut together: Vec<SheetRow> = Vec::new();
    for row in rows {
        if !blocks.has_room() {
            return;
        }
        // Hidden rows do not separate tables.
        let parts = |last: &SheetRow| {
            let hidden = row.hidden.saturating_sub(last.hidden);
            last.number.saturating_add(hidden) + 1 < row.number
        };
        if together.last().is_some_and(parts) {
            write_table(std::mem::take(&mut together), blocks);
        }
        together.push(row);
    }
    write_table(together, blocks);
}

fn write_table(rows: Vec<SheetRow>, blocks: &mut BlockWriter) {
    let mut columns: Vec<u32> = rows
        .iter()
        .flat_map(|row| row.cells.iter().map(|cell| cell.column))
        .collect();
    let cells = columns.len();
    columns.sort_unstable();
    columns.dedup();
    if columns.len() == 1 && rows.len() == 1 {
        for cell in rows.iter().flat_map(|row| &row.cells) {
            blocks.add_paragraph(&inlines(cell));
        }
        return;
    }
    if columns.len().saturating_mul(rows.len()) > MAX_PLACES_PER_CELL * cells + 4096 {
        for row in rows {
            for cell in &row.cells {
                let place = format!("{}{}: ", column_name(cell.column), row.number);
                blocks.add_item(0, None, 0, &inlines(cell).behind(&place));
            }
        }
        blocks.end();
        return;
    }
    let width = columns.len();
    let grid = rows.into_iter().map(|row| {
        let mut cells = row.cells.iter().peekable();
        let table_cell = |column: &u32| TableCell {
            content: cells
                .next_if(|cell| cell.column == *column)
                .map(inlines)
                .unwrap_or_default(),
            columns: 1,
        };
        columns.iter().map(table_cell).collect()
    });
    blocks.add_rows(width, width, grid);
}

fn inlines(cell: &SheetCell) -> InlineContent {
    let mut inlines = InlineContent::default();
    let style = RunStyle {
        link: cell.link.clone(),
        ..RunStyle::default()
    };
    inlines.add_lines(&style, &cell.text);
    inlines
}

/// Returns the name of a column, such as `AB`.
pub(in super::super) fn column_name(column: u32) -> String {
    let mut left = column;
    let mut name = Vec::new();
    while left > 0 {
        left -= 1;
        name.push(char::from(
            b'A' + u8::try_from(left % 26).unwrap_or_default(),
        ));
        left /= 26;
    }
    name.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::column_name;

    #[test]
    fn columns_have_names() {
        for (column, name) in [(1, "A"), (26, "Z"), (27, "AA"), (16_384, "XFD")] {
            assert_eq!(column_name(column), name);
        }
    }
}
