//! Sources of an answer: the pages that were read, scored, in their order, without repetitions.

use std::collections::HashSet;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::paragraphs::{self, NewText};
use super::parallel_reading::PageOutcome;
use super::request::ReadAllFields;
use super::scores::{self, MIN_RELEVANCE, SourceScores};
use crate::contract::failure::Failure;
use crate::tools::web::page_reading::content_cut;
use crate::tools::web::page_reading::page::ScrapedPage;
use crate::tools::web::research_call::TRUST;
use iki_web::page::PartialDate;
use iki_web::search::SearchResult;
use iki_web::search::claim::ClaimTerms;

/// Number of sentences on a claim.
const MAX_KEY_SENTENCES: usize = 3;

/// Longest sentence on a claim, in bytes.
const MAX_SENTENCE_BYTES: usize = 600;

/// A page that was read.
pub struct ReadSource {
    /// The page, with its content as it is shown.
    pub page: ScrapedPage,
    /// Title of the page, else of the result.
    pub title: String,
    /// Scores.
    pub scores: SourceScores,
    /// Sentences on the claim, if there is one.
    pub claim: Option<ClaimEvidence>,
    date: String,
}

/// Sentences of a source on a claim.
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
    pub fn arrange(
        wanted: &ReadAllFields,
        results: &[SearchResult],
        outcomes: Vec<PageOutcome>,
    ) -> Self {
        let search = &wanted.search.search;
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
                    let is_there = |one: &ReadSource| one.page.url == hit.page.url;
                    if all.sources.iter().any(is_there) {
                        all.same += 1;
                        continue;
                    }
                    let source = ReadSource::from_page(result, hit.page, &query, claim.as_ref());
                    if wanted.filter_by_query && source.scores.relevance < MIN_RELEVANCE {
                        all.filtered += 1;
                    } else {
                        all.sources.push(source);
                    }
                }
                Err(failure) => all.failures.push((result.url.clone(), failure)),
            }
        }
        all.sources
            .sort_by(|a, b| b.scores.overall().total_cmp(&a.scores.overall()));
        all.shorten(wanted);
        all
    }

    /// Leaves out what an earlier source shows, and cuts each to its length.
    fn shorten(&mut self, wanted: &ReadAllFields) {
        let mut earlier = HashSet::new();
        for ReadSource { page, .. } in &mut self.sources {
            let mut new = NewText::default();
            if wanted.deduplicate {
                new = NewText::without_repeats(&page.content, page.is_markdown, &earlier);
                page.content = std::mem::take(&mut new.text);
                self.repeated += new.left_out;
            }
            let (content, limit) = (&mut page.content, wanted.per_source);
            page.is_truncated |= content_cut::shorten(content, limit, page.is_markdown);
            new.remember(page.content.len(), &mut earlier);
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
    fn from_page(
        result: &SearchResult,
        page: ScrapedPage,
        query: &ClaimTerms,
        claim: Option<&ClaimTerms>,
    ) -> Self {
        let retraction = fact(&page, "retractionStatus");
        let published = result.published_at.as_deref();
        let declared = page.session_source().work.date;
        let date = declared.or_else(|| published.and_then(PartialDate::parse));
        let title = page.title.clone();
        let title = title.unwrap_or_else(|| result.title.clone());
        let tier = fact(&page, "authorityTier");
        let tier = tier.as_str().unwrap_or_default();
        Self {
            scores: SourceScores {
                relevance: scores::relevance(query, &title, &page.content),
                freshness: scores::freshness(date, PartialDate::today()),
                authority: scores::authority(tier, retraction["retracted"] == true),
                content_quality: scores::content_quality(&page),
            },
            claim: claim.map(|claim| evidence(claim, result, &page)),
            date: date.map(|date| date.to_string()).unwrap_or_default(),
            page,
            title,
        }
    }

    /// Returns the source as answers have it.
    pub fn in_answer(&self) -> Value {
        let page = &self.page;
        let mut all = json!({
            "url": page.url,
            "title": self.title,
            "content": page.content,
            "contentType": page.content_type,
            "trust": TRUST,
            "scores": self.scores.in_answer(),
            "sourceType": fact(page, "sourceType"),
            "authorityTier": fact(page, "authorityTier"),
            "domainCategory": fact(page, "domainCategory"),
        });
        if let Some(claim) = &self.claim {
            all["claimSignal"] = claim.signal.as_str().into();
            all["keySentences"] = claim.sentences.as_slice().into();
        }
        all
    }

    /// Returns what speaks for it, in a few words.
    pub fn reason(&self) -> String {
        let [kind, tier] = ["sourceType", "authorityTier"].map(|name| fact(&self.page, name));
        let tier = tier.as_str().unwrap_or_default();
        let mut parts = vec![format!(
            "relevance {}, {tier} authority",
            self.scores.relevance
        )];
        parts.extend(
            kind.as_str()
                .filter(|kind| *kind != "unknown")
                .map(|kind| kind.replace('_', " ")),
        );
        parts.push(match &*self.date {
            "" => "no date".to_owned(),
            date => date.to_owned(),
        });
        parts.push(format!("{} words", self.page.words));
        parts.join(", ")
    }
}

/// Returns the fact of this name about a page.
fn fact(page: &ScrapedPage, name: &str) -> Value {
    let fact = page.fact(name).map(RawValue::get);
    let fact = fact.and_then(|fact| serde_json::from_str(fact).ok());
    fact.unwrap_or_default()
}

/// Finds the sentences of a page that say most about a claim; if there are none, the one of its
/// result.
fn evidence(claim: &ClaimTerms, result: &SearchResult, page: &ScrapedPage) -> ClaimEvidence {
    let lines = paragraphs::prose_lines(&page.content, page.is_markdown);
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let shorten =
        |sentence: &&str| match content_cut::beginning(sentence, MAX_SENTENCE_BYTES, false) {
            Some(beginning) => beginning.text + "\u{2026}",
            None => (*sentence).to_owned(),
        };
    let signal = claim.top_sentences(&lines, 1);
    ClaimEvidence {
        signal: match signal.first() {
            Some(signal) => shorten(signal),
            None => claim.signal(result),
        },
        sentences: claim
            .top_sentences(&lines, MAX_KEY_SENTENCES)
            .iter()
            .map(shorten)
            .collect(),
    }
}
