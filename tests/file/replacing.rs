//! What file-write does for models and people beyond a host's call: missing directories, and the
//! note on what was replaced.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use crate::common::{self, directory, names_in, piped};
use crate::mcp::session::Session;

/// A model's answer to a write of `content` to the file `name` in this directory.
fn written(here: &Path, name: &str, content: &str) -> (String, bool) {
    let mut session = Session::plain(here, "someone", &[]);
    session.text_of(
        "file_write",
        &json!({"file_path": name, "content": content}),
    )
}

#[test]
fn missing_directories_are_made_and_told() {
    let here = directory();
    let (text, failed) = written(here.path(), "a/b/new.txt", "x\n");
    assert!(!failed);
    assert_eq!(
        text,
        "Wrote 2 bytes to new.txt\n[The directory \"a/b\" was made for it.]"
    );
    let args = ["file-write", "a/c/new.txt", "y"];
    let (code, out, err) = piped(here.path(), &args);
    assert_eq!((code, &*out), (0, "Wrote 1 bytes to new.txt\n"));
    assert!(err.contains("\"a/c\" was made"), "{err}");
    assert_eq!(fs::read(here.path().join("a/b/new.txt")).unwrap(), b"x\n");
    let (text, _) = written(here.path(), "aa/b/new.txt", "x\n");
    assert!(text.contains("\"a/b/new.txt\" is there as well"), "{text}");
    // Nor are they told where they were there.
    let (text, _) = written(here.path(), "a/b/more.txt", "x\n");
    assert_eq!(text, "Wrote 2 bytes to more.txt");
}

#[test]
fn no_directory_is_made_for_a_path_that_is_meant_otherwise_or_a_write_that_fails() {
    let here = directory();
    fs::write(here.path().join("file"), "").unwrap();
    for name in [
        "~/x/new.txt",
        "$HOME/x/new.txt",
        "new/",
        "gone/../new.txt",
        "file/x/new.txt",
        "https://example.com/new.txt",
    ] {
        let (text, failed) = written(here.path(), name, "x");
        assert!(failed, "{name}: {text}");
        assert_eq!(names_in(here.path()), ["file"], "{name}: {text}");
    }
    let long = format!("made/{}", "n".repeat(300));
    let (text, failed) = written(here.path(), &long, "x");
    assert!(failed, "{text}");
    assert_eq!(names_in(here.path()), ["file"]);
}

#[test]
fn no_directory_is_made_where_the_user_may_make_none() {
    if common::is_root() {
        return common::skip("root may write everywhere");
    }
    let here = directory();
    let closed = here.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, PermissionsExt::from_mode(0o500)).unwrap();
    let (text, failed) = written(here.path(), "closed/a/new.txt", "x");
    assert!(failed && text.contains("Permission denied"), "{text}");
}

#[test]
fn calls_at_once_do_not_take_away_each_other_s_directories() {
    let here = directory();
    let here = here.path();
    for _ in 0..30 {
        std::thread::scope(|scope| {
            for length in [1, 300, 2, 301] {
                scope.spawn(move || {
                    let path = format!("a/b/c/{}", "n".repeat(length));
                    let (code, _, err) = piped(here, &["file-write", &path, "x"]);
                    assert_eq!(code == 0, length < 256, "{err}");
                });
            }
        });
        fs::remove_dir_all(here.join("a")).unwrap();
    }
}

#[test]
fn a_confined_write_makes_directories_within_the_bounds_alone() {
    let here = directory();
    fs::create_dir(here.path().join("in")).unwrap();
    let mut session = Session::plain(here.path(), "someone", &["--root", "in"]);
    let mut write = |name: &str| {
        let path = here.path().join(name);
        session.text_of("file_write", &json!({"file_path": path, "content": "x"}))
    };
    let (text, failed) = write("out/a/new.txt");
    assert!(failed && text.contains("Not allowed"), "{text}");
    let (text, failed) = write("in/../out/a/new.txt");
    assert!(failed && text.contains("Not allowed"), "{text}");
    let (text, failed) = write("in/a/b/new.txt");
    assert!(!failed && text.contains("was made"), "{text}");
    assert_eq!(names_in(here.path()), ["in"]);
}

#[test]
fn what_was_replaced_is_told_where_it_was_more_than_an_edit() {
    let here = directory();
    let file = here.path().join("a.txt");
    let lines: String = (1..=30).fold(String::new(), |text, n| text + &format!("line {n}\n"));
    let edited = lines.replace("line 7\n", "");
    let windows = lines.replace('\n', "\r\n");
    let marked = format!("\u{FEFF}{lines}");
    let wide: Vec<u8> = "\u{FEFF}wide\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    for (old, new, note) in [
        (lines.as_bytes(), &*edited, ""),
        (lines.as_bytes(), &lines, ""),
        (b"", "new\n", ""),
        (
            lines.as_bytes(),
            "short\n",
            "This replaced 30 lines (231 bytes) with 1 line.",
        ),
        (
            lines.as_bytes(),
            "",
            "This replaced 30 lines (231 bytes) with 0 lines.",
        ),
        (
            windows.as_bytes(),
            &edited,
            "Its lines ended in CRLF, and end in LF now.",
        ),
        (
            lines.as_bytes(),
            &windows,
            "Its lines ended in LF, and end in CRLF now.",
        ),
        (
            marked.as_bytes(),
            &lines,
            "The byte-order mark at its beginning is gone.",
        ),
        (
            lines.as_bytes(),
            &marked,
            "It has a byte-order mark at its beginning now.",
        ),
        (
            &wide,
            "wide\n",
            "The file was UTF-16 text, and is UTF-8 now.",
        ),
        (
            b"caf\xE9\ntwo\n",
            "caf\u{e9}\ntwo\n",
            "The file was windows-1252 text, and is UTF-8 now.",
        ),
        (
            b"caf\xE9 caf\xc3\xa9\ntwo\n",
            "caf\u{e9}\ntwo\n",
            "The file held bytes that are not UTF-8, and is UTF-8 now.",
        ),
    ] {
        fs::write(&file, old).unwrap();
        let (text, _) = written(here.path(), "a.txt", new);
        match note {
            "" => assert!(!text.contains('['), "{text}"),
            note => assert!(text.contains(note), "{note}: {text}"),
        }
        assert_eq!(fs::read(&file).unwrap(), new.as_bytes());
    }
}

#[test]
fn a_server_tells_that_a_file_has_changed_since_it_was_shown() {
    let here = directory();
    let file = here.path().join("a.txt");
    fs::write(&file, "one\n").unwrap();
    for session in [
        Session::plain(here.path(), "someone", &[]),
        Session::plain(here.path(), "someone", &["--root", "."]),
    ] {
        let mut session = session;
        let mut write = |content: &str| {
            let request = json!({"path": "./a.txt", "content": content});
            session.text_of("file_write", &request).0
        };
        assert!(!write("one\ntwo\n").contains("changed"));
        assert!(!write("one\ntwo\nthree\n").contains("changed"));
        fs::write(&file, "one\ntwo\nthree\nby another\n").unwrap();
        assert!(write("one\ntwo\nthree\n4\n").contains("had changed since you last saw it"));
        assert!(!write("one\n").contains("changed"));
        let edit = json!({"file_path": "a.txt", "old_string": "one", "new_string": "1"});
        assert!(!session.text_of("file_edit", &edit).1);
        let read = json!({"file_path": "a.txt"});
        assert_eq!(session.text_of("file_read", &read).0, "1\n");
        fs::write(&file, "by another").unwrap();
        let request = json!({"file_path": "a.txt", "content": "1\n"});
        let (text, _) = session.text_of("file_write", &request);
        assert!(text.contains("had changed since you last saw it"), "{text}");
        // The same bytes are no change, whoever wrote them.
        fs::write(&file, "1\n").unwrap();
        let request = json!({"file_path": "a.txt", "content": "1\n2\n"});
        let (text, _) = session.text_of("file_write", &request);
        assert!(!text.contains("had changed"), "{text}");
        // Other bytes of the same length are one.
        fs::write(&file, "1\n3\n").unwrap();
        let request = json!({"file_path": "a.txt", "content": "1\n4\n"});
        let (text, _) = session.text_of("file_write", &request);
        assert!(text.contains("had changed since you last saw it"), "{text}");
    }
}
