//! The eight providers of search, asked and read as they are documented, against servers of the
//! test's own.

use crate::common::messages::TextRow;
use crate::providers::{
    GOOD, SECRET, answering, failure, kind, of, search_at, search_with, server_of, variables,
};
use crate::server::{Asked, Server, redirect, reply};
use iki_web::provider::failure::ProviderFailureKind;
use iki_web::search::query::{SafeSearch, TimeRange, WebSearch};
use serde_json::{Value, json};

fn body(asked: &Asked) -> Value {
    serde_json::from_slice(&asked.body).unwrap()
}

/// The query string of [`full`].
const FULL: &str = "two words \"exact phrase\" -bad -\"worse still\" site:example.com";

/// A search that says everything.
fn full(provider: &str) -> WebSearch {
    WebSearch {
        time_range: Some(TimeRange::Week),
        safe: Some(SafeSearch::High),
        language: Some("de".to_owned()),
        country: Some("AT".to_owned()),
        sites: vec!["example.com".to_owned()],
        exact_terms: Some("exact phrase".to_owned()),
        exclude_terms: Some("bad \"worse still\"".to_owned()),
        ..of(provider)
    }
}

#[test]
fn every_provider_is_read_into_the_same_results() {
    for good in &GOOD {
        let name = good.provider;
        let answer = search_at(&server_of(name), &of(name)).unwrap();
        assert_eq!(answer.provider.name, name);
        let urls: Vec<&str> = answer.results.iter().map(|one| one.url.as_str()).collect();
        assert_eq!(
            urls,
            [
                "https://example.com/1",
                "https://docs.example.com/2",
                "https://example.org/3"
            ],
            "{name}"
        );
        let first = &answer.results[0];
        assert_eq!(
            [&first.title[..], &first.url, &first.snippet],
            good.first,
            "{name}"
        );
        assert_eq!(first.published_at.as_deref(), good.published, "{name}");
        assert_eq!(first.extra_snippets, good.extra, "{name}");
        assert_eq!(answer.results[1].snippet, "", "{name}");
        assert_eq!(answer.results[1].published_at, None, "{name}");
        assert_eq!(answer.results[2].snippet, "x", "{name}");
    }
}

#[test]
fn no_results_are_an_answer_of_every_provider() {
    for good in &GOOD {
        for empty in good.empty {
            let server = answering("200 OK", kind(good.provider), empty);
            let answer = search_at(&server, &of(good.provider));
            let answer = answer.unwrap_or_else(|error| panic!("{}: {error}", good.provider));
            assert!(answer.results.is_empty(), "{}", good.provider);
        }
    }
}

#[test]
fn every_provider_is_asked_in_its_own_words() {
    let text = FULL;
    for (provider, expected, unheeded) in [
        (
            "brave",
            vec![
                ("q", text),
                ("count", "8"),
                ("offset", "0"),
                ("freshness", "pw"),
                ("safesearch", "strict"),
                ("search_lang", "de"),
                ("country", "AT"),
            ],
            vec![],
        ),
        (
            "google",
            vec![
                ("key", SECRET),
                ("cx", "engine"),
                ("q", "two words"),
                ("num", "8"),
                ("start", "1"),
                ("siteSearch", "example.com"),
                ("siteSearchFilter", "i"),
                ("dateRestrict", "w1"),
                ("safe", "active"),
                ("lr", "lang_de"),
                ("gl", "at"),
                ("cr", "countryAT"),
                ("exactTerms", "exact phrase"),
                ("excludeTerms", "bad \"worse still\""),
            ],
            vec![],
        ),
        (
            "searxng",
            vec![
                ("q", text),
                ("format", "json"),
                ("categories", "general"),
                ("pageno", "1"),
                ("time_range", "week"),
                ("safesearch", "2"),
                ("language", "de-AT"),
            ],
            vec![],
        ),
        (
            "duckduckgo",
            vec![("q", text), ("df", "w"), ("kl", "at-de"), ("kp", "1")],
            vec![],
        ),
        (
            "searchapi",
            vec![
                ("engine", "google"),
                ("q", text),
                ("num", "8"),
                ("page", "1"),
                ("time_period", "last_week"),
                ("safe", "active"),
                ("gl", "at"),
                ("hl", "de"),
            ],
            vec![],
        ),
    ] {
        let server = server_of(provider);
        let answer = search_at(&server, &full(provider)).unwrap();
        assert_eq!(answer.unheeded, unheeded as Vec<&str>, "{provider}");
        let asked = &server.asked()[0];
        assert_eq!(asked.method, "GET");
        assert!(asked.target.starts_with("/search?"), "{}", asked.target);
        let url = url::Url::parse(&format!("http://x{}", asked.target)).unwrap();
        let given: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        let given: Vec<(&str, &str)> = given.iter().map(|(n, v)| (&n[..], &v[..])).collect();
        assert_eq!(given, expected, "{provider}");
    }
}

#[test]
fn what_is_posted_is_in_each_provider_s_own_words() {
    let text = FULL;
    for (provider, expected, unheeded) in [
        (
            "serper",
            json!({"q": text, "num": 8, "hl": "de", "gl": "at", "tbs": "qdr:w", "safe": "active"}),
            vec![],
        ),
        (
            "tavily",
            json!({
                "query": "two words \"exact phrase\" -bad -\"worse still\"", "max_results": 8,
                "search_depth": "basic", "topic": "general", "exact_match": true,
                "time_range": "week", "include_domains": ["example.com"], "country": "austria",
            }),
            vec!["language", "safe"],
        ),
    ] {
        let server = server_of(provider);
        let answer = search_at(&server, &full(provider)).unwrap();
        assert_eq!(answer.unheeded, unheeded as Vec<&str>, "{provider}");
        let asked = &server.asked()[0];
        assert_eq!((&asked.method[..], &asked.target[..]), ("POST", "/search"));
        assert_eq!(asked.header("content-type"), Some("application/json"));
        assert_eq!(body(asked), expected, "{provider}");
    }
    let server = server_of("exa");
    let answer = search_at(&server, &full("exa")).unwrap();
    assert_eq!(answer.unheeded, ["language"]);
    let mut given = body(&server.asked()[0]);
    let since = given["startPublishedDate"].take();
    assert_eq!(
        given,
        json!({
            "query": "two words -\"worse still\"", "type": "auto", "numResults": 8,
            "contents": {"highlights": true}, "includeText": ["exact phrase"],
            "excludeText": ["bad"], "includeDomains": ["example.com"],
            "startPublishedDate": null, "userLocation": "AT", "moderation": true,
        })
    );
    assert!(since.as_str().unwrap().ends_with("T00:00:00.000Z"));
}

#[test]
fn keys_go_where_each_provider_wants_them() {
    let bearer = format!("Bearer {SECRET}");
    for (provider, header, value) in [
        ("brave", "x-subscription-token", SECRET),
        ("serper", "x-api-key", SECRET),
        ("tavily", "authorization", &bearer),
        ("exa", "x-api-key", SECRET),
        ("searchapi", "authorization", &bearer),
        ("searxng", "authorization", "Basic dXNlcjpzM2NyZXQra2V5Lz0="),
        ("searxng", "x-own", SECRET),
    ] {
        let server = server_of(provider);
        search_at(&server, &of(provider)).unwrap();
        assert_eq!(
            server.asked()[0].header(header),
            Some(value),
            "{provider} {header}"
        );
    }
}

#[test]
fn what_is_plain_and_left_out_is_the_same_request() {
    let plain = [
        ("brave", "q=two+words&count=8&offset=0"),
        ("duckduckgo", "q=two+words"),
        (
            "searxng",
            "q=two+words&format=json&categories=general&pageno=1",
        ),
        ("searchapi", "engine=google&q=two+words&num=8&page=1"),
    ];
    for (provider, query) in plain {
        let server = server_of(provider);
        search_at(&server, &of(provider)).unwrap();
        assert_eq!(server.asked()[0].target, format!("/search?{query}"));
    }
    for (safe, level) in [
        (SafeSearch::Off, ["off", "off", "0", "-2", "off"]),
        (
            SafeSearch::Medium,
            ["moderate", "active", "1", "-1", "active"],
        ),
        (SafeSearch::High, ["strict", "active", "2", "1", "active"]),
    ] {
        let names = ["brave", "google", "searxng", "duckduckgo", "searchapi"];
        let fields = ["safesearch", "safe", "safesearch", "kp", "safe"];
        for ((provider, field), level) in names.into_iter().zip(fields).zip(level) {
            let server = server_of(provider);
            let search = WebSearch {
                safe: Some(safe),
                ..of(provider)
            };
            search_at(&server, &search).unwrap();
            assert_eq!(
                server.asked()[0].param(field).as_deref(),
                Some(level),
                "{provider}"
            );
        }
    }
}

#[test]
fn searxng_is_asked_below_the_address_that_it_has() {
    for (base, target) in [
        ("", "/search"),
        ("/", "/search"),
        ("/sub/", "/sub/search"),
        ("/sub/search", "/sub/search"),
    ] {
        let server = server_of("searxng");
        let address = (
            "SEARXNG_URL".to_owned(),
            format!("http://127.0.0.1:{}{base}", server.port()),
        );
        search_with(&[address], None, &of("searxng")).unwrap();
        let asked = server.asked();
        assert!(
            asked[0].target.starts_with(&format!("{target}?q=")),
            "{}",
            asked[0].target
        );
        assert_eq!(asked[0].header("authorization"), None);
    }
}

const LOGIN: &str = "<!doctype html><title>Sign in</title><form action=/login>";

#[test]
fn a_page_in_place_of_an_answer_is_not_understood() {
    for good in &GOOD {
        for text in ["", "{\"web\":"] {
            let server = answering("200 OK", "text/html", text);
            let failure = failure(search_at(&server, &of(good.provider)));
            assert_eq!(failure.kind, ProviderFailureKind::Upstream, "{failure}");
        }
        for text in [LOGIN, "[1]", "null"] {
            let server = answering("200 OK", "text/html", text);
            let failure = failure(search_at(&server, &of(good.provider)));
            assert_eq!(
                failure.kind,
                ProviderFailureKind::NotUnderstood,
                "{} {text}",
                good.provider
            );
        }
    }
}

const fn limited(seconds: u64) -> ProviderFailureKind {
    ProviderFailureKind::RateLimited {
        seconds,
        is_quota: false,
    }
}

#[test]
fn a_failing_server_is_named_with_its_status_and_what_to_do() {
    for good in &GOOD {
        let name = good.provider;
        for status in ["500 Internal Server Error", "503 Service Unavailable"] {
            let key = if name == "duckduckgo" { "" } else { SECRET };
            let echo = format!(r#"{{"error":{{"message":"oops at key={key}"}}}}"#);
            let server = answering(status, "application/json", &echo);
            let failure = failure(search_at(&server, &of(name)));
            assert_eq!(failure.kind, ProviderFailureKind::Upstream, "{name}");
            let text = failure.to_string();
            assert!(text.contains(&status[..3]), "{text}");
            assert!(text.contains("oops"), "{text}");
        }
    }
}

#[test]
fn no_part_of_a_login_is_shown() {
    for echo in [
        format!("user:{SECRET}"),
        SECRET.to_owned(),
        "Basic dXNlcjpzM2NyZXQra2V5Lz0=".to_owned(),
        "dXNlcjpzM2NyZXQra2V5Lz0=".to_owned(),
    ] {
        let body = json!({"message": echo}).to_string();
        let server = answering("500 Oops", "application/json", &body);
        let text = failure(search_at(&server, &of("searxng"))).to_string();
        assert!(text.contains("[key]") && !text.contains("dXNl"), "{text}");
    }
}

#[test]
fn a_key_that_a_provider_writes_into_its_results_is_not_shown() {
    for good in &GOOD {
        let name = good.provider;
        if name == "duckduckgo" {
            continue;
        }
        let in_address = "https://example.com/1?key=s3cret%2Bkey%2F%3D&x=y";
        let body = good.body.replace("https://example.com/1", in_address);
        let body = body.replace("The first", &format!("{SECRET} first"));
        let body = body.replace("The <strong>", &format!("{SECRET} <strong>"));
        let body = body.replace("about", &format!("{SECRET} about"));
        let body = body.replace("more of it", &format!("more of {SECRET}"));
        let server = answering("200 OK", kind(name), &body);
        // That it is nowhere in the answer is looked at with every search.
        let answer = search_at(&server, &of(name)).unwrap();
        let first = &answer.results[0];
        assert_eq!(first.title, "[key] first & best", "{name}");
        assert!(first.snippet.starts_with("[key] about"), "{first:?}");
        assert_eq!(first.url, "https://example.com/1?key=[key]&x=y", "{name}");
    }
}

#[test]
fn a_throttle_is_for_as_long_as_the_provider_says() {
    for good in &GOOD {
        let name = good.provider;
        let head = "429 Too Many Requests\r\nContent-Type: application/json\r\nRetry-After: 17";
        let server = Server::bytes(reply(head, r#"{"error":"slower, please"}"#));
        let failure = failure(search_at(&server, &of(name)));
        assert_eq!(failure.kind, limited(17), "{name}");
        assert_eq!(failure.retry_after(), Some(17));
        assert_eq!(server.asked().len(), 1, "{name}");
    }
}

#[test]
fn brave_is_asked_once_more_after_the_second_that_it_wants() {
    let tries = std::sync::atomic::AtomicUsize::new(0);
    let server = Server::start(move |_, conn| {
        match tries.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            0 => conn.write_all(&reply(
                "429 Too Many Requests\r\nX-RateLimit-Reset: 1, 1419704",
                r#"{"error":{"meta":{"quota_limit":2000,"quota_current":15}}}"#,
            )),
            _ => conn.write_all(&reply("200 OK", crate::providers::good("brave").body)),
        }
    });
    assert_eq!(search_at(&server, &of("brave")).unwrap().results.len(), 3);
    assert_eq!(server.asked().len(), 2);
}

#[test]
fn duckduckgo_s_bot_check_is_never_a_search_without_results() {
    let modal = r#"<html><body><form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html">
        <div class="anomaly-modal__mask"><div class="anomaly-modal__modal">
        <div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div></div></div>
        </form></body></html>"#;
    let empty = crate::providers::good("duckduckgo").empty[0];
    for (status, page) in [
        ("202 Accepted", modal),
        ("202 Accepted", ""),
        ("202 Accepted", empty),
        ("200 OK", modal),
        ("418 I'm a teapot", ""),
    ] {
        let server = answering(status, "text/html", page);
        let failure = failure(search_at(&server, &of("duckduckgo")));
        assert_eq!(failure.kind, limited(60), "{status}");
    }
}

#[test]
fn the_answers_and_infoboxes_of_a_searxng_are_results() {
    let body = r#"{"query":"x","results":[{"url":"https://example.com/3","title":"Third","content":"c"}],
        "answers":["42","", {"answer":"It is <b>so</b>","url":"https://example.com/1","engine":"e"}],
        "infoboxes":[{"infobox":"Kiln","content":"An oven","id":"https://example.com/2",
            "urls":[{"title":"Site","url":"https://example.org/"}],
            "attributes":[{"label":"Kind","value":"Oven"},{"label":"Image","value":null}]}]}"#;
    let server = answering("200 OK", "application/json", body);
    let found = search_at(&server, &of("searxng")).unwrap().results;
    let told: Vec<(&str, &str, &str)> = found
        .iter()
        .map(|one| (&*one.title, &*one.url, &*one.snippet))
        .collect();
    assert_eq!(
        told,
        [
            ("Answer of SearXNG", "https://example.com/1", "42"),
            ("Kiln", "https://example.com/2", "An oven"),
            ("Third", "https://example.com/3", "c"),
        ]
    );
    assert_eq!(found[0].extra_snippets, ["It is so"]);
    assert_eq!(found[1].extra_snippets, ["Kind: Oven"]);
    // A sum has no source.
    let body = r#"{"results":[],"answers":["42"],"infoboxes":[{"infobox":"Other","content":"x",
        "id":"wikidata","urls":[{"url":"https://example.net/"}]}]}"#;
    let server = answering("200 OK", "application/json", body);
    let found = search_at(&server, &of("searxng")).unwrap().results;
    assert!(
        found[0].url.starts_with(&server.url("/search?")),
        "{}",
        found[0].url
    );
    assert_eq!(found[1].url, "https://example.net/");
}

#[test]
fn what_is_posted_follows_no_redirect() {
    for provider in ["serper", "tavily", "exa"] {
        let other = server_of(provider);
        let there = other.url("/");
        let server = Server::start(move |_, conn| conn.write_all(&redirect(&there)));
        let failure = failure(search_at(&server, &of(provider)));
        assert_eq!(
            failure.kind,
            ProviderFailureKind::Network { is_local: false }
        );
        assert!(other.asked().is_empty());
    }
}

#[test]
fn a_key_in_a_header_follows_no_redirect_to_another_server() {
    for provider in ["brave", "searchapi", "searxng"] {
        let other = server_of(provider);
        let there = other.url("/");
        let server = Server::start(move |_, conn| conn.write_all(&redirect(&there)));
        search_at(&server, &of(provider)).unwrap();
        let text = format!("{:?}", other.asked());
        assert!(!text.contains(SECRET), "{text}");
    }
}

#[test]
fn a_provider_that_is_not_there_is_not_reached() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    for good in &GOOD {
        let set = variables(good.provider, &address);
        let failure = failure(search_with(&set, None, &of(good.provider)));
        assert_eq!(
            failure.kind,
            ProviderFailureKind::Network { is_local: false }
        );
    }
}

#[test]
fn a_key_that_no_header_holds_is_not_sent() {
    let server = server_of("tavily");
    let mut set = variables("tavily", &server.url("/"));
    set[1].1 = "a\u{fc}\nb".to_owned();
    let failure = failure(search_with(&set, None, &of("tavily")));
    assert_eq!(failure.kind, ProviderFailureKind::AuthInvalid);
    assert!(server.asked().is_empty());
}

#[test]
fn a_search_that_is_too_long_is_shortened_or_refused_before_it_is_sent() {
    let long = |provider: &str| WebSearch {
        query: "word ".repeat(90),
        exclude_terms: Some("bad".to_owned()),
        ..of(provider)
    };
    for provider in ["brave", "tavily"] {
        let server = server_of(provider);
        let answer = search_at(&server, &long(provider)).unwrap();
        let asked = answer.shortened.unwrap();
        assert!(asked.len() < 400 && asked.split(' ').all(|word| word == "word"));
        let sent = &server.asked()[0];
        let sent = sent
            .param("q")
            .unwrap_or_else(|| body(sent)["query"].to_string());
        assert!(sent.contains(&format!("{asked} -bad")), "{sent}");
        let phrase = WebSearch {
            exact_terms: Some("word ".repeat(90)),
            ..of(provider)
        };
        let server = server_of(provider);
        let failure = failure(search_at(&server, &phrase));
        assert_eq!(failure.kind, ProviderFailureKind::TooLong);
        assert!(server.asked().is_empty());
    }
    let whole = search_at(&server_of("google"), &long("google")).unwrap();
    assert_eq!(whole.shortened, None);
}

#[test]
fn an_answer_that_is_too_long_is_called_so() {
    let body = format!("{{\"organic\":[]{}", " ".repeat(11 << 20));
    let server = answering("200 OK", "application/json", &body);
    let failure = failure(search_at(&server, &of("serper")));
    failure
        .text
        .assert_row("web_search", "an answer that is too long");
    assert_eq!(failure.retry_after(), None);
}

#[test]
fn a_wait_of_years_is_none_and_a_failed_provider_may_say_how_long() {
    for (head, seconds) in [
        ("429 Slow\r\nRetry-After: Wed, 21 Oct 2099 07:28:00 GMT", 60),
        ("429 Slow\r\nRetry-After: 99999999999", 60),
        ("429 Slow\r\nRetry-After: 30", 30),
        ("503 Busy\r\nRetry-After: 30", 30),
        ("503 Busy", 60),
    ] {
        let server = answering(head, "application/json", "{}");
        let failure = failure(search_at(&server, &of("tavily")));
        assert_eq!(failure.retry_after(), Some(seconds), "{head}");
    }
}

#[test]
fn json_in_another_charset_is_read_where_it_is_declared() {
    let body = crate::providers::good("serper")
        .body
        .replace("The first & best", "Caf\u{e9}");
    let one_byte: Vec<u8> = body
        .chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap())
        .collect();
    let wide = body.encode_utf16().flat_map(u16::to_le_bytes);
    let marked: Vec<u8> = [0xff, 0xfe].into_iter().chain(wide.clone()).collect();
    for (charset, bytes) in [
        ("; charset=ISO-8859-1", one_byte),
        ("; charset=utf-16le", wide.collect()),
        ("", marked),
    ] {
        let head = format!("200 OK\r\nContent-Type: application/json{charset}");
        let server = Server::bytes(reply(&head, bytes));
        let answer = search_at(&server, &of("serper")).unwrap();
        assert_eq!(answer.results[0].title, "Caf\u{e9}", "{charset}");
    }
}

#[test]
fn an_object_of_another_form_is_not_nothing_found() {
    for provider in ["brave", "google", "serper", "tavily", "exa", "searchapi"] {
        let server = answering("200 OK", "application/json", r#"{"status":"ready"}"#);
        let failure = failure(search_at(&server, &of(provider)));
        assert_eq!(
            failure.kind,
            ProviderFailureKind::NotUnderstood,
            "{provider}"
        );
    }
}
