//! Files in other encodings than UTF-8, read and edited in their own.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::common::{directory, piped, text, tool};
use crate::mcp::session::Session;

/// `[設定]\nname=テスト\nval=1\n` in `Shift_JIS`.
const SHIFT_JIS: &[u8] = b"[\x90\xdd\x92\xe8]\nname=\x83e\x83X\x83g\nval=1\n";

/// `<?php $a = 'café'; ?>\n` in windows-1252.
const LATIN: &[u8] = b"<?php $a = 'caf\xe9'; ?>\n";

/// `修复错误\nok=1\n` in GBK.
const GBK: &[u8] = b"\xd0\xde\xb8\xb4\xb4\xed\xce\xf3\nok=1\n";

/// The answers of a host, a model and a person to an edit of a file with `content`, and the file
/// then, which is the same.
fn edited(content: &[u8], edit: &Value) -> (Vec<String>, Vec<u8>) {
    let here = directory();
    let file = here.path().join("f.txt");
    let mut request = edit.clone();
    request["file_path"] = text(&file).into();
    let (mut answers, mut found) = (Vec::new(), Vec::new());
    for door in 0..3 {
        fs::write(&file, content).unwrap();
        answers.push(match door {
            0 => tool("file-edit").with(&request).run().json().to_string(),
            1 => {
                Session::plain(here.path(), "someone", &[])
                    .text_of("file_edit", &request)
                    .0
            }
            _ => {
                let of = |name: &str| request[name].as_str().unwrap_or_default().to_owned();
                let (old, new) = (of("old_string"), of("new_string"));
                let (_, out, err) = piped(here.path(), &["file-edit", "f.txt", &old, &new]);
                out + &err
            }
        });
        found.push(fs::read(&file).unwrap());
    }
    assert!(found.iter().all(|one| *one == found[0]), "{answers:?}");
    (answers, found.remove(0))
}

#[test]
fn an_edit_is_made_in_the_file_s_own_encoding() {
    let wide = |text: &str| -> Vec<u8> {
        let units = format!("\u{FEFF}{text}");
        units.encode_utf16().flat_map(u16::to_be_bytes).collect()
    };
    for (content, old, new, after, name) in [
        (
            SHIFT_JIS,
            "val=1",
            "val=2\n設=ト",
            &b"[\x90\xdd\x92\xe8]\nname=\x83e\x83X\x83g\nval=2\n\x90\xdd=\x83g\n"[..],
            "Shift_JIS",
        ),
        (
            GBK,
            "修复",
            "复修",
            b"\xb8\xb4\xd0\xde\xb4\xed\xce\xf3\nok=1\n",
            "GBK",
        ),
        (
            LATIN,
            "café",
            "cafés",
            b"<?php $a = 'caf\xe9s'; ?>\n",
            "windows-1252",
        ),
        (
            &wide("a=ü\r\nb=1\r\n"),
            "b=1\n",
            "b=ö\nc=2\n",
            &wide("a=ü\r\nb=ö\r\nc=2\r\n"),
            "UTF-16",
        ),
    ] {
        let edit = json!({"old_string": old, "new_string": new});
        let (answers, found) = edited(content, &edit);
        assert_eq!(found, after, "{answers:?}");
        for answer in answers {
            let note = format!("The file is {name} text, and was edited as such.");
            assert!(answer.contains(&note), "{answer}");
        }
    }
}

#[test]
fn ascii_is_found_only_where_a_character_begins() {
    // The second byte of ソ is a backslash in Shift_JIS.
    let content = b"\x83\\\x83e\x83X\x83g = \\n\n";
    let edit = json!({"old_string": "\\", "new_string": "/"});
    let (answers, found) = edited(content, &edit);
    assert_eq!(found, b"\x83\\\x83e\x83X\x83g = /n\n", "{answers:?}");
    // Between the sequences of ISO-2022-JP all is ASCII, and no character.
    let content = b"\x1b$B2A3J$O8^I41_$G$9!#\x1b(B\nprice $5\n";
    let edit = json!({"old_string": "$", "new_string": "US$"});
    let (answers, found) = edited(content, &edit);
    let after = b"\x1b$B2A3J$O8^I41_$G$9!#\x1b(B\nprice US$5\n";
    assert_eq!(found, after, "{answers:?}");
    // Records that NULs separate are no UTF-16.
    let edit = json!({"old_string": "bar", "new_string": "b"});
    let (answers, found) = edited(b"foo\0bar\0baz\0qux\0", &edit);
    assert_eq!(found, b"foo\0b\0baz\0qux\0", "{answers:?}");
}

#[test]
fn nothing_is_written_that_the_file_s_encoding_does_not_have() {
    let mixed = [GBK, "修复错误\n".as_bytes()].concat();
    let stateful = b"\x1b$B%F%9%H\x1b(B\nval=1\n";
    for (content, old, new, words) in [
        (LATIN, "café", "caf\u{17c}", "not sure to have 'ż'"),
        (GBK, "ok=1", "ok=😀", "which has no '😀'"),
        (SHIFT_JIS, "val=1", "val=¥200", "which has no '¥'"),
        (SHIFT_JIS, "val=1", "val=−5", "which has no '−'"),
        (
            b"\x1b$)C\x0eGQ1[\x0f\nval=1\n",
            "val=1",
            "val=2",
            "but that is not sure",
        ),
        (&mixed, "ok=1", "ok=修", "in no one encoding"),
        (stateful, "val=1", "val=修", "iconv -f ISO-2022-JP"),
        (
            b"k\0e\0y\0=\x001\0\n\0",
            "key=1",
            "key=2",
            "UTF-16LE text without a byte-order mark",
        ),
        (
            &mixed,
            "ok=1",
            "ok=\u{FFFD}",
            "stands for bytes that could not be shown",
        ),
        (
            GBK,
            "ok=1",
            "ok=\u{FFFD}",
            "stands for bytes that could not be shown",
        ),
        (
            b"\xe9\0binary",
            "binary",
            "bin\u{e9}r",
            "in no one encoding",
        ),
    ] {
        let edit = json!({"old_string": old, "new_string": new});
        let (answers, found) = edited(content, &edit);
        assert_eq!(found, content, "{answers:?}");
        for answer in answers {
            assert!(answer.contains(words), "{words}: {answer}");
            assert!(!answer.contains("Read it again"), "{answer}");
        }
    }
}

#[test]
fn the_replacement_character_is_written_with_a_word() {
    let edit = json!({"old_string": "two", "new_string": "t\u{FFFD}o"});
    for (content, is_told) in [("one two\n", true), ("one\u{FFFD} two\n", false)] {
        for answer in edited(content.as_bytes(), &edit).0 {
            assert_eq!(answer.contains("U+FFFD was written"), is_told, "{answer}");
        }
    }
    let here = directory();
    let file = here.path().join("f");
    fs::write(&file, LATIN).unwrap();
    let request = json!({"file_path": text(&file), "content": "caf\u{FFFD}"});
    let note = tool("file-write").with(&request).run().note();
    assert!(note.contains("U+FFFD was written"), "{note}");
}

fn read(here: &Path, request: &Value) -> String {
    Session::plain(here, "someone", &[])
        .text_of("file_read", request)
        .0
}

#[test]
fn a_file_is_read_decoded_where_its_encoding_is_known() {
    let here = directory();
    for (content, shown, name) in [
        (SHIFT_JIS, "name=テスト\n", "Shift_JIS"),
        (b"one\ncaf\xe9\nthree\n", "café\n", "windows-1252"),
    ] {
        fs::write(here.path().join("f"), content).unwrap();
        let request = json!({"file_path": "f", "offset": 2, "limit": 1});
        let answer = read(here.path(), &request);
        assert!(answer.starts_with(shown), "{answer}");
        assert!(
            answer.contains(&format!("[{name} text, shown decoded")),
            "{answer}"
        );
        // A host is shown what it was promised.
        let mut whole = request.clone();
        whole["file_path"] = text(&here.path().join("f")).into();
        let host = tool("file-read").with(&whole).run();
        assert!(host.field("output").contains('\u{FFFD}'));
        let (_, out, err) = piped(here.path(), &["file-read", "f"]);
        assert!(out.contains(shown) && err.contains(name), "{out} {err}");
    }
}

#[test]
fn text_with_states_is_named_and_mixed_bytes_are_said_to_be_in_no_encoding() {
    let here = directory();
    let stated = b"plain\n\x1b$B%F%9%H\x1b(B\n";
    let mixed = "caf\u{e9} d\u{e9}j\u{e0}\n".as_bytes();
    for (content, told) in [
        (
            &stated[..],
            "It seems to be ISO-2022-JP text, and is shown as if it were UTF-8; with bash, \
             `iconv -f ISO-2022-JP -t UTF-8 f` shows it.",
        ),
        (
            &[mixed, b"na\xefve\n"].concat(),
            "Not all of it is UTF-8: what is not is shown as U+FFFD.",
        ),
    ] {
        fs::write(here.path().join("f"), content).unwrap();
        let answer = read(here.path(), &json!({"file_path": "f"}));
        assert!(answer.contains(told), "{answer}");
        assert!(!answer.contains("8859"), "{answer}");
    }
    // A colour is no state.
    fs::write(here.path().join("f"), "\u{1b}[31mred\u{1b}[0m $B\n").unwrap();
    let answer = read(here.path(), &json!({"file_path": "f"}));
    assert!(!answer.contains("It seems"), "{answer}");
}

#[test]
fn a_document_is_not_said_to_be_another_file_when_read_again() {
    let here = directory();
    let notebook = json!({
        "nbformat": 4, "nbformat_minor": 5, "metadata": {},
        "cells": [{"cell_type": "markdown", "metadata": {}, "source": ["# T\n", "b"]}],
    });
    fs::write(here.path().join("n.ipynb"), notebook.to_string()).unwrap();
    let mut session = Session::plain(here.path(), "someone", &[]);
    let edit =
        json!({"file_path": "n.ipynb", "old_string": "quite another line", "new_string": "y"});
    let (text, _) = session.text_of("file_edit", &edit);
    assert!(text.contains("It is a document (IPYNB)"), "{text}");
    assert!(!text.contains("Read it again"), "{text}");
}

#[test]
fn control_characters_are_spelled_for_models_alone() {
    let here = directory();
    fs::write(here.path().join("log"), "a\x1b[31mred\u{9b}\tend\r\n").unwrap();
    let shown = "a\\x1b[31mred\\x9b\tend\r\n[2 control characters are spelled, as \\x1b";
    let answer = read(here.path(), &json!({"file_path": "log"}));
    assert!(answer.starts_with(shown), "{answer:?}");
    let mut session = Session::plain(here.path(), "someone", &[]);
    let (grep, _) = session.text_of("grep", &json!({"pattern": "red", "path": "log"}));
    assert!(grep.contains("\\x1b[31mred\\x9b"), "{grep:?}");
    let (bash, _) = session.text_of("bash", &json!({"command": "printf 'a\\0b\\001'"}));
    assert!(bash.starts_with("a␀b\\x01\n[2 control"), "{bash:?}");
    let (_, out, _) = piped(here.path(), &["file-read", "log"]);
    assert!(out.contains('\u{1b}'), "{out:?}");
    // A spelling that is sent back is named, and nothing is replaced by guess.
    let edit =
        |old: &str, new: &str| json!({"file_path": "log", "old_string": old, "new_string": new});
    let (text, failed) = session.text_of("file_edit", &edit("a\\x1b[31mred", "x"));
    assert!(
        failed && text.contains("old_string spells control characters"),
        "{text:?}"
    );
    let (text, _) = session.text_of("file_edit", &edit("end", "\\x1b[0mend"));
    assert!(
        text.contains("new_string spells control characters"),
        "{text:?}"
    );
    let (text, _) = session.text_of("file_edit", &edit("a\u{1b}[31m", ""));
    assert!(text.starts_with("Replaced 1"), "{text:?}");
    fs::write(here.path().join("log"), "a\x1b[31mred\r\n").unwrap();
    let write = json!({"file_path": "log", "content": "red\\x9b\n"});
    let (text, _) = session.text_of("file_write", &write);
    assert!(
        text.contains("content spells control characters"),
        "{text:?}"
    );
}

#[test]
fn output_that_is_no_text_is_named_with_its_size_and_its_file() {
    let here = directory();
    let mut session = Session::plain(here.path(), "someone", &[]);
    let command = "head -c 3000 /bin/true";
    let (text, _) = session.text_of("bash", &json!({"command": command}));
    assert!(
        text.starts_with("[binary output, 3,000 bytes: ELF program"),
        "{text:?}"
    );
    let path = text.trim_end_matches(']').rsplit(' ').next().unwrap();
    let kept = fs::read(here.path().join(path)).unwrap();
    assert_eq!(kept, fs::read("/bin/true").unwrap()[..3000]);
}
