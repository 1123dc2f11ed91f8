//! Errors and notes of file-read, file-write and file-edit, word by word, as `messages.txt` has
//! them; and those of glob and grep for the same paths.
//!
//! `UPDATE_MESSAGES=1 cargo test --test local file::messages` writes the file anew.

#![expect(
    clippy::format_push_string,
    reason = "a text is put together line by line"
)]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{text, tool, tree};

/// Files, and the calls that are made where they lie, each in a directory of its own.
#[derive(Default)]
struct MessageCase {
    title: String,
    files: Vec<(String, String)>,
    calls: Vec<RecordedCall>,
}

struct RecordedCall {
    tool: String,
    request: String,
    message: String,
}

fn data_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/file/messages.txt")
}

fn parse_cases(data: &str) -> Vec<MessageCase> {
    let mut cases: Vec<MessageCase> = Vec::new();
    for line in data.lines() {
        if let Some(title) = line.strip_prefix("=== ") {
            cases.push(MessageCase {
                title: title.to_owned(),
                ..MessageCase::default()
            });
            continue;
        }
        let Some(case) = cases.last_mut() else {
            continue;
        };
        if let Some(answer) = line.strip_prefix("    ") {
            let call = case.calls.last_mut().expect("a call before its message");
            call.message += &format!("{answer}\n");
        } else if let Some((tool, request)) = line.split_once(" {")
            && ["file-read", "file-write", "file-edit", "glob", "grep"].contains(&tool)
        {
            case.calls.push(RecordedCall {
                tool: tool.to_owned(),
                request: format!("{{{request}"),
                message: String::new(),
            });
        } else if let Some((name, content)) = line.split_once(" \"") {
            let content = serde_json::from_str(&format!("\"{content}")).unwrap();
            case.files.push((name.to_owned(), content));
        }
    }
    cases
}

/// The error or the output of a call, and its note, with `<here>` for the directory and U+240D for
/// a carriage return.
fn message_of(case: &MessageCase, call: &RecordedCall) -> String {
    let files: Vec<(&str, &str)> = case
        .files
        .iter()
        .map(|(name, content)| (&**name, &**content))
        .collect();
    let here = tree(&files);
    let place = here.path().canonicalize().unwrap();
    let name = place.file_name().unwrap().to_str().unwrap();
    let request = call
        .request
        .replace("<here>", text(&place))
        .replace("<name>", name);
    let request: Value = serde_json::from_str(&request).unwrap();
    let answer = tool(&call.tool)
        .with(&request)
        .in_directory(&place)
        .env("HOME", &place)
        .run()
        .json();
    let field = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
    let mut message = match answer["error_code"].as_str() {
        Some(code) => format!("{code} {}", field("error")),
        None => field("output"),
    };
    if answer.get("note").is_some() {
        message = format!("{}\n{}", message.trim_end(), field("note"));
    }
    let message = message
        .replace(text(&place), "<here>")
        .replace(name, "<name>");
    format!("{}\n", message.trim_end().replace('\r', "\u{240D}"))
}

#[test]
fn each_message_is_as_it_is_recorded() {
    let data = fs::read_to_string(data_file()).unwrap();
    let write = std::env::var_os("UPDATE_MESSAGES").is_some();
    let (head, _) = data.split_once("=== ").unwrap();
    let (mut recorded, mut wrong) = (head.to_owned(), String::new());
    let cases = parse_cases(&data);
    assert!(cases.len() > 50, "{}", cases.len());
    for case in &cases {
        recorded += &format!("=== {}\n", case.title);
        for (name, content) in &case.files {
            recorded += &format!("{name} {}\n", Value::from(&**content));
        }
        for call in &case.calls {
            let mut message = message_of(case, call);
            // The time for a note goes by while the machine does something else.
            for _ in 0..4 {
                if message != call.message {
                    message = message_of(case, call);
                }
            }
            recorded += &format!("{} {}\n", call.tool, call.request);
            for line in message.lines() {
                recorded += &format!("    {line}\n");
            }
            if message != call.message {
                wrong += &format!(
                    "{}: {} {}\nrecorded: {}got: {message}\n",
                    case.title, call.tool, call.request, call.message
                );
            }
        }
        recorded += "\n";
    }
    if write {
        fs::write(data_file(), recorded.trim_end().to_owned() + "\n").unwrap();
    } else {
        assert!(wrong.is_empty(), "{wrong}");
    }
}

/// The file's own text, as a note quotes it.
fn quoted_text(message: &str) -> Option<&str> {
    let (_, text) = message.strip_suffix("\n```\n")?.split_once(":\n```\n")?;
    Some(text)
}

#[test]
fn the_text_that_a_recorded_note_quotes_can_be_sent() {
    let mut sent = 0;
    for case in parse_cases(&fs::read_to_string(data_file()).unwrap()) {
        for call in &case.calls {
            let message = call.message.replace('\u{240D}', "\r");
            let Some(old) = quoted_text(&message) else {
                continue;
            };
            if message.contains(" times, in ") {
                continue;
            }
            let (name, content) = &case.files[0];
            let here = tree(&[(name, content)]);
            let file = here.path().join(name);
            let request = serde_json::json!({"file_path": text(&file), "old_string": old, "new_string": "<new>"});
            let answer = tool("file-edit").with(&request).run();
            assert_eq!(answer.json()["replacements"], 1, "{}", case.title);
            let edited = fs::read_to_string(&file).unwrap();
            assert_eq!(edited, content.replacen(old, "<new>", 1), "{}", case.title);
            sent += 1;
        }
    }
    assert!(sent > 50, "{sent}");
}
