//! Exa: its request, its reply, its errors.
//!
//! Facts: Exa documentation, "Search" and "Error codes". Exa searches by meaning and not by words,
//! so phrases and excluded words go into parameters of their own, five words each.

use std::time::SystemTime;

use serde_json::{Value, json};

use super::query::{ProviderQuery, SafeSearch};
use super::query_terms::{self, QueryOperators};
use super::search_provider::{ProviderLimits, SearchProvider, SiteQuery};
use super::{SearchResult, dates, result_list, results};
use crate::client::HttpResponse;
use crate::provider::reply::{self, string, strings};
use crate::provider::{
    CredentialSlot, Provider, ProviderAccount, ProviderEndpoint, ProviderRefusal, ProviderRequest,
    UnreadableReply, required_key,
};

/// Maximum length of a phrase of a parameter, in words.
const MAX_PHRASE_WORDS: usize = 5;

/// Row of this provider.
pub static PROVIDER: SearchProvider = SearchProvider {
    service: Provider {
        name: "exa",
        title: "Exa",
        slots: &[KEY],
        endpoint: ProviderEndpoint::Known("https://api.exa.ai/search"),
        setup: "Get a key for Exa at https://dashboard.exa.ai/.",
        refusal,
        ..Provider::PLAIN
    },
    limits: ProviderLimits {
        sites: SiteQuery::Parameter(1000),
        results: 25,
        has_second_page: false,
        ..ProviderLimits::PLAIN
    },
    words: QueryOperators {
        exact: false,
        excluded: false,
        sites: false,
    },
    request,
    read,
};

/// The API key.
pub const KEY: CredentialSlot = required_key("EXA_API_KEY", &["web_search", "exa", "api_key"]);

fn request(ask: &ProviderQuery<'_>, account: &ProviderAccount) -> ProviderRequest {
    let search = ask.search;
    let short = |text: &String| text.split_whitespace().count() <= MAX_PHRASE_WORDS;
    let phrase = query_terms::phrase(ask);
    let excluded = query_terms::excluded(ask);
    // Exa takes one excluded phrase; the others become part of the query.
    let out = excluded.iter().position(short);
    let mut text = query_terms::query_string(ask, PROVIDER.words);
    if let Some(phrase) = phrase.as_ref().filter(|phrase| !short(phrase)) {
        text.extend([" \"", phrase, "\""]);
    }
    for (index, term) in excluded.iter().enumerate() {
        if Some(index) != out {
            query_terms::exclude(&mut text, term);
        }
    }
    let left_out = out.map(|index| json!([excluded[index]]));
    let since = search.time_range.map(|range| {
        let day = dates::days_before(SystemTime::now(), range.days());
        format!("{day}T00:00:00.000Z").into()
    });
    let fields = [
        ("query", Some(text.into())),
        ("type", Some("auto".into())),
        ("numResults", Some(ask.count.into())),
        ("contents", Some(json!({"highlights": true}))),
        (
            "includeText",
            phrase.filter(short).map(|phrase| json!([phrase])),
        ),
        ("excludeText", left_out),
        (
            "includeDomains",
            (!ask.sites.is_empty()).then(|| ask.sites.into()),
        ),
        ("startPublishedDate", since),
        ("userLocation", search.country.as_deref().map(Value::from)),
        (
            "moderation",
            (search.safe == Some(SafeSearch::High)).then(|| true.into()),
        ),
    ];
    ProviderRequest::post(account, fields)
        .with("x-api-key", account.key(0))
        .without("language", search.language.is_some())
}

fn read(reply: &HttpResponse) -> Result<Vec<SearchResult>, UnreadableReply> {
    let body = reply::object(reply)?;
    result_list::results_at(&body, "/results", &["requestId"], |item| {
        let mut highlights = strings(item.get("highlights")).into_iter();
        let texts = ["summary", "text"].map(|name| string(item, name));
        let text = texts.into_iter().find(|text| !text.is_empty());
        let first = highlights.next();
        SearchResult {
            title: results::without_highlight_marks(string(item, "title")),
            url: string(item, "url").to_owned(),
            snippet: results::without_highlight_marks(
                first.as_deref().or(text).unwrap_or_default(),
            ),
            published_at: dates::iso(string(item, "publishedDate")),
            extra_snippets: highlights
                .map(|text| results::without_highlight_marks(&text))
                .collect(),
            ..SearchResult::default()
        }
    })
}

fn refusal(title: &str, reply: &HttpResponse) -> ProviderRefusal {
    let body = reply::json(reply).unwrap_or(Value::Null);
    match string(&body, "tag") {
        "INVALID_API_KEY" => reply::rejected_key_refusal(title, reply),
        "NO_MORE_CREDITS" | "API_KEY_BUDGET_EXCEEDED" => reply::quota_refusal(title, reply),
        _ if reply.status == 403 => reply::upstream_refusal(title, reply),
        _ => reply::by_status(title, reply),
    }
}
