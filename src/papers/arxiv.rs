//! arXiv, the archive of preprints.
//!
//! Facts: info.arxiv.org, "API User's Manual" and "Terms of Use" (one request in three seconds): an
//! Atom feed; an error is an entry whose `id` is below `/api/errors`.

use std::time::Duration;

use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::paper::Paper;
use super::paper_provider::{PaperPage, PaperProvider, PaperStep, refusal_without_keys, service};
use super::paper_search::PaperSearch;
use crate::document::entities;
use crate::web::client::HttpResponse;
use crate::web::provider::failure::ProviderFailureKind;
use crate::web::provider::reply::tidy;
use crate::web::provider::{
    Provider, ProviderAccount, ProviderRefusal, ProviderRequest, UnreadableReply,
};

const NAME: &str = "arXiv";

/// Most open elements; a feed has five.
const MOST_OPEN: usize = 64;

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
        accept: "application/atom+xml",
        refusal: |answer| refusal_without_keys(NAME, answer),
        ..service(
            "arxiv",
            NAME,
            "IKIGAI_ARXIV_URL",
            "https://export.arxiv.org/api/query",
        )
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

/// A feed as far as it was read.
#[derive(Default)]
struct PaperFeed {
    papers: Vec<Paper>,
    authors: Vec<String>,
    total: Option<u64>,
    /// Local names of the open elements.
    open: Vec<String>,
    text: String,
    is_whole: bool,
}

fn read(answer: &HttpResponse) -> Result<Vec<PaperPage>, UnreadableReply> {
    let body = String::from_utf8_lossy(&answer.body);
    let mut reader = Reader::from_str(&body);
    reader.config_mut().allow_dangling_amp = true;
    reader.config_mut().expand_empty_elements = true;
    let mut feed = PaperFeed::default();
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) if feed.open.len() < MOST_OPEN => feed.start(&tag),
            Ok(Event::End(_)) => feed.end(),
            Ok(Event::Text(text)) => feed.text.push_str(&text),
            Ok(Event::CData(text)) => feed.text.push_str(&text.replace('&', "&amp;")),
            Ok(Event::GeneralRef(name)) => feed.text.extend(["&", &*name, ";"]),
            Ok(Event::Eof) if feed.is_whole => break,
            Ok(Event::Start(_) | Event::Eof) | Err(_) => return Err(UnreadableReply::Unknown),
            Ok(_) => {}
        }
    }
    let mut papers = feed.papers.iter();
    if let Some(error) = papers.find(|paper| paper.text("url").contains("/api/errors")) {
        let text = format!("{NAME} search failed: {}", tidy(error.text("abstract")));
        let refusal = ProviderRefusal::new(ProviderFailureKind::Rejected, text);
        return Err(UnreadableReply::Refused(refusal));
    }
    Ok(PaperPage::of(feed.papers, feed.total))
}

impl PaperFeed {
    fn start(&mut self, tag: &BytesStart<'_>) {
        let name = tag.name().into_inner();
        let name = name.rsplit(':').next().unwrap_or(name);
        self.open.push(name.to_owned());
        self.text.clear();
        if self.open.len() == 2 && name == "entry" {
            let mut paper = Paper::default();
            paper.set("journal", NAME);
            paper.set("openAccess", true);
            paper.sources.push("arxiv");
            self.papers.push(paper);
        }
        if name != "link" {
            return;
        }
        let value = |name| {
            let mut all = tag.attributes();
            let mut all = all.with_checks(false).filter_map(Result::ok);
            let found = all.find(|one| one.key.into_inner() == name);
            found
                .map(|one| entities::decoded(&one.value))
                .unwrap_or_default()
        };
        if let Some(paper) = self.papers.last_mut()
            && value("type") == "application/pdf"
        {
            paper.set("pdfUrl", value("href"));
        }
    }

    /// Closes the last element.
    fn end(&mut self) {
        let Some(name) = self.open.pop() else { return };
        let text = entities::decoded(&std::mem::take(&mut self.text));
        let above = self.open.join("/");
        let paper = self.papers.last_mut();
        match (above.as_str(), name.as_str(), paper) {
            ("", "feed", _) => self.is_whole = true,
            ("feed", "totalResults", _) => self.total = text.trim().parse().ok(),
            ("feed/entry/author", "name", _) => self.authors.push(text),
            ("feed", "entry", Some(paper)) => paper.set_authors(self.authors.drain(..)),
            ("feed/entry", name, Some(paper)) => {
                if let Some((_, field)) = ELEMENTS.iter().find(|(one, _)| *one == name) {
                    paper.set(field, text);
                }
            }
            _ => {}
        }
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
