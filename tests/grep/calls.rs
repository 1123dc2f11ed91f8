//! The grep tool, called as a host calls it. That a pattern means what it means to the C library is
//! tested in `tests/search/ere_conformance.rs`.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::common::messages::TextRow;
use crate::common::{self, directory, text, tool, tree};
use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
use serde_json::{Value, json};

fn found(lines: &[&str]) -> Value {
    json!({"output": lines.join("\n"), "count": lines.len()})
}

#[track_caller]
fn finds(here: &Path, request: &Value, lines: &[&str]) {
    tool("grep")
        .with(request)
        .in_directory(here)
        .answers(&found(lines));
}

/// Why there is nothing is tested in `tests/glob/notes.rs`.
#[track_caller]
fn finds_nothing(here: &Path, request: &Value) {
    let answer = tool("grep").with(request).in_directory(here).run();
    let json = answer.json();
    assert_eq!(
        (&json["output"], &json["count"]),
        (&json!(""), &json!(0)),
        "{request}"
    );
    assert_eq!((answer.code(), answer.stderr.as_str()), (0, ""));
}

#[test]
fn each_match_has_its_file_its_line_and_its_text() {
    let here = tree(&[
        (
            "src/main.c",
            "int main;\n// TODO: implement error handling\n",
        ),
        ("src/util.c", "\n\n// TODO: optimize this"),
        ("src/util.h", "// TODO: not a .c file\n"),
    ]);
    finds(
        here.path(),
        &json!({"pattern": "TODO", "glob": "*.c", "path": "src"}),
        &[
            "src/main.c:2: // TODO: implement error handling",
            "src/util.c:3: // TODO: optimize this",
        ],
    );
}

#[test]
fn unseen_characters_are_spelled_in_names_and_stay_in_lines() {
    let here = tree(&[("d\u{202e}/f\u{e0041}", "x\u{202e}y\n")]);
    let line = "d\\u{202E}/f\\u{E0041}:1: x\u{202e}y";
    for (request, start) in [
        (json!({"pattern": "x", "glob": "*/*"}), "./"),
        (json!({"pattern": "x", "glob": "d\\u{202E}/f*"}), "./"),
        (json!({"pattern": "x", "path": "d\\u{202E}"}), ""),
        (
            json!({"pattern": "x", "path": "d\\u{202E}/f\\u{E0041}"}),
            "",
        ),
    ] {
        finds(here.path(), &request, &[&format!("{start}{line}")]);
    }
}

#[test]
fn without_a_path_the_current_directory_is_searched_and_not_what_is_below() {
    let here = tree(&[("a", "x\n"), ("b", "x"), ("sub/c", "x"), (".hidden", "x")]);
    for request in [
        json!({"pattern": "x"}),
        json!({"pattern": "x", "path": "", "glob": ""}),
        json!({"pattern": "x", "path": null, "glob": null}),
        json!({"pattern": "x", "path": "."}),
    ] {
        let answer = tool("grep").with(&request).in_directory(here.path()).run();
        let mut lines = found(&["./a:1: x", "./b:1: x"]);
        lines["note"] = answer.note().into();
        assert_eq!(answer.json(), lines);
        answer.note().assert_row("grep", "matches that lie deeper");
    }
    finds(
        here.path(),
        &json!({"pattern": "x", "glob": "**/*"}),
        &["./a:1: x", "./b:1: x", "./sub/c:1: x"],
    );
    finds(
        here.path(),
        &json!({"pattern": "x", "glob": ".*"}),
        &["./.hidden:1: x"],
    );
}

#[test]
fn a_file_given_as_path_is_searched() {
    let here = tree(&[("notes.txt", "one\ntwo\n"), ("other.txt", "two\n")]);
    for request in [
        json!({"pattern": "two", "path": "notes.txt"}),
        json!({"pattern": "two", "path": "notes.txt", "glob": "*.c"}),
    ] {
        finds(here.path(), &request, &["notes.txt:2: two"]);
    }
}

#[test]
fn no_match_is_an_answer() {
    let here = tree(&[("a", "x\n"), ("empty", "")]);
    for request in [
        json!({"pattern": "none"}),
        json!({"pattern": "x", "path": "/nonexistent"}),
        json!({"pattern": "x", "glob": "*.none"}),
        json!({"pattern": "", "path": "empty"}),
        json!({"pattern": "^$", "path": "empty"}),
    ] {
        finds_nothing(here.path(), &request);
    }
}

#[test]
fn a_pattern_that_is_none_says_why() {
    for (pattern, reason) in [
        ("(", r"Unmatched ( or \("),
        ("[a", "Unmatched [, [^, [:, [., or [="),
        ("*a", "Invalid preceding regular expression"),
        ("a**", ""),
        ("a{2,1}", r"Invalid content of \{\}"),
        ("a\\", "Trailing backslash"),
        ("[b-a]", "Invalid range end"),
        ("[[:none:]]", "Invalid character class name"),
        ("a{40000}", "Regular expression too big"),
        ("+", "Invalid preceding regular expression"),
    ] {
        let call = tool("grep").with(&json!({"pattern": pattern}));
        if reason.is_empty() {
            assert!(
                call.run().json()["error"].is_null(),
                "{pattern} is a pattern to glibc"
            );
        } else {
            call.fails("INVALID_PATTERN", &format!("Invalid pattern: {reason}"));
        }
    }
}

#[test]
fn forms_that_models_write_are_understood() {
    let here = tree(&[(
        "f",
        "foo bar\nfoobar\nFOO 42\naa bb\nab\ninterface{} x\ntab\there\n",
    )]);
    for (pattern, lines) in [
        (r"\bbar\b", vec!["f:1: foo bar"]),
        (r"\<foo\>", vec!["f:1: foo bar"]),
        (r"\d+", vec!["f:3: FOO 42"]),
        (r"(?i)foo\s\w+$", vec!["f:1: foo bar", "f:3: FOO 42"]),
        (r"^(a)\1 (.)\2$", vec!["f:4: aa bb"]),
        (r"(?:foo)bar", vec!["f:2: foobar"]),
        ("interface{}", vec!["f:6: interface{} x"]),
        (r"\t", vec!["f:7: tab\there"]),
        (r"^fo+b?\s*bar$", vec!["f:1: foo bar", "f:2: foobar"]),
    ] {
        finds(
            here.path(),
            &json!({"pattern": pattern, "path": "f"}),
            &lines,
        );
    }
}

#[test]
fn an_anchor_and_an_empty_pattern_see_lines() {
    let here = tree(&[("f", "a\n\nb")]);
    finds(
        here.path(),
        &json!({"pattern": "", "path": "f"}),
        &["f:1: a", "f:2: ", "f:3: b"],
    );
    finds(
        here.path(),
        &json!({"pattern": "^$", "path": "f"}),
        &["f:2: "],
    );
    finds(
        here.path(),
        &json!({"pattern": "^", "path": "f"}),
        &["f:1: a", "f:2: ", "f:3: b"],
    );
    finds(
        here.path(),
        &json!({"pattern": "a[[:space:]]*b", "path": "f"}),
        &[],
    );
    finds(here.path(), &json!({"pattern": "a[^x]b", "path": "f"}), &[]);
    finds(here.path(), &json!({"pattern": "a\\sb", "path": "f"}), &[]);
}

#[test]
fn binary_files_are_searched_as_text() {
    let here = directory();
    fs::write(here.path().join("bin"), b"\x00\xff word \xfe\x00\r\nnext\n").unwrap();
    finds(
        here.path(),
        &json!({"pattern": "word", "path": "bin"}),
        &["bin:1: \0\u{FFFD} word \u{FFFD}\0\r"],
    );
}

#[test]
fn only_regular_files_are_searched_and_nothing_is_waited_for() {
    let here = tree(&[("file", "x\n"), ("sub/inner", "x\n")]);
    symlink("file", here.path().join("link")).unwrap();
    symlink("/dev/zero", here.path().join("zero")).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(here.path().join("fifo"))
            .status()
            .unwrap()
            .success()
    );
    let answer = tool("grep")
        .with(&json!({"pattern": "x"}))
        .in_directory(here.path())
        .run();
    assert_eq!(answer.json()["output"], "./file:1: x");
    assert!(answer.took.as_secs() < 5);
    for special in ["fifo", "/dev/zero", "/dev/stdin"] {
        finds_nothing(here.path(), &json!({"pattern": "x", "path": special}));
    }
    // A link that is named itself is meant.
    finds(
        here.path(),
        &json!({"pattern": "x", "path": "link"}),
        &["link:1: x"],
    );
}

#[test]
fn files_that_cannot_be_read_are_passed_over() {
    let here = common::public_directory();
    for (name, mode) in [("open", 0o644), ("shut", 0o000)] {
        let file = here.path().join(name);
        fs::write(&file, "x\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
    }
    let line = format!("{}/open:1: x", text(here.path()));
    let shut = format!("{}/shut", text(here.path()));
    let note = format!("1 file could not be read: {shut} (permission denied).");
    tool("grep")
        .with(&json!({"pattern": "x", "path": text(here.path())}))
        .unprivileged()
        .answers(&json!({"output": line, "count": 1, "note": note}));
}

#[test]
fn what_reads_like_a_file_is_searched() {
    let answer = tool("grep")
        .with(&json!({"pattern": "^Limit ", "path": "/proc/self/limits"}))
        .run();
    assert!(
        answer
            .field("output")
            .starts_with("/proc/self/limits:1: Limit ")
    );
}

#[test]
fn very_long_lines_come_whole() {
    let long = format!("{}needle{}", "x".repeat(3_000_000), "y".repeat(3_000_000));
    let here = tree(&[("f", &format!("short\n{long}\nneedle\n"))]);
    let answer = tool("grep")
        .in_directory(here.path())
        .with(&json!({"pattern": "needle", "path": "f"}))
        .run();
    assert!(answer.field("output") == format!("f:2: {long}\nf:3: needle"));
    assert_eq!(answer.json()["count"], 2);
    answer
        .note()
        .assert_row("grep", "an answer of six megabytes");
}

#[test]
fn line_numbers_hold_across_a_large_file() {
    let lines: Vec<String> = (1..=300_000).map(|n| format!("line {n}")).collect();
    let here = tree(&[("f", &lines.join("\n"))]);
    finds(
        here.path(),
        &json!({"pattern": "line (1|150000|300000)$", "path": "f"}),
        &[
            "f:1: line 1",
            "f:150000: line 150000",
            "f:300000: line 300000",
        ],
    );
}

#[test]
fn a_back_reference_that_is_too_costly_is_said_to_be() {
    let here = tree(&[("f", &format!("{}\nabab!\n", "ab".repeat(2_000)))]);
    let request = json!({"pattern": r"^((a|b|ab)*)*(c?)\1\2\1\2!$", "path": "f"});
    let answer = tool("grep").with(&request).in_directory(here.path()).run();
    assert!(answer.took.as_secs() < 20, "took {:?}", answer.took);
    let json = answer.json();
    assert!(json["count"].is_u64() && json["error"].is_null());
    if json["note"].is_null() {
        // Decided after all: then the answer is exact.
        assert!(
            answer
                .field("output")
                .lines()
                .all(|line| line.ends_with('!'))
        );
    } else {
        assert!(answer.field("note").contains("too costly"));
    }
}

#[test]
fn a_search_through_many_matches_is_written_as_it_goes() {
    let here = tree(&[("f", &"match\n".repeat(1_000_000))]);
    let answer = tool("grep")
        .with(&json!({"pattern": "m", "path": "f"}))
        .in_directory(here.path())
        .run();
    assert_eq!(answer.json()["count"], 1_000_000);
    assert_eq!(answer.field("output").lines().count(), 1_000_000);
}

#[test]
fn a_file_below_a_path_of_more_than_4096_bytes_is_searched() {
    let here = directory();
    let name = "d".repeat(200);
    let mut at = openat(CWD, here.path(), OFlags::DIRECTORY, Mode::empty()).unwrap();
    for _ in 0..30 {
        mkdirat(&at, &*name, Mode::RWXU).unwrap();
        at = openat(&at, &*name, OFlags::DIRECTORY, Mode::empty()).unwrap();
    }
    for file in ["a", "b"] {
        let flags = OFlags::CREATE | OFlags::WRONLY;
        let file = openat(&at, file, flags, Mode::RWXU).unwrap();
        rustix::io::write(&file, b"x\nneedle\n").unwrap();
    }
    let far = format!("{name}/").repeat(30);
    let lines = [format!("./{far}a:2: needle"), format!("./{far}b:2: needle")];
    finds(
        here.path(),
        &json!({"pattern": "needle", "glob": "**/*"}),
        &[&lines[0], &lines[1]],
    );
    // By an absolute path, and through a link on the way.
    symlink(".", here.path().join("link")).unwrap();
    let path = format!("{}/link", text(here.path()));
    let lines = ["a", "b"].map(|file| format!("{path}/{far}{file}:2: needle"));
    finds(
        here.path(),
        &json!({"pattern": "needle", "glob": "**/*", "path": path}),
        &[&lines[0], &lines[1]],
    );
}
