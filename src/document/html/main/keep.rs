//! Adds blocks that belong to the chosen ones by their place. In the container of the chosen ones,
//! code, formulas and data tables are never missing, and neither is plausible text between chosen
//! blocks. Parts of the page that say that they are something else are left out.

use super::blocks::{CODE, CONTROL, TextBlock, UNSEEN};
use super::page::MeasuredPage;
use super::tags;
use super::words::{APART, ASIDE, NOTE};

/// Minimum share of the chosen words in the container.
const CONTAINED: f64 = 0.9;

/// Share of the chosen words from which on a part is content, whatever it says that it is.
const MUCH: f64 = 0.1;

/// Minimum probability of a block between chosen ones.
const BETWEEN: f64 = 0.2;

/// Minimum probability of the heading of a chosen text, and of the term of a description.
const HEADING: f64 = 0.05;

/// Parts beside those that a name tells: one that stays whole, and a term.
const WHOLE: u8 = 8;
const TERM: u8 = 16;

pub(super) fn keep(page: &MeasuredPage, chances: &[f64], chosen: &mut [bool]) {
    let cut = page.cut;
    let (Some(first), Some(last)) = (
        chosen.iter().position(|chosen| *chosen),
        chosen.iter().rposition(|chosen| *chosen),
    ) else {
        return;
    };
    let words = chosen_words(page, chosen);
    let (container, parts) = container_parts(page, &words);
    let part_of = |block: &TextBlock| parts.get((block.element as usize).checked_sub(container)?);
    for (number, block) in cut.blocks.iter().enumerate() {
        if chosen[number] || block.flags & (UNSEEN | CONTROL) != 0 {
            continue;
        }
        let Some(part) = part_of(block) else { continue };
        let is_linked = 2 * block.linked > block.text.words;
        let is_likely = part & NOTE != 0 || (part & ASIDE == 0 && chances[number] >= BETWEEN);
        chosen[number] = part & APART == 0
            && (part & WHOLE != 0
                || (!is_linked
                    && (block.flags & CODE != 0
                        || (first < number && number < last && is_likely))));
    }
    // A heading comes with the text that follows it, and a term with its description.
    let mut follows = false;
    for (number, block) in cut.blocks.iter().enumerate().rev() {
        if block.flags & (UNSEEN | CONTROL) == 0 {
            let part = part_of(block).copied().unwrap_or_default();
            let leads = part & TERM != 0 || cut.elements[block.element as usize].heading > 0;
            chosen[number] |= follows && leads && part & APART == 0 && chances[number] >= HEADING;
            follows = chosen[number];
        }
    }
}

/// Returns the number of chosen words in each element.
fn chosen_words(page: &MeasuredPage, chosen: &[bool]) -> Vec<f64> {
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
}

/// Returns the index of the container, the deepest element with nearly all of the chosen words, and
/// the parts around each of its elements, itself first; those around the container do not count.
fn container_parts(page: &MeasuredPage, words: &[f64]) -> (usize, Vec<u8>) {
    let holds = |share: f64| move |held: &f64| *held >= share * words[0];
    let container = words.iter().rposition(holds(CONTAINED)).unwrap_or_default();
    let elements = &page.cut.elements[container..];
    let elements = &elements[..elements[0].size as usize];
    let mut parts = vec![0; elements.len()];
    for table in &page.cut.tables {
        let table = (*table as usize).checked_sub(container);
        if let Some(part) = table.and_then(|table| parts.get_mut(table)) {
            *part = WHOLE;
        }
    }
    for (number, element) in elements.iter().enumerate() {
        let held = &words[container + number];
        let is_paragraph = element.tag.categories >> tags::PARAGRAPH & 1 == 1;
        if element.tag.kind == tags::PREFORMATTED || (is_paragraph && *held > 0.0) {
            parts[number] = WHOLE;
        }
        if element.tag.kind == tags::TERM {
            parts[number] |= TERM;
        }
        if number > 0 {
            let said = element.called.parts;
            let said = if holds(MUCH)(held) {
                said & !APART
            } else {
                said
            };
            parts[number] |= said | parts[element.parent as usize - container];
        }
    }
    (container, parts)
}
