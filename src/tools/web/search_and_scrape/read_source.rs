//! Sources of an answer: the pages that were read, scored, in their order, without repetitions.

use std::collections::HashSet;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::paragraphs::{self, NewText};
use super::read_request::ReadAllFields;
use super::scores::{self, IRRELEVANT, SourceScores};
use super::side_by_side::PageOutcome;
use crate::basics::sort::sort_by_number;
use crate::contract::failure::Failure;
use crate::page::PartialDate;
use crate::tools::web::page_reading::content_cut;
use crate::tools::web::page_reading::page::ScrapedPage;
use crate::tools::web::research_cache::TRUST;
use crate::web::search::SearchResult;
use crate::web::search::claim::ClaimTerms;

/// Number of sentences on a claim.
const KEY_SENTENCES: usize = 3;

/// Longest sentence on a claim, in bytes.
const LONGEST_SENTENCE: usize = 600;

/// A page that was read.
pub struct ReadSource {
    /// Final URL.
    pub url: String,
    /// Title of the page, else of the result.
    pub title: String,
    /// Content, as it is shown.
    pub content: String,
    /// True if more was found than is shown.
    pub is_cut: bool,
    /// True if the content is Markdown.
    pub markdown: bool,
    /// Scores.
    pub scores: SourceScores,
    /// Sentences on the claim, if there is one.
    pub claim: Option<ClaimEvidence>,
    content_type: String,
    source_type: String,
    authority_tier: String,
    domain_category: String,
    date: String,
    words: usize,
}

/// What a source says on a claim.
pub struct ClaimEvidence {
    /// The sentence that shares most with it; empty if none does.
    pub signal: String,
    /// The best few, in the order of the text.
    pub sentences: Vec<String>,
}

/// Outcome of reading all results.
#[derive(Default)]
pub struct ReadResults {
    /// Sources, best first.
    pub sources: Vec<ReadSource>,
    /// Addresses of pages that could not be read, with the reasons.
    pub failures: Vec<(String, Failure)>,
    /// Number of results.
    pub searched: usize,
    /// Number of pages that were read.
    pub scraped: usize,
    /// Number of sources that have little to do with the query.
    pub filtered: usize,
    /// Number of pages that another result has led to already.
    pub same: u64,
    /// Number of paragraphs that an earlier source has.
    pub repeated: u64,
}

impl ReadResults {
    /// Arranges what was read of these results.
    pub fn of(asked: &ReadAllFields, results: &[SearchResult], outcomes: Vec<PageOutcome>) -> Self {
        let search = &asked.search.search;
        let query = ClaimTerms::new(&search.query);
        let claim = search.claim.as_deref().map(ClaimTerms::new);
        let mut all = Self {
            searched: results.len(),
            ..Self::default()
        };
        for (result, outcome) in results.iter().zip(outcomes) {
            match outcome {
                Ok(hit) => {
                    all.scraped += 1;
                    let is_there = |one: &ReadSource| one.url == hit.page.url;
                    if all.sources.iter().any(is_there) {
                        all.same += 1;
                        continue;
                    }
                    let source = ReadSource::of(result, hit.page, &query, claim.as_ref());
                    if asked.filter_by_query && source.scores.relevance < IRRELEVANT {
                        all.filtered += 1;
                    } else {
                        all.sources.push(source);
                    }
                }
                Err(failure) => all.failures.push((result.url.clone(), failure)),
            }
        }
        sort_by_number(&mut all.sources, |one| -one.scores.overall());
        all.shorten(asked);
        all
    }

    /// Leaves out what an earlier source shows, and cuts each to its length.
    fn shorten(&mut self, asked: &ReadAllFields) {
        let mut earlier = HashSet::new();
        for source in &mut self.sources {
            let mut new = NewText::default();
            if asked.deduplicate {
                new = NewText::of(&source.content, source.markdown, &earlier);
                source.content = std::mem::take(&mut new.text);
                self.repeated += new.left_out;
            }
            source.cut_to(asked.per_source);
            new.remember(source.content.len(), &mut earlier);
        }
    }

    /// Returns the outcome in a word.
    pub fn status(&self) -> &'static str {
        match (self.scraped, self.failures.len()) {
            (_, 0) => "complete",
            (0, _) => "failed",
            _ => "partial",
        }
    }
}

impl ReadSource {
    fn of(
        result: &SearchResult,
        page: ScrapedPage,
        query: &ClaimTerms,
        claim: Option<&ClaimTerms>,
    ) -> Self {
        let fact = |name| {
            let fact = page.fact(name).map(RawValue::get);
            fact.and_then(|fact| serde_json::from_str::<Value>(fact).ok())
        };
        let word = |name| match fact(name) {
            Some(Value::String(word)) => word,
            _ => String::new(),
        };
        let retraction = fact("retractionStatus").unwrap_or_default();
        let declared = page.session_source().date;
        let found = result.published_at.as_deref().unwrap_or_default();
        let date = [&*declared, found].into_iter().find_map(PartialDate::parse);
        let title = page.title.clone();
        let title = title.unwrap_or_else(|| result.title.clone());
        let authority_tier = word("authorityTier");
        let is_retracted = retraction["retracted"] == true;
        Self {
            scores: SourceScores {
                relevance: scores::relevance(query, &title, &page.content),
                freshness: scores::freshness(date, PartialDate::today()),
                authority: scores::authority(&authority_tier, is_retracted),
                content_quality: scores::content_quality(&page),
            },
            claim: claim.map(|claim| evidence(claim, result, &page)),
            source_type: word("sourceType"),
            domain_category: word("domainCategory"),
            date: date.map(|date| date.to_string()).unwrap_or_default(),
            words: page.words,
            is_cut: page.truncated,
            markdown: page.markdown,
            url: page.url,
            content: page.content,
            content_type: page.content_type,
            authority_tier,
            title,
        }
    }

    /// Cuts the content, if it is longer.
    pub fn cut_to(&mut self, most: usize) {
        if let Some(beginning) = content_cut::beginning(&self.content, most, self.markdown) {
            self.content = beginning.text;
            self.is_cut = true;
        }
    }

    /// Returns the source as answers have it.
    pub fn in_answer(&self) -> Value {
        let mut all = json!({
            "url": self.url,
            "title": self.title,
            "content": self.content,
            "contentType": self.content_type,
            "trust": TRUST,
            "scores": self.scores.in_answer(),
            "sourceType": self.source_type,
            "authorityTier": self.authority_tier,
            "domainCategory": self.domain_category,
        });
        if let Some(claim) = &self.claim {
            all["claimSignal"] = claim.signal.as_str().into();
            all["keySentences"] = claim.sentences.as_slice().into();
        }
        all
    }

    /// Returns what speaks for it, in a few words.
    pub fn reason(&self) -> String {
        let mut parts = vec![format!("relevance {}", self.scores.relevance)];
        parts.push(format!("{} authority", self.authority_tier));
        if self.source_type != "unknown" {
            parts.push(self.source_type.replace('_', " "));
        }
        parts.push(match &*self.date {
            "" => "no date".to_owned(),
            date => date.to_owned(),
        });
        parts.push(format!("{} words", self.words));
        parts.join(", ")
    }
}

/// Finds the sentences of a page that say most about a claim; if there are none, the one of its
/// result.
fn evidence(claim: &ClaimTerms, result: &SearchResult, page: &ScrapedPage) -> ClaimEvidence {
    let lines = paragraphs::prose_lines(&page.content, page.markdown);
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let shown = |sentence: &&str| match content_cut::beginning(sentence, LONGEST_SENTENCE, false) {
        Some(beginning) => beginning.text + "\u{2026}",
        None => (*sentence).to_owned(),
    };
    let signal = claim.best_sentences(&lines, 1);
    ClaimEvidence {
        signal: match signal.first() {
            Some(signal) => shown(signal),
            None => claim.signal(result),
        },
        sentences: claim
            .best_sentences(&lines, KEY_SENTENCES)
            .iter()
            .map(shown)
            .collect(),
    }
}
