//! `mcp` on stdin: how much memory a message may take.

use std::fs;

use serde_json::{Value, json};

use super::session::Session;
use crate::common::messages::TextRow;
use crate::common::{directory, text};
use crate::heavy_messages::heavy_messages;

/// The server's resident set, in KiB: that of now, or the largest so far (`VmRSS`, `VmHWM`).
fn memory(session: &Session, row: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", session.server.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with(row)).unwrap();
    let number = line.split_ascii_whitespace().nth(1).unwrap();
    number.parse().unwrap()
}

#[test]
fn no_line_takes_much_more_memory_than_it_is_long() {
    let mut session = Session::open(&[]);
    session.tools();
    let before = memory(&session, "VmRSS");
    for (what, line) in heavy_messages("glob") {
        session.send_line(&line);
        session.send(&json!({"jsonrpc": "2.0", "id": "last", "method": "ping"}));
        // Whatever it is answered with, the server goes on.
        while session.receive()["id"] != "last" {}
        let more = memory(&session, "VmHWM").saturating_sub(before);
        println!("{what}: {more} KiB");
        assert!(more < 40 * 1024, "{what}: {more} KiB");
    }
}

#[test]
fn a_large_file_costs_a_small_multiple_of_its_length() {
    let room = directory();
    let path = room.path().join("large");
    let mut session = Session::open(&[]);
    session.tools();
    let before = memory(&session, "VmRSS");
    let content = "a \"line\"\tof a file\n".repeat(160_000);
    let request = json!({"file_path": text(&path), "content": content});
    let written = session.result_of("file_write", &request);
    assert_eq!(written["structuredContent"]["bytes"], content.len());
    assert!(fs::read_to_string(&path).unwrap() == content);
    let more = memory(&session, "VmHWM").saturating_sub(before);
    assert!(more < 24 * 1024, "{more} KiB");
}

#[test]
fn a_batch_of_too_many_values_is_refused_as_a_whole() {
    let mut session = Session::open(&[]);
    session.send(&Value::from(vec![1; 60_000]));
    let answer = session.receive();
    assert_eq!(answer["error"]["code"], -32600);
    let said = answer["error"]["message"].as_str().unwrap();
    said.assert_row("mcp", "a batch of too many values");
    assert!(!session.tools().is_empty());
}
