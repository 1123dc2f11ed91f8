//! Chooses the blocks of the page's main content by their probabilities.

use super::blocks::{CONTROL, PageBlocks, TextBlock, UNSEEN};
use super::keep;
use super::page::MeasuredPage;
use iki_markdown::document::OmittedBlocks;

/// A choice with its expected quality.
pub(super) struct ContentChoice {
    pub(super) chosen: Vec<bool>,
    /// Expected precision, the share of content among the chosen words, and recall, the share of
    /// the content's words that are chosen.
    pub(super) expected: (f64, f64),
    /// True if code, a data table or a signature may be missing.
    pub(super) lacks_data: bool,
    /// Headings, list items, paragraphs and fields that may be missing.
    pub(super) omitted: OmittedBlocks,
}

/// Minimum probability of hidden text that the page does not offer to show.
const MIN_HIDDEN_CHANCE: f64 = 0.8;

/// Minimum number of words of a hidden element with content: a panel has more than a remark. A
/// lower minimum would gain less than a hundredth of the content of any development page.
const MIN_HIDDEN_WORDS: u32 = 150;

/// Minimum number of words of a line that is the page's title.
const MIN_TITLE_WORDS: u32 = 2;

/// Minimum number of words of a title for each one of a label in its line.
const MIN_WORDS_PER_LABEL: u32 = 3;

/// Minimum number of words of text: the name of a site has fewer.
const MIN_TEXT_WORDS: u32 = 8;

pub(super) fn choose_blocks(page: &MeasuredPage, chances: &[f64]) -> ContentChoice {
    let cut = page.cut;
    let words: Vec<f64> = cut
        .blocks
        .iter()
        .map(|block| f64::from(block.text.words))
        .collect();
    let sure = expected_quality(chances, &words, &best_choice(chances, &words, 1.0)).0;
    // An uncertain choice favours recall.
    let beta = (1.0 + 2.0 * (0.85 - sure)).clamp(0.7, 2.0);
    let mut chosen = best_choice(chances, &words, beta);
    // Marked training content often lacks the title, but a reader is lost without it.
    let heading = page.heading.filter(|_| page.heading_is_title);
    if let Some(heading) = heading.or_else(|| title_line(page, &chosen)) {
        chosen[heading] = true;
    }
    drop_hidden(cut, chances, &mut chosen);
    let related = keep::keep_related_blocks(page, chances, &mut chosen);
    // A part that says that it is something else is not missing.
    let known: Vec<f64> = chances
        .iter()
        .zip(&related.marginal)
        .map(|(chance, is_marginal)| if *is_marginal { 0.0 } else { *chance })
        .collect();
    ContentChoice {
        expected: expected_quality(&known, &words, &chosen),
        chosen,
        lacks_data: related.lacks_data,
        omitted: related.omitted,
    }
}

/// Returns the line before the chosen text of a page without a main heading whose words are all in
/// the page's title, as many of them as in no other line.
fn title_line(page: &MeasuredPage, chosen: &[bool]) -> Option<usize> {
    let blocks = &page.cut.blocks;
    let is_text = |(block, chosen): (&TextBlock, &bool)| {
        *chosen && block.text.words >= MIN_TEXT_WORDS && block.text.of_title < block.text.words
    };
    let text = blocks.iter().zip(chosen).position(is_text);
    let before = ..text.unwrap_or(blocks.len());
    if page
        .heading
        .is_some_and(|heading| before.contains(&heading))
    {
        return None;
    }
    let blocks = blocks[before].iter().enumerate();
    let is_title = |block: &TextBlock| {
        let title = page.title.words.len();
        let (words, of_title) = (block.text.words, block.text.of_title);
        let is_heading = page.cut.elements[block.element as usize].heading > 0;
        block.flags & (UNSEEN | CONTROL) == 0
            && block.linked == 0
            && if is_heading {
                of_title > 0 && 2 * of_title >= words
            } else {
                of_title >= MIN_TITLE_WORDS
                    && words - of_title <= of_title / MIN_WORDS_PER_LABEL
                    && 4 * of_title as usize >= title
            }
    };
    let lines = blocks.filter(|(_, block)| is_title(block));
    let (line, _) = lines.max_by_key(|(_, block)| block.text.of_title)?;
    Some(line)
}

/// Returns the most probable blocks, as many as maximize the expected F-measure with this `beta`.
fn best_choice(chances: &[f64], words: &[f64], beta: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|a, b| chances[*b].total_cmp(&chances[*a]));
    let squared = beta * beta;
    let all: f64 = chances.iter().zip(words).map(|(p, w)| p * w).sum();
    let (mut chosen_words, mut taken) = (0.0, 0.0);
    let (mut best, mut length) = (0.0, 0);
    for (index, block) in order.iter().enumerate() {
        chosen_words += chances[*block] * words[*block];
        taken += words[*block];
        let measure = (1.0 + squared) * chosen_words / (taken + squared * all + 1e-9);
        if measure > best {
            (best, length) = (measure, index + 1);
        }
    }
    let mut chosen = vec![false; chances.len()];
    for block in &order[..length] {
        chosen[*block] = true;
    }
    chosen
}

/// Returns the expected precision and recall of a choice.
fn expected_quality(chances: &[f64], words: &[f64], chosen: &[bool]) -> (f64, f64) {
    let (mut all, mut chosen_words, mut taken) = (0.0, 0.0, 0.0);
    for ((chance, words), chosen) in chances.iter().zip(words).zip(chosen) {
        all += chance * words;
        if *chosen {
            chosen_words += chance * words;
            taken += words;
        }
    }
    if taken == 0.0 {
        return (0.0, 0.0);
    }
    (chosen_words / taken, chosen_words / all.max(1e-9))
}

/// Drops hidden blocks, unless their probability is high and they are long and between visible
/// chosen ones.
fn drop_hidden(cut: &PageBlocks, chances: &[f64], chosen: &mut [bool]) {
    for (number, block) in cut.blocks.iter().enumerate() {
        if block.flags & UNSEEN != 0 && chances[number] < MIN_HIDDEN_CHANCE {
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
            && words
                .get(&block.veil)
                .is_some_and(|words| *words >= MIN_HIDDEN_WORDS);
        if block.flags & UNSEEN != 0 && !amid {
            chosen[number] = false;
        }
    }
}
