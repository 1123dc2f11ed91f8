//! Brave, and what both searches share, against servers that answer as documented.

use std::time::{Duration, Instant};

use super::searching::{SECRET, brave_at, everything, filter, json, search_at};
use crate::server::{Server, redirect, reply};
use iki_web::provider::failure::{ProviderFailure, ProviderFailureKind};
use iki_web::search::google;
use iki_web::search::host_search::HostSearch;

const BRAVE: &str = r#"{"query":{"original":"rust"},"type":"search","mixed":{"type":"mixed"},
"web":{"type":"search","family_friendly":true,"results":[
{"title":"The <strong>Rust</strong> Book","url":"https://doc.rust-lang.org/book/","is_source_local":false,
 "description":"Learn <strong>Rust</strong> &amp; more &#x27;now&#x27;","age":"1 day","profile":{"name":"Rust"}},
{"title":"Evil","url":"https://rust-lang.org.evil.net/","description":"x"},
{"title":"No description","url":"https://www.Rust-Lang.org:443/"},
{"title":"No URL","description":"y"}]}}"#;

#[test]
fn brave_is_asked_and_read_as_documented() {
    let server = json("200 OK", BRAVE);
    let found = brave_at(&server, 20, 3, &everything()).unwrap();
    assert_eq!(found.len(), 3);
    assert_eq!(found[0].title, "The Rust Book");
    assert_eq!(found[0].snippet, "Learn Rust & more 'now'");
    assert_eq!(
        (found[2].title.as_str(), found[2].snippet.as_str()),
        ("No description", "")
    );
    let asked = &server.asked()[0];
    assert!(asked.target.starts_with("/res/v1/web/search?"));
    assert_eq!(asked.param("q").unwrap(), "rust & \u{fc}ber");
    assert_eq!(
        (
            asked.param("count").unwrap(),
            asked.param("offset").unwrap()
        ),
        ("20".into(), "3".into())
    );
    assert_eq!(asked.header("x-subscription-token"), Some(SECRET));
    assert_eq!(asked.header("accept"), Some("application/json"));
}

#[test]
fn brave_is_filtered_after_the_fact_and_clamped() {
    let server = json("200 OK", BRAVE);
    let found = brave_at(&server, 99, 99, &filter(&["rust-lang.org"], &[])).unwrap();
    assert_eq!(found.len(), 2);
    let found = brave_at(&server, 0, 0, &filter(&[], &["doc.rust-lang.org"])).unwrap();
    assert_eq!(
        found.iter().map(|r| r.title.as_str()).collect::<Vec<_>>(),
        ["Evil"]
    );
    let asked = server.asked();
    assert_eq!(
        asked[0].param("count").unwrap() + "/" + &asked[0].param("offset").unwrap(),
        "20/9"
    );
    assert_eq!(
        asked[1].param("count").unwrap() + "/" + &asked[1].param("offset").unwrap(),
        "1/0"
    );
}

fn limited(meta: &str, headers: &str) -> Vec<u8> {
    let body = format!(
        r#"{{"type":"ErrorResponse","error":{{"id":"1","status":429,"detail":"Request rate limit exceeded for plan.","meta":{meta},"code":"RATE_LIMITED"}},"time":1}}"#
    );
    reply(
        &format!("429 Too Many Requests\r\nContent-Type: application/json{headers}"),
        body,
    )
}

const THROTTLED: &str =
    r#"{"plan":"Free","rate_limit":1,"rate_current":1,"quota_limit":2000,"quota_current":15}"#;

#[test]
fn a_throttled_search_waits_as_told_and_tries_once_more() {
    for (meta, headers, at_least) in [
        (THROTTLED, "\r\nX-RateLimit-Reset: 1, 1419704", 900),
        (
            "{}",
            "\r\nX-RateLimit-Limit: 1, 2000\r\nX-RateLimit-Remaining: 0, 77",
            900,
        ),
        (
            "{}",
            "\r\nX-RateLimit-Limit: 1, 0\r\nX-RateLimit-Remaining: 0, 0\r\nX-RateLimit-Reset: 0, 0",
            200,
        ),
        ("null", "\r\nRetry-After: 1", 900),
    ] {
        let first = limited(meta, headers);
        let tries = std::sync::atomic::AtomicUsize::new(0);
        let server = Server::start(move |_, conn| {
            match tries.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
                0 => conn.write_all(&first),
                _ => conn.write_all(&reply("200 OK", BRAVE)),
            }
        });
        let start = Instant::now();
        assert_eq!(
            brave_at(&server, 10, 0, &everything()).unwrap().len(),
            3,
            "{headers}"
        );
        assert!(
            start.elapsed() > Duration::from_millis(at_least),
            "{headers}"
        );
        assert_eq!(server.asked().len(), 2);
    }
}

#[test]
fn a_search_throttled_twice_gives_up() {
    let server = Server::bytes(limited(THROTTLED, ""));
    let found = brave_at(&server, 10, 0, &everything());
    assert!(
        matches!(
            found,
            Err(ProviderFailure {
                kind: ProviderFailureKind::RateLimited { .. },
                ..
            })
        ),
        "{found:?}"
    );
    assert_eq!(server.asked().len(), 2);
}

#[test]
fn a_wait_that_does_not_fit_into_the_call_is_not_begun() {
    let longest = u64::MAX;
    for (header, seconds) in [
        ("Retry-After: 3600".to_owned(), 3600),
        (format!("Retry-After: {longest}"), longest),
        (format!("X-RateLimit-Reset: {longest}, 5"), longest),
    ] {
        let server = Server::bytes(limited(THROTTLED, &format!("\r\n{header}")));
        let start = Instant::now();
        let found = brave_at(&server, 10, 0, &everything());
        let Err(ProviderFailure {
            kind: ProviderFailureKind::RateLimited { .. },
            text,
            ..
        }) = found
        else {
            panic!("{found:?}");
        };
        assert!(text.contains(&format!(" {seconds} ")), "{text}");
        assert!(start.elapsed() < Duration::from_secs(4));
        assert_eq!(server.asked().len(), 1);
    }
}

#[test]
fn a_used_up_quota_is_said_at_once() {
    for (meta, headers, number) in [
        (
            r#"{"quota_limit":2000,"quota_current":2000,"rate_limit":1,"rate_current":0}"#,
            "",
            "2,000",
        ),
        (
            "{}",
            "\r\nX-RateLimit-Limit: 1, 15000\r\nX-RateLimit-Policy: 1;w=1, 15000;w=2592000\r\nX-RateLimit-Remaining: 1, 0",
            "15,000",
        ),
        ("{}", "\r\nX-RateLimit-Remaining: 1, 0", "2,000"),
        (
            "{}",
            "\r\nX-RateLimit-Policy: 2000;w=2592000\r\nX-RateLimit-Remaining: 0",
            "2,000",
        ),
    ] {
        let server = Server::bytes(limited(meta, headers));
        let found = brave_at(&server, 10, 0, &everything());
        let text = found.unwrap_err().text;
        assert!(text.contains(number), "{headers}: {text}");
        assert_eq!(server.asked().len(), 1);
    }
}

#[test]
fn the_key_follows_no_redirect_to_another_server() {
    let other = json("200 OK", BRAVE);
    let there = other.url("/");
    let server = Server::start(move |_, conn| conn.write_all(&redirect(&there)));
    brave_at(&server, 10, 0, &everything()).unwrap();
    assert_eq!(other.asked()[0].header("x-subscription-token"), None);
}

#[test]
fn a_provider_that_is_not_there_is_a_network_error() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let wanted = HostSearch {
        text: "x",
        count: 1,
        first: 0,
        domains: &everything(),
        asks_by_domain: true,
    };
    let found = search_at(&google::PROVIDER, &url, &wanted);
    assert!(
        matches!(
            found,
            Err(ProviderFailure {
                kind: ProviderFailureKind::Network { .. },
                ..
            })
        ),
        "{found:?}"
    );
}

#[test]
fn the_key_is_hidden_wherever_a_server_writes_it() {
    let json = "Content-Type: application/json";
    let long = "x".repeat(494);
    let near = "x".repeat(194);
    for answer in [
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; key={SECRET}\r\n\r\n<p>"),
        format!("HTTP/1.1 500 No\r\n{json}\r\n\r\n{{\"message\":\"{long} {SECRET}\"}}"),
        format!("HTTP/1.1 503 {near} {SECRET}\r\n{json}\r\n\r\n{{}}"),
        format!(
            "HTTP/1.1 500 No\r\n{json}\r\n\r\n{{\"message\":\"{}\"}}",
            SECRET.to_uppercase()
        ),
    ] {
        let server = Server::bytes(answer);
        let text = brave_at(&server, 10, 0, &everything())
            .unwrap_err()
            .to_string();
        let shown = text.to_lowercase();
        assert!(!shown.contains(&SECRET[..5]), "{text}");
        assert!(text.contains("[key]"), "{text}");
    }
}
