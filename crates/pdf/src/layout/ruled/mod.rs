//! Finds tables whose cells have ruled lines between them.
//!
//! Lines that cross one another make a grid, whose cells are joined where no line parts them; so do
//! level lines with the same ends, between which words stand in columns. A table is taken out of
//! its page; in its place stand rows of words without text, around which the rest is laid out.
//!
//! | module | what it is |
//! |---|---|
//! | `grid` | grids and cells |
//! | `split` | rows without lines between them |

use super::super::rules::{PageRules, RuledLine};
use super::super::runs::GlyphRun;
use super::{PageRegion, TableRows, TextLine, gaps_between, shared_gaps};
use grid::RuledGrid;

mod grid;
mod split;

/// Distance up to which parallel lines count as one, in points.
const MAX_LINE_DISTANCE: f32 = 3.0;

/// Minimum length of a line, in points.
const MIN_LINE_LENGTH: f32 = 5.0;

/// Limit of a page's lines in each direction once joined; a page of more is a drawing.
const MAX_LINES: usize = 300;

/// Minimum width of a gap between columns without lines, in ems.
const MIN_GAP: f32 = 0.75;

/// Size of the words that take a table's place.
const STAND_IN_SIZE: f32 = 10.0;

/// Start of the text of the first table's words; nothing is so long.
const FIRST_STAND_IN: u32 = u32::MAX - 0xffff;

/// Joins lines that go on in one another.
fn join_lines(lines: &[RuledLine]) -> Vec<RuledLine> {
    let mut lines = lines.to_vec();
    lines.sort_by(|a, b| a.position.total_cmp(&b.position));
    let mut joined: Vec<RuledLine> = Vec::new();
    let mut unjoined = lines.as_mut_slice();
    while let Some(first) = unjoined.first() {
        let position = first.position;
        let count = unjoined.partition_point(|line| line.position - position < MAX_LINE_DISTANCE);
        let (near, others) = unjoined.split_at_mut(count);
        near.sort_by(|a, b| a.from.total_cmp(&b.from));
        let from = joined.len();
        for line in near {
            match joined[from..].last_mut() {
                Some(last) if line.from - last.to < MAX_LINE_DISTANCE => {
                    last.to = last.to.max(line.to);
                }
                _ => joined.push(RuledLine { position, ..*line }),
            }
        }
        unjoined = others;
    }
    joined.retain(|line| line.to - line.from >= MIN_LINE_LENGTH);
    joined
}

/// Groups lines that cross each other, directly or by way of others.
fn group_lines(level: &[RuledLine], upright: &[RuledLine]) -> Vec<[Vec<RuledLine>; 2]> {
    let is_in = |position: f32, line: &RuledLine| {
        line.from - MAX_LINE_DISTANCE <= position && position <= line.to + MAX_LINE_DISTANCE
    };
    let mut left: Vec<RuledLine> = upright.to_vec();
    let mut waiting: Vec<RuledLine> = level.to_vec();
    let mut groups = Vec::new();
    while let Some(first) = waiting.pop() {
        let mut group = [vec![first], Vec::new()];
        let (mut levels, mut uprights) = (0, 0);
        while levels < group[0].len() || uprights < group[1].len() {
            if let Some(line) = group[0].get(levels).copied() {
                levels += 1;
                let crosses = |other: &mut RuledLine| {
                    is_in(line.position, other) && is_in(other.position, &line)
                };
                group[1].extend(left.extract_if(.., crosses));
            } else if let Some(line) = group[1].get(uprights).copied() {
                uprights += 1;
                let crosses = |other: &mut RuledLine| {
                    is_in(line.position, other) && is_in(other.position, &line)
                };
                group[0].extend(waiting.extract_if(.., crosses));
            }
        }
        groups.push(group);
    }
    groups
}

/// Groups level lines that have the same ends.
fn group_level_lines(lines: &[RuledLine]) -> Vec<Vec<RuledLine>> {
    let mut groups: Vec<Vec<RuledLine>> = Vec::new();
    for line in lines {
        let is_alike = |group: &&mut Vec<RuledLine>| {
            (group[0].from - line.from).abs() < MAX_LINE_DISTANCE
                && (group[0].to - line.to).abs() < MAX_LINE_DISTANCE
        };
        match groups.iter_mut().find(is_alike) {
            Some(group) => group.push(*line),
            None => groups.push(vec![*line]),
        }
    }
    groups
}

/// Takes tables out of a page, and leaves words without text in their places.
pub(super) fn take_tables(
    runs: &mut Vec<GlyphRun>,
    text: &str,
    rules: &PageRules,
) -> Vec<TableRows> {
    let [level, upright] = [&rules.level, &rules.upright].map(|lines| join_lines(lines));
    let mut tables = Vec::new();
    let Some(first) = runs.first().copied() else {
        return tables;
    };
    if rules.is_drawing() || level.len().max(upright.len()) > MAX_LINES {
        return tables;
    }
    let mut stand_ins = Vec::new();
    let mut take = |grid: RuledGrid, runs: &mut Vec<GlyphRun>, stand_ins: &mut Vec<GlyphRun>| {
        let table = grid.take_table(runs, text);
        let is_table = table.is_some();
        if let Some(table) = table {
            add_stand_ins(&grid, first, tables.len() as u32, stand_ins);
            tables.push(table);
        }
        is_table
    };
    let groups = group_lines(&level, &upright);
    let mut grids: Vec<RuledGrid> = groups.iter().filter_map(RuledGrid::from_lines).collect();
    // A grid may be within a part of another.
    let width = |grid: &RuledGrid| grid.columns[grid.columns.len() - 1] - grid.columns[0];
    grids.sort_by(|a, b| width(a).total_cmp(&width(b)));
    for grid in grids {
        take(grid, runs, &mut stand_ins);
    }
    let mut groups = group_level_lines(&level);
    groups.retain(|lines| lines.len() > 2);
    if !groups.is_empty() {
        // No gap goes through another table.
        let mut by_height = [runs.as_slice(), &stand_ins].concat();
        by_height.sort_by(|a, b| a.v.total_cmp(&b.v));
        for lines in groups {
            let gaps = |pair: &[RuledLine]| band_gaps(pair, &by_height);
            let bands: Vec<_> = lines.windows(2).map(gaps).collect();
            let mut index = 0;
            while index + 1 < bands.len() {
                let (gaps, end) = follow_gaps(&bands, index);
                let grid = || RuledGrid::from_level_lines(&lines[index..=end], &gaps);
                let is_table = end - index > 1 && take(grid(), runs, &mut stand_ins);
                index = if is_table { end } else { index + 1 };
            }
        }
    }
    runs.append(&mut stand_ins);
    tables
}

/// Returns the gaps between the words of a band between two level lines; none without words.
fn band_gaps(pair: &[RuledLine], by_height: &[GlyphRun]) -> Vec<(f32, f32)> {
    let [low, high] = [pair[0].position, pair[1].position]
        .map(|height| by_height.partition_point(|run| run.v + 0.25 * run.size < height));
    let (from, to) = (pair[0].from, pair[0].to);
    let words = by_height.get(low..high).unwrap_or_default().iter();
    let within = |word: &&GlyphRun| from < word.middle() && word.middle() < to;
    gaps_between(words.filter(within).collect(), &|word| MIN_GAP * word.size)
}

/// Returns the gaps that bands from `position` on share, and the end of these bands. The words of
/// the last one, a head, may reach over several columns.
fn follow_gaps(bands: &[Vec<(f32, f32)>], index: usize) -> (Vec<(f32, f32)>, usize) {
    let mut gaps = bands[index].clone();
    let mut end = index + 1;
    while let Some(band) = bands.get(end) {
        let shared = shared_gaps(&gaps, band);
        if shared.is_empty() {
            break;
        }
        end += 1;
        if bands.get(end).is_some_and(|next| !next.is_empty()) {
            gaps = shared;
        }
    }
    (gaps, end)
}

/// Adds words without text in the place of a table.
fn add_stand_ins(grid: &RuledGrid, like: GlyphRun, table: u32, stand_ins: &mut Vec<GlyphRun>) {
    let (left, right) = (grid.columns[0], grid.columns[grid.columns.len() - 1]);
    let (low, high) = (grid.rows[0], grid.rows[grid.rows.len() - 1]);
    let lines = ((high - low) / (1.2 * STAND_IN_SIZE)).clamp(1.0, 200.0) as usize;
    let words = ((right - left) / (3.0 * STAND_IN_SIZE)).clamp(1.0, 100.0) as usize;
    let step = (right - left) / words as f32;
    for line in 0..lines {
        for word in 0..words {
            let u0 = left + step * word as f32;
            stand_ins.push(GlyphRun {
                u0,
                u1: u0 + step,
                v: high - (high - low) * (line as f32 + 0.9) / lines as f32,
                size: STAND_IN_SIZE,
                start: FIRST_STAND_IN + table,
                end: FIRST_STAND_IN + table,
                ..like
            });
        }
    }
}

/// Puts tables in the places of their words.
pub(super) fn place_tables(
    regions: Vec<PageRegion>,
    mut tables: Vec<TableRows>,
) -> Vec<PageRegion> {
    let mut placed = Vec::new();
    let mut strip = |line: &mut TextLine, areas: &mut Vec<PageRegion>| {
        line.pieces.retain(|piece| {
            let Some(table) = piece.start.checked_sub(FIRST_STAND_IN) else {
                return true;
            };
            let table = tables.get_mut(table as usize).map(std::mem::take);
            let table = table.filter(|rows| !rows.is_empty());
            areas.extend(table.map(|rows| PageRegion::Table { rows, ruled: true }));
            false
        });
        if let (Some(first), Some(last)) = (line.pieces.first(), line.pieces.last()) {
            (line.u0, line.u1) = (first.u0, last.u1);
        }
        !line.pieces.is_empty()
    };
    for region in regions {
        match region {
            PageRegion::Lines(lines) => {
                let mut open = Vec::new();
                for mut line in lines {
                    let mut areas = Vec::new();
                    let stays = strip(&mut line, &mut areas);
                    if !(areas.is_empty() || open.is_empty()) {
                        placed.push(PageRegion::Lines(std::mem::take(&mut open)));
                    }
                    placed.append(&mut areas);
                    open.extend(stays.then_some(line));
                }
                if !open.is_empty() {
                    placed.push(PageRegion::Lines(open));
                }
            }
            PageRegion::Table { mut rows, ruled } => {
                let mut areas = Vec::new();
                for cell in rows.iter_mut().flatten() {
                    cell.lines.retain_mut(|line| strip(line, &mut areas));
                }
                rows.retain(|row| row.iter().any(|cell| !cell.lines.is_empty()));
                placed.push(PageRegion::Table { rows, ruled });
                placed.append(&mut areas);
            }
        }
    }
    placed
}
