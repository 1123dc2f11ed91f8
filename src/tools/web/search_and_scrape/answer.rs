//! The answer: the specification's object for programs, one text for models and people, within
//! their limits.

use std::io;

use serde_json::{Value, json};

use super::read_request::ReadAllFields;
use super::read_source::{ReadResults, ReadSource};
use crate::basics::words::{counted, counted_as, floor_boundary};
use crate::contract::failure::Failure;
use crate::contract::reply::Object;
use crate::contract::terms::Audience;
use crate::tools::web::answer_fields::AnswerFields;
use crate::tools::web::page_reading::READER;
use crate::tools::web::page_reading::content_cut;
use crate::tools::web::page_reading::page::size_category;
use crate::tools::web::research_cache::TRUST;
use crate::tools::web::searching::results_notes;
use crate::tools::web::searching::shown_hints::{self, ShownHints};
use crate::web::search::hints::SearchHints;
use crate::web::search::outcome::SearchAnswer;

/// Most sources that are recommended.
const RECOMMENDED: usize = 3;

/// Fields that are left out first if there is not enough room, in that order.
const DISPENSABLE: [&str; 6] = [
    "recommendations",
    "sizeMetadata",
    "hints",
    "scrapeFailures",
    "sources",
    "query",
];

/// All that an answer is made of.
pub struct ReadAnswer {
    /// The request.
    pub asked: ReadAllFields,
    /// Outcome of the search.
    pub found: SearchAnswer,
    /// What was read of its results.
    pub read: ReadResults,
    /// Advice, if there are no results.
    pub hints: Option<SearchHints>,
    /// Duration of the call, in milliseconds.
    pub took: u64,
}

/// Contents of all sources in one text.
struct CombinedContent {
    text: String,
    /// Addresses of the sources of which not all is there.
    cut: Vec<String>,
}

impl ReadAnswer {
    /// Writes the answer.
    pub fn write(&self, object: &mut Object<'_>) -> io::Result<()> {
        let reader = object.terms().reader;
        let in_words = matches!(reader, Audience::Model | Audience::Person);
        let mut contents = self.contents();
        let mut left_out = Vec::new();
        if let Some(room) = object.room() {
            let mut around = if in_words {
                AnswerFields::default()
            } else {
                self.fields(None, &Vec::new())
            };
            left_out = around.drop_until_fits(room / 2, &DISPENSABLE);
            let lists_sources = around.0.iter().any(|(name, _)| *name == "sources");
            let heads: usize = self.heads(in_words).iter().map(String::len).sum();
            let room = room.saturating_sub(around.length() + heads + heads / 8);
            let room = room / if lists_sources { 2 } else { 1 };
            let costs = contents
                .iter()
                .map(|one| object.measure().cost(one.as_bytes()));
            let shares = fair_shares(&costs.collect::<Vec<_>>(), room);
            for (at, share) in shares.into_iter().enumerate() {
                let fits = object.measure().prefix(contents[at].as_bytes(), share);
                self.cut(at, &mut contents[at], fits);
            }
        }
        let combined = self.combined(&contents, in_words);
        if !in_words {
            for (name, value) in self.fields(Some(&combined), &contents).0 {
                if !left_out.contains(&name) {
                    object.field(name, &value)?;
                }
            }
        }
        object.whole_text("combinedContent", combined.text.as_bytes())?;
        if in_words {
            object.field("trust", TRUST)?;
        }
        if !left_out.is_empty() {
            object.note(format!("There was no room for {}.", left_out.join(", ")));
        }
        self.say_notes(object, &combined, in_words)
    }

    fn contents(&self) -> Vec<String> {
        let sources = self.read.sources.iter();
        sources.map(|source| source.content.clone()).collect()
    }

    /// Cuts the content of a source to `most` bytes.
    fn cut(&self, at: usize, content: &mut String, most: usize) {
        let markdown = self.read.sources[at].markdown;
        if let Some(beginning) = content_cut::beginning(content, most, markdown) {
            *content = beginning.text;
        }
    }

    /// Returns the head of each source in the combined content.
    fn heads(&self, in_words: bool) -> Vec<String> {
        let head = |source: &ReadSource| {
            let title = match &*source.title {
                "" => &source.url,
                title => title,
            };
            let mut lines = vec![format!("# {title}"), source.url.clone()];
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

    /// Combines the contents, each with its fair share of the total length.
    fn combined(&self, contents: &[String], in_words: bool) -> CombinedContent {
        const BETWEEN: &str = "\n\n";
        let heads = self.heads(in_words);
        let around: usize = heads.iter().map(|head| head.len() + BETWEEN.len()).sum();
        let lengths: Vec<usize> = contents.iter().map(String::len).collect();
        let shares = fair_shares(&lengths, self.asked.total.saturating_sub(around));
        let (mut text, mut cut) = (String::new(), Vec::new());
        for (at, head) in heads.iter().enumerate() {
            let source = &self.read.sources[at];
            let mut content = contents[at].clone();
            self.cut(at, &mut content, shares[at]);
            if !text.is_empty() {
                text += BETWEEN;
            }
            text += head;
            // Most begin with their title.
            let own = format!("# {}\n", source.title);
            text += content.strip_prefix(&own).unwrap_or(&content).trim();
            if source.is_cut || content.len() < source.content.len() {
                cut.push(source.url.clone());
            }
        }
        // The heads alone may be longer.
        if text.len() > self.asked.total {
            text.truncate(floor_boundary(&text, self.asked.total));
        }
        CombinedContent { text, cut }
    }

    /// Builds the fields for programs; without contents, to learn their length.
    fn fields(&self, combined: Option<&CombinedContent>, contents: &[String]) -> AnswerFields {
        let read = &self.read;
        let mut fields = AnswerFields::default();
        fields.add("query", &self.asked.search.search.query);
        fields.add("status", read.status());
        if self.asked.include_sources {
            let sources = read.sources.iter().enumerate().map(|(at, source)| {
                let mut source = source.in_answer();
                source["content"] = contents.get(at).map_or("", String::as_str).into();
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
        if self.asked.filter_by_query {
            summary["urlsFiltered"] = read.filtered.into();
        }
        fields.add("summary", summary);
        let length = combined.map_or(self.asked.total, |combined| combined.text.len());
        fields.add(
            "sizeMetadata",
            json!({
                "totalLength": length,
                "estimatedTokens": length / 4,
                "sizeCategory": size_category(length),
                "truncated": combined.is_some_and(|combined| !combined.cut.is_empty()),
            }),
        );
        let recommended = read.sources.iter().take(RECOMMENDED).map(|source| {
            json!({
                "url": source.url,
                "title": source.title,
                "score": source.scores.overall(),
                "reason": source.reason(),
            })
        });
        fields.add("recommendations", recommended.collect::<Value>());
        fields.add_some("hints", self.hints.as_ref().map(ShownHints::from));
        fields.add("trust", TRUST);
        fields
    }

    /// Says what is not there, and how to get it.
    fn say_notes(
        &self,
        object: &mut Object<'_>,
        combined: &CombinedContent,
        in_words: bool,
    ) -> io::Result<()> {
        let read = &self.read;
        if !combined.cut.is_empty() {
            let urls = combined.cut.join(", ");
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
            let sources = counted(read.filtered as u64, "source");
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
            let results = counted(read.same, "result");
            object.note(format!("{results} led to a page that is already here."));
        }
        if let Some(hints) = self.hints.as_ref().filter(|_| in_words) {
            object.nothing_found("no results")?;
            object.note(shown_hints::in_sentences(hints));
        }
        if let Some(requested) = self.asked.search.requested {
            object.note(format!(
                "{requested} results were asked for; there are 1 to 10."
            ));
        }
        object.note(results_notes::notes(&self.asked.search, &self.found));
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
    for (done, (length, at)) in order.into_iter().enumerate() {
        let share = length.min(left / (lengths.len() - done));
        shares[at] = share;
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
