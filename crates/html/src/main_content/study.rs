//! Training data of the model of the main content, and a view of its choices, for those who train
//! it and test it.

use html2md::Handle;
use url::Url;

use super::super::source::{HtmlSource, PageSyntax, StageDeadlines};
use super::blocks::CutObserver;
use super::page::MeasuredPage;
use super::words::NamingAttributes;
use super::{ParsedContent, choose, features, trees};

/// Features, probabilities and choice of one page.
#[derive(Debug, Default)]
pub struct ContentStudy {
    /// The page's title.
    pub title: String,
    /// The blocks: text, words, words in links, element, flags.
    pub blocks: Vec<(String, u32, u32, u32, u16)>,
    /// The elements: the index of the one around each or -1, and its naming words.
    pub elements: Vec<(i64, Vec<String>)>,
    /// The features of each block, in the order of `features.txt`.
    pub rows: Vec<Vec<f32>>,
    /// The probability that each block is content.
    pub chances: Vec<f64>,
    /// True for each chosen block.
    pub chosen: Vec<bool>,
    /// Expected precision and recall of the choice.
    pub expected: (f64, f64),
}

/// Texts of the blocks and naming words of the elements, as they stand in the page.
#[derive(Default)]
struct BlockTexts {
    texts: Vec<String>,
    tokens: Vec<Vec<String>>,
}

impl CutObserver for BlockTexts {
    fn see_element(&mut self, node: &Handle, tag: &str) {
        let mut tokens = Vec::new();
        NamingAttributes::read(node).each_token(tag, &mut String::new(), |token, _| {
            tokens.push(token.to_owned());
        });
        tokens.sort_unstable();
        tokens.dedup();
        self.tokens.push(tokens);
    }

    fn see_block(&mut self, text: &str) {
        let words: Vec<&str> = text.split_whitespace().collect();
        self.texts.push(words.join(" "));
    }
}

/// Explains how the main content of a page is found; the result is empty if the page has no blocks,
/// or too many.
#[must_use]
pub fn study_main(page: &str, base: &Url) -> ContentStudy {
    let parsed = ParsedContent::parse(&HtmlSource {
        page,
        base,
        syntax: PageSyntax::Html,
        ends: StageDeadlines::default(),
    });
    let mut study = ContentStudy {
        title: super::title(&parsed.tree.tree.document),
        ..ContentStudy::default()
    };
    let mut block_texts = BlockTexts::default();
    let Some(cut) = parsed.cut(&mut block_texts) else {
        return study;
    };
    let page = MeasuredPage::measure(&cut, &parsed.title_words);
    let mut rows = features::FeatureRows::new(&page, parsed.kind);
    for number in 0..cut.blocks.len() {
        let row = rows.row(number);
        study.chances.push(trees::TREES.chance(row));
        study.rows.push(row.to_vec());
    }
    let choice = choose::choose_blocks(&page, &study.chances);
    study.blocks = cut
        .blocks
        .iter()
        .zip(block_texts.texts)
        .map(|(block, text)| {
            let linked = block.linked.min(block.text.words);
            (text, block.text.words, linked, block.element, block.flags)
        })
        .collect();
    study.elements = cut
        .elements
        .iter()
        .zip(block_texts.tokens)
        .map(|(element, tokens)| {
            let parent = cut.elements.get(element.parent as usize);
            (parent.map_or(-1, |_| element.parent.into()), tokens)
        })
        .collect();
    study.chosen = choice.chosen;
    study.expected = choice.expected;
    study
}
