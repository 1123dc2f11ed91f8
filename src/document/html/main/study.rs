//! What a model is trained with, and looked at: for `benches/main_content` and for nobody else.

use super::super::HtmlSource;
use super::page::MeasuredPage;
use super::{ParsedContent, block_chances, choose, features};

/// What there is to be known of one page.
#[derive(Debug, Default)]
pub struct ContentStudy {
    /// The page's title.
    pub title: String,
    /// The blocks: text, words, words in links, element, flags.
    pub blocks: Vec<(String, u32, u32, u32, u16)>,
    /// The elements: the one around each, -1 if there is none, and the words for it.
    pub elements: Vec<(i64, Vec<String>)>,
    /// The features of each block; the scores of words are the last [`ContentStudy::SCORES`].
    pub rows: Vec<Vec<f32>>,
    /// How likely each block is content.
    pub chances: Vec<f64>,
    /// Whether each block is chosen.
    pub chosen: Vec<bool>,
    /// The precision and the recall that are expected of the choice.
    pub expected: (f64, f64),
}

impl ContentStudy {
    /// How many features at the end of a row come from the table of words.
    pub const SCORES: usize = features::SCORES;

    /// The names of the features.
    #[must_use]
    pub fn names() -> Vec<String> {
        features::names()
    }
}

/// Looks at a page; at none, if there are no blocks, or too many.
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
    study.expected = (choice.precision, choice.recall);
    study
}
