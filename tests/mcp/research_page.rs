//! `scrape_page` as a model and as a program get it: text with what is known of its source, the
//! object, what stands beside it, and large answers as resources.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};

use super::session::Session;
use crate::common::messages::TextRow;
use crate::reading::{Home, article, refusing, serving, text};

fn program(home: &Home) -> Session {
    let args = ["--structured", "--tools", "research"];
    let mut session = Session::unprepared_with(Path::new("."), &args, &home.environment());
    session.shake_hands("2025-11-25");
    session
}

fn model(home: &Home, name: &str) -> Session {
    model_with(home, name, "research")
}

fn model_with(home: &Home, name: &str, tools: &str) -> Session {
    let args = ["--tools", tools];
    let mut session = Session::unprepared_with(Path::new("."), &args, &home.environment());
    session.shake_hands_as(name, "2025-11-25");
    session
}

fn shown(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

fn read(session: &mut Session, uri: &str) -> Value {
    session.send(
        &json!({"jsonrpc": "2.0", "id": 9, "method": "resources/read", "params": {"uri": uri}}),
    );
    session.receive()
}

/// Whether an answer is what the server says that answers are like.
#[track_caller]
fn keeps_to_the_schema(session: &mut Session, object: &Value) {
    session.send(&json!({"jsonrpc": "2.0", "id": 8, "method": "tools/list"}));
    let list = session.receive();
    let tools = list["result"]["tools"].as_array().unwrap();
    let tool = tools.iter().find(|one| one["name"] == "scrape_page");
    let schema = &tool.unwrap()["outputSchema"];
    for (name, value) in object.as_object().unwrap() {
        let kind = schema["properties"][name]["type"].as_str();
        let fits = match kind {
            Some("string") => value.is_string(),
            Some("integer") => value.is_u64(),
            Some("boolean") => value.is_boolean(),
            Some("object") => value.is_object(),
            other => panic!("{name} is {other:?}"),
        };
        assert!(fits, "{name}: {value}");
    }
    let fits = |one: &Value| {
        let required = one["required"].as_array().unwrap();
        required
            .iter()
            .all(|name| object.get(name.as_str().unwrap()).is_some())
    };
    assert!(
        schema["anyOf"]
            .as_array()
            .is_none_or(|any| any.iter().any(fits))
    );
}

#[test]
fn a_program_gets_the_object_and_its_age() {
    let server = serving("text/html", article(20));
    let home = Home::new();
    let mut session = program(&home);
    let request = json!({"url": server.url("/")});
    let fresh = session.result_of("scrape_page", &request);
    let object = &fresh["structuredContent"];
    assert_eq!(object["contentType"], "html", "{fresh:.500}");
    assert_eq!(object.get("success"), None);
    assert_eq!(object.get("_meta"), None);
    assert_eq!(
        &serde_json::from_str::<Value>(shown(&fresh)).unwrap(),
        object
    );
    let age = |cached, seconds: u64, word| json!({"cached": cached, "ageSeconds": seconds, "maxAgeSeconds": 3600, "freshness": word});
    assert_eq!(fresh["_meta"], age(false, 0, "fresh"));
    keeps_to_the_schema(&mut session, object);
    for (seconds, word) in [(1000, "fresh"), (2000, "aging"), (3000, "expiring")] {
        home.age(seconds);
        let kept = session.result_of("scrape_page", &request);
        assert_eq!(&kept["structuredContent"], object);
        let told = kept["_meta"]["ageSeconds"].as_u64().unwrap();
        assert!((seconds..seconds + 5).contains(&told), "{told}");
        assert_eq!(kept["_meta"], age(true, told, word));
    }
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn a_model_gets_the_content_and_what_is_worth_its_tokens_behind_it() {
    let server = serving("text/html", article(20));
    let mut session = model(&Home::new(), "test");
    let result = session.result_of("scrape_page", &json!({"url": server.url("/")}));
    let shown = shown(&result);
    assert!(
        shown.starts_with("# What lay under the mill"),
        "{shown:.300}"
    );
    let (content, behind) = shown.rsplit_once("everybody knew.").unwrap();
    assert!(content.contains("Paragraph 20 "), "{content}");
    let origin = server.url("");
    behind.assert_row_at("mcp", "what stands behind a page", &[(&origin, "<server>")]);
    assert_eq!(result.get("structuredContent"), None);
    assert_eq!(result["_meta"]["cached"], false);
}

#[test]
fn the_client_s_limit_holds_whatever_a_request_says() {
    let server = serving("text/html", article(300));
    let home = Home::new();
    let args = ["--tools", "research,web_fetch"];
    let mut session = Session::unprepared_with(Path::new("."), &args, &home.environment());
    session.shake_hands_as("codex-mcp-client", "2025-11-25");
    let result = session.result_of("scrape_page", &json!({"url": server.url("/")}));
    let short = shown(&result);
    assert!(
        short.len() <= 11_000 && short.len() > 7000,
        "{}",
        short.len()
    );
    assert!(short.contains("web_fetch, offset "), "{short}");
    // Going on there gives the next line.
    let (_, behind) = short.split_once("web_fetch, offset ").unwrap();
    let offset: usize = behind
        .split(|c: char| !c.is_ascii_digit())
        .next()
        .unwrap()
        .parse()
        .unwrap();
    let shown_last = (1..=300)
        .rev()
        .find(|n| short.contains(&format!("Paragraph {n} of")));
    assert!(behind.contains("main_only true"), "{behind}");
    let args = ["--tools", "web_fetch"];
    let mut other = Session::unprepared_with(Path::new("."), &args, &home.environment());
    other.shake_hands_as("test", "2025-11-25");
    let request = json!({"url": server.url("/"), "main_only": true, "offset": offset});
    let (rest, _) = other.text_of("web_fetch", &request);
    let (_, rest) = rest.split_once("]\n").unwrap();
    let next = format!("Paragraph {} of", shown_last.unwrap() + 1);
    assert!(rest.trim_start().starts_with(&next), "{rest:.200}");

    let request = json!({"url": server.url("/"), "max_length": 30_000});
    let result = session.result_of("scrape_page", &request);
    assert!(shown(&result).len() <= 11_000, "the lesser limit holds");
}

#[test]
fn the_client_s_lines_are_a_limit_too() {
    let numbers: Vec<String> = (1..=9000).map(|number| format!("{number}\n")).collect();
    let server = serving("text/plain", numbers.concat());
    let home = Home::new();
    let mut session = model_with(&home, "opencode", "research,web_fetch");
    let result = session.result_of("scrape_page", &json!({"url": server.url("/")}));
    let text = shown(&result);
    let lines = text.lines().count();
    assert!((1700..1950).contains(&lines), "{lines}");
    // The line ahead and the last one both say how to go on.
    let words = "go on with web_fetch, offset ";
    let told = || text.lines().filter(|line| line.contains(words));
    assert_eq!(told().count(), 2, "{text}");
    assert!(told().all(|line| line.starts_with('[')), "{text}");
    let (_, next) = text.split_once(words).unwrap();
    let next = next.split(|c: char| !c.is_ascii_digit()).next().unwrap();
    let next: usize = next.parse().unwrap();
    let last = text
        .lines()
        .filter_map(|line| line.parse::<usize>().ok())
        .max();
    assert_eq!(last, Some(next - 1));
}

#[test]
fn a_large_raw_answer_is_linked_and_can_be_read() {
    let body = format!("[{}0]", "1,".repeat(20_000));
    let server = serving("application/json", &body);
    let home = Home::new();
    let request = json!({"url": server.url("/"), "mode": "raw"});
    let mut session = program(&home);
    let result = session.result_of("scrape_page", &request);
    let summary = &result["structuredContent"];
    assert_eq!(summary["linked"], true, "{summary}");
    assert_eq!(summary["mimeType"], "application/json");
    assert_eq!(summary["contentSizeBytes"], body.len());
    assert_eq!(summary.get("content"), None);
    keeps_to_the_schema(&mut session, summary);
    let uri = text(summary, "resource").to_owned();
    assert!(
        uri.starts_with("research://artifact/") && uri.len() == 84,
        "{uri}"
    );
    let expires = text(summary, "expiresAt");
    assert!(expires.len() == 20 && expires.ends_with('Z'), "{expires}");
    let link = result["content"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["type"] == "resource_link")
        .unwrap();
    assert_eq!(
        (&link["uri"], &link["size"]),
        (&summary["resource"], &summary["bytes"])
    );
    assert_eq!(link["name"], "research-artifact");
    assert_eq!(result["_meta"]["cached"], false);

    let there = read(&mut session, &uri);
    let there = there["result"]["contents"][0]["text"].as_str().unwrap();
    assert_eq!(there.len() as u64, summary["bytes"].as_u64().unwrap());
    let whole: Value = serde_json::from_str(there).unwrap();
    assert_eq!(
        (&whole["content"], &whole["raw"]),
        (&json!(body), &json!(true))
    );
    let digest = ring::digest::digest(&ring::digest::SHA256, there.as_bytes());
    let mut digits = String::new();
    for byte in digest.as_ref() {
        write!(digits, "{byte:02x}").unwrap();
    }
    assert!(uri.ends_with(&digits));

    // From the cache it is the same link, and for a model the same resource.
    let again = session.result_of("scrape_page", &request);
    assert_eq!(again["structuredContent"]["resource"], summary["resource"]);
    assert_eq!(again["_meta"]["cached"], true);
    let mut session = model(&home, "test");
    let result = session.result_of("scrape_page", &request);
    assert!(shown(&result).contains(&uri), "{result:.500}");

    home.age(1801);
    let gone = read(&mut session, &uri);
    assert!(gone.get("error").is_some(), "{gone}");
}

#[test]
fn a_large_raw_answer_without_a_cache_is_inline() {
    let server = serving("text/plain", "x".repeat(40_000));
    let home = Home::new().set("IKIGAI_NO_CACHE", "1");
    let request = json!({"url": server.url("/"), "mode": "raw"});
    let result = program(&home).result_of("scrape_page", &request);
    let object = &result["structuredContent"];
    assert_eq!(text(object, "content").len(), 40_000);
    // Below the limit nothing is linked, with a cache either.
    let home = Home::new();
    let request = json!({"url": server.url("/"), "mode": "raw", "max_length": 20_000});
    let result = program(&home).result_of("scrape_page", &request);
    assert_eq!(text(&result["structuredContent"], "content").len(), 20_000);
}

#[test]
fn a_failure_is_a_sentence_and_a_kind() {
    let server = refusing("429 Too Many Requests\r\nRetry-After: 9", "slow down");
    let result = program(&Home::new()).result_of("scrape_page", &json!({"url": server.url("/")}));
    assert_eq!(result["isError"], true);
    let (sentence, error) = shown(&result).split_once("\n\n").unwrap();
    let origin = server.url("");
    sentence.assert_row_at(
        "mcp",
        "a page that is asked for too often",
        &[(&origin, "<server>")],
    );
    let error: Value = serde_json::from_str(error).unwrap();
    assert_eq!(error["error"]["kind"], "rate_limited");
    assert_eq!(error["error"]["retryable"], true);
    assert_eq!(error["error"]["retryAfterSeconds"], 9);
}
