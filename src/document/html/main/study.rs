//! Training data of the model and a view of its choices, for `benches/main_content` alone.

use super::super::HtmlSource;
use super::page::MeasuredPage;
use super::{ParsedContent, block_chances, choose, features};

/// Features, probabilities and choice of one page.
#[derive(Debug, Default)]
pub struct ContentStudy {
    /// The page's title.
    pub title: String,
    /// The blocks: text, words, words in links, element, flags.
    pub blocks: Vec<(String, u32, u32, u32, u16)>,
    /// The elements: the index of the one around each or -1, and its naming words.
    pub elements: Vec<(i64, Vec<String>)>,
    /// The features of each block; word scores are the last [`ContentStudy::SCORES`].
    pub rows: Vec<Vec<f32>>,
    /// The probability that each block is content.
    pub chances: Vec<f64>,
    /// True for each chosen block.
    pub chosen: Vec<bool>,
    /// Expected precision and recall of the choice.
    pub expected: (f64, f64),
}

impl ContentStudy {
    /// Number of features at the end of a row that come from the table of words.
    pub const SCORES: usize = features::SCORES;

    /// The names of the features.
    #[must_use]
    pub fn names() -> Vec<String> {
        features::names()
    }
}

/// Studies a page; the result is empty if it has no blocks, or too many.
pub(in crate::document::html) fn study(source: &HtmlSource) -> ContentStudy {
    let parsed = ParsedContent::of(source);
    let mut study = ContentStudy {
        title: parsed.title.clone(),
        ..ContentStudy::default()
    };
    let Some(mut cut) = parsed.cut(true) else {
        return study;
    };
    let kept = cut.kept.take().unwrap_or_default();
    let page = MeasuredPage::of(&cut, &parsed.title_words);
    let rows = &mut study.rows;
    let chances = block_chances(&page, parsed.kind, |row| rows.push(row.to_vec()));
    let choice = choose::choose(&page, &chances);
    study.blocks = cut
        .blocks
        .iter()
        .zip(kept.texts)
        .map(|(block, text)| {
            let linked = block.linked.min(block.text.words);
            (text, block.text.words, linked, block.element, block.flags)
        })
        .collect();
    study.elements = cut
        .elements
        .iter()
        .zip(kept.tokens)
        .map(|(element, tokens)| {
            let parent = cut.elements.get(element.parent as usize);
            (parent.map_or(-1, |_| element.parent.into()), tokens)
        })
        .collect();
    study.chances = chances;
    study.chosen = choice.chosen;
    study.expected = choice.expected;
    study
}
