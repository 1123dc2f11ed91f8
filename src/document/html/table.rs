//! Tables: data tables and layout tables.
//!
//! Rules: HTML Living Standard, "Tables" (`colspan`, `rowspan`).

use html2md::{Handle, NodeData};

use super::dom::{self, ElementKind};
use crate::document::model::{ColumnAlignment, MAX_SPANNED_COLUMNS, RowSpans, TableLayout};

/// Reads the shape of a data table; `None` for a layout table: one with a single column and no
/// header, or with a block in a cell that does not fit in a line. Lists fit in the cells of a table
/// that has a header.
///
/// The search stops at the first such block, so that nested tables cost no more than the content
/// between them.
pub(super) fn read_shape(table: &Handle) -> Option<TableLayout> {
    let presentation = dom::with_attributes(table, |name, value| {
        (name == "role" && matches!(value, "presentation" | "none")).then_some(())
    });
    if presentation.is_some() {
        return None;
    }
    let mut shape = TableLayout {
        columns: 0,
        cells: 0,
        header: false,
        aligns: Vec::new(),
    };
    let mut first = true;
    let headed = is_headed(table);
    for section in table.children.borrow().iter() {
        match dom::name(section) {
            "thead" | "tbody" | "tfoot" if !dom::is_hidden(section) => {
                let mut rows = SectionRows::of(section);
                let mut spans = RowSpans::default();
                for row in section.children.borrow().iter() {
                    if !is_row(row) {
                        continue;
                    }
                    rows.begin_row();
                    let RowShape {
                        cells,
                        width,
                        all_header,
                    } = measure_row(row, &rows, &mut spans, headed)?;
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

struct RowShape {
    cells: usize,
    width: usize,
    all_header: bool,
}

/// The rows of a section. Rows without cells are left out, so a row span counts only the others,
/// and never reaches beyond its section.
#[derive(Default)]
pub(super) struct SectionRows {
    /// Number of rows with cells before each row, and in all.
    with_cells: Vec<usize>,
    /// Number of rows that have begun.
    begun: usize,
}

impl SectionRows {
    /// Reads the rows of `section`, before the first has begun.
    pub(super) fn of(section: &Handle) -> Self {
        let mut with_cells = vec![0];
        let mut count = 0;
        for row in section.children.borrow().iter().filter(|row| is_row(row)) {
            count += usize::from(
                row.children
                    .borrow()
                    .iter()
                    .any(|cell| cell_visibility(cell).is_some()),
            );
            with_cells.push(count);
        }
        Self {
            with_cells,
            begun: 0,
        }
    }

    pub(super) fn begin_row(&mut self) {
        self.begun += 1;
    }

    /// Returns the number of remaining rows that a cell with this row span covers.
    fn spanned_rows(&self, rows: usize) -> usize {
        let before = self.begun.saturating_sub(1);
        let until = (before + rows).min(self.with_cells.len().saturating_sub(1));
        let count = |at: usize| self.with_cells.get(at).copied().unwrap_or(0);
        count(until).saturating_sub(count(before)).max(1)
    }

    /// Returns the columns and rows of a cell of the current row, each at least 1.
    pub(super) fn span(&self, cell: &Handle) -> (usize, usize) {
        let (columns, rows) = cell_span(cell);
        (columns.into(), self.spanned_rows(rows.into()))
    }
}

fn is_row(node: &Handle) -> bool {
    dom::name(node) == "tr" && !dom::is_hidden(node)
}

/// Returns true for a visible cell, false for an invisible one that keeps its place; `None` for
/// other nodes.
pub(super) fn cell_visibility(node: &Handle) -> Option<bool> {
    (dom::kind(node) == Some(ElementKind::Cell) && !dom::is_gone(node))
        .then(|| !dom::is_hidden(node))
}

fn measure_row(
    row: &Handle,
    rows: &SectionRows,
    spans: &mut RowSpans,
    headed: bool,
) -> Option<RowShape> {
    let mut measured = RowShape {
        cells: 0,
        width: 0,
        all_header: true,
    };
    for cell in row.children.borrow().iter() {
        let Some(seen) = cell_visibility(cell) else {
            continue;
        };
        if seen && !fits_a_line(cell, headed) {
            return None;
        }
        while spans.take_spanned(measured.width) {
            measured.width += 1;
        }
        let (columns, rows) = rows.span(cell);
        spans.add_cell(measured.width, columns, rows);
        measured.cells += 1;
        measured.width += columns;
        measured.all_header &= dom::name(cell) == "th";
    }
    if measured.cells > 0 {
        measured.width = spans.finish_row(measured.width);
    }
    Some(measured)
}

/// Returns the `colspan` and `rowspan` of a cell, each at least 1.
fn cell_span(cell: &Handle) -> (u16, u16) {
    let (mut columns, mut rows) = (1, 1);
    let _: Option<()> = dom::with_attributes(cell, |name, value| {
        let number = || value.trim().parse().unwrap_or(1_usize);
        match name {
            "colspan" => columns = limited(number(), MAX_SPANNED_COLUMNS),
            "rowspan" => rows = limited(number(), 65_534),
            _ => {}
        }
        None
    });
    (columns, rows)
}

fn limited(number: usize, most: usize) -> u16 {
    u16::try_from(number.clamp(1, most)).unwrap_or(u16::MAX)
}

fn alignments(row: &Handle) -> Vec<ColumnAlignment> {
    let mut aligns = Vec::new();
    for cell in row.children.borrow().iter() {
        if cell_visibility(cell).is_some() {
            let align = dom::with_attributes(cell, |name, value| match name {
                "align" => Some(value.trim().to_ascii_lowercase()),
                _ => None,
            });
            let align = match align.as_deref() {
                Some("left") => ColumnAlignment::Left,
                Some("center") => ColumnAlignment::Center,
                Some("right") => ColumnAlignment::Right,
                _ => ColumnAlignment::None,
            };
            let (columns, _) = cell_span(cell);
            aligns.extend(std::iter::repeat_n(align, columns.into()));
        }
    }
    aligns
}

/// True if the first row with cells consists of header cells.
fn is_headed(table: &Handle) -> bool {
    let sections = table.children.borrow();
    let mut rows = sections
        .iter()
        .filter(|section| !dom::is_hidden(section))
        .flat_map(|section| section.children.borrow().clone())
        .filter(is_row);
    let cells = |row: Handle| -> Vec<Handle> {
        let cells = row.children.borrow();
        cells
            .iter()
            .filter(|cell| cell_visibility(cell).is_some())
            .cloned()
            .collect()
    };
    rows.find_map(|row| Some(cells(row)).filter(|cells| !cells.is_empty()))
        .is_some_and(|cells| cells.iter().all(|cell| dom::name(cell) == "th"))
}

/// True if the contents of a cell fit in one line: `<br>` can separate paragraphs and, if `lists`
/// is set, the items of a list.
fn fits_a_line(cell: &Handle, lists: bool) -> bool {
    let mut open: Vec<Handle> = cell.children.borrow().iter().rev().cloned().collect();
    while let Some(node) = open.pop() {
        if let NodeData::Element { name, .. } = &node.data {
            match dom::kind_of(&name.local) {
                ElementKind::Bullets | ElementKind::Numbers | ElementKind::Item if lists => {
                    open.extend(node.children.borrow().iter().rev().cloned());
                }
                ElementKind::Table
                | ElementKind::Preformatted
                | ElementKind::Heading(_)
                | ElementKind::Quote
                | ElementKind::Rule
                | ElementKind::Bullets
                | ElementKind::Numbers
                | ElementKind::Item
                | ElementKind::Definition => return false,
                ElementKind::Dropped => {}
                _ => open.extend(node.children.borrow().iter().rev().cloned()),
            }
        }
    }
    true
}
