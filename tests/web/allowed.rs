//! `ALLOWED_DOMAINS`: which pages are fetched at all, at each hop, and what it does not touch.

use crate::common::messages::TextRow;
use crate::common::{Answer, tool};
use crate::server::{Server, redirect, reply};
use serde_json::{Value, json};

/// A call of a tool with these fields and this list, through no proxy.
fn call(name: &str, request: &Value, allowed: &str) -> crate::common::Call {
    let call = tool(name).with(request).without_settings();
    call.env("ALLOWED_DOMAINS", allowed)
}

fn fetch(url: &str, allowed: &str) -> Answer {
    call("web-fetch-tool", &json!({"url": url}), allowed).run()
}

#[track_caller]
fn is_refused(answer: &Answer, name: &str) {
    let json = answer.json();
    assert_eq!(json["success"], false, "{json}");
    assert_eq!(json["error_code"], "NETWORK_ERROR", "{json}");
    assert_eq!(answer.code(), 1);
    let said = format!("{}\n{}", answer.field("error"), answer.note());
    said.assert_row("web_fetch", name);
}

#[test]
fn a_listed_host_is_fetched_and_another_one_is_not_even_asked() {
    let server = Server::bytes(reply("200 OK\r\nContent-Type: text/plain", "Here"));
    for list in ["127.0.0.1", "example.com, 127.0.0.1:1", "", " "] {
        let answer = fetch(&server.url("/"), list);
        assert_eq!(answer.field("content").trim(), "Here", "{list}");
    }
    let asked = server.asked().len();
    let refused = fetch(&server.url("/secret?key=1"), "example.com,localhost");
    is_refused(&refused, "a host that is not listed");
    assert!(!refused.json().to_string().contains("key=1"));
    assert_eq!(server.asked().len(), asked);
}

#[test]
fn each_redirect_has_to_lead_to_a_listed_host() {
    let goal = Server::bytes(reply("200 OK\r\nContent-Type: text/plain", "Goal"));
    let start = Server::bytes(redirect(&goal.url_as("localhost", "/")));
    let refused = fetch(&start.url("/"), "127.0.0.1");
    is_refused(&refused, "a redirect to a host that is not listed");
    assert!(goal.asked().is_empty());
    let answer = fetch(&start.url("/"), "127.0.0.1 localhost");
    assert_eq!(answer.field("content").trim(), "Goal");
}

#[test]
fn a_list_without_any_host_allows_nothing() {
    let server = Server::bytes(reply("200 OK\r\nContent-Type: text/plain", "Here"));
    for list in [",", "*", "http://"] {
        is_refused(&fetch(&server.url("/"), list), "a list without any host");
    }
    assert!(server.asked().is_empty());
}

#[test]
fn a_search_asks_its_provider_all_the_same() {
    let found = json!({"web": {"results": [
        {"title": "One", "url": "https://other.example/1", "description": "x"},
    ]}});
    let body = found.to_string();
    let server = Server::bytes(reply("200 OK\r\nContent-Type: application/json", body));
    let answer = call(
        "web-search-brave-tool",
        &json!({"query": "words"}),
        "example.com",
    )
    .env("IKIGAI_BRAVE_URL", server.url("/"))
    .env("BRAVE_API_KEY", "a-key-of-the-test")
    .run();
    assert_eq!(answer.json()["success"], true, "{}", answer.json());
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn the_manual_says_what_the_list_is_for() {
    let room = crate::common::directory();
    let (code, _, err) = crate::common::piped(room.path(), &["man", "--out", "."]);
    assert_eq!((code, err.as_str()), (0, ""));
    let page = std::fs::read_to_string(room.path().join("ikigai-tools-web-fetch.1")).unwrap();
    assert!(page.contains("ALLOWED_DOMAINS"), "{page}");
}
