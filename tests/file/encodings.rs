//! Files in other encodings than UTF-8, read and edited in their own.

use std::fs;

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
    for (content, old, new, after) in [
        (
            SHIFT_JIS,
            "val=1",
            "val=2\n設=ト",
            &b"[\x90\xdd\x92\xe8]\nname=\x83e\x83X\x83g\nval=2\n\x90\xdd=\x83g\n"[..],
        ),
        (
            GBK,
            "修复",
            "复修",
            b"\xb8\xb4\xd0\xde\xb4\xed\xce\xf3\nok=1\n",
        ),
        (LATIN, "café", "cafés", b"<?php $a = 'caf\xe9s'; ?>\n"),
        (
            &wide("a=ü\r\nb=1\r\n"),
            "b=1\n",
            "b=ö\nc=2\n",
            &wide("a=ü\r\nb=ö\r\nc=2\r\n"),
        ),
    ] {
        let edit = json!({"old_string": old, "new_string": new});
        let (answers, found) = edited(content, &edit);
        assert_eq!(found, after, "{answers:?}");
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
fn at_no_door_is_anything_written_that_the_file_s_encoding_does_not_have() {
    for (content, old, new) in [
        (LATIN, "café", "caf\u{17c}"),
        (GBK, "ok=1", "ok=😀"),
        (b"\xe9\0binary", "binary", "bin\u{e9}r"),
    ] {
        let edit = json!({"old_string": old, "new_string": new});
        let (answers, found) = edited(content, &edit);
        assert_eq!(found, content, "{answers:?}");
    }
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
