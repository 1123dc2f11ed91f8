//! Writes tables row by row.
//!
//! Rules: GitHub Flavored Markdown 0.29, "Tables" (a header row is a must, a cell is one line of
//! inline content).

use super::MarkdownWriter;
use super::inline::InlineMode;
use super::lines::MarkdownBlock;
use crate::model::{ColumnAlignment, RowSpans, TableId};

/// A table that is being written.
pub(super) struct OpenTable<'a> {
    columns: usize,
    aligns: &'a [ColumnAlignment],
    header_due: bool,
    spans: RowSpans,
    column: usize,
    begun: bool,
}

impl MarkdownWriter<'_> {
    pub(super) fn enter_table(&mut self, id: TableId) {
        self.inline.end_block();
        let Some(table) = self.model.table(id) else {
            return;
        };
        let affords = self.inline.lines.affords(8 * table.columns);
        self.tables.push(OpenTable {
            columns: if affords { table.columns } else { table.cells },
            aligns: &table.aligns,
            header_due: table.header,
            spans: RowSpans::default(),
            column: 0,
            begun: false,
        });
    }

    pub(super) fn enter_row(&mut self) {
        if let Some(grid) = self.tables.last_mut() {
            grid.column = 0;
        }
    }

    pub(super) fn enter_cell(&mut self, columns: usize, rows: usize) {
        self.begin_row();
        self.write_spanned_cells();
        if let Some(grid) = self.tables.last_mut() {
            grid.spans.add_cell(grid.column, columns, rows);
            grid.column += columns;
        }
        self.inline.lines.out.push_str("| ");
        self.inline.mode = InlineMode::Cell;
    }

    pub(super) fn leave_cell(&mut self, columns: usize) {
        self.inline.end_block();
        self.inline.mode = InlineMode::Flow;
        let lines = &mut self.inline.lines;
        if !lines.out.ends_with("| ") {
            lines.out.push(' ');
        }
        // The cell's other columns are empty cells, as far as the source pays for them.
        for _ in 1..columns {
            if lines.affords(2) {
                lines.out.push_str("| ");
            }
        }
    }

    fn begin_row(&mut self) {
        self.inline.end_block();
        let Some(grid) = self.tables.last_mut() else {
            return;
        };
        if grid.column > 0 {
            return;
        }
        self.inline.continues_term = false;
        let lines = &mut self.inline.lines;
        if !std::mem::replace(&mut grid.begun, true) {
            lines.announce_block(MarkdownBlock::Table);
            if !grid.header_due {
                lines.begin_line();
                lines.out.push_str(&"| ".repeat(grid.columns));
                lines.out.push('|');
                lines.begin_line();
                lines.out.push_str(&delimiter_row(grid));
            }
        }
        lines.begin_line();
    }

    fn write_spanned_cells(&mut self) {
        let Some(grid) = self.tables.last_mut() else {
            return;
        };
        while grid.spans.take_spanned(grid.column) {
            grid.column += 1;
            if self.inline.lines.affords(2) {
                self.inline.lines.out.push_str("| ");
            }
        }
    }

    pub(super) fn leave_row(&mut self) {
        self.inline.end_block();
        let Some(grid) = self.tables.last_mut() else {
            return;
        };
        if grid.column == 0 {
            return;
        }
        grid.spans.finish_row(grid.column);
        let lines = &mut self.inline.lines;
        if std::mem::take(&mut grid.header_due) {
            for _ in grid.column..grid.columns {
                lines.out.push_str("| ");
            }
            lines.out.push('|');
            lines.begin_line();
            lines.out.push_str(&delimiter_row(grid));
        } else {
            lines.out.push('|');
        }
    }
}

fn delimiter_row(grid: &OpenTable<'_>) -> String {
    let mut row = String::with_capacity(grid.columns * 6 + 1);
    let narrow = grid.columns > 32;
    for column in 0..grid.columns {
        row.push_str(match grid.aligns.get(column) {
            Some(ColumnAlignment::Left) => "| :--- ",
            Some(ColumnAlignment::Center) => "| :---: ",
            Some(ColumnAlignment::Right) => "| ---: ",
            _ if narrow => "|-",
            _ => "| --- ",
        });
    }
    row.push('|');
    row
}
