//! The file-edit tool, called as a host calls it. What an edit keeps of a file is tested with
//! file-write.

use std::fs;
use std::path::Path;

use crate::common::{self, directory, eventually, names_in, text, tool};
use crate::steps::kill_later_and_later;
use serde_json::{Value, json};

fn edit(file: &Path, old: &str, new: &str) -> common::Call {
    edit_with(file, old, new, &Value::Null)
}

fn edit_with(file: &Path, old: &str, new: &str, all: &Value) -> common::Call {
    tool("file-edit").with(
        &json!({"file_path": text(file), "old_string": old, "new_string": new, "replace_all": all}),
    )
}

fn replaced(count: u64, plural: &str) -> Value {
    json!({"output": format!("Replaced {count} {plural} in config.txt"), "replacements": count})
}

/// Asserts that all occurrences are replaced and there is none, which a note explains.
#[track_caller]
fn replaces_none(call: common::Call) {
    let answer = call.run();
    let mut object = answer.json();
    assert_ne!(answer.note(), "");
    object.as_object_mut().unwrap().remove("note");
    assert_eq!(object, replaced(0, "occurrences"));
    assert_eq!(answer.code(), 0);
}

/// A new file with this content, and the directory that keeps it.
fn file_with(content: impl AsRef<[u8]>) -> (tempfile::TempDir, std::path::PathBuf) {
    let here = directory();
    let file = here.path().join("config.txt");
    fs::write(&file, content).unwrap();
    (here, file)
}

#[test]
fn the_only_occurrence_is_replaced() {
    let (here, file) = file_with("debug = false\nport = 1\n");
    edit(&file, "debug = false", "debug = true").answers(&replaced(1, "occurrence"));
    assert_eq!(fs::read(&file).unwrap(), b"debug = true\nport = 1\n");
    assert_eq!(names_in(here.path()), ["config.txt"]);
}

#[test]
fn an_empty_new_text_deletes() {
    let (_here, file) = file_with("keep drop keep2");
    edit(&file, " drop", "").answers(&replaced(1, "occurrence"));
    assert_eq!(fs::read(&file).unwrap(), b"keep keep2");
    edit(&file, "keep keep2", "").answers(&replaced(1, "occurrence"));
    assert_eq!(fs::read(&file).unwrap(), b"");
}

#[test]
fn several_occurrences_need_replace_all() {
    let (_here, file) = file_with("x y x y x");
    edit(&file, "x", "z").fails(
        "NOT_UNIQUE",
        "String found 3 times, use replace_all to replace all",
    );
    for no in [json!(false), json!("false"), json!(null), json!("")] {
        let answer = edit_with(&file, "x", "z", &no).run();
        assert_eq!(answer.json()["error_code"], "NOT_UNIQUE");
    }
    assert_eq!(fs::read(&file).unwrap(), b"x y x y x");
    edit_with(&file, "x", "zz", &json!(true)).answers(&replaced(3, "occurrences"));
    assert_eq!(fs::read(&file).unwrap(), b"zz y zz y zz");
    edit_with(&file, "y", "", &json!("true")).answers(&replaced(2, "occurrences"));
    assert_eq!(fs::read(&file).unwrap(), b"zz  zz  zz");
}

#[test]
fn occurrences_do_not_overlap() {
    let (_here, file) = file_with("aaaa");
    edit(&file, "aaa", "b").answers(&replaced(1, "occurrence"));
    assert_eq!(fs::read(&file).unwrap(), b"ba");
    let (_here, file) = file_with("aaaa");
    edit(&file, "aa", "b").fails(
        "NOT_UNIQUE",
        "String found 2 times, use replace_all to replace all",
    );
}

#[test]
fn a_text_that_is_not_there_is_not_found() {
    let (_here, file) = file_with("abc");
    edit(&file, "abcd", "x").fails("NOT_FOUND", "String not found in file");
    replaces_none(edit_with(&file, "ABC", "x", &json!(true)));
    assert_eq!(fs::read(&file).unwrap(), b"abc");
    let (_here, empty) = file_with("");
    edit(&empty, "x", "y").fails("NOT_FOUND", "String not found in file");
}

#[test]
fn an_edit_that_finds_nothing_leaves_the_very_file() {
    let (_here, file) = file_with("abc");
    let before = fs::metadata(&file).unwrap();
    replaces_none(edit_with(&file, "x", "y", &json!(true)));
    let after = fs::metadata(&file).unwrap();
    assert_eq!(before.modified().unwrap(), after.modified().unwrap());
    assert_eq!(
        std::os::unix::fs::MetadataExt::ino(&before),
        std::os::unix::fs::MetadataExt::ino(&after)
    );
}

#[test]
fn arguments_are_checked_before_the_file_is_touched() {
    let missing = Path::new("/path/to/missing.txt");
    edit(missing, "", "x").fails("INVALID_ARG", "old_string cannot be empty");
    edit(missing, "", "").fails("INVALID_ARG", "old_string cannot be empty");
    edit(missing, "x", "x").fails("INVALID_ARG", "old_string and new_string are identical");
    edit(missing, "x", "y").fails("FILE_NOT_FOUND", "File not found: /path/to/missing.txt");
}

#[test]
fn what_is_no_file_is_not_edited() {
    let here = directory();
    for (path, code) in [
        (text(here.path()), "OPEN_FAILED"),
        ("/dev/zero", "SIZE_FAILED"),
        ("/dev/stdin", "SEEK_FAILED"),
    ] {
        let answer = edit(Path::new(path), "a", "b").run();
        assert_eq!(answer.json()["error_code"], code, "{path}");
    }
}

#[test]
fn bytes_that_are_no_text_stay_bit_for_bit() {
    let (_here, file) = file_with(b"\x00\xff\xfeword\xc3(\x80\r\n\xe2\x82".as_slice());
    edit(&file, "word", "W").answers(&replaced(1, "occurrence"));
    let edited = b"\x00\xff\xfeW\xc3(\x80\r\n\xe2\x82";
    assert_eq!(fs::read(&file).unwrap(), edited);
    // What is not ASCII would be in another encoding than all else.
    let refused = edit(&file, "W", "é").run().json();
    assert_eq!(refused["error_code"], "INVALID_ARG", "{refused}");
    assert_eq!(fs::read(&file).unwrap(), edited);
}

#[test]
fn nul_characters_and_newlines_are_text_like_any_other() {
    let (_here, file) = file_with(b"a\0b\r\nc");
    edit(&file, "\0b\r\n", "\n\0").answers(&replaced(1, "occurrence"));
    assert_eq!(fs::read(&file).unwrap(), b"a\n\0c");
}

#[test]
fn two_edits_of_one_file_at_once_are_both_made() {
    let (here, file) = file_with("");
    for round in 0..15 {
        let words: Vec<String> = (0..6).map(|n| format!("<{n}>")).collect();
        fs::write(&file, words.join(&"-".repeat(200_000))).unwrap();
        let started: Vec<_> = words
            .iter()
            .map(|word| edit(&file, word, &format!("[{word}]")).start())
            .collect();
        for child in started {
            let output = child.wait_with_output().unwrap();
            let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(answer, replaced(1, "occurrence"), "round {round}");
        }
        let content = fs::read_to_string(&file).unwrap();
        for word in &words {
            assert!(
                content.contains(&format!("[{word}]")),
                "round {round}: {word} was lost"
            );
        }
        assert_eq!(names_in(here.path()), ["config.txt"]);
    }
}

#[test]
fn a_file_that_somebody_keeps_locked_can_be_edited_all_the_same() {
    use rustix::fs::{FlockOperation, flock};
    let (_here, file) = file_with("old");
    let holder = fs::File::open(&file).unwrap();
    flock(&holder, FlockOperation::LockExclusive).unwrap();
    edit(&file, "old", "new").answers(&replaced(1, "occurrence"));
    assert_eq!(fs::read(&file).unwrap(), b"new");
}

#[test]
fn killed_at_any_moment_the_file_is_old_or_new_and_alone() {
    let old = format!("{}<here>{}", "a".repeat(4_000_000), "a".repeat(4_000_000));
    let new = old.replace("<here>", "<there>");
    let (here, file) = file_with(&old);
    let took = edit(&file, "<here>", "<there>").run().took;
    kill_later_and_later(took, |round, pause| {
        fs::write(&file, &old).unwrap();
        let mut child = edit(&file, "<here>", "<there>").start();
        std::thread::sleep(pause);
        child.kill().unwrap();
        let ended = child.wait().unwrap().success();
        let content = fs::read_to_string(&file).unwrap();
        assert!(
            content == new || !ended && content == old,
            "round {round}, ended: {ended}"
        );
        // A replacement that has been begun is carried out by a process of its own.
        let alone = || names_in(here.path()) == ["config.txt"];
        assert!(eventually(alone), "round {round}");
        ended
    });
}

/// The note of an edit that is made, once.
#[track_caller]
fn made(file: &Path, old: &str, new: &str) -> String {
    let answer = edit(file, old, new).run();
    assert_eq!(answer.json()["replacements"], 1, "{}", answer.json());
    answer.note()
}

#[test]
fn line_ends_across_windows_are_seen() {
    let lines = |end: &str| format!("{}{end}", "x".repeat(62)).repeat(40_000);
    let (_here, file) = file_with(lines("\r\n") + "last\r\nline");
    made(&file, "last\nline", "1\n2");
    assert!(fs::read(&file).unwrap().ends_with(b"\r\n1\r\n2"));
    let (_here, file) = file_with(lines("\r\n") + "a\nlast\r\nline");
    edit(&file, "last\nline", "1\n2").fails("NOT_FOUND", "String not found in file");
}
