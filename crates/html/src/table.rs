//! Tables: data tables and layout tables.
//!
//! Rules: HTML Living Standard, "Tables" (`colspan`, `rowspan`).

use html2md::{Handle, NodeData};

use super::dom::{self, ElementKind};
use super::listing;
use iki_markdown::model::{ColumnAlignment, MAX_SPANNED_COLUMNS, RowSpans, TableLayout};

/// Reads the shape of a data table; `None` for a layout table: one with a single column and no
/// header, with parts that are none of a table, or with a block in a cell that is more than a
/// cell's content. A table with header cells may hold more in its cells than another.
///
/// A cell is read up to such a block and up to the tables in it, so that nested tables cost no
/// more than the content between them.
pub(super) fn read_shape(table: &Handle) -> Option<TableLayout> {
    let role = dom::attribute(table, "role").unwrap_or_default();
    if matches!(&*role, "presentation" | "none") {
        return None;
    }
    let mut shape = TableLayout {
        columns: 0,
        cells: 0,
        header: false,
        aligns: Vec::new(),
    };
    let mut first = true;
    let is_headed = is_headed(table);
    for section in sections(table) {
        let mut rows = SectionRows::read(&section);
        let mut spans = RowSpans::default();
        for row in section.children.borrow().iter().filter(|row| is_row(row)) {
            rows.begin_row();
            let RowShape {
                cells,
                width,
                all_header,
            } = measure_row(row, &rows, &mut spans, is_headed)?;
            if cells == 0 {
                continue;
            }
            if cells == 2 && shape.cells == 1 && is_listing(row) {
                return None;
            }
            shape.cells = shape.cells.max(cells);
            shape.columns = shape.columns.max(width);
            if std::mem::take(&mut first) {
                shape.header = all_header || dom::name(&section) == "thead";
                shape.aligns = alignments(row);
            }
        }
    }
    if shape.columns > MAX_SPANNED_COLUMNS {
        shape.columns = shape.cells;
    }
    let single = shape.cells == 1 && !shape.header;
    (shape.cells > 0 && !single).then_some(shape)
}

/// Returns the visible groups of rows; in a table by its role, boxes may stand around them.
fn sections(table: &Handle) -> Vec<Handle> {
    if dom::name(table) == "table" {
        let children = table.children.borrow();
        let is_group = |node: &&Handle| {
            matches!(dom::name(node), "thead" | "tbody" | "tfoot") && !dom::is_hidden(node)
        };
        return children.iter().filter(is_group).cloned().collect();
    }
    let (mut groups, mut open) = (Vec::new(), vec![table.clone()]);
    while let Some(node) = open.pop() {
        let children = node.children.borrow();
        if children.iter().any(is_row) {
            groups.push(node.clone());
        } else {
            let is_box = |node: &&Handle| {
                matches!(
                    dom::kind(node),
                    Some(ElementKind::Block | ElementKind::Inline)
                ) && !dom::is_hidden(node)
            };
            open.extend(children.iter().rev().filter(is_box).cloned());
        }
    }
    groups
}

/// Moves a foot that stands before a body behind it, where browsers show it.
pub(super) fn move_foot_last(table: &Handle) {
    let mut children = table.children.borrow_mut();
    let foot = children.iter().position(|node| dom::name(node) == "tfoot");
    let body = children.iter().rposition(|node| dom::name(node) == "tbody");
    if let (Some(foot), Some(body)) = (foot, body)
        && foot < body
    {
        let foot = children.remove(foot);
        children.push(foot);
    }
}

/// True for a table or a part of one.
pub(super) fn is_part(node: &Handle) -> bool {
    matches!(dom::name(node), "thead" | "tbody" | "tfoot")
        || matches!(
            dom::kind(node),
            Some(ElementKind::Table | ElementKind::Row | ElementKind::Cell)
        )
}

/// Returns the visible rows.
pub(super) fn rows(table: &Handle) -> impl Iterator<Item = Handle> {
    let rows = |section: Handle| section.children.borrow().clone();
    sections(table).into_iter().flat_map(rows).filter(is_row)
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
    pub(super) fn read(section: &Handle) -> Self {
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
        let count = |index: usize| self.with_cells.get(index).copied().unwrap_or(0);
        count(until).saturating_sub(count(before)).max(1)
    }

    /// Returns the columns and rows of a cell of the current row, each at least 1.
    pub(super) fn span(&self, cell: &Handle) -> (usize, usize) {
        let (columns, rows) = cell_span(cell);
        (columns.into(), self.spanned_rows(rows.into()))
    }
}

fn is_row(node: &Handle) -> bool {
    dom::kind(node) == Some(ElementKind::Row) && !dom::is_hidden(node)
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
    is_headed: bool,
) -> Option<RowShape> {
    let mut measured = RowShape {
        cells: 0,
        width: 0,
        all_header: true,
    };
    for cell in row.children.borrow().iter() {
        let Some(seen) = cell_visibility(cell) else {
            let other = |kind| !matches!(kind, ElementKind::Dropped | ElementKind::Cell);
            if dom::kind(cell).is_some_and(other) {
                return None;
            }
            continue;
        };
        if seen && !fits_a_cell(cell, is_headed) {
            return None;
        }
        while spans.take_spanned(measured.width) {
            measured.width += 1;
        }
        let (columns, rows) = rows.span(cell);
        spans.add_cell(measured.width, columns, rows);
        measured.cells += 1;
        measured.width += columns;
        measured.all_header &= is_header(cell);
    }
    if measured.cells > 0 {
        measured.width = spans.finish_row(measured.width);
    }
    Some(measured)
}

/// Returns the `colspan` and `rowspan` of a cell, each at least 1.
fn cell_span(cell: &Handle) -> (u16, u16) {
    let (mut columns, mut rows) = (1, 1);
    dom::for_each_attribute(cell, |name, value| {
        let number = || value.trim().parse().unwrap_or(1_usize);
        match name {
            "colspan" => columns = limited(number(), MAX_SPANNED_COLUMNS),
            "rowspan" => rows = limited(number(), 65_534),
            _ => {}
        }
    });
    (columns, rows)
}

fn limited(number: usize, limit: usize) -> u16 {
    u16::try_from(number.clamp(1, limit)).unwrap_or(u16::MAX)
}

fn alignments(row: &Handle) -> Vec<ColumnAlignment> {
    let mut aligns = Vec::new();
    for cell in row.children.borrow().iter() {
        if cell_visibility(cell).is_some() {
            let align = dom::attribute(cell, "align").unwrap_or_default();
            let align = match &*align.trim().to_ascii_lowercase() {
                "left" => ColumnAlignment::Left,
                "center" => ColumnAlignment::Center,
                "right" => ColumnAlignment::Right,
                _ => ColumnAlignment::None,
            };
            let (columns, _) = cell_span(cell);
            aligns.extend(std::iter::repeat_n(align, columns.into()));
        }
    }
    aligns
}

/// True for a header cell.
fn is_header(cell: &Handle) -> bool {
    let role = || dom::attribute(cell, "role").unwrap_or_default();
    dom::name(cell) == "th" || matches!(&*role(), "columnheader" | "rowheader")
}

/// True if the table has a caption, a head or a header cell.
fn is_headed(table: &Handle) -> bool {
    let named = |node: &Handle| matches!(dom::name(node), "caption" | "thead");
    table.children.borrow().iter().any(named)
        || rows(table).any(|row| row.children.borrow().iter().any(is_header))
}

/// True if the contents of a cell are those of a table's cell: text, and in a table with headings
/// blocks, but no chapter with headings of its own.
fn fits_a_cell(cell: &Handle, is_headed: bool) -> bool {
    let mut headings = 0;
    let mut open: Vec<Handle> = cell.children.borrow().iter().rev().cloned().collect();
    while let Some(node) = open.pop() {
        let Some(kind) = dom::kind(&node) else {
            continue;
        };
        match kind {
            ElementKind::Dropped => continue,
            _ if kind == ElementKind::Preformatted || listing::is_marked(&node) => {
                if !is_headed {
                    return false;
                }
                continue;
            }
            ElementKind::Table
            | ElementKind::Heading(_)
            | ElementKind::Quote
            | ElementKind::Rule
            | ElementKind::Bullets
            | ElementKind::Numbers
            | ElementKind::Item
            | ElementKind::Definition
                if !is_headed =>
            {
                return false;
            }
            ElementKind::Table => continue,
            ElementKind::Heading(_) if headings > 0 => return false,
            ElementKind::Heading(_) => headings += 1,
            _ => {}
        }
        open.extend(node.children.borrow().iter().rev().cloned());
    }
    true
}

/// True for a row of the numbers of lines and their code, below a row with the file's name.
fn is_listing(row: &Handle) -> bool {
    let cells = row.children.borrow();
    let mut cells = cells.iter().filter(|cell| cell_visibility(cell).is_some());
    let (first, second) = (cells.next(), cells.next());
    first.is_some_and(|first| is_gutter(first, second, false))
}

/// True if `cell`, before the cell `next` of its row, holds the numbers of the lines of code there.
/// Neither is read beyond a table in it.
pub(super) fn is_gutter(cell: &Handle, next: Option<&Handle>, in_code: bool) -> bool {
    let Some(next) = next else {
        return false;
    };
    let mut numbers = String::new();
    for node in dom::nodes_within(cell, |_| true) {
        if let NodeData::Text { contents } = &node.data {
            let text = contents.borrow();
            if !text
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte.is_ascii_whitespace())
            {
                return false;
            }
            numbers.push_str(&text);
        } else if dom::kind(&node) == Some(ElementKind::Table) {
            return false;
        } else {
            numbers.push(' ');
        }
    }
    let Some(count) = count_lines(&numbers) else {
        return false;
    };
    in_code || ((count != 1 || holds_code(cell)) && holds_code(next))
}

/// Returns the number of lines that a text counts, if it is nothing but their numbers.
pub(super) fn count_lines(text: &str) -> Option<usize> {
    let (mut count, mut last) = (0, None);
    for number in text.split_ascii_whitespace() {
        let number: u32 = number.parse().ok()?;
        if last.is_some_and(|last: u32| last.checked_add(1) != Some(number)) {
            return None;
        }
        last = Some(number);
        count += 1;
    }
    Some(count)
}

/// True if there is a block of code in a cell.
fn holds_code(cell: &Handle) -> bool {
    let first = dom::nodes_within(cell, |_| true).find_map(|node| match dom::kind(&node)? {
        ElementKind::Table => Some(false),
        kind => (kind == ElementKind::Preformatted || listing::is_marked(&node)).then_some(true),
    });
    first == Some(true)
}
