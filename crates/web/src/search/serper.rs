//! Serper: Google's results through a third party's API.
//!
//! Facts: the playground and the documentation of serper.dev; its refusals as users report them.

use serde_json::Value;

use super::query::ProviderQuery;
use super::query_terms::{self, QueryOperators};
use super::search_provider::{ProviderLimits, SearchProvider, SiteQuery};
use super::{SearchResult, result_list};
use crate::client::HttpResponse;
use crate::provider::reply;
use crate::provider::{
    Provider, ProviderAccount, ProviderEndpoint, ProviderRefusal, ProviderRequest, UnreadableReply,
    required_key,
};

/// Row of this provider.
pub static PROVIDER: SearchProvider = SearchProvider {
    service: Provider {
        name: "serper",
        title: "Serper",
        slots: &[required_key(
            "SERPER_API_KEY",
            &["web_search", "serper", "api_key"],
        )],
        endpoint: ProviderEndpoint::Known("https://google.serper.dev/search"),
        setup: "Get a key for Serper at https://serper.dev/.",
        refusal,
        ..Provider::PLAIN
    },
    // More than ten results cost twice.
    limits: ProviderLimits {
        heeded: 32,
        sites: SiteQuery::Words(15),
        ..ProviderLimits::PLAIN
    },
    words: QueryOperators::ALL,
    request,
    read,
};

fn request(ask: &ProviderQuery<'_>, account: &ProviderAccount) -> ProviderRequest {
    let search = ask.search;
    let page = ask.page();
    let country = search.country.as_deref();
    let range = search.time_range;
    let fields = [
        (
            "q",
            Some(query_terms::query_string(ask, PROVIDER.words).into()),
        ),
        ("num", Some(ask.count.into())),
        ("page", (page > 0).then(|| (page + 1).into())),
        ("hl", search.language.as_deref().map(Value::from)),
        ("gl", country.map(|code| code.to_ascii_lowercase().into())),
        (
            "tbs",
            range.map(|range| format!("qdr:{}", range.letter()).into()),
        ),
        ("safe", search.safe.map(|safe| safe.at_google().into())),
    ];
    ProviderRequest::post(account, fields).with("X-API-KEY", account.key(0))
}

fn read(reply: &HttpResponse) -> Result<Vec<SearchResult>, UnreadableReply> {
    let body = reply::object(reply)?;
    let names = ["link", "snippet", "date"];
    result_list::plain_results(&body, "/organic", &["searchParameters"], names)
}

fn refusal(title: &str, reply: &HttpResponse) -> ProviderRefusal {
    if reply::contains_any(reply, &["not enough credits"]) {
        return reply::quota_refusal(title, reply);
    }
    reply::by_status(title, reply)
}
