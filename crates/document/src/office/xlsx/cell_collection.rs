//! Collects the cells of a sheet, which come in any order, before or after what hides them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::sheet::{CellBudget, MAX_COLUMN, SheetCell, SheetContent, SheetRow};

/// Limits of a sheet: hidden ranges of columns, and links.
const MAX_RANGES: usize = 2000;
const MAX_LINKS: usize = 20_000;

/// A row and a column, both from 1 on.
pub(in super::super) type CellPlace = (u32, u32);

/// The cells of a sheet while it is read.
pub(in super::super) struct CollectedSheet<'b> {
    budget: &'b mut CellBudget,
    cells: BTreeMap<CellPlace, Box<str>>,
    links: HashMap<CellPlace, Rc<str>>,
    pub(in super::super) hidden_rows: BTreeSet<u32>,
    hidden_columns: BTreeSet<u32>,
    /// Number of ranges of hidden columns.
    ranges: usize,
    pub(in super::super) cut: bool,
}

impl<'b> CollectedSheet<'b> {
    pub(in super::super) fn new(budget: &'b mut CellBudget) -> Self {
        Self {
            budget,
            cells: BTreeMap::new(),
            links: HashMap::new(),
            hidden_rows: BTreeSet::new(),
            hidden_columns: BTreeSet::new(),
            ranges: 0,
            cut: false,
        }
    }

    /// True if there is room for another cell; records that something is cut if not.
    pub(in super::super) fn has_room(&mut self) -> bool {
        let is_full = self.budget.cells == 0 || self.budget.text == 0;
        self.cut |= is_full;
        !is_full
    }

    /// Adds what a cell shows, unless it is empty or beyond the budget.
    pub(in super::super) fn add(&mut self, place: CellPlace, text: &str) {
        let text = text.trim();
        if text.is_empty() || !self.has_room() {
            return;
        }
        self.budget.cells -= 1;
        self.budget.text = self.budget.text.saturating_sub(text.len());
        self.cells.entry(place).or_insert_with(|| text.into());
    }

    /// Adds the link of a cell.
    pub(in super::super) fn add_link(&mut self, place: CellPlace, address: Rc<str>) {
        if self.links.len() < MAX_LINKS {
            self.links.insert(place, address);
        }
    }

    /// Hides a range of columns.
    pub(in super::super) fn hide_columns(&mut self, first: u32, last: u32) {
        self.ranges += 1;
        if self.ranges <= MAX_RANGES {
            self.hidden_columns.extend(first..=last.min(MAX_COLUMN));
        }
    }

    /// Sorts the cells into rows, without those that are hidden.
    pub(in super::super) fn finish(self) -> SheetContent {
        let mut sheet = SheetContent {
            hidden_rows: self.hidden_rows.len(),
            cut: self.cut,
            ..SheetContent::default()
        };
        let mut hidden_with_text = BTreeSet::new();
        let (mut hidden_rows, mut hidden) = (self.hidden_rows.iter().peekable(), 0);
        for ((number, column), text) in self.cells {
            if self.hidden_rows.contains(&number) {
                continue;
            }
            if self.hidden_columns.contains(&column) {
                hidden_with_text.insert(column);
                continue;
            }
            let link = self.links.get(&(number, column)).cloned();
            let cell = SheetCell { column, text, link };
            match sheet.rows.last_mut() {
                Some(row) if row.number == number => row.cells.push(cell),
                _ => {
                    while hidden_rows.next_if(|row| **row < number).is_some() {
                        hidden += 1;
                    }
                    sheet.rows.push(SheetRow {
                        number,
                        hidden,
                        cells: vec![cell],
                    });
                }
            }
        }
        sheet.hidden_columns = hidden_with_text.len();
        sheet
    }
}
