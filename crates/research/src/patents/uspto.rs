//! The United States Patent and Trademark Office: its request, its reply, its errors.
//!
//! Facts: Open Data Portal, "Patent File Wrapper" and "Simplified Query Syntax". It has American
//! applications since 2001 by their metadata: no abstracts, and numbers of grants without the kind
//! of document. A search without results is answered with 404.

use serde_json::Value;

use super::patent::{self, Patent};
use super::patent_provider::PatentProvider;
use super::query::PatentSearch;
use iki_web::client::HttpResponse;
use iki_web::provider::reply::{self, list, string};
use iki_web::provider::{
    Provider, ProviderAccount, ProviderEndpoint, ProviderRefusal, ProviderRequest, UnreadableReply,
    required_key,
};

/// Row of this provider.
pub static PROVIDER: PatentProvider = PatentProvider {
    service: &Provider {
        name: "uspto",
        title: "USPTO",
        slots: &[required_key(
            "USPTO_API_KEY",
            &["patent_search", "uspto", "api_key"],
        )],
        endpoint: ProviderEndpoint::Known(
            "https://api.uspto.gov/api/v1/patent/applications/search",
        ),
        setup: "Get a key for the USPTO at https://data.uspto.gov/apis/getting-started.",
        refusal,
        ..Provider::PLAIN
    },
    office: Some("US"),
    login: None,
    request,
    read,
};

fn request(search: &PatentSearch, account: &ProviderAccount) -> ProviderRequest {
    let text = |name: &str, value: &str| format!("applicationMetaData.{name}:{value}");
    let number = search.number().map(|number| {
        let serial = &number.serial;
        let published = text("earliestPublicationNumber", &format!("US{serial}*"));
        format!("({} OR {published})", text("patentNumber", serial))
    });
    let assignee = search.assignee.as_deref().map(|name| {
        let applicant = text("firstApplicantName", &format!("\"{name}\""));
        format!("({applicant} OR assignmentBag.assigneeBag.assigneeNameText:\"{name}\")")
    });
    let inventor = search.inventor.as_deref();
    let code = search.cpc_code.as_deref().map(|code| {
        // A slash would begin a regular expression.
        let escaped = code.replace('/', "\\/");
        text("cpcClassificationBag", &format!("{escaped}*"))
    });
    let parts = [
        number,
        search
            .title()
            .map(|title| text("inventionTitle", &format!("\"{title}\""))),
        search
            .words()
            .map(|words| text("inventionTitle", &format!("({words})"))),
        assignee,
        inventor.map(|name| text("inventorBag.inventorNameText", &format!("({name})"))),
        code,
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let (first, last) = search.filed_between();
    let is_limited = first.is_some() || last.is_some();
    let range = is_limited.then(|| {
        let first = first.as_deref().unwrap_or("1790-01-01");
        let last = last.as_deref().unwrap_or("2999-12-31");
        format!("applicationMetaData.filingDate {first}:{last}").into()
    });
    let order = search.newest_first();
    let fields = [
        ("q", Some(parts.join(" AND ").into())),
        ("limit", Some(search.request_count().into())),
        ("offset", Some(0.into())),
        ("rangeFilters", range),
        (
            "sort",
            order.then(|| "applicationMetaData.filingDate desc".into()),
        ),
    ];
    ProviderRequest::get(account, fields).with("X-API-KEY", account.key(0))
}

fn read(reply: &HttpResponse) -> Result<Vec<Patent>, UnreadableReply> {
    let body = reply::object(reply)?;
    let items = reply::items(body.get("patentFileWrapperDataBag"))?;
    Ok(items.iter().map(patent_of).collect())
}

fn patent_of(item: &Value) -> Patent {
    let data = &item["applicationMetaData"];
    let granted = string(data, "patentNumber");
    let published = string(data, "earliestPublicationNumber");
    let number = if granted.is_empty() {
        published.to_owned()
    } else {
        format!("US{}", granted.trim_start_matches("US"))
    };
    let inventors = list(data, "inventorBag").iter();
    let inventors = inventors.map(|one| string(one, "inventorNameText"));
    Patent {
        title: string(data, "inventionTitle").to_owned(),
        number,
        assignee: string(data, "firstApplicantName").to_owned(),
        inventor: patent::names(inventors),
        filed: patent::day(string(data, "filingDate")),
        granted: patent::day(string(data, "grantDate")),
        status: string(data, "applicationStatusDescriptionText").to_owned(),
        published: published.to_owned(),
        application: string(item, "applicationNumberText").to_owned(),
        ..Patent::default()
    }
}

fn refusal(title: &str, reply: &HttpResponse) -> ProviderRefusal {
    if reply.status == 404 && reply::contains_any(reply, &["no matching records"]) {
        return ProviderRefusal::nothing_found();
    }
    reply::by_status(title, reply)
}
