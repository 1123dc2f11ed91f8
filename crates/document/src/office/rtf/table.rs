//! Collects the rows of a table, whose cells say only where they end.

use super::super::blocks::{BlockWriter, TableCell};
use super::super::inlines::InlineContent;
use super::super::limits::MAX_COLUMNS;

/// Lengths below which two edges are one, in twentieths of a point.
const EDGE_TOLERANCE: i32 = 60;

/// Limits of a table's cells, and of those of a row.
const MAX_TABLE_CELLS: usize = 200_000;
const MAX_ROW_CELLS: usize = 1000;

/// The description of a cell.
#[derive(Clone, Copy, Default)]
pub(super) struct CellShape {
    right: i32,
    /// True if it goes on from the cell before it, or from that above it.
    pub(super) joined: bool,
    pub(super) below: bool,
}

#[derive(Default)]
pub(super) struct RtfTable {
    shapes: Vec<CellShape>,
    pub(super) shape: CellShape,
    pub(super) cell: InlineContent,
    row: Vec<InlineContent>,
    rows: Vec<Vec<(CellShape, InlineContent)>>,
    /// Number of cells.
    cells: usize,
    /// True if some were left out because there were too many.
    pub(super) cut: bool,
}

impl RtfTable {
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.row.is_empty() && self.cell.is_blank()
    }

    /// Begins the description of a row.
    pub(super) fn begin_row(&mut self) {
        self.shapes.clear();
        self.shape = CellShape::default();
    }

    /// Ends the description of a cell.
    pub(super) fn end_shape(&mut self, right: i32) {
        self.shape.right = right;
        if self.shapes.len() < MAX_ROW_CELLS {
            self.shapes.push(self.shape);
        }
        self.shape = CellShape::default();
    }

    pub(super) fn end_cell(&mut self) {
        let cell = std::mem::take(&mut self.cell);
        if self.row.len() < MAX_ROW_CELLS && self.cells < MAX_TABLE_CELLS {
            self.cells += 1;
            self.row.push(cell);
        } else {
            self.cut = true;
        }
    }

    pub(super) fn end_row(&mut self) {
        if !self.cell.is_blank() {
            self.end_cell();
        }
        let row = std::mem::take(&mut self.row);
        let shape = |index: usize| {
            let next = || CellShape {
                right: i32::try_from(index)
                    .unwrap_or(0)
                    .saturating_mul(10 * EDGE_TOLERANCE),
                ..CellShape::default()
            };
            self.shapes.get(index).copied().unwrap_or_else(next)
        };
        let row: Vec<_> = row
            .into_iter()
            .enumerate()
            .map(|(index, cell)| (shape(index), cell))
            .collect();
        if !row.is_empty() {
            self.rows.push(row);
        }
    }

    /// Writes the rows; a table of one column only frames its content.
    pub(super) fn write(mut self, blocks: &mut BlockWriter) {
        if !self.row.is_empty() || !self.cell.is_blank() {
            self.end_row();
        }
        if self.rows.iter().all(|row| row.len() == 1) {
            for (_, cell) in self.rows.into_iter().flatten() {
                blocks.add_paragraph(&cell);
            }
            return;
        }
        let mut edges: Vec<i32> = self
            .rows
            .iter()
            .flatten()
            .map(|(shape, _)| shape.right)
            .collect();
        edges.sort_unstable();
        edges.dedup_by(|next, edge| next.saturating_sub(*edge) < EDGE_TOLERANCE);
        let rows = self.rows.into_iter().map(|row| {
            let (mut cells, mut before): (Vec<TableCell>, usize) = (Vec::new(), 0);
            for (shape, content) in row {
                let behind = edges.partition_point(|edge| *edge <= shape.right);
                let columns = behind.saturating_sub(before).clamp(1, MAX_COLUMNS);
                before = behind.max(before);
                if let Some(last) = cells.last_mut().filter(|_| shape.joined) {
                    let columns = columns + usize::from(last.columns);
                    *last = TableCell::new(std::mem::take(&mut last.content), columns, false);
                    continue;
                }
                cells.push(TableCell::new(content, columns, shape.below));
            }
            cells
        });
        blocks.add_table(rows.collect());
    }
}
