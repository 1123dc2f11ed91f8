//! Brave Search: its URL, its reply, its errors.
//!
//! Facts: Brave Search API documentation, "Web search", "Query parameters", "Country codes",
//! "Language codes" and "Response headers".

use std::time::Duration;

use serde_json::Value;
use url::Url;

use super::exchange::{self, Patience};
use super::provider::{
    Account, Endpoint, Limits, Misread, Provider, Refusal, Request, Sites, Slot,
};
use super::query::{Ask, Safe, Search, TimeRange};
use super::reply::{self, string, strings};
use super::terms::{self, Words};
use super::{DomainFilter, Found, SearchError, SearchResult, dates, plain};
use crate::basics::words::thousands;
use crate::web::client::{Client, Response};
use crate::web::credentials::{CredentialName, Credentials, Key};

const NAME: &str = "Brave";
const ENDPOINT: &str = "https://api.search.brave.com/res/v1/web/search";
/// Replaces the endpoint.
const ENDPOINT_VARIABLE: &str = "IKIGAI_BRAVE_URL";

/// What the model is told where no key is configured.
pub const SETUP_ERROR: &str = "Web search requires API key configuration.\n\nBrave Search offers \
    2,000 free searches/month.\nGet your key: https://brave.com/search/api/\nAdd to: \
    ~/.config/ikigai/credentials.json as 'web_search.brave.api_key'";

/// What the user is told where no key is configured.
pub const SETUP_NOTICE: &str = "\u{26a0} Configuration Required\n\nWeb search needs an API key. \
    Brave Search offers 2,000 free searches/month.\n\nGet your key: \
    https://brave.com/search/api/\nAdd to: \
    ~/.config/ikigai/credentials.json\n\nExample:\n{\n  \"web_search\": {\n    \"brave\": {\n      \
    \"api_key\": \"your-api-key-here\"\n    }\n  }\n}";

/// A search of the tool that knows Brave alone.
#[derive(Clone, Debug)]
pub struct BraveQuery<'a> {
    /// What to look for.
    pub text: &'a str,
    /// How many results, 1 to 20.
    pub count: u64,
    /// Which page of results, 0 to 9.
    pub page: u64,
    /// Which hosts; applied to the page that Brave returns, which may become shorter.
    pub domains: &'a DomainFilter,
}

/// What the key is called.
pub const KEY: CredentialName = CredentialName {
    variable: "BRAVE_API_KEY",
    path: &["web_search", "brave", "api_key"],
};

/// The provider.
pub static PROVIDER: Provider = Provider {
    name: "brave",
    title: NAME,
    slots: &[Slot {
        names: &[KEY],
        required: true,
    }],
    endpoint: Endpoint::Known {
        variable: ENDPOINT_VARIABLE,
        address: ENDPOINT,
    },
    setup: "Brave Search has a key at https://brave.com/search/api/.",
    limits: Limits {
        characters: 400,
        words: 50,
        sites: Sites::Words(30),
        results: 20,
        pages: true,
        // A free key may ask once a second.
        at_once: false,
        ..Limits::PLAIN
    },
    words: Words::ALL,
    accept: "application/json",
    request,
    read,
    refusal,
};

/// The languages that it knows, where they are not called as elsewhere.
const LANGUAGES: &[(&str, &str)] = &[
    ("ja", "jp"),
    ("no", "nb"),
    ("pt", "pt-pt"),
    ("zh", "zh-hans"),
];

/// The others.
const PLAIN_LANGUAGES: &[&str] = &[
    "ar", "bg", "bn", "ca", "cs", "da", "de", "en", "es", "et", "eu", "fi", "fr", "gl", "gu", "he",
    "hi", "hr", "hu", "is", "it", "kn", "ko", "lt", "lv", "ml", "mr", "ms", "nb", "nl", "pa", "pl",
    "ro", "ru", "sk", "sl", "sr", "sv", "ta", "te", "th", "tr", "uk", "vi",
];

/// The countries that it knows.
const COUNTRIES: &[&str] = &[
    "AR", "AT", "AU", "BE", "BR", "CA", "CH", "CL", "CN", "DE", "DK", "ES", "FI", "FR", "GB", "GR",
    "HK", "ID", "IN", "IT", "JP", "KR", "MX", "MY", "NL", "NO", "NZ", "PH", "PL", "PT", "RU", "SA",
    "SE", "TR", "TW", "US", "ZA",
];

fn request(ask: &Ask<'_>, account: &Account) -> Request {
    let search = ask.search;
    let text = terms::written(ask, PROVIDER.words);
    let (count, page) = (
        ask.count.clamp(1, 20).to_string(),
        ask.page.min(9).to_string(),
    );
    let mut parameters = vec![("q", text.as_str()), ("count", &count), ("offset", &page)];
    if let Some(range) = search.time_range {
        let freshness = match range {
            TimeRange::Day => "pd",
            TimeRange::Week => "pw",
            TimeRange::Month => "pm",
            TimeRange::Year => "py",
        };
        parameters.push(("freshness", freshness));
    }
    if let Some(safe) = search.safe {
        let level = match safe {
            Safe::Off => "off",
            Safe::Medium => "moderate",
            Safe::High => "strict",
        };
        parameters.push(("safesearch", level));
    }
    let country = search.country.as_deref();
    let language = search
        .language
        .as_deref()
        .map(|code| language(code, country));
    if let Some(Some(language)) = language {
        parameters.push(("search_lang", language));
    }
    let known = country.filter(|code| COUNTRIES.contains(code));
    if let Some(country) = known {
        parameters.push(("country", country));
    }
    Request::get(account, &parameters)
        .with("X-Subscription-Token", account.key(0))
        .without("language", language == Some(None))
        .without("country", country != known)
}

/// What it calls a language.
fn language(code: &str, country: Option<&str>) -> Option<&'static str> {
    match (code, country) {
        ("pt", Some("BR")) => return Some("pt-br"),
        ("zh", Some("TW" | "HK")) => return Some("zh-hant"),
        _ => {}
    }
    let other = LANGUAGES.iter().find(|(name, _)| *name == code);
    let plain = || PLAIN_LANGUAGES.iter().find(|name| **name == code);
    other.map(|(_, own)| *own).or_else(|| plain().copied())
}

fn read(reply: &Response) -> Result<Vec<SearchResult>, Misread> {
    let body = reply::object(reply)?;
    let list = body.pointer("/web/results");
    Ok(reply::results(list, |item| SearchResult {
        title: plain::text(string(item, "title")),
        url: string(item, "url").to_owned(),
        snippet: plain::text(string(item, "description")),
        published_at: dates::iso(string(item, "page_age")),
        extra_snippets: strings(item.get("extra_snippets"))
            .iter()
            .map(|text| plain::text(text))
            .collect(),
        ..SearchResult::default()
    }))
}

/// The key, from `BRAVE_API_KEY` or the credentials file.
pub fn key(credentials: &Credentials<'_>) -> Result<Key, SearchError> {
    credentials
        .find(KEY.variable, KEY.path)
        .map_err(|why| super::missing(SETUP_ERROR, why))
}

/// Where to ask: `IKIGAI_BRAVE_URL`, where it is set, else the provider's own endpoint.
pub fn endpoint() -> Result<Url, SearchError> {
    super::endpoint(ENDPOINT_VARIABLE, ENDPOINT)
}

/// Searches at `endpoint`, for the tool that knows Brave alone.
pub fn search(
    client: &Client,
    endpoint: &Url,
    key: &Key,
    query: &BraveQuery<'_>,
) -> Result<Found, SearchError> {
    let sendable = |byte: u8| (b' '..=b'~').contains(&byte);
    if !key.expose().bytes().all(sendable) {
        return Err(SearchError::AuthInvalid(
            "The API key holds characters that no key has. Set BRAVE_API_KEY anew, or \
             'web_search.brave.api_key' in credentials.json."
                .to_owned(),
        ));
    }
    let account = Account {
        endpoint: endpoint.clone(),
        keys: vec![Some(key.clone())],
    };
    let count = usize::try_from(query.count.clamp(1, 20)).unwrap_or(20);
    let search = Search {
        query: query.text.to_owned(),
        ..Search::default()
    };
    let ask = Ask {
        search: &search,
        sites: &[],
        cx: None,
        count,
        page: usize::try_from(query.page).unwrap_or(9),
    };
    let request = request(&ask, &account);
    let mut results = exchange::results(client, &PROVIDER, &account, &request, Patience::WHOLE)?;
    let given = results.len();
    results.retain(|result| query.domains.admits(&result.url));
    let filtered = given - results.len();
    results.truncate(count);
    Ok(Found {
        results,
        filtered,
        ..Found::default()
    })
}

fn refusal(reply: &Response) -> Refusal {
    let body = reply::json(reply).unwrap_or_default();
    let error = body.get("error").unwrap_or(&Value::Null);
    let code = string(error, "code");
    if matches!(reply.status, 401 | 403) || reply::names(reply, "SUBSCRIPTION_TOKEN_INVALID") {
        return reply::rejected(NAME, reply);
    }
    if reply.status == 402 {
        return reply::by_status(NAME, reply);
    }
    if reply.status != 429 {
        return reply::upstream(NAME, reply);
    }
    let meta = error.get("meta").unwrap_or(&Value::Null);
    if let Quota::UsedUp(limit) = quota(reply, code, meta) {
        let text = match limit {
            None | Some(2000) => "Rate limit exceeded. You've used your free search quota \
                 (2,000/month)."
                .to_owned(),
            Some(limit) => format!(
                "Rate limit exceeded. You've used your search quota ({}/month).",
                thousands(limit)
            ),
        };
        return Refusal::new(reply::QUOTA, text);
    }
    let text = "Rate limit exceeded: Brave asks for slower searching on this plan";
    Refusal {
        again: Some(told_wait(reply)),
        ..Refusal::new(reply::THROTTLED, text)
    }
}

/// The long quota, as opposed to the rate per second.
enum Quota {
    Left,
    /// With its limit, if known.
    UsedUp(Option<u64>),
}

/// Whether the long quota is used up.
///
/// The body is believed before the headers, since only it names what was exceeded.
fn quota(reply: &Response, code: &str, meta: &Value) -> Quota {
    let number = |name: &str| meta.get(name).and_then(Value::as_u64);
    let limit = number("quota_limit").filter(|limit| *limit > 0);
    if code.contains("QUOTA") {
        return Quota::UsedUp(limit);
    }
    if let (Some(limit), Some(current)) = (limit, number("quota_current")) {
        return if current >= limit {
            Quota::UsedUp(Some(limit))
        } else {
            Quota::Left
        };
    }
    let windows = list(reply, "x-ratelimit-policy");
    let limits = list(reply, "x-ratelimit-limit");
    let remaining = list(reply, "x-ratelimit-remaining");
    // The shortest window comes first; a limit of zero means no limit.
    let Some(last) = remaining.len().checked_sub(1) else {
        return Quota::Left;
    };
    let limit = limits.get(last).copied();
    let long = last > 0 || windows.get(last).is_some_and(|window| *window > 3600);
    if long && remaining[last] == 0 && limit != Some(0) {
        Quota::UsedUp(limit)
    } else {
        Quota::Left
    }
}

/// The numbers of a header such as `1, 15000`, or the windows of `1;w=1, 15000;w=2592000`.
fn list(reply: &Response, name: &str) -> Vec<u64> {
    let items = reply.header(name).unwrap_or_default().split(',');
    items
        .filter_map(|item| {
            let number = item.split_once("w=").map_or(item, |(_, window)| window);
            number.trim().parse().ok()
        })
        .collect()
}

/// How long to wait for the next request to be allowed: as the reply says, or a second.
fn told_wait(reply: &Response) -> Duration {
    let after = list(reply, "retry-after").first().copied();
    let reset = list(reply, "x-ratelimit-reset").first().copied();
    Duration::from_secs(after.or(reset).unwrap_or(1))
}
