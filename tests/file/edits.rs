//! Several edits in one call, and the notes on edits that may not be what was meant.

use std::fs;
use std::os::unix::fs::MetadataExt;

use serde_json::{Value, json};

use crate::common::{directory, names_in, tool};
use crate::mcp::session::Session;

/// A host's answer to the edit of `a.txt` with this content, and its content then.
fn edit(content: &str, request: &Value) -> (Value, String) {
    let here = directory();
    let file = here.path().join("a.txt");
    fs::write(&file, content).unwrap();
    let mut request = request.clone();
    request["file_path"] = "a.txt".into();
    let answer = tool("file-edit")
        .with(&request)
        .in_directory(here.path())
        .run();
    assert_eq!(names_in(here.path()), ["a.txt"]);
    (answer.json(), fs::read_to_string(&file).unwrap())
}

#[test]
fn several_edits_are_made_in_order_and_answered_as_one() {
    let edits = json!([
        {"old_string": "one\n", "new_string": "1\n1.5\n"},
        {"old_string": "three", "new_string": "3"},
        // What an edit before has made.
        {"old_string": "1.5", "new_string": "1½", "replace_all": false},
        {"old_str": "e", "new_str": "E", "replace_all": "true"},
    ]);
    let (answer, content) = edit("one\ntwo\nthree\nsee\n", &json!({"edits": edits}));
    let output = "Replaced 5 occurrences in a.txt (lines 1 to 2 and 4 to 5)";
    assert_eq!(answer, json!({"output": output, "replacements": 5}));
    assert_eq!(content, "1\n1½\ntwo\n3\nsEE\n");
}

#[test]
fn of_several_edits_all_are_made_or_none() {
    let before = "one\ntwo\n  two\n";
    for (edits, code, error, note) in [
        (
            json!([{"old_string": "one", "new_string": "1"}, {"old_string": "thre", "new_string": "3"}]),
            "NOT_FOUND",
            "Edit 2 of 2: String not found in file",
            "None of the edits was made.",
        ),
        (
            json!([{"old_string": "one", "new_string": "\ttwo"}, {"old_string": " two", "new_string": "3", "replace_all": true},
                {"old_string": "    two", "new_string": "4"}]),
            "NOT_FOUND",
            "Edit 3 of 3: String not found in file",
            "None of the edits was made.",
        ),
        (
            json!([{"old_string": "zero", "new_string": "0", "replace_all": true}, {"old_string": "one", "new_string": "1"}]),
            "NOT_FOUND",
            "Edit 1 of 2: String not found in file",
            "None of the edits was made.",
        ),
        (
            json!([{"old_string": "one", "new_string": "1"}, {"old_string": "two", "new_string": "2"}]),
            "NOT_UNIQUE",
            "Edit 2 of 2: String found 2 times, use replace_all to replace all",
            "lines 2 and 3",
        ),
        (
            json!([{"old_string": "one", "new_string": "1"}, {"old_string": "two"}]),
            "INVALID_ARG",
            "Edit 2 of 2: missing new_string field",
            "None of the edits was made.",
        ),
        (
            json!([{"old_string": "x", "new_string": "x"}]),
            "INVALID_ARG",
            "old_string and new_string are identical",
            "Nothing would change",
        ),
        (
            json!([]),
            "INVALID_ARG",
            "edits is empty",
            "a list of objects",
        ),
        (
            json!(["one"]),
            "INVALID_ARG",
            "edits must be an array of objects",
            "",
        ),
        (
            json!("one"),
            "INVALID_ARG",
            "edits must be an array of objects",
            "",
        ),
    ] {
        let (answer, content) = edit(before, &json!({"edits": edits}));
        assert_eq!(
            (&answer["error_code"], &answer["error"]),
            (&json!(code), &json!(error))
        );
        let said = answer["note"].as_str().unwrap_or_default();
        assert!(said.contains(note), "{answer}");
        assert_eq!(content, before);
    }
}

#[test]
fn what_an_earlier_edit_of_the_call_has_changed_is_said_to_be_its_doing() {
    for (content, edits, error, parts, never) in [
        (
            "foo\nbar\n",
            json!([{"old_string": "foo", "new_string": "X"}, {"old_string": "foo", "new_string": "Y"}]),
            "Edit 2 of 2: String not found in file",
            &["In the file as it is", "edit 1 has changed it"][..],
            "Nothing like",
        ),
        (
            "def f(a):\n    return a\n",
            json!([{"old_string": "return a", "new_string": "return b"},
                {"old_string": "def f(a):\n    return a", "new_string": "def g(): pass"}]),
            "Edit 2 of 2: String not found in file",
            &["edit 1 has changed it"],
            "the file has changed",
        ),
        (
            "foo\nbar\nend\n",
            json!([{"old_string": "end", "new_string": "END"}, {"old_string": "bar", "new_string": "foo"},
                {"old_string": "END", "new_string": "foo"}, {"old_string": "foo", "new_string": "x"}]),
            "Edit 4 of 4: String found 3 times, use replace_all to replace all",
            &[
                "edit 2 has changed",
                "lines 1 to 3",
                "as after edits 1 to 3",
            ],
            "Nothing like",
        ),
        (
            "foo\n",
            json!([{"old_string": "foo", "new_string": "foo foo"}, {"old_string": "foo", "new_string": "x"}]),
            "Edit 2 of 2: String found 2 times, use replace_all to replace all",
            &["edit 1 has changed", "line 1", "as after edit 1"],
            "Nothing like",
        ),
        // No other edit made the difference.
        (
            "one\ntwo\n",
            json!([{"old_string": "one", "new_string": "1\n1"}, {"old_string": "two ", "new_string": "2"}]),
            "Edit 2 of 2: String not found in file",
            &["line 3", "as after edit 1"],
            "has changed it",
        ),
        (
            "a\nb\nb\n",
            json!([{"old_string": "a", "new_string": "A"}, {"old_string": "b", "new_string": "B"}]),
            "Edit 2 of 2: String found 2 times, use replace_all to replace all",
            &["lines 2 and 3", "as after edit 1"],
            "has changed",
        ),
        (
            "a\nb\n",
            json!([{"old_string": "one", "new_string": "A"}, {"old_string": "b", "new_string": "B"}]),
            "Edit 1 of 2: String not found in file",
            &["Nothing like"],
            "as after",
        ),
    ] {
        let (answer, after) = edit(content, &json!({ "edits": edits }));
        assert_eq!(answer["error"], error);
        let note = answer["note"].as_str().unwrap();
        assert!(parts.iter().all(|part| note.contains(part)), "{note}");
        assert!(!note.contains(never), "{note}");
        assert_eq!(after, content);
    }
    // In the file's own line ends, and with the number that was expected.
    let crlf = json!([{"old_string": "one", "new_string": "1"}, {"old_string": "one\ntwo", "new_string": "2"}]);
    let (answer, _) = edit("one\r\ntwo\r\n", &json!({ "edits": crlf }));
    let note = answer["note"].as_str().unwrap();
    assert!(note.contains("edit 1 has changed it"), "{note}");
    let many = json!([{"old_string": "one", "new_string": "two"}, {"old_string": "two", "new_string": "2",
        "replace_all": true, "expected_replacements": 1}]);
    let (answer, _) = edit("one\ntwo\n", &json!({ "edits": many }));
    let note = answer["note"].as_str().unwrap();
    assert!(note.contains("edit 1 has changed"), "{note}");
}

#[test]
fn many_edits_in_one_call_take_their_time_and_no_more() {
    let content: String = (0..2000).fold(String::new(), |text, n| text + &format!("<{n}>\n"));
    let edit_of = |n| json!({"old_string": format!("<{n}>\n"), "new_string": format!("[{n}]\n\n")});
    let edits: Vec<Value> = (0..2000).step_by(2).map(edit_of).collect();
    let (answer, after) = edit(&content, &json!({"edits": edits}));
    assert_eq!(answer["replacements"], 1000, "{answer}");
    let output = answer["output"].as_str().unwrap();
    assert!(output.contains("(lines 1 to 2, 4 to 5, 7 to 8,") && output.ends_with(" and more)"));
    assert!(after.starts_with("[0]\n\n<1>\n[2]\n\n<3>\n") && after.ends_with("\n<1999>\n"));
}

#[test]
fn a_list_of_edits_stands_alone_but_for_what_is_not_given() {
    let edits = json!([{"old_string": "a", "new_string": "b"}]);
    for request in [
        json!({"edits": edits, "old_string": "a", "new_string": "c"}),
        json!({"edits": edits, "old_string": "a"}),
        json!({"edits": edits, "replace_all": true}),
    ] {
        let (answer, content) = edit("a", &request);
        assert_eq!(answer["error_code"], "INVALID_ARG", "{answer}");
        assert_eq!(content, "a");
    }
    for request in [
        json!({"edits": edits, "old_string": "", "new_string": null, "replace_all": false}),
        json!({"edits": null, "old_string": "a", "new_string": "b"}),
        json!({"edits": [], "old_string": "a", "new_string": "b"}),
    ] {
        assert_eq!(edit("a", &request).1, "b", "{request}");
    }
    let (answer, _) = edit("a", &json!({"old_string": "a"}));
    assert_eq!(answer["error"], "missing new_string field");
}

#[test]
fn edits_are_taken_as_models_write_them() {
    let one = json!({"old_string": "one", "new_string": "1"});
    for edits in [
        json!(one),
        json!(one.to_string()),
        json!(json!([one]).to_string()),
    ] {
        let (answer, content) = edit("one\n", &json!({"edits": edits}));
        assert_eq!(answer["replacements"], 1, "{edits}: {answer}");
        assert_eq!(content, "1\n", "{edits}");
    }
    let both = json!({"old_string": "one", "new_string": "1", "edits": ""});
    assert_eq!(edit("one\n", &both).1, "1\n");
    for edits in [json!("[1"), json!("one"), json!(7)] {
        let (answer, _) = edit("one\n", &json!({"edits": edits}));
        assert_eq!(
            answer["error"], "edits must be an array of objects",
            "{edits}"
        );
    }
}

#[test]
fn a_field_that_an_edit_has_not_is_named() {
    let edits = json!([
        {"old_string": "one", "new_string": "1", "weight": true, "rank": 1},
        {"old_string": "two", "new_string": "2", "weight": true, "rank": 2},
    ]);
    let (answer, content) = edit("one\ntwo\n", &json!({"edits": edits}));
    assert_eq!(content, "1\n2\n");
    let note = answer["note"].as_str().unwrap();
    assert!(
        note.starts_with("\"rank\", \"weight\" are not fields of this tool"),
        "{note}"
    );
}

#[test]
fn each_edit_keeps_the_line_ends_of_the_file_and_the_file_its_attributes() {
    let edits = json!([
        {"old_string": "one\ntwo", "new_string": "1\n2"},
        {"old_string": "2\nthree", "new_string": "2\n3"},
    ]);
    let (answer, content) = edit("one\r\ntwo\r\nthree\r\n", &json!({"edits": edits}));
    assert_eq!(content, "1\r\n2\r\n3\r\n");
    let note = answer["note"].as_str().unwrap();
    assert_eq!(note.matches("CRLF").count(), 3, "said once: {note}");
    // A file of several names is written in place.
    let here = directory();
    let (file, twin) = (here.path().join("a.txt"), here.path().join("twin"));
    fs::write(&file, "one two").unwrap();
    fs::hard_link(&file, &twin).unwrap();
    let edits =
        json!([{"old_string": "one", "new_string": "1"}, {"old_string": "two", "new_string": "2"}]);
    tool("file-edit")
        .with(&json!({"file_path": "a.txt", "edits": edits}))
        .in_directory(here.path())
        .answers(&json!({"output": "Replaced 2 occurrences in a.txt (line 1)", "replacements": 2}));
    assert_eq!(fs::read(&twin).unwrap(), b"1 2");
    assert_eq!(fs::metadata(&file).unwrap().nlink(), 2);
}

#[test]
fn a_model_is_told_which_lines_changed_and_offered_edits() {
    let here = directory();
    let mut lines: String = (1..=40).fold(String::new(), |text, n| text + &format!("line {n}\n"));
    fs::write(here.path().join("a.txt"), &lines).unwrap();
    let mut session = Session::plain(here.path(), "someone", &[]);
    let mut ask = |request: Value| session.text_of("file_edit", &request).0;
    let one = json!({"file_path": "a.txt", "old_string": "line 7\n", "new_string": "a\nb\nc\n"});
    assert_eq!(ask(one), "Replaced 1 occurrence in a.txt (lines 7 to 9)");
    let all = json!({"file_path": "a.txt", "old_string": "line", "new_string": "Line", "replace_all": true});
    assert_eq!(
        ask(all),
        "Replaced 39 occurrences in a.txt (lines 1 to 6 and 10 to 42)"
    );
    let edits = json!([{"old_string": "Line 1\n", "new_string": ""}, {"old_string": "c\n", "new_string": "C\n"}]);
    let several = json!({"file_path": "a.txt", "edits": edits});
    assert_eq!(
        ask(several),
        "Replaced 2 occurrences in a.txt (lines 1 and 8)"
    );
    lines = fs::read_to_string(here.path().join("a.txt")).unwrap();
    assert!(lines.starts_with("Line 2\n") && lines.contains("a\nb\nC\nLine 8\n"));
}

#[test]
fn a_line_that_a_deletion_leaves_empty_is_told() {
    for (content, old, after, note) in [
        ("a\nb\nc\n", "b", "a\n\nc\n", "Line 2 is now empty"),
        ("a\r\nb\r\n", "b", "a\r\n\r\n", "Line 2 is now empty"),
        ("a\nb\nc\n", "a\nb", "\nc\n", "Line 1 is now empty"),
        ("a\nb\nc\n", "b\n", "a\nc\n", ""),
        ("a\nb c\n", "b", "a\n c\n", ""),
        ("a\nb", "b", "a\n", ""),
    ] {
        let (answer, content) = edit(content, &json!({"old_string": old, "new_string": ""}));
        assert_eq!(content, after);
        assert_eq!(answer["output"], "Replaced 1 occurrence in a.txt");
        let said = answer["note"].as_str().unwrap_or_default();
        assert!(
            said.starts_with(note) && (said.is_empty() == note.is_empty()),
            "{said}"
        );
    }
}

#[test]
fn escapes_that_were_written_in_place_of_line_ends_are_told() {
    let here = directory();
    let written = |content: &str| {
        let request = json!({"file_path": "w.txt", "content": content});
        let call = tool("file-write").with(&request).in_directory(here.path());
        call.run().note()
    };
    let edited = |new: &str| {
        let (answer, content) = edit("x", &json!({"old_string": "x", "new_string": new}));
        assert_eq!(content, new);
        answer["note"].as_str().unwrap_or_default().to_owned()
    };
    for meant in [r"#!/bin/sh\necho hello\n", r"one\ntwo", r#"say "a"\n"#] {
        assert!(
            written(meant).starts_with("content has no line end"),
            "{meant}"
        );
        assert!(
            edited(meant).starts_with("new_string has no line end"),
            "{meant}"
        );
    }
    let long = "\"".to_owned() + &r"\n".repeat(500_000);
    assert_eq!(written(&long), "", "in one pass");
    for text in [
        r#"print("a\n")"#,
        r"x = 'a\nb'",
        "a\\nb\n",
        "one",
        r"C:\\new",
    ] {
        assert_eq!(
            (written(text), edited(text)),
            (String::new(), String::new()),
            "{text}"
        );
    }
}
