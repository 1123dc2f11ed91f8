//! Sorts runs into rows: those on one baseline, with raised or lowered ones beside them.

use std::collections::HashMap;

use super::super::paint::TextPaint;
use super::super::runs::GlyphRun;
use crate::basics::sort::sort_by_number;

/// Maximum distance between the baselines of one row, in ems.
const MAX_BASELINE_GAP: f32 = 0.2;

/// Maximum distance of something raised or lowered from its row, in ems.
const MAX_RAISE: f32 = 0.65;

/// Maximum distance of a dropped letter of a word from its row, in ems.
const MAX_DROP: f32 = 0.35;

/// Runs on one baseline, from left to right.
#[derive(Clone, Debug)]
pub(super) struct RunRow {
    pub(super) runs: Vec<GlyphRun>,
    pub(super) v: f32,
    pub(super) size: f32,
}

/// Removes text that is drawn twice in one place, as for bold letters or shadows, and invisible
/// text where there is visible text.
pub(super) fn drop_duplicates(runs: &mut Vec<GlyphRun>, text: &str) {
    let cell =
        |run: &GlyphRun, by: f32| ((run.v / by).floor() as i64, (run.u0 / by).floor() as i64);
    let by = 8.0;
    let mut seen: HashMap<(i64, i64, &str), (f32, f32)> = HashMap::with_capacity(runs.len());
    runs.retain(|run| {
        let own = run.text(text);
        let (row, column) = cell(run, by);
        for (near_row, near_column) in [
            (row, column),
            (row, column - 1),
            (row, column + 1),
            (row - 1, column),
            (row + 1, column),
        ] {
            if let Some((u0, v)) = seen.get(&(near_row, near_column, own))
                && (u0 - run.u0).abs() < 0.2 * run.size
                && (v - run.v).abs() < 0.2 * run.size
            {
                return false;
            }
        }
        seen.insert((row, column, own), (run.u0, run.v));
        true
    });
    let is_unseen = |run: &GlyphRun| run.paint == TextPaint::Unseen;
    let hidden = runs.iter().filter(|run| is_unseen(run)).count();
    if hidden == 0 || hidden == runs.len() {
        return;
    }
    // The extents of visible lines, by height.
    let mut visible: HashMap<i64, Vec<(f32, f32)>> = HashMap::new();
    for run in runs.iter().filter(|run| !is_unseen(run)) {
        let line = (run.v / by).floor() as i64;
        visible.entry(line).or_default().push((run.u0, run.u1));
    }
    for spans in visible.values_mut() {
        sort_by_number(spans, |span| span.0.into());
        let mut joined: Vec<(f32, f32)> = Vec::new();
        for (u0, u1) in spans.drain(..) {
            match joined.last_mut().filter(|last| u0 <= last.1) {
                Some(last) => last.1 = last.1.max(u1),
                None => joined.push((u0, u1)),
            }
        }
        *spans = joined;
    }
    runs.retain(|run| {
        let line = (run.v / by).floor() as i64;
        let middle = run.middle();
        let covered = (line - 1..=line + 1).any(|line| {
            visible.get(&line).is_some_and(|spans| {
                let at = spans.partition_point(|span| span.0 <= middle);
                at.checked_sub(1).is_some_and(|at| spans[at].1 >= middle)
            })
        });
        !(is_unseen(run) && covered)
    });
}

/// Sorts runs into rows, from the top down.
pub(super) fn sort_into_rows(mut runs: Vec<GlyphRun>) -> Vec<RunRow> {
    sort_by_number(&mut runs, |run| run.u0.into());
    sort_by_number(&mut runs, |run| f64::from(-run.v));
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
    for row in &mut rows {
        sort_by_number(&mut row.runs, |run| run.u0.into());
    }
    attach_raised(&mut rows);
    rows
}

/// Moves raised or lowered runs to the row that they belong to.
fn attach_raised(rows: &mut Vec<RunRow>) {
    for at in 0..rows.len() {
        let (v, size) = (rows[at].v, rows[at].size);
        let near = |other: usize, rows: &[RunRow]| {
            let row = &rows[other];
            let apart = (row.v - v).abs();
            row.size > 1.1 * size && apart < MAX_RAISE * row.size
                || row.size > 0.9 * size && apart < MAX_DROP * size
        };
        let around = (at.saturating_sub(3)..at)
            .rev()
            .chain(at + 1..rows.len().min(at + 4));
        let around: Vec<usize> = around.filter(|other| near(*other, rows)).collect();
        for other in around {
            let (mut moved, mut kept) = (Vec::new(), Vec::new());
            let mut last: Option<GlyphRun> = None;
            for run in std::mem::take(&mut rows[at].runs) {
                let follows = last.is_some_and(|last| run.u0 - last.u1 < 0.5 * run.size);
                if follows || is_beside(&run, &rows[other].runs) {
                    last = Some(run);
                    moved.push(run);
                } else {
                    kept.push(run);
                }
            }
            rows[at].runs = kept;
            if !moved.is_empty() {
                rows[other].runs.extend(moved);
                sort_by_number(&mut rows[other].runs, |run| run.u0.into());
            }
        }
    }
    rows.retain(|row| !row.runs.is_empty());
}

/// True if a run is right beside a larger one of a row, or within a word of it.
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
    let before = after.checked_sub(1).and_then(|at| row.get(at));
    let after = row.get(after);
    before.is_some_and(beside)
        || after.is_some_and(beside)
        || before.is_some_and(touches) && after.is_some_and(touches)
}
