//! Orders runs into lines, in the order in which a page is read.
//!
//! The rules are those of the eye: runs on one baseline are a row; a row splits into segments at
//! wide gaps; a gap that many rows share is a gutter, with columns or a table beside it.
//!
//! | module | what it is |
//! |---|---|
//! | `columns` | gutters: columns and tables |
//! | `right_to_left` | scripts that are written from right to left |
//! | `rows` | rows of runs |
//! | `ruled` | tables with lines between their cells |

use std::cmp::Reverse;

use super::font::GlyphStyle;
use super::rules::PageRules;
use super::runs::{BLANK, GlyphRun, PageRuns};

mod columns;
mod right_to_left;
mod rows;
mod ruled;

use right_to_left::LineOrder;

/// Limit of the directions of lines on a page.
const MAX_ANGLES: usize = 64;

/// A word or a part of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinePiece {
    /// Range of its text.
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) u0: f32,
    pub(super) u1: f32,
    pub(super) style: GlyphStyle,
    pub(super) link: Option<u32>,
    /// True if a blank precedes it.
    pub(super) blank: bool,
    /// True if it is above or below its line.
    pub(super) raised: bool,
}

#[derive(Clone, Debug)]
pub(super) struct TextLine {
    pub(super) pieces: Vec<LinePiece>,
    pub(super) u0: f32,
    pub(super) u1: f32,
    pub(super) v: f32,
    pub(super) size: f32,
}

impl TextLine {
    fn from_runs(runs: &[GlyphRun]) -> Self {
        let size = main_size(runs);
        let is_main = |run: &&GlyphRun| run.size >= 0.95 * size;
        let v = runs.iter().filter(is_main).map(|run| run.v).next();
        let v = v.unwrap_or_default();
        let mut pieces = Vec::with_capacity(runs.len());
        let mut before: Option<&GlyphRun> = None;
        for run in runs {
            let blank = before.is_some_and(|before| {
                let em = before.size.max(run.size);
                let gap = run.u0 - before.u1;
                gap > BLANK * em || before.blank && gap > -0.2 * em
            });
            pieces.push(LinePiece {
                start: run.start,
                end: run.end,
                u0: run.u0,
                u1: run.u1,
                style: run.style,
                link: run.link,
                blank,
                raised: run.size < 0.9 * size && (run.v - v).abs() > 0.1 * size,
            });
            before = Some(run);
        }
        Self {
            u0: runs.first().map_or(0.0, |run| run.u0),
            u1: runs
                .iter()
                .map(|run| run.u1)
                .fold(f32::NEG_INFINITY, f32::max),
            pieces,
            v,
            size,
        }
    }

    /// Returns its text, from the text of its page.
    pub(super) fn text(&self, pool: &str) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            if piece.blank {
                text.push(' ');
            }
            text.push_str(piece.text(pool));
        }
        text
    }
}

impl LinePiece {
    pub(super) fn text<'a>(&self, pool: &'a str) -> &'a str {
        let range = self.start as usize..self.end as usize;
        pool.get(range).unwrap_or_default()
    }
}

/// Returns the size of most of the text.
fn main_size(runs: &[GlyphRun]) -> f32 {
    let mut best = (0.0, 0);
    for run in runs {
        let near = |other: &&GlyphRun| (other.size - run.size).abs() < 0.06 * run.size;
        // The first runs of a long row are enough.
        let near = runs.iter().take(64).filter(near);
        let letters = near.map(|run| run.end - run.start).sum::<u32>();
        if letters > best.1 {
            best = (run.size, letters);
        }
        if runs.len() > 64 && best.1 > 0 {
            break;
        }
    }
    best.0
}

/// Returns the gaps that none of these words crosses and that are at least as wide as `least` says
/// of the word to their right.
fn gaps_between(mut words: Vec<&GlyphRun>, least: &dyn Fn(&GlyphRun) -> f32) -> Vec<(f32, f32)> {
    words.sort_by(|a, b| a.u0.total_cmp(&b.u0));
    let mut gaps = Vec::new();
    let mut end = f32::INFINITY;
    for word in words {
        if word.u0 - end >= least(word) {
            gaps.push((end, word.u0));
        }
        end = if end.is_finite() {
            end.max(word.u1)
        } else {
            word.u1
        };
    }
    gaps
}

/// Returns the parts that gaps share, each in order.
fn shared_gaps(some: &[(f32, f32)], others: &[(f32, f32)]) -> Vec<(f32, f32)> {
    let mut shared = Vec::new();
    let (mut a, mut b) = (0, 0);
    while let (Some(one), Some(other)) = (some.get(a), others.get(b)) {
        let (low, high) = (one.0.max(other.0), one.1.min(other.1));
        if high > low {
            shared.push((low, high));
        }
        if one.1 < other.1 {
            a += 1;
        } else {
            b += 1;
        }
    }
    shared
}

/// A cell of a table, and the columns and rows that it spans.
#[derive(Debug)]
pub(super) struct PdfTableCell {
    pub(super) lines: Vec<TextLine>,
    pub(super) columns: u16,
    pub(super) rows: u16,
}

pub(super) type TableRows = Vec<Vec<PdfTableCell>>;

/// A region of a page.
#[derive(Debug)]
pub(super) enum PageRegion {
    /// Lines below each other.
    Lines(Vec<TextLine>),
    Table {
        rows: TableRows,
        /// True if lines part its rows; otherwise each is a line of text.
        ruled: bool,
    },
}

impl PageRegion {
    pub(super) fn lines(&self) -> Box<dyn Iterator<Item = &TextLine> + '_> {
        match self {
            Self::Lines(lines) => Box::new(lines.iter()),
            Self::Table { rows, .. } => {
                Box::new(rows.iter().flatten().flat_map(|cell| &cell.lines))
            }
        }
    }
}

/// Lays out a page: returns its regions in reading order, and the direction of most of its text.
/// Text in other directions comes last.
pub(super) fn lay_out(page: &mut PageRuns, rules: &PageRules) -> (Vec<PageRegion>, i16) {
    let (runs, text, rtl) = (&mut page.list, &mut page.text, page.rtl);
    if rtl {
        right_to_left::attach_marks(runs, text);
    }
    rows::drop_duplicates(runs, text);
    let mut angles: Vec<(i16, usize)> = Vec::new();
    for run in runs.iter() {
        match angles.iter().position(|(angle, _)| *angle == run.angle) {
            Some(index) => angles[index].1 += 1,
            None if angles.len() < MAX_ANGLES => angles.push((run.angle, 1)),
            None => {}
        }
    }
    angles.sort_by_key(|(angle, count)| (Reverse(*count), *angle));
    let main = angles.first().map_or(0, |(angle, _)| *angle);
    let mut regions = Vec::new();
    for (angle, _) in &angles {
        let parts = runs.iter().filter(|run| run.angle == *angle).copied();
        let parts: Vec<GlyphRun> = parts.collect();
        let mut order = rtl.then(|| LineOrder::from_runs(&parts, text));
        let mut rows = rows::sort_into_rows(parts, text);
        if let Some(order) = &mut order {
            order.join_letters(&mut rows, text);
        }
        let mut tables = Vec::new();
        if *angle == main && !rules.is_empty() {
            let mirrored = order.as_ref().is_some_and(LineOrder::is_mirrored);
            let mut parts = rows.iter().flat_map(|row| &row.runs).copied().collect();
            tables = ruled::take_tables(&mut parts, text, &rules.turned(main, mirrored));
            if !tables.is_empty() {
                rows = rows::sort_into_rows(parts, text);
            }
        }
        let mut parts = Vec::new();
        columns::append_regions(&rows, text, &mut parts, 0);
        if !tables.is_empty() {
            parts = ruled::place_tables(parts, tables);
        }
        if let Some(order) = &order {
            order.order_regions(&mut parts, text);
        }
        regions.append(&mut parts);
    }
    (regions, main)
}
