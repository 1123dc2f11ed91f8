//! Brave Search: its URL, its reply, its errors.
//!
//! Facts: Brave Search API documentation, "Web search", "Query parameters", "Country codes",
//! "Language codes" and "Response headers".

use std::time::Duration;

use serde_json::Value;

use super::query::{ProviderQuery, SafeSearch, TimeRange};
use super::query_terms::{self, QueryOperators};
use super::search_provider::{ProviderLimits, SearchProvider, SiteQuery};
use super::{SearchResult, dates, html_text, result_list};
use crate::client::HttpResponse;
use crate::provider::reply::{self, string, strings};
use crate::provider::{
    CredentialSlot, Provider, ProviderAccount, ProviderEndpoint, ProviderRefusal, ProviderRequest,
    UnreadableReply, required_key,
};
use iki_base::wording::thousands;

/// Message for the model if no key is configured.
pub const SETUP_ERROR: &str = "Web search requires API key configuration.\n\nBrave Search offers \
    2,000 free searches/month.\nGet your key: https://brave.com/search/api/\nAdd to: \
    ~/.config/ikigai/credentials.json as 'web_search.brave.api_key'";

/// Notice for the user if no key is configured.
pub const SETUP_NOTICE: &str = "\u{26a0} Configuration Required\n\nWeb search needs an API key. \
    Brave Search offers 2,000 free searches/month.\n\nGet your key: \
    https://brave.com/search/api/\nAdd to: \
    ~/.config/ikigai/credentials.json\n\nExample:\n{\n  \"web_search\": {\n    \"brave\": {\n      \
    \"api_key\": \"your-api-key-here\"\n    }\n  }\n}";

/// The API key.
pub const KEY: CredentialSlot = required_key("BRAVE_API_KEY", &["web_search", "brave", "api_key"]);

/// Row of this provider.
pub static PROVIDER: SearchProvider = SearchProvider {
    service: Provider {
        name: "brave",
        title: "Brave",
        slots: &[KEY],
        endpoint: ProviderEndpoint::Known("https://api.search.brave.com/res/v1/web/search"),
        setup: "Get a key for Brave Search at https://brave.com/search/api/.",
        refusal,
        ..Provider::PLAIN
    },
    limits: ProviderLimits {
        characters: 400,
        words: 50,
        sites: SiteQuery::Words(30),
        results: 20,
        has_second_page: true,
        // The free plan allows one request a second.
        allows_concurrency: false,
        ..ProviderLimits::PLAIN
    },
    words: QueryOperators::ALL,
    request,
    read,
};

/// Languages whose codes differ from ISO 639-1.
const LANGUAGES: &[(&str, &str)] = &[
    ("ja", "jp"),
    ("no", "nb"),
    ("pt", "pt-pt"),
    ("zh", "zh-hans"),
];

/// Languages that it knows by their ISO 639-1 codes.
const PLAIN_LANGUAGES: &[&str] = &[
    "ar", "bg", "bn", "ca", "cs", "da", "de", "en", "es", "et", "eu", "fi", "fr", "gl", "gu", "he",
    "hi", "hr", "hu", "is", "it", "kn", "ko", "lt", "lv", "ml", "mr", "ms", "nb", "nl", "pa", "pl",
    "ro", "ru", "sk", "sl", "sr", "sv", "ta", "te", "th", "tr", "uk", "vi",
];

/// Countries that it knows.
const COUNTRIES: &[&str] = &[
    "AR", "AT", "AU", "BE", "BR", "CA", "CH", "CL", "CN", "DE", "DK", "ES", "FI", "FR", "GB", "GR",
    "HK", "ID", "IN", "IT", "JP", "KR", "MX", "MY", "NL", "NO", "NZ", "PH", "PL", "PT", "RU", "SA",
    "SE", "TR", "TW", "US", "ZA",
];

fn request(ask: &ProviderQuery<'_>, account: &ProviderAccount) -> ProviderRequest {
    let search = ask.search;
    let country = search.country.as_deref();
    let language = search.language.as_deref();
    let spoken = language.and_then(|code| own_language(code, country));
    let known = country.filter(|code| COUNTRIES.contains(code));
    let freshness = search.time_range.map(|range| match range {
        TimeRange::Day => "pd",
        TimeRange::Week => "pw",
        TimeRange::Month => "pm",
        TimeRange::Year => "py",
    });
    let safe = search.safe.map(|safe| match safe {
        SafeSearch::Off => "off",
        SafeSearch::Medium => "moderate",
        SafeSearch::High => "strict",
    });
    let fields = [
        (
            "q",
            Some(query_terms::query_string(ask, PROVIDER.words).into()),
        ),
        ("count", Some(ask.count.clamp(1, 20).into())),
        ("offset", Some(ask.page().min(9).into())),
        ("freshness", freshness.map(Value::from)),
        ("safesearch", safe.map(Value::from)),
        ("search_lang", spoken.map(Value::from)),
        ("country", known.map(Value::from)),
    ];
    ProviderRequest::get(account, fields)
        .with("X-Subscription-Token", account.key(0))
        .without("language", language.is_some() && spoken.is_none())
        .without("country", country != known)
}

/// Returns Brave's own code of a language.
fn own_language(code: &str, country: Option<&str>) -> Option<&'static str> {
    match (code, country) {
        ("pt", Some("BR")) => return Some("pt-br"),
        ("zh", Some("TW" | "HK")) => return Some("zh-hant"),
        _ => {}
    }
    let other = LANGUAGES.iter().find(|(name, _)| *name == code);
    let plain = || PLAIN_LANGUAGES.iter().find(|name| **name == code);
    other
        .map(|(_, language)| *language)
        .or_else(|| plain().copied())
}

fn read(reply: &HttpResponse) -> Result<Vec<SearchResult>, UnreadableReply> {
    let body = reply::object(reply)?;
    let marks = ["{}", "type", "query", "web"];
    result_list::results_at(&body, "/web/results", &marks, |item| SearchResult {
        title: html_text::text(string(item, "title")),
        url: string(item, "url").to_owned(),
        snippet: html_text::text(string(item, "description")),
        published_at: dates::iso(string(item, "page_age")),
        extra_snippets: strings(item.get("extra_snippets"))
            .iter()
            .map(|text| html_text::text(text))
            .collect(),
        ..SearchResult::default()
    })
}

fn refusal(title: &str, reply: &HttpResponse) -> ProviderRefusal {
    let body = reply::json(reply).unwrap_or_default();
    let error = body.get("error").unwrap_or(&Value::Null);
    let code = string(error, "code");
    if matches!(reply.status, 401 | 403)
        || reply::contains_any(reply, &["subscription_token_invalid"])
    {
        return reply::rejected_key_refusal(title, reply);
    }
    if reply.status != 429 {
        return reply::by_status(title, reply);
    }
    let meta = error.get("meta").unwrap_or(&Value::Null);
    if let BraveQuota::UsedUp(limit) = quota(reply, code, meta) {
        let text = match limit {
            None | Some(2000) => {
                "Rate limit exceeded. You've used your free search quota (2,000/month).".to_owned()
            }
            Some(limit) => format!(
                "Rate limit exceeded. You've used your search quota ({}/month).",
                thousands(limit)
            ),
        };
        return ProviderRefusal::new(reply::QUOTA, text);
    }
    let text = "Rate limit exceeded: Brave asks for slower searching on this plan";
    ProviderRefusal {
        again: Some(retry_wait(reply)),
        ..ProviderRefusal::new(reply::THROTTLED, text)
    }
}

/// State of the long-term quota, as opposed to the rate limit per second.
enum BraveQuota {
    Left,
    /// Used up; its limit, if known.
    UsedUp(Option<u64>),
}

/// Determines whether the long-term quota is used up.
///
/// The body takes precedence over the headers because only the body names the limit that was
/// exceeded.
fn quota(reply: &HttpResponse, code: &str, meta: &Value) -> BraveQuota {
    let number = |name: &str| meta.get(name).and_then(Value::as_u64);
    let limit = number("quota_limit").filter(|limit| *limit > 0);
    if code.contains("QUOTA") {
        return BraveQuota::UsedUp(limit);
    }
    if let (Some(limit), Some(current)) = (limit, number("quota_current")) {
        return if current >= limit {
            BraveQuota::UsedUp(Some(limit))
        } else {
            BraveQuota::Left
        };
    }
    let windows = list(reply, "x-ratelimit-policy");
    let limits = list(reply, "x-ratelimit-limit");
    let remaining = list(reply, "x-ratelimit-remaining");
    // The shortest window comes first; a limit of zero means no limit.
    let Some(last) = remaining.len().checked_sub(1) else {
        return BraveQuota::Left;
    };
    let limit = limits.get(last).copied();
    let long = last > 0 || windows.get(last).is_some_and(|window| *window > 3600);
    if long && remaining[last] == 0 && limit != Some(0) {
        BraveQuota::UsedUp(limit)
    } else {
        BraveQuota::Left
    }
}

/// Returns the numbers of a header such as `1, 15000`, or the windows of `1;w=1, 15000;w=2592000`.
fn list(reply: &HttpResponse, name: &str) -> Vec<u64> {
    let items = reply.header(name).unwrap_or_default().split(',');
    items
        .filter_map(|item| {
            let number = item.split_once("w=").map_or(item, |(_, window)| window);
            number.trim().parse().ok()
        })
        .collect()
}

/// Returns the time until the next request is allowed, as the reply gives it; a second by default.
fn retry_wait(reply: &HttpResponse) -> Duration {
    let after = list(reply, "retry-after").first().copied();
    let reset = list(reply, "x-ratelimit-reset").first().copied();
    Duration::from_secs(after.or(reset).unwrap_or(1))
}
