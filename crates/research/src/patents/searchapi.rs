//! `SearchApi`: Google Patents through a third party's API, with the key and the errors of its web
//! search.
//!
//! Facts: `SearchApi` documentation, "Google Patents API"; Google Patents, "Searching".

use serde_json::Value;

use super::patent::{self, Patent};
use super::patent_provider::PatentProvider;
use super::query::PatentSearch;
use iki_web::client::HttpResponse;
use iki_web::provider::reply::{self, string};
use iki_web::provider::{ProviderAccount, ProviderRequest, UnreadableReply};
use iki_web::search::results::without_highlight_marks;
use iki_web::search::searchapi;
use iki_web::work::patent_number::PatentNumber;

/// Row of this provider.
pub static PROVIDER: PatentProvider = PatentProvider {
    service: &searchapi::PROVIDER.service,
    office: None,
    login: None,
    request,
    read,
};

fn request(search: &PatentSearch, account: &ProviderAccount) -> ProviderRequest {
    let query = search.at_google();
    // Everything of an assignee or inventor.
    let query = if query.is_empty() { "*" } else { &query };
    let (first, last) = search.filed_between();
    let filed = |day: String| format!("filing:{}", day.replace('-', "")).into();
    let order = search.newest_first();
    let fields = [
        ("engine", Some("google_patents".into())),
        ("q", Some(query.into())),
        ("num", Some(search.request_count().into())),
        ("countries", search.office.map(Value::from)),
        ("assignee", search.assignee.as_deref().map(Value::from)),
        ("inventor", search.inventor.as_deref().map(Value::from)),
        ("after", first.map(filed)),
        ("before", last.map(filed)),
        ("sort_by", order.then(|| "newest".into())),
    ];
    ProviderRequest::get(account, fields)
        .with("Authorization", &format!("Bearer {}", account.key(0)))
}

fn read(reply: &HttpResponse) -> Result<Vec<Patent>, UnreadableReply> {
    let body = reply::object(reply)?;
    // Where nothing was found, there may be no list.
    let items = match reply::items(body.get("organic_results")) {
        Err(_) if body.get("search_metadata").is_some() => &[],
        items => items?,
    };
    Ok(items.iter().map(patent_of).collect())
}

fn patent_of(item: &Value) -> Patent {
    let text = |name: &str| without_highlight_marks(string(item, name));
    // patent/US10165245B2/en
    let id = string(item, "patent_id").split('/').nth(1);
    let number = id.filter(|id| PatentNumber::parse(id).is_some());
    let number = number.unwrap_or_else(|| string(item, "publication_number"));
    Patent {
        title: text("title"),
        number: number.to_owned(),
        summary: text("snippet"),
        assignee: text("assignee"),
        inventor: text("inventor"),
        filed: patent::day(string(item, "filing_date")),
        granted: patent::day(string(item, "grant_date")),
        pdf: string(item, "pdf").to_owned(),
        ..Patent::default()
    }
}
