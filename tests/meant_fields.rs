//! Requests as models write them: other agents' names for fields, words for "not given", fields
//! that a tool has not.

use std::fs;

use serde_json::{Value, json};

use crate::common::{directory, tool};
use crate::mcp::session::Session;

/// Lines that are read in part.
const LINES: &str = "one\ntwo\nthree\nfour\n";

/// Answers of a host's call and of a call over MCP for programs, in a directory with `lines.txt`.
fn at_both_doors(name: &str, request: &Value) -> [Value; 2] {
    let here = directory();
    let fresh = || fs::write(here.path().join("lines.txt"), LINES).unwrap();
    fresh();
    let host = tool(name).with(request).in_directory(here.path()).run();
    fresh();
    let mut session = Session::start_in(here.path(), &[]);
    session.shake_hands("2025-11-25");
    let result = session.result_of(&name.replace('-', "_"), request);
    [host.json(), result["structuredContent"].clone()]
}

#[test]
fn other_agents_names_for_fields_are_understood() {
    for (name, request, output) in [
        ("file-read", json!({"path": "lines.txt"}), LINES),
        (
            "file-read",
            json!({"filename": "lines.txt", "start_line": 3}),
            "three\nfour\n",
        ),
        (
            "file-read",
            json!({"filePath": "lines.txt", "start_line": 2, "end_line": 3}),
            "two\nthree\n",
        ),
        (
            "file-read",
            json!({"path": "lines.txt", "end_line": "1"}),
            "one\n",
        ),
        (
            "file-edit",
            json!({"path": "lines.txt", "old_str": "two\n", "new_str": ""}),
            "Replaced 1 occurrence in lines.txt",
        ),
        (
            "file-write",
            json!({"path": "new.txt", "content": "x"}),
            "Wrote 1 bytes to new.txt",
        ),
        (
            "bash",
            json!({"cmd": "basename \"$PWD\"", "cwd": "/usr/bin"}),
            "bin",
        ),
        ("grep", json!({"pattern": "wo$", "include": "*.txt"}), "two"),
    ] {
        for answer in at_both_doors(name, &request) {
            let shown = answer["output"].as_str().unwrap_or_default();
            let same = match name {
                "grep" => shown.contains(output),
                // Models are told which lines changed.
                "file-edit" => shown.starts_with(output),
                _ => shown == output,
            };
            assert!(same, "{request}: {answer}");
            assert_eq!(answer.get("note"), None, "{request}: {answer}");
        }
    }
}

#[test]
fn the_tool_s_own_name_for_a_field_wins_and_the_other_is_named() {
    let request = json!({"file_path": "lines.txt", "path": "other.txt", "limit": 1});
    for answer in at_both_doors("file-read", &request) {
        assert_eq!(answer["output"], "one\n");
        let note = answer["note"].as_str().unwrap();
        assert!(
            note.contains("\"path\" is not a field of this tool")
                && note.contains("file_path, offset"),
            "{note}"
        );
    }
}

#[test]
fn a_failure_names_the_fields_that_there_are_too() {
    for (request, error, note) in [
        (
            json!({"file_path": "gone.txt", "encoding": "utf-8"}),
            "File not found: gone.txt",
            "\"encoding\" is not a field of this tool, so it was ignored; the fields are file_path, ",
        ),
        (
            json!({"files": ["lines.txt"], "a": 1, "b": 2, "c": 3, "d": 4, "e": 5}),
            "missing file_path field",
            "\"e\" and 1 more are not fields of this tool",
        ),
    ] {
        for answer in at_both_doors("file-read", &request) {
            assert_eq!(answer["error"], error, "{answer}");
            assert!(answer["note"].as_str().unwrap().contains(note), "{answer}");
        }
    }
    let mut session = Session::plain(directory().path(), "someone", &[]);
    let (text, _) = session.text_of("bash", &json!({"command": "echo x", "description": "d"}));
    assert!(
        text.contains("x\n[\"description\" is not a field of this tool"),
        "{text}"
    );
}

#[test]
fn words_for_nothing_are_no_numbers_but_paths_and_texts() {
    for word in ["none", "NULL", "default"] {
        let request = json!({"file_path": "lines.txt", "offset": word, "limit": word});
        for answer in at_both_doors("file-read", &request) {
            assert_eq!(answer, json!({"output": LINES}));
        }
        for answer in at_both_doors("grep", &json!({"pattern": "e", "path": word})) {
            assert_eq!(answer["count"], 0, "{answer}");
        }
    }
    for answer in at_both_doors(
        "file-read",
        &json!({"file_path": "lines.txt", "limit": "some"}),
    ) {
        assert_eq!(answer["error"], "limit must be an integer");
    }
}
