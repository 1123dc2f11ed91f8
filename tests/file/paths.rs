//! Paths as models send them, that lead to no file. What is said of them, and what to send, stands
//! in `tests/messages`.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{self, Answer, directory, piped, tool};
use serde_json::json;

/// A project with a few files, in which the tools are called.
fn project() -> tempfile::TempDir {
    let here = directory();
    fs::create_dir_all(here.path().join("src/util")).unwrap();
    fs::create_dir_all(here.path().join("my docs")).unwrap();
    for name in [
        "README.md",
        "src/app.ts",
        "src/main.rs",
        "src/util/strings.py",
        "my docs/a b.txt",
    ] {
        fs::write(here.path().join(name), "one\ntwo\n").unwrap();
    }
    here
}

fn call(name: &str, here: &Path, path: &str) -> Answer {
    let mut request = json!({"file_path": path});
    match name {
        "file-write" => request["content"] = "new".into(),
        "file-edit" => {
            request["old_string"] = "two".into();
            request["new_string"] = "2".into();
        }
        _ => {}
    }
    let call = tool(name).with(&request).in_directory(here);
    call.env("HOME", here).run()
}

#[test]
fn unseen_characters_of_a_name_are_spelled_and_the_spelling_means_the_file() {
    let here = project();
    let (real, spelled) = ("a\u{202e}txt.sh", "a\\u{202E}txt.sh");
    fs::write(here.path().join(real), "one\ntwo\n").unwrap();
    let shown = call("file-read", here.path(), spelled).json();
    assert_eq!(shown["output"], "one\ntwo\n");
    for sent in [real, spelled, "a\\u{202e}txt.sh"] {
        fs::write(here.path().join(real), "one\ntwo\n").unwrap();
        let edited = call("file-edit", here.path(), sent).json();
        assert_eq!(
            edited["output"],
            format!("Replaced 1 occurrence in {spelled}")
        );
        let written = call("file-write", here.path(), sent).json();
        assert_eq!(written["output"], format!("Wrote 3 bytes to {spelled}"));
        assert_eq!(fs::read(here.path().join(real)).unwrap(), b"new");
    }
    let missing = call("file-read", here.path(), "no\u{202e}ne").json();
    assert_eq!(missing["error"], "File not found: no\\u{202E}ne");
    // A command in a note means the file as well.
    fs::write(
        here.path().join(real),
        [b"a".repeat(90_000), b"\nb\n".to_vec()].concat(),
    )
    .unwrap();
    let long = tool("file-read")
        .with(&json!({"file_path": spelled}))
        .in_directory(here.path())
        .env("IKIGAI_MAX_ANSWER", "9000")
        .run();
    let note = long.note();
    let command = note.split('`').nth(1).unwrap();
    let mut shell = Command::new("sh");
    let shown = shell.args(["-c", command]).current_dir(here.path());
    let shown = shown.output().unwrap();
    assert!(shown.stdout.starts_with(b"aaaa"), "{note} {shown:?}");
    // The literal name comes first, and a new file has the name that was sent.
    let made = call("file-write", here.path(), "b\\u{202E}").json();
    assert_eq!(made["output"], "Wrote 3 bytes to b\\u{202E}");
    assert!(here.path().join("b\\u{202E}").exists());
    fs::write(here.path().join("b\u{202e}"), "other").unwrap();
    assert_eq!(
        call("file-read", here.path(), "b\\u{202E}").json()["output"],
        "new"
    );
    // A person's pipe gets names as they are, as other programs want them.
    let (_, out, _) = piped(here.path(), &["glob", "a?txt.sh"]);
    assert_eq!(out, format!("{real}\n"));
}

#[test]
fn a_missing_directory_is_made_as_the_note_says() {
    let here = project();
    for path in ["new/dir/a.txt", "it's new/b.txt"] {
        let answer = call("file-write", here.path(), path);
        let object = answer.json();
        assert_eq!(object["error"], format!("Cannot open file: {path}"));
        assert_eq!(object["error_code"], "OPEN_FAILED");
        let note = answer.note();
        let command = note.split('`').nth(1).unwrap();
        assert!(command.starts_with("mkdir -p "), "{note}");
        let made = tool("bash")
            .with(&json!({"command": command}))
            .in_directory(here.path())
            .run();
        assert_eq!(made.json(), json!({"output": "", "exit_code": 0}));
        assert_eq!(call("file-write", here.path(), path).json()["bytes"], 3);
    }
    // A directory that is there is not what is missing.
    let refused = call("file-write", here.path(), "/proc/nothing").json();
    // Root may not make it either, for another reason.
    let code = refused["error_code"].as_str().unwrap();
    assert!(
        ["OPEN_FAILED", "PERMISSION_DENIED"].contains(&code),
        "{refused}"
    );
    assert!(!refused["note"].to_string().contains("mkdir"), "{refused}");
}

#[test]
fn a_directory_of_very_many_names_is_looked_at_only_for_a_moment() {
    let here = directory();
    let names = (0..3000).map(|n| format!("file_number_{n}.txt"));
    common::add_names(here.path(), names);
    let answer = call("file-read", here.path(), "file_numbr_17.txt");
    assert_eq!(answer.json()["error_code"], "FILE_NOT_FOUND");
    assert!(answer.note().len() < 400, "{}", answer.note());
    assert!(answer.took < std::time::Duration::from_secs(2));
}
