//! Pages within a limit that the caller sets: each answer is valid JSON within its bytes, and doing
//! as the notes say gives the whole page.

use crate::common::{Answer, tool};
use crate::server::{Server, page, reply};
use proptest::prelude::*;
use serde_json::{Value, json};

fn fetch(request: &Value, limit: usize) -> Answer {
    let call = tool("web-fetch-tool").with(request).without_settings();
    let answer = call.env("IKIGAI_MAX_ANSWER", limit.to_string()).run();
    assert!(
        answer.stdout.len() <= limit,
        "{} of {limit}",
        answer.stdout.len()
    );
    assert_eq!(answer.code(), 0);
    answer
}

/// The number behind `"name":` in a note.
fn told(note: &str, name: &str) -> Option<u64> {
    let behind = note.split_once(&format!("\"{name}\":"))?.1;
    let end = behind
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(behind.len());
    behind[..end].parse().ok()
}

/// The content of all answers from the first on, as long as a note says how to go on.
fn followed(mut request: Value, limit: usize) -> (String, usize) {
    let (mut whole, mut calls) = (String::new(), 0);
    loop {
        calls += 1;
        assert!(calls < 3000);
        let json = fetch(&request, limit).json();
        whole += json["content"].as_str().unwrap();
        let Some(offset) = json["note"].as_str().and_then(|note| told(note, "offset")) else {
            return (whole, calls);
        };
        let note = json["note"].as_str().unwrap();
        assert!(offset > request["offset"].as_u64().unwrap_or(1), "{note}");
        assert_eq!(
            told(note, "limit").is_some(),
            request.get("limit").is_some(),
            "{note}"
        );
        request["offset"] = offset.into();
        if let Some(limit) = told(note, "limit") {
            request["limit"] = limit.into();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn following_the_notes_gives_the_whole_page(
        lines in prop::collection::vec("[ -~é€\u{1}\t\"\\\\]{0,60}", 0..60),
        ends in any::<bool>(),
        limit in 700..3000_usize,
        window in (1..40_u64, prop::option::of(1..80_u64)),
    ) {
        let text = lines.join("\n") + if ends { "\n" } else { "" };
        let server = Server::bytes(page(&text));
        let url = server.url("/");
        if !text.trim_ascii().is_empty() {
            prop_assert_eq!(followed(json!({"url": url}), limit).0, text.clone());
            let (first, count) = window;
            let mut request = json!({"url": url, "offset": first});
            if let Some(count) = count {
                request["limit"] = count.into();
            }
            let most = count.map_or(usize::MAX, |count| usize::try_from(count).unwrap());
            let skipped = usize::try_from(first).unwrap() - 1;
            let wanted: String = text.split_inclusive('\n').skip(skipped).take(most).collect();
            prop_assert_eq!(followed(request, limit).0, wanted);
        }
    }
}

#[test]
fn a_page_is_cut_behind_whole_lines_and_its_note_says_how_to_go_on() {
    let paragraphs: Vec<String> = (0..500).map(|n| format!("<p>paragraph {n}</p>")).collect();
    let paragraphs = paragraphs.concat();
    let server = Server::bytes(reply(
        "200 OK\r\nContent-Type: text/html",
        format!("<title>T</title>{paragraphs}"),
    ));
    let json = fetch(&json!({"url": server.url("/")}), 4000).json();
    let content = json["content"].as_str().unwrap();
    let lines = content.lines().count();
    assert!(content.ends_with('\n') && lines > 50, "{lines}");
    assert_eq!(json["title"], "T");
    let note = json["note"].as_str().unwrap();
    assert!(
        note.ends_with(&format!("\"offset\":{}", lines + 1)),
        "{note}"
    );
    let json = fetch(
        &json!({"url": server.url("/"), "offset": 11, "limit": 900}),
        4000,
    )
    .json();
    let lines = json["content"].as_str().unwrap().lines().count();
    let next = format!("\"offset\":{},\"limit\":{}", lines + 11, 900 - lines);
    assert!(json["note"].as_str().unwrap().ends_with(&next), "{json}");
    let whole = crate::common::tool("web-fetch-tool")
        .with(&json!({"url": server.url("/")}))
        .run()
        .json();
    assert!(whole.get("note").is_none());
    let (followed, calls) = followed(json!({"url": server.url("/")}), 4000);
    assert_eq!(whole["content"], followed.as_str());
    assert!((3..20).contains(&calls));
}

#[test]
fn a_line_longer_than_the_answer_is_cut_and_said_to_be() {
    let line = "é".repeat(5000);
    let server = Server::bytes(page(format!("{line}\nnext\n")));
    let json = fetch(&json!({"url": server.url("/")}), 1000).json();
    let content = json["content"].as_str().unwrap();
    assert!(
        line.starts_with(content) && content.len() > 300,
        "{}",
        content.len()
    );
    let note = json["note"].as_str().unwrap();
    let shown = content.len();
    assert!(note.contains(&shown.to_string()), "{note}");
    assert!(note.ends_with("\"offset\":2"), "{note}");
    assert_eq!(
        fetch(&json!({"url": server.url("/"), "offset": 2}), 1000).json()["content"],
        "next\n"
    );
    let server = Server::bytes(page(&line));
    let json = fetch(&json!({"url": server.url("/")}), 1000).json();
    assert!(!json["note"].as_str().unwrap().contains("offset"), "{json}");
}

#[test]
fn failures_and_long_addresses_keep_to_the_limit() {
    let server = Server::bytes(reply("404 Not Found", "word ".repeat(1000)));
    let mut call = tool("web-fetch-tool").with(&json!({"url": server.url("/page)")}));
    call = call.env("IKIGAI_MAX_ANSWER", "300").without_settings();
    let answer = call.run();
    assert!(answer.stdout.len() <= 300);
    assert_eq!(answer.json()["error"], "HTTP 404: Not Found");
    assert!(answer.json()["note"].is_string());
    let server = Server::bytes(page("short\n"));
    let url = server.url(&format!("/{}", "x".repeat(3000)));
    let json = fetch(&json!({"url": url}), 1000).json();
    assert!(json["note"].is_string(), "{json}");
}

#[test]
fn a_limit_of_time_ends_a_fetch_and_a_long_one_leaves_the_tool_s_own() {
    let server = Server::start(|_, conn| {
        conn.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")?;
        loop {
            conn.write_all(b"x")?;
            conn.flush()?;
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
    });
    let answer = tool("web-fetch-tool")
        .with(&json!({"url": server.url("/")}))
        .without_settings()
        .env("IKIGAI_MAX_SECONDS", "2")
        .run();
    assert_eq!(answer.json()["error_code"], "NETWORK_ERROR");
    // On a machine that is busy, starting may have taken a part of its time.
    let error = answer.field("error");
    let seconds = error.split(' ').find_map(|word| word.parse::<f64>().ok());
    assert!(
        seconds.is_some_and(|time| (1.0..2.0).contains(&time)),
        "{error}"
    );
}

#[test]
fn a_long_title_leaves_room_for_the_content() {
    let title = "t\u{e9}".repeat(50_000);
    let html = format!("<title>{title}</title><p>content</p>");
    let server = Server::bytes(reply(
        "200 OK\r\nContent-Type: text/html; charset=utf-8",
        html,
    ));
    for limit in [500, 4_000, 65_000] {
        let json = fetch(&json!({"url": server.url("/")}), limit).json();
        assert_eq!(json["content"], "content", "{json}");
        let shown = json["title"].as_str().unwrap();
        assert!(title.starts_with(shown) && shown.len() > 40, "{shown}");
    }
}
