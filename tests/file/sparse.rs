//! Sparse files: whatever their size, each call keeps to its time, and what it says is what it
//! would say if their holes were written out.

use std::fs::{self, File};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::messages::TextRow;
use crate::common::{self, Answer, directory, names_in, piped, text, tool};
use crate::mcp::session::Session;

/// The size of a file that nobody reads to its end.
const TERABYTE: u64 = 1 << 40;

/// What such a file begins with, what is in its middle, and what it ends in.
const PARTS: [(u64, &str); 3] = [
    (0, "one\ntwo"),
    ((1 << 39) + 77, "\nmiddle\n"),
    (TERABYTE - 9, "\nlast\nend"),
];

/// Much longer than a call takes that passes over holes, even where much else goes on, and much
/// shorter than reading them takes.
const PATIENCE: Duration = Duration::from_secs(10);

/// The file `f` in `directory` with `parts` on the disk and holes between them; `None` where no
/// file can be so large.
pub fn sparse(directory: &Path, size: u64, parts: &[(u64, &str)]) -> Option<PathBuf> {
    let path = directory.join("f");
    let file = File::create(&path).unwrap();
    if file.set_len(size).is_err() {
        common::skip("no file can be so large here");
        return None;
    }
    for (at, part) in parts {
        file.write_all_at(part.as_bytes(), *at).unwrap();
    }
    if file.metadata().unwrap().blocks() > 2048 {
        common::skip("no sparse files here");
        return None;
    }
    Some(path)
}

fn call(name: &str, path: &Path, request: &Value) -> Answer {
    let mut request = request.clone();
    request["file_path"] = text(path).into();
    let answer = tool(name)
        .with(&request)
        .env("IKIGAI_MAX_SECONDS", "25")
        .run();
    assert!(answer.took < PATIENCE, "{request}: {:?}", answer.took);
    answer
}

/// The bytes of `path` at these places, which are all that is on the disk.
fn parts_of(path: &Path, size: u64, parts: &[(u64, &str)]) {
    let file = File::open(path).unwrap();
    let status = file.metadata().unwrap();
    assert_eq!(status.len(), size);
    assert!(status.blocks() < 2048, "{} blocks", status.blocks());
    for (at, part) in parts {
        let mut there = vec![1; part.len()];
        file.read_exact_at(&mut there, *at).unwrap();
        assert_eq!(String::from_utf8(there).unwrap(), *part);
    }
}

#[test]
fn lines_behind_a_hole_are_read_at_once() {
    let here = directory();
    let Some(file) = sparse(here.path(), TERABYTE, &PARTS) else {
        return;
    };
    for (request, shown) in [
        (json!({"offset": 3, "limit": 1}), "middle\n"),
        (json!({"offset": 5}), "last\nend"),
        (json!({"offset": 5, "limit": 1}), "last\n"),
        (json!({"offset": -1}), "end"),
        (json!({"offset": -2}), "last\nend"),
        (json!({"offset": -4, "limit": 1}), "middle\n"),
        (json!({"offset": -9, "limit": 1}), "one\n"),
    ] {
        let answer = call("file-read", &file, &request);
        assert_eq!(answer.field("output"), shown, "{request}");
        assert_eq!(answer.json()["error"], Value::Null, "{request}");
    }
    let note = call("file-read", &file, &json!({"offset": 9})).note();
    let end = "The file has 6 lines; offset 9 is past its end.";
    assert!(note.ends_with(end), "{note}");
    let (code, out, err) = piped(here.path(), &["file-read", "f", "--offset", "5"]);
    assert_eq!((code, &*out), (0, "last\nend"), "{err}");
}

#[test]
fn a_hole_that_is_asked_for_is_shown_until_the_time_is_over() {
    let here = directory();
    let Some(file) = sparse(here.path(), TERABYTE, &PARTS) else {
        return;
    };
    let request = json!({"file_path": text(&file)});
    let reading = || tool("file-read").with(&request);
    let answer = reading().env("IKIGAI_MAX_SECONDS", "0.3").run();
    assert!(answer.took < PATIENCE, "{:?}", answer.took);
    let object = answer.json();
    assert_eq!(object["error_code"], "TIMEOUT");
    let note = object["note"].as_str().unwrap();
    note.assert_row("file_read", "a file of holes for which there was no time");
    let output = object["output"].as_str().unwrap();
    assert!(output.starts_with("one\ntwo\0\0"));
    let answer = reading().env("IKIGAI_MAX_ANSWER", "4000").run();
    let note = answer.note();
    note.assert_row_at(
        "file_read",
        "a file of holes within a limit",
        &[(text(&file), "<file>")],
    );
    assert!(answer.took < PATIENCE, "{:?}", answer.took);
}

#[test]
fn an_edit_that_would_write_out_a_terabyte_of_holes_is_refused() {
    let edits = json!([
        {"old_string": "one", "new_string": "1"},
        {"old_string": "last\nend", "new_string": "rest\nend"},
    ]);
    for names in 1..=2 {
        for request in [
            json!({"old_string": "middle", "new_string": "MIDDLE"}),
            json!({"old_string": "e", "new_string": "EE", "replace_all": true}),
            json!({ "edits": edits }),
        ] {
            let here = directory();
            let Some(file) = sparse(here.path(), TERABYTE, &PARTS) else {
                return;
            };
            if names > 1 {
                fs::hard_link(&file, here.path().join("twin")).unwrap();
            }
            let answer = call("file-edit", &file, &request).json();
            assert_eq!(answer["error_code"], "WRITE_FAILED", "{request} {answer}");
            let error = answer["error"].as_str().unwrap();
            error.assert_row_at("file_edit", "a file of holes", &[(text(&file), "<file>")]);
            parts_of(&file, TERABYTE, &PARTS);
            assert_eq!(names_in(here.path()).len(), names);
        }
    }
}

#[test]
fn an_edit_that_is_not_made_leaves_a_sparse_file_as_it_is() {
    let here = directory();
    let Some(file) = sparse(here.path(), TERABYTE, &PARTS) else {
        return;
    };
    let before = fs::metadata(&file).unwrap();
    for (old, code) in [
        ("nowhere", "NOT_FOUND"),
        ("\r\nend", "NOT_FOUND"),
        ("e\n", "NOT_UNIQUE"),
    ] {
        let answer = call(
            "file-edit",
            &file,
            &json!({"old_string": old, "new_string": "x\ny"}),
        );
        assert_eq!(
            answer.json()["error_code"],
            code,
            "{old:?} {}",
            answer.json()
        );
    }
    // NULs alone are everywhere in a hole, and counted one after the other.
    let request = json!({"file_path": text(&file), "old_string": "\0\0", "new_string": "x"});
    let answer = tool("file-edit")
        .with(&request)
        .env("IKIGAI_MAX_SECONDS", "0.5")
        .run();
    assert!(answer.took < PATIENCE, "{:?}", answer.took);
    assert_eq!(answer.json()["error_code"], "TIMEOUT", "{}", answer.json());
    assert!(
        answer.note().ends_with(" The file is as it was."),
        "{}",
        answer.note()
    );
    parts_of(&file, TERABYTE, &PARTS);
    assert_eq!(fs::metadata(&file).unwrap().ino(), before.ino());
    assert_eq!(names_in(here.path()), ["f"]);
}

#[test]
fn models_are_answered_at_once_too() {
    let here = directory();
    if sparse(here.path(), TERABYTE, &PARTS).is_none() {
        return;
    }
    let mut session = Session::plain(here.path(), "someone", &["--timeout", "25"]);
    for (tool, request, said) in [
        ("file_read", json!({"file_path": "f"}), "[binary file: "),
        (
            "file_read",
            json!({"file_path": "f", "offset": -1}),
            "[binary file: ",
        ),
        (
            "grep",
            json!({"pattern": "SECRET", "path": "f"}),
            "[no matches in 1 file",
        ),
        (
            "grep",
            json!({"pattern": "SECRET"}),
            "[no matches in 1 file",
        ),
        ("glob", json!({"pattern": "*"}), "f"),
        (
            "file_edit",
            json!({"file_path": "f", "old_string": "middle", "new_string": "m"}),
            "Failed to write file",
        ),
        (
            "file_edit",
            json!({"file_path": "f", "old_string": "nowhere at all", "new_string": "m"}),
            "String not found",
        ),
        (
            "file_write",
            json!({"file_path": "f", "content": "new\n"}),
            "Wrote 4 bytes to f\n[The file was a binary file, and is text now. This replaced more than 16,777,216 bytes.",
        ),
    ] {
        let started = Instant::now();
        let (text, _) = session.text_of(tool, &request);
        assert!(text.starts_with(said), "{tool} {request}: {text}");
        assert!(
            started.elapsed() < PATIENCE,
            "{tool} {request}: {:?}",
            started.elapsed()
        );
    }
    assert_eq!(names_in(here.path()), ["f"]);
}

#[test]
fn holes_are_shown_and_edited_as_nuls_that_were_written() {
    const SIZE: u64 = 5 << 20;
    let parts = [
        (0, "one\n"),
        (1_300_001, "\ntwo\r\n"),
        (2_500_000, "three"),
        (4_900_000, "\nfour\nfive"),
    ];
    let here = directory();
    let Some(sparse) = sparse(here.path(), SIZE, &parts) else {
        return;
    };
    let dense = here.path().join("dense");
    fs::write(&dense, fs::read(&sparse).unwrap()).unwrap();
    for offset in [-7, -3, -2, -1, 1, 3, 4, 5, 7] {
        for limit in [json!(1), Value::Null] {
            let mut request = json!({"offset": offset});
            if !limit.is_null() {
                request["limit"] = limit;
            }
            let [one, other] = [&sparse, &dense].map(|file| {
                let mut answer = call("file-read", file, &request).json();
                let output = answer["output"].take();
                (output.as_str().map(str::to_owned), answer)
            });
            assert!(one == other, "{request}: {} {}", one.1, other.1);
        }
    }
    for (old, new, all) in [
        ("e", "longer", true),
        ("\0\n", "\n", true),
        ("four", "4", false),
        ("\0three\0", "3", false),
    ] {
        let request = json!({"old_string": old, "new_string": new, "replace_all": all});
        let [one, other] = [&sparse, &dense]
            .map(|file| call("file-edit", file, &request).json()["replacements"].clone());
        assert_eq!(one, other, "{request}");
        assert!(
            fs::read(&sparse).unwrap() == fs::read(&dense).unwrap(),
            "{request}"
        );
    }
}
