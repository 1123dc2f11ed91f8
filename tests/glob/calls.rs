//! The glob tool, called as a host calls it. That a pattern means what it means to the C library is
//! tested in `like_libc.rs`.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::common::messages::TextRow;
use crate::common::{self, directory, text, tool};
use serde_json::{Value, json};

/// A directory with these files in it, which are empty.
fn tree(files: &[&str]) -> tempfile::TempDir {
    let files: Vec<_> = files.iter().map(|file| (*file, "")).collect();
    common::tree(&files)
}

fn found(paths: &[&str]) -> Value {
    json!({"output": paths.join("\n"), "count": paths.len()})
}

#[track_caller]
fn finds(here: &Path, request: &Value, paths: &[&str]) {
    tool("glob")
        .with(request)
        .in_directory(here)
        .answers(&found(paths));
}

#[test]
fn unseen_characters_of_a_name_are_spelled_and_the_spelling_names_it() {
    let here = tree(&["d\u{202e}/a\u{e0041}.txt", "d\u{202e}/می\u{200c}شود.txt"]);
    let (first, second) = ("d\\u{202E}/a\\u{E0041}.txt", "d\\u{202E}/می\u{200c}شود.txt");
    finds(
        here.path(),
        &json!({"pattern": "*/*.txt"}),
        &[first, second],
    );
    finds(
        here.path(),
        &json!({"pattern": "d\\u{202E}/*"}),
        &[first, second],
    );
    finds(here.path(), &json!({"pattern": first}), &[first]);
    let within = json!({"pattern": "a*", "path": "d\\u{202E}"});
    finds(here.path(), &within, &[first]);
    // Behind a backslash that is escaped it is a name like any other.
    let none = tool("glob").with(&json!({"pattern": "d\\\\u{202E}/*"}));
    assert_eq!(none.in_directory(here.path()).run().json()["count"], 0);
}

#[test]
fn matches_come_sorted_a_line_each() {
    let here = tree(&["b.txt", "a.txt", "B.txt", "c.c", ".hidden.txt"]);
    finds(
        here.path(),
        &json!({"pattern": "*.txt"}),
        &["B.txt", "a.txt", "b.txt"],
    );
    let path = text(here.path());
    let expected: Vec<String> = ["B", "a", "b"]
        .iter()
        .map(|name| format!("{path}/{name}.txt"))
        .collect();
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    tool("glob")
        .with(&json!({"pattern": "*.txt", "path": path}))
        .answers(&found(&expected));
    let request = json!({"pattern": "*.txt", "path": format!("{path}/")});
    tool("glob").with(&request).answers(&found(&expected));
}

#[test]
fn no_match_is_an_answer() {
    let here = tree(&["a"]);
    for request in [
        json!({"pattern": "*.none"}),
        json!({"pattern": ""}),
        json!({"pattern": "a", "path": "/nonexistent"}),
        json!({"pattern": "*", "path": "a"}),
        json!({"pattern": "{x,b}"}),
        json!({"pattern": "~"}),
    ] {
        let answer = tool("glob").with(&request).in_directory(here.path()).run();
        let json = answer.json();
        // Why there is none is tested in `notes.rs`.
        assert_eq!(
            (&json["output"], &json["count"]),
            (&json!(""), &json!(0)),
            "{request}"
        );
        assert_eq!((answer.code(), answer.stderr.as_str()), (0, ""));
    }
}

#[test]
fn a_pattern_without_wildcards_is_the_path_itself_if_it_exists() {
    let here = tree(&["sub/a b.txt"]);
    finds(
        here.path(),
        &json!({"pattern": "sub/a b.txt"}),
        &["sub/a b.txt"],
    );
    finds(here.path(), &json!({"pattern": "sub"}), &["sub"]);
    finds(here.path(), &json!({"pattern": "sub/none"}), &[]);
    symlink("nowhere", here.path().join("dangling")).unwrap();
    finds(here.path(), &json!({"pattern": "dangling"}), &["dangling"]);
    finds(here.path(), &json!({"pattern": "d*"}), &["dangling"]);
}

#[test]
fn two_asterisks_are_any_number_of_directories() {
    let here = tree(&[
        "m.c",
        "src/m.c",
        "src/a/m.c",
        "src/a/b/m.c",
        "src/.git/m.c",
        "src/a/m.h",
    ]);
    symlink("..", here.path().join("src/a/up")).unwrap();
    finds(
        here.path(),
        &json!({"pattern": "**/*.c"}),
        &["m.c", "src/a/b/m.c", "src/a/m.c", "src/m.c"],
    );
    finds(
        here.path(),
        &json!({"pattern": "src/**/*.c"}),
        &["src/a/b/m.c", "src/a/m.c", "src/m.c"],
    );
    finds(
        here.path(),
        &json!({"pattern": "src/**/b/**/m.c"}),
        &["src/a/b/m.c"],
    );
    // Elsewhere than as a whole component it is one asterisk; the note says what lies below.
    let request = json!({"pattern": "src/**c"});
    let found = tool("glob").with(&request).in_directory(here.path()).run();
    assert_eq!(found.field("output"), "src/m.c");
    found
        .note()
        .assert_row("glob", "two asterisks that are no component");
}

#[test]
fn the_path_is_literal_whatever_characters_it_has() {
    let here = tree(&["[a]*?/x.txt", "a/y.txt"]);
    finds(
        here.path(),
        &json!({"pattern": "*.txt", "path": "[a]*?"}),
        &["[a]*?/x.txt"],
    );
}

#[test]
fn an_absolute_pattern_ignores_the_path() {
    let here = tree(&["x.txt"]);
    let pattern = format!("{}/*.txt", text(here.path()));
    let expected = format!("{}/x.txt", text(here.path()));
    finds(
        Path::new("/"),
        &json!({"pattern": pattern, "path": "/usr"}),
        &[&expected],
    );
}

#[test]
fn sets_classes_and_escapes_are_understood() {
    let here = tree(&["a1", "b1", "c1", "A1", "-1", "]1", "*1", "é1"]);
    for (pattern, expected) in [
        ("[ab]1", vec!["a1", "b1"]),
        ("[a-c]1", vec!["a1", "b1", "c1"]),
        ("[!a-zA-Z]1", vec!["*1", "-1", "]1", "é1"]),
        ("[^a-zA-Z]1", vec!["*1", "-1", "]1", "é1"]),
        ("[[:upper:]]1", vec!["A1"]),
        ("[]-]1", vec!["-1", "]1"]),
        ("\\*1", vec!["*1"]),
        ("?1", vec!["*1", "-1", "A1", "]1", "a1", "b1", "c1", "é1"]),
        ("[a", vec![]),
    ] {
        finds(here.path(), &json!({"pattern": pattern}), &expected);
    }
}

#[test]
fn names_that_are_no_text_are_found_and_shown_as_far_as_they_are() {
    let here = directory();
    fs::write(here.path().join(OsStr::from_bytes(b"bad\xff.txt")), "").unwrap();
    fs::write(here.path().join("new\nline.txt"), "").unwrap();
    finds(
        here.path(),
        &json!({"pattern": "*.txt"}),
        &["bad\u{FFFD}.txt", "new\nline.txt"],
    );
}

#[test]
fn a_nul_makes_no_pattern() {
    tool("glob")
        .with(&json!({"pattern": "a\0b"}))
        .fails("INVALID_PATTERN", "Invalid glob pattern");
}

#[test]
fn a_directory_that_may_not_be_read_is_a_read_error() {
    let here = common::public_directory();
    let closed = here.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o311)).unwrap();
    tool("glob")
        .with(&json!({"pattern": "*", "path": text(&closed)}))
        .unprivileged()
        .fails("READ_ERROR", "Read error during glob");
    // Met on the way it is passed over, as glob(3) does.
    let request = json!({"pattern": "*/*", "path": text(here.path())});
    let answer = tool("glob").with(&request).unprivileged().run();
    assert_eq!(answer.json()["count"], 0);
    let place = [(text(&closed), "<closed>")];
    answer
        .note()
        .assert_row_at("glob", "a directory on the way that is closed", &place);
}

#[test]
fn a_very_deep_tree_is_walked() {
    use rustix::fs::{Mode, OFlags, mkdirat, openat};
    let here = directory();
    let name = "d".repeat(200);
    let mut deep = std::os::fd::OwnedFd::from(fs::File::open(here.path()).unwrap());
    for _ in 0..60 {
        mkdirat(&deep, &name, Mode::from_raw_mode(0o755)).unwrap();
        deep = openat(
            &deep,
            &name,
            OFlags::RDONLY | OFlags::DIRECTORY,
            Mode::empty(),
        )
        .unwrap();
    }
    openat(
        &deep,
        "leaf.txt",
        OFlags::CREATE | OFlags::WRONLY,
        Mode::from_raw_mode(0o644),
    )
    .unwrap();
    let answer = tool("glob")
        .with(&json!({"pattern": "**/*.txt"}))
        .in_directory(here.path())
        .run();
    let output = answer.field("output");
    assert!(output.ends_with("/leaf.txt") && output.len() == 60 * 201 + "leaf.txt".len());
}

#[test]
fn patterns_made_to_be_slow_are_not() {
    let here = tree(&[&"a".repeat(200)]);
    let pattern = format!("{}b", "*a".repeat(60));
    let answer = tool("glob")
        .with(&json!({"pattern": pattern}))
        .in_directory(here.path())
        .run();
    assert_eq!(answer.json(), found(&[]));
    assert!(answer.took.as_secs() < 5, "took {:?}", answer.took);
}
