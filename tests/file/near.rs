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
        note.contains(r#"file_read with "offset":100,"limit":101"#),
        "{note}"
    );
    assert!(note.len() < 600, "{note}");
    let request = json!({"file_path": text(&file), "offset": 100, "limit": 101});
    let read = tool("file-read").with(&request).run().field("output");
    assert_eq!(edit(&file, &read, "x").json()["replacements"], 1);
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
fn nothing_is_said_of_the_part_of_a_file_that_was_not_searched() {
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
