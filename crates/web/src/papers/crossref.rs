//! Crossref: the register of most publishers' DOIs.
//!
//! Facts: api.crossref.org, "Works", "Filters", "Sorting"; abstracts are JATS XML, `updated-by`
//! lists the notices about a work. Whoever names an address of mail is served by faster machines.

use serde_json::Value;

use super::paper::{Paper, PaperPlaces};
use super::paper_provider::{
    PaperPage, PaperProvider, PaperStep, filters, key, refusal_without_keys,
};
use super::paper_search::{PaperSearch, REGISTRANTS};
use crate::client::HttpResponse;
use crate::page::{PartialDate, retraction};
use crate::provider::reply::{self, list, string};
use crate::provider::{
    Provider, ProviderAccount, ProviderEndpoint, ProviderRequest, UnreadableReply, optional_key,
};
use crate::search::html_text;

const PLACES: PaperPlaces = &[
    ("title", &["/title/0"]),
    ("url", &["/URL"]),
    ("doi", &["/DOI"]),
    ("journal", &["/container-title/0"]),
    ("citationCount", &["/is-referenced-by-count"]),
];

/// Row of this provider.
pub static PROVIDER: PaperProvider = PaperProvider {
    service: Provider {
        name: "crossref",
        title: "Crossref",
        slots: &[optional_key(
            "CROSSREF_EMAIL",
            &["academic_search", "crossref", "email"],
        )],
        endpoint: ProviderEndpoint::Known("https://api.crossref.org/works"),
        refusal: refusal_without_keys,
        ..Provider::PLAIN
    },
    steps: &[PaperStep { request, read }],
    pace: None,
    sources: REGISTRANTS,
};

fn request(search: &PaperSearch, account: &ProviderAccount, _: &PaperPage) -> ProviderRequest {
    let from = search.year_from;
    let to = search.year_to;
    let filter = filters([
        from.map(|year| format!("from-pub-date:{year:04}")),
        to.map(|year| format!("until-pub-date:{year:04}")),
        search.source.prefix().map(|one| format!("prefix:{one}")),
    ]);
    let fields = [
        ("query", Some(search.query.as_str().into())),
        ("rows", Some(search.asked().into())),
        ("filter", filter),
        ("sort", search.by_date.then(|| "published".into())),
        ("order", search.by_date.then(|| "desc".into())),
        ("mailto", key(account)),
    ];
    let mut account = account.clone();
    // As the search for notices has it, which reads the same setting.
    if account.endpoint.path() == "/" {
        account.endpoint.set_path("/works");
    }
    ProviderRequest::get(&account, fields)
}

fn read(answer: &HttpResponse) -> Result<Vec<PaperPage>, UnreadableReply> {
    let body = reply::object(answer)?;
    let works = reply::items(body.pointer("/message/items"))?;
    let total = body.pointer("/message/total-results");
    let total = total.and_then(Value::as_u64);
    Ok(PaperPage::of(works.iter().map(paper).collect(), total))
}

fn paper(work: &Value) -> Paper {
    let mut paper = Paper::of_item(work, PLACES);
    let authors = list(work, "author").iter();
    paper.set_authors(authors.map(|one| match string(one, "family") {
        "" => string(one, "name").to_owned(),
        family => format!("{} {family}", string(one, "given")),
    }));
    let dates = ["published", "issued", "published-online", "published-print"];
    let mut dates = dates.iter().filter_map(|name| {
        let parts = work.get(name)?.pointer("/date-parts/0")?.as_array()?;
        let parts: Vec<i64> = parts.iter().filter_map(Value::as_i64).collect();
        PartialDate::of_parts(&parts)
    });
    paper.set("date", dates.next().map(|date| date.to_string()));
    // Elements of HTML have the same names.
    let summary = string(work, "abstract").replace("jats:", "");
    let summary = html_text::text(&summary);
    let headless = summary.strip_prefix("Abstract ");
    paper.set("abstract", headless.unwrap_or(&summary));
    let mut terms = list(work, "license").iter();
    if terms.any(|one| string(one, "URL").contains("://creativecommons.org/")) {
        paper.set("openAccess", true);
        // Other files are for those who have paid.
        let mut files = list(work, "link").iter();
        let file = files.find(|one| string(one, "content-type") == "application/pdf");
        paper.set("pdfUrl", file.map_or("", |one| string(one, "URL")));
    }
    paper.set("retractionStatus", retraction::of_record(work));
    paper
}
