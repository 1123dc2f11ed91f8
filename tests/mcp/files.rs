//! What a model is shown of files that are no text, and of edits that find nothing.

use std::fs;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;

use super::session::Session;
use crate::common::directory;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xE0\x08\x06\0\0\0and more";

#[test]
fn an_image_is_shown_as_one_and_any_other_binary_file_in_words() {
    let here = directory();
    fs::write(here.path().join("a.png"), PNG).unwrap();
    let mut large = PNG.to_vec();
    large.resize(5_000_001, 0);
    fs::write(here.path().join("large.png"), &large).unwrap();
    fs::write(here.path().join("tool"), b"\x7FELF\x02\x01\x01\0\xFF\xFE").unwrap();
    fs::write(here.path().join("empty"), "").unwrap();
    fs::write(here.path().join("lines"), "1\n2\n").unwrap();
    let mut session = Session::plain(here.path(), "someone", &[]);
    for request in [
        json!({"file_path": "a.png"}),
        json!({"file_path": "a.png", "limit": 1}),
    ] {
        let content = session.result_of("file_read", &request)["content"].clone();
        assert_eq!(content[0]["type"], "image");
        assert_eq!(content[0]["mimeType"], "image/png");
        let data = BASE64_STANDARD.decode(content[0]["data"].as_str().unwrap());
        assert_eq!(data.unwrap(), PNG);
        assert_eq!(content[1]["text"], "PNG image, 640 x 480, 37 bytes");
    }
    for (request, text) in [
        (
            json!({"file_path": "large.png"}),
            "[PNG image, 640 x 480, 5,000,001 bytes: too large to be shown]",
        ),
        (
            json!({"file_path": "tool"}),
            "[binary file: ELF program, library or object, 10 bytes]",
        ),
        (json!({"file_path": "empty"}), "[empty file]"),
        (
            json!({"file_path": "empty", "offset": 2}),
            "[The file is empty.]",
        ),
        (
            json!({"file_path": "lines", "offset": 9}),
            "[The file has 2 lines; offset 9 is behind its end.]",
        ),
    ] {
        let shown = session.text_of("file_read", &request);
        assert_eq!(shown, (text.to_owned(), false), "{request}");
    }
}

#[test]
fn an_image_within_the_roots_is_shown_and_one_outside_is_not() {
    let (here, elsewhere) = (directory(), directory());
    fs::write(here.path().join("a.png"), PNG).unwrap();
    fs::write(elsewhere.path().join("b.png"), PNG).unwrap();
    let root = here.path().to_str().unwrap();
    let mut session = Session::plain(here.path(), "someone", &["--root", root]);
    let content = session.result_of("file_read", &json!({"file_path": "a.png"}))["content"].clone();
    assert_eq!(content[0]["type"], "image");
    let outside = elsewhere.path().join("b.png");
    let (text, failed) = session.text_of("file_read", &json!({"file_path": outside}));
    assert!(failed && !text.contains("PNG"), "{text}");
}

#[test]
fn a_program_is_given_the_file_s_bytes_and_a_note() {
    let here = directory();
    fs::write(here.path().join("a.png"), PNG).unwrap();
    let mut session = Session::start_in(here.path(), &[]);
    session.shake_hands("2025-11-25");
    let result = session.result_of("file_read", &json!({"file_path": "a.png"}));
    let object = &result["structuredContent"];
    assert_eq!(object["output"], String::from_utf8_lossy(PNG).as_ref());
    assert_eq!(
        object["note"],
        "binary file: PNG image, 640 x 480, 37 bytes."
    );
}

#[test]
fn a_model_is_shown_the_nearest_text_as_it_is() {
    let here = directory();
    fs::write(here.path().join("a.go"), "func main() {\n\trun()\n}\n").unwrap();
    let mut session = Session::plain(here.path(), "someone", &[]);
    let request =
        json!({"file_path": "a.go", "old_string": "    run()", "new_string": "    stop()"});
    let (text, failed) = session.text_of("file_edit", &request);
    assert!(failed);
    assert!(
        text.starts_with(
            "String not found in file (NOT_FOUND)\n[The nearest: line 2 is indented with a tab"
        ),
        "{text}"
    );
    assert!(
        text.ends_with("as old_string:\n```\n\trun()\n```]"),
        "{text}"
    );
}
