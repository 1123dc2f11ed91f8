//! Requests as models write them: other agents' names for fields, words for "not given", fields
//! that a tool has not.

use std::fs;

use serde_json::{Value, json};

use crate::common::messages::{self, TextRow, answer_here, shown};
use crate::common::{directory, text, tool, tree};
use crate::mcp::session::Session;
use crate::staged;

/// Lines that are read in part.
const LINES: &str = "one\ntwo\nthree\nfour\n";

/// A directory with `lines.txt`, and the two doors to it: a host's call, and one over MCP for
/// programs.
struct Doors {
    here: tempfile::TempDir,
    session: Session,
}

impl Doors {
    fn open() -> Self {
        let here = directory();
        let mut session = Session::start_in(here.path(), &[]);
        session.shake_hands("2025-11-25");
        Self { here, session }
    }

    /// Both answers. What is refused has changed nothing.
    fn ask(&mut self, name: &str, request: &Value) -> [Value; 2] {
        self.renew();
        let call = tool(name).with(request).in_directory(self.here.path());
        let host = call.run().json();
        self.looked_at(&host);
        self.renew();
        let result = self.session.result_of(&name.replace('-', "_"), request);
        let program = result["structuredContent"].clone();
        self.looked_at(&program);
        [host, program]
    }

    fn renew(&self) {
        fs::write(self.here.path().join("lines.txt"), LINES).unwrap();
        for made in ["fresh.txt", "made"] {
            let _ = fs::remove_file(self.here.path().join(made));
        }
    }

    #[track_caller]
    fn looked_at(&self, answer: &Value) {
        if answer["error_code"] == "INVALID_ARG" {
            let lines = fs::read_to_string(self.here.path().join("lines.txt")).unwrap();
            assert_eq!(lines, LINES, "{answer}");
            for made in ["fresh.txt", "made", "other.txt"] {
                assert!(!self.here.path().join(made).exists(), "{answer}");
            }
        }
    }
}

#[test]
fn messages_on_fields_are_as_they_are_recorded() {
    let test = "meant_fields::messages_on_fields_are_as_they_are_recorded";
    staged::alone(test, messages::staged_variables(), |_| {
        messages::check("fields", |row| {
            let files = row
                .files
                .iter()
                .map(|(name, content)| (&**name, &**content));
            let here = tree(&files.collect::<Vec<_>>());
            let request = serde_json::from_str(&row.request).unwrap();
            let variables = [("PATH", "/usr/bin:/bin"), ("HOME", text(here.path()))];
            let answer = answer_here(&row.tool, &request, here.path(), &variables);
            shown(
                &answer,
                &["output", "note"],
                &[(text(here.path()), "<here>")],
            )
        });
    });
}

#[test]
fn other_agents_names_for_fields_are_understood() {
    let mut doors = Doors::open();
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
        for answer in doors.ask(name, &request) {
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
    let mut doors = Doors::open();
    let request = json!({"file_path": "lines.txt", "path": "other.txt", "limit": 1});
    for answer in doors.ask("file-read", &request) {
        assert_eq!(answer["output"], "one\n");
        assert!(answer["note"].is_string());
    }
}

#[test]
fn over_mcp_a_field_that_is_unknown_is_said_below_the_text() {
    let here = directory();
    let mut session = Session::plain(here.path(), "someone", &[]);
    let (text, _) = session.text_of("bash", &json!({"command": "echo x", "colour": "d"}));
    assert!(text.starts_with("x\n[\"colour\""), "{text}");
}

#[test]
fn words_for_nothing_are_no_numbers_but_paths_and_texts() {
    let mut doors = Doors::open();
    for word in ["none", "NULL", "default"] {
        let request = json!({"file_path": "lines.txt", "offset": word, "limit": word});
        for answer in doors.ask("file-read", &request) {
            assert_eq!(answer, json!({"output": LINES}));
        }
        for answer in doors.ask("grep", &json!({"pattern": "e", "path": word})) {
            assert_eq!(answer["count"], 0, "{answer}");
        }
    }
    for answer in doors.ask(
        "file-read",
        &json!({"file_path": "lines.txt", "limit": "some"}),
    ) {
        assert_eq!(answer["error"], "limit must be an integer");
    }
}

#[test]
fn a_field_that_says_how_where_or_whether_is_refused_before_anything_is_done() {
    let mut doors = Doors::open();
    let write = json!({"file_path": "lines.txt", "content": "new\n"});
    let edit = json!({"file_path": "lines.txt", "old_string": "two", "new_string": "2"});
    let mut edit_all = edit.clone();
    edit_all["replace_all"] = true.into();
    let bash = json!({"command": "touch made"});
    let fresh = json!({"file_path": "fresh.txt", "content": "new\n"});
    for (name, request, field, value) in [
        ("file-write", &write, "append", json!(true)),
        ("file-write", &write, "mode", json!("append")),
        ("file-write", &write, "overwrite", json!(false)),
        ("file-write", &write, "overwrite", json!("No")),
        ("file-write", &write, "overwrite", json!(0)),
        ("file-write", &write, "insert_line", json!(0)),
        ("file-write", &write, "dryRun", json!(true)),
        ("file-write", &write, "encoding", json!("latin-1")),
        ("file-write", &write, "permissions", json!("0644")),
        ("file-write", &write, "line_ending", json!("crlf")),
        ("file-write", &write, "line_ending", json!("\r\n")),
        ("file-write", &write, "append", json!("\n")),
        ("file-write", &write, "cwd", json!("/usr")),
        ("file-write", &write, "command", json!("insert")),
        ("file-write", &write, "path", json!("other.txt")),
        ("file-write", &write, "is_append", json!(true)),
        ("file-write", &write, "appendToFile", json!("yes")),
        ("file-write", &write, "prepend", json!(true)),
        ("file-write", &write, "flag", json!("a")),
        ("file-write", &write, "mode", json!("x")),
        ("file-write", &write, "if_exists", json!("skip")),
        ("file-write", &write, "no_clobber", json!(true)),
        ("file-write", &write, "replace", json!(false)),
        ("file-write", &write, "truncate", json!(false)),
        ("file-write", &write, "position", json!("end")),
        ("file-write", &write, "operation", json!("append")),
        ("file-write", &write, "type", json!("append")),
        ("file-write", &write, "strategy", json!("APPEND")),
        ("file-write", &write, "writeStrategy", json!("append-only")),
        ("file-write", &write, "at_end", json!(true)),
        ("file-write", &write, "shouldAppend", json!(true)),
        ("file-write", &write, "if_not_exists", json!(true)),
        ("file-write", &write, "exclusive", json!(true)),
        ("file-write", &write, "no_overwrite", json!(true)),
        ("file-write", &write, "skipExisting", json!(true)),
        ("file-write", &write, "check_only", json!(true)),
        ("file-write", &write, "validate_only", json!("yes")),
        ("file-write", &write, "is_base64", json!(true)),
        ("file-write", &write, "contentBase64", json!("eA==")),
        ("file-write", &write, "merge", json!(true)),
        ("file-write", &write, "mergeStrategy", json!("deep")),
        ("file-write", &write, "insert_after_line", json!(2)),
        ("file-write", &write, "from_line", json!(2)),
        ("file-write", &write, "new_path", json!("other.txt")),
        ("file-write", &fresh, "create", json!(false)),
        ("file-edit", &edit_all, "limit", json!(1)),
        ("file-edit", &edit_all, "first_only", json!(true)),
        ("file-edit", &edit, "position", json!("after")),
        ("file-edit", &edit, "insertPosition", json!("before")),
        ("file-edit", &edit, "output_path", json!("other.txt")),
        ("file-edit", &edit, "whole_word", json!(true)),
        ("bash", &bash, "args", json!(["list"])),
        ("bash", &bash, "arguments", json!("list")),
        ("file-edit", &edit, "dry_run", json!(true)),
        ("file-edit", &edit, "view_range", json!([1, 2])),
        ("file-edit", &edit, "start_line", json!(1)),
        ("file-edit", &edit, "expected_replacements", json!(2)),
        ("file-edit", &edit, "occurrence", json!(2)),
        ("file-edit", &edit_all, "occurrence", json!(1)),
        ("file-edit", &edit_all, "expected_occurrences", json!(3)),
        ("file-edit", &edit, "count", json!("all")),
        ("file-edit", &edit, "encoding", json!("latin-1")),
        ("file-edit", &edit_all, "instance", json!("last")),
        ("file-edit", &edit, "regex", json!("true")),
        ("file-edit", &edit, "ignore_case", json!(true)),
        ("file-edit", &edit, "backup", json!(true)),
        ("file-edit", &edit, "command", json!("undo_edit")),
        ("bash", &bash, "dry_run", json!(true)),
        ("bash", &bash, "stdin", json!("text")),
        ("bash", &bash, "env", json!({"A": "1"})),
        ("bash", &bash, "user", json!("root")),
        ("bash", &bash, "sudo", json!(true)),
        ("bash", &bash, "session_id", json!(3)),
        ("bash", &bash, "sandbox", json!("read-only")),
        ("bash", &bash, "shell", json!("/bin/zsh")),
    ] {
        let mut request = request.clone();
        request[field] = value;
        for answer in doors.ask(name, &request) {
            assert_eq!(answer["error_code"], "INVALID_ARG", "{request}: {answer}");
        }
    }
}

#[test]
fn an_edit_of_another_file_and_another_number_of_edits_are_refused() {
    let mut doors = Doors::open();
    let of = |path: &str| {
        json!({"file_path": "lines.txt", "edits": [
            {"file_path": path, "old_string": "two", "new_string": "2"}
        ]})
    };
    for answer in doors.ask("file-edit", &of("other.txt")) {
        assert_eq!(answer["error_code"], "INVALID_ARG", "{answer}");
    }
    let many = |expected: u64| {
        json!({"file_path": "lines.txt", "old_string": "e", "new_string": "E", "replace_all": true,
            "expected_replacements": expected})
    };
    let listed = |expected: u64| {
        let mut request = of("lines.txt");
        request["expected_replacements"] = expected.into();
        request
    };
    let both = |expected: u64| {
        json!({"file_path": "lines.txt", "expected_replacements": expected, "edits": [
            {"old_string": "two", "new_string": "2"},
            {"old_string": "e", "new_string": "E", "replace_all": true}
        ]})
    };
    for answer in doors.ask("file-edit", &both(3)) {
        assert_eq!(answer["error_code"], "INVALID_ARG", "{answer}");
    }
    let mut every = many(3);
    every["count"] = "all".into();
    for request in [
        of("lines.txt"),
        of("./lines.txt"),
        of("/proc/self/cwd/lines.txt"),
        of(""),
        many(3),
        both(4),
        every,
        listed(1),
    ] {
        for answer in doors.ask("file-edit", &request) {
            assert!(answer["replacements"].is_number(), "{request}: {answer}");
            assert_eq!(answer.get("note"), None, "{request}: {answer}");
        }
    }
    let mut inner_alone = of("lines.txt");
    inner_alone.as_object_mut().unwrap().remove("file_path");
    for answer in doors.ask("file-edit", &inner_alone) {
        assert_eq!(answer["error_code"], "INVALID_ARG", "{answer}");
    }
    for answer in doors.ask("file-edit", &listed(2)) {
        assert_eq!(answer["error_code"], "INVALID_ARG", "{answer}");
    }
    let none = json!({"file_path": "lines.txt", "old_string": "nine", "new_string": "9",
        "replace_all": true, "expected_replacements": 3});
    for answer in doors.ask("file-edit", &none) {
        assert_eq!(answer["error_code"], "NOT_FOUND", "{answer}");
    }
    for answer in doors.ask("file-edit", &many(4)) {
        assert_eq!(answer["error_code"], "INVALID_ARG", "{answer}");
    }
}

#[test]
fn what_asks_for_just_what_is_done_costs_nothing() {
    let mut doors = Doors::open();
    let edit = json!({"file_path": "lines.txt", "old_string": "two", "new_string": "2"});
    let edit_more = json!({"encoding": "UTF-8", "expected_replacements": 1, "dry_run": false,
        "command": "str_replace", "backup": "false", "explanation": "because", "occurrence": 1,
        "insert_line": null, "view_range": [], "toolCallId": "7", "exact": "yes",
        "ignore_case": "no", "expected_occurrences": 1, "first_only": true, "limit": 1,
        "output_path": "lines.txt", "position": "replace", "whole_word": false});
    let write = json!({"file_path": "lines.txt", "file_text": "one\ntwo\nthree\nfour\n"});
    let write_more = json!({"overwrite": true, "mode": "w", "create_dirs": true, "append": false,
        "lineEnding": "lf", "security_risk": "LOW", "cwd": ".", "command": "create_file",
        "is_append": "no", "backup": "Off", "flag": "w", "encoding": "US-ASCII", "mkdir": false,
        "create_parents": false, "if_exists": "overwrite", "no_clobber": false, "replace": true,
        "truncate": true, "create": false, "new_path": "lines.txt",
        "merge": false, "isBase64": false, "skip_existing": "false"});
    let fresh = json!({"file_path": "fresh.txt", "content": "new\n"});
    let fresh_more = json!({"mode": "x", "if_exists": "fail", "no_clobber": true, "replace": false,
        "create": true, "exclusive": true, "skip_existing": true});
    let bash = json!({"command": "echo x"});
    let bash_more = json!({"description": "d", "login": true, "tty": false, "shell": "sh",
        "yield_time_ms": 1000, "max_output_tokens": 9, "restart": false, "is_background": false,
        "sandbox_permissions": "require_escalated", "sandbox": "danger-full-access", "blocking": true,
        "env": {}, "stdin": "", "user": null, "sudo": "no", "args": [], "arguments": "",
        "timeoutSec": 60, "timeout_sec": "60", "async": false, "detach": false, "sessionId": "s", "timeout": 60});
    let grep = json!({"query": "two", "path": "."});
    let grep_more = json!({"-n": true, "multiline": false, "offset": 0, "description": "d"});
    for (name, request, more) in [
        ("file-edit", &edit, edit_more),
        ("file-write", &write, write_more),
        ("file-write", &fresh, fresh_more),
        ("bash", &bash, bash_more),
        ("grep", &grep, grep_more),
    ] {
        for (field, value) in more.as_object().unwrap() {
            let mut request = request.clone();
            request[field] = value.clone();
            for answer in doors.ask(name, &request) {
                assert_eq!(answer.get("error"), None, "{request}: {answer}");
                let note = answer["note"].as_str().unwrap_or_default();
                assert!(!note.contains("not a field"), "{request}: {answer}");
            }
        }
    }
}

#[test]
fn further_names_for_fields_are_understood() {
    let mut doors = Doors::open();
    for (name, request, output) in [
        (
            "bash",
            json!({"command": "pwd", "dir_path": "/usr/bin"}),
            "/usr/bin",
        ),
        (
            "bash",
            json!({"command": "pwd", "workingDirectory": "/usr/bin"}),
            "/usr/bin",
        ),
        (
            "bash",
            json!({"command": "pwd", "directory": "/usr/bin"}),
            "/usr/bin",
        ),
        ("bash", json!({"command": true}), ""),
        (
            "file-read",
            json!({"absolute_path": "lines.txt", "view_range": [2, 3]}),
            "two\nthree\n",
        ),
        (
            "file-read",
            json!({"path": "lines.txt", "view_range": [3, -1]}),
            "three\nfour\n",
        ),
        (
            "file-read",
            json!({"path": "lines.txt", "startLine": 2, "endLine": 2}),
            "two\n",
        ),
        (
            "file-read",
            json!({"path": "lines.txt", "view_range": ["2", "3"]}),
            "two\nthree\n",
        ),
        (
            "file-edit",
            json!({"filePath": "lines.txt", "oldText": "two\n", "newText": 7}),
            "Replaced 1 occurrence in lines.txt",
        ),
    ] {
        for answer in doors.ask(name, &request) {
            let shown = answer["output"].as_str().unwrap_or_default();
            let same = if name == "file-edit" {
                shown.starts_with(output)
            } else {
                shown == output
            };
            assert!(same, "{request}: {answer}");
            assert_eq!(answer.get("note"), None, "{request}: {answer}");
        }
    }
    let backwards = json!({"path": "lines.txt", "start_line": 3, "end_line": 2});
    for answer in doors.ask("file-read", &backwards) {
        assert!(answer["note"].is_string(), "{answer}");
    }
}

#[test]
fn two_names_for_a_time_are_refused_where_their_values_differ() {
    let mut doors = Doors::open();
    let request = json!({"command": "echo x", "timeoutMs": 900, "timeout_ms": 60_000});
    for answer in doors.ask("bash", &request) {
        assert_eq!(answer["error_code"], "INVALID_ARG", "{answer}");
    }
    for (one, other) in [(5, 60_000), (60_000, 5_000)] {
        let request = json!({"command": "echo x", "timeout": one, "timeout_ms": other});
        for answer in doors.ask("bash", &request) {
            assert_eq!(answer["error_code"], "INVALID_ARG", "{answer}");
        }
    }
    for request in [
        json!({"command": "echo x", "timeout": 5, "timeout_ms": 5_000, "timeoutSeconds": "5"}),
        json!({"command": "echo x", "timeout": 0, "timeout_ms": 5_000, "timeout_seconds": null}),
        json!({"command": "echo x", "timeout_ms": 5_000, "timeoutMs": "5000", "cmd": "echo x"}),
    ] {
        for answer in doors.ask("bash", &request) {
            assert_eq!(answer["output"], "x", "{answer}");
            assert_eq!(answer.get("note"), None, "{answer}");
        }
    }
}

#[test]
fn a_time_in_milliseconds_is_taken_as_such() {
    let mut doors = Doors::open();
    for field in ["timeout_ms", "timeoutMs"] {
        for answer in doors.ask("bash", &json!({"command": "sleep 30", field: 900})) {
            assert_eq!(answer["exit_code"], 124, "{answer}");
        }
    }
    for answer in doors.ask("bash", &json!({"command": "echo x", "timeout": 10_000})) {
        assert_eq!(answer["output"], "x", "{answer}");
        assert!(answer["note"].is_string(), "{answer}");
    }
}

#[test]
fn fields_that_only_describe_are_not_refused_for_a_word_in_them() {
    let mut doors = Doors::open();
    let request = json!({"file_path": "lines.txt", "content": "new\n"});
    for (field, value) in [
        ("line_count", json!(1)),
        ("type", json!("python")),
        ("summary", json!("append a line and merge both")),
        ("no_backup", json!(true)),
    ] {
        let mut request = request.clone();
        request[field] = value;
        for answer in doors.ask("file-write", &request) {
            assert_eq!(answer["bytes"], 4, "{request}: {answer}");
            let note = answer["note"].as_str().unwrap();
            assert!(note.contains(&format!("\"{field}\"")), "{note}");
        }
    }
}

#[test]
fn a_command_that_is_to_run_in_the_background_does_so_by_whatever_name() {
    let mut session = Session::plain(directory().path(), "someone", &[]);
    for field in ["async", "detach", "detached", "runAsync"] {
        let (text, failed) = session.text_of("bash", &json!({"command": "true", field: true}));
        assert!(!failed, "{field}: {text}");
        text.assert_row("bash", "a command that runs in the background");
    }
    for field in ["timeoutSec", "timeout_sec"] {
        let (text, _) = session.text_of("bash", &json!({"command": "sleep 30", field: 1}));
        assert!(text.contains("exit code 124"), "{field}: {text}");
    }
}

#[test]
fn a_command_that_is_a_list_of_a_shell_and_its_script_is_run() {
    let here = directory();
    fs::write(here.path().join("lines.txt"), LINES).unwrap();
    let mut session = Session::plain(here.path(), "someone", &[]);
    let shell_call = json!({"command": ["bash", "-lc", "echo hi"]});
    assert_eq!(session.text_of("bash", &shell_call).0, "hi");
}

#[test]
fn two_names_of_a_field_with_one_value_are_one() {
    let here = directory();
    let mut session = Session::plain(here.path(), "someone", &[]);
    let same = json!({"command": "pwd", "workdir": ".", "cwd": here.path()});
    let (text, _) = session.text_of("bash", &same);
    assert!(text.starts_with('/'), "{text}");
}
