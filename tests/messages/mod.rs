//! The messages of what works on this machine: the calls of each table, made as a host makes them,
//! as a model does (`mcp`) or as a person (`$`), each in a directory of its own, `<here>`, that has
//! the files of the title and is the home as well; `<below>` is its path without the slash. Before a call come its lines of setup: `$` is
//! for the shell, `mcp` an earlier call of the same model, `document` a file `r.KIND`.
//!
//! `UPDATE_MESSAGES=1 cargo test --test local messages::` writes the tables anew.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::command_line::typed::typed;
use crate::common::messages::{Row, check, rows, shown};
use crate::common::{BINARY, text, tool, tree};
use crate::glob::notes::{follow, project};
use crate::mcp::files::documents;
use crate::mcp::session::Session;

/// The directory in which the call of a row is made.
fn place_of(row: &Row) -> tempfile::TempDir {
    let files = row.files.iter().map(|(name, text)| (&**name, &**text));
    let here = match &*row.title {
        "project" => project(),
        _ => tree(&files.collect::<Vec<_>>()),
    };
    for kind in row.setup_of("document") {
        let file = here.path().join(format!("r.{kind}"));
        fs::write(file, documents::original(kind)).unwrap();
    }
    for command in row.setup_of("$") {
        let mut shell = Command::new("sh");
        let done = shell.args(["-c", command]).current_dir(here.path());
        let done = done.status().unwrap();
        assert!(done.success(), "{command}");
    }
    here
}

fn request_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The request of a row that is made at `place`.
fn written_out(row: &Row, place: &Path) -> String {
    let name = place.file_name().unwrap().to_str().unwrap();
    let request = row.request.replace("<here>", text(place));
    let request = request.replace("<below>", &text(place)[1..]);
    request.replace("<name>", name)
}

/// A host's call.
fn host_call(row: &Row, here: &Path, request: &Value) -> Value {
    let mut call = tool(&row.tool).with(request).in_directory(here);
    for (name, value) in row.variables() {
        call = call.env(name, value.replace("<here>", text(here)));
    }
    call.env("HOME", here).run().json()
}

/// A model's call: what it is shown, behind a line that says so if the call has failed.
fn model_call(row: &Row, here: &Path, request: &str) -> String {
    let mut variables = vec![("HOME".to_owned(), text(here).to_owned())];
    let set = row.variables();
    variables.extend(set.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let mut session = Session::unprepared_with(here, &[], &variables);
    session.shake_hands_as("someone", "2025-11-25");
    let mut answer = Default::default();
    for call in row.setup_of("mcp").chain([request]) {
        let (tool, fields) = call
            .replace("<here>", text(here))
            .split_once(' ')
            .map(|(tool, fields)| (tool.to_owned(), request_of(fields)))
            .unwrap();
        answer = session.text_of(&tool, &fields);
    }
    let (text, failed) = answer;
    let text = text.trim_end();
    if failed {
        format!("failed\n{text}\n")
    } else {
        format!("{text}\n")
    }
}

/// A person's line, with `it` as this program: the exit code, and what stands on both streams.
fn person_call(here: &Path, line: &str) -> String {
    let (code, said) = typed(here, line);
    format!("exit code: {code}\n{}\n", said.trim_end())
}

/// The fields of a host's answer that a table has beside the error.
fn fields_of(tool: &str) -> &'static [&'static str] {
    match tool {
        "glob" | "grep" => &["note"],
        "bash" => &["output", "exit_code", "note"],
        _ => &["output", "note"],
    }
}

/// The files below a directory, and what is in them; and the directories that are empty.
fn files_in(here: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut directories = vec![here.to_owned()];
    while let Some(directory) = directories.pop() {
        let name = |path: &Path| text(path.strip_prefix(here).unwrap()).to_owned();
        let mut entries = fs::read_dir(&directory).unwrap().peekable();
        if entries.peek().is_none() && directory != here {
            files.insert(name(&directory) + "/", String::new());
        }
        for entry in entries {
            let path = entry.unwrap().path();
            let status = fs::symlink_metadata(&path).unwrap();
            if status.is_dir() {
                directories.push(path);
            } else if status.is_file() {
                let content = fs::read(&path).unwrap_or_default();
                files.insert(name(&path), String::from_utf8_lossy(&content).into_owned());
            }
        }
    }
    files
}

/// The files that a call has made, changed or removed.
fn changes(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> String {
    let mut changes = String::new();
    for (name, content) in after {
        if before.get(name) != Some(content) {
            let content: String = content.chars().take(300).collect();
            changes += &format!("{name} is now {}\n", Value::from(content));
        }
    }
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        changes += &format!("{name} is gone\n");
    }
    changes
}

/// The answer to a row, as its table has it, and the files that the call has changed. Where the call only reads what the one before it has
/// read, it is made in the same directory, `last`.
fn answer_of(row: &Row, last: &mut Option<(Row, tempfile::TempDir)>, claims: &mut usize) -> String {
    let called = match &*row.tool {
        "mcp" => row.request.split(' ').next().unwrap(),
        tool => tool,
    };
    let reads = ["glob", "grep", "file-read", "file_read"].contains(&called);
    let shared = reads && row.setup.is_empty();
    let alike = |(before, _): &(Row, _)| before.title == row.title && before.files == row.files;
    let here = match last.take_if(|last| shared && alike(&*last)) {
        Some((_, here)) => here,
        None => place_of(row),
    };
    let place = here.path().canonicalize().unwrap();
    let name = place.file_name().unwrap().to_str().unwrap();
    let request = written_out(row, &place);
    let before = (!shared).then(|| files_in(&place));
    let mut answer = match &*row.tool {
        "mcp" => model_call(row, &place, &request),
        "$" => person_call(&place, &request),
        tool => {
            let request = request_of(&request);
            let mut answer = host_call(row, &place, &request);
            let note = answer["note"].as_str().unwrap_or_default();
            if let "glob" | "grep" = tool {
                assert!(note.len() < 500 && !note.contains("  "), "{note}");
                *claims += follow(&place, tool, &request, note);
                search_again(&place, &request, note);
            }
            let output = answer["output"].as_str().unwrap_or_default();
            if let Some((cut, _)) = output.char_indices().nth(200) {
                answer["output"] = format!("{}…", &output[..cut]).into();
            }
            shown(&answer, fields_of(tool), &[])
        }
    };
    if let Some(before) = before {
        answer += &changes(&before, &files_in(&place));
    }
    let answer = answer
        .replace(BINARY, "ikigai-tools")
        .replace(text(&place), "<here>")
        .replace(&text(&place)[1..], "<below>");
    let answer = answer.replace(name, "<name>");
    // Control characters, by their pictures.
    let shown = |char: char| match char {
        '\0'..='\x1f' if !"\n\t".contains(char) => {
            char::from_u32(0x2400 + u32::from(char)).unwrap()
        }
        char => char,
    };
    let answer: String = answer.chars().map(shown).collect();
    *last = shared.then(|| (row.clone(), here));
    answer
}

/// Pattern and path of what a note says to send in place of a regular expression: it matches.
fn search_again(here: &Path, request: &Value, note: &str) {
    let Some((_, rest)) = note.split_once("the pattern matches: send ") else {
        return;
    };
    let mut again = request.clone();
    if rest.starts_with("\"ignore_case\":true") {
        again["ignore_case"] = true.into();
    } else {
        let sent = rest[1..].rsplit_once('`').unwrap().0;
        let sent = sent.split_once("`, in JSON ").map_or(sent, |both| both.0);
        again["pattern"] = sent.into();
    }
    let answer = tool("grep").with(&again).in_directory(here).run();
    assert!(answer.json()["count"].as_u64() > Some(0), "{note}");
}

macro_rules! tables {
    ($($table:ident)*) => {$(
        #[test]
        fn $table() {
            let (mut last, mut claims) = (None, 0);
            check(stringify!($table), |row| answer_of(row, &mut last, &mut claims));
            assert!(claims > 40 || stringify!($table) != "grep", "{claims}");
        }
    )*};
}

tables! { bash file_edit file_read file_write glob grep }

/// The file's own text, as a note quotes it.
fn quoted_text(note: &str) -> Option<&str> {
    let (_, text) = note.strip_suffix("\n```")?.split_once(":\n```\n")?;
    (!note.contains(" times, in ")).then_some(text)
}

#[test]
fn the_text_that_a_note_quotes_can_be_sent() {
    let mut sent = 0;
    for row in rows("file_edit")
        .iter()
        .filter(|row| row.tool == "file-edit")
    {
        let here = place_of(row);
        let answer = host_call(row, here.path(), &request_of(&row.request));
        let Some(old) = answer["note"].as_str().and_then(quoted_text) else {
            continue;
        };
        let (name, content) = &row.files[0];
        let request = json!({"file_path": name, "old_string": old, "new_string": "<new>"});
        let answer = host_call(row, here.path(), &request);
        assert_eq!(answer["replacements"], 1, "{}", row.title);
        let edited = fs::read_to_string(here.path().join(name)).unwrap();
        assert_eq!(edited, content.replacen(old, "<new>", 1), "{}", row.title);
        sent += 1;
    }
    assert!(sent > 50, "{sent}");
}

#[test]
fn the_path_that_a_note_says_to_send_is_there() {
    let mut sent = 0;
    for row in rows("file_read")
        .iter()
        .filter(|row| row.tool == "file-read")
    {
        let here = place_of(row);
        let place = here.path().canonicalize().unwrap();
        let mut request = request_of(&written_out(row, &place));
        let answer = host_call(row, &place, &request);
        let note = answer["note"].as_str().unwrap_or_default();
        let Some(meant) = path_to_send(note) else {
            continue;
        };
        let answer = host_call(row, &place, &json!({"file_path": meant}));
        let is_missing = note.contains("does not exist either");
        assert_eq!(
            answer.get("error").is_some(),
            is_missing,
            "{note}: {answer}"
        );
        // An edit is told the same.
        request["old_string"] = "two".into();
        request["new_string"] = "2".into();
        let edit = Row {
            tool: "file-edit".into(),
            ..row.clone()
        };
        let answer = host_call(&edit, &place, &request);
        let note = answer["note"].as_str().unwrap_or_default();
        assert_eq!(path_to_send(note).as_ref(), Some(&meant), "{answer}");
        sent += 1;
    }
    assert!(sent > 20, "{sent}");
}

/// The first path that a note says to send.
fn path_to_send(note: &str) -> Option<String> {
    let path = note.split_once("send \"")?.1;
    let texts = serde_json::Deserializer::from_str(&note[note.len() - path.len() - 1..]);
    texts.into_iter().next()?.ok()
}
