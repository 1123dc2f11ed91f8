//! Semantic Scholar: an index with summaries of a sentence, and the weight of citations.
//!
//! Facts: api.semanticscholar.org, "Academic Graph API", "Paper relevance search". A list without
//! papers may be missing.

use std::time::Duration;

use serde_json::Value;

use super::paper::{Paper, said};
use super::paper_provider::{PaperPage, PaperProvider, PaperStep, refusal};
use super::paper_search::{NAMES, PaperSearch};
use crate::client::HttpResponse;
use crate::page::PartialDate;
use crate::provider::reply::{self, list, string};
use crate::provider::{
    Provider, ProviderAccount, ProviderEndpoint, ProviderRequest, UnreadableReply, optional_key,
};
use crate::search::html_text;
use crate::work::{Work, WorkAuthor, WorkKind};

const FIELDS: &str = "title,url,externalIds,abstract,venue,journal,year,publicationDate,authors,\
    citationCount,influentialCitationCount,isOpenAccess,openAccessPdf,tldr,\
    publicationTypes,publicationVenue";

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
    let date = said(item, &["/publicationDate", "/year"]);
    let mut work = Work {
        kind: kind(item),
        title: said(item, &["/title"]),
        url: said(item, &["/url"]),
        doi: said(item, &["/externalIds/DOI"]),
        arxiv: said(item, &["/externalIds/ArXiv"]),
        pmid: said(item, &["/externalIds/PubMed"]),
        pmcid: said(item, &["/externalIds/PubMedCentral"]),
        container: said(item, &["/journal/name", "/venue"]),
        volume: said(item, &["/journal/volume"]),
        pages: said(item, &["/journal/pages"]),
        date: PartialDate::parse(&date),
        open_access: item["isOpenAccess"].as_bool(),
        pdf_url: said(item, &["/openAccessPdf/url"]),
        citation_count: item["citationCount"].as_u64(),
        ..Work::default()
    };
    if work.kind == WorkKind::Preprint {
        // The number of a preprint is no volume.
        work.volume.clear();
    }
    if work.pmcid.starts_with(|c: char| c.is_ascii_digit()) {
        work.pmcid.insert_str(0, "PMC");
    }
    let authors = list(item, "authors").iter();
    work.set_authors(authors.map(|one| {
        let name = html_text::text(string(one, "name"));
        WorkAuthor::unsplit(&name)
    }));
    let numbers = [("arxiv", &work.arxiv), ("pubmed", &work.pmid)];
    let known = numbers.iter().filter(|(_, number)| !number.is_empty());
    Paper {
        sources: known.map(|(source, _)| *source).collect(),
        work,
        summary: said(item, &["/abstract"]),
        tldr: said(item, &["/tldr/text"]),
        is_influential: item["influentialCitationCount"]
            .as_u64()
            .map(|count| count > 0),
        ..Paper::default()
    }
}

/// Returns the kind of a work: of several, that which tells most, and what its venue is.
fn kind(item: &Value) -> WorkKind {
    let journal = said(item, &["/journal/name", "/venue"]).to_lowercase();
    if journal == "arxiv" || journal == "arxiv.org" {
        return WorkKind::Preprint;
    }
    let names = list(item, "publicationTypes").iter();
    match WorkKind::of_names(names.filter_map(Value::as_str)) {
        WorkKind::Unknown => match string(&item["publicationVenue"], "type") {
            "journal" => WorkKind::Article,
            venue => WorkKind::of_name(venue),
        },
        kind => kind,
    }
}
