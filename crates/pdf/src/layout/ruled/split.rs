//! Splits the rows of tables that have lines between only some of their rows.

use super::super::{PdfTableCell, TableRows, TextLine};

/// Limit of the lines of a row that is split.
const MAX_LINES: usize = 500;

/// True for a line of a cell that holds a number and no words.
fn is_figure(line: &TextLine, text: &str) -> bool {
    let line = line.text(text);
    line.chars().filter(|letter| letter.is_alphabetic()).count() < 2
        && line.contains(|letter: char| !letter.is_whitespace())
}

/// Splits a row in which only some lines are drawn: each line of its figures is a row. In an open
/// grid, so is whatever follows as far below as the next row of several cells would.
pub(super) fn split_row(row: Vec<PdfTableCell>, text: &str, open: bool) -> TableRows {
    let mut places: Vec<(f32, f32)> = row
        .iter()
        .flat_map(|cell| &cell.lines)
        .map(|line| (line.v, line.size))
        .collect();
    places.sort_by(|a, b| b.0.total_cmp(&a.0));
    places.dedup_by(|next, before| before.0 - next.0 < 0.4 * next.1);
    let gaps: Vec<f32> = places
        .windows(2)
        .map(|pair| (pair[0].0 - pair[1].0) / pair[1].1)
        .collect();
    let has_figures = |cell: &PdfTableCell| {
        cell.lines.len() == places.len() && cell.lines.iter().all(|line| is_figure(line, text))
    };
    let is_full = gaps.iter().all(|gap| *gap > 0.9) && row.iter().any(has_figures);
    if !(open || is_full) || places.len() > MAX_LINES {
        return vec![row];
    }
    // The number of cells that have a line at each place.
    let counts: Vec<usize> = places
        .iter()
        .map(|(v, size)| {
            let is_here = |line: &TextLine| (line.v - v).abs() < 0.4 * size;
            row.iter()
                .filter(|cell| cell.lines.iter().any(is_here))
                .count()
        })
        .collect();
    let are_rows = |index: usize| counts[index].min(counts[index + 1]) >= 2 && gaps[index] > 0.9;
    let pitches = (0..gaps.len())
        .filter(|index| are_rows(*index))
        .map(|index| gaps[index]);
    let pitch = pitches.fold(f32::INFINITY, f32::min);
    let begins = |index: usize| is_full || are_rows(index) || gaps[index] > 0.97 * pitch.max(1.2);
    // Where each row ends.
    let mut ends: Vec<f32> = (0..gaps.len())
        .filter(|index| begins(*index))
        .map(|index| f32::midpoint(places[index].0, places[index + 1].0))
        .collect();
    ends.push(f32::NEG_INFINITY);
    let mut rows: TableRows = Vec::new();
    rows.resize_with(ends.len(), Vec::new);
    for cell in row {
        let columns = cell.columns;
        let mut lines = cell.lines.into_iter().peekable();
        for (row, end) in rows.iter_mut().zip(&ends) {
            let lines_above = std::iter::from_fn(|| lines.next_if(|line| line.v > *end));
            let lines = lines_above.collect();
            row.push(PdfTableCell {
                lines,
                columns,
                rows: 1,
            });
        }
    }
    rows
}
