//! Edits and writes of files that are more than the text in them: notebooks, documents, archives
//! and images.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::common::{directory, piped, tool};
use crate::mcp::files::documents::original;
use crate::mcp::session::Session;

/// A notebook with one cell of code.
const NOTEBOOK: &str = "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"metadata\": {},\n   \
    \"outputs\": [],\n   \"source\": [\n    \"x = 1\\n\",\n    \"print(x)\"\n   ]\n  }\n ],\n \
    \"metadata\": {},\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n";

/// Answers of a host's call and of a call over MCP for programs, each to a new file `name`, with
/// what is in it afterwards.
fn at_both_doors(name: &str, content: &[u8], request: &Value) -> [(Value, Vec<u8>); 2] {
    let here = directory();
    let file = here.path().join(name);
    let mut request = request.clone();
    request["file_path"] = name.into();
    fs::write(&file, content).unwrap();
    let host = tool("file-edit").with(&request).in_directory(here.path());
    let host = (host.run().json(), fs::read(&file).unwrap());
    fs::write(&file, content).unwrap();
    let mut session = Session::start_in(here.path(), &[]);
    session.shake_hands("2025-11-25");
    let model = session.result_of("file_edit", &request)["structuredContent"].clone();
    [host, (model, fs::read(&file).unwrap())]
}

#[test]
fn an_edit_that_leaves_no_json_of_a_notebook_is_refused_at_every_door() {
    let before = NOTEBOOK.as_bytes();
    for request in [
        json!({"old_string": "print(x)", "new_string": "print(\"x\")"}),
        json!({"old_string": "x = 1", "new_string": "x = 1\ny = 2"}),
        json!({"old_string": "x", "new_string": "\\d", "replace_all": true}),
        json!({"edits": [{"old_string": "x = 1", "new_string": "x = 2"},
            {"old_string": "print(x)", "new_string": "print(\"x\")"}]}),
    ] {
        // The name says nothing of the kind.
        for name in ["n.ipynb", "n.json"] {
            for (answer, after) in at_both_doors(name, before, &request) {
                assert_eq!(answer["error_code"], "INVALID_ARG", "{request}: {answer}");
                assert_eq!(String::from_utf8(after).unwrap(), NOTEBOOK);
            }
        }
    }
}

#[test]
fn an_edit_of_a_notebook_as_json_has_it_is_made_without_a_word() {
    for request in [
        json!({"old_string": "print(x)", "new_string": "print(\\\"x\\\")"}),
        json!({"old_string": "\"x = 1\\n\",", "new_string": "\"x = 1\\n\",\n    \"y = 2\\n\","}),
        // Only what is left in the end counts.
        json!({"edits": [{"old_string": "print(x)", "new_string": "print(\"x\")"},
            {"old_string": "(\"x\")", "new_string": "(\\\"x\\\")"}]}),
    ] {
        for (answer, after) in at_both_doors("n.ipynb", NOTEBOOK.as_bytes(), &request) {
            assert!(answer["replacements"].is_number(), "{request}: {answer}");
            assert_eq!(answer.get("note"), None, "{answer}");
            assert_eq!(
                serde_json::from_slice::<Value>(&after).unwrap()["nbformat"],
                4
            );
        }
    }
    // A text in Latin-1 that begins as fonts do.
    let name = json!({"old_string": "Otto", "new_string": "Emma"});
    for (answer, _) in at_both_doors("a.txt", b"OTTO M\xFCller, Otto\n", &name) {
        assert_eq!(answer["replacements"], 1, "{answer}");
    }
    // What was no notebook may become anything, and be mended.
    let broken = NOTEBOOK.replace("print(x)", "print(\"x\")");
    let mend = json!({"old_string": "(\"x\")", "new_string": "(1\"1)"});
    let data = "{\"cells\": 1, \"nbformat\": 4}\n";
    let change = json!({"old_string": "1", "new_string": "[1"});
    for (content, request) in [(&*broken, mend), (data, change)] {
        for (answer, _) in at_both_doors("n.ipynb", content.as_bytes(), &request) {
            assert_eq!(answer["replacements"], 1, "{answer}");
        }
    }
}

/// Files whose bytes hold lengths, offsets or sums of others, and a text that is in each.
fn composed_files() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let mut image = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0".to_vec();
    image.extend(b":~\x9bU\0\0\0\0IEND\xaeB`\x82");
    let pdf =
        "%PDF-1.4\n1 0 obj\n<</Type /Catalog>>\nendobj\nxref\n0 1\ntrailer\n<</Root 1 0 R>>\n";
    vec![
        ("a.docx", original("docx"), "word"),
        ("a.zip", original("zip"), "README"),
        ("a.odt", original("odt"), "content"),
        ("a.xls", original("xls"), "o"),
        ("a.msg", original("msg"), "o"),
        ("a.pdf", original("pdf"), "obj"),
        // Text as it is, it has the offsets of its objects in it.
        ("plain.pdf", pdf.as_bytes().to_vec(), "Catalog"),
        ("a.png", image, "IHDR"),
        (
            "a.gz",
            b"\x1F\x8B\x08\x08\0\0\0\0\0\x03name\0\x03\0\0\0\0\0\0\0\0\0".to_vec(),
            "name",
        ),
        (
            "a.xz",
            b"\xFD7zXZ\0\0\x04\xE6\xD6\xB4\x46\0\0name\0\xFF".to_vec(),
            "name",
        ),
        ("a.woff2", b"wOF2\0\x01\0\0\0\0\xFFname".to_vec(), "name"),
    ]
}

#[test]
fn an_edit_of_a_binary_file_is_refused_at_our_doors_and_told_to_hosts() {
    for (name, content, old) in composed_files() {
        let request = json!({"old_string": old, "new_string": "other", "replace_all": true});
        let [(host, changed), (model, after)] = at_both_doors(name, &content, &request);
        assert!(host["replacements"].as_u64().unwrap() > 0, "{name}: {host}");
        assert!(host["note"].is_string(), "{name}: {host}");
        assert_ne!(changed, content);
        assert_eq!(model["error_code"], "INVALID_ARG", "{name}: {model}");
        assert_eq!(after, content, "{name}");
        person_is_refused(name, &content, old);
    }
}

/// A person's edit is refused as a model's is.
fn person_is_refused(name: &str, content: &[u8], old: &str) {
    let here = directory();
    fs::write(here.path().join(name), content).unwrap();
    let (code, _, said) = piped(here.path(), &["file-edit", name, old, "x"]);
    assert_ne!(code, 0, "{name}: {said}");
    assert_eq!(fs::read(here.path().join(name)).unwrap(), content);
}

#[test]
fn to_replace_all_in_such_a_file_is_advised_at_no_door() {
    for (name, content, old) in [
        ("a.docx", original("docx"), "word"),
        ("a.pdf", original("pdf"), "obj"),
    ] {
        let request = json!({"old_string": old, "new_string": "other"});
        let [(host, after), (model, _)] = at_both_doors(name, &content, &request);
        assert_eq!(host["error_code"], "NOT_UNIQUE", "{host}");
        for answer in [host, model] {
            let note = answer["note"].as_str().unwrap();
            assert!(!note.contains("replace_all"), "{name}: {note}");
        }
        assert_eq!(after, content);
    }
}

/// What is shown of a file as Markdown, the last line of it in brackets.
fn remark_on(here: &Path, name: &str) -> String {
    let mut session = Session::plain(here, "someone", &[]);
    let (shown, failed) = session.text_of("file_read", &json!({"file_path": name}));
    assert!(!failed, "{shown}");
    shown.rsplit_once("\n[").unwrap().1.to_owned()
}

#[test]
fn what_file_edit_sees_of_a_document_is_said_as_it_is() {
    let here = directory();
    for (name, content, old) in [
        ("a.eml", original("eml"), "From"),
        ("a.rtf", original("rtf"), "A heading"),
        ("n.ipynb", NOTEBOOK.as_bytes().to_vec(), "print(x)"),
    ] {
        fs::write(here.path().join(name), &content).unwrap();
        let remark = remark_on(here.path(), name);
        assert!(!remark.contains("does not see"), "{name}: {remark}");
        let request = json!({"old_string": old, "new_string": "other", "replace_all": true});
        let [_, (answer, _)] = at_both_doors(name, &content, &request);
        assert!(
            answer["replacements"].as_u64() > Some(0),
            "{name}: {answer}"
        );
    }
    fs::write(here.path().join("a.docx"), original("docx")).unwrap();
    assert!(remark_on(here.path(), "a.docx").contains("does not see"));
}
