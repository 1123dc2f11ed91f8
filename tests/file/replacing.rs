//! What file-write does for models and people beyond a host's call: missing directories, and the
//! note on what was replaced.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use crate::common::messages::TextRow;
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
    let top = here.path().canonicalize().unwrap();
    let top = [(top.to_str().unwrap(), "<here>")];
    for path in ["out/a/new.txt", "in/../out/a/new.txt"] {
        let (text, failed) = write(path);
        assert!(failed, "{text}");
        text.assert_row_at("file_write", "a file without the bounds", &top);
    }
    let (text, failed) = write("in/a/b/new.txt");
    assert!(!failed, "{text}");
    text.assert_row_at(
        "file_write",
        "directories that were made within the bounds",
        &top,
    );
    assert_eq!(names_in(here.path()), ["in"]);
}

#[test]
fn a_server_tells_that_a_file_has_changed_since_it_was_shown() {
    let here = directory();
    let file = here.path().join("a.txt");
    let is_told = |text: &str| text.contains("had changed since you last saw it");
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
        assert!(!is_told(&write("one\ntwo\n")));
        assert!(!is_told(&write("one\ntwo\nthree\n")));
        fs::write(&file, "one\ntwo\nthree\nby another\n").unwrap();
        assert!(is_told(&write("one\ntwo\nthree\n4\n")));
        assert!(!is_told(&write("one\n")));
        let edit = json!({"file_path": "a.txt", "old_string": "one", "new_string": "1"});
        assert!(!session.text_of("file_edit", &edit).1);
        let read = json!({"file_path": "a.txt"});
        assert_eq!(session.text_of("file_read", &read).0, "1\n");
        fs::write(&file, "by another").unwrap();
        let request = json!({"file_path": "a.txt", "content": "1\n"});
        let (text, _) = session.text_of("file_write", &request);
        assert!(is_told(&text), "{text}");
        // The same bytes are no change, whoever wrote them.
        fs::write(&file, "1\n").unwrap();
        let request = json!({"file_path": "a.txt", "content": "1\n2\n"});
        let (text, _) = session.text_of("file_write", &request);
        assert!(!is_told(&text), "{text}");
        // Other bytes of the same length are one.
        fs::write(&file, "1\n3\n").unwrap();
        let request = json!({"file_path": "a.txt", "content": "1\n4\n"});
        let (text, _) = session.text_of("file_write", &request);
        assert!(is_told(&text), "{text}");
    }
}
