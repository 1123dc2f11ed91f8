//! Google against servers that answer as documented.

use super::searching::{SECRET, everything, filter, google_at};
use crate::server::{Asked, Server, reply};
use iki_web::search::SearchResult;

/// A Google that has `per_site` results for each site, and knows `siteSearch`.
fn google(per_site: usize) -> Server {
    Server::start(move |asked, conn| {
        let number = |name: &str| asked.param(name).unwrap().parse::<usize>().unwrap();
        let site = match asked.param("siteSearchFilter").as_deref() {
            Some("i") => asked.param("siteSearch").unwrap(),
            _ => "any.example".to_owned(),
        };
        let (start, num) = (number("start"), number("num"));
        let items: Vec<String> = (start..(start + num).min(per_site + 1))
            .map(|n| {
                format!(
                    r#"{{"kind":"customsearch#result","title":"{site} {n}","htmlTitle":"<b>x</b>",
                    "link":"https://{site}/{n}","displayLink":"{site}","snippet":"about\n {n}"}}"#
                )
            })
            .collect();
        let items = if items.is_empty() {
            String::new()
        } else {
            format!(",\"items\":[{}]", items.join(","))
        };
        conn.write_all(&reply(
            "200 OK",
            format!(r#"{{"kind":"customsearch#search"{items}}}"#),
        ))
    })
}

fn urls(found: &[SearchResult]) -> Vec<&str> {
    found
        .iter()
        .map(|r| r.url.trim_start_matches("https://"))
        .collect()
}

#[test]
fn google_is_asked_and_read_as_documented() {
    let server = google(100);
    let found = google_at(&server, 2, 5, &everything()).unwrap();
    assert_eq!(urls(&found), ["any.example/5", "any.example/6"]);
    assert_eq!(
        (found[0].title.as_str(), found[0].snippet.as_str()),
        ("any.example 5", "about 5")
    );
    google_at(&server, 99, 99, &everything()).unwrap();
    let asked = server.asked();
    for (name, value) in [
        ("key", SECRET),
        ("cx", SECRET),
        ("q", "rust"),
        ("num", "2"),
        ("start", "5"),
    ] {
        assert_eq!(asked[0].param(name).as_deref(), Some(value), "{name}");
    }
    assert_eq!(asked[0].param("siteSearch"), None);
    assert_eq!(
        (
            asked[1].param("num").unwrap(),
            asked[1].param("start").unwrap()
        ),
        ("10".into(), "91".into())
    );
}

fn site_of(asked: &Asked) -> (Option<String>, Option<String>) {
    (asked.param("siteSearch"), asked.param("siteSearchFilter"))
}

#[test]
fn one_domain_is_googles_own_filter() {
    let server = google(100);
    google_at(&server, 2, 1, &filter(&["A.example"], &[])).unwrap();
    google_at(&server, 2, 1, &filter(&[], &["b.example"])).unwrap();
    google_at(&server, 2, 1, &filter(&[], &["b.example", "c.example"])).unwrap();
    google_at(&server, 2, 1, &filter(&["a.example"], &["b.a.example"])).unwrap();
    let asked = server.asked();
    assert_eq!(
        site_of(&asked[0]),
        (Some("a.example".into()), Some("i".into()))
    );
    assert_eq!(
        site_of(&asked[1]),
        (Some("b.example".into()), Some("e".into()))
    );
    assert_eq!(
        site_of(&asked[2]),
        (Some("b.example".into()), Some("e".into()))
    );
    assert_eq!(asked[2].param("q").unwrap(), "rust -site:c.example");
    assert_eq!(
        site_of(&asked[3]),
        (Some("a.example".into()), Some("i".into()))
    );
    assert_eq!(asked[3].param("q").unwrap(), "rust -site:b.a.example");
}

#[test]
fn several_allowed_domains_share_the_results() {
    let server = google(100);
    let found = google_at(&server, 5, 1, &filter(&["a.example", "b.example"], &[])).unwrap();
    assert_eq!(
        urls(&found),
        [
            "a.example/1",
            "b.example/1",
            "a.example/2",
            "b.example/2",
            "a.example/3"
        ]
    );
    let found = google_at(&server, 5, 6, &filter(&["a.example", "b.example"], &[])).unwrap();
    assert_eq!(
        urls(&found),
        [
            "b.example/3",
            "a.example/4",
            "b.example/4",
            "a.example/5",
            "b.example/5"
        ]
    );
    assert_eq!(server.asked().len(), 4);
}

#[test]
fn domains_beyond_the_number_of_results_are_asked_only_if_needed() {
    let sites: Vec<String> = (0..15).map(|n| format!("s{n}.example")).collect();
    let sites: Vec<&str> = sites.iter().map(String::as_str).collect();
    let server = google(100);
    assert_eq!(
        google_at(&server, 3, 1, &filter(&sites, &[]))
            .unwrap()
            .len(),
        3
    );
    assert_eq!(server.asked().len(), 3);
    let poor = google(0);
    assert_eq!(
        google_at(&poor, 3, 1, &filter(&sites, &[])).unwrap().len(),
        0
    );
    assert_eq!(poor.asked().len(), 10);
}

#[test]
fn results_of_overlapping_domains_come_once() {
    let server = Server::bytes(reply(
        "200 OK",
        r#"{"items":[{"title":"x","link":"https://x.a.example/"},{"title":"y","link":"https://y.a.example/"},
            {"title":"z","link":"https://a.example.evil.net/"}]}"#,
    ));
    let found = google_at(&server, 10, 1, &filter(&["a.example", "x.a.example"], &[])).unwrap();
    assert_eq!(urls(&found), ["x.a.example/", "y.a.example/"]);
}
