//! Crossref: the register of most publishers' DOIs.
//!
//! Facts: api.crossref.org, "Works", "Filters", "Sorting"; abstracts are JATS XML, `updated-by`
//! lists the notices about a work. Whoever names an address of mail is served by faster machines.

use serde_json::Value;

use super::paper::{Paper, said};
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
use crate::work::{Work, WorkAuthor, WorkKind};

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

fn paper(item: &Value) -> Paper {
    let kind = WorkKind::of_name(string(item, "type"));
    let places = list(item, "container-title");
    let place = |at: usize| said(item, &[&format!("/container-title/{at}")]);
    let is_part = matches!(kind, WorkKind::Chapter | WorkKind::Proceedings);
    // The series of a book is before its title.
    let (series, container) = match places.len() {
        2.. if is_part => (place(0), place(places.len() - 1)),
        _ => (String::new(), place(0)),
    };
    let by_institution = matches!(
        kind,
        WorkKind::Thesis | WorkKind::Report | WorkKind::Preprint
    );
    let institution = said(item, &["/institution/0/name", "/institution/name"]);
    let publisher = if by_institution && !institution.is_empty() {
        institution
    } else {
        said(item, &["/publisher"])
    };
    let dates = ["published", "issued", "published-online", "published-print"];
    let mut dates = dates.iter().filter_map(|name| {
        let parts = item.get(name)?.pointer("/date-parts/0")?.as_array()?;
        let parts: Vec<i64> = parts.iter().filter_map(Value::as_i64).collect();
        PartialDate::of_parts(&parts)
    });
    let mut work = Work {
        kind,
        title: said(item, &["/title/0"]),
        url: said(item, &["/URL"]),
        doi: said(item, &["/DOI"]),
        editors: list(item, "editor").iter().map(author).collect(),
        container,
        series,
        volume: said(item, &["/volume"]),
        issue: said(item, &["/issue", "/journal-issue/issue"]),
        pages: said(item, &["/page", "/article-number"]),
        publisher,
        date: dates.next(),
        citation_count: item["is-referenced-by-count"].as_u64(),
        retraction: retraction::of_record(item),
        ..Work::default()
    };
    if kind == WorkKind::Preprint && work.container.is_empty() {
        work.container.clone_from(&work.publisher);
    }
    work.set_authors(list(item, "author").iter().map(author));
    let mut terms = list(item, "license").iter();
    if terms.any(|one| string(one, "URL").contains("://creativecommons.org/")) {
        work.open_access = Some(true);
        // Other files are for those who have paid.
        let mut files = list(item, "link").iter();
        let file = files.find(|one| string(one, "content-type") == "application/pdf");
        let file = file.map_or("", |one| string(one, "URL"));
        file.clone_into(&mut work.pdf_url);
    }
    // Elements of HTML have the same names.
    let summary = string(item, "abstract").replace("jats:", "");
    Paper {
        work,
        summary: html_text::text(&summary),
        ..Paper::default()
    }
}

/// Returns a contributor: a person, or a group.
fn author(contributor: &Value) -> WorkAuthor {
    let part = |name: &str| html_text::text(string(contributor, name));
    match part("family").as_str() {
        "" => match part("name") {
            name if name.is_empty() => WorkAuthor::unsplit(&part("given")),
            name => WorkAuthor::group(&name),
        },
        family => WorkAuthor::person(family, &part("given"), &part("suffix")),
    }
}
