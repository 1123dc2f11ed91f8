//! Adds blocks that belong to the chosen ones by their place. In the container of the chosen ones,
//! code, formulas and data tables are never missing, and neither is plausible text between chosen
//! blocks. Parts of the page that say that they are something else are left out.

use super::blocks::{CODE, CONTROL, UNSEEN};
use super::page::MeasuredPage;
use super::tags;
use super::words::{APART, ASIDE, NOTE};

/// Minimum share of the chosen words in the container.
const CONTAINED: f64 = 0.9;

/// Minimum probability of a block between chosen ones.
const BETWEEN: f64 = 0.2;

/// Minimum probability of the heading of a chosen block.
const HEADING: f64 = 0.05;

/// Part of a page, beside those that its name tells: code or a data table.
const WHOLE: u8 = 8;

pub(super) fn keep(page: &MeasuredPage, chances: &[f64], chosen: &mut [bool]) {
    let cut = page.cut;
    let (Some(first), Some(last)) = (
        chosen.iter().position(|chosen| *chosen),
        chosen.iter().rposition(|chosen| *chosen),
    ) else {
        return;
    };
    let container = container(page, chosen);
    let parts = parts_within(page, container);
    for (number, block) in cut.blocks.iter().enumerate() {
        let is_in = container <= block.element as usize && (block.element as usize) < parts.len();
        if chosen[number] || block.flags & (UNSEEN | CONTROL) != 0 || !is_in {
            continue;
        }
        let part = parts[block.element as usize];
        let is_linked = 2 * block.linked > block.text.words;
        let is_likely = part & NOTE != 0 || (part & ASIDE == 0 && chances[number] >= BETWEEN);
        chosen[number] = part & APART == 0
            && (part & WHOLE != 0
                || (!is_linked
                    && (block.flags & CODE != 0
                        || (first < number && number < last && is_likely))));
    }
    // A heading comes with the block that follows it.
    for number in (1..chosen.len()).rev() {
        let before = &cut.blocks[number - 1];
        let is_heading = cut.elements[before.element as usize].heading > 0;
        chosen[number - 1] |= chosen[number]
            && is_heading
            && before.flags & (UNSEEN | CONTROL) == 0
            && chances[number - 1] >= HEADING;
    }
}

/// Returns the index of the deepest element with nearly all of the chosen words.
fn container(page: &MeasuredPage, chosen: &[bool]) -> usize {
    let cut = page.cut;
    let mut words = vec![0.0; cut.elements.len()];
    for (block, _) in cut.blocks.iter().zip(chosen).filter(|(_, chosen)| **chosen) {
        words[block.element as usize] += f64::from(block.text.words);
    }
    for (number, element) in cut.elements.iter().enumerate().rev() {
        let own = words[number];
        if let Some(words) = words.get_mut(element.parent as usize) {
            *words += own;
        }
    }
    words
        .iter()
        .rposition(|held| *held >= CONTAINED * words[0])
        .unwrap_or_default()
}

/// Returns the parts around each element up to the end of the container; those around the container
/// itself do not count.
fn parts_within(page: &MeasuredPage, container: usize) -> Vec<u8> {
    let elements = &page.cut.elements;
    let end = container + elements[container].size as usize;
    let mut parts = vec![0; end];
    for table in &page.cut.tables {
        if let Some(part) = parts.get_mut(*table as usize) {
            *part = WHOLE;
        }
    }
    for number in container..end {
        let element = &elements[number];
        if element.tag.kind == tags::PREFORMATTED {
            parts[number] = WHOLE;
        }
        if number > container {
            parts[number] |= element.called.parts | parts[element.parent as usize];
        }
    }
    parts
}
