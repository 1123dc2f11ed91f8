//! The two search tools, called as a host calls them. What each reply of a provider means is tested
//! with the providers.

use std::fs;
use std::path::Path;

use super::searching::{KEY, brave, google};
use crate::common::{Answer, Call, directory, text, tool};
use crate::server::{Server, reply};
use serde_json::{Value, json};

fn answering(status: &str, body: &Value) -> Server {
    let head = format!("{status}\r\nContent-Type: application/json");
    Server::bytes(reply(&head, body.to_string()))
}

/// A call without anything of the environment's own.
fn call(link: &str, request: &Value, home: &Path) -> Call {
    tool(link)
        .with(request)
        .without_settings()
        .env("HOME", home)
}

#[track_caller]
fn fails(answer: &Answer, code: &str) -> String {
    let json = answer.json();
    assert_eq!(
        (&json["success"], &json["error_code"]),
        (&json!(false), &json!(code)),
        "{json}"
    );
    assert_eq!(answer.code(), 1);
    assert!(
        !String::from_utf8_lossy(&answer.stdout).contains("k3y"),
        "a key is shown"
    );
    assert!(!answer.stderr.contains("k3y"), "a key is shown");
    json["error"].as_str().unwrap().to_owned()
}

fn brave_results() -> Value {
    json!({"type": "search", "web": {"results": [
        {"title": "The <strong>first</strong> &amp; best", "url": "https://example.com/1", "description": "a &lt;b&gt;"},
        {"title": "Second", "url": "https://docs.example.com/2"},
        {"title": "Third", "url": "https://notexample.com/3", "description": "x"},
    ]}})
}

#[test]
fn brave_s_results_come_as_plain_text_in_the_common_form() {
    let server = answering("200 OK", &brave_results());
    let answer = brave(&json!({"query": "two words"}), &server);
    assert_eq!(
        answer.json(),
        json!({
            "success": true,
            "results": [
                {"title": "The first & best", "url": "https://example.com/1", "snippet": "a <b>"},
                {"title": "Second", "url": "https://docs.example.com/2", "snippet": ""},
                {"title": "Third", "url": "https://notexample.com/3", "snippet": "x"},
            ],
            "count": 3,
        })
    );
    assert_eq!((answer.code(), answer.stderr.as_str()), (0, ""));
    let asked = server.asked();
    assert_eq!(asked[0].param("q").as_deref(), Some("two words"));
    assert_eq!(asked[0].param("count").as_deref(), Some("10"));
    assert_eq!(asked[0].header("x-subscription-token"), Some(KEY));
}

#[test]
fn google_s_results_come_in_the_common_form() {
    let server = answering(
        "200 OK",
        &json!({"kind": "customsearch#search", "items": [
            {"title": "First", "link": "https://example.com/1", "snippet": "about it"},
        ]}),
    );
    let answer = google(
        &json!({"query": "two words", "num": 99, "start": 1000}),
        &server,
    );
    assert_eq!(
        answer.json(),
        json!({
            "success": true,
            "results": [{"title": "First", "url": "https://example.com/1", "snippet": "about it"}],
            "count": 1,
        })
    );
    let asked = server.asked();
    assert_eq!(asked[0].param("num").as_deref(), Some("10"));
    assert_eq!(asked[0].param("start").as_deref(), Some("91"));
    assert_eq!(asked[0].param("cx").as_deref(), Some("engine"));
    assert_eq!(asked[0].param("key").as_deref(), Some(KEY));
}

#[test]
fn no_results_are_an_answer() {
    let none = json!({"success": true, "results": [], "count": 0});
    for body in [
        json!({}),
        json!({"web": null}),
        json!({"web": {}}),
        json!({"web": {"results": []}}),
        json!({"web": {"results": null}}),
        json!({"type": "search"}),
    ] {
        assert_eq!(
            brave(&json!({"query": "xx"}), &answering("200 OK", &body)).json(),
            none,
            "{body}"
        );
    }
    for body in [
        json!({}),
        json!({"kind": "customsearch#search"}),
        json!({"items": null}),
        json!({"items": []}),
    ] {
        assert_eq!(
            google(&json!({"query": "xx"}), &answering("200 OK", &body)).json(),
            none,
            "{body}"
        );
    }
}

#[test]
fn fields_that_models_send_empty_are_not_given() {
    let server = answering("200 OK", &brave_results());
    let request = json!({"query": "xx", "count": 0, "offset": 0, "allowed_domains": [], "blocked_domains": null});
    assert_eq!(brave(&request, &server).json()["count"], 3);
    let asked = server.asked();
    assert_eq!(asked[0].param("count").as_deref(), Some("10"));
    assert_eq!(asked[0].param("offset").as_deref(), Some("0"));
    let request = json!({"query": "xx", "count": "50", "offset": 99.0});
    brave(&request, &server);
    let asked = server.asked();
    assert_eq!(asked[1].param("count").as_deref(), Some("20"));
    assert_eq!(asked[1].param("offset").as_deref(), Some("9"));
}

#[test]
fn domains_are_filtered_with_their_subdomains_and_without_look_alikes() {
    let server = answering("200 OK", &brave_results());
    let allowed = brave(
        &json!({"query": "xx", "allowed_domains": ["Example.COM"]}),
        &server,
    )
    .json();
    assert_eq!(allowed["count"], 2);
    let blocked = brave(
        &json!({"query": "xx", "blocked_domains": ["example.com"]}),
        &server,
    )
    .json();
    assert_eq!(blocked["results"][0]["title"], "Third");
    let bad = brave(&json!({"query": "xx", "blocked_domains": [1]}), &server);
    assert_eq!(
        bad.json()["error"],
        "blocked_domains must be an array of strings"
    );
}

#[test]
fn a_query_of_one_character_is_a_bad_request() {
    for link in ["web-search-brave-tool", "web-search-google-tool"] {
        let home = directory();
        let answer = call(link, &json!({"query": " x"}), home.path()).run();
        let error = fails(&answer, "INVALID_ARG");
        assert_eq!(answer.stderr, format!("{link}: {error}\n"));
    }
}

#[test]
fn a_missing_key_is_an_answer_for_the_model_and_an_event_for_the_user() {
    let home = directory();
    let answer = call(
        "web-search-brave-tool",
        &json!({"query": "xx"}),
        home.path(),
    )
    .run();
    fails(&answer, "AUTH_MISSING");
    let event: Value = serde_json::from_str(answer.stderr.strip_suffix('\n').unwrap()).unwrap();
    assert!(!answer.stderr.trim_end().contains('\n'));
    assert_eq!(event["kind"], "config_required");
    assert_eq!(
        event["content"],
        "⚠ Configuration Required\n\nWeb search needs an API key. Brave Search offers 2,000 free searches/month.\n\n\
         Get your key: https://brave.com/search/api/\nAdd to: ~/.config/ikigai/credentials.json\n\nExample:\n{\n  \
         \"web_search\": {\n    \"brave\": {\n      \"api_key\": \"your-api-key-here\"\n    }\n  }\n}"
    );
    assert_eq!(
        event["data_json"],
        r#"{"tool": "web_search_brave", "credential": "api_key", "signup_url": "https://brave.com/search/api/"}"#
    );
    let answer = call(
        "web-search-google-tool",
        &json!({"query": "xx"}),
        home.path(),
    )
    .env("GOOGLE_SEARCH_API_KEY", KEY)
    .env("GOOGLE_SEARCH_ENGINE_ID", "")
    .run();
    fails(&answer, "AUTH_MISSING");
    let event: Value = serde_json::from_str(&answer.stderr).unwrap();
    assert_eq!(
        event["data_json"],
        r#"{"tool": "web_search_google", "credentials": ["api_key", "engine_id"]}"#
    );
}

#[test]
fn a_key_is_found_in_the_first_credentials_file_that_exists() {
    let server = answering("200 OK", &brave_results());
    let home = directory();
    let write = |place: &str, key: &str| {
        let file = home.path().join(place).join("credentials.json");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(
            &file,
            json!({"web_search": {"brave": {"api_key": key}}}).to_string(),
        )
        .unwrap();
    };
    let search = |variables: &[(&str, &str)]| {
        let mut call = call(
            "web-search-brave-tool",
            &json!({"query": "xx"}),
            home.path(),
        );
        call = call.env("IKIGAI_BRAVE_URL", server.url("/"));
        for (name, value) in variables {
            call = call.env(name, value);
        }
        let answer = call.run();
        assert_eq!(
            answer.code(),
            0,
            "{}",
            String::from_utf8_lossy(&answer.stdout)
        );
        server
            .asked()
            .last()
            .unwrap()
            .header("x-subscription-token")
            .unwrap()
            .to_owned()
    };
    write(".config/ikigai", "of home");
    assert_eq!(search(&[]), "of home");
    write("xdg/ikigai", "of xdg");
    let xdg = home.path().join("xdg");
    assert_eq!(search(&[("XDG_CONFIG_HOME", text(&xdg))]), "of xdg");
    write("own", "of its own");
    let own = home.path().join("own");
    let variables = [
        ("XDG_CONFIG_HOME", text(&xdg)),
        ("IKIGAI_CONFIG_DIR", text(&own)),
    ];
    assert_eq!(search(&variables), "of its own");
    assert_eq!(
        search(&[
            ("BRAVE_API_KEY", "of the variable"),
            ("IKIGAI_CONFIG_DIR", text(&own))
        ]),
        "of the variable"
    );
    assert_eq!(search(&[("BRAVE_API_KEY", "")]), "of home");
}

#[test]
fn an_unreachable_provider_is_a_network_error_that_shows_no_key() {
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let home = directory();
    let answer = call(
        "web-search-google-tool",
        &json!({"query": "xx"}),
        home.path(),
    )
    .env("GOOGLE_SEARCH_API_KEY", KEY)
    .env("GOOGLE_SEARCH_ENGINE_ID", "k3y-engine")
    .env("IKIGAI_GOOGLE_URL", format!("http://127.0.0.1:{port}/"))
    .run();
    fails(&answer, "NETWORK_ERROR");
    assert_eq!(answer.stderr, "");
}

#[test]
fn a_key_that_no_header_can_hold_is_named() {
    let output = tool("web-search-brave-tool")
        .with(&json!({"query": "rust"}))
        .env("BRAVE_API_KEY", "one\ntwo")
        .env("IKIGAI_BRAVE_URL", "http://127.0.0.1:9/")
        .run();
    assert_eq!(output.json()["error_code"], "AUTH_INVALID");
    assert!(output.field("error").contains("BRAVE_API_KEY"));
    assert!(!output.field("error").contains("two"));
}

#[test]
fn what_nobody_sees_of_a_result_is_taken_out() {
    let (title, text) = ("A\u{202e}B", "x\u{e0049}\u{e0067} y\u{ad}z");
    let url = "https://a.example/\u{202e}b";
    let found = json!({
        "web": {"results": [{"title": title, "url": url, "description": text}]},
        "items": [{"title": title, "link": url, "snippet": text}],
    });
    let server = answering("200 OK", &found);
    for search in [brave, google] {
        assert_eq!(
            search(&json!({"query": "word"}), &server).json()["results"][0],
            json!({"title": "AB", "url": "https://a.example/%E2%80%AEb", "snippet": "x yz"})
        );
    }
}
