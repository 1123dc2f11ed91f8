//! The messages of what works on this machine: the calls of each table, made as a host makes them,
//! as a model does (`mcp`) or as a person (`$`, where `it` is this program). Each is made in a
//! directory of its own, `<here>`, that has the files of the title and is the home as well; its name
//! is `<name>`, its path without the slash `<below>`. Before it come its lines of setup: `$` is for
//! the shell, `mcp` an earlier call of the same model, `document` makes a file `r.KIND`. Below the
//! answer stand the files that the call has changed.
//!
//! `UPDATE_MESSAGES=1 cargo test --test local messages::` writes the tables anew.

#![expect(
    clippy::format_push_string,
    reason = "a text is put together line by line"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::command_line::typed::typed_apart;
use crate::common::messages::{Row, answer_here, check, rows, shown, staged_variables};
use crate::common::{BINARY, state_home, text, tool, tree};
use crate::glob::notes::{follow, project};
use crate::mcp::files::documents;
use crate::mcp::session::Session;
use crate::staged;

/// Where the call of a row is made.
struct Place {
    row: Row,
    /// The directory, which goes away with it.
    _directory: tempfile::TempDir,
    path: PathBuf,
    /// The model's server.
    session: Option<Session>,
}

impl Place {
    fn new(row: &Row) -> Self {
        let files = row.files.iter().map(|(name, text)| (&**name, &**text));
        let directory = match &*row.title {
            "project" => project(),
            _ => tree(&files.collect::<Vec<_>>()),
        };
        let path = directory.path().canonicalize().unwrap();
        for kind in row.setup_of("document") {
            let file = path.join(format!("r.{kind}"));
            fs::write(file, documents::original(kind)).unwrap();
        }
        for command in row.setup_of("$") {
            let mut shell = Command::new("sh");
            let done = shell.args(["-c", command]).current_dir(&path).status();
            assert!(done.unwrap().success(), "{command}");
        }
        Self {
            row: row.clone(),
            _directory: directory,
            path,
            session: None,
        }
    }

    /// Whether the call of `row` can be made here as well: calls of both only read.
    fn serves(&self, row: &Row) -> bool {
        let before = &self.row;
        reads(row)
            && (&before.title, &before.files) == (&row.title, &row.files)
            && before.setup == row.setup
    }

    /// A model's call: what it is shown, behind a line that says so if the call has failed.
    fn model_call(&mut self, request: &str) -> String {
        let mut variables = vec![("HOME".to_owned(), text(&self.path).to_owned())];
        let set = self.row.variables();
        variables.extend(set.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let session = self.session.get_or_insert_with(|| {
            let mut session = Session::unprepared_with(&self.path, &[], &variables);
            session.shake_hands_as("someone", "2025-11-25");
            session
        });
        let mut call = |request: &str| {
            let (tool, fields) = request.split_once(' ').unwrap();
            session.result_of(tool, &request_of(fields))
        };
        for before in self.row.setup_of("mcp") {
            call(before);
        }
        let result = call(request);
        let mut shown = String::new();
        if result["isError"] == true {
            shown.push_str("failed\n");
        }
        for part in result["content"].as_array().unwrap() {
            let text = part["text"].as_str().or(part["mimeType"].as_str());
            shown += &format!("{}\n", text.unwrap().trim_end());
        }
        shown
    }
}

/// Whether a call changes nothing, and none was made before it.
fn reads(row: &Row) -> bool {
    let tool = match &*row.tool {
        "mcp" => row.request.split(' ').next().unwrap(),
        tool => tool,
    };
    ["glob", "grep", "file-read", "file_read"].contains(&tool)
        && row.setup_of("mcp").next().is_none()
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

/// A host's call: of a tool that only reads in this process, of the others in one of their own.
fn host_call(row: &Row, here: &Path, request: &Value) -> Value {
    let variables = row.variables();
    let variables = variables.map(|(name, value)| (name, value.replace("<here>", text(here))));
    let mut variables: Vec<_> = variables.collect();
    variables.push(("HOME", text(here).to_owned()));
    if let "glob" | "grep" | "file-read" = &*row.tool {
        let path = std::env::var("PATH").unwrap();
        variables.push(("PATH", path));
        variables.push(("XDG_STATE_HOME", text(&state_home()).to_owned()));
        let all: Vec<_> = variables
            .iter()
            .map(|(name, value)| (*name, &**value))
            .collect();
        return answer_here(&row.tool, request, here, &all);
    }
    let call = tool(&row.tool).with(request).in_directory(here);
    let set = variables.into_iter();
    set.fold(call, |call, (name, value)| call.env(name, value))
        .run()
        .json()
}

/// A person's line, with `it` as this program: the exit code, and what stands on each stream.
fn person_call(here: &Path, line: &str) -> String {
    let (code, out, err) = typed_apart(here, line);
    let mut shown = format!("exit code: {code}\n");
    for (name, text) in [("stdout", out), ("stderr", err)] {
        if !text.is_empty() {
            shown += &format!("{name}: {}\n", text.trim_end());
        }
    }
    shown
}

/// The fields of a host's answer that a table has beside the error; no count is none.
fn fields_of(tool: &str) -> &'static [&'static str] {
    match tool {
        "glob" | "grep" => &["count", "note"],
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

/// The answer to a row, as its table has it, and the files that the call has changed. `last` is
/// where the call before it was made.
fn answer_of(row: &Row, last: &mut Option<Place>, claims: &mut usize) -> String {
    let place = match last.take_if(|last| last.serves(row)) {
        Some(place) => last.insert(place),
        None => last.insert(Place::new(row)),
    };
    let here = place.path.clone();
    let request = written_out(row, &here);
    let before = (!reads(row)).then(|| files_in(&here));
    let mut quoted = None;
    let mut answer = match &*row.tool {
        "mcp" => place.model_call(&request),
        "$" => person_call(&here, &request),
        tool => {
            let request = request_of(&request);
            let mut answer = host_call(row, &here, &request);
            let note = answer["note"].as_str().unwrap_or_default();
            if let "glob" | "grep" = tool {
                assert!(note.len() < 500 && !note.contains("  "), "{note}");
                let call = |tool: &str, request: &Value| {
                    let row = Row {
                        tool: tool.to_owned(),
                        ..row.clone()
                    };
                    host_call(&row, &here, request)
                };
                *claims += follow(&here, tool, &request, note, |asked| call("glob", asked));
                search_again(&request, note, |asked| call("grep", asked));
            } else if let Some(path) = path_to_send(note)
                && tool == "file-read"
            {
                path_is_there(row, &here, note, &path);
                *claims += 1;
            }
            if let Some(text) = quoted_text(note)
                && tool == "file-edit"
            {
                quoted = Some(text.to_owned());
            }
            let output = answer["output"].as_str().unwrap_or_default();
            if let Some((cut, _)) = output.char_indices().nth(200) {
                answer["output"] = format!("{}…", &output[..cut]).into();
            }
            if answer["count"] == 0 {
                answer["count"] = Value::Null;
            }
            shown(&answer, fields_of(tool), &[])
        }
    };
    if let Some(before) = before {
        answer += &changes(&before, &files_in(&here));
        if let Some(text) = quoted {
            text_can_be_sent(row, &here, &text);
            *claims += 1;
        }
        *last = None;
    }
    answer = answer.replace(BINARY, "ikigai-tools");
    answer = answer.replace(text(&here), "<here>");
    answer = answer.replace(&text(&here)[1..], "<below>");
    answer = answer.replace(here.file_name().unwrap().to_str().unwrap(), "<name>");
    // Control characters, by their pictures.
    let shown = |char: char| match char {
        '\0'..='\x1f' if !"\n\t".contains(char) => {
            char::from_u32(0x2400 + u32::from(char)).unwrap()
        }
        char => char,
    };
    answer.chars().map(shown).collect()
}

/// Pattern and path of what a note says to send in place of a regular expression: it matches.
fn search_again(request: &Value, note: &str, grep: impl Fn(&Value) -> Value) {
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
    assert!(grep(&again)["count"].as_u64() > Some(0), "{note}");
}

/// A test for each table, in which so many notes at least lead on, and are followed.
macro_rules! tables {
    ($($table:ident $claims:literal)*) => {$(
        #[test]
        fn $table() {
            let table = stringify!($table);
            staged::alone(&format!("messages::{table}"), staged_variables(), |_| {
                let (mut last, mut claims) = (None, 0);
                check(table, |row| answer_of(row, &mut last, &mut claims));
                assert!(($claims..).contains(&claims), "{claims}");
            });
        }
    )*};
}

tables! { bash 0 command_line 0 file_edit 50 file_read 20 file_write 0 glob 5 grep 40 }

/// The file's own text, as a note quotes it.
fn quoted_text(note: &str) -> Option<&str> {
    let (_, text) = note.strip_suffix("\n```")?.split_once(":\n```\n")?;
    (!note.contains(" times, in ")).then_some(text)
}

/// Asserts that the text which a note quotes is replaced where it is sent.
fn text_can_be_sent(row: &Row, here: &Path, old: &str) {
    let (name, content) = &row.files[0];
    let request = json!({"file_path": name, "old_string": old, "new_string": "<new>"});
    assert_eq!(host_call(row, here, &request)["replacements"], 1, "{old}");
    let edited = fs::read_to_string(here.join(name)).unwrap();
    assert_eq!(edited, content.replacen(old, "<new>", 1), "{old}");
}

/// Asserts that the path which a note says to send leads to a file, and that an edit is told the
/// same.
fn path_is_there(row: &Row, here: &Path, note: &str, path: &str) {
    let answer = host_call(row, here, &json!({"file_path": path}));
    let is_missing = note.contains("does not exist either");
    assert_eq!(
        answer.get("error").is_some(),
        is_missing,
        "{note}: {answer}"
    );
    let mut request = request_of(&written_out(row, here));
    request["old_string"] = "two".into();
    request["new_string"] = "2".into();
    let edit = Row {
        tool: "file-edit".into(),
        ..row.clone()
    };
    let answer = host_call(&edit, here, &request);
    let note = answer["note"].as_str().unwrap_or_default();
    assert_eq!(path_to_send(note).as_deref(), Some(path), "{answer}");
}

/// The first path that a note says to send.
fn path_to_send(note: &str) -> Option<String> {
    let path = note.split_once("send \"")?.1;
    let texts = serde_json::Deserializer::from_str(&note[note.len() - path.len() - 1..]);
    texts.into_iter().next()?.ok()
}

#[test]
fn each_text_of_a_table_is_asserted_by_a_test() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let (all, tables) = (files_in(&tests), files_in(&tests.join("messages")));
    let is_source = |name: &str| Path::new(name).extension().is_some_and(|kind| kind == "rs");
    let sources = all.iter().filter(|(name, _)| is_source(name));
    let sources: Vec<&String> = sources.map(|(_, text)| text).collect();
    let mut count = 0;
    for table in tables.keys().filter_map(|name| name.strip_suffix(".txt")) {
        for row in rows(table).iter().filter(|row| row.tool == "text") {
            let name = format!("{:?}", row.request);
            assert!(
                sources.iter().any(|text| text.contains(&name)),
                "{table}: {name}"
            );
            assert!(!row.answer.is_empty(), "{table}: {name}");
            count += 1;
        }
    }
    assert!(count > 200, "{count}");
}
