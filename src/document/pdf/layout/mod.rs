//! From runs to lines, in the order in which a page is read.
//!
//! Rules are those of the eye: what has one baseline is a row; a row falls into segments where
//! there is a wide gap; a gap that many rows share is a gutter, and what lies on its two sides is
//! columns or a table.
//!
//! | module | what it is |
//! |---|---|
//! | `columns` | gutters: columns and tables |
//! | `rows` | rows of runs |

use super::font::GlyphStyle;
use super::runs::{BLANK, GlyphRun};
use crate::sort::Sort;

mod columns;
mod rows;

/// The most directions of lines on a page.
const MAX_ANGLES: usize = 64;

/// A word or a part of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinePiece {
    /// Where its text is.
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) u0: f32,
    pub(super) u1: f32,
    pub(super) look: GlyphStyle,
    pub(super) link: Option<u32>,
    /// Whether there is a blank before it.
    pub(super) blank: bool,
    /// Whether it stands above or below its line.
    pub(super) raised: bool,
}

/// A line.
#[derive(Clone, Debug)]
pub(super) struct TextLine {
    pub(super) pieces: Vec<LinePiece>,
    pub(super) u0: f32,
    pub(super) u1: f32,
    pub(super) v: f32,
    pub(super) size: f32,
}

impl TextLine {
    fn of(runs: &[GlyphRun]) -> Self {
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
                look: run.look,
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

    /// Its text, taken from that of its page.
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

/// The size that most of the text has.
fn main_size(runs: &[GlyphRun]) -> f32 {
    let mut best = (0.0, 0);
    for run in runs {
        let near = |other: &&GlyphRun| (other.size - run.size).abs() < 0.06 * run.size;
        // Of long rows the first ones tell.
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

/// A part of a page.
#[derive(Debug)]
pub(super) enum PageRegion {
    /// Lines one below the other.
    Lines(Vec<TextLine>),
    /// Rows of cells; a cell may be empty.
    Table(Vec<Vec<Option<TextLine>>>),
}

/// Lays out a page: its parts in the order in which they are read. `angle` is the direction of most
/// of its text; what has another one comes last.
pub(super) fn lay_out(runs: &mut Vec<GlyphRun>, text: &str) -> (Vec<PageRegion>, i16) {
    rows::drop_doubles(runs, text);
    let mut angles: Vec<(i16, usize)> = Vec::new();
    for run in runs.iter() {
        match angles.iter().position(|(angle, _)| *angle == run.angle) {
            Some(at) => angles[at].1 += 1,
            None if angles.len() < MAX_ANGLES => angles.push((run.angle, 1)),
            None => {}
        }
    }
    angles.arrange_by_key(|(angle, count)| (std::cmp::Reverse(*count), *angle));
    let mut regions = Vec::new();
    for (angle, _) in &angles {
        let own = runs.iter().filter(|run| run.angle == *angle).copied();
        let rows = rows::rows(own.collect());
        columns::order(&rows, text, &mut regions);
    }
    (regions, angles.first().map_or(0, |(angle, _)| *angle))
}
