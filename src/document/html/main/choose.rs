//! Which blocks are the page's main content, given how likely each is.

use super::blocks::{PageBlocks, TextBlock, UNSEEN};
use super::complete;
use super::page::MeasuredPage;
use crate::sort::Sort;

/// A choice, and what is expected of it.
pub(super) struct ContentChoice {
    pub(super) chosen: Vec<bool>,
    /// The share of the chosen words that is expected to be content.
    pub(super) precision: f64,
    /// The share of the content's words that is expected to be chosen.
    pub(super) recall: f64,
}

/// How likely hidden text must be content that the page does not offer to show.
const SURE: f64 = 0.8;

/// How likely blocks must be content that stand between chosen ones, and how many may.
const BETWEEN: (f64, usize) = (0.25, 3);

/// NamingCache that a hidden element has at least whose text is content: a panel has more than a remark.
/// Fewer would bring no page of the development pages a hundredth more of its content.
const MUCH: u32 = 150;

/// Chooses by the chances of the blocks.
pub(super) fn choose(page: &MeasuredPage, chances: &[f64]) -> ContentChoice {
    let cut = page.cut;
    let words: Vec<f64> = cut
        .blocks
        .iter()
        .map(|block| f64::from(block.text.words))
        .collect();
    let sure = expected_quality(chances, &words, &best_choice(chances, &words, 1.0)).0;
    // Where it is not sure it keeps.
    let beta = (1.0 + 2.0 * (0.85 - sure)).clamp(0.7, 2.0);
    let mut chosen = best_choice(chances, &words, beta);
    fill_gaps(cut, chances, &mut chosen);
    // Whoever marks content often leaves the title out, but a reader is lost without it.
    if let Some(heading) = page.heading
        && page.heading_is_title
    {
        chosen[heading] = true;
    }
    drop_hidden(cut, chances, &mut chosen);
    complete::complete(page, chances, &mut chosen);
    let (precision, recall) = expected_quality(chances, &words, &chosen);
    ContentChoice {
        chosen,
        precision,
        recall,
    }
}

/// The blocks that are likeliest, as many of them as promise the best F-measure with this `beta`.
fn best_choice(chances: &[f64], words: &[f64], beta: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.arrange_by(|a, b| chances[*b].total_cmp(&chances[*a]));
    let squared = beta * beta;
    let all: f64 = chances.iter().zip(words).map(|(p, w)| p * w).sum();
    let (mut found, mut taken) = (0.0, 0.0);
    let (mut most, mut length) = (0.0, 0);
    for (at, block) in order.iter().enumerate() {
        found += chances[*block] * words[*block];
        taken += words[*block];
        let measure = (1.0 + squared) * found / (taken + squared * all + 1e-9);
        if measure > most {
            (most, length) = (measure, at + 1);
        }
    }
    let mut chosen = vec![false; chances.len()];
    for block in &order[..length] {
        chosen[*block] = true;
    }
    chosen
}

/// The precision and the recall that are expected of a choice.
fn expected_quality(chances: &[f64], words: &[f64], chosen: &[bool]) -> (f64, f64) {
    let (mut all, mut found, mut taken) = (0.0, 0.0, 0.0);
    for ((chance, words), chosen) in chances.iter().zip(words).zip(chosen) {
        all += chance * words;
        if *chosen {
            found += chance * words;
            taken += words;
        }
    }
    if taken == 0.0 {
        return (0.0, 0.0);
    }
    (found / taken, found / all.max(1e-9))
}

/// Chooses the few blocks between two chosen ones that are not unlikely.
fn fill_gaps(cut: &PageBlocks, chances: &[f64], chosen: &mut [bool]) {
    let (limit, few) = BETWEEN;
    let fits = |number: usize| chances[number] > limit && cut.blocks[number].flags & UNSEEN == 0;
    let mut last = None;
    for number in 0..chosen.len() {
        if !chosen[number] {
            continue;
        }
        if let Some(last) = last
            && number - last <= few + 1
            && (last + 1..number).all(fits)
        {
            chosen[last + 1..number].fill(true);
        }
        last = Some(number);
    }
}

/// Takes back what is hidden, unless the model is sure of it, and it lies in the middle of what is
/// chosen and is more than a remark.
fn drop_hidden(cut: &PageBlocks, chances: &[f64], chosen: &mut [bool]) {
    for (number, block) in cut.blocks.iter().enumerate() {
        if block.flags & UNSEEN != 0 && chances[number] < SURE {
            chosen[number] = false;
        }
    }
    let seen = |(block, chosen): (&TextBlock, &bool)| *chosen && block.flags & UNSEEN == 0;
    let each = || cut.blocks.iter().zip(chosen.iter());
    let first = each().position(seen);
    let last = each().rposition(seen);
    let mut words = std::collections::HashMap::new();
    for (block, chosen) in each() {
        if *chosen && block.flags & UNSEEN != 0 {
            *words.entry(block.veil).or_insert(0) += block.text.words;
        }
    }
    for (number, block) in cut.blocks.iter().enumerate() {
        let amid = first.is_some_and(|first| first < number)
            && last.is_some_and(|last| last > number)
            && words.get(&block.veil).is_some_and(|words| *words >= MUCH);
        if block.flags & UNSEEN != 0 && !amid {
            chosen[number] = false;
        }
    }
}
