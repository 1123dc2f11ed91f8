//! arXiv, the archive of preprints.
//!
//! Facts: info.arxiv.org, "API User's Manual" and "Terms of Use" (one request in three seconds): an
//! Atom feed; an error is an entry whose `id` is below `/api/errors`.

use std::time::Duration;

use super::paper::Paper;
use super::paper_provider::{PaperPage, PaperProvider, PaperStep, refusal_without_keys};
use super::paper_search::{PaperOrder, PaperSearch, PaperTarget};
use iki_base::wording::on_one_line;
use iki_document::{XmlEvent, XmlReader};
use iki_web::client::HttpResponse;
use iki_web::page::PartialDate;
use iki_web::provider::failure::ProviderFailureKind;
use iki_web::provider::{
    Provider, ProviderAccount, ProviderEndpoint, ProviderRequest, UnreadableReply,
};
use iki_web::work::work_id::WorkId;
use iki_web::work::{WorkAuthor, WorkKind};

/// Maximum number of entries that are read.
const MAX_ENTRIES: usize = 500;

/// Maximum length of a text of an entry that is read, in bytes.
const MAX_TEXT_BYTES: usize = 20_000;

/// Words that say nothing of a paper, and that no entry would have to have.
const STOP_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "by", "for", "from", "how", "in", "is", "not", "of", "on",
    "or", "the", "to", "what", "with",
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
    steps: |_| const { &[PaperStep::new(request, read)] },
    filters: |_| &["author", "year_from", "year_to", "date"],
    pace: Some(Duration::from_secs(3)),
    sources: &["all"],
};

fn request(search: &PaperSearch, account: &ProviderAccount, _: &PaperPage) -> ProviderRequest {
    if let PaperTarget::Works(ids) = &search.target {
        let numbers: Vec<&str> = ids.iter().map(WorkId::number).collect();
        let fields = [
            ("id_list", Some(numbers.join(",").into())),
            ("max_results", Some(search.request_count().into())),
        ];
        return ProviderRequest::get(account, fields);
    }
    let author = search.author.as_ref().map(|name| author_term(name));
    let words = Some(terms(&search.query)).filter(|words| !words.is_empty());
    let words: Vec<String> = words.into_iter().chain(author).collect();
    let mut query = words.join(" AND ");
    if let Some((from, to)) = search.years(1900, 2999) {
        query = format!("{query} AND submittedDate:[{from:04}01010000 TO {to:04}12312359]");
    }
    let order = match search.order {
        PaperOrder::Date => "submittedDate",
        _ => "relevance",
    };
    let fields = [
        ("search_query", Some(query.into())),
        ("start", Some(search.before().into())),
        ("max_results", Some(search.request_count().into())),
        ("sortBy", Some(order.into())),
        ("sortOrder", Some("descending".into())),
    ];
    ProviderRequest::get(account, fields)
}

/// Returns the term for an author: the family name, which is the last one, or before a comma.
fn author_term(name: &str) -> String {
    let family = match name.split_once(',') {
        Some((family, _)) => family,
        None => name.rsplit(' ').next().unwrap_or(name),
    };
    let words: Vec<&str> = family
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    format!("au:\"{}\"", words.join(" "))
}

/// Returns the query in arXiv's words: entries have all of these, in any field. A phrase is one of
/// them, and so is a compound.
fn terms(query: &str) -> String {
    let mut terms = Vec::new();
    let mut all = Vec::new();
    for (index, part) in query.split('"').enumerate() {
        let phrases = if index % 2 == 1 {
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
    if !is_feed || xml.is_broken {
        return Err(UnreadableReply::Unknown);
    }
    // A number that it does not have is an entry without anything.
    papers.retain(|paper| !paper.work.url.is_empty() || !paper.work.title.is_empty());
    let is_error = |paper: &&Paper| paper.work.url.contains("/api/errors");
    if let Some(error) = papers.iter().find(is_error) {
        let why = error.summary.clone();
        return Err(UnreadableReply::Failed(ProviderFailureKind::Rejected, why));
    }
    PaperPage::of_works(papers, total)
}

/// Reads the entry that was opened last.
fn paper(xml: &mut XmlReader<'_>) -> Paper {
    let level = xml.depth();
    let mut authors = Vec::new();
    let mut paper = Paper {
        sources: vec!["arxiv"],
        ..Paper::default()
    };
    let work = &mut paper.work;
    work.kind = WorkKind::Preprint;
    PROVIDER.title.clone_into(&mut work.container);
    work.open_access = Some(true);
    while let Some(tag) = xml.tag_within(level) {
        let text = |xml: &mut XmlReader<'_>| xml.text_within(MAX_TEXT_BYTES);
        match (xml.depth() - level, tag.name()) {
            (1, "id") => work.url = text(xml),
            (1, "title") => work.title = text(xml),
            (1, "summary") => paper.summary = text(xml),
            (1, "published") => work.date = PartialDate::parse(&text(xml)),
            (1, "doi") => work.doi = text(xml),
            (1, "journal_ref") => work.published_as = text(xml),
            (1, _) if tag.attribute("type").as_deref() == Some("application/pdf") => {
                let address = tag.attribute("href").unwrap_or_default();
                work.pdf_url = address.into_owned();
            }
            (2, "name") => authors.push(WorkAuthor::unsplit(&on_one_line(&text(xml)))),
            _ => {}
        }
    }
    work.arxiv = number_in(&work.url);
    work.set_authors(authors.into_iter());
    paper
}

/// Returns the number of the preprint at an address of arXiv, without its version; empty for other
/// addresses.
pub(super) fn number_in(address: &str) -> String {
    let parts = ["/abs/", "/pdf/"].into_iter();
    let mut numbers = parts.filter_map(|part| Some(address.split_once(part)?.1));
    let number = numbers.next().unwrap_or_default();
    let number = number.strip_suffix(".pdf").unwrap_or(number);
    match number.rsplit_once('v') {
        Some((number, version)) if version.parse::<u16>().is_ok() => number.to_owned(),
        _ => number.to_owned(),
    }
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
