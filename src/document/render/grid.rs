//! Tables of data, row by row.
//!
//! Rules: GitHub Flavored Markdown 0.29, "Tables".

use html2md::Handle;

use super::super::inline::Mode;
use super::super::sheet::Block;
use super::super::table;
use super::{Exit, Grid, Walk};

impl Walk {
    pub(super) fn grid(&mut self) -> Option<&mut Grid> {
        self.tables.last_mut().and_then(Option::as_mut)
    }

    pub(super) fn enter_table(&mut self, node: &Handle) -> Exit {
        self.inline.end();
        let mut shape = table::shape(node);
        if let Some(shape) = &mut shape
            && !self.inline.sheet.affords(8 * shape.columns)
        {
            shape.columns = shape.cells;
        }
        let grid = shape.map(|shape| Grid {
            header_due: shape.header,
            shape,
            spans: Vec::new(),
            column: 0,
            begun: false,
        });
        self.tables.push(grid);
        Exit::Table
    }

    pub(super) fn enter_cell(&mut self, node: &Handle) -> Exit {
        self.begin_row();
        self.spanned_cells();
        let (columns, rows) = table::span(node);
        if let Some(grid) = self.grid() {
            table::note_span(&mut grid.spans, grid.column, columns, rows);
            grid.column += columns;
        }
        self.inline.sheet.out.push_str("| ");
        self.inline.mode = Mode::Cell;
        Exit::Cell
    }

    pub(super) fn begin_row(&mut self) {
        let Some(grid) = self.tables.last_mut().and_then(Option::as_mut) else {
            return;
        };
        if grid.column > 0 {
            return;
        }
        self.inline.end();
        self.inline.definition = false;
        let sheet = &mut self.inline.sheet;
        if !std::mem::replace(&mut grid.begun, true) {
            sheet.announce(Block::Table);
            if !grid.header_due {
                sheet.line();
                sheet.out.push_str(&"| ".repeat(grid.shape.columns));
                sheet.out.push('|');
                sheet.line();
                sheet.out.push_str(&table::delimiter_row(&grid.shape));
            }
        }
        sheet.line();
    }

    pub(super) fn spanned_cells(&mut self) {
        let Some(grid) = self.tables.last_mut().and_then(Option::as_mut) else {
            return;
        };
        while table::take_span(&mut grid.spans, grid.column) {
            grid.column += 1;
            if self.inline.sheet.affords(2) {
                self.inline.sheet.out.push_str("| ");
            }
        }
    }

    pub(super) fn leave_row(&mut self) {
        let Some(grid) = self.tables.last_mut().and_then(Option::as_mut) else {
            return;
        };
        if grid.column == 0 {
            return;
        }
        let sheet = &mut self.inline.sheet;
        if std::mem::take(&mut grid.header_due) {
            for _ in grid.column..grid.shape.columns {
                sheet.out.push_str("| ");
            }
            sheet.out.push('|');
            sheet.line();
            sheet.out.push_str(&table::delimiter_row(&grid.shape));
        } else {
            sheet.out.push('|');
        }
    }
}
