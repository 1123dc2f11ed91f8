//! The Lens: its request, its reply, its errors.
//!
//! Facts: Lens API documentation, "Patent Request" and "Patent Response".

use serde_json::{Value, json};

use super::patent::{self, Patent};
use super::patent_provider::PatentProvider;
use super::query::PatentSearch;
use iki_web::client::HttpResponse;
use iki_web::provider::failure::ProviderFailureKind;
use iki_web::provider::reply::{self, list, string};
use iki_web::provider::{
    Provider, ProviderAccount, ProviderEndpoint, ProviderRefusal, ProviderRequest, UnreadableReply,
    required_key,
};

/// Row of this provider.
pub static PROVIDER: PatentProvider = PatentProvider {
    service: &Provider {
        name: "lens",
        title: "Lens",
        slots: &[required_key(
            "LENS_API_TOKEN",
            &["patent_search", "lens", "api_token"],
        )],
        endpoint: ProviderEndpoint::Known("https://api.lens.org/patent/search"),
        setup: "Get a token for the Lens at https://www.lens.org/lens/user/subscriptions.",
        refusal,
        ..Provider::PLAIN
    },
    office: None,
    login: None,
    request,
    read,
};

/// Fields of a patent that are asked for.
const FIELDS: &str = "jurisdiction doc_number kind publication_type abstract legal_status \
                      biblio.invention_title biblio.parties biblio.application_reference";

fn request(search: &PatentSearch, account: &ProviderAccount) -> ProviderRequest {
    let text = |words: &str, fields: &[&str]| {
        let query = json!({"query": words, "fields": fields, "default_operator": "and"});
        json!({ "query_string": query })
    };
    let anywhere = ["title", "abstract", "claim", "description"];
    let fields = if search.newest_first() {
        &anywhere[..2]
    } else {
        &anywhere[..]
    };
    let number = search.number();
    let assignee = search.assignee.as_deref();
    let inventor = search.inventor.as_deref();
    let owners = ["applicant.name", "owner_all.name"];
    // A slash would begin a regular expression.
    let code = search.cpc_code.as_ref();
    let code = code.map(|code| format!("{}*", code.replace('/', "\\/")));
    let (first, last) = search.filed_between();
    let bound = |bound: &str, day: Option<String>| {
        day.map(|day| json!({"range": {"application_reference.date": {bound: day}}}))
    };
    let parts = [
        number.map(|number| json!({"terms": {"ids": [number.to_string()]}})),
        search
            .title()
            .map(|title| json!({"match_phrase": {"title": title}})),
        search.words().map(|words| text(&words, fields)),
        assignee.map(|name| text(&format!("\"{name}\""), &owners)),
        inventor.map(|name| text(name, &["inventor.name"])),
        code.map(|code| text(&code, &["class_cpc.symbol"])),
        search
            .office
            .map(|office| json!({"term": {"jurisdiction": office}})),
        bound("gte", first),
        bound("lte", last),
    ];
    let parts: Vec<Value> = parts.into_iter().flatten().collect();
    let order = search.newest_first();
    let fields = [
        ("query", Some(json!({"bool": {"must": parts}}))),
        ("size", Some(search.request_count().into())),
        ("include", Some(FIELDS.split(' ').collect())),
        (
            "sort",
            order.then(|| json!([{"application_reference.date": "desc"}])),
        ),
    ];
    ProviderRequest::post(account, fields)
        .with("Authorization", &format!("Bearer {}", account.key(0)))
}

fn read(reply: &HttpResponse) -> Result<Vec<Patent>, UnreadableReply> {
    let body = reply::object(reply)?;
    let items = reply::items(body.get("data"))?;
    Ok(items.iter().map(patent_of).collect())
}

fn patent_of(item: &Value) -> Patent {
    let biblio = &item["biblio"];
    let parties = |name: &str| {
        let all = list(&biblio["parties"], name).iter();
        patent::names(all.map(|one| string(&one["extracted_name"], "value")))
    };
    let assignees = ["applicants", "owners_all"].map(parties);
    let application = &biblio["application_reference"];
    let part = |name| string(item, name);
    Patent {
        title: in_english(list(biblio, "invention_title")),
        number: [part("jurisdiction"), part("doc_number"), part("kind")].concat(),
        summary: in_english(list(item, "abstract")),
        assignee: assignees
            .into_iter()
            .find(|names| !names.is_empty())
            .unwrap_or_default(),
        inventor: parties("inventors"),
        filed: patent::day(string(application, "date")),
        granted: patent::day(string(&item["legal_status"], "grant_date")),
        status: string(&item["legal_status"], "patent_status").to_lowercase(),
        application: ["jurisdiction", "doc_number"]
            .map(|name| string(application, name))
            .concat(),
        ..Patent::default()
    }
}

/// Returns the English one of several texts, or else the first.
fn in_english(all: &[Value]) -> String {
    let english = |text: &&Value| string(text, "lang").eq_ignore_ascii_case("en");
    let text = all.iter().find(english).or(all.first());
    text.map_or("", |text| string(text, "text")).to_owned()
}

fn refusal(title: &str, reply: &HttpResponse) -> ProviderRefusal {
    let wait = reply.header("x-rate-limit-retry-after-seconds");
    let wait = wait.and_then(|wait| wait.trim().parse().ok());
    match (reply.status, wait) {
        (429, Some(seconds)) => ProviderRefusal {
            kind: ProviderFailureKind::too_fast(seconds),
            ..reply::rate_limit_refusal(title, reply)
        },
        _ => reply::by_status(title, reply),
    }
}
