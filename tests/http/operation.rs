//! `ikigai-tools mcp --http`: what it costs to be asked the same again, and what it tells whoever
//! runs it.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::http_server::{HttpServer, http, ping};
use crate::reading::{engine, html};
use crate::server::{Server, page, reply};

/// What an answer shows a model.
fn shown(answer: &crate::http_server::Answer) -> String {
    let answer = answer.json();
    let content = answer["result"]["content"].as_array();
    let content = content.unwrap_or_else(|| panic!("{answer}"));
    let texts = content.iter().filter_map(|one| one["text"].as_str());
    texts.collect()
}

/// A page that takes its time.
fn slow(text: &'static str, time: Duration) -> Server {
    Server::start(move |_, conn| {
        thread::sleep(time);
        conn.write_all(&page(text))
    })
}

/// How many pages of memory were touched by processes that the server has started and seen end.
fn work_of_children(server: &HttpServer) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", server.pid())).unwrap();
    let (_, fields) = stat.rsplit_once(") ").unwrap();
    fields.split(' ').nth(8).unwrap().parse().unwrap()
}

/// The lines of JSON in the log, once there are so many.
fn lines(server: &HttpServer, count: usize) -> Vec<Value> {
    for _ in 0..200 {
        let log = server.log();
        // All of it is JSON, what the server says of itself as well.
        let lines = log.lines().map(|line| serde_json::from_str(line).unwrap());
        let lines: Vec<Value> = lines
            .filter(|line: &Value| line["message"].is_null())
            .collect();
        if lines.len() >= count {
            return lines;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("{}", server.log());
}

/// Asserts that an answer with these words costs no further process once it is kept.
#[track_caller]
fn is_kept(server: &HttpServer, tool: &str, request: &Value, words: &[&str]) {
    let fetched = shown(&server.call(tool, request));
    assert!(
        words.iter().all(|&words| fetched.contains(words)),
        "{fetched}"
    );
    // The process of the first call is reaped behind its answer.
    thread::sleep(Duration::from_millis(300));
    let before = work_of_children(server);
    assert!(before > 0);
    for _ in 0..5 {
        assert_eq!(shown(&server.call(tool, request)), fetched);
    }
    assert_eq!(work_of_children(server), before);
}

#[test]
fn what_is_kept_is_answered_without_another_process() {
    let pages = Server::bytes(page("All of it."));
    let missing = Server::bytes(reply("404 Not Found\r\nContent-Type: text/plain", "no"));
    let server = http(&["--allow-private"]).start();
    for (url, said) in [(pages.url("/a"), "All of it."), (missing.url("/b"), "404")] {
        let fetched = server.call("scrape_page", &json!({"url": url}));
        assert!(shown(&fetched).contains(said), "{}", shown(&fetched));
        // The process of the first call is reaped behind its answer.
        thread::sleep(Duration::from_millis(300));
        let before = work_of_children(&server);
        assert!(before > 0);
        for _ in 0..20 {
            let kept = server.call("scrape_page", &json!({"mode": "full", "url": url}));
            // A failure says how old it is.
            let beginning = shown(&fetched);
            let beginning = beginning.trim_end_matches(']');
            assert!(shown(&kept).starts_with(beginning), "{}", shown(&kept));
        }
        assert_eq!(work_of_children(&server), before);
    }
    assert_eq!((pages.asked().len(), missing.asked().len()), (1, 1));
}

#[test]
fn a_request_that_makes_no_sense_costs_no_process_either() {
    let server = http(&[]).start();
    for (tool, arguments, said) in [
        ("scrape_page", json!({}), "missing url field"),
        ("scrape_page", json!({"url": "no address"}), "INVALID_URL"),
        ("web_search", json!({"query": {}}), "query must be a string"),
        (
            "web_search",
            json!({"query": "x", "lens": "nope"}),
            "There are: academic",
        ),
    ] {
        let answer = server.call(tool, &arguments);
        assert!(shown(&answer).contains(said), "{}", shown(&answer));
        assert_eq!(answer.json()["result"]["isError"], true);
    }
    assert_eq!(work_of_children(&server), 0);
}

#[test]
fn a_search_that_is_kept_is_answered_without_another_process() {
    let found = json!({"results": [{"url": "https://a.example/", "title": "T", "content": "S"}]});
    let searx = Server::bytes(reply(
        "200 OK\r\nContent-Type: application/json",
        found.to_string(),
    ));
    let server = http(&[]).env("SEARXNG_URL", searx.url("")).start();
    let search = json!({"query": "words", "num_results": 1});
    is_kept(&server, "web_search", &search, &["https://a.example/"]);
    assert_eq!(searx.asked().len(), 1);
}

#[test]
fn patents_that_are_kept_are_answered_without_another_process() {
    let found = json!({"data": [{"jurisdiction": "EP", "doc_number": "3456789", "kind": "A1",
        "biblio": {"invention_title": [{"text": "Video", "lang": "en"}]}}]});
    let lens = Server::bytes(reply(
        "200 OK\r\nContent-Type: application/json",
        found.to_string(),
    ));
    let server = http(&["--tools", "research"])
        .env("LENS_API_TOKEN", "a-token-of-a-person")
        .env("IKIGAI_LENS_URL", lens.url(""))
        .start();
    let search = json!({"assignee": "Somebody, Inc."});
    is_kept(&server, "patent_search", &search, &["EP3456789A1"]);
    assert_eq!(lens.asked().len(), 1);
}

#[test]
fn pages_of_a_search_that_are_kept_are_answered_without_another_process() {
    let pages = engine(&["/a", "/b"], |path, conn| {
        let words = format!("<p>{}</p>", format!("Words of {path}. ").repeat(40));
        conn.write_all(&html(path, &words))
    });
    let server = http(&["--tools", "research", "--allow-private"])
        .env("SEARXNG_URL", pages.url(""))
        .start();
    let search = json!({"query": "words", "num_results": 2});
    let words = ["Words of /a.", "Words of /b."];
    is_kept(&server, "search_and_scrape", &search, &words);
    let count = |path: &str| {
        pages
            .asked()
            .iter()
            .filter(|asked| asked.target == path)
            .count()
    };
    assert_eq!((count("/a"), count("/b")), (1, 1));
}

#[test]
fn of_equal_calls_at_once_one_goes_out_with_a_cache_or_without() {
    for no_cache in ["0", "1"] {
        let pages = slow("Asked for once.", Duration::from_millis(700));
        let server = http(&["--allow-private"])
            .env("IKIGAI_NO_CACHE", no_cache)
            .start();
        let url = pages.url("/a");
        thread::scope(|scope| {
            for number in 0..8 {
                let (server, url) = (&server, &url);
                scope.spawn(move || {
                    // However their fields are ordered.
                    let arguments = if number % 2 == 0 {
                        json!({"url": url, "mode": "full"})
                    } else {
                        json!({"mode": "full", "url": url})
                    };
                    let said = shown(&server.call("scrape_page", &arguments));
                    assert!(said.contains("Asked for once."), "{said}");
                });
            }
        });
        assert_eq!(pages.asked().len(), 1, "IKIGAI_NO_CACHE={no_cache}");
    }
}

#[test]
fn each_call_is_a_line_in_the_log_without_what_it_asked_for() {
    let pages = Server::bytes(page("Logged."));
    let server = http(&["--allow-private", "--log", "json"])
        .tokens(&["ada"])
        .start();
    let url = pages.url("/secret-address?q=private");
    for arguments in [json!({"url": url}), json!({"url": url}), json!({})] {
        server.call_as("ada", "scrape_page", &arguments);
    }
    let lines = lines(&server, 3);
    assert_eq!(lines.len(), 3);
    for (line, outcome) in lines.iter().zip(["ok", "ok", "INVALID_ARG"]) {
        assert_eq!(line["token"], "ada");
        assert_eq!(line["tool"], "scrape_page");
        assert_eq!(line["outcome"], outcome);
        assert!(line["milliseconds"].is_u64());
        assert!(line["bytes"].as_u64().unwrap() > 0);
        let time = line["time"].as_str().unwrap();
        assert!(time.ends_with('Z') && time.len() == 24, "{time}");
        assert_eq!(line.as_object().unwrap().len(), 6, "{line}");
    }
    let log = server.log();
    for hidden in ["secret-address", "private", "token-of-ada"] {
        assert!(!log.contains(hidden), "{log}");
    }
}

#[test]
fn what_was_asked_for_is_logged_where_that_is_wanted() {
    let server = http(&["--log", "json", "--log-arguments"]).start();
    server.call("scrape_page", &json!({"url": "ftp://a.example/x"}));
    let lines = lines(&server, 1);
    assert_eq!(lines[0]["arguments"], json!({"url": "ftp://a.example/x"}));
    assert_eq!(lines[0]["outcome"], "INVALID_URL");
    assert_eq!(lines[0]["token"], "local");
}

#[test]
fn what_is_logged_has_no_passwords_no_keys_and_no_control_characters() {
    let server = http(&["--log", "json", "--log-arguments"])
        .env("BRAVE_API_KEY", "s3rv3r-own-k3y")
        .start();
    let url = "ftp://user:pass-word@a.example/x?api_key=in-words&sig=si6n&q=s3rv3r-own-k3y";
    let unseen = "\u{1b}[31m \u{7f} \u{9b} \u{2028} \u{202e} \0";
    server.call("scrape_page", &json!({"url": url, unseen: unseen}));
    let lines = lines(&server, 1);
    let shown = "ftp://[key]@a.example/x?api_key=[key]&sig=[key]&q=[key]";
    assert_eq!(lines[0]["arguments"], json!({"url": shown, unseen: unseen}));
    let log = server.log();
    for hidden in ["pass-word", "in-words", "si6n", "s3rv3r"] {
        assert!(!log.contains(hidden), "{log}");
    }
    let bad = |c: char| c != '\n' && (c.is_control() || "\u{2028}\u{202e}".contains(c));
    assert!(!log.contains(bad), "{log:?}");
}

#[test]
fn a_call_that_was_given_up_is_logged_as_that() {
    let pages = slow("Late.", Duration::from_secs(20));
    let server = http(&["--allow-private", "--log", "json"]).start();
    let mut connection = server.connect();
    let message = crate::http_server::call("scrape_page", &json!({"url": pages.url("/")}));
    connection.send_message(&[], &message);
    while pages.asked().is_empty() {
        thread::sleep(Duration::from_millis(20));
    }
    drop(connection);
    assert_eq!(lines(&server, 1)[0]["outcome"], "cancelled");
}

#[test]
fn anybody_may_ask_whether_the_server_is_there_and_no_more() {
    let server = http(&[]).tokens(&["ada"]).start();
    let plain = server.request("GET /health", &[], b"");
    assert_eq!(
        (plain.status, plain.text().as_str()),
        (200, r#"{"status":"ok"}"#)
    );
    let wrong = server.request("GET /health", &[("Authorization", "Bearer no")], b"");
    assert_eq!(wrong.text(), plain.text());
    let token = format!("Bearer {}", crate::http_server::token_of("ada"));
    let known = server
        .request("GET /health", &[("Authorization", &token)], b"")
        .json();
    assert_eq!(known["status"], "ok");
    assert_eq!(known["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(known["sharedCache"], "none");
    assert!(known["uptimeSeconds"].is_u64());
    let other = server.request("GET /health", &[("Host", "evil.example")], b"");
    assert_eq!(other.status, 403);
    let posted = server.request("POST /health", &[], b"");
    assert_eq!(
        (posted.status, posted.header("allow")),
        (405, Some("GET, HEAD"))
    );
}

#[test]
fn figures_are_for_those_with_a_token_in_prometheus_s_form() {
    let server = http(&[]).tokens(&["ada"]).start();
    assert_eq!(server.request("GET /metrics", &[], b"").status, 401);
    server.call_as("ada", "scrape_page", &json!({}));
    let token = format!("Bearer {}", crate::http_server::token_of("ada"));
    let answer = server.request("GET /metrics", &[("Authorization", &token)], b"");
    assert_eq!(
        answer.header("content-type"),
        Some("text/plain; version=0.0.4")
    );
    let text = answer.text();
    for line in [
        r#"ikigai_calls_total{outcome="INVALID_ARG",tool="scrape_page"} 1"#,
        r#"ikigai_call_seconds_count{tool="scrape_page"} 1"#,
        "ikigai_calls_running 0",
        "ikigai_connections 1",
        "ikigai_shared_cache_up 1",
        r#"ikigai_refused_total{status="401"} 1"#,
    ] {
        assert!(text.lines().any(|one| one == line), "{line} in {text}");
    }
    let resident = text
        .lines()
        .find_map(|line| line.strip_prefix("ikigai_resident_bytes "));
    assert!(resident.unwrap().parse::<u64>().unwrap() > 1_000_000);
}

#[test]
fn refused_tokens_are_one_line_in_the_log_which_says_nothing_of_them() {
    for flags in [&[][..], &["--log", "json"]] {
        let server = http(flags).tokens(&["anna"]).start();
        for number in 0..50 {
            let token = format!("Bearer token-of-mallory-{number}");
            let answer = server.post(&[("Authorization", &token)], &ping());
            assert_eq!(answer.status, 401);
        }
        assert!(server.logs("missing or not in the file of tokens"));
        let log = server.log();
        assert_eq!(log.matches("a request was refused").count(), 1, "{log}");
        assert!(!log.contains("mallory"), "{log}");
    }
}
