//! `SearXNG`, an instance of the user's own: its URL, its reply, its errors.
//!
//! Facts: `SearXNG` documentation, "Search API", "search:" of its settings (`formats`), "Limiter".

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

use super::query::{ProviderQuery, SafeSearch};
use super::query_terms::{self, QueryOperators};
use super::search_provider::{ProviderLimits, SearchProvider};
use super::{SearchResult, dates, html_text, result_list};
use crate::client::HttpResponse;
use crate::credentials::CredentialName;
use crate::provider::failure::ProviderFailureKind;
use crate::provider::reply::{self, list, string};
use crate::provider::{
    Provider, ProviderAccount, ProviderEndpoint, ProviderRefusal, ProviderRequest, UnreadableReply,
    optional_key,
};

const NAME: &str = "SearXNG";

/// Maximum number of answers, and of facts of an infobox.
const MAX_FACTS: usize = 10;

/// Row of this provider.
pub static PROVIDER: SearchProvider = SearchProvider {
    service: Provider {
        name: "searxng",
        title: NAME,
        slots: &[
            optional_key(
                "SEARXNG_BASIC_AUTH",
                &["web_search", "searxng", "basic_auth"],
            ),
            optional_key("SEARXNG_HEADERS", &["web_search", "searxng", "headers"]),
        ],
        endpoint: ProviderEndpoint::Own(CredentialName {
            variable: "SEARXNG_URL",
            path: &["web_search", "searxng", "url"],
        }),
        setup: "SearXNG is a server of your own, at an address such as http://localhost:8080, \
                whose settings have `json` among `search.formats`.",
        refusal,
        ..Provider::PLAIN
    },
    limits: ProviderLimits {
        // The limit of its engines; SearXNG passes the query on.
        characters: 500,
        words: 50,
        ..ProviderLimits::PLAIN
    },
    words: QueryOperators::ALL,
    request,
    read,
};

fn request(ask: &ProviderQuery<'_>, account: &ProviderAccount) -> ProviderRequest {
    let search = ask.search;
    let safe = search.safe.map(|safe| match safe {
        SafeSearch::Off => "0",
        SafeSearch::Medium => "1",
        SafeSearch::High => "2",
    });
    let language = match (&search.language, &search.country) {
        (Some(language), Some(country)) => Some(format!("{language}-{country}")),
        (language, _) => language.clone(),
    };
    let mut account = account.clone();
    let path = account.endpoint.path().trim_end_matches('/').to_owned();
    if !path.ends_with("/search") {
        account.endpoint.set_path(&format!("{path}/search"));
    }
    let lonely = search.country.is_some() && search.language.is_none();
    let fields = [
        (
            "q",
            Some(query_terms::query_string(ask, PROVIDER.words).into()),
        ),
        ("format", Some("json".into())),
        ("categories", Some("general".into())),
        ("pageno", Some((ask.page() + 1).into())),
        (
            "time_range",
            search.time_range.map(|range| range.name().into()),
        ),
        ("safesearch", safe.map(Value::from)),
        ("language", language.map(Value::from)),
    ];
    let mut request = ProviderRequest::get(&account, fields).without("country", lonely);
    let login = account.key(0);
    if !login.is_empty() {
        let value = match login.strip_prefix("Basic ") {
            Some(encoded) => format!("Basic {}", encoded.trim()),
            None => format!("Basic {}", BASE64_STANDARD.encode(login)),
        };
        request = request.with("Authorization", &value);
    }
    for (name, value) in headers(account.key(1)) {
        request = request.with(&name, &value);
    }
    request
}

/// Parses the configured headers: a JSON object, or `Name: value` separated by semicolons, commas
/// or line ends. Anything else is left out.
fn headers(text: &str) -> Vec<(String, String)> {
    let pairs: Vec<(String, String)> = match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(object)) => object
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.as_str()?.to_owned())))
            .collect(),
        _ => text
            .split([';', ',', '\n', '\r'])
            .filter_map(|part| part.split_once([':', '=']))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
    };
    let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    pairs
        .into_iter()
        .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
        .filter(|(name, value)| {
            let own_headers = ["host", "content-length", "connection", "transfer-encoding"];
            !name.is_empty()
                && name.chars().all(token)
                && !own_headers.contains(&name.to_ascii_lowercase().as_str())
                && value.bytes().all(|byte| (b' '..=b'~').contains(&byte))
        })
        .collect()
}

fn read(reply: &HttpResponse) -> Result<Vec<SearchResult>, UnreadableReply> {
    let body = reply::object(reply)?;
    let list = reply::items(body.get("results"))?;
    // One of each at most, since they take the place of pages.
    let mut results: Vec<SearchResult> = answers(&body, reply).into_iter().collect();
    let infoboxes = result_list::results(reply::list(&body, "infoboxes"), infobox);
    results.extend(infoboxes.into_iter().take(1));
    results.extend(result_list::results(list, |item| SearchResult {
        title: html_text::text(string(item, "title")),
        url: string(item, "url").to_owned(),
        snippet: html_text::text(string(item, "content")),
        published_at: dates::iso(string(item, "publishedDate")),
        ..SearchResult::default()
    }));
    let silent = unresponsive(&body);
    if results.is_empty() && !silent.is_empty() {
        // The engines that failed might have had results.
        let text = format!(
            "{NAME} found nothing, but not all of its engines answered: {}.",
            silent.join(", ")
        );
        return Err(UnreadableReply::Refused(ProviderRefusal::new(
            ProviderFailureKind::Upstream,
            text,
        )));
    }
    Ok(results)
}

/// Reads the answers: texts, or objects with their source. One of the instance itself, such as a
/// sum, has none: the address is then that of the search.
fn answers(body: &Value, reply: &HttpResponse) -> Option<SearchResult> {
    let list = list(body, "answers");
    let text = |item: &Value| {
        let text = item.as_str().unwrap_or_else(|| string(item, "answer"));
        Some(html_text::text(text)).filter(|text| !text.is_empty())
    };
    let mut texts = list.iter().take(MAX_FACTS).filter_map(text);
    let mut sources = list.iter().map(|item| string(item, "url"));
    let source = sources.find(|url| !url.is_empty());
    Some(SearchResult {
        title: format!("Answer of {NAME}"),
        url: source.unwrap_or(reply.url.as_str()).to_owned(),
        snippet: texts.next()?,
        extra_snippets: texts.collect(),
        ..SearchResult::default()
    })
}

/// Reads an infobox: a text about the subject of the query, and facts of it.
fn infobox(item: &Value) -> SearchResult {
    let link = list(item, "urls").first().map(|link| string(link, "url"));
    let id = string(item, "id");
    let is_address = id.starts_with("https://") || id.starts_with("http://");
    let facts = list(item, "attributes")
        .iter()
        .take(MAX_FACTS)
        .filter_map(|fact| {
            let (label, value) = (string(fact, "label"), string(fact, "value"));
            let is_told = !label.is_empty() && !value.is_empty();
            is_told.then(|| html_text::text(&format!("{label}: {value}")))
        });
    SearchResult {
        title: html_text::text(string(item, "infobox")),
        url: if is_address {
            id
        } else {
            link.unwrap_or_default()
        }
        .to_owned(),
        snippet: html_text::text(string(item, "content")),
        extra_snippets: facts.collect(),
        ..SearchResult::default()
    }
}

/// Returns the engines that did not answer, with the reasons.
fn unresponsive(body: &Value) -> Vec<String> {
    let engines = list(body, "unresponsive_engines").iter().take(10);
    engines
        .filter_map(|engine| {
            let name = engine.get(0)?.as_str()?;
            let why = engine.get(1).and_then(Value::as_str).unwrap_or("no answer");
            Some(reply::on_one_short_line(&format!("{name} ({why})")))
        })
        .collect()
}

fn refusal(title: &str, reply: &HttpResponse) -> ProviderRefusal {
    let status = reply.status_text();
    let (kind, text) = match reply.status {
        401 => (
            ProviderFailureKind::AuthInvalid,
            format!("{title} requires a login, or another one ({status})."),
        ),
        403 => (
            ProviderFailureKind::Config,
            format!(
                "{title} refuses to answer in JSON ({status}): add `json` to `search.formats` in \
                 its settings.yml, or look at its limiter."
            ),
        ),
        429 => (
            reply::THROTTLED,
            format!("{title}'s limiter asks for slower searching ({status})."),
        ),
        _ => return reply::upstream_refusal(title, reply),
    };
    ProviderRefusal::new(kind, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_configured_as_json_or_as_lines() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        for text in [
            r#"{"X-A":"b, c","X-D":"e"}"#,
            "X-A: b, c\nX-D: e",
            "X-A=b; X-D: e",
        ] {
            let pairs = headers(text);
            assert_eq!(pairs.last(), Some(&pair("X-D", "e")), "{text}");
        }
        assert_eq!(headers(r#"{"X-A":"b, c"}"#), [pair("X-A", "b, c")]);
        for text in [
            "",
            "nonsense",
            "Host: x",
            "a b: c",
            "X: \u{fc}",
            "X: a\u{1}b",
        ] {
            assert!(headers(text).is_empty(), "{text}");
        }
    }
}
