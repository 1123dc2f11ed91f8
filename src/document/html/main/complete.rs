//! Adds blocks that belong to the chosen ones by the page's structure: the term of a description,
//! the header of a row, the heading of a section, and the plausible rest of a table or a list.

use std::collections::HashMap;
use std::ops::Range;

use super::blocks::{NONE, UNSEEN};
use super::page::MeasuredPage;
use super::tags;

/// Minimum probability of the description of a chosen term.
const DESCRIPTION: f64 = 0.2;

/// Minimum probability of the heading of a chosen text.
const HEADING: f64 = 0.1;

/// Minimum probability of the rest of a list or a table.
const REST: f64 = 0.15;

struct ChoiceCompleter<'a> {
    page: &'a MeasuredPage<'a>,
    chances: &'a [f64],
    chosen: &'a mut [bool],
    /// The blocks within each element.
    held: Vec<Range<usize>>,
}

/// The adjacent terms before their descriptions.
#[derive(Default)]
struct DescriptionTerms {
    blocks: Range<usize>,
    /// True if any of them was chosen before their first description.
    chosen: Option<bool>,
    /// True once they were chosen because of a description.
    taken: bool,
}

pub(super) fn complete(page: &MeasuredPage, chances: &[f64], chosen: &mut [bool]) {
    let mut completer = ChoiceCompleter {
        page,
        chances,
        chosen,
        held: held_blocks(page),
    };
    completer.complete_headings();
    completer.complete_descriptions();
    completer.complete_lists();
    completer.complete_tables();
}

fn held_blocks(page: &MeasuredPage) -> Vec<Range<usize>> {
    let elements = &page.cut.elements;
    let none = Range {
        start: usize::MAX,
        end: 0,
    };
    let mut held = vec![none; elements.len()];
    for (number, block) in page.cut.blocks.iter().enumerate() {
        let range = &mut held[block.element as usize];
        range.start = range.start.min(number);
        range.end = number + 1;
    }
    for (number, element) in elements.iter().enumerate().rev() {
        let own = held[number].clone();
        if let Some(range) = held.get_mut(element.parent as usize) {
            range.start = range.start.min(own.start);
            range.end = range.end.max(own.end);
        }
    }
    held
}

impl ChoiceCompleter<'_> {
    /// Chooses the visible blocks of a range with at least this probability.
    fn choose_likely(&mut self, blocks: Range<usize>, least: f64) {
        for number in blocks {
            self.chosen[number] |= self.is_seen(number) && self.chances[number] >= least;
        }
    }

    fn is_seen(&self, number: usize) -> bool {
        self.page.cut.blocks[number].flags & UNSEEN == 0
    }

    fn any_chosen(&self, mut blocks: Range<usize>) -> bool {
        blocks.any(|number| self.chosen[number])
    }

    /// Returns the chosen share of the visible words of a range.
    fn chosen_share(&self, blocks: Range<usize>) -> f64 {
        let (mut all, mut taken) = (0.0, 0.0);
        for number in blocks {
            if self.is_seen(number) {
                let words = f64::from(self.page.cut.blocks[number].text.words);
                all += words;
                taken += if self.chosen[number] { words } else { 0.0 };
            }
        }
        if all > 0.0 { taken / all } else { 0.0 }
    }

    /// A heading comes with the text that directly follows it.
    fn complete_headings(&mut self) {
        let elements = &self.page.cut.elements;
        for number in (1..self.chosen.len()).rev() {
            let before = number - 1;
            if !self.chosen[number] || self.chosen[before] {
                continue;
            }
            let mut element = self.page.cut.blocks[before].element;
            let mut around = element;
            while let Some(here) = elements.get(around as usize).filter(|e| e.heading > 0) {
                element = around;
                around = here.parent;
            }
            let is_heading = elements[element as usize].heading > 0;
            let next = self.page.cut.blocks[number].element;
            if is_heading && self.page.is_in(around, next) {
                self.choose_likely(before..number, HEADING);
            }
        }
    }

    /// A term comes with its description, and a description with its term.
    fn complete_descriptions(&mut self) {
        let elements = &self.page.cut.elements;
        let mut groups: HashMap<u32, DescriptionTerms> = HashMap::new();
        for (number, element) in elements.iter().enumerate() {
            let own = self.held[number].clone();
            let kind = element.tag.kind;
            if kind == tags::TERM {
                let terms = groups.entry(element.parent).or_default();
                if terms.chosen.is_some() {
                    *terms = DescriptionTerms::default();
                }
                let begin = if terms.blocks.is_empty() {
                    own.start
                } else {
                    terms.blocks.start
                };
                terms.blocks = begin..own.end.max(terms.blocks.end);
            } else if kind == tags::DESCRIPTION
                && let Some(terms) = groups.get_mut(&element.parent)
            {
                let chosen = match terms.chosen {
                    Some(chosen) => chosen,
                    None => self.any_chosen(terms.blocks.clone()),
                };
                terms.chosen = Some(chosen);
                if chosen && !self.any_chosen(own.clone()) {
                    self.choose_likely(own.clone(), DESCRIPTION);
                }
                if !terms.taken && self.any_chosen(own) {
                    terms.taken = true;
                    self.choose_likely(terms.blocks.clone(), 0.0);
                }
            }
        }
    }

    /// A list with at least half of its words chosen is completed with its plausible blocks.
    fn complete_lists(&mut self) {
        for (number, element) in self.page.cut.elements.iter().enumerate().rev() {
            if element.tag.categories >> tags::LIST & 1 == 1 {
                let own = self.held[number].clone();
                if self.chosen_share(own.clone()) >= 0.5 {
                    self.choose_likely(own, REST);
                }
            }
        }
    }

    /// So is a data table with at least half of its words chosen; in any other, cells come with the
    /// headers of their rows and columns, and headers do not come alone.
    fn complete_tables(&mut self) {
        let elements = &self.page.cut.elements;
        for table in &self.page.cut.tables {
            let own = self.held[*table as usize].clone();
            if self.chosen_share(own.clone()) >= 0.5 {
                self.choose_likely(own, REST);
                continue;
            }
            if !self.any_chosen(own.clone()) {
                continue;
            }
            let cells = *table..*table + elements[*table as usize].size;
            let of_kind = |wanted: u8| {
                cells
                    .clone()
                    .filter(move |cell| elements[*cell as usize].tag.kind == wanted)
            };
            let held = |cell: u32| self.held[cell as usize].clone();
            let headers: Vec<u32> = of_kind(tags::HEADER_CELL).collect();
            if !of_kind(tags::CELL).any(|cell| self.any_chosen(held(cell))) {
                if of_kind(tags::CELL).next().is_some() {
                    self.chosen[own].fill(false);
                }
                continue;
            }
            let first = headers
                .first()
                .map_or(NONE, |cell| elements[*cell as usize].parent);
            for cell in headers {
                let row = elements[cell as usize].parent;
                if row == first || self.any_chosen(self.held[row as usize].clone()) {
                    self.choose_likely(self.held[cell as usize].clone(), 0.0);
                }
            }
        }
    }
}
