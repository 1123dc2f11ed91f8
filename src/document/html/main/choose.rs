//! Which blocks are the page's main content, given how likely each is.

use super::blocks::{Cut, Leaf, UNSEEN};
use super::page::Page;

/// A choice, and what is expected of it.
pub(super) struct Choice {
    pub(super) chosen: Vec<bool>,
    /// The share of the chosen words that is expected to be content.
    pub(super) precision: f64,
    /// The share of the content's words that is expected to be chosen.
    pub(super) recall: f64,
}

/// How likely hidden text must be content that the page does not offer to show.
const SURE: f64 = 0.8;

/// Words that a hidden element has at least whose text is content: a panel has more than a remark.
const MUCH: u32 = 60;

/// Chooses by the chances of the blocks.
pub(super) fn choose(page: &Page, chances: &[f64]) -> Choice {
    let cut = page.cut;
    let mut chances = chances.to_vec();
    for (chance, block) in chances.iter_mut().zip(&cut.blocks) {
        if block.flags & UNSEEN != 0 && *chance < SURE {
            *chance = 0.0;
        }
    }
    let words: Vec<f64> = cut
        .blocks
        .iter()
        .map(|block| f64::from(block.text.words))
        .collect();
    let mut chosen = best(&chances, &words, 1.0);
    let sure = expected(&chances, &words, &chosen).0;
    if sure >= 0.9 {
        chosen = best(&chances, &words, 0.7);
    } else if sure < 0.6 {
        chosen = best(&chances, &words, 2.0);
    }
    if let Some(heading) = page.heading.filter(|_| page.heading_is_title) {
        chosen[heading] = true;
    }
    hide(cut, &mut chosen);
    whole_tables(cut, &mut chosen);
    let (precision, recall) = expected(&chances, &words, &chosen);
    Choice {
        chosen,
        precision,
        recall,
    }
}

/// The blocks that are likeliest, as many of them as promise the best F-measure with this `beta`.
fn best(chances: &[f64], words: &[f64], beta: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|a, b| chances[*b].total_cmp(&chances[*a]));
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
fn expected(chances: &[f64], words: &[f64], chosen: &[bool]) -> (f64, f64) {
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

/// Takes back what is hidden, unless it lies in the middle of what is chosen and is more than a
/// remark.
fn hide(cut: &Cut, chosen: &mut [bool]) {
    let seen =
        |(block, chosen): (&super::blocks::Block, &bool)| *chosen && block.flags & UNSEEN == 0;
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

/// Makes data tables whole of whose words at least half are chosen.
fn whole_tables(cut: &Cut, chosen: &mut [bool]) {
    for table in &cut.tables {
        let leaves = cut.leaves.get(table.start as usize..table.end as usize);
        let mut blocks: Vec<usize> = leaves
            .unwrap_or_default()
            .iter()
            .filter_map(|leaf| match leaf {
                Leaf::Block(number) => Some(*number as usize),
                Leaf::Loose(_) => None,
            })
            .collect();
        blocks.dedup();
        blocks.retain(|number| cut.blocks[*number].flags & UNSEEN == 0);
        let words = |number: &usize| u64::from(cut.blocks[*number].text.words);
        let all: u64 = blocks.iter().map(words).sum();
        let taken: u64 = blocks.iter().filter(|n| chosen[**n]).map(words).sum();
        if taken * 2 >= all {
            for number in blocks {
                chosen[number] = true;
            }
        }
    }
}
