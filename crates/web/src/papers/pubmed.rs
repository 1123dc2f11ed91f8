//! `PubMed`, the index of biomedical literature: one request for the numbers of papers, one for
//! what is known of them.
//!
//! Facts: NCBI, "E-utilities In-Depth", `ESearch` and `ESummary`; an error may come with HTTP 200,
//! as `ERROR`; of a number that is not known the summary has an `error`.

use serde_json::{Value, json};

use super::paper::{Paper, PaperPlaces};
use super::paper_provider::{PaperPage, PaperProvider, PaperStep, key, refusal};
use super::paper_search::PaperSearch;
use crate::client::HttpResponse;
use crate::provider::failure::ProviderFailureKind;
use crate::provider::reply::{self, list, string, strings};
use crate::provider::{
    Provider, ProviderAccount, ProviderEndpoint, ProviderRequest, UnreadableReply, optional_key,
};

const PLACES: PaperPlaces = &[
    ("title", &["/title"]),
    ("doi", &["/elocationid"]),
    ("journal", &["/fulljournalname", "/source"]),
    ("date", &["/sortpubdate", "/pubdate"]),
];

/// Row of this provider.
pub static PROVIDER: PaperProvider = PaperProvider {
    service: Provider {
        name: "pubmed",
        title: "PubMed",
        slots: &[optional_key(
            "PUBMED_API_KEY",
            &["academic_search", "pubmed", "api_key"],
        )],
        endpoint: ProviderEndpoint::Known("https://eutils.ncbi.nlm.nih.gov/entrez/eutils"),
        refusal: |title, answer| {
            if reply::contains_any(answer, &["api key invalid"]) {
                return reply::rejected_key_refusal(title, answer);
            }
            refusal(title, answer)
        },
        ..Provider::PLAIN
    },
    steps: &[
        PaperStep {
            request: ask_numbers,
            read: read_numbers,
        },
        PaperStep {
            request: ask_summaries,
            read: read_summaries,
        },
    ],
    pace: None,
    // Beside the one that has its name.
    sources: &[],
};

fn ask_numbers(search: &PaperSearch, account: &ProviderAccount, _: &PaperPage) -> ProviderRequest {
    // Both or none.
    let years = search.years(1000, 3000);
    let mut term = search.query.clone();
    if search.wants_open() {
        term = format!("({term}) AND pubmed pmc[sb]");
    }
    let sort = if search.by_date {
        "pub_date"
    } else {
        "relevance"
    };
    let fields = [
        ("db", Some("pubmed".into())),
        ("term", Some(term.into())),
        ("retmax", Some(search.asked().into())),
        ("retmode", Some("json".into())),
        ("sort", Some(sort.into())),
        ("datetype", years.map(|_| "pdat".into())),
        ("mindate", years.map(|(from, _)| from.into())),
        ("maxdate", years.map(|(_, to)| to.into())),
        ("api_key", key(account)),
    ];
    ProviderRequest::get(&account.below("esearch.fcgi"), fields)
}

fn ask_summaries(_: &PaperSearch, account: &ProviderAccount, page: &PaperPage) -> ProviderRequest {
    let fields = [
        ("db", Some("pubmed".into())),
        ("id", Some(page.ids.join(",").into())),
        ("retmode", Some("json".into())),
        ("api_key", key(account)),
    ];
    ProviderRequest::get(&account.below("esummary.fcgi"), fields)
}

fn read_numbers(answer: &HttpResponse) -> Result<Vec<PaperPage>, UnreadableReply> {
    let body = reply::object(answer)?;
    let found = body.get("esearchresult").unwrap_or(&Value::Null);
    let error = string(found, "ERROR");
    if !error.is_empty() {
        return Err(failed(error));
    }
    reply::items(found.get("idlist"))?;
    Ok(vec![PaperPage {
        total: string(found, "count").parse().unwrap_or_default(),
        ids: strings(found.get("idlist")),
        ..PaperPage::default()
    }])
}

fn read_summaries(answer: &HttpResponse) -> Result<Vec<PaperPage>, UnreadableReply> {
    let body = reply::object(answer)?;
    let errors = strings(body.get("esummaryresult"));
    if let Some(error) = errors.first() {
        return Err(failed(error));
    }
    let found = body.get("result").unwrap_or(&Value::Null);
    let ids = reply::items(found.get("uids"))?.iter();
    let found = ids.filter_map(|id| found.get(id.as_str()?));
    let known = found.filter(|summary| summary.get("error").is_none());
    let papers: Vec<Paper> = known.map(paper).collect();
    if papers.is_empty() && body.get("result").is_some() {
        return Err(failed("there is no summary of what it has found"));
    }
    Ok(PaperPage::of(papers, None))
}

fn failed(why: &str) -> UnreadableReply {
    UnreadableReply::Failed(ProviderFailureKind::Upstream, why.to_owned())
}

fn paper(summary: &Value) -> Paper {
    let id = |kind: &str| {
        let mut ids = list(summary, "articleids").iter();
        let id = ids.find(|id| string(id, "idtype") == kind);
        id.map_or("", |id| string(id, "value"))
    };
    let mut paper = Paper::of_item(summary, PLACES);
    let number = string(summary, "uid");
    paper.set("url", format!("https://pubmed.ncbi.nlm.nih.gov/{number}/"));
    let title = paper.text("title");
    paper.set("title", title.strip_suffix('.').unwrap_or(title).to_owned());
    if !id("doi").is_empty() {
        paper.set("doi", id("doi"));
    }
    let authors = list(summary, "authors").iter();
    paper.set_authors(authors.map(|one| in_order(string(one, "name"))));
    let archived = id("pmc");
    // What will be free is not yet.
    if !archived.is_empty() && !id("pmcid").contains("embargo-date") {
        let file = format!("https://pmc.ncbi.nlm.nih.gov/articles/{archived}/pdf/");
        paper.set("pdfUrl", file);
    }
    if list(summary, "pubtype").contains(&"Retracted Publication".into()) {
        paper.set(
            "retractionStatus",
            json!({"retracted": true, "kind": "retraction"}),
        );
    }
    paper.sources.push("pubmed");
    paper
}

/// Returns a name such as `Smith JA` with the initials first, as other providers have it.
fn in_order(name: &str) -> String {
    match name.rsplit_once(' ') {
        Some((family, initials)) if initials.chars().all(char::is_uppercase) => {
            format!("{initials} {family}")
        }
        _ => name.to_owned(),
    }
}
