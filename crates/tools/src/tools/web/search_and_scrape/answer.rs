//! The answer: the specification's object for programs, one text for models and people, within
//! their limits.

use std::io;

use serde_json::{Value, json};

use super::request::ReadAllFields;
use super::source::{ReadResults, ReadSource};
use crate::contract::failure::Failure;
use crate::contract::reply::AnswerObject;
use crate::tools::web::answer_fields::AnswerFields;
use crate::tools::web::page_reading::READER;
use crate::tools::web::page_reading::content_cut;
use crate::tools::web::page_reading::page::size_category;
use crate::tools::web::research_call::TRUST;
use crate::tools::web::searching::results_notes;
use crate::tools::web::searching::search_hints;
use iki_base::wording::{count_noun, counted_as, floor_boundary};
use iki_web::search::hints::SearchHints;
use iki_web::search::search_answer::SearchAnswer;

/// Maximum number of sources that are recommended.
const MAX_RECOMMENDED: usize = 3;

/// Fields that are left out first if there is not enough room, in that order.
const DISPENSABLE: &str = "recommendations sizeMetadata hints scrapeFailures sources query";

/// All that an answer is made of.
pub struct ReadAnswer {
    /// The request.
    pub wanted: ReadAllFields,
    /// Outcome of the search.
    pub hits: SearchAnswer,
    /// Sources and failures of its results.
    pub read: ReadResults,
    /// Advice, if there are no results.
    pub hints: Option<SearchHints>,
    /// Duration of the call, in milliseconds.
    pub took: u64,
}

impl ReadAnswer {
    /// Writes the answer.
    pub fn write(&self, object: &mut AnswerObject<'_>) -> io::Result<()> {
        let in_words = object.terms().reader.reads_words();
        let heads = self.heads(in_words);
        let sources = self.read.sources.iter();
        let mut contents: Vec<String> = sources.map(|source| source.page.content.clone()).collect();
        let mut left_out = Vec::new();
        if let Some(room) = object.room() {
            let mut around = AnswerFields::default();
            if !in_words {
                around = self.fields(self.wanted.total, false, &[]);
            }
            left_out = around.drop_until_fits(room / 2, DISPENSABLE);
            let lists_sources = around.0.iter().any(|(name, _)| *name == "sources");
            let heads: usize = heads.iter().map(String::len).sum();
            let room = room.saturating_sub(around.length() + heads + heads / 8);
            let room = room / if lists_sources { 2 } else { 1 };
            let measure = object.measure();
            let costs = contents.iter().map(|one| measure.cost(one.as_bytes()));
            let shares = fair_shares(&costs.collect::<Vec<_>>(), room);
            for (index, content) in contents.iter_mut().enumerate() {
                let fits = measure.prefix(content.as_bytes(), shares[index]);
                content_cut::shorten(content, fits, self.read.sources[index].page.is_markdown);
            }
        }
        let (text, cut) = self.combined(&heads, &contents);
        if !in_words {
            for (name, value) in self.fields(text.len(), !cut.is_empty(), &contents).0 {
                if !left_out.contains(&name) {
                    object.field(name, &value)?;
                }
            }
        }
        object.whole_text("combinedContent", text.as_bytes())?;
        if in_words {
            object.field("trust", TRUST)?;
        }
        if !left_out.is_empty() {
            object.note(format!("There was no room for {}.", left_out.join(", ")));
        }
        self.say_notes(object, &cut, in_words)
    }

    /// Returns the head of each source in the combined content.
    fn heads(&self, in_words: bool) -> Vec<String> {
        let head = |source: &ReadSource| {
            let title = match &*source.title {
                "" => &source.page.url,
                title => title,
            };
            let mut lines = vec![format!("# {title}"), source.page.url.clone()];
            if in_words {
                let (score, reason) = (source.scores.overall(), source.reason());
                lines.push(format!("(score {score}: {reason})"));
                let claim = source.claim.iter().flat_map(|claim| &claim.sentences);
                lines.extend(claim.map(|sentence| format!("claim: {sentence}")));
            }
            lines.join("\n") + "\n\n"
        };
        self.read.sources.iter().map(head).collect()
    }

    /// Combines the contents, each with its fair share of the total length; returns the addresses
    /// of the sources of which not all is there, too.
    fn combined(&self, heads: &[String], contents: &[String]) -> (String, Vec<&str>) {
        const SEPARATOR: &str = "\n\n";
        let around: usize = heads.iter().map(|head| head.len() + SEPARATOR.len()).sum();
        let lengths: Vec<usize> = contents.iter().map(String::len).collect();
        let shares = fair_shares(&lengths, self.wanted.total.saturating_sub(around));
        let (mut parts, mut cut) = (Vec::new(), Vec::new());
        for (index, source) in self.read.sources.iter().enumerate() {
            let mut content = contents[index].clone();
            content_cut::shorten(&mut content, shares[index], source.page.is_markdown);
            // Most begin with their title.
            let heading = format!("# {}\n", source.title);
            let body = content.strip_prefix(&heading).unwrap_or(&content).trim();
            parts.push(format!("{}{body}", heads[index]));
            if source.page.is_truncated || content.len() < source.page.content.len() {
                cut.push(&*source.page.url);
            }
        }
        let mut text = parts.join(SEPARATOR);
        // The headings by themselves may be longer.
        text.truncate(floor_boundary(&text, self.wanted.total));
        (text, cut)
    }

    /// Builds the fields for programs other than the combined content, which has this length, and
    /// `truncated` if not all is in it; without `contents`, to learn their length.
    fn fields(&self, length: usize, truncated: bool, contents: &[String]) -> AnswerFields<'_> {
        let read = &self.read;
        let mut fields = AnswerFields::default();
        fields.add("query", &self.wanted.search.search.query);
        fields.add("status", read.status());
        if self.wanted.include_sources {
            let sources = read.sources.iter().enumerate().map(|(index, source)| {
                let mut source = source.in_answer();
                source["content"] = contents.get(index).map_or("", String::as_str).into();
                source
            });
            fields.add("sources", sources.collect::<Value>());
        }
        let failures = read
            .failures
            .iter()
            .map(|(url, failure)| in_answer(url, failure));
        fields.add("scrapeFailures", failures.collect::<Value>());
        let mut summary = json!({
            "urlsSearched": read.searched,
            "urlsScraped": read.scraped,
            "urlsFailed": read.failures.len(),
            "processingTimeMs": self.took,
        });
        if self.wanted.filter_by_query {
            summary["urlsFiltered"] = read.filtered.into();
        }
        fields.add("summary", summary);
        fields.add(
            "sizeMetadata",
            json!({
                "totalLength": length,
                "estimatedTokens": length / 4,
                "sizeCategory": size_category(length),
                "truncated": truncated,
            }),
        );
        let recommended = read.sources.iter().take(MAX_RECOMMENDED).map(|source| {
            json!({
                "url": source.page.url,
                "title": source.title,
                "score": source.scores.overall(),
                "reason": source.reason(),
            })
        });
        fields.add("recommendations", recommended.collect::<Value>());
        fields.add_some("hints", self.hints.as_ref().map(search_hints::in_answer));
        fields.add("trust", TRUST);
        fields
    }

    /// Says what is not there, and how to get it.
    fn say_notes(
        &self,
        object: &mut AnswerObject<'_>,
        cut: &[&str],
        in_words: bool,
    ) -> io::Result<()> {
        let read = &self.read;
        if !cut.is_empty() {
            let urls = cut.join(", ");
            let more = object
                .terms()
                .if_served(READER, "; scrape_page with its url gives more of one");
            object.note_at_both_ends(format!("Only the beginning is shown of {urls}{more}."));
        }
        if read.status() == "failed" {
            object.note("None of the pages that were found could be read.".to_owned());
        }
        if in_words {
            for (url, failure) in &read.failures {
                object.note(format!(
                    "Not read: {url} ({}).",
                    failure.message.trim_end_matches('.')
                ));
            }
        }
        if read.filtered > 0 {
            let sources = count_noun(read.filtered as u64, "source");
            object.note(format!(
                "{sources} of little relevance to the query left out."
            ));
        }
        if read.repeated > 0 {
            let parts = counted_as(
                read.repeated,
                "paragraph that stands",
                "paragraphs that stand",
            );
            object.note(format!(
                "Left out of later sources: {parts} in an earlier one."
            ));
        }
        if read.same > 0 {
            let results = count_noun(read.same, "result");
            object.note(format!("{results} led to a page that is already here."));
        }
        if let Some(hints) = self.hints.as_ref().filter(|_| in_words) {
            object.nothing_found("no results")?;
            object.note(search_hints::in_sentences(hints));
        }
        if let Some(requested) = self.wanted.search.requested {
            object.note(format!(
                "{requested} results were asked for; there are 1 to 10."
            ));
        }
        object.note(results_notes::notes(&self.wanted.search, &self.hits));
        Ok(())
    }
}

fn in_answer(url: &str, failure: &Failure) -> Value {
    let advice = failure.advice.as_deref().cloned().unwrap_or_default();
    json!({
        "url": url,
        "kind": failure.code.kind(),
        "reason": failure.message,
        "retryable": advice.retryable,
        "suggestedAction": advice.suggested_action.unwrap_or_default(),
    })
}

/// Shares `total` among parts of these lengths: none gets more than it has, and what the short ones
/// leave goes to the others.
fn fair_shares(lengths: &[usize], total: usize) -> Vec<usize> {
    let mut order: Vec<(usize, usize)> = lengths.iter().copied().zip(0..).collect();
    order.sort_unstable();
    let mut shares = vec![0; lengths.len()];
    let mut left = total;
    for (done, (length, index)) in order.into_iter().enumerate() {
        let share = length.min(left / (lengths.len() - done));
        shares[index] = share;
        left -= share;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_short_ones_leave_goes_to_the_others() {
        for (lengths, total, shares) in [
            (&[100, 10, 50][..], 200, &[100, 10, 50][..]),
            (&[100, 10, 50], 100, &[45, 10, 45]),
            (&[100, 10, 50], 120, &[60, 10, 50]),
            (&[100, 100], 0, &[0, 0]),
            (&[], 7, &[]),
        ] {
            assert_eq!(fair_shares(lengths, total), shares, "{lengths:?} {total}");
        }
    }
}
