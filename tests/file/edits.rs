//! Several edits in one call, and the notes on edits that may not be what was meant.

use std::fs;
use std::os::unix::fs::MetadataExt;

use serde_json::{Value, json};

use crate::common::{directory, names_in, tool};

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
        assert_eq!(answer["error_code"], "INVALID_ARG", "{edits}");
    }
}

#[test]
fn several_edits_of_a_file_of_several_names_are_made_in_place() {
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
fn half_a_million_escapes_are_looked_at_in_one_pass() {
    let here = directory();
    let long = "\"".to_owned() + &r"\n".repeat(500_000);
    let request = json!({"file_path": "w.txt", "content": long});
    let call = tool("file-write").with(&request).in_directory(here.path());
    assert_eq!(call.run().note(), "");
}
