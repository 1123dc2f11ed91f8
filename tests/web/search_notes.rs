//! The notes of the two search tools: domains that were not searched, filters that left nothing,
//! the next page.

use super::searching::{KEY, brave, call_at, google};
use crate::common::messages::TextRow;
use crate::server::{Asked, Server, reply};
use serde_json::{Value, json};

fn ok(body: &Value) -> Vec<u8> {
    reply("200 OK\r\nContent-Type: application/json", body.to_string())
}

/// Brave with these pages, each a host's name behind its results' numbers.
fn brave_with(hosts: &'static [&'static str], each: usize) -> Server {
    Server::start(move |asked, conn| {
        let page: usize = asked.param("offset").unwrap().parse().unwrap();
        let count: usize = asked.param("count").unwrap().parse().unwrap();
        let host = hosts.get(page).copied().unwrap_or("other.example");
        let results: Vec<Value> = (0..each.min(count))
            .map(|n| {
                let n = page * count + n;
                json!({"title": format!("title {n}"), "url": format!("https://{host}/{n}"), "description": "x".repeat(200)})
            })
            .collect();
        conn.write_all(&ok(&json!({"web": {"results": results}})))
    })
}

/// Google, where what a site answers is `answer`'s to say.
fn google_with(
    answer: impl Fn(&str, usize) -> Option<Vec<Value>> + Send + Sync + 'static,
) -> Server {
    Server::start(move |asked: &Asked, conn| {
        let site = asked.param("siteSearch").unwrap_or_default();
        let start = asked.param("start").unwrap().parse().unwrap();
        match answer(&site, start) {
            Some(items) => conn.write_all(&ok(&json!({"items": items}))),
            None => conn.write_all(&reply(
                "500 Oops\r\nContent-Type: application/json",
                json!({"error": {"code": 500, "message": format!("backend error {KEY}")}})
                    .to_string(),
            )),
        }
    })
}

fn items(site: &str, count: usize) -> Vec<Value> {
    let item = |n| json!({"title": "t", "link": format!("https://{site}/{n}"), "snippet": "s"});
    (0..count).map(item).collect()
}

#[test]
fn one_failed_domain_of_several_costs_nothing_but_itself() {
    let server = google_with(|site, _| (site != "bad.example").then(|| items(site, 3)));
    let domains = json!(["a.example", "bad.example", "b.example"]);
    let found = google(
        &json!({"query": "x y", "allowed_domains": domains}),
        &server,
    )
    .json();
    assert_eq!(
        (&found["success"], &found["count"]),
        (&json!(true), &json!(6))
    );
    assert_eq!(found["results"][1]["url"], "https://b.example/0");
    let note = found["note"].as_str().unwrap();
    note.assert_row("web_search_google", "a domain that failed");

    let server = google_with(|_, _| None);
    let answer = call_at(
        "web-search-google-tool",
        &json!({"query": "x y", "allowed_domains": domains}),
        &server,
    )
    .run();
    assert_eq!(
        (answer.code(), answer.json()["error_code"].as_str()),
        (1, Some("API_ERROR"))
    );

    let server = google_with(|site, _| Some(items(site, 10)));
    let found = google(
        &json!({"query": "x y", "allowed_domains": domains}),
        &server,
    )
    .json();
    assert!(found.get("note").is_none(), "{found}");
}

#[test]
fn the_page_that_the_note_on_a_filter_names_has_results() {
    let server = brave_with(&["a.example", "b.example"], 10);
    let mut request = json!({"query": "x y", "allowed_domains": ["b.example"]});
    let found = brave(&request, &server).json();
    assert_eq!(
        (&found["count"], &found["results"]),
        (&json!(0), &json!([]))
    );
    let note = found["note"].as_str().unwrap();
    note.assert_row("web_search_brave", "a filter that leaves nothing of a page");
    request["offset"] = json!(1);
    let found = brave(&request, &server).json();
    assert_eq!(
        (&found["count"], &found["note"]),
        (&json!(10), &Value::Null)
    );
}

#[test]
fn nothing_found_at_all_and_something_left_are_plain_answers() {
    let server = brave_with(&["a.example"], 0);
    let found = brave(
        &json!({"query": "x y", "allowed_domains": ["b.example"]}),
        &server,
    )
    .json();
    assert_eq!(found, json!({"success": true, "results": [], "count": 0}));
    let server = google_with(|_, _| Some(items("a.example", 2)));
    let found = google(&json!({"query": "x y"}), &server).json();
    assert_eq!(found["count"], 2);
    assert!(found.get("note").is_none());
}

#[test]
fn a_bounded_answer_drops_whole_results_from_its_end_and_says_how_to_go_on() {
    let server = brave_with(&[], 20);
    for limit in [600_usize, 1000, 3000, 5000, 100_000] {
        let request = json!({"query": "x y", "count": 20});
        let answer = call_at("web-search-brave-tool", &request, &server)
            .env("IKIGAI_MAX_ANSWER", limit.to_string())
            .run();
        assert!(
            answer.stdout.len() <= limit,
            "{} of {limit}",
            answer.stdout.len()
        );
        let found = answer.json();
        let shown = found["results"].as_array().unwrap().len();
        assert_eq!(found["count"], shown);
        if limit == 100_000 {
            assert!(found.get("note").is_none());
            continue;
        }
        assert!((1..20).contains(&shown), "{limit}: {shown}");
        let next = format!("\"count\":{shown},\"offset\":1");
        assert!(found["note"].as_str().unwrap().contains(&next), "{found}");
        let next = brave(
            &json!({"query": "x y", "count": shown, "offset": 1}),
            &server,
        )
        .json();
        assert_eq!(next["results"][0]["title"], format!("title {shown}"));
    }
    let server = google_with(|_, _| Some(items(&"a".repeat(60), 10)));
    let answer = call_at(
        "web-search-google-tool",
        &json!({"query": "x y", "start": 5}),
        &server,
    )
    .env("IKIGAI_MAX_ANSWER", "800")
    .run();
    let found = answer.json();
    let shown = found["results"].as_array().unwrap().len();
    assert!((1..10).contains(&shown));
    let next = format!("\"start\":{}", 5 + shown);
    assert!(found["note"].as_str().unwrap().contains(&next), "{found}");
}

#[test]
fn a_reply_with_a_byte_order_mark_is_read() {
    let server = Server::bytes(reply(
        "200 OK",
        "\u{feff}{\"web\":{\"results\":[{\"url\":\"https://a.example/\"}]}}",
    ));
    assert_eq!(brave(&json!({"query": "x y"}), &server).json()["count"], 1);
}

#[test]
fn a_search_ends_within_the_time_of_its_caller() {
    let server = Server::start(|_, _| {
        std::thread::sleep(std::time::Duration::from_secs(4));
        Ok(())
    });
    for link in ["web-search-brave-tool", "web-search-google-tool"] {
        let answer = call_at(link, &json!({"query": "x y"}), &server)
            .env("IKIGAI_MAX_SECONDS", "1.5")
            .run();
        assert_eq!(answer.json()["error_code"], "NETWORK_ERROR");
        assert!(answer.took.as_secs_f64() < 2.0, "{:?}", answer.took);
    }
}
