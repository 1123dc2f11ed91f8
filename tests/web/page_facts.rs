//! Facts about a page beside its text, and the question to Crossref, against servers on the
//! loopback.

use std::thread;
use std::time::{Duration, Instant};

use super::searching::client;
use crate::server::{Server, redirect, reply};
use iki_web::page::retraction::{self, TIMEOUT};
use iki_web::page::{Citation, EmbeddedData, PartialDate, classify, doi};
use serde_json::{Value, json};
use url::Url;

fn at(address: &str, doi: &str) -> Value {
    let endpoint = Url::parse(address).unwrap();
    let status = retraction::status_at(&client(), &endpoint, doi);
    serde_json::to_value(status.ok().flatten()).unwrap()
}

fn crossref(message: &Value) -> Server {
    let body = json!({"status": "ok", "message-type": "work", "message": message}).to_string();
    Server::bytes(reply("200 OK\r\nContent-Type: application/json", &body))
}

#[test]
fn a_retraction_is_told_with_its_notice() {
    // As Crossref answers for a work that its publisher and Retraction Watch know as retracted.
    let server = crossref(&json!({
        "DOI": "10.1016/s0140-6736(97)11096-0", "type": "journal-article",
        "reference": [{"key": "1", "DOI": "10.1000/x"}],
        "updated-by": [
            {"DOI": "10.1016/s0140-6736(04)15715-2", "type": "correction", "label": "Correction",
             "source": "retraction-watch", "record-id": "1",
             "updated": {"date-parts": [[2004, 3, 6]], "date-time": "2004-03-06T00:00:00Z",
                         "timestamp": 1_078_531_200_000_u64}},
            {"DOI": "10.1016/S0140-6736(10)60175-4", "type": "retraction", "label": "Retraction",
             "source": "publisher",
             "updated": {"date-parts": [[2010, 2, 6]], "date-time": "2010-02-06T00:00:00Z",
                         "timestamp": 1_265_414_400_000_u64}},
        ],
    }));
    let told = at(&server.url("/works"), "10.1016/s0140-6736(97)11096-0");
    assert_eq!(
        told,
        json!({
            "retracted": true, "kind": "retraction", "date": "2010-02-06",
            "noticeDoi": "10.1016/S0140-6736(10)60175-4", "source": "publisher",
        })
    );
    let asked = server.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(
        asked[0].target,
        "/works/10.1016%2Fs0140-6736%2897%2911096-0"
    );
}

#[test]
fn the_doi_alone_leaves_the_machine() {
    let server = crossref(&json!({}));
    assert_eq!(at(&server.url(""), "10.1000/x"), Value::Null);
    let asked = &server.asked()[0];
    assert_eq!(
        (asked.method.as_str(), asked.target.as_str()),
        ("GET", "/works/10.1000%2Fx")
    );
    assert!(asked.body.is_empty());
    let mut names: Vec<&str> = asked
        .headers
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["accept", "accept-encoding", "host", "user-agent"]);
    assert!(
        asked
            .header("user-agent")
            .unwrap()
            .starts_with("ikigai-tools/")
    );
}

#[test]
fn what_is_not_known_is_absent() {
    for message in [
        json!({"updated-by": []}),
        json!({"updated-by": [{"type": "new_version", "DOI": "10.1/y"}]}),
        // The subject of a notice is not a notice itself.
        json!({"update-to": [{"type": "retraction", "DOI": "10.1000/other"}]}),
        json!({"updated-by": "nonsense"}),
        json!([]),
    ] {
        let server = crossref(&message);
        assert_eq!(
            at(&server.url("/works"), "10.1000/x"),
            Value::Null,
            "{message}"
        );
    }
}

#[test]
fn whatever_fails_is_absent() {
    let deep = "[".repeat(1_000_000);
    for answer in [
        reply("404 Not Found", "Resource not found."),
        reply("429 Too Many Requests\r\nRetry-After: 60", "{}"),
        reply(
            "500 Oops",
            "{\"message\":{\"updated-by\":[{\"type\":\"retraction\"}]}}",
        ),
        reply("200 OK", "<html>"),
        reply("200 OK", ""),
        reply("200 OK", format!("{{\"message\":{{\"updated-by\":{deep}")),
        reply("200 OK", format!("{{\"message\":{{\"x\":{deep}")),
        redirect("ftp://example.org/"),
        b"nonsense".to_vec(),
    ] {
        let server = Server::bytes(answer);
        assert_eq!(at(&server.url("/works"), "10.1000/x"), Value::Null);
    }
    let gone = Server::bytes(Vec::new()).url("/works");
    assert_eq!(at(&gone, "10.1000/x"), Value::Null);
}

#[test]
fn a_text_that_is_no_doi_is_not_asked_about() {
    let server = crossref(&json!({"updated-by": [{"type": "retraction"}]}));
    for text in ["", "../members", "10.1000/a b", "10.1000/a\r\nX: y"] {
        assert_eq!(at(&server.url("/works"), text), Value::Null, "{text}");
    }
    assert!(server.asked().is_empty());
}

#[test]
fn silence_costs_three_seconds_and_no_more() {
    let server = Server::start(|_, conn| {
        conn.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")?;
        thread::sleep(Duration::from_secs(10));
        Ok(())
    });
    let begin = Instant::now();
    assert_eq!(at(&server.url("/works"), "10.1000/x"), Value::Null);
    let took = begin.elapsed();
    assert!(took < TIMEOUT + Duration::from_secs(2), "{took:?}");
    // The call has less time left than that.
    let endpoint = Url::parse(&server.url("/works")).unwrap();
    let late = client().within(Duration::from_millis(300));
    let begin = Instant::now();
    let status = retraction::status_at(&late, &endpoint, "10.1000/x");
    assert_eq!(status, Err(retraction::CrossrefUnavailable));
    assert!(
        begin.elapsed() < Duration::from_secs(2),
        "{:?}",
        begin.elapsed()
    );
}

#[test]
fn a_page_says_all_of_this_of_itself_at_once() {
    let html = r#"<!DOCTYPE html><html><head><title>Things | Journal of Things</title>
        <meta name="citation_title" content="Things"><meta name="citation_author" content="Doe, Jane">
        <meta name="citation_author" content="Roe, Richard">
        <meta name="citation_journal_title" content="Journal of Things">
        <meta name="citation_publication_date" content="2021/03/09">
        <meta name="citation_doi" content="10.1234/THINGS.5">
        <meta property="og:title" content="Things &amp; more">
        </head><body><p>Text.</p>
        <script type="application/ld+json">{ "@type": "ScholarlyArticle", "n": 1.0 }</script>
        </body></html>"#;
    let url = Url::parse("http://127.0.0.1:8000/things").unwrap();
    let embedded = EmbeddedData::read(html);
    let class = classify(&url, Some(&embedded));
    assert_eq!(
        serde_json::to_value(class).unwrap(),
        json!({"sourceType": "peer_reviewed", "authorityTier": "medium",
               "domainCategory": "academic"})
    );
    let doi = doi::detected(&url, Some(&embedded), "Text.", &class);
    assert_eq!(doi.as_deref(), Some("10.1234/things.5"));
    assert_eq!(
        serde_json::to_string(&embedded.structured_data()).unwrap(),
        r#"{"jsonLd":[{"@type":"ScholarlyArticle","n":1.0}],"openGraph":{"og:title":"Things & more"},"citation":{"citation_title":"Things","citation_author":["Doe, Jane","Roe, Richard"],"citation_journal_title":"Journal of Things","citation_publication_date":"2021/03/09","citation_doi":"10.1234/THINGS.5"}}"#
    );
    let today = PartialDate::today();
    let citation = Citation::for_page(&url, Some(&embedded), "Things | Journal of Things", today);
    assert_eq!(citation.accessed_date, today.to_string());
    assert_eq!(
        citation.formatted.apa,
        "Doe, J., & Roe, R. (2021). Things. Journal of Things. https://doi.org/10.1234/things.5"
    );
}
