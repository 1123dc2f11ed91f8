//! Sorts runs into rows: those on one baseline, with raised or lowered ones next to them.

use std::collections::HashMap;

use super::super::runs::{GlyphRun, is_right_to_left};

/// Maximum distance between the baselines of one row, in ems.
const MAX_BASELINE_GAP: f32 = 0.2;

/// Maximum distance of something raised or lowered from its row, in ems.
const MAX_RAISE: f32 = 0.65;

/// Maximum distance of a dropped letter of a word from its row, in ems.
const MAX_DROP: f32 = 0.35;

/// Maximum distance of words with a place of their own in a row from it, in ems.
const MAX_SHIFT: f32 = 0.3;

/// Maximum overlap of the words of one line, in ems.
const MAX_OVERLAP: f32 = 0.35;

/// Limit of the runs of a row that is parted.
const MAX_LAYERED: usize = 500;

/// Runs on one baseline, from left to right.
#[derive(Clone, Debug)]
pub(super) struct RunRow {
    pub(super) runs: Vec<GlyphRun>,
    pub(super) v: f32,
    pub(super) size: f32,
}

/// Removes text that is drawn twice in one place, as for bold letters or shadows.
pub(super) fn drop_duplicates(runs: &mut Vec<GlyphRun>, text: &str) {
    let cell =
        |run: &GlyphRun, by: f32| ((run.v / by).floor() as i64, (run.u0 / by).floor() as i64);
    let by = 8.0;
    let mut seen: HashMap<(i64, i64, &str), (f32, f32)> = HashMap::with_capacity(runs.len());
    runs.retain(|run| {
        let text_of_run = run.text(text);
        let (row, column) = cell(run, by);
        for (near_row, near_column) in [
            (row, column),
            (row, column - 1),
            (row, column + 1),
            (row - 1, column),
            (row + 1, column),
        ] {
            if let Some((u0, v)) = seen.get(&(near_row, near_column, text_of_run))
                && (u0 - run.u0).abs() < 0.2 * run.size
                && (v - run.v).abs() < 0.2 * run.size
            {
                return false;
            }
        }
        seen.insert((row, column, text_of_run), (run.u0, run.v));
        true
    });
}

/// Sorts the runs of a row from left to right.
fn sort_by_start(runs: &mut [GlyphRun]) {
    runs.sort_by(|a, b| a.u0.total_cmp(&b.u0));
}

/// Sorts runs into rows, from the top down.
pub(super) fn sort_into_rows(mut runs: Vec<GlyphRun>, text: &str) -> Vec<RunRow> {
    runs.sort_by(|a, b| b.v.total_cmp(&a.v).then(a.u0.total_cmp(&b.u0)));
    let mut rows: Vec<RunRow> = Vec::new();
    for run in runs {
        let near = rows
            .last_mut()
            .filter(|row| (row.v - run.v).abs() <= MAX_BASELINE_GAP * row.size.min(run.size));
        match near {
            Some(row) => {
                if run.size > row.size {
                    (row.size, row.v) = (run.size, run.v);
                }
                row.runs.push(run);
            }
            None => rows.push(RunRow {
                v: run.v,
                size: run.size,
                runs: vec![run],
            }),
        }
    }
    let mut layers = Vec::with_capacity(rows.len());
    for mut row in rows {
        sort_by_start(&mut row.runs);
        let over = |pair: &[GlyphRun]| are_over(&pair[0], &pair[1], text);
        if row.runs.len() <= MAX_LAYERED && row.runs.windows(2).any(over) {
            part_layers(row, text, &mut layers);
        } else {
            layers.push(row);
        }
    }
    attach_raised(&mut layers, text);
    join_shifted(&mut layers);
    layers
}

/// True if the words of two runs are drawn over one another, and not the one as the other goes on.
fn are_over(one: &GlyphRun, other: &GlyphRun, text: &str) -> bool {
    let is_word = |run: &GlyphRun| {
        let text_of_run = run.text(text);
        let is_letter =
            |letter: char| letter.is_alphanumeric() && !matches!(letter, '\u{2b0}'..='\u{36f}');
        text_of_run.contains(is_letter) && !text_of_run.contains(is_right_to_left)
    };
    let goes_on = |one: &GlyphRun, other: &GlyphRun| one.end == other.start && one.u0 < other.u0;
    let over = one.u1.min(other.u1) - one.u0.max(other.u0);
    over > MAX_OVERLAP * one.size.min(other.size)
        && !(goes_on(one, other) || goes_on(other, one))
        && is_word(one)
        && is_word(other)
}

/// Parts a row into lines that are drawn over one another, in the order in which they are drawn.
fn part_layers(row: RunRow, text: &str, layers: &mut Vec<RunRow>) {
    let from = layers.len();
    let mut runs = row.runs;
    runs.sort_unstable_by_key(|run| run.start);
    for run in runs {
        let is_free = |layer: &&mut RunRow| {
            let mut others = layer.runs.iter();
            !others.any(|other| are_over(&run, other, text))
        };
        let apart = |layer: &RunRow| (layer.v - run.v).abs();
        let free = layers[from..].iter_mut().rev().filter(is_free);
        match free.min_by(|a, b| apart(a).total_cmp(&apart(b))) {
            Some(layer) => {
                layer.size = layer.size.max(run.size);
                layer.runs.push(run);
            }
            None => layers.push(RunRow {
                v: run.v,
                size: run.size,
                runs: vec![run],
            }),
        }
    }
    for layer in &mut layers[from..] {
        sort_by_start(&mut layer.runs);
    }
    layers[from..].sort_by(|a, b| b.v.total_cmp(&a.v));
}

/// Moves raised or lowered runs to the row that they belong to.
fn attach_raised(rows: &mut Vec<RunRow>, text: &str) {
    for index in 0..rows.len() {
        let (v, size) = (rows[index].v, rows[index].size);
        let near = |other: usize, rows: &[RunRow]| {
            let row = &rows[other];
            let apart = (row.v - v).abs();
            row.size > 1.1 * size && apart < MAX_RAISE * row.size
                || row.size > 0.9 * size && apart < MAX_DROP * size
        };
        let around = (index.saturating_sub(3)..index)
            .rev()
            .chain(index + 1..rows.len().min(index + 4));
        let around: Vec<usize> = around.filter(|other| near(*other, rows)).collect();
        for other in around {
            let (mut moved, mut remaining) = (Vec::new(), Vec::new());
            let runs = std::mem::take(&mut rows[index].runs);
            let row = &rows[other];
            let is_near = |a: &GlyphRun, b: &GlyphRun| b.u0 - a.u1 < 0.5 * b.size;
            for part in runs.chunk_by(is_near) {
                let start = part.iter().position(|run| is_beside(run, &row.runs));
                let (before, beside) = part.split_at(start.unwrap_or(part.len()));
                remaining.extend_from_slice(before);
                // The words of the next line are neither raised nor lowered.
                if beside.iter().any(|run| is_over(run, row, text)) {
                    remaining.extend_from_slice(beside);
                } else {
                    moved.extend_from_slice(beside);
                }
            }
            rows[index].runs = remaining;
            if !moved.is_empty() {
                rows[other].runs.extend(moved);
                sort_by_start(&mut rows[other].runs);
            }
        }
    }
    rows.retain(|row| !row.runs.is_empty());
}

/// Moves words that are a little higher or lower than a row and have a place of their own in it, as
/// the numbers of a form's lines have.
fn join_shifted(rows: &mut Vec<RunRow>) {
    for index in 1..rows.len() {
        let (above, below) = rows.split_at_mut(index);
        let (above, below) = (&mut above[index - 1], &mut below[0]);
        let size = above.size.min(below.size);
        if above.v - below.v > MAX_SHIFT * size || above.size.max(below.size) > 1.1 * size {
            continue;
        }
        let (few, row) = if above.runs.len() < below.runs.len() {
            (above, below)
        } else {
            (below, above)
        };
        let mut moved = Vec::new();
        let is_near = |a: &GlyphRun, b: &GlyphRun| b.u0 - a.u1 < 0.5 * size;
        for part in std::mem::take(&mut few.runs).chunk_by(is_near) {
            let (from, to) = (
                part[0].u0 - 0.5 * size,
                part[part.len() - 1].u1 + 0.5 * size,
            );
            let before = row.runs[..row.runs.partition_point(|other| other.u0 < to)].last();
            let fits = before.is_none_or(|run| run.u1 < from);
            (if fits { &mut moved } else { &mut few.runs }).extend_from_slice(part);
        }
        row.runs.append(&mut moved);
        sort_by_start(&mut row.runs);
    }
    rows.retain(|row| !row.runs.is_empty());
}

/// True if the words of a run are drawn over those on the baseline of a row.
fn is_over(run: &GlyphRun, row: &RunRow, text: &str) -> bool {
    let after = row.runs.partition_point(|other| other.u0 <= run.u0);
    let around = &row.runs[after.saturating_sub(1)..row.runs.len().min(after + 1)];
    let is_level = |other: &GlyphRun| (other.v - row.v).abs() <= MAX_BASELINE_GAP * other.size;
    around
        .iter()
        .any(|other| is_level(other) && are_over(run, other, text))
}

/// True if a run is right next to a larger one of a row, or within a word of it.
fn is_beside(run: &GlyphRun, row: &[GlyphRun]) -> bool {
    let after = row.partition_point(|other| other.u0 <= run.u0);
    let gap = |other: &GlyphRun| {
        let gap = if other.u0 <= run.u0 {
            run.u0 - other.u1
        } else {
            other.u0 - run.u1
        };
        gap / other.size
    };
    let beside =
        |other: &GlyphRun| other.size > 1.1 * run.size && (-0.6..0.45).contains(&gap(other));
    let touches =
        |other: &GlyphRun| other.size > 0.9 * run.size && (-0.4..0.05).contains(&gap(other));
    let before = after.checked_sub(1).and_then(|index| row.get(index));
    let after = row.get(after);
    before.is_some_and(beside)
        || after.is_some_and(beside)
        || before.is_some_and(touches) && after.is_some_and(touches)
}
