//! Tables: which hold data and become tables of Markdown, and which only lay out a page.
//!
//! Rules: GitHub Flavored Markdown 0.29, "Tables" (a header row is a must, a cell is one line
//! of inline content); HTML Living Standard, "Tables" (`colspan`, `rowspan`).

use html2md::{Handle, NodeData};

use super::css;
use super::dom::{self, Kind};

/// How a column is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    None,
    Left,
    Center,
    Right,
}

/// What a table of data looks like.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Columns of the widest row.
    pub(super) columns: usize,
    /// Cells of the row that has the most.
    pub(super) cells: usize,
    /// Whether its first row is a header.
    pub(super) header: bool,
    /// The first row's alignments.
    pub(super) aligns: Vec<Align>,
}

/// Most columns that `colspan` and `rowspan` may make of fewer cells.
const MAX_SPANNED_COLUMNS: usize = 64;

/// The shape of a table of data; `None` for one that lays out blocks: with one column and no
/// header, or with a block in a cell that a line cannot hold.
///
/// It looks no further than the first such block, so that nested tables cost no more than
/// what stands between them.
pub(super) fn shape(table: &Handle) -> Option<Shape> {
    let presentation = dom::with_attributes(table, |name, value| {
        (name == "role" && matches!(value, "presentation" | "none")).then_some(())
    });
    if presentation.is_some() {
        return None;
    }
    let mut shape = Shape {
        columns: 0,
        cells: 0,
        header: false,
        aligns: Vec::new(),
    };
    let mut first = true;
    let mut spans: Vec<usize> = Vec::new();
    for section in table.children.borrow().iter() {
        match dom::name(section) {
            "thead" | "tbody" | "tfoot" if !dom::is_hidden(section) => {
                for row in section.children.borrow().iter() {
                    if dom::name(row) != "tr" || dom::is_hidden(row) {
                        continue;
                    }
                    let Row {
                        cells,
                        width,
                        all_header,
                    } = measure(row, &mut spans)?;
                    if cells == 0 {
                        continue;
                    }
                    shape.cells = shape.cells.max(cells);
                    shape.columns = shape.columns.max(width);
                    if std::mem::take(&mut first) {
                        shape.header = all_header || dom::name(section) == "thead";
                        shape.aligns = alignments(row);
                    }
                }
            }
            _ => {}
        }
    }
    if shape.columns > MAX_SPANNED_COLUMNS {
        shape.columns = shape.cells;
    }
    let single = shape.cells == 1 && !shape.header;
    (shape.cells > 0 && !single).then_some(shape)
}

struct Row {
    cells: usize,
    width: usize,
    all_header: bool,
}

fn measure(row: &Handle, spans: &mut Vec<usize>) -> Option<Row> {
    let mut measured = Row {
        cells: 0,
        width: 0,
        all_header: true,
    };
    for cell in row.children.borrow().iter() {
        if dom::kind(cell) != Some(Kind::Cell) || dom::is_hidden(cell) {
            continue;
        }
        if !fits_a_line(cell) {
            return None;
        }
        while take_span(spans, measured.width) {
            measured.width += 1;
        }
        let (columns, rows) = span(cell);
        note_span(spans, measured.width, columns, rows);
        measured.cells += 1;
        measured.width += columns;
        measured.all_header &= dom::name(cell) == "th";
    }
    while take_span(spans, measured.width) {
        measured.width += 1;
    }
    Some(measured)
}

/// Whether a cell of an earlier row reaches down into this column; counts it off.
pub(super) fn take_span(spans: &mut [usize], column: usize) -> bool {
    match spans.get_mut(column) {
        Some(rows) if *rows > 0 => {
            *rows -= 1;
            true
        }
        _ => false,
    }
}

/// Notes that a cell reaches down over `rows` rows, as far as its columns are among the first
/// [`MAX_SPANNED_COLUMNS`]: each row walks all that reaches down into it.
pub(super) fn note_span(spans: &mut Vec<usize>, column: usize, columns: usize, rows: usize) {
    let end = (column + columns).min(MAX_SPANNED_COLUMNS);
    if rows > 1 && column < end {
        if spans.len() < end {
            spans.resize(end, 0);
        }
        spans[column..end].fill(rows - 1);
    }
}

/// Columns and rows of a cell, each at least 1.
pub(super) fn span(cell: &Handle) -> (usize, usize) {
    let (mut columns, mut rows) = (1, 1);
    let _: Option<()> = dom::with_attributes(cell, |name, value| {
        let number = || value.trim().parse().unwrap_or(1_usize);
        match name {
            "colspan" => columns = number().clamp(1, MAX_SPANNED_COLUMNS),
            "rowspan" => rows = number().clamp(1, 65_534),
            _ => {}
        }
        None
    });
    (columns, rows)
}

fn alignments(row: &Handle) -> Vec<Align> {
    let mut aligns = Vec::new();
    for cell in row.children.borrow().iter() {
        if dom::kind(cell) == Some(Kind::Cell) && !dom::is_hidden(cell) {
            let align = dom::with_attributes(cell, |name, value| match name {
                "align" => Some(value.trim().to_ascii_lowercase()),
                "style" => css::value(value, "text-align", |_| true),
                _ => None,
            });
            let align = match align.as_deref() {
                Some("left") => Align::Left,
                Some("center") => Align::Center,
                Some("right") => Align::Right,
                _ => Align::None,
            };
            let (columns, _) = span(cell);
            aligns.extend(std::iter::repeat_n(align, columns));
        }
    }
    aligns
}

/// Whether nothing in a cell needs more than one line: paragraphs can be parted by `<br>`.
fn fits_a_line(cell: &Handle) -> bool {
    let mut open: Vec<Handle> = cell.children.borrow().iter().rev().cloned().collect();
    while let Some(node) = open.pop() {
        if let NodeData::Element { name, .. } = &node.data {
            match dom::kind_of(&name.local) {
                Kind::Table
                | Kind::Preformatted
                | Kind::Heading(_)
                | Kind::Quote
                | Kind::Rule
                | Kind::Bullets
                | Kind::Numbers
                | Kind::Item
                | Kind::Definition => return false,
                Kind::Dropped => {}
                _ => open.extend(node.children.borrow().iter().rev().cloned()),
            }
        }
    }
    true
}

/// The row of dashes under the header.
pub(super) fn delimiter_row(shape: &Shape) -> String {
    let mut row = String::with_capacity(shape.columns * 6 + 1);
    let narrow = shape.columns > 32;
    for column in 0..shape.columns {
        row.push_str(match shape.aligns.get(column) {
            Some(Align::Left) => "| :--- ",
            Some(Align::Center) => "| :---: ",
            Some(Align::Right) => "| ---: ",
            _ if narrow => "|-",
            _ => "| --- ",
        });
    }
    row.push('|');
    row
}
