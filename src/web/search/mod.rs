//! What all web searches share: results, errors, and one retry where the provider asks to wait.
//!
//! Nothing here is specific to a provider; see [`brave`] and [`google`].

use std::fmt;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use url::Url;

pub mod brave;
mod domains;
pub mod google;
mod plain;

pub use domains::DomainFilter;

use super::client::{self, Client, FetchRequest, Response};
use super::credentials::{Key, Missing};

/// The shortest wait before asking again.
const MIN_WAIT: Duration = Duration::from_millis(250);
/// The time that must be left for the second try after its wait.
const RETRY_NEEDS: Duration = Duration::from_secs(3);
/// The longest message of a provider that is passed on, in characters.
const MAX_MESSAGE: usize = 500;

/// One result, all of it plain text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchResult {
    /// The page's title.
    pub title: String,
    /// The page's URL, as the provider gave it.
    pub url: String,
    /// What the page says about the query; may be empty.
    pub snippet: String,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The results, best first.
    pub results: Vec<SearchResult>,
    /// How many results the provider gave that the domain filter took away.
    pub filtered: usize,
    /// The domains that could not be searched, and why.
    pub failed: Vec<(String, SearchError)>,
    /// How many domains were not asked for, since there were too many.
    pub unasked: usize,
}

/// Why a search failed. Every text is ready to be shown, and never holds a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchError {
    /// No key is configured.
    AuthMissing(String),
    /// The provider rejects the key.
    AuthInvalid(String),
    /// Too many requests: the quota is used up, or the provider asked twice to slow down.
    RateLimit(String),
    /// The provider could not be reached.
    Network(String),
    /// The provider answered with another failure, or not as documented.
    Api(String),
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AuthMissing(text)
            | Self::AuthInvalid(text)
            | Self::RateLimit(text)
            | Self::Network(text)
            | Self::Api(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for SearchError {}

/// What a provider means by a failed reply.
enum Verdict {
    /// Retry after this long. The text, to be completed, is the error if a retry is impossible.
    Wait(Duration, String),
    /// The failure.
    Fail(SearchError),
}

/// What is asked of a provider.
struct Ask<'a> {
    provider: &'a str,
    url: &'a Url,
    headers: &'a [(&'a str, &'a str)],
    keys: &'a [&'a Key],
}

/// Sends a request and parses the reply; retries once if the provider asks to wait and time allows.
fn ask(
    client: &Client,
    ask: &Ask<'_>,
    judge: impl Fn(&Response) -> Verdict,
) -> Result<Value, SearchError> {
    let request = FetchRequest {
        url: ask.url,
        accept: "application/json",
        headers: ask.headers,
    };
    let clean = |text: &str| {
        ask.keys
            .iter()
            .fold(text.to_owned(), |text, key| key.hide_in(&text))
    };
    let mut waited = false;
    loop {
        let reply = match client.get(&request) {
            Ok(reply) => return parse(ask.provider, &reply).map_err(|error| error.map(clean)),
            Err(client::FetchError::Status(reply)) => without(ask.keys, *reply),
            Err(error) => {
                let text = clean(&error.to_string());
                return Err(SearchError::Network(format!(
                    "{} search failed: {text}",
                    ask.provider
                )));
            }
        };
        match judge(&reply) {
            Verdict::Wait(wait, text) => {
                let wait = wait.max(MIN_WAIT);
                if waited {
                    let text = format!(
                        "{text}, and waiting once was not enough. Wait a few seconds and search \
                         again."
                    );
                    return Err(SearchError::RateLimit(text));
                }
                if wait.saturating_add(RETRY_NEEDS) > client.left() {
                    let seconds = wait.as_secs();
                    let text = format!("{text}. Search again in {seconds} seconds.");
                    return Err(SearchError::RateLimit(text));
                }
                waited = true;
                thread::sleep(wait);
            }
            Verdict::Fail(error) => return Err(error.map(clean)),
        }
    }
}

/// A failed reply with the keys in it hidden, before anything is picked out of it or cut off.
fn without(keys: &[&Key], mut reply: Response) -> Response {
    for key in keys {
        reply.reason = key.hide_in(&reply.reason);
        let body = String::from_utf8_lossy(&reply.body);
        reply.body = key.hide_in(&body).into_bytes();
    }
    reply
}

impl SearchError {
    fn map(self, f: impl Fn(&str) -> String) -> Self {
        match self {
            Self::AuthMissing(text) => Self::AuthMissing(f(&text)),
            Self::AuthInvalid(text) => Self::AuthInvalid(f(&text)),
            Self::RateLimit(text) => Self::RateLimit(f(&text)),
            Self::Network(text) => Self::Network(f(&text)),
            Self::Api(text) => Self::Api(f(&text)),
        }
    }
}

/// A reply's body as JSON, whose byte order mark, if it has one, is no part of it.
fn json(reply: &Response) -> Option<Value> {
    let body = reply.body.as_slice();
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    serde_json::from_slice(body).ok()
}

fn parse(provider: &str, reply: &Response) -> Result<Value, SearchError> {
    if let Some(value @ Value::Object(_)) = json(reply) {
        return Ok(value);
    }
    let kind = reply.content_type().unwrap_or("no content type");
    Err(SearchError::Api(format!(
        "{provider} answered HTTP {} with something that is no JSON object ({kind}); is there a \
         proxy or a login page in between?",
        reply.status
    )))
}

/// Whether a failed reply names a reason anywhere in its body, JSON or not.
fn names(reply: &Response, reason: &str) -> bool {
    String::from_utf8_lossy(&reply.body).contains(reason)
}

/// The results in a reply's array, those without a URL left out.
fn results(list: Option<&Value>, read: impl Fn(&Value) -> SearchResult) -> Vec<SearchResult> {
    let items = list
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    items
        .iter()
        .map(read)
        .filter(|result| !result.url.is_empty())
        .collect()
}

/// A string of an object, or an empty one.
fn string<'a>(object: &'a Value, name: &str) -> &'a str {
    object.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// `API_ERROR` with the provider's own message, where it has one.
fn api_error(provider: &str, reply: &Response, message: &str) -> SearchError {
    let status = reply.status_text();
    SearchError::Api(match tidy(message) {
        text if text.is_empty() => format!("{provider} search failed: {status}"),
        text => format!("{provider} search failed: {text} ({status})"),
    })
}

/// A provider's message on one line, and not too long.
fn tidy(message: &str) -> String {
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(MAX_MESSAGE).collect()
}

/// Adds to a set-up message what is wrong with the credentials file.
fn missing(text: &str, missing: Missing) -> SearchError {
    SearchError::AuthMissing(match missing.problem {
        None => text.to_owned(),
        Some(problem) => format!("{text}\n\nThe credentials file could not be used. {problem}"),
    })
}

/// The endpoint: the variable's value, where it is set, else the provider's own.
fn endpoint(variable: &str, default: &str) -> Result<Url, SearchError> {
    let set = std::env::var(variable)
        .ok()
        .filter(|value| !value.trim().is_empty());
    client::parse_url(set.as_deref().unwrap_or(default))
        .map_err(|why| SearchError::Api(format!("{variable} is not a URL to ask: {why}")))
}

/// A whole number with its thousands apart, as in `2,000`.
fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
