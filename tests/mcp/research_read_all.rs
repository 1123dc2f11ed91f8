//! `search_and_scrape` as a model and as a program get it: one text within the client's limit, the
//! object or a link to it, an answer without a process, and the end of a call that is cancelled.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::session::Session;
use crate::common::eventually;
use crate::common::messages::TextRow;
use crate::reading::{Home, engine, html, text};
use crate::server::{Server, reply};

const TOOL: &str = "search_and_scrape";

fn session(home: &Home, name: &str, args: &[&str]) -> Session {
    let args = [&["--tools", "research"], args].concat();
    let mut session = Session::unprepared_with(Path::new("."), &args, &home.environment());
    session.shake_hands_as(name, "2025-11-25");
    session
}

/// Two pages of so many paragraphs, and one that is missing.
fn pages(count: usize) -> Server {
    engine(&["/a", "/b", "/c"], move |path, conn| {
        if path == "/c" {
            return conn.write_all(&reply("404 Not Found\r\nContent-Type: text/html", "none"));
        }
        let one = |number| format!("<p>Paragraph {number} of {path} on tides ends here.</p>");
        let main: String = (0..count).map(one).collect();
        conn.write_all(&html(&format!("Tides {path}"), &main))
    })
}

#[test]
fn a_model_gets_one_text_and_what_is_missing_behind_it() {
    let server = pages(20);
    let mut session = session(&Home::searching(&server), "test", &[]);
    let request = json!({"query": "tides", "claim": "Tides end"});
    let (shown, failed) = session.text_of(TOOL, &request);
    assert!(!failed);
    for path in ["/a", "/b"] {
        let head = format!("# Tides {path}\n{}\n(score 0.", server.url(path));
        assert!(shown.contains(&head), "{shown}");
        assert!(shown.contains(&format!("Paragraph 19 of {path} ")));
    }
    assert!(shown.contains("claim: Paragraph 0 of "), "{shown}");
    let (_, behind) = shown.rsplit_once("ends here.").unwrap();
    let origin = server.url("");
    behind.assert_row_at("mcp", "what stands behind pages", &[(&origin, "<server>")]);
    assert!(!shown.contains("processingTimeMs"), "{shown}");
}

#[test]
fn the_client_s_limit_cuts_sources_alike_and_the_rest_is_told() {
    let server = pages(400);
    let mut session = session(&Home::searching(&server), "codex-mcp-client", &[]);
    let (shown, _) = session.text_of(TOOL, &json!({"query": "tides"}));
    assert!((7000..=11_000).contains(&shown.len()), "{}", shown.len());
    let count = |path| {
        shown
            .matches(&format!(" of {path} on tides ends here."))
            .count()
    };
    assert!(
        count("/a").abs_diff(count("/b")) < 4 && count("/a") > 30,
        "{shown}"
    );
    for path in ["/a", "/b"] {
        let told = shown.lines().filter(|line| line.starts_with('['));
        let told = told.filter(|line| line.contains(&server.url(path)));
        assert_eq!(
            told.filter(|line| line.contains("scrape_page")).count(),
            2,
            "{shown}"
        );
    }
}

#[test]
fn a_large_object_is_linked_and_can_be_read() {
    let server = pages(400);
    let home = Home::searching(&server);
    let mut session = session(&home, "test", &["--structured"]);
    let result = session.result_of(TOOL, &json!({"query": "tides"}));
    let summary = &result["structuredContent"];
    assert_eq!(summary["linked"], true, "{result:.500}");
    assert!(
        text(summary, "summary").contains(&server.url("/a")),
        "{summary}"
    );
    let link = &result["content"][1];
    assert_eq!(
        (&link["type"], &link["uri"]),
        (&json!("resource_link"), &summary["resource"])
    );
    let params = json!({"uri": summary["resource"]});
    session.send(&json!({"jsonrpc": "2.0", "id": 9, "method": "resources/read", "params": params}));
    let there = session.receive();
    let there = text(&there["result"]["contents"][0], "text").to_owned();
    let whole: Value = serde_json::from_str(&there).unwrap();
    assert_eq!(whole["status"], "partial");
    assert!(text(&whole, "combinedContent").contains("Paragraph 399 of /b on"));
    // A short one stays, and so does each without a cache.
    for (count, home) in [
        (5, home),
        (400, Home::searching(&server).set("IKIGAI_NO_CACHE", "1")),
    ] {
        let server = pages(count);
        let home = home
            .set("SEARXNG_URL", &server.url("/"))
            .set("IKIGAI_SEARXNG_URL", &server.url("/search"));
        let mut session = self::session(&home, "test", &["--structured"]);
        let result = session.result_of(TOOL, &json!({"query": "tides"}));
        let object = &result["structuredContent"];
        assert_eq!(
            object["sources"].as_array().unwrap().len(),
            2,
            "{result:.500}"
        );
        assert_eq!(result["content"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn where_all_is_known_nothing_is_asked_again() {
    let server = pages(5);
    let home = Home::searching(&server);
    let request = json!({"query": "tides"});
    let mut session = session(&home, "test", &["--structured"]);
    let fresh = session.result_of(TOOL, &request);
    assert_eq!(fresh["_meta"]["cached"], false);
    let asked = server.asked().len();
    let kept = session.result_of(TOOL, &request);
    assert_eq!(kept["_meta"]["cached"], true, "{kept:.500}");
    assert_eq!(
        kept["structuredContent"]["sources"],
        fresh["structuredContent"]["sources"]
    );
    let failure = &kept["structuredContent"]["scrapeFailures"][0];
    assert_eq!(failure["kind"], "not_found");
    assert_eq!(server.asked().len(), asked);
}

#[test]
fn a_cancelled_call_ends_all_that_it_was_reading() {
    let open = Arc::new(AtomicUsize::new(0));
    let paths = ["/0", "/1", "/2", "/3", "/4"];
    let server = engine(&paths, {
        let open = Arc::clone(&open);
        move |_, conn| {
            open.fetch_add(1, Ordering::SeqCst);
            // Until the other end is gone.
            let _ = conn.read(&mut [0; 16]);
            open.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        }
    });
    let mut session = session(&Home::searching(&server), "test", &[]);
    session.call(1, TOOL, &json!({"query": "tides", "num_results": 5}));
    assert!(eventually(|| open.load(Ordering::SeqCst) == 5));
    session.cancel(1);
    assert!(eventually(|| open.load(Ordering::SeqCst) == 0));
    assert_eq!(server.asked().len(), 6);
}
