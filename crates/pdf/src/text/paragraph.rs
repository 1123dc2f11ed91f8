//! Splits regions into paragraphs: at a wider leading, an indent, a short line, another size or
//! style, a mark of an item.

use std::collections::HashMap;

use super::super::layout::{LinePiece, PageRegion, PdfTableCell, TableRows, TextLine};
use super::{BodyStyle, PageText, ParagraphKind, PdfParagraph, list};

/// Minimum leading between paragraphs, relative to the usual one.
const LEADING_RATIO: f32 = 1.22;

/// Minimum indent of a line, in ems.
const MIN_INDENT: f32 = 0.75;

/// Maximum ratio of sizes in one paragraph.
const MAX_SIZE_RATIO: f32 = 1.12;

/// Minimum size of a heading, whose lines may be centred, relative to the body text.
const HEADING_RATIO: f32 = 1.15;

/// Maximum gap within a line of running text, in ems.
const MAX_GAP: f32 = 3.0;

/// Number of lines before and after a line that show how far its text reaches.
const LINES_AROUND: usize = 5;

/// The margins and leadings of a region's lines.
struct ColumnMetrics {
    /// Right end of the text around each line.
    rights: Vec<f32>,
    /// Usual leading of each size, in quarters of a point.
    leads: HashMap<i32, f32>,
}

fn quarters(size: f32) -> i32 {
    (size * 4.0).round() as i32
}

impl ColumnMetrics {
    fn from_lines(lines: &[TextLine]) -> Self {
        let mut gaps: HashMap<i32, Vec<f32>> = HashMap::new();
        for pair in lines.windows(2) {
            let gap = pair[0].v - pair[1].v;
            if quarters(pair[0].size) == quarters(pair[1].size) && gap > 0.5 * pair[1].size {
                gaps.entry(quarters(pair[1].size)).or_default().push(gap);
            }
        }
        let usual = |(size, mut gaps): (i32, Vec<f32>)| {
            gaps.sort_by(f32::total_cmp);
            // If most lines are paragraphs, the narrow leadings are those within paragraphs.
            (size, gaps[gaps.len() / 3])
        };
        Self {
            rights: (0..lines.len())
                .map(|index| right_end(lines, index))
                .collect(),
            leads: gaps.into_iter().map(usual).collect(),
        }
    }

    fn lead(&self, line: &TextLine) -> f32 {
        let lead = self.leads.get(&quarters(line.size)).copied();
        lead.unwrap_or(1.25 * line.size)
            .clamp(0.9 * line.size, 2.6 * line.size)
    }
}

/// Returns the right end of the text around a line, as far as it has the same indent, because
/// quoted text has margins of its own.
fn right_end(lines: &[TextLine], index: usize) -> f32 {
    let line = &lines[index];
    let around =
        &lines[index.saturating_sub(LINES_AROUND)..lines.len().min(index + LINES_AROUND + 1)];
    let alike = |other: &&TextLine| (other.u0 - line.u0).abs() < 2.5 * line.size;
    let ends = around.iter().filter(alike).map(|line| line.u1);
    ends.fold(line.u1, f32::max)
}

fn is_mono(line: &TextLine) -> bool {
    line.pieces.iter().all(|piece| piece.style.mono)
}

pub(in super::super) fn is_bold(line: &TextLine) -> bool {
    line.pieces
        .iter()
        .all(|piece| piece.style.bold || piece.raised)
}

/// Splits a page into paragraphs.
pub(in super::super) fn split_page(
    number: usize,
    page: &mut PageText,
    body: BodyStyle,
    paragraphs: &mut Vec<PdfParagraph>,
) {
    let middle = f32::midpoint(page.low, page.high);
    let is_top = |line: &TextLine| line.v > middle;
    let (tops, feet): (Vec<_>, Vec<_>) = std::mem::take(&mut page.furniture)
        .into_iter()
        .partition(is_top);
    let furniture = |line: TextLine, note| PdfParagraph {
        size: line.size,
        lines: vec![(number, line, false)],
        page: number,
        note,
        ..PdfParagraph::default()
    };
    // A paragraph goes on below the head of its next page.
    paragraphs.extend(tops.into_iter().map(|line| furniture(line, number > 0)));
    for region in std::mem::take(&mut page.regions) {
        match region {
            PageRegion::Lines(lines) => {
                let from = paragraphs.len();
                split_lines(number, lines, &page.text, body, paragraphs);
                mark_notes(&mut paragraphs[from..], &page.text, body);
                if let Some(first) = paragraphs.get_mut(from) {
                    first.first = true;
                }
                let last = paragraphs[from..]
                    .iter_mut()
                    .rfind(|paragraph| !paragraph.note);
                if let Some(last) = last {
                    last.last = true;
                }
            }
            PageRegion::Table { rows, ruled } => {
                let lines = rows.iter().flatten().flat_map(|cell| &cell.lines);
                paragraphs.push(PdfParagraph {
                    kind: ParagraphKind::Table,
                    size: lines.map(|line| line.size).fold(0.0, f32::max),
                    page: number,
                    rows: if ruled { rows } else { merge_rows(rows) },
                    above: 9.0,
                    ..PdfParagraph::default()
                });
            }
        }
    }
    paragraphs.extend(feet.into_iter().map(|line| furniture(line, true)));
}

/// Joins rows of a table that only continue the row above.
fn merge_rows(rows: TableRows) -> TableRows {
    let first_v = |row: &[PdfTableCell]| {
        let mut lines = row.iter().flat_map(|cell| &cell.lines);
        lines.next().map(|line| line.v)
    };
    let mut leads: Vec<f32> = Vec::new();
    for pair in rows.windows(2) {
        if let (Some(a), Some(b)) = (first_v(&pair[0]), first_v(&pair[1])) {
            leads.push(a - b);
        }
    }
    leads.sort_by(f32::total_cmp);
    let least = leads.first().copied().unwrap_or_default();
    let widest = leads.last().copied().unwrap_or_default();
    let mut joined: TableRows = Vec::with_capacity(rows.len());
    let mut above = f32::INFINITY;
    for row in rows {
        let v = first_v(&row).unwrap_or(above);
        let goes_on = row.first().is_some_and(|cell| cell.lines.is_empty())
            && widest > 1.25 * least
            && above - v < 1.2 * least;
        above = v;
        match joined.last_mut().filter(|_| goes_on) {
            Some(open) => {
                for (cell, mut more) in open.iter_mut().zip(row) {
                    cell.lines.append(&mut more.lines);
                }
            }
            None => joined.push(row),
        }
    }
    joined
}

fn split_lines(
    number: usize,
    lines: Vec<TextLine>,
    pool: &str,
    body: BodyStyle,
    paragraphs: &mut Vec<PdfParagraph>,
) {
    let column = ColumnMetrics::from_lines(&lines);
    let marks: Vec<_> = lines
        .iter()
        .map(|line| list::item_mark(line, pool))
        .collect();
    // The left end of each next line.
    let nexts: Vec<Option<f32>> = (1..=lines.len())
        .map(|index| lines.get(index).map(|line| line.u0))
        .collect();
    let mut before: Option<TextLine> = None;
    let mut open: Option<usize> = None;
    for (index, ((line, mark), next)) in lines.into_iter().zip(marks).zip(nexts).enumerate() {
        let right = column.rights[index];
        let code = is_mono(&line) && !body.mono;
        let above = before
            .as_ref()
            .map_or(9.0, |before| (before.v - line.v) / line.size);
        let joins = match (open.and_then(|index| paragraphs.get(index)), &before) {
            (Some(paragraph), Some(before)) if (paragraph.kind == ParagraphKind::Code) == code => {
                let lead = column.lead(&line).max(column.lead(before));
                let gap = before.v - line.v;
                if line.size > HEADING_RATIO * body.size && (line.size - before.size).abs() < 0.01 {
                    mark.is_none() && gap > 0.4 * line.size && gap < 1.7 * line.size
                } else if code {
                    gap > 0.0 && gap < 3.2 * lead
                } else {
                    mark.is_none()
                        && gap > 0.4 * line.size
                        && gap < LEADING_RATIO * lead
                        && before.size.max(line.size) < MAX_SIZE_RATIO * before.size.min(line.size)
                        && is_bold(before) == is_bold(&line)
                        && !begins_paragraph(paragraph, before, &line, next, right, pool)
                }
            }
            _ => false,
        };
        before = Some(line.clone());
        if let (true, Some(paragraph)) = (joins, open.and_then(|index| paragraphs.get_mut(index))) {
            let hard = code || {
                let (_, last, _) = &paragraph.lines[paragraph.lines.len() - 1];
                is_short(last, &line, right, pool) || has_leader(last, pool) || has_gap(last)
            };
            paragraph.lines.push((number, line, hard));
            continue;
        }
        let kind = match mark {
            _ if code => ParagraphKind::Code,
            Some((number, mark)) => ParagraphKind::Item { number, mark },
            None => ParagraphKind::Text,
        };
        open = Some(paragraphs.len());
        paragraphs.push(PdfParagraph {
            kind,
            size: line.size,
            lines: vec![(number, line, false)],
            page: number,
            above,
            ..PdfParagraph::default()
        });
    }
}

/// True if a line has a gap that no text has, as before what is to be filled in.
fn has_gap(line: &TextLine) -> bool {
    let is_wide = |pair: &[LinePiece]| pair[1].u0 - pair[0].u1 > MAX_GAP * line.size;
    line.pieces.windows(2).any(is_wide)
}

/// True if a line has a leader to the number of a page.
fn has_leader(line: &TextLine, pool: &str) -> bool {
    let dots = |piece: &LinePiece| {
        let text = piece.text(pool);
        let dots = text.bytes().filter(|byte| *byte == b'.').count();
        if dots == text.len() || dots > 3 {
            dots
        } else {
            0
        }
    };
    line.pieces.iter().map(dots).sum::<usize>() > 3
}

/// True if the first word of `line` would have fitted at the end of the line before it.
fn is_short(before: &TextLine, line: &TextLine, right: f32, pool: &str) -> bool {
    let last = before.pieces.last().map_or("", |piece| piece.text(pool));
    if last.len() > 1 && last.ends_with(['-', '\u{2010}']) {
        return false;
    }
    let word = line.pieces.iter().skip(1).position(|piece| piece.blank);
    let end = word.map_or(line.u1, |index| line.pieces[index].u1);
    before.u1 + 0.6 * line.size + (end - line.u0) < right - 0.5 * line.size
}

/// True if indents show that a line begins a paragraph.
fn begins_paragraph(
    paragraph: &PdfParagraph,
    before: &TextLine,
    line: &TextLine,
    next: Option<f32>,
    right: f32,
    pool: &str,
) -> bool {
    let by = MIN_INDENT * line.size;
    let indented = line.u0 - before.u0;
    let first = paragraph.lines.len() == 1;
    if indented > by {
        // The second line of an item, or of an entry, is indented.
        let hangs = matches!(paragraph.kind, ParagraphKind::Item { .. })
            || next.is_some_and(|next| (next - line.u0).abs() < 0.3 * line.size);
        return !(first && hangs && !is_short(before, line, right, pool));
    }
    if indented < -by {
        return !first || matches!(paragraph.kind, ParagraphKind::Item { .. });
    }
    false
}

/// Marks the notes at the foot of a column: smaller than the rest, from the first that begins with
/// a mark.
fn mark_notes(column: &mut [PdfParagraph], pool: &str, body: BodyStyle) {
    let is_small = |paragraph: &PdfParagraph| {
        paragraph.size < 0.93 * body.size && paragraph.kind != ParagraphKind::Table
    };
    let first = column.iter().rposition(|paragraph| !is_small(paragraph));
    let Some(first) = first.map(|index| index + 1) else {
        return;
    };
    let begins = |paragraph: &PdfParagraph| {
        let piece = paragraph
            .lines
            .first()
            .and_then(|(_, line, _)| line.pieces.first());
        piece.is_some_and(|piece| {
            let text = piece.text(pool);
            let mark = text.chars().next().unwrap_or(' ');
            piece.raised && text.len() <= 3
                || "*\u{2217}\u{2020}\u{2021}\u{a7}\u{b6}".contains(mark)
                || text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let Some(start) = column[first..].iter().position(begins) else {
        return;
    };
    for paragraph in &mut column[first + start..] {
        paragraph.note = true;
    }
}
