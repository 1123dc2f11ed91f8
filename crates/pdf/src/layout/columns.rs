//! Finds gutters: gaps that consecutive rows share. Beside them are columns, which are read one
//! after the other, or cells, which are read row by row.

use std::ops::Range;

use super::super::geometry::median;
use super::super::runs::GlyphRun;
use super::rows::RunRow;
use super::{PageRegion, PdfTableCell, TextLine, gaps_between, shared_gaps};

/// Minimum width of a gutter, in ems.
const MIN_GUTTER: f32 = 0.75;

/// Minimum width of a text column, in ems.
const MIN_COLUMN: f32 = 8.0;

/// Minimum width of a gap between cells, in ems.
const MIN_CELL_GAP: f32 = 0.6;

/// Minimum number of rows of a column, and of a table.
const MIN_ROWS: usize = 3;

/// Limit of the rows that a gutter is followed over.
const MAX_ROWS: usize = 2000;

/// Limit of the number of gutters side by side.
const MAX_GAPS: usize = 64;

/// Maximum nesting of columns.
const MAX_DEPTH: usize = 3;

type ColumnGap = (f32, f32);

/// A part of a row without wide gaps.
struct RowSegment {
    runs: Range<usize>,
    u0: f32,
    u1: f32,
}

fn segments(row: &RunRow) -> Vec<RowSegment> {
    let mut segments: Vec<RowSegment> = Vec::new();
    for (index, run) in row.runs.iter().enumerate() {
        match segments.last_mut() {
            Some(last) if run.u0 - last.u1 < MIN_GUTTER * row.size => {
                last.runs.end = index + 1;
                last.u1 = last.u1.max(run.u1);
            }
            _ => segments.push(RowSegment {
                runs: index..index + 1,
                u0: run.u0,
                u1: run.u1,
            }),
        }
    }
    segments
}

/// Appends the regions of these rows in reading order, `depth` columns deep.
pub(super) fn append_regions(
    rows: &[RunRow],
    text: &str,
    regions: &mut Vec<PageRegion>,
    depth: usize,
) {
    let split: Vec<Vec<RowSegment>> = rows.iter().map(segments).collect();
    let mut plain = 0;
    let mut index = 0;
    while index < rows.len() {
        let gaps = first_gaps(rows, &split, index);
        if gaps.is_empty() || gaps.len() > MAX_GAPS || depth >= MAX_DEPTH {
            index += 1;
            continue;
        }
        let (gaps, end) = follow_gaps(rows, &split, index, gaps);
        if let Some((gaps, band)) = as_columns(rows, &split, &gaps, plain..index, end) {
            push_lines(&rows[plain..band.start], regions);
            for column in columns_of(&rows[band.clone()], &gaps) {
                append_regions(&column, text, regions, depth + 1);
            }
            index = band.end;
            plain = index;
        } else if let Some((table, count)) = as_table(&rows[index..end], text) {
            push_lines(&rows[plain..index], regions);
            regions.push(table);
            index += count;
            plain = index;
        } else {
            // A long gutter that makes neither columns nor a table would not do so further down.
            index = if end - index > 16 { end } else { index + 1 };
        }
    }
    push_lines(&rows[plain..], regions);
}

fn push_lines(rows: &[RunRow], regions: &mut Vec<PageRegion>) {
    if !rows.is_empty() {
        let lines = rows.iter().map(|row| TextLine::from_runs(&row.runs));
        regions.push(PageRegion::Lines(lines.collect()));
    }
}

/// Returns the gaps of a row. The row below it counts as part of it if it is so near that it can
/// only be beside it, in columns without common baselines.
fn first_gaps(rows: &[RunRow], split: &[Vec<RowSegment>], index: usize) -> Vec<ColumnGap> {
    let mut spans: Vec<ColumnGap> = split[index].iter().map(|one| (one.u0, one.u1)).collect();
    let near = |below: &RunRow| rows[index].v - below.v < 0.8 * below.size.min(rows[index].size);
    if rows.get(index + 1).is_some_and(near) {
        spans.extend(split[index + 1].iter().map(|one| (one.u0, one.u1)));
        spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    let least = MIN_GUTTER * rows[index].size;
    let gaps = spans.windows(2).map(|pair| (pair[0].1, pair[1].0));
    gaps.filter(|(low, high)| high - low >= least).collect()
}

/// Returns the part of the gaps of the row at `index` that the rows below share, and the end of
/// these rows.
fn follow_gaps(
    rows: &[RunRow],
    split: &[Vec<RowSegment>],
    index: usize,
    gaps: Vec<ColumnGap>,
) -> (Vec<ColumnGap>, usize) {
    let mut gaps = gaps;
    let mut end = index + 1;
    while end < rows.len().min(index + MAX_ROWS) {
        let em = rows[end].size.min(rows[end - 1].size);
        if rows[end - 1].v - rows[end].v > 8.0 * em {
            break;
        }
        let left = free_gaps(&gaps, &split[end], MIN_GUTTER * em);
        if left.is_empty() || left.len() > MAX_GAPS {
            break;
        }
        gaps = left;
        end += 1;
    }
    (gaps, end)
}

/// Returns the parts of gaps that the segments of a row leave free, at least `least` wide.
fn free_gaps(gaps: &[ColumnGap], row: &[RowSegment], least: f32) -> Vec<ColumnGap> {
    let mut low = f32::NEG_INFINITY;
    let before = row.iter().map(|segment| {
        let gap = (low, segment.u0);
        low = low.max(segment.u1);
        gap
    });
    let mut free: Vec<ColumnGap> = before.collect();
    free.push((low, f32::INFINITY));
    free.retain(|(low, high)| low < high);
    let mut left = shared_gaps(gaps, &free);
    left.retain(|(low, high)| high - low >= least);
    left
}

/// Returns the index of the column at `u`.
fn column_at(gaps: &[ColumnGap], u: f32) -> usize {
    gaps.partition_point(|(low, high)| f32::midpoint(*low, *high) < u)
}

/// Returns the rows of each column.
fn columns_of(rows: &[RunRow], gaps: &[ColumnGap]) -> Vec<Vec<RunRow>> {
    let mut columns = vec![Vec::new(); gaps.len() + 1];
    for row in rows {
        let mut parts: Vec<Vec<GlyphRun>> = vec![Vec::new(); gaps.len() + 1];
        for run in &row.runs {
            parts[column_at(gaps, run.middle())].push(*run);
        }
        for (column, runs) in columns.iter_mut().zip(parts) {
            if !runs.is_empty() {
                let size = runs.iter().map(|run| run.size).fold(0.0, f32::max);
                column.push(RunRow {
                    runs,
                    size,
                    v: row.v,
                });
            }
        }
    }
    columns
}

/// Statistics of the rows of a column.
#[derive(Default)]
struct ColumnFill {
    rows: usize,
    words: usize,
    widths: Vec<f32>,
    u0: f32,
    u1: f32,
}

fn measure_columns(split: &[Vec<RowSegment>], gaps: &[ColumnGap]) -> Vec<ColumnFill> {
    let mut columns = Vec::new();
    columns.resize_with(gaps.len() + 1, || ColumnFill {
        u0: f32::INFINITY,
        u1: f32::NEG_INFINITY,
        ..ColumnFill::default()
    });
    for row in split {
        let mut last = usize::MAX;
        for segment in row {
            let column_index = column_at(gaps, f32::midpoint(segment.u0, segment.u1));
            let column: &mut ColumnFill = &mut columns[column_index];
            column.words += segment.runs.len();
            column.u0 = column.u0.min(segment.u0);
            column.u1 = column.u1.max(segment.u1);
            let width = segment.u1 - segment.u0;
            if column_index == last {
                if let Some(last) = column.widths.last_mut() {
                    *last += width;
                }
            } else {
                column.rows += 1;
                column.widths.push(width);
            }
            last = column_index;
        }
    }
    columns
}

impl ColumnFill {
    /// True if it looks like text that fills a column.
    fn is_text(&self, em: f32) -> bool {
        let width = self.u1 - self.u0;
        self.rows >= MIN_ROWS
            && width >= MIN_COLUMN * em
            && self.words * 2 >= self.rows * 7
            && median(self.widths.iter().copied()) >= 0.5 * width
    }
}

/// Returns the gutters between columns of text and the range of their rows, if the gaps are such
/// gutters.
fn as_columns(
    rows: &[RunRow],
    split: &[Vec<RowSegment>],
    gaps: &[ColumnGap],
    above: Range<usize>,
    end: usize,
) -> Option<(Vec<ColumnGap>, Range<usize>)> {
    let start = above.end;
    let em = median(rows[start..end].iter().map(|row| row.size));
    let mut gaps = gaps.to_vec();
    loop {
        let columns = measure_columns(&split[start..end], &gaps);
        if gaps.is_empty() {
            return None;
        }
        // A column that is too narrow for text belongs to the one beside it, as numbers and bullets
        // do.
        let narrow = columns
            .iter()
            .position(|column| column.u1 - column.u0 < MIN_COLUMN * em);
        if let Some(narrow) = narrow {
            gaps.remove(narrow.min(gaps.len() - 1));
            continue;
        }
        if columns.iter().all(|column| column.is_text(em)) || is_index(&columns, em) {
            break;
        }
        return None;
    }
    // Rows right above that leave the gutters free belong to it.
    let mut start = start;
    while start > above.start {
        let row = &split[start - 1];
        let near = rows[start - 1].v - rows[start].v < 1.8 * rows[start - 1].size.max(em);
        let least = MIN_GUTTER * em;
        if !near || free_gaps(&gaps, row, least).len() < gaps.len() {
            break;
        }
        start -= 1;
    }
    Some((gaps, start..end))
}

/// True for the columns of an index: many short lines, in columns of one width.
fn is_index(columns: &[ColumnFill], em: f32) -> bool {
    let pitch = |pair: &[ColumnFill]| pair[1].u0 - pair[0].u0;
    let pitches: Vec<f32> = columns.windows(2).map(pitch).collect();
    let first = pitches.first().copied().unwrap_or_default();
    let last = columns.last().map_or(0.0, |column| column.u1 - column.u0);
    first >= 10.0 * em
        && last >= 0.4 * first
        && pitches
            .iter()
            .all(|pitch| (pitch - first).abs() < 0.1 * first)
        && columns
            .iter()
            .all(|column| column.rows >= 15 && column.words >= column.rows * 3 / 2)
}

/// Returns the table that these rows form, if they do, and its number of rows: it ends if the next
/// row is far below.
fn as_table(rows: &[RunRow], text: &str) -> Option<(PageRegion, usize)> {
    // Rows that are very near are lines of cells side by side.
    let is_near = |a: &RunRow, b: &RunRow| a.v - b.v < 0.95 * a.size.min(b.size);
    let groups: Vec<&[RunRow]> = rows.chunk_by(is_near).collect();
    let lead = |pair: &[&[RunRow]]| pair[0][pair[0].len() - 1].v - pair[1][0].v;
    let leads: Vec<f32> = groups.windows(2).map(lead).collect();
    let lead = median(leads.iter().copied());
    let far = leads.iter().position(|gap| *gap > 1.9 * lead);
    let groups = &groups[..far.map_or(groups.len(), |index| index + 1)];
    let count = groups.iter().map(|group| group.len()).sum();
    let rows = &rows[..count];
    if groups.len() < MIN_ROWS {
        return None;
    }
    let words = rows.iter().flat_map(|row| &row.runs).collect();
    let least = MIN_CELL_GAP * median(rows.iter().map(|row| row.size));
    let gaps = &gaps_between(words, &|_| least);
    if gaps.is_empty() || gaps.len() > MAX_GAPS {
        return None;
    }
    let mut columns = vec![(0, 0); gaps.len() + 1];
    let mut filled = 0;
    for group in groups {
        let mut cells = vec![0; gaps.len() + 1];
        for run in group.iter().flat_map(|row| &row.runs) {
            cells[column_at(gaps, run.middle())] += 1;
        }
        for (column, words) in columns.iter_mut().zip(&cells) {
            *column = (column.0 + usize::from(*words > 0), column.1 + words);
        }
        let count = cells.iter().filter(|words| **words > 0).count();
        filled += usize::from(count >= 2 && (cells[0] > 0 || count >= 3));
    }
    let mono = rows
        .iter()
        .filter(|row| row.runs.iter().all(|run| run.style.mono))
        .count();
    let long = columns.iter().any(|(rows, words)| *words > rows * 9);
    if filled * 10 < groups.len() * 7
        || mono * 2 > rows.len()
        || long
        || columns.iter().any(|(filled, _)| filled * 4 < groups.len())
    {
        return None;
    }
    let is_leader = |run: &GlyphRun| {
        let text_of_run = run.text(text);
        text_of_run.len() >= 3 && text_of_run.bytes().all(|byte| byte == b'.') || text_of_run == "."
    };
    if rows
        .iter()
        .filter(|row| row.runs.iter().filter(|run| is_leader(run)).count() > 0)
        .count()
        * 3
        > rows.len()
    {
        return None;
    }
    // Marks or numbers with their items are a list.
    if gaps.len() == 1 {
        let marks = rows.iter().filter(|row| {
            let first = row.runs.first().map_or("", |run| run.text(text));
            first.chars().count() <= 3 && !first.chars().all(char::is_alphabetic)
        });
        if marks.count() * 2 > rows.len() && columns[1].1 > columns[1].0 * 3 {
            return None;
        }
    }
    let row = |group: &&[RunRow]| {
        let mut cells: Vec<PdfTableCell> = Vec::new();
        cells.resize_with(gaps.len() + 1, || PdfTableCell {
            lines: Vec::new(),
            columns: 1,
            rows: 1,
        });
        for row in *group {
            let parts = row
                .runs
                .chunk_by(|a, b| column_at(gaps, a.middle()) == column_at(gaps, b.middle()));
            for part in parts {
                let cell = &mut cells[column_at(gaps, part[0].middle())];
                cell.lines.push(TextLine::from_runs(part));
            }
        }
        cells
    };
    let rows = groups.iter().map(row).collect();
    Some((PageRegion::Table { rows, ruled: false }, count))
}
