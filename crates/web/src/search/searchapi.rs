//! `SearchApi`: Google's results through a third party's API.
//!
//! Facts: `SearchApi` documentation, "Google Search Engine Results API".

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
        name: "searchapi",
        title: "SearchApi",
        slots: &[required_key(
            "SEARCHAPI_API_KEY",
            &["web_search", "searchapi", "api_key"],
        )],
        endpoint: ProviderEndpoint::Known("https://www.searchapi.io/api/v1/search"),
        setup: "Get a key for SearchApi at https://www.searchapi.io/.",
        refusal,
        ..Provider::PLAIN
    },
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
    let country = search.country.as_deref();
    let range = search.time_range;
    let fields = [
        ("engine", Some("google".into())),
        (
            "q",
            Some(query_terms::query_string(ask, PROVIDER.words).into()),
        ),
        ("num", Some(ask.count.into())),
        ("page", Some((ask.page() + 1).into())),
        (
            "time_period",
            range.map(|range| format!("last_{}", range.name()).into()),
        ),
        ("safe", search.safe.map(|safe| safe.at_google().into())),
        ("gl", country.map(|code| code.to_ascii_lowercase().into())),
        ("hl", search.language.as_deref().map(Value::from)),
    ];
    ProviderRequest::get(account, fields)
        .with("Authorization", &format!("Bearer {}", account.key(0)))
}

fn read(reply: &HttpResponse) -> Result<Vec<SearchResult>, UnreadableReply> {
    let body = reply::object(reply)?;
    let marks = ["search_metadata", "search_parameters"];
    let names = ["link", "snippet", "date"];
    result_list::plain_results(&body, "/organic_results", &marks, names)
}

fn refusal(title: &str, reply: &HttpResponse) -> ProviderRefusal {
    let used_up = [
        "used all of the searches",
        "run out of searches",
        "exceeded your plan",
    ];
    if reply.status == 429 && reply::contains_any(reply, &used_up) {
        return reply::quota_refusal(title, reply);
    }
    reply::by_status(title, reply)
}
