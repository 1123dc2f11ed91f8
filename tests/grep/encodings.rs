//! grep: files in UTF-16, and files with a byte-order mark.

use std::fs;

use super::for_models::ask;
use super::lines::{numbers, search, with_file};
use crate::common::tree;
use serde_json::{Value, json};

/// The text between the last two backquotes: what is to be written.
fn advised(sentence: &str) -> &str {
    sentence.rsplit('`').nth(1).unwrap()
}

/// The text in UTF-16 with its mark.
fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let units = [0xfeff].into_iter().chain(text.encode_utf16());
    units.flat_map(bytes).collect()
}

#[test]
fn utf_16_with_a_mark_is_searched_as_text() {
    let text = "first café\r\nsecond 日本 😀\n\nlast line";
    for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
        let here = with_file(utf16(text, bytes));
        for (pattern, lines) in [
            ("^first", "f:1: first café\r"),
            ("日本 .$", "f:2: second 日本 😀"),
            ("^$", "f:3: "),
            ("line$", "f:4: last line"),
        ] {
            let answer = search(here.path(), pattern, "f").json();
            assert_eq!(answer, json!({"output": lines, "count": 1}), "{pattern}");
        }
        let answer = search(here.path(), "café$", "f");
        let note = answer.field("note");
        assert_eq!(numbers(here.path(), advised(&note), "f"), [1], "{note}");
        assert_eq!(
            numbers(here.path(), "\u{feff}|\0", "f"),
            Vec::<usize>::new()
        );
    }
}

#[test]
fn a_mark_is_no_part_of_the_first_line() {
    let here = with_file("\u{feff}first\nsecond \u{feff}\n");
    let found = json!({"output": "f:1: first", "count": 1});
    assert_eq!(search(here.path(), "^first$", "f").json(), found);
    assert_eq!(numbers(here.path(), "\u{feff}", "f"), [2]);
    for content in ["\u{feff}".as_bytes(), b"\xff\xfe", b"\xfe\xff"] {
        let here = with_file(content);
        assert_eq!(numbers(here.path(), "", "f"), Vec::<usize>::new());
    }
}

#[test]
fn what_only_looks_like_utf_16_is_searched_as_it_is() {
    // UTF-32, and too short for anything.
    for (content, pattern) in [
        (&b"\xff\xfe\0\0n\0\0\0"[..], "n"),
        (b"\xff", "^"),
        (b"\xfe\n\xffn", "n"),
    ] {
        let here = with_file(content);
        assert_eq!(
            search(here.path(), pattern, "f").json()["count"],
            1,
            "{content:?}"
        );
    }
    // Half a character at the end, and half a pair.
    let here = with_file(b"\xff\xfea\0\n\0\x3d\xd8b\0c");
    let found = json!({"output": "f:2: \u{fffd}b\u{fffd}", "count": 1});
    assert_eq!(search(here.path(), "b", "f").json(), found);
}

#[test]
fn a_large_utf_16_file_has_its_lines_and_numbers() {
    let line = |number: usize| format!("line {number} é😀日");
    let text: String = (1..=200_000).map(|number| line(number) + "\n").collect();
    let here = with_file(utf16(&text, u16::to_le_bytes));
    for number in [1, 99_999, 200_000] {
        let found = json!({"output": format!("f:{number}: {}", line(number)), "count": 1});
        let pattern = format!("line {number} é");
        assert_eq!(search(here.path(), &pattern, "f").json(), found);
    }
    assert_eq!(search(here.path(), "日$", "f").json()["count"], 200_000);
}

#[test]
fn a_set_of_all_but_ascii_is_sought_in_other_encodings() {
    let here = tree(&[("u8.txt", "café\n"), ("plain.txt", "cafe\n")]);
    for (name, bytes) in [
        ("l1.txt", &b"caf\xe9 noir, d\xe9j\xe0 vu\n"[..]),
        (
            "koi.txt",
            b"\xf0\xd2\xc9\xd7\xc5\xd4, \xdc\xd4\xcf \xc6\xc1\xca\xcc\n",
        ),
        ("gbk.txt", b"# \xd0\xde\xb8\xb4 two\n"),
    ] {
        fs::write(here.path().join(name), bytes).unwrap();
    }
    for pattern in [
        r"[^\x00-\x7F]",
        "[^ -~]",
        r"[^\u0000-\u007F]",
        r"[^\x00-\x7F]+$",
        r"([^\t -~])",
        r"\P{ASCII}",
    ] {
        let fields = json!({"pattern": pattern, "output": "files"});
        let answer = ask("grep", here.path(), &fields);
        let files = match pattern {
            r"[^\x00-\x7F]+$" => "u8.txt\nkoi.txt",
            _ => "gbk.txt\nkoi.txt\nl1.txt\nu8.txt",
        };
        let mut files: Vec<&str> = files.split('\n').collect();
        files.sort_unstable();
        assert_eq!(answer["output"], files.join("\n"), "{pattern}: {answer}");
        assert_eq!(answer["note"], Value::Null, "{pattern}: {answer}");
    }
}
