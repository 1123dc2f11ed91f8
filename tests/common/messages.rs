//! Tables of messages: `tests/messages/TOOL.txt` has calls of a tool, and below each of them the
//! error, the note and the fields that answer it, word for word. A sentence stands there alone;
//! other tests ask for codes, numbers and paths.
//!
//! ```text
//! # A comment.
//! === what the calls below have in common
//! file a/file.txt "its content, as a JSON string\n"
//! file-read {"file_path":"a/file.tx"}
//!   env NAME=VALUE of this call alone (below the title: of all), or what else its test reads
//!   < 404 Not Found, a line of what the server answers this call
//!     FILE_NOT_FOUND: File not found: a/file.tx
//!     note: Did you mean "a/file.txt"?
//! ```
//!
//! A row `text NAME` is what a process prints that some test starts for another reason: that test
//! asserts it (`TextRow`).
//!
//! With `UPDATE_MESSAGES=1` the test of a table, or of a text, writes its answers anew; the diff
//! shows each change of wording.

#![expect(
    clippy::format_push_string,
    reason = "a text is put together line by line"
)]

use std::fs;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};

use iki_tools::call::answer::{respond, run_call};
use iki_tools::contract::call_terms::CallTerms;
use iki_tools::contract::reply::AnswerObject;
use iki_tools::registry;
use regex::{Regex, escape};
use serde_json::Value;

/// A call of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// The title that it stands below.
    pub title: String,
    /// The names and contents of the files below that title.
    pub files: Vec<(String, String)>,
    /// The first word of its line.
    pub tool: String,
    /// The rest of that line.
    pub request: String,
    /// The lines that are indented by two spaces, without these: those below the title, which are
    /// for all its calls, and its own.
    pub setup: Vec<String>,
    /// The answer, line by line.
    pub answer: String,
}

impl Row {
    /// What its lines of setup that begin with `word` say behind it.
    pub fn setup_of(&self, word: &str) -> impl Iterator<Item = &str> {
        self.setup.iter().filter_map(move |line| {
            let rest = line.strip_prefix(word)?;
            rest.strip_prefix(' ').or(rest.is_empty().then_some(""))
        })
    }

    /// The variables of its environment.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.setup_of("env").map(|set| set.split_once('=').unwrap())
    }
}

/// The table of `name`, in pieces: the lines before an answer, with the call that they end in.
fn parse(data: &str) -> Vec<(String, Option<Row>)> {
    let mut pieces = Vec::new();
    let (mut lines, mut row) = (String::new(), None::<Row>);
    let (mut title, mut files, mut setup) = (String::new(), Vec::new(), Vec::new());
    for line in data.lines() {
        if let Some(row) = &mut row {
            if let Some(answer) = line.strip_prefix("    ") {
                row.answer += &format!("{answer}\n");
                continue;
            }
            if let Some(setup) = line.strip_prefix("  ") {
                row.setup.push(setup.to_owned());
                lines += &format!("{line}\n");
                continue;
            }
        }
        if row.is_some() {
            pieces.push((std::mem::take(&mut lines), row.take()));
        }
        lines += &format!("{line}\n");
        if let Some(words) = line.strip_prefix("=== ") {
            words.clone_into(&mut title);
            files.clear();
            setup.clear();
        } else if let Some(line) = line.strip_prefix("  ") {
            setup.push(line.to_owned());
        } else if let Some(file) = line.strip_prefix("file ") {
            let (name, content) = file.split_at(file.find(" \"").unwrap());
            files.push((name.to_owned(), serde_json::from_str(content).unwrap()));
        } else if let Some((tool, request)) = line.split_once(' ')
            && !tool.starts_with('#')
        {
            row = Some(Row {
                title: title.clone(),
                files: files.clone(),
                setup: setup.clone(),
                tool: tool.to_owned(),
                request: request.to_owned(),
                ..Row::default()
            });
        }
    }
    pieces.push((lines, row));
    pieces
}

fn file_of(table: &str) -> PathBuf {
    PathBuf::from(format!(
        "{}/tests/messages/{table}.txt",
        env!("CARGO_MANIFEST_DIR")
    ))
}

/// The calls of a table.
pub fn rows(table: &str) -> Vec<Row> {
    let data = fs::read_to_string(file_of(table)).unwrap();
    let pieces = parse(&data).into_iter();
    pieces.filter_map(|(_, row)| row).collect()
}

/// Whether the tables are to be written anew. It is asked before a call changes the environment.
static WRITES_ANEW: LazyLock<bool> =
    LazyLock::new(|| std::env::var_os("UPDATE_MESSAGES").is_some());

/// What the process of `staged::alone` needs of this one's environment.
pub fn staged_variables() -> &'static [(&'static str, &'static str)] {
    if *WRITES_ANEW {
        return &[("UPDATE_MESSAGES", "1")];
    }
    &[]
}

/// Asserts that `answer` gives each call the answer that the table has, or writes the table anew.
pub fn check(table: &str, mut answer: impl FnMut(&Row) -> String) {
    let write = *WRITES_ANEW;
    let (mut answers, mut wrong) = (Vec::new(), String::new());
    for row in rows(table).iter().filter(|row| row.tool != "text") {
        let mut now = answer(row);
        // Where a machine is busy, there was no time to find out what a note says.
        for pause in [0, 0, 50, 200, 1000, 3000] {
            if now == row.answer || row.answer.is_empty() || write && pause > 50 {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(pause));
            now = answer(row);
        }
        if now != row.answer {
            let (tool, request, before) = (&row.tool, &row.request, &row.answer);
            wrong += &format!("{tool} {request}\nrecorded:\n{before}now:\n{now}\n");
        }
        answers.push(now);
    }
    assert!(!answers.is_empty(), "{table} has no call");
    let mut answers = answers.into_iter();
    let anew = with_answers(table, |row| match &*row.tool {
        "text" => row.answer.clone(),
        _ => answers.next().unwrap(),
    });
    if write {
        return fs::write(file_of(table), anew).unwrap();
    }
    assert!(wrong.is_empty(), "{wrong}UPDATE_MESSAGES=1 writes it anew");
    assert_eq!(anew, fs::read_to_string(file_of(table)).unwrap(), "{table}");
}

/// The table with these answers.
fn with_answers(table: &str, mut answer: impl FnMut(&Row) -> String) -> String {
    let mut anew = String::new();
    for (lines, row) in parse(&fs::read_to_string(file_of(table)).unwrap()) {
        anew += &lines;
        for line in row.iter().map(&mut answer).collect::<String>().lines() {
            anew += &format!("    {line}\n");
        }
    }
    anew
}

/// A text that a process has printed, which is to be the row `text NAME` of a table.
pub trait TextRow {
    /// Asserts that it is, with `<N>` in the row for any number and `<...>` for any text. Written
    /// anew, the row has the text as it is, and these two are to be set again.
    #[track_caller]
    fn assert_row(&self, table: &str, name: &str) {
        self.assert_row_at(table, name, &[]);
    }

    /// The same where `placeholders` stand in the row for what is in the text by chance.
    #[track_caller]
    fn assert_row_at(&self, table: &str, name: &str, placeholders: &[(&str, &str)]);
}

impl TextRow for str {
    #[track_caller]
    fn assert_row_at(&self, table: &str, name: &str, placeholders: &[(&str, &str)]) {
        assert_text(table, name, self, placeholders);
    }
}

#[track_caller]
fn assert_text(table: &str, name: &str, text: &str, placeholders: &[(&str, &str)]) {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _one = ONE_AT_A_TIME.lock();
    let is_it = |row: &Row| row.tool == "text" && row.request == name;
    let row = rows(table).into_iter().find(is_it);
    let row = row.unwrap_or_else(|| panic!("{table} has no text {name}"));
    let mut pattern = escape(row.answer.trim_end());
    let mut now = text.trim_end().replace('\r', "\u{240D}");
    for (chance, placeholder) in placeholders {
        pattern = pattern.replace(&escape(placeholder), &escape(chance));
    }
    pattern = pattern.replace("<N>", "[0-9][0-9,.]*");
    pattern = pattern.replace(&escape("<...>"), ".*");
    if Regex::new(&format!("(?s)^{pattern}$"))
        .unwrap()
        .is_match(&now)
    {
        return;
    }
    for (chance, placeholder) in placeholders {
        now = now.replace(chance, placeholder);
    }
    assert!(
        *WRITES_ANEW,
        "{table}: text {name}\nrecorded:\n{}now:\n{now}\nUPDATE_MESSAGES=1 writes it anew",
        row.answer
    );
    let anew = with_answers(table, |row| {
        let answer = if is_it(row) { &now } else { &row.answer };
        answer.clone()
    });
    fs::write(file_of(table), anew).unwrap();
}

/// Answers a host's request in this process, which has to be the test's own (`staged::alone`): it
/// is in `place` from then on, and has these variables and no others.
pub fn answer_here(tool: &str, request: &Value, place: &Path, variables: &[(&str, &str)]) -> Value {
    std::env::set_current_dir(place).unwrap();
    for (name, _) in std::env::vars_os() {
        // SAFETY: of the test's other threads none reads the environment.
        unsafe { std::env::remove_var(name) };
    }
    for (name, value) in variables {
        // SAFETY: as above.
        unsafe { std::env::set_var(name, value) };
    }
    let tool = registry::find_tool(tool).unwrap();
    let mut request = request.to_string().into_bytes();
    let mut answer = BufWriter::new(Vec::new());
    let call = (tool, CallTerms::of_host());
    let fill = |object: &mut AnswerObject<'_>| run_call(tool, Ok(&mut request), object);
    respond(call, &mut answer, Vec::is_empty, false, fill)
        .0
        .unwrap();
    serde_json::from_slice(&answer.into_inner().unwrap()).unwrap()
}

/// An answer as a table has it: the error behind its code, and those of `fields` that it has. Names
/// that are in the answer by chance, such as that of a directory, stand there as `placeholders`
/// say.
pub fn shown(answer: &Value, fields: &[&str], placeholders: &[(&str, &str)]) -> String {
    let mut shown = String::new();
    if let Some(error) = answer["error"].as_str() {
        let code = answer["error_code"].as_str().unwrap_or("error");
        shown += &format!("{code}: {error}\n");
    }
    for name in fields {
        match &answer[*name] {
            Value::Null => {}
            Value::String(text) => shown += &format!("{name}: {text}\n"),
            other => shown += &format!("{name}: {other}\n"),
        }
    }
    if shown.is_empty() {
        shown.push_str("-\n");
    }
    for (chance, placeholder) in placeholders {
        shown = shown.replace(chance, placeholder);
    }
    // Else a line of the table would end there.
    shown.replace('\r', "\u{240D}")
}
