//! arXiv, the archive of preprints.
//!
//! Facts: info.arxiv.org, "API User's Manual" and "Terms of Use" (one request in three seconds): an
//! Atom feed; an error is an entry whose `id` is below `/api/errors`.

use std::time::Duration;

use super::paper::Paper;
use super::paper_provider::{PaperPage, PaperProvider, PaperStep, refusal_without_keys};
use super::paper_search::PaperSearch;
use crate::client::HttpResponse;
use crate::provider::failure::ProviderFailureKind;
use crate::provider::{
    Provider, ProviderAccount, ProviderEndpoint, ProviderRequest, UnreadableReply,
};
use iki_document::{XmlEvent, XmlReader};

/// Maximum number of entries that are read.
const MAX_ENTRIES: usize = 500;

/// Maximum length of a text of an entry that is read, in bytes.
const MAX_TEXT_BYTES: usize = 20_000;

/// Words that say nothing of a paper, and that no entry would have to have.
const STOP_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "by", "for", "from", "how", "in", "is", "not", "of", "on",
    "or", "the", "to", "what", "with",
];

/// Elements of an entry, with the fields that they are.
const ELEMENTS: [(&str, &str); 6] = [
    ("id", "url"),
    ("title", "title"),
    ("summary", "abstract"),
    ("published", "date"),
    ("doi", "doi"),
    ("journal_ref", "journal"),
];

/// Row of this provider.
pub static PROVIDER: PaperProvider = PaperProvider {
    service: Provider {
        name: "arxiv",
        title: "arXiv",
        endpoint: ProviderEndpoint::Known("https://export.arxiv.org/api/query"),
        accept: "application/atom+xml",
        refusal: refusal_without_keys,
        ..Provider::PLAIN
    },
    steps: &[PaperStep { request, read }],
    pace: Some(Duration::from_secs(3)),
    sources: &["all"],
};

fn request(search: &PaperSearch, account: &ProviderAccount, _: &PaperPage) -> ProviderRequest {
    let mut query = terms(&search.query);
    if let Some((from, to)) = search.years(1900, 2999) {
        query = format!("{query} AND submittedDate:[{from:04}01010000 TO {to:04}12312359]");
    }
    let order = if search.by_date {
        "submittedDate"
    } else {
        "relevance"
    };
    let fields = [
        ("search_query", Some(query.into())),
        ("start", Some(0.into())),
        ("max_results", Some(search.asked().into())),
        ("sortBy", Some(order.into())),
        ("sortOrder", Some("descending".into())),
    ];
    ProviderRequest::get(account, fields)
}

/// Returns the query in arXiv's words: entries have all of these, in any field. A phrase is one of
/// them, and so is a compound.
fn terms(query: &str) -> String {
    let mut terms = Vec::new();
    let mut all = Vec::new();
    for (at, part) in query.split('"').enumerate() {
        let phrases = if at % 2 == 1 {
            vec![part]
        } else {
            part.split_whitespace().collect()
        };
        for phrase in phrases {
            let words = phrase.split(|c: char| !c.is_alphanumeric());
            let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
            let term = match words.as_slice() {
                [] => continue,
                [word] => format!("all:{word}"),
                words => format!("all:\"{}\"", words.join(" ")),
            };
            let is_stop = STOP_WORDS
                .iter()
                .any(|stop| stop.eq_ignore_ascii_case(phrase));
            if !is_stop {
                terms.push(term.clone());
            }
            all.push(term);
        }
    }
    if terms.is_empty() { all } else { terms }.join(" AND ")
}

fn read(answer: &HttpResponse) -> Result<Vec<PaperPage>, UnreadableReply> {
    let body = String::from_utf8_lossy(&answer.body);
    let mut xml = XmlReader::new(&body, None);
    let (mut papers, mut total, mut is_feed) = (Vec::new(), None, false);
    while let Some(event) = xml.next() {
        let XmlEvent::Open(tag) = event else {
            continue;
        };
        match (xml.depth(), tag.name()) {
            (1, "feed") => is_feed = true,
            (2, "totalResults") => total = xml.text_within(MAX_TEXT_BYTES).trim().parse().ok(),
            (2, "entry") if papers.len() < MAX_ENTRIES => papers.push(paper(&mut xml)),
            _ => {}
        }
    }
    if !is_feed || xml.broken {
        return Err(UnreadableReply::Unknown);
    }
    let is_error = |paper: &&Paper| paper.text("url").contains("/api/errors");
    if let Some(error) = papers.iter().find(is_error) {
        let why = error.text("abstract").to_owned();
        return Err(UnreadableReply::Failed(ProviderFailureKind::Rejected, why));
    }
    Ok(PaperPage::of(papers, total))
}

/// Reads the entry that was opened last.
fn paper(xml: &mut XmlReader<'_>) -> Paper {
    let level = xml.depth();
    let mut authors = Vec::new();
    let mut paper = Paper::default();
    paper.set("journal", PROVIDER.title);
    paper.set("openAccess", true);
    paper.sources.push("arxiv");
    while let Some(tag) = xml.tag_within(level) {
        let name = tag.name();
        let field = ELEMENTS.iter().find(|(one, _)| *one == name);
        match (xml.depth() - level, field) {
            (1, Some((_, field))) => paper.set(field, xml.text_within(MAX_TEXT_BYTES)),
            (1, None) if tag.attribute("type").as_deref() == Some("application/pdf") => {
                let address = tag.attribute("href").unwrap_or_default();
                paper.set("pdfUrl", address.into_owned());
            }
            (2, _) if name == "name" => authors.push(xml.text_within(MAX_TEXT_BYTES)),
            _ => {}
        }
    }
    paper.set_authors(authors.into_iter());
    paper
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_words_that_all_have_to_be_there() {
        for (query, expected) in [
            ("quantum computing", "all:quantum AND all:computing"),
            (
                "Attention is all you need",
                "all:Attention AND all:all AND all:you AND all:need",
            ),
            (
                "\"deep learning\" state-of-the-art",
                "all:\"deep learning\" AND all:\"state of the art\"",
            ),
            ("ti:x) OR (au:y", "all:\"ti x\" AND all:\"au y\""),
            ("the", "all:the"),
            ("\u{e9}t\u{e9} \"", "all:\u{e9}t\u{e9}"),
        ] {
            assert_eq!(terms(query), expected);
        }
    }
}
