//! file-read: a file's content, whole or a window of its lines.

use std::io;
use std::path::Path;

use crate::basics::words::{counted, quoted_for_shell, thousands};
use crate::contract::bounded::{self, TextMeasure};
use crate::contract::failure::Failure;
use crate::contract::notes::Notes;
use crate::contract::reply::{Object, Reply, Text};
use crate::contract::request::Request;
use crate::contract::terms::Audience;
use crate::contract::tool::{
    AccessScope, ExitCodes, Family, FieldRole, SampleCall, Tool, ToolHints, ToolManual, ToolSet,
};
use crate::files::kind::BinaryKind;
use crate::files::{self, FileAccessError, FileContent, FileFacts, LineEnd, ReadInterruption};
use crate::paths::PathWant;
use crate::tools::file::failure;

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "file_read",
    link: "file-read",
    family: Family::Local,
    set: ToolSet::Local,
    offered: true,
    schema: include_str!("../schemas/file_read.json"),
    model_schema: include_str!("../schemas/for_models/file_read.json"),
    host_words: Some(include_str!("../schemas/for_hosts/file_read.json")),
    aliases: &[
        ("path", "file_path"),
        ("filePath", "file_path"),
        ("filename", "file_path"),
        ("start_line", "offset"),
        ("end_line", "limit"),
    ],
    output_schema: None,
    own_limit: None,
    artifacts: false,
    title: "Read a file",
    hints: ToolHints::LOOKS,
    scope: AccessScope::File("file_path"),
    at_once: None,
    manual: ToolManual {
        text: "\
Answers with a file's content as it is, newlines and all. `offset` is the first line wanted, from
1; `limit` is how many; beyond the end there is nothing, which is no error. What is not UTF-8
comes as U+FFFD. Regular files only, and what reads like one: nothing is ever waited for.",
        example: r#"{"file_path":"/etc/passwd","limit":1}"#,
        environment: &[],
    },
    account: None,
    fields: &[("output", FieldRole::Content)],
    exits: ExitCodes::USUAL,
    less: "To have less, ask for a window of lines with `offset` and `limit`.",
    sample: Some(SampleCall {
        file: Some(("note.txt", "hello\n")),
        request: r#"{"file_path":"note.txt"}"#,
        answer: "hello",
    }),
    run,
    from_cache: None,
};

/// The largest image that a model is shown, in bytes.
const LARGEST_IMAGE: u64 = 5_000_000;

/// Bytes of the exit code beside the rest of a line, which therefore has less room than its
/// beginning had.
const EXIT_CODE: usize = 64;

/// Bytes around the text and the note.
const AROUND: usize = 20;

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let path = request.required_text("file_path")?;
    let offset = request.integer("offset", 1..=u64::MAX)?;
    let limit = request.integer("limit", 1..=u64::MAX)?;
    let terms = request.terms();
    let end = terms.deadline.map(|deadline| deadline.end);
    let reader = terms.reader;
    let window = LineRange {
        path,
        first: offset.unwrap_or(1),
        limit,
    };
    let content = files::read(Path::new(path), window.first, limit, end)
        .map_err(|error| failure::with_note(path, &error, PathWant::File, reader))?;
    let facts = *content.facts();
    if let (Audience::Model, Some(kind)) = (reader, facts.kind) {
        return no_text(path, kind, facts.size);
    }
    Ok(Reply::new(move |object| {
        // A person's pipe gets the bytes as they are, and nothing is wrong with them.
        if reader != Audience::Person {
            object.note(remark(&window, &facts));
        }
        window.write(content, object)?;
        if facts.is_empty && window.first == 1 {
            object.nothing_found("empty file")?;
        }
        Ok(())
    }))
}

/// The lines that were asked for.
#[derive(Clone, Copy)]
struct LineRange<'a> {
    path: &'a str,
    /// The first line, from 1.
    first: u64,
    /// The number of lines; all, if it is not given.
    limit: Option<u64>,
}

impl LineRange<'_> {
    fn write(&self, mut content: FileContent, object: &mut Object<'_>) -> io::Result<()> {
        let start = content.position();
        let room = object.room().unwrap_or(usize::MAX);
        let limit = object.terms().max_answer.unwrap_or(usize::MAX);
        let room_of_note = limit.saturating_sub(room).saturating_sub(AROUND);
        let mut output = object.text("output")?;
        let passed_on = content.pass_on(&mut output, Text::is_full);
        let (cut, repaired) = output.close_and_check()?;
        match passed_on {
            Ok(()) => {}
            Err(ReadInterruption::Sink(error)) => return Err(error),
            // A disk that fails midway: the beginning has been answered, and why it ends there
            // belongs to it.
            Err(ReadInterruption::File(error)) => {
                return object.break_off(&failure::of(self.path, &error));
            }
        }
        let Some(cut) = cut else {
            let is_text = content.facts().kind.is_none() && content.facts().encoding.is_none();
            let note = not_utf_8(self.path);
            let has_room = object.terms().max_answer.is_none()
                || TextMeasure::Json.cost(note.as_bytes()) <= room_of_note;
            if repaired && is_text && has_room && object.terms().reader != Audience::Person {
                object.note(note);
            }
            return Ok(());
        };
        if cut.lines > 0 {
            let last = self.first.saturating_add(cut.lines - 1);
            let left = self.limit.map(|limit| limit.saturating_sub(cut.lines));
            object.note(bounded::continuation_note(
                object.terms().reader,
                self.first,
                last,
                left,
            ));
            return Ok(());
        }
        let line = (start, start + cut.bytes as u64);
        match self.long_line(&content, line, room, object.measure()) {
            Ok([note, short, least]) => {
                let has_room = |note: &&String| {
                    let cost = TextMeasure::Json.cost(note.as_bytes());
                    cost <= room_of_note
                };
                object.note(
                    [&note, &short]
                        .into_iter()
                        .find(has_room)
                        .unwrap_or(&least)
                        .clone(),
                );
            }
            Err(error) => return object.break_off(&failure::of(self.path, &error)),
        }
        Ok(())
    }

    /// The note of an answer that shows the beginning of one line, which stands in the file `from`
    /// an offset and is shown `to` another: how long the line is, how to get what follows in it,
    /// and how to go on behind it. Shorter ones follow, for answers in which this one has no room.
    fn long_line(
        &self,
        content: &FileContent,
        (from, to): (u64, u64),
        room: usize,
        measure: TextMeasure,
    ) -> Result<[String; 3], FileAccessError> {
        let end = content.line_end(to)?;
        let (LineEnd::At(until) | LineEnd::OfFile(until) | LineEnd::Behind(until)) = end;
        let more = if matches!(end, LineEnd::Behind(_)) {
            "more than "
        } else {
            ""
        };
        let left = self.limit.map(|limit| limit.saturating_sub(1));
        let go_on = if matches!(end, LineEnd::OfFile(_)) || left == Some(0) {
            String::new()
        } else {
            let left = left.map_or(String::new(), |left| format!(",\"limit\":{left}"));
            format!("; go on behind it with \"offset\":{}{left}", self.first + 1)
        };
        let length = format!(
            "line {} is {more}{} bytes long",
            self.first,
            thousands(until - from)
        );
        let shown = thousands(to - from);
        let rest = usize::try_from(until - to).unwrap_or(usize::MAX);
        let short = format!("{length}, {shown} of them shown{go_on}");
        let least = format!("line {} is cut{go_on}", self.first);
        if rest == 0 {
            let note = format!("{length}, all of which are shown, without its line end{go_on}");
            return Ok([note, short, least]);
        }
        let room = room.saturating_sub(EXIT_CODE).min(rest).max(1);
        let next = content.bytes_at(to, room)?;
        let next = measure.prefix(&next, room).max(1);
        let (which, so_on) = if next < rest {
            ("the next", ", and so on")
        } else {
            ("the other", "")
        };
        let file = quoted_for_shell(self.path);
        let note = format!(
            "{length}, of which the first {shown} are shown; with bash, `tail -c +{} {file} | \
             head -c {next}` shows {which} {}{so_on}{go_on}",
            to + 1,
            thousands(next as u64),
        );
        Ok([note, short, least])
    }
}

/// The note on text that is in another encoding, or damaged.
fn not_utf_8(path: &str) -> String {
    format!(
        "Not all of it is UTF-8: what is not is shown as U+FFFD. If it is Latin-1, `iconv -f \
         WINDOWS-1252 -t UTF-8 {}` shows it, with bash. file_edit leaves such bytes as they are, \
         file_write would replace them.",
        quoted_for_shell(path)
    )
}

/// The notes on facts that the content alone does not tell.
fn remark(window: &LineRange<'_>, facts: &FileFacts) -> Notes {
    let mut notes = Notes::default();
    if let Some(kind) = facts.kind {
        notes.add(format!("binary file: {}.", kind.describe(facts.size)));
    }
    if let Some(encoding) = facts.encoding {
        // By this name the mark, which says in which order bytes stand, is no part of the text.
        let encoding = encoding.trim_end_matches("LE").trim_end_matches("BE");
        notes.add(format!(
            "{encoding} text, shown as if it were UTF-8; with bash, `iconv -f {encoding} -t UTF-8 \
             {}` shows it.",
            quoted_for_shell(window.path)
        ));
    }
    match facts.ends_before {
        None => {}
        Some(_) if facts.is_empty => notes.add("The file is empty.".to_owned()),
        Some(lines) => notes.add(format!(
            "The file has {}; offset {} is behind its end.",
            counted(lines, "line"),
            window.first
        )),
    }
    notes
}

/// The answer to a model on a file that is not text: an image itself, or else words for its kind.
fn no_text(path: &str, kind: BinaryKind, size: Option<u64>) -> Result<Reply<'_>, Failure> {
    let words = kind.describe(size);
    if !kind.is_image() {
        return Ok(Reply::new(move |object| {
            object.nothing_found(&format!("binary file: {words}"))
        }));
    }
    if size.is_none_or(|size| size > LARGEST_IMAGE) {
        return Ok(Reply::new(move |object| {
            object.nothing_found(&format!("{words}: too large to be shown"))
        }));
    }
    let failed = |error| failure::of(path, &error);
    let mut content = files::read(Path::new(path), 1, None, None).map_err(failed)?;
    let mut bytes = Vec::new();
    // Memory takes whatever is written to it.
    if let Err(ReadInterruption::File(error)) = content.pass_on(&mut bytes, |_| false) {
        return Err(failed(error));
    }
    Ok(Reply::new(move |object| {
        object.image(kind.mime, &bytes)?;
        object.field("output", &words)
    }))
}
