//! Grids of ruled lines, and the cells between them.

use super::super::super::rules::RuledLine;
use super::super::super::runs::GlyphRun;
use super::super::rows::sort_into_rows;
use super::super::{PdfTableCell, TableRows, TextLine};
use super::MAX_LINE_DISTANCE;
use super::split::split_row;

/// Distance by which level lines must go beyond the outermost upright ones to make a column there.
const MIN_OPEN_COLUMN: f32 = 12.0;

/// Limit of a grid's cells.
const MAX_CELLS: usize = 20_000;

/// Limit of the mean length of a cell's text, in bytes; longer are columns in boxes.
const MAX_MEAN_LENGTH: usize = 400;

/// Limit of the mean length of a line between level lines only; longer ones are columns.
const MAX_OPEN_LENGTH: usize = 30;

/// Minimum gap within a line that is more than that between words, in ems.
const MAX_WORD_GAP: f32 = 1.5;

/// Number of level lines from which on they part all rows.
const MAX_RULED_ROWS: usize = 4;

/// Lines that cross each other, and where the columns and rows between them begin and end.
#[derive(Clone)]
pub(super) struct RuledGrid {
    pub(super) columns: Vec<f32>,
    /// From the bottom up.
    pub(super) rows: Vec<f32>,
    /// For each part of the grid, row by row from the bottom up: true if there is a line to its
    /// right, and above it.
    right: Vec<bool>,
    above: Vec<bool>,
    /// True if there are lines between its columns.
    lined: bool,
}

/// A cell: its first column, its top row, and how far it reaches.
struct GridCell {
    column: usize,
    row: usize,
    columns: usize,
    rows: usize,
    runs: Vec<GlyphRun>,
}

/// Returns the places of lines, and the ends of those across them that are open.
fn places(lines: &[RuledLine], across: &[RuledLine]) -> Vec<f32> {
    let mut places: Vec<f32> = lines.iter().map(|line| line.position).collect();
    places.sort_by(f32::total_cmp);
    places.dedup_by(|next, before| *next - *before < MAX_LINE_DISTANCE);
    let (Some(first), Some(last)) = (places.first().copied(), places.last().copied()) else {
        return places;
    };
    let furthest = |beyond: &dyn Fn(&RuledLine) -> f32| {
        let mut ends: Vec<f32> = across.iter().map(beyond).collect();
        ends.sort_by(f32::total_cmp);
        ends.get(ends.len() / 2).copied().unwrap_or_default()
    };
    let before = furthest(&|line| first - line.from);
    if before > MIN_OPEN_COLUMN {
        places.insert(0, first - before);
    }
    let after = furthest(&|line| line.to - last);
    if after > MIN_OPEN_COLUMN {
        places.push(last + after);
    }
    places
}

/// Returns the index of the part between two places that holds `position`.
fn part_at(places: &[f32], position: f32) -> Option<usize> {
    let after = places.partition_point(|place| *place <= position);
    (1..places.len()).contains(&after).then(|| after - 1)
}

impl RuledGrid {
    /// Creates the grid of lines that cross each other.
    pub(super) fn from_lines([level, upright]: &[Vec<RuledLine>; 2]) -> Option<Self> {
        let (columns, rows) = (places(upright, level), places(level, upright));
        let (width, height) = (columns.len().checked_sub(1)?, rows.len().checked_sub(1)?);
        if width < 2 || height < 2 || width * height > MAX_CELLS {
            return None;
        }
        let mut grid = Self {
            columns,
            rows,
            right: vec![false; width * height],
            above: vec![false; width * height],
            lined: true,
        };
        let nearest = |places: &[f32], position: f32| {
            places.partition_point(|place| *place < position - MAX_LINE_DISTANCE)
        };
        let covers = |line: &RuledLine, pair: &[f32]| {
            let middle = f32::midpoint(pair[0], pair[1]);
            line.from <= middle && middle <= line.to
        };
        for line in upright {
            let Some(column) = nearest(&grid.columns, line.position).checked_sub(1) else {
                continue;
            };
            for (row, pair) in grid.rows.windows(2).enumerate() {
                if column < width && covers(line, pair) {
                    grid.right[row * width + column] = true;
                }
            }
        }
        for line in level {
            let Some(row) = nearest(&grid.rows, line.position).checked_sub(1) else {
                continue;
            };
            for (column, pair) in grid.columns.windows(2).enumerate() {
                if row < height && covers(line, pair) {
                    grid.above[row * width + column] = true;
                }
            }
        }
        Some(grid)
    }

    /// Creates a grid of level lines only, from the bottom up; its columns are between gaps.
    pub(super) fn from_level_lines(lines: &[RuledLine], gaps: &[(f32, f32)]) -> Self {
        let rows: Vec<f32> = lines.iter().map(|line| line.position).collect();
        let mut columns = vec![lines[0].from - MAX_LINE_DISTANCE];
        columns.extend(gaps.iter().map(|(low, high)| f32::midpoint(*low, *high)));
        columns.push(lines[0].to + MAX_LINE_DISTANCE);
        let parts = (columns.len() - 1) * (rows.len() - 1);
        Self {
            lined: false,
            columns,
            rows,
            right: vec![true; parts],
            above: vec![true; parts],
        }
    }

    /// Returns the cells from the top down, each row from its start, and the cell of each part.
    fn cells(&self) -> (Vec<GridCell>, Vec<usize>) {
        let (width, height) = (self.columns.len() - 1, self.rows.len() - 1);
        let mut owners = vec![usize::MAX; width * height];
        let mut cells = Vec::new();
        for row in (0..height).rev() {
            for column in 0..width {
                if owners[row * width + column] != usize::MAX {
                    continue;
                }
                let mut end = column + 1;
                while end < width
                    && !self.right[row * width + end - 1]
                    && owners[row * width + end] == usize::MAX
                {
                    end += 1;
                }
                let mut bottom = row;
                while bottom > 0 {
                    let below = (bottom - 1) * width;
                    let is_open = |index: usize| {
                        !self.above[below + index]
                            && owners[below + index] == usize::MAX
                            && (index + 1 == end || !self.right[below + index])
                    };
                    if !(column..end).all(is_open) {
                        break;
                    }
                    bottom -= 1;
                }
                for row in bottom..=row {
                    owners[row * width + column..row * width + end].fill(cells.len());
                }
                cells.push(GridCell {
                    column,
                    row,
                    columns: end - column,
                    rows: row + 1 - bottom,
                    runs: Vec::new(),
                });
            }
        }
        (cells, owners)
    }

    /// Takes the runs within the grid out of `runs`, if they make it a table.
    pub(super) fn take_table(&self, runs: &mut Vec<GlyphRun>, text: &str) -> Option<TableRows> {
        let (width, height) = (self.columns.len() - 1, self.rows.len() - 1);
        let (mut cells, owners) = self.cells();
        let part = |run: &GlyphRun| {
            let row = part_at(&self.rows, run.v + 0.25 * run.size)?;
            Some(row * width + part_at(&self.columns, run.middle())?)
        };
        let mut length = 0;
        for run in runs.iter() {
            if let Some(part) = part(run) {
                length += (run.end - run.start) as usize;
                cells[owners[part]].runs.push(*run);
            }
        }
        let [mut in_columns, mut in_rows] = [vec![0; width], vec![0; height]];
        for cell in cells.iter().filter(|cell| !cell.runs.is_empty()) {
            in_columns[cell.column] += 1;
            in_rows[cell.row] += 1;
        }
        let count: usize = in_rows.iter().sum();
        let at_least = |counts: &[usize], least| counts.iter().filter(|one| **one >= least).count();
        let (rows, full_rows) = (at_least(&in_rows, 1), at_least(&in_rows, 2));
        let is_table = at_least(&in_columns, 1) >= 2
            && full_rows >= 2
            && full_rows * 2 >= rows
            && count * 4 >= cells.len()
            && cells.len() * 5 >= width * height * 2
            && length <= count * MAX_MEAN_LENGTH
            && !cells.iter().any(|cell| holds_most(cell, length))
            && has_whole_lines(&cells, length, self.lined, text);
        if !is_table {
            return None;
        }
        // Rows and columns in which nothing begins are none.
        let [mut used_columns, mut used_rows] = [vec![false; width], vec![false; height]];
        for cell in &cells {
            let begins = !cell.runs.is_empty() || cell.rows * cell.columns > 1;
            used_columns[cell.column] |= begins;
            used_rows[cell.row] |= begins;
        }
        let used = |all: &[bool]| all.iter().filter(|is_used| **is_used).count();
        let mut table: TableRows = Vec::new();
        for row in (0..height).rev().filter(|row| used_rows[*row]) {
            let table_cells = cells
                .iter_mut()
                .filter(|cell| cell.row == row && used_columns[cell.column]);
            let table_cells = table_cells.map(|cell| PdfTableCell {
                columns: used(&used_columns[cell.column..cell.column + cell.columns]) as u16,
                rows: used(&used_rows[row + 1 - cell.rows..=row]) as u16,
                lines: sort_into_rows(std::mem::take(&mut cell.runs), text)
                    .iter()
                    .map(|row| TextLine::from_runs(&row.runs))
                    .collect(),
            });
            table.push(table_cells.collect());
        }
        let is_plain = |cell: &PdfTableCell| cell.rows == 1;
        if table.iter().flatten().all(is_plain) {
            let has_several = !self.lined && height < MAX_RULED_ROWS;
            let rows = table.into_iter().enumerate();
            let split = |(index, row)| split_row(row, text, has_several && index > 0);
            table = rows.flat_map(split).collect();
        }
        if !self.lined && !is_dense(&table) {
            return None;
        }
        runs.retain(|run| part(run).is_none());
        Some(table)
    }
}

/// True for a cell that is more like the part of a page within a frame.
fn holds_most(cell: &GridCell, length: usize) -> bool {
    let count: u32 = cell.runs.iter().map(|run| run.end - run.start).sum();
    count as usize > (length / 2).max(MAX_MEAN_LENGTH)
}

/// True if few lines of cells have gaps as wide as between columns, and if lines without any
/// beside them are not so long as those of columns of text.
fn has_whole_lines(cells: &[GridCell], length: usize, lined: bool, text: &str) -> bool {
    let (mut count, mut parted) = (0, 0);
    for row in cells
        .iter()
        .flat_map(|cell| sort_into_rows(cell.runs.clone(), text))
    {
        count += 1;
        let is_wide = |pair: &[GlyphRun]| pair[1].u0 - pair[0].u1 > MAX_WORD_GAP * pair[1].size;
        parted += usize::from(row.runs.windows(2).any(is_wide));
    }
    parted * 8 <= count && (lined || length <= MAX_OPEN_LENGTH * count)
}

/// True if most rows have several cells, and most cells a text.
fn is_dense(table: &TableRows) -> bool {
    let texts = |row: &Vec<PdfTableCell>| row.iter().filter(|cell| !cell.lines.is_empty()).count();
    let full_rows = table.iter().filter(|row| texts(row) >= 2).count();
    let count: usize = table.iter().map(Vec::len).sum();
    full_rows * 3 >= table.len() * 2 && table.iter().map(texts).sum::<usize>() * 2 >= count
}
