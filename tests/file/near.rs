//! What file-edit says of a text that is not in the file: the nearest thing that is there, which is
//! never edited in its place.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::common::{self, Answer, directory, text, tool};
use serde_json::{Value, json};

fn edit(file: &Path, old: &str, new: &str) -> Answer {
    edit_with(file, old, new, &Value::Null)
}

fn edit_with(file: &Path, old: &str, new: &str, all: &Value) -> Answer {
    let answer = tool("file-edit")
        .with(&json!({"file_path": text(file), "old_string": old, "new_string": new, "replace_all": all}))
        .run();
    assert_eq!((answer.code(), answer.stderr.as_str()), (0, ""));
    answer
}

fn file_with(content: impl AsRef<[u8]>) -> (tempfile::TempDir, PathBuf) {
    let here = directory();
    let file = here.path().join("config.txt");
    fs::write(&file, content).unwrap();
    (here, file)
}

/// The note of an edit that finds nothing and changes nothing.
#[track_caller]
fn note_of(file: &Path, old: &str, new: &str) -> String {
    let (before, status) = (fs::read(file).unwrap(), fs::metadata(file).unwrap());
    let answer = edit(file, old, new);
    let object = answer.json();
    assert_eq!(object["error"], "String not found in file", "{object}");
    assert_eq!(object["error_code"], "NOT_FOUND");
    assert_eq!(fs::read(file).unwrap(), before);
    assert_eq!(fs::metadata(file).unwrap().ino(), status.ino());
    answer.note()
}

/// The file's own text, as a note quotes it.
fn quoted(note: &str) -> Option<&str> {
    let (_, text) = note.strip_suffix("\n```")?.split_once(":\n```\n")?;
    Some(text)
}

#[test]
fn a_text_that_is_too_long_to_be_quoted_is_to_be_read_again() {
    let lines: Vec<String> = (1..=300).map(|n| format!("    step_{n}();\n")).collect();
    let (_here, file) = file_with(lines.concat().replace("    ", "\t"));
    let note = note_of(&file, &lines[99..200].concat(), "x");
    assert!(
        note.contains("lines 100 to 200 are indented with a tab where old_string has 4 spaces"),
        "{note}"
    );
    assert!(
        note.contains(r#"file_read with "offset":100,"limit":101"#),
        "{note}"
    );
    assert!(note.len() < 600, "{note}");
    let request = json!({"file_path": text(&file), "offset": 100, "limit": 101});
    let read = tool("file-read").with(&request).run().field("output");
    assert_eq!(edit(&file, &read, "x").json()["replacements"], 1);
}

#[test]
fn bytes_that_no_text_can_hold_are_named() {
    let (_here, file) = file_with(b"one\ncaf\xE9 = 1\n");
    // So file-read shows it.
    let note = note_of(&file, "caf\u{FFFD} = 1", "x");
    assert!(
        note.contains(r"line 2 has the bytes \xe9 (not UTF-8)"),
        "{note}"
    );
    assert!(note.contains("choose text next to them"), "{note}");
    assert_eq!(edit(&file, " = 1", " = 2").json()["replacements"], 1);
    assert_eq!(fs::read(&file).unwrap(), b"one\ncaf\xE9 = 2\n");
}

#[test]
fn a_file_in_utf_16_without_a_mark_is_converted_and_back_as_the_note_says() {
    for bytes_of in [u16::to_le_bytes, u16::to_be_bytes] {
        let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(bytes_of).collect() };
        let (here, file) = file_with(wide("debug = false\n"));
        let note = note_of(&file, "debug = false", "debug = true");
        assert!(note.contains("UTF-16"), "{note}");
        let mut commands = note.split('`').skip(1).step_by(2);
        let mut run = || {
            let command = commands.next().expect("a command");
            let answer = tool("bash").with(&json!({"command": command})).run().json();
            let output = answer["output"].as_str().unwrap();
            if output.contains("iconv: not found") {
                return false;
            }
            assert_eq!(answer, json!({"output": "", "exit_code": 0}), "{command}");
            true
        };
        if !run() {
            return common::skip("there is no iconv here");
        }
        let copy = here.path().join("config.txt.utf8");
        let edited = edit(&copy, "debug = false", "debug = true");
        assert_eq!(edited.json()["replacements"], 1);
        assert!(run());
        let back = fs::read(&file).unwrap();
        assert_eq!(back, wide("debug = true\n"), "{note}");
    }
}

#[test]
fn where_all_were_to_be_replaced_and_there_is_none_the_answer_says_so_too() {
    let (_here, file) = file_with("\ta = 1\n");
    let answer = edit_with(&file, "    a = 1", "x", &json!(true));
    let object = answer.json();
    assert_eq!(object["output"], "Replaced 0 occurrences in config.txt");
    assert_eq!(object["replacements"], 0);
    assert!(
        answer.note().contains("line 1 is indented with a tab"),
        "{object}"
    );
    assert_eq!(fs::read(&file).unwrap(), b"\ta = 1\n");
}

#[test]
fn a_long_file_is_searched_within_a_moment() {
    use std::time::Duration;
    let line = |n| format!("    let value_{n} = compute({n}, {});\n", n * 7);
    let mut content = (0..100_000).map(line).collect::<Vec<_>>().concat();
    content += "\tlast();\n";
    let (_here, file) = file_with(&content);
    for old in [
        "    last();",
        "let value_77 = compute(77, 5390);",
        "nothing like it is in here",
    ] {
        let answer = edit(&file, old, "x");
        assert!(answer.json()["error_code"] == "NOT_FOUND" || old.contains("77"));
        // What is left of it is the process, and reading the file: much more on a busy machine.
        assert!(answer.took < Duration::from_secs(2), "{:?}", answer.took);
    }
    assert_eq!(fs::metadata(&file).unwrap().len(), content.len() as u64);
}

#[test]
fn of_a_file_that_is_longer_than_is_searched_only_what_was_searched_is_spoken_of() {
    let (_here, file) = file_with("");
    let line = format!("{}\n", "x".repeat(1023));
    let lines = 40 * 1024;
    fs::write(&file, line.repeat(lines)).unwrap();
    let note = note_of(&file, "nothing like it", "x");
    assert!(
        !note.contains("40,960 lines") && !note.contains("is in the file:"),
        "{note}"
    );
}

#[test]
fn the_note_of_a_text_that_is_there_several_times_names_the_lines() {
    let (_here, file) = file_with("a\nport = 1\nb\nport = 1\n");
    let answer = edit(&file, "port = 1", "port = 2");
    assert_eq!(answer.json()["error_code"], "NOT_UNIQUE");
    let note = answer.note();
    assert!(note.contains("lines 2 and 4"), "{note}");
    assert!(
        note.contains("\"replace_all\":true") && !note.contains("more"),
        "{note}"
    );
    assert_eq!(
        edit(&file, "b\nport = 1", "b\nport = 2").json()["replacements"],
        1
    );

    fs::write(&file, "x x\n".repeat(500)).unwrap();
    let note = edit(&file, "x", "y").note();
    assert!(note.contains("lines 1 to 6, and 988 more"), "{note}");
    assert!(note.contains("all 1,000"), "{note}");
    let answer = edit_with(&file, "x", "y", &json!(true));
    assert_eq!(
        answer.json(),
        json!({"output": "Replaced 1000 occurrences in config.txt", "replacements": 1000})
    );

    let long = format!(
        "{}needle\n{}needle",
        "line\n".repeat(700_000),
        "line\n".repeat(300_000)
    );
    fs::write(&file, long).unwrap();
    let note = edit(&file, "needle", "x").note();
    assert!(note.contains("lines 700001 and 1000002"), "{note}");
}

#[test]
fn a_text_is_quoted_whole_or_not_at_all_whatever_the_answer_may_have() {
    let old = "    first();\n    second();\n    third();\n".repeat(8);
    let (_here, file) = file_with(old.replace("    ", "\t"));
    for limit in [256, 500, 900, 1500, 3000] {
        let request = json!({"file_path": text(&file), "old_string": old, "new_string": "x"});
        let answer = tool("file-edit")
            .with(&request)
            .env("IKIGAI_MAX_ANSWER", limit.to_string())
            .run();
        assert!(answer.stdout.len() <= limit, "{limit}");
        let note = answer.note();
        assert!(note.contains("lines 1 to 24"), "{limit}: {note}");
        if note.contains("```") {
            assert_eq!(quoted(&note), Some(&*fs::read_to_string(&file).unwrap()));
        } else {
            assert!(limit < 1500, "{limit}: {note}");
            assert!(
                limit < 500 || note.contains("\"offset\":1,\"limit\":24"),
                "{limit}: {note}"
            );
        }
    }
}

#[test]
fn indentation_that_is_off_by_the_same_is_said_once() {
    let lines = "\tif a:\n\t\tb\n\t\t\tc\n";
    for (old, words) in [
        (
            "if a:\n\tb\n\t\tc\n",
            "lines 2 to 3 are indented with a tab more than in old_string",
        ),
        (
            "    if a:\n        b\n            c\n",
            "lines 1 to 3 are indented with tabs where old_string has 4 spaces for each",
        ),
    ] {
        let (_here, file) = file_with(lines);
        let note = note_of(&file, old, "x");
        assert!(note.contains(words), "{note}");
    }
}

#[test]
fn long_lines_are_quoted_from_where_they_differ() {
    let long = |end: &str| {
        format!(
            "{}{end}\nnext line here\nthird line\n",
            "value, ".repeat(60)
        )
    };
    let (_here, file) = file_with(long("of the file"));
    let note = note_of(&file, &long("as it was sent"), "x");
    assert!(
        note.contains("of the file`") && note.contains("as it was sent`"),
        "{note}"
    );
}

#[test]
fn line_ends_that_would_be_mixed_are_said() {
    let (_here, file) = file_with("a\nb\n");
    let note = edit(&file, "a\n", "a\r\nz\r\n").note();
    assert!(
        note.contains("with CRLF, where the file's other lines end in LF"),
        "{note}"
    );
    // Where no line of the other kind is left, there are not both.
    for (content, old, new) in [
        ("a\nb\nc\n", "\n", "\r\n"),
        ("a\r\nb\r\n", "\r\n", "\n"),
        ("a\nb", "\n", "\r\n"),
    ] {
        let (_here, file) = file_with(content);
        let answer = edit_with(&file, old, new, &json!(true));
        assert_eq!(answer.json().get("note"), None, "{content:?}");
    }
    let (_here, file) = file_with("a\nb;\nc;\n");
    let note = edit_with(&file, ";\n", "\r\n", &json!(true)).note();
    assert!(note.contains("it now has both"), "{note}");
    let (_here, file) = file_with("a\rb\rc\r");
    let note = note_of(&file, "a line\nthat is not there", "x");
    assert!(note.contains("end in CR alone"), "{note}");
}

#[test]
fn text_of_a_backslash_and_an_n_that_is_in_the_file_costs_no_note() {
    let (_here, file) = file_with("usage := `flags:\\n --alpha\\n`\n");
    let answer = edit(
        &file,
        "flags:\\n --alpha\\n",
        "flags:\\n --alpha\\n --beta\\n",
    );
    assert_eq!(answer.json().get("note"), None);
}
