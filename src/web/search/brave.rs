//! Brave Search: its URL, its reply, its errors.
//!
//! Facts: Brave Search API documentation, "Web search" and "Response headers".

use std::time::Duration;

use serde_json::Value;
use url::Url;

use super::{
    Ask, DomainFilter, Found, SearchError, SearchResult, Verdict, plain, string, thousands,
};
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

/// A search.
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

/// Searches at `endpoint`.
pub fn search(
    client: &Client,
    endpoint: &Url,
    key: &Key,
    query: &BraveQuery<'_>,
) -> Result<Found, SearchError> {
    if !key
        .expose()
        .bytes()
        .all(|byte| (b' '..=b'~').contains(&byte))
    {
        return Err(SearchError::AuthInvalid(
            "The API key holds characters that no key has. Set BRAVE_API_KEY anew, or \
             'web_search.brave.api_key' in credentials.json."
                .to_owned(),
        ));
    }
    let count = query.count.clamp(1, 20);
    let url = url(endpoint.clone(), query, count);
    let headers = [("X-Subscription-Token", key.expose())];
    let ask = Ask {
        provider: NAME,
        url: &url,
        headers: &headers,
        keys: &[key],
    };
    let reply = super::ask(client, &ask, judge)?;
    let mut results = super::results(reply.pointer("/web/results"), |item| SearchResult {
        title: plain::text(string(item, "title")),
        url: string(item, "url").to_owned(),
        snippet: plain::text(string(item, "description")),
    });
    let given = results.len();
    results.retain(|result| query.domains.admits(&result.url));
    let filtered = given - results.len();
    results.truncate(usize::try_from(count).unwrap_or(usize::MAX));
    Ok(Found {
        results,
        filtered,
        ..Found::default()
    })
}

fn url(mut url: Url, query: &BraveQuery<'_>, count: u64) -> Url {
    url.query_pairs_mut()
        .append_pair("q", query.text)
        .append_pair("count", &count.to_string())
        .append_pair("offset", &query.page.min(9).to_string());
    url
}

fn judge(reply: &Response) -> Verdict {
    let body = super::json(reply).unwrap_or_default();
    let error = body.get("error").unwrap_or(&Value::Null);
    let code = string(error, "code");
    let message = [
        string(error, "detail"),
        string(error, "message"),
        string(&body, "message"),
    ];
    let message = message
        .into_iter()
        .find(|text| !text.is_empty())
        .unwrap_or_default();
    if matches!(reply.status, 401 | 403) || super::names(reply, "SUBSCRIPTION_TOKEN_INVALID") {
        return Verdict::Fail(SearchError::AuthInvalid(format!(
            "Brave rejected the API key ({}). Check BRAVE_API_KEY, or 'web_search.brave.api_key' \
             in credentials.json.",
            if message.is_empty() {
                reply.status_text()
            } else {
                super::tidy(message)
            }
        )));
    }
    if reply.status != 429 {
        return Verdict::Fail(super::api_error(NAME, reply, message));
    }
    let meta = error.get("meta").unwrap_or(&Value::Null);
    if let Quota::UsedUp(limit) = quota(reply, code, meta) {
        return Verdict::Fail(SearchError::RateLimit(match limit {
            None | Some(2000) => "Rate limit exceeded. You've used your free search quota \
                 (2,000/month)."
                .to_owned(),
            Some(limit) => format!(
                "Rate limit exceeded. You've used your search quota ({}/month).",
                thousands(limit)
            ),
        }));
    }
    Verdict::Wait(
        told_wait(reply),
        "Rate limit exceeded: Brave asks for slower searching on this plan".to_owned(),
    )
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
