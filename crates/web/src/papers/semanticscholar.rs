//! Semantic Scholar: an index with summaries of a sentence, and the weight of citations.
//!
//! Facts: api.semanticscholar.org, "Academic Graph API", "Paper relevance search". A list without
//! papers may be missing.

use std::time::Duration;

use serde_json::Value;

use super::paper::{Paper, PaperPlaces};
use super::paper_provider::{PaperPage, PaperProvider, PaperStep, refusal};
use super::paper_search::{NAMES, PaperSearch};
use crate::client::HttpResponse;
use crate::provider::reply::{self, list, string};
use crate::provider::{
    Provider, ProviderAccount, ProviderEndpoint, ProviderRequest, UnreadableReply, optional_key,
};

const FIELDS: &str = "title,url,externalIds,abstract,venue,journal,year,publicationDate,authors,\
    citationCount,influentialCitationCount,isOpenAccess,openAccessPdf,tldr";

const PLACES: PaperPlaces = &[
    ("title", &["/title"]),
    ("url", &["/url"]),
    ("doi", &["/externalIds/DOI"]),
    ("journal", &["/journal/name", "/venue"]),
    ("date", &["/publicationDate", "/year"]),
    ("abstract", &["/abstract"]),
    ("citationCount", &["/citationCount"]),
    ("openAccess", &["/isOpenAccess"]),
    ("pdfUrl", &["/openAccessPdf/url"]),
    ("tldr", &["/tldr/text"]),
];

/// Row of this provider.
pub static PROVIDER: PaperProvider = PaperProvider {
    service: Provider {
        name: "semanticscholar",
        title: "Semantic Scholar",
        slots: &[optional_key(
            "SEMANTIC_SCHOLAR_API_KEY",
            &["academic_search", "semanticscholar", "api_key"],
        )],
        endpoint: ProviderEndpoint::Known("https://api.semanticscholar.org/graph/v1/paper/search"),
        refusal,
        ..Provider::PLAIN
    },
    steps: &[PaperStep { request, read }],
    pace: Some(Duration::from_secs(1)),
    sources: NAMES,
};

fn request(search: &PaperSearch, account: &ProviderAccount, _: &PaperPage) -> ProviderRequest {
    let year = |year: Option<u16>| year.map_or_else(String::new, |year| year.to_string());
    let years = format!("{}-{}", year(search.year_from), year(search.year_to));
    let fields = [
        // A word with a hyphen would match nothing.
        ("query", Some(search.query.replace('-', " ").into())),
        ("limit", Some(search.asked().into())),
        ("fields", Some(FIELDS.into())),
        ("year", (years != "-").then(|| years.into())),
        ("openAccessPdf", search.wants_open().then(|| "".into())),
    ];
    let request = ProviderRequest::get(account, fields);
    match account.key(0) {
        "" => request,
        key => request.with("x-api-key", key),
    }
}

fn read(answer: &HttpResponse) -> Result<Vec<PaperPage>, UnreadableReply> {
    let body = reply::object(answer)?;
    let total = body.get("total").and_then(Value::as_u64);
    if total == Some(0) {
        return Ok(PaperPage::of(Vec::new(), None));
    }
    let papers = reply::items(body.get("data"))?;
    Ok(PaperPage::of(papers.iter().map(paper).collect(), total))
}

fn paper(item: &Value) -> Paper {
    let mut paper = Paper::of_item(item, PLACES);
    let authors = list(item, "authors").iter();
    paper.set_authors(authors.map(|one| string(one, "name").to_owned()));
    if let Some(count) = item["influentialCitationCount"].as_u64() {
        paper.set("isInfluential", count > 0);
    }
    for (name, source) in [("ArXiv", "arxiv"), ("PubMed", "pubmed")] {
        if !item["externalIds"][name].is_null() {
            paper.sources.push(source);
        }
    }
    paper
}
