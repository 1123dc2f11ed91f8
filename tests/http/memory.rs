//! `ikigai-tools mcp --http`: how much memory a message may take, and how long others wait for it.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::private::can_confine;
use crate::common::messages::TextRow;
use crate::common::{eventually, public_directory, text};
use crate::heavy_messages::{SMALL_OBJECTS, call_with, heavy_messages};
use crate::http_server::{Answer, HEADERS, HttpServer, http, ping, token_of};

/// What one such message may add to the server's memory, and what many at once may, in KiB.
const MOST_OF_ONE: u64 = 40 * 1024;
const MOST_OF_ALL: u64 = 160 * 1024;

/// The longest that somebody else waits for an answer, on a machine that has other things to do.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

fn bearer(name: &str) -> String {
    format!("Bearer {}", token_of(name))
}

/// Sends a body as anna.
fn send(server: &HttpServer, body: &[u8]) -> Answer {
    let token = bearer("anna");
    let headers = [&HEADERS[..], &[("Authorization", token.as_str())]].concat();
    server.request("POST /mcp", &headers, body)
}

/// Does `work` while ben asks for nothing but answers; returns how long he waited for one at most.
fn longest_ping(server: &HttpServer, work: impl FnOnce()) -> Duration {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let pings = scope.spawn(|| {
            let token = bearer("ben");
            let mut longest = Duration::ZERO;
            while !over.load(Ordering::Relaxed) {
                let begun = Instant::now();
                let answer = server.post(&[("Authorization", &token)], &ping());
                assert_eq!(answer.status, 200);
                longest = longest.max(begun.elapsed());
                thread::sleep(Duration::from_millis(10));
            }
            longest
        });
        work();
        over.store(true, Ordering::Relaxed);
        pings.join().unwrap()
    })
}

#[test]
fn no_message_takes_much_more_memory_than_it_is_long() {
    let server = http(&[]).tokens(&["anna", "ben"]).start();
    assert_eq!(send(&server, ping().to_string().as_bytes()).status, 200);
    let before = server.memory("VmRSS");
    for (what, body) in heavy_messages("web_fetch") {
        let waited = longest_ping(&server, || {
            let answer = send(&server, &body);
            assert!(answer.status < 500, "{what}: {answer:?}");
        });
        let more = server.memory("VmHWM").saturating_sub(before);
        println!("{what}: {more} KiB, {waited:?}");
        assert!(more < MOST_OF_ONE, "{what}: {more} KiB");
        assert!(waited < LONGEST_WAIT, "{what}: {waited:?}");
    }
    let left = || server.memory("VmRSS").saturating_sub(before);
    assert!(
        eventually(|| left() < MOST_OF_ONE / 2),
        "{} KiB are kept",
        left()
    );
}

#[test]
fn many_messages_at_once_do_not_take_more_memory_than_they_are_long() {
    let server = http(&[]).tokens(&["anna", "ben"]).start();
    assert_eq!(send(&server, ping().to_string().as_bytes()).status, 200);
    let before = server.memory("VmRSS");
    let body = call_with("web_fetch", SMALL_OBJECTS);
    let waited = longest_ping(&server, || {
        thread::scope(|scope| {
            for _ in 0..24 {
                scope.spawn(|| {
                    let token = bearer("anna");
                    let headers = [&HEADERS[..], &[("Authorization", token.as_str())]].concat();
                    let mut connection = server.connect();
                    // Some are refused, before they have come as a whole.
                    let _ = connection.send("POST /mcp", &headers, &body);
                    if let Ok(answer) = connection.answer() {
                        assert!(matches!(answer.status, 200 | 429), "{answer:?}");
                    }
                });
            }
        });
    });
    let more = server.memory("VmHWM").saturating_sub(before);
    println!("{more} KiB, {waited:?}");
    assert!(more < MOST_OF_ALL, "{more} KiB");
    assert!(waited < LONGEST_WAIT, "{waited:?}");
}

#[test]
fn a_call_of_too_many_values_is_told_what_to_do() {
    let server = http(&[]).tokens(&["anna"]).start();
    let answer = send(&server, &call_with("web_fetch", SMALL_OBJECTS));
    assert_eq!(answer.status, 200);
    let result = &answer.json()["result"];
    assert_eq!(result["isError"], true);
    let said = result["content"][0]["text"].as_str().unwrap();
    said.assert_row("mcp_http", "a call of too many values");
    let message = json!({"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {
        "_meta": {"x": vec![0; 2000]},
    }});
    let refused = send(&server, message.to_string().as_bytes());
    assert_eq!((refused.status, refused.error_code()), (400, -32600));
    assert_eq!(refused.json()["id"], 7);
    let said = refused.json()["error"]["message"].to_string();
    said.assert_row("mcp_http", "a message of too many values");
}

#[test]
fn a_large_file_and_many_edits_are_written_for_little_more_than_their_length() {
    if !can_confine() {
        return;
    }
    let root = public_directory();
    let server = http(&["--tools", "local", "--root", text(root.path())])
        .tokens(&["anna", "ben"])
        .start();
    let file = root.path().join("large");
    let content = "a \"line\"\tof a file\n".repeat(160_000);
    let before = server.memory("VmRSS");
    let waited = longest_ping(&server, || {
        let write = json!({"file_path": text(&file), "content": content});
        let answer = server.call_as("anna", "file_write", &write);
        assert_eq!(answer.json()["result"]["isError"], false, "{answer:?}");
    });
    assert!(fs::read_to_string(&file).unwrap() == content);
    let more = server.memory("VmHWM").saturating_sub(before);
    println!("{more} KiB, {waited:?}");
    assert!(more < 24 * 1024, "{more} KiB");
    assert!(waited < LONGEST_WAIT, "{waited:?}");

    let lines: Vec<String> = (0..2000)
        .map(|line| format!("line {line} of it\n"))
        .collect();
    fs::write(&file, lines.concat()).unwrap();
    let edits = (0..2000).map(|line| {
        json!({"old_string": format!("line {line} of"), "new_string": format!("{line}: {}", "x".repeat(1000))})
    });
    let edit = json!({"file_path": text(&file), "edits": edits.collect::<Vec<_>>()});
    let answer = server.call_as("anna", "file_edit", &edit);
    assert_eq!(answer.json()["result"]["isError"], false, "{answer:?}");
    let edited = fs::read_to_string(&file).unwrap();
    assert!(edited.starts_with("0: xxx") && edited.len() > 2_000_000);
}
