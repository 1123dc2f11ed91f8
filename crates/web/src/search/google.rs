//! Google Custom Search: its URL, its reply, its errors.
//!
//! Facts: Custom Search JSON API reference (`cse.list`), Google API error model.

use serde_json::Value;

use super::query::ProviderQuery;
use super::query_terms::{self, QueryOperators};
use super::search_provider::{ProviderLimits, SearchProvider, SiteQuery};
use super::{SearchResult, dates, result_list, results};
use crate::client::HttpResponse;
use crate::provider::reply::{self, string};
use crate::provider::{
    CredentialSlot, Provider, ProviderAccount, ProviderEndpoint, ProviderRefusal, ProviderRequest,
    UnreadableReply, required_key,
};

/// Message for the model if no key is configured.
pub const SETUP_ERROR: &str = "Web search requires API key configuration.\n\nGoogle Custom Search \
    offers 100 free searches/day.\nGet API key: \
    https://developers.google.com/custom-search/v1/overview\nGet Search Engine ID: \
    https://programmablesearchengine.google.com/controlpanel/create\nAdd to: \
    ~/.config/ikigai/credentials.json as 'web_search.google.api_key' and \
    'web_search.google.engine_id'";

/// Notice for the user if no key is configured.
pub const SETUP_NOTICE: &str = "\u{26a0} Configuration Required\n\nWeb search needs an API key and \
    Search Engine ID. Google Custom Search offers 100 free searches/day.\n\nGet API key: \
    https://developers.google.com/custom-search/v1/overview\nGet Search Engine ID: \
    https://programmablesearchengine.google.com/controlpanel/create\nAdd to: \
    ~/.config/ikigai/credentials.json\n\nExample:\n{\n  \"web_search\": {\n    \"google\": {\n      \
    \"api_key\": \"your-api-key-here\",\n      \"engine_id\": \"your-search-engine-id\"\n    }\n  \
    }\n}";

/// The API key.
pub const KEY: CredentialSlot = CredentialSlot {
    also: &["GOOGLE_CUSTOM_SEARCH_API_KEY"],
    ..required_key(
        "GOOGLE_SEARCH_API_KEY",
        &["web_search", "google", "api_key"],
    )
};

/// The search engine's ID.
pub const ENGINE: CredentialSlot = CredentialSlot {
    also: &["GOOGLE_CUSTOM_SEARCH_ID", "GOOGLE_CUSTOM_SEARCH_ENGINE_ID"],
    ..required_key(
        "GOOGLE_SEARCH_ENGINE_ID",
        &["web_search", "google", "engine_id"],
    )
};

/// Row of this provider.
pub static PROVIDER: SearchProvider = SearchProvider {
    service: Provider {
        name: "google",
        title: "Google",
        slots: &[KEY, ENGINE],
        endpoint: ProviderEndpoint::Known("https://customsearch.googleapis.com/customsearch/v1"),
        setup: "Get a key for Google Custom Search at \
            https://developers.google.com/custom-search/v1/overview and engines at \
            https://programmablesearchengine.google.com/controlpanel/create.",
        refusal,
        ..Provider::PLAIN
    },
    limits: ProviderLimits {
        heeded: 32,
        sites: SiteQuery::Words(15),
        ..ProviderLimits::PLAIN
    },
    words: QueryOperators {
        exact: false,
        excluded: false,
        sites: true,
    },
    request,
    read,
};

fn request(ask: &ProviderQuery<'_>, account: &ProviderAccount) -> ProviderRequest {
    let search = ask.search;
    // `siteSearch` takes one domain: the allowed one, or else the first that is blocked.
    let (site, filter, blocked) = match (ask.sites, ask.blocked) {
        ([site], blocked) => (Some(site), Some("i"), blocked),
        (_, [first, others @ ..]) => (Some(first), Some("e"), others),
        (_, []) => (None, None, ask.blocked),
    };
    let words = QueryOperators {
        sites: filter != Some("i"),
        ..PROVIDER.words
    };
    let mut text = query_terms::query_string(ask, words);
    for other in blocked {
        text.extend([" -site:", other]);
    }
    let country = search.country.as_deref();
    let country = country.map(|code| if code == "GB" { "UK" } else { code });
    let language = search.language.as_deref().map(|language| {
        let language = match (language, country) {
            ("zh", Some("TW" | "HK")) => "zh-TW",
            ("zh", _) => "zh-CN",
            ("he", _) => "iw",
            (other, _) => other,
        };
        format!("lang_{language}")
    });
    let range = search
        .time_range
        .map(|range| format!("{}1", range.letter()));
    let excluded = search.exclude_terms.as_deref().map(str::trim);
    let fields = [
        ("key", Some(account.key(0).into())),
        ("cx", Some(ask.cx.unwrap_or_else(|| account.key(1)).into())),
        ("q", Some(text.into())),
        ("num", Some(ask.count.clamp(1, 10).into())),
        ("start", Some((ask.first + 1).min(91).into())),
        ("siteSearch", site.map(|site| site.as_str().into())),
        ("siteSearchFilter", filter.map(Value::from)),
        ("dateRestrict", range.map(Value::from)),
        ("safe", search.safe.map(|safe| safe.at_google().into())),
        ("lr", language.map(Value::from)),
        ("gl", country.map(|code| code.to_ascii_lowercase().into())),
        ("cr", country.map(|code| format!("country{code}").into())),
        ("exactTerms", query_terms::phrase(ask).map(Value::from)),
        ("excludeTerms", excluded.map(Value::from)),
    ];
    ProviderRequest::get(account, fields)
}

fn read(reply: &HttpResponse) -> Result<Vec<SearchResult>, UnreadableReply> {
    let body = reply::object(reply)?;
    let marks = ["{}", "kind", "items", "searchInformation", "queries"];
    result_list::results_at(&body, "/items", &marks, |item| {
        let tags = item.pointer("/pagemap/metatags/0").unwrap_or(&Value::Null);
        SearchResult {
            title: results::without_highlight_marks(string(item, "title").trim()),
            url: string(item, "link").to_owned(),
            snippet: results::without_highlight_marks(
                &string(item, "snippet")
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" "),
            ),
            published_at: dates::iso(string(tags, "article:published_time")),
            ..SearchResult::default()
        }
    })
}

fn refusal(title: &str, reply: &HttpResponse) -> ProviderRefusal {
    let message = reply::error_message(reply);
    // Reasons are in `errors` or in `details`, depending on the age of the service.
    let says = |reasons: &[&str]| reply::contains_any(reply, reasons);
    let bad_key = ["api_key_invalid", "keyinvalid", "keyexpired"];
    if reply.status == 401 || says(&bad_key) || message.starts_with("API key not valid") {
        return reply::rejected_key_refusal(title, reply);
    }
    let quota = says(&["dailylimitexceeded", "quotaexceeded", "per day"]);
    let used_up = "Rate limit exceeded. You've used your free search quota (100/day).";
    match reply.status {
        403 | 429 if quota => ProviderRefusal::new(reply::QUOTA, used_up),
        429 if says(&["per minute", "per second"]) => reply::rate_limit_refusal(title, reply),
        // Google does not say for how long.
        429 => ProviderRefusal::new(reply::THROTTLED, used_up),
        _ => reply::upstream_refusal(title, reply),
    }
}

/// Returns the user's own search engine, which is asked if no lens names one; its results are those
/// that its user has set up. `None` for the other providers.
#[must_use]
pub fn engine(provider: &SearchProvider, account: &ProviderAccount) -> Option<String> {
    (*provider == PROVIDER).then(|| account.key(1).to_owned())
}
