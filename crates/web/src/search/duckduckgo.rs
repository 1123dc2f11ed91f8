//! `DuckDuckGo`'s results without scripts: its URL, its page, its bot check.
//!
//! Facts: `DuckDuckGo`'s help pages, "URL parameters"; the page itself, whose classes have been the
//! same for years. It needs no key and promises no answer: a bot check comes as HTTP 202 or as a
//! page of its own, and is never taken for a search without results.

use serde_json::Value;
use url::Url;

use super::query::{ProviderQuery, SafeSearch};
use super::query_terms::{self, QueryOperators};
use super::search_provider::{ProviderLimits, SearchProvider, SiteQuery};
use super::{SearchResult, dates};
use crate::client::HttpResponse;
use crate::guard::names::is_within;
use crate::provider::reply;
use crate::provider::{
    Provider, ProviderAccount, ProviderEndpoint, ProviderRefusal, ProviderRequest, UnreadableReply,
};
use iki_document as document;

const NAME: &str = "DuckDuckGo";
const ENDPOINT: &str = "https://html.duckduckgo.com/html/";

/// Row of this provider.
pub static PROVIDER: SearchProvider = SearchProvider {
    service: Provider {
        name: "duckduckgo",
        title: NAME,
        endpoint: ProviderEndpoint::Known(ENDPOINT),
        setup: "DuckDuckGo needs no key.",
        accept: "text/html, */*;q=0.5",
        refusal,
        ..Provider::PLAIN
    },
    limits: ProviderLimits {
        characters: 490,
        words: 100,
        sites: SiteQuery::Words(20),
        results: 10,
        // The second page is requested by a form that holds a secret of the first one.
        has_second_page: false,
        allows_concurrency: false,
        ..ProviderLimits::PLAIN
    },
    words: QueryOperators::ALL,
    request,
    read,
};

/// Regions: country and language.
const REGIONS: &[&str] = &[
    "ar-es", "at-de", "au-en", "be-fr", "be-nl", "bg-bg", "br-pt", "ca-en", "ca-fr", "ch-de",
    "ch-fr", "ch-it", "cl-es", "cn-zh", "co-es", "cz-cs", "de-de", "dk-da", "ee-et", "es-es",
    "fi-fi", "fr-fr", "gr-el", "hk-tzh", "hr-hr", "hu-hu", "id-id", "ie-en", "il-he", "in-en",
    "it-it", "jp-jp", "kr-kr", "lt-lt", "lv-lv", "mx-es", "my-ms", "nl-nl", "no-no", "nz-en",
    "pe-es", "ph-en", "pl-pl", "pt-pt", "ro-ro", "ru-ru", "se-sv", "sg-en", "sk-sk", "sl-sl",
    "th-th", "tr-tr", "tw-tzh", "ua-uk", "uk-en", "us-en", "us-es", "vn-vi", "xa-ar", "za-en",
];

/// Regions for a language without a country, if the first region with that language would be the
/// wrong one.
const HOMES: &[(&str, &str)] = &[
    ("de", "de-de"),
    ("en", "us-en"),
    ("es", "es-es"),
    ("fr", "fr-fr"),
    ("it", "it-it"),
    ("nl", "nl-nl"),
    ("pt", "pt-pt"),
];

fn request(ask: &ProviderQuery<'_>, account: &ProviderAccount) -> ProviderRequest {
    let search = ask.search;
    let (country, language) = (search.country.as_deref(), search.language.as_deref());
    let region = region(country, language);
    let safe = search.safe.map(|safe| match safe {
        SafeSearch::Off => "-2",
        SafeSearch::Medium => "-1",
        SafeSearch::High => "1",
    });
    let heeds = |wanted: Option<&str>, part: usize| {
        let region = region.and_then(|region| region.split('-').nth(part));
        wanted.is_none_or(|wanted| region == Some(&*own_code(wanted)) || wanted == "zh")
    };
    let fields = [
        (
            "q",
            Some(query_terms::query_string(ask, PROVIDER.words).into()),
        ),
        ("df", search.time_range.map(|range| range.letter().into())),
        ("kl", region.map(Value::from)),
        ("kp", safe.map(Value::from)),
    ];
    ProviderRequest::get(account, fields)
        .without("country", !heeds(country, 0))
        .without("language", !heeds(language, 1))
}

/// Returns its own code of a country or a language.
fn own_code(code: &str) -> String {
    match code {
        "GB" => "uk".to_owned(),
        "ja" => "jp".to_owned(),
        "ko" => "kr".to_owned(),
        _ => code.to_ascii_lowercase(),
    }
}

/// Returns the region that is nearest to the request.
fn region(country: Option<&str>, language: Option<&str>) -> Option<&'static str> {
    let language = language.map(own_code);
    if let Some(country) = country {
        let prefix = own_code(country) + "-";
        let mut regions = REGIONS.iter().filter(|one| one.starts_with(&prefix));
        let first = regions.clone().next();
        let speaks = |one: &&&str| language.as_deref() == Some(&one[prefix.len()..]);
        return regions.find(speaks).or(first).copied();
    }
    let language = language?;
    let home = HOMES.iter().find(|(code, _)| *code == language);
    let suffix = format!("-{language}");
    let any = || REGIONS.iter().find(|one| one.ends_with(&suffix)).copied();
    home.map(|(_, region)| *region).or_else(any)
}

/// Marks of a page that is a bot check.
const BOT_CHECK_MARKS: &[&str] = &[
    "anomaly-modal",
    "anomaly.js",
    "anomaly_modal",
    "challenge-form",
    "bots use duckduckgo too",
    "error-lite@duckduckgo.com",
];

/// Marks of a page without results.
const NO_RESULT_MARKS: &[&str] = &[
    "no-results",
    "result--no-result",
    "no results.",
    "no results found",
];

fn read(reply: &HttpResponse) -> Result<Vec<SearchResult>, UnreadableReply> {
    let checked = || UnreadableReply::Refused(checked(reply));
    if reply.status == 202 {
        return Err(checked());
    }
    let page = String::from_utf8_lossy(&reply.body);
    let classes = [
        "result__a",
        "result__snippet",
        "result__extras__url",
        "results",
    ];
    let picked = document::find_by_class(&page, &classes, &["result--ad", "result--no-result"]);
    let mut results: Vec<SearchResult> = Vec::new();
    let mut is_shown = false;
    // True while text belongs to the last of the results.
    let mut open = false;
    for one in picked {
        let last = results.last_mut().filter(|_| open);
        match (one.class, last) {
            (0, _) => {
                is_shown = true;
                let url = one.href.as_deref().and_then(target);
                open = url.is_some();
                results.extend(url.map(|url| SearchResult {
                    title: one.text,
                    url,
                    ..SearchResult::default()
                }));
            }
            (1, Some(result)) if result.snippet.is_empty() => result.snippet = one.text,
            (2, Some(result)) => {
                let date = one.text.split_whitespace().find_map(dates::iso);
                result.published_at = result.published_at.take().or(date);
            }
            (3, _) => is_shown = true,
            _ => {}
        }
    }
    if !results.is_empty() {
        return Ok(results);
    }
    let lower = page.to_lowercase();
    if BOT_CHECK_MARKS.iter().any(|part| lower.contains(part)) {
        return Err(checked());
    }
    if is_shown || NO_RESULT_MARKS.iter().any(|part| lower.contains(part)) {
        return Ok(results);
    }
    Err(UnreadableReply::Unknown)
}

/// Returns the URL of a result: the link itself, or `uddg` of a redirect; `None` for an
/// advertisement.
fn target(href: &str) -> Option<String> {
    let base = Url::parse(ENDPOINT).ok()?;
    let url = base.join(href).ok()?;
    let of_duckduckgo = |url: &Url| {
        let host = url.host_str();
        host.is_some_and(|host| is_within(host, "duckduckgo.com"))
    };
    if !of_duckduckgo(&url) {
        return Some(url.into());
    }
    if url.path() == "/y.js" {
        return None;
    }
    if !matches!(url.path(), "/l/" | "/l") {
        return Some(url.into());
    }
    let (_, target) = url.query_pairs().find(|(name, _)| name == "uddg")?;
    let advertised =
        Url::parse(&target).is_ok_and(|url| of_duckduckgo(&url) && url.path() == "/y.js");
    (!advertised).then(|| target.into_owned())
}

fn checked(reply: &HttpResponse) -> ProviderRefusal {
    ProviderRefusal::new(
        reply::THROTTLED,
        format!(
            "{NAME} wants to see a human and gave no results (a bot check, HTTP {}).",
            reply.status
        ),
    )
}

fn refusal(title: &str, reply: &HttpResponse) -> ProviderRefusal {
    match reply.status {
        403 | 418 | 429 => checked(reply),
        _ if reply::contains_any(reply, BOT_CHECK_MARKS) => checked(reply),
        _ => reply::upstream_refusal(title, reply),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_is_the_nearest_one() {
        for (country, language, expected) in [
            (Some("DE"), None, Some("de-de")),
            (Some("GB"), Some("en"), Some("uk-en")),
            (Some("CH"), Some("it"), Some("ch-it")),
            (Some("CH"), Some("en"), Some("ch-de")),
            (None, Some("de"), Some("de-de")),
            (None, Some("en"), Some("us-en")),
            (None, Some("ja"), Some("jp-jp")),
            (None, Some("sv"), Some("se-sv")),
            (None, Some("xx"), None),
            (Some("IS"), Some("is"), None),
            (None, None, None),
        ] {
            assert_eq!(
                region(country, language),
                expected,
                "{country:?} {language:?}"
            );
        }
    }

    #[test]
    fn an_address_is_taken_out_of_its_redirect() {
        for (href, expected) in [
            (
                "//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2Fb%3Fc%3Dd%26e&rut=1",
                Some("https://a.example/b?c=d&e"),
            ),
            ("https://a.example/b", Some("https://a.example/b")),
            ("//duckduckgo.com/y.js?ad_domain=x", None),
            (
                "//duckduckgo.com/l/?uddg=https%3A%2F%2Fduckduckgo.com%2Fy.js%3Fad",
                None,
            ),
            ("/l/?x=y", None),
        ] {
            assert_eq!(target(href).as_deref(), expected, "{href}");
        }
    }
}
