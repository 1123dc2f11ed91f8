//! What a model is shown of files that are no text, and of edits that find nothing.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::process::Command;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::Crc;
use flate2::write::{GzEncoder, ZlibEncoder};
use serde_json::{Value, json};

use super::session::Session;
use crate::common::messages::TextRow;
use crate::common::{self, BINARY, directory, text};
use crate::grep::documents::write_files_read_in_part;

#[path = "../../benches/documents/src/mutants.rs"]
#[allow(
    dead_code,
    reason = "the files alone are used, and not what chance makes of them"
)]
pub mod documents;

fn png_chunk(kind: &[u8], data: &[u8]) -> Vec<u8> {
    let mut sum = Crc::new();
    sum.update(kind);
    sum.update(data);
    let length = u32::try_from(data.len()).unwrap().to_be_bytes();
    [&length[..], kind, data, &sum.sum().to_be_bytes()].concat()
}

/// A grey image of this size, with so many bytes more that mean nothing.
fn png(width: u32, height: u32, more: usize) -> Vec<u8> {
    let mut pixels = ZlibEncoder::new(Vec::new(), Compression::fast());
    let row = vec![0; width as usize + 1];
    for _ in 0..height {
        pixels.write_all(&row).unwrap();
    }
    let head = [
        &width.to_be_bytes()[..],
        &height.to_be_bytes(),
        b"\x08\0\0\0\0",
    ]
    .concat();
    [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        png_chunk(b"IHDR", &head),
        png_chunk(b"tEXt", &vec![b'x'; more]),
        png_chunk(b"IDAT", &pixels.finish().unwrap()),
        png_chunk(b"IEND", b""),
    ]
    .concat()
}

#[test]
fn an_image_is_shown_as_one() {
    let here = directory();
    let image = png(640, 480, 0);
    fs::write(here.path().join("a.png"), &image).unwrap();
    let mut session = Session::plain(here.path(), "someone", &[]);
    for request in [
        json!({"file_path": "a.png"}),
        json!({"file_path": "a.png", "limit": 1}),
    ] {
        let content = session.result_of("file_read", &request)["content"].clone();
        assert_eq!(content[0]["type"], "image");
        assert_eq!(content[0]["mimeType"], "image/png");
        let data = BASE64_STANDARD.decode(content[0]["data"].as_str().unwrap());
        assert_eq!(data.unwrap(), image);
    }
}

#[test]
fn an_image_within_the_roots_is_shown_and_one_outside_is_not() {
    let (here, elsewhere) = (directory(), directory());
    fs::write(here.path().join("a.png"), png(1, 1, 0)).unwrap();
    fs::write(elsewhere.path().join("b.png"), png(1, 1, 0)).unwrap();
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
    let image = png(640, 480, 0);
    fs::write(here.path().join("a.png"), &image).unwrap();
    let mut session = Session::start_in(here.path(), &[]);
    session.shake_hands("2025-11-25");
    let result = session.result_of("file_read", &json!({"file_path": "a.png"}));
    let object = &result["structuredContent"];
    assert_eq!(object["output"], String::from_utf8_lossy(&image).as_ref());
    assert!(object["note"].is_string(), "{object}");
}

/// What a model is shown of `file_path`, and no image.
fn words(session: &mut Session, request: &Value) -> String {
    let content = session.result_of("file_read", request)["content"].clone();
    assert_eq!(content.as_array().map(Vec::len), Some(1), "{content}");
    content[0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn a_client_that_makes_text_of_images_is_sent_words() {
    let here = directory();
    let (small, large) = (png(10, 10, 1_400_000), png(10, 10, 1_600_000));
    fs::write(here.path().join("small.png"), small).unwrap();
    fs::write(here.path().join("large.png"), large).unwrap();
    for (client, shows_small, shows_large) in [
        ("claude-code", true, true),
        ("someone", true, false),
        ("Cline", false, false),
        ("ai-sdk-mcp-client", false, false),
    ] {
        let mut session = Session::plain(here.path(), client, &[]);
        for (name, is_shown) in [("small.png", shows_small), ("large.png", shows_large)] {
            let request = json!({"file_path": name});
            if is_shown {
                let shown = session.result_of("file_read", &request);
                assert_eq!(shown["content"][0]["type"], "image", "{client}: {name}");
                continue;
            }
            let said = words(&mut session, &request);
            let why = if client == "someone" {
                "an image that is too large for a client"
            } else {
                "an image for a client that makes text of it"
            };
            said.assert_row_at("file_read", why, &[(name, "<name>")]);
        }
    }
}

#[test]
fn an_image_that_whoever_is_sent_it_would_refuse_is_told_in_words() {
    let here = directory();
    let mut session = Session::plain(here.path(), "claude-code", &[]);
    let whole = png(1999, 10, 0);
    let page = [&whole[..33], b"<!DOCTYPE html><html></html>"].concat();
    let cut = Some("an image that is cut off");
    for (name, bytes, said) in [
        ("most.png", png(10, 10, 3_899_900), None),
        ("wide.png", whole.clone(), None),
        (
            "heavy.png",
            png(10, 10, 4_900_000),
            Some("an image of many bytes"),
        ),
        (
            "wider.png",
            png(2000, 10, 0),
            Some("an image that is too wide"),
        ),
        (
            "high.png",
            png(10, 9000, 0),
            Some("an image that is too high"),
        ),
        ("cut.png", whole[..whole.len() - 5].to_vec(), cut),
        ("page.png", page, cut),
        ("head.png", b"\x89PNG\r\n\x1a\n\0\0".to_vec(), cut),
        ("cut.jpg", b"\xFF\xD8\xFF\xE0\0\x10JFIF\0".to_vec(), cut),
        ("cut.gif", b"GIF89a\x01\0\x01\0\x80\0\0\xFF".to_vec(), cut),
    ] {
        fs::write(here.path().join(name), bytes).unwrap();
        let request = json!({"file_path": name});
        if let Some(said) = said {
            words(&mut session, &request).assert_row("file_read", said);
        } else {
            let shown = session.result_of("file_read", &request);
            assert_eq!(shown["content"][0]["type"], "image", "{name}");
        }
    }
}

#[test]
fn the_command_for_a_large_image_makes_one_that_is_shown() {
    let here = directory();
    // Which program there is does not matter: this one makes what it is asked for.
    let programs = here.path().join("bin");
    fs::create_dir(&programs).unwrap();
    let small = here.path().join("bin/small.png");
    fs::write(&small, png(1568, 8, 0)).unwrap();
    let script = "#!/bin/sh\necho \"$@\" >asked\ncat >sent\ncat bin/small.png\n";
    fs::write(programs.join("magick"), script).unwrap();
    assert!(
        Command::new("chmod")
            .args(["755", text(&programs.join("magick"))])
            .status()
            .unwrap()
            .success()
    );
    let path = format!("{}:{}", text(&programs), std::env::var("PATH").unwrap());
    let variables = [("PATH".to_owned(), path.clone())];
    let mut session = Session::unprepared_with(here.path(), &[], &variables);
    session.shake_hands_as("someone", "2025-11-25");
    let large = png(9000, 9, 0);
    for name in ["large.png", "-it's $(a) large.png"] {
        fs::write(here.path().join(name), &large).unwrap();
        let shown = words(&mut session, &json!({"file_path": name}));
        let command = shown.split('`').nth(1).unwrap();
        let ran = Command::new("sh")
            .args(["-c", command])
            .env("PATH", &path)
            .current_dir(here.path())
            .status();
        assert!(ran.unwrap().success(), "{command}");
        let asked = fs::read_to_string(here.path().join("asked")).unwrap();
        assert!(asked.starts_with("- -resize 1568x1568> "), "{asked}");
        assert_eq!(fs::read(here.path().join("sent")).unwrap(), large);
        let copy = name.replace(".png", "-scaled.jpg");
        let shown = session.result_of("file_read", &json!({"file_path": copy}));
        assert_eq!(shown["content"][0]["type"], "image", "{shown}");
    }
}

#[test]
fn a_name_with_control_characters_is_reached_by_the_spelling_that_is_shown() {
    let here = directory();
    fs::write(here.path().join("n\u{1b}m.txt"), "word\n").unwrap();
    fs::write(here.path().join("two\nlines"), "word\n").unwrap();
    let mut session = Session::plain(here.path(), "someone", &[]);
    let shown = words(&mut session, &json!({"file_path": "."}));
    assert_eq!(shown, "n\\x1bm.txt (5 bytes)\ntwo\\x0alines (5 bytes)\n");
    let (listed, _) = session.text_of("glob", &json!({"pattern": "n*"}));
    assert!(listed.starts_with("n\\x1bm.txt\n"), "{listed}");
    for name in ["n\\x1bm.txt", "two\\x0alines"] {
        assert_eq!(words(&mut session, &json!({"file_path": name})), "word\n");
        let (found, _) = session.text_of("grep", &json!({"pattern": "wor", "path": name}));
        assert!(found.starts_with("1: word"), "{found}");
        let write = json!({"file_path": name, "content": "word\n"});
        let (written, failed) = session.text_of("file_write", &write);
        assert!(!failed, "{written}");
    }
    let (found, _) = session.text_of("glob", &json!({"pattern": "*\\x1bm.txt"}));
    assert!(found.starts_with("n\\x1bm.txt\n"), "{found}");
    assert_eq!(fs::read_dir(here.path()).unwrap().count(), 2);
}

#[test]
fn a_directory_of_many_names_is_shown_a_part_at_a_time() {
    let here = directory();
    let names = (0..9000).map(|number| format!("{number:04}"));
    common::add_names(here.path(), names);
    let mut session = Session::plain(here.path(), "claude-code", &[]);
    let first = words(&mut session, &json!({"file_path": "."}));
    assert!(first.starts_with("0000 (0 bytes)\n") && first.contains("\n0999 (0 bytes)\n"));
    assert!(
        first.ends_with("[The directory has 9,000 entries. lines 1–1000; go on with offset 1001]"),
        "{}",
        &first[first.len() - 99..]
    );
    for (request, begin, end) in [
        (json!({"file_path": ".", "offset": 8500}), "8499 ", "8999 "),
        (
            json!({"file_path": ".", "offset": 5001, "limit": 3}),
            "5000 ",
            "5002 ",
        ),
        (
            json!({"file_path": ".", "offset": -8000, "limit": 2}),
            "1000 ",
            "1001 ",
        ),
        (json!({"file_path": ".", "offset": -1}), "8999 ", "8999 "),
    ] {
        let shown = words(&mut session, &request);
        let lines: Vec<&str> = shown
            .lines()
            .filter(|line| !line.starts_with('['))
            .collect();
        assert!(lines[0].starts_with(begin), "{request}: {}", lines[0]);
        assert!(lines[lines.len() - 1].starts_with(end), "{request}");
    }
}

#[test]
fn a_directory_within_the_roots_is_listed_and_none_outside() {
    let (here, elsewhere) = (directory(), directory());
    fs::write(here.path().join("own"), "").unwrap();
    fs::write(elsewhere.path().join("secret"), "").unwrap();
    symlink(elsewhere.path(), here.path().join("way")).unwrap();
    let root = here.path().to_str().unwrap();
    let mut session = Session::plain(here.path(), "someone", &["--root", root]);
    let shown = session.text_of("file_read", &json!({"file_path": "."}));
    let way = format!("own (0 bytes)\nway -> {}\n", text(elsewhere.path()));
    assert_eq!(shown, (way, false));
    // Kept outputs are read by their names alone.
    let outputs = common::state_home().join("ikigai-tools/output");
    let mut private = fs::DirBuilder::new();
    private
        .recursive(true)
        .mode(0o700)
        .create(&outputs)
        .unwrap();
    fs::write(outputs.join("secret"), "").unwrap();
    for path in ["way", "way/.", "..", text(elsewhere.path()), text(&outputs)] {
        let (shown, failed) = session.text_of("file_read", &json!({"file_path": path}));
        assert!(failed && !shown.contains("secret"), "{path}: {shown}");
    }
}

#[test]
fn no_total_is_named_of_a_file_that_was_read_in_part() {
    let here = directory();
    write_files_read_in_part(here.path());
    let mut session = Session::plain(here.path(), "someone", &[]);
    for (path, what, cut) in [
        ("n.eml", "document", "Cut off: there are too many elements"),
        ("n.gz", "file", "Cut off: only the first 10 MiB were read."),
        (
            "torn.gz",
            "file",
            "Cut off: the rest of the gzip file is damaged",
        ),
    ] {
        let mut read = |fields: Value| {
            let mut fields = fields;
            fields["file_path"] = path.into();
            session.text_of("file_read", &fields).0
        };
        let end = format!("The {what} was not read to its end: ");
        let past = read(json!({"offset": 9_000_000}));
        let placeholders = [(what, "<kind>"), (cut, "<cut>")];
        past.assert_row_at("mcp", "an offset behind what was read", &placeholders);
        let last = read(json!({"offset": -1}));
        assert!(last.starts_with("0123"), "{last}");
        assert!(last.contains(&end) && last.contains(cut), "{last}");
        let first = read(json!({"limit": 3}));
        assert!(!first.contains(&end) && !first.contains(cut), "{first}");
    }
    for (args, code) in [(&["--offset=-1"][..], 1), (&["--limit=3"], 0)] {
        let mut command = Command::new(BINARY);
        let command = command.current_dir(here.path()).arg("file-read").args(args);
        let output = command.arg("n.eml").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert_eq!(said.is_empty(), code == 0, "{said}");
    }
}

#[test]
fn packed_text_is_shown_unpacked_and_what_is_named_as_mail_as_mail() {
    let here = directory();
    let mut session = Session::plain(here.path(), "someone", &[]);
    let gzip = |bytes: &[u8]| {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    };
    let archive = [&[b'a'; 100][..], &[0; 157], b"ustar\x0000", &[0; 512]].concat();
    for (name, bytes, request, shown) in [
        (
            "changelog.gz",
            gzip(b"one\ntwo\nthree\n"),
            json!({"offset": 2, "limit": 1}),
            "two\n[gzip file, shown unpacked",
        ),
        (
            "a.tgz",
            gzip(&archive),
            json!({}),
            "binary file: tar archive, packed with gzip, ",
        ),
        (
            "torn.gz",
            gzip(b"words")[..12].to_vec(),
            json!({}),
            "binary file: gzip archive",
        ),
        (
            "page.docx.gz",
            gzip(&documents::original("docx")),
            json!({}),
            "A heading",
        ),
        (
            "note.eml",
            b"Subject: x\n\nWords".to_vec(),
            json!({}),
            "# x\n\nWords\n[EML file",
        ),
        (
            "note.txt",
            b"Subject: x\n\nWords".to_vec(),
            json!({}),
            "Subject: x\n\nWords",
        ),
    ] {
        fs::write(here.path().join(name), bytes).unwrap();
        let mut request = request;
        request["file_path"] = name.into();
        let words = words(&mut session, &request);
        assert!(words.contains(shown), "{name}: {words}");
    }
}

#[test]
fn documents_are_shown_as_markdown_and_paged_by_lines() {
    let here = directory();
    let mut session = Session::plain(here.path(), "someone", &[]);
    for (kind, has) in [
        ("pdf", "A heading"),
        ("docx", "A heading"),
        ("pptx", "A title"),
        ("xlsx", "one"),
        ("xlsb", "one"),
        ("xls", "one"),
        ("epub", "A chapter"),
        ("ipynb", "```python\nprint(1)\n```"),
        ("odt", "# A heading"),
        ("odp", "## A title"),
        ("ods", "| 2024-01-31 | 2024-01-31 |"),
        ("rtf", "# A heading"),
        ("eml", "**Attachments:** a b.pdf"),
        ("msg", "**Attachments:** a.pdf"),
        ("zip", "docs/a.html (5 bytes)"),
    ] {
        // The name says nothing of the kind.
        let file = here.path().join(format!("{kind}.bin"));
        fs::write(&file, documents::original(kind)).unwrap();
        let whole = words(&mut session, &json!({"file_path": text(&file)}));
        let (whole, note) = whole.rsplit_once('\n').unwrap();
        assert!(whole.contains(has), "{kind}: {whole}");
        let label = kind.to_uppercase();
        let edit = match kind {
            "ipynb" => "takes the file's JSON",
            "rtf" | "eml" => "takes the text that is in the file",
            _ => "does not see this text.",
        };
        let words_for = format!("[{label} file, shown as Markdown: file_edit {edit}");
        assert!(note.starts_with(&words_for), "{note}");
        let lines: Vec<&str> = whole.lines().collect();
        for (request, part) in [
            (json!({"offset": 2, "limit": 2}), &lines[1..3]),
            (json!({"offset": -2}), &lines[lines.len() - 2..]),
            (
                json!({"offset": -3, "limit": 1}),
                &lines[lines.len() - 3..][..1],
            ),
        ] {
            let mut request = request;
            request["file_path"] = text(&file).into();
            let shown = words(&mut session, &request);
            let (shown, _) = shown.rsplit_once('\n').unwrap();
            assert_eq!(shown, part.join("\n"), "{kind}: {request}");
        }
        let behind = words(
            &mut session,
            &json!({"file_path": text(&file), "offset": 9999}),
        );
        behind.assert_row("mcp", "an offset behind a document");
    }
}

#[test]
fn a_person_and_a_program_get_documents_too_and_a_host_the_bytes() {
    let here = directory();
    let file = here.path().join("a.docx");
    fs::write(&file, documents::original("docx")).unwrap();
    let (code, shown, _) = common::piped(here.path(), &["file-read", "a.docx"]);
    assert_eq!(code, 0);
    assert!(shown.starts_with("# A heading\n"), "{shown}");
    let mut session = Session::start_in(here.path(), &[]);
    session.shake_hands("2025-11-25");
    let result = session.result_of("file_read", &json!({"file_path": "a.docx", "limit": 1}));
    assert_eq!(result["structuredContent"]["output"], "# A heading\n");
    let host = common::tool("file-read")
        .with(&json!({"file_path": text(&file)}))
        .run();
    assert!(host.field("output").starts_with("PK\u{3}\u{4}"));
}

#[test]
fn a_damaged_document_is_refused_and_text_that_mentions_one_is_text() {
    let here = directory();
    let mut session = Session::plain(here.path(), "someone", &[]);
    let docx = documents::original("docx");
    let at = memchr::memmem::rfind(&docx, b"word/document.xml").unwrap();
    let mut damaged = docx.clone();
    damaged[at..at + 4].copy_from_slice(b"gone");
    for (name, bytes) in [
        ("a.pdf", b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\nnothing".to_vec()),
        ("a.docx", damaged),
        ("b.docx", b"PK\x03\x04\0\0nothing\0\0".to_vec()),
    ] {
        fs::write(here.path().join(name), bytes).unwrap();
        let (shown, failed) = session.text_of("file_read", &json!({"file_path": name}));
        assert!(failed, "{name}: {shown}");
        assert!(
            shown.starts_with(&format!("Failed to read file: {name} (")),
            "{shown}"
        );
    }
    for text in [
        "pub const PDF: &[u8] = b\"%PDF-\";\n",
        "%PDF-1.7 is how they begin\n",
        "{\"nbformat\": 4, \"cells\": 1}\n",
        "{\"nbformat\": 4, \"cells\": []}\n",
        "PK and more\n",
        "From: the beginning\nSubject: to the end\n\nis no mail\n",
        "rtf files begin with {\\rtf1\n",
    ] {
        fs::write(here.path().join("text"), text).unwrap();
        let shown = session.text_of("file_read", &json!({"file_path": "text"}));
        assert_eq!(shown, (text.to_owned(), false));
    }
}

#[test]
fn following_the_note_of_a_long_document_gives_the_whole() {
    let here = directory();
    let cell = |number: usize| json!({"cell_type": "markdown", "source": format!("line {number}\n").repeat(400)});
    let cells: Vec<Value> = (0..40).map(cell).collect();
    let notebook = json!({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5});
    fs::write(here.path().join("a.ipynb"), notebook.to_string()).unwrap();
    let mut session = Session::plain(here.path(), "claude-code", &[]);
    let (mut whole, mut offset) = (String::new(), 1_usize);
    for _ in 0..20 {
        let shown = words(
            &mut session,
            &json!({"file_path": "a.ipynb", "offset": offset}),
        );
        let (part, note) = shown.rsplit_once('\n').unwrap();
        whole = whole + part + "\n";
        match note.split_once("go on with offset ") {
            Some((_, next)) => offset = next.trim_end_matches(']').parse().unwrap(),
            None => break,
        }
    }
    assert_eq!(whole.matches("line ").count(), 16_000);
    assert_eq!(whole.matches("[cell ").count(), 40);
    assert!(offset > 10_000, "{offset}");
}
