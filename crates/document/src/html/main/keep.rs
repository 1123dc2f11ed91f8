//! Adds blocks that belong to the chosen ones by their place. In the container of the chosen ones,
//! code, formulas and data tables are never missing, and neither is plausible text between chosen
//! blocks. Parts of the page that say that they are something else are left out.

use super::blocks::{CODE, CONTROL, UNSEEN};
use super::page::{MeasuredPage, sum_up};
use super::tags;
use super::words::{APART, ASIDE, NOTE};

/// Minimum share of the chosen words in the container.
const MIN_CONTAINER_SHARE: f64 = 0.9;

/// Share of the chosen words from which on a part is content, whatever it calls itself.
const MIN_PART_SHARE: f64 = 0.1;

/// Minimum probability of a block between chosen ones.
const MIN_BETWEEN_CHANCE: f64 = 0.2;

/// Minimum probability of the heading of a chosen text, and of the term of a description.
const MIN_HEADING_CHANCE: f64 = 0.05;

/// Parts besides those that a name tells: one that stays whole, a term, and one in the container.
const WHOLE: u8 = 8;
const TERM: u8 = 16;
const INSIDE: u8 = 32;

pub(super) fn keep_related_blocks(page: &MeasuredPage, chances: &[f64], chosen: &mut [bool]) {
    let cut = page.cut;
    let (Some(first), Some(last)) = (
        chosen.iter().position(|chosen| *chosen),
        chosen.iter().rposition(|chosen| *chosen),
    ) else {
        return;
    };
    let words = chosen_words(page, chosen);
    let parts = parts(page, &words);
    for (number, block) in cut.blocks.iter().enumerate() {
        if chosen[number] || block.flags & (UNSEEN | CONTROL) != 0 {
            continue;
        }
        let part = parts[block.element as usize];
        let is_linked = 2 * block.linked > block.text.words;
        let is_likely =
            part & NOTE != 0 || (part & ASIDE == 0 && chances[number] >= MIN_BETWEEN_CHANCE);
        let is_of_text = block.flags & CODE != 0 || (first < number && number < last && is_likely);
        chosen[number] = part & APART == 0
            && (part & WHOLE != 0 || (part & INSIDE != 0 && !is_linked && is_of_text));
    }
    // A heading comes with the text that follows it, and a term with its description.
    let mut follows = false;
    for (number, block) in cut.blocks.iter().enumerate().rev() {
        if block.flags & (UNSEEN | CONTROL) == 0 {
            let part = parts[block.element as usize];
            let leads = part & TERM != 0 || cut.elements[block.element as usize].heading > 0;
            chosen[number] |=
                follows && leads && part & APART == 0 && chances[number] >= MIN_HEADING_CHANCE;
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
    sum_up(&mut words, cut, |words, own| *words += own);
    words
}

/// Returns the parts around each element, for those in the container as far as it reaches: the
/// deepest element with nearly all of the chosen words.
fn parts(page: &MeasuredPage, words: &[f64]) -> Vec<u8> {
    let elements = &page.cut.elements;
    let holds = |number: usize, share: f64| words[number] >= share * words[0];
    let container = (0..words.len()).rfind(|number| holds(*number, MIN_CONTAINER_SHARE));
    let mut parts = vec![0; elements.len()];
    for table in &page.cut.tables {
        parts[*table as usize] = WHOLE;
    }
    for (number, element) in elements.iter().enumerate() {
        let (around, said) = if Some(number) == container {
            (INSIDE, 0)
        } else {
            let around = parts.get(element.parent as usize);
            (around.copied().unwrap_or_default(), element.called.parts)
        };
        let has_chosen = words[number] > 0.0;
        let is_paragraph = element.called.categories >> tags::PARAGRAPH & 1 == 1;
        let is_block = parts[number] == WHOLE || element.called.block_kind == tags::PREFORMATTED;
        let is_whole =
            (is_paragraph && has_chosen) || (is_block && (has_chosen || around & INSIDE != 0));
        let is_apart = said & APART != 0 && around & WHOLE == 0 && !holds(number, MIN_PART_SHARE);
        parts[number] = around
            | (said & !APART)
            | (APART * u8::from(is_apart))
            | (WHOLE * u8::from(is_whole))
            | (TERM * u8::from(element.called.block_kind == tags::TERM));
    }
    parts
}
