//! What a terminal shows of the web: the content of a page, results as a list, and nothing that
//! steers it.

use std::ffi::OsStr;
use std::path::Path;

use super::terminal::{Seen, Streams, run_in};
use crate::server::{Server, page, reply};
use serde_json::{Value, json};

fn seen(args: &[&str], variables: &[(&str, &str)]) -> Seen {
    let direct = [
        ("NO_PROXY", "*"),
        ("no_proxy", "*"),
        ("HOME", "/nonexistent"),
    ];
    let variables: Vec<(&str, &OsStr)> = direct
        .iter()
        .chain(variables)
        .map(|(name, value)| (*name, OsStr::new(*value)))
        .collect();
    let program = Path::new(env!("CARGO_BIN_EXE_ikigai-tools"));
    run_in(Path::new("."), program, args, Streams::All, &variables)
}

fn searched(results: &Value, more: &[(&str, &str)]) -> Seen {
    let body = json!({"type": "search", "web": {"results": results}}).to_string();
    let server = Server::bytes(reply("200 OK\r\nContent-Type: application/json", body));
    let url = server.url("/search");
    let variables = [("BRAVE_API_KEY", "key"), ("IKIGAI_BRAVE_URL", &url)];
    seen(
        &["web-search-brave", "query", "--count", "2"],
        &[&variables, more].concat(),
    )
}

#[test]
fn the_content_of_a_page_is_shown() {
    let server = Server::bytes(page("# Title\n\nText\u{1b}]0;owned\u{7}"));
    let seen = seen(&["web-fetch", &server.url("/")], &[]);
    let shown = "# Title\n\nText\\x1b]0;owned\\x07\n";
    assert!(seen.terminal.starts_with(shown), "{seen:?}");
    assert_eq!(seen.code, 0);
}

#[test]
fn results_are_a_short_list() {
    let results = json!([
        {"title": "One\u{9b}2J", "url": "https://example.com/1", "description": "First"},
        {"title": "Two", "url": "https://example.com/2", "description": ""},
    ]);
    let plain = searched(&results, &[("NO_COLOR", "1")]);
    let expected = "1. One\\x9b2J\n   https://example.com/1\n   First\n2. Two\n   https://example.com/2\n\
         web-search-brave: 1 control character is spelled, as \\x1b.\n";
    assert_eq!((plain.terminal.as_str(), plain.code), (expected, 0));
    let coloured = searched(&results, &[]);
    assert!(
        coloured.terminal.contains("2. \u{1b}[1mTwo\u{1b}[0m\n"),
        "{coloured:?}"
    );
}

#[test]
fn no_results_and_no_key_are_said_so() {
    let none = searched(&json!([]), &[("NO_COLOR", "1")]);
    assert_eq!(
        (none.terminal.as_str(), none.code),
        ("web-search-brave: nothing found\n", 0)
    );
    let keyless = seen(
        &["web-search-brave", "query"],
        &[("BRAVE_API_KEY", ""), ("NO_COLOR", "1")],
    );
    assert_eq!(keyless.code, 1);
    assert!(
        keyless
            .terminal
            .starts_with("web-search-brave: Web search requires API key configuration.")
    );
    assert!(!keyless.terminal.contains("config_required"), "{keyless:?}");
}
