//! A file's own lines, and the notes on them.

use std::io;
use std::path::Path;

use crate::contract::answer_limit::{self, TextMeasure};
use crate::contract::call_terms::{Audience, CallTerms};
use crate::contract::notes::Notes;
use crate::contract::reply::{AnswerObject, Text};
use crate::tools::file::failure;
use iki_base::text_encoding::{EncodingFinding, iconv_name};
use iki_base::wording::{count_noun, counted_as, quoted_for_shell, thousands};
use iki_files::binary_kind::BinaryKind;
use iki_files::{FileAccessError, FileContent, FileFacts, FirstLine, LineEnd, ReadInterruption};
use iki_process::sandbox::confinement;

/// Room for the exit code next to the rest of a line, which bash shows.
const EXIT_CODE_BYTES: usize = 64;

/// Bytes around the text and the note.
const OTHER_FIELDS_BYTES: usize = 8;

/// Bytes of a file by which its character set is guessed.
const SAMPLE_BYTES: usize = 1024 * 1024;

/// Bytes that tell if it is one in which ASCII stands for other characters.
const STATES_BYTES: usize = 64 * 1024;

/// The lines that were asked for.
#[derive(Clone, Copy)]
pub struct LineRange<'a> {
    pub path: &'a str,
    pub first: FirstLine,
    /// The number of lines; all, if it is not given.
    pub limit: Option<u64>,
}

impl LineRange<'_> {
    /// Answers with these lines of the file.
    pub fn answer(&self, content: FileContent, object: &mut AnswerObject<'_>) -> io::Result<()> {
        let facts = *content.facts();
        // A person's pipe gets the bytes as they are, and nothing is wrong with them.
        let is_text = facts.kind.is_some_and(|kind| kind.shown_by().is_some());
        if object.terms().reader != Audience::Person || is_text {
            object.note(describe_facts(self.path, &facts, object.terms()));
        }
        object.note(self.past_the_end(facts.ends_before, "file"));
        self.write(content, object)?;
        if facts.is_empty && facts.ends_before.is_none() {
            object.nothing_found("empty file")?;
        }
        Ok(())
    }

    /// The note on lines past the end of a file, or of `what` else ends before them.
    pub fn past_the_end(&self, ends_before: Option<u64>, what: &str) -> Option<String> {
        let (lines, FirstLine::Number(first)) = (ends_before?, self.first) else {
            return None;
        };
        if lines == 0 {
            return Some(format!("The {what} is empty."));
        }
        let lines = match what {
            "directory" => counted_as(lines, "entry", "entries"),
            _ => count_noun(lines, "line"),
        };
        Some(format!(
            "The {what} has {lines}; offset {first} is past its end."
        ))
    }

    /// The number of the first line, counted as the caller does: from the end, it is negative if
    /// the lines before it are too many to be counted.
    fn number(&self, content: &FileContent, start: u64) -> Result<i128, FileAccessError> {
        Ok(match (content.line_number(start)?, self.first) {
            (Some(number), _) | (None, FirstLine::Number(number)) => number.into(),
            (None, FirstLine::FromEnd(lines)) => -i128::from(lines),
        })
    }

    fn write(&self, mut content: FileContent, object: &mut AnswerObject<'_>) -> io::Result<()> {
        let start = content.position();
        let room = object.room().unwrap_or(usize::MAX);
        let limit = object.terms().max_answer.unwrap_or(usize::MAX);
        let room_of_note = limit
            .saturating_sub(room)
            .saturating_sub(OTHER_FIELDS_BYTES + object.around_note());
        let mut output = object.text("output")?;
        let passed_on = content.pass_on(&mut output, Text::is_full);
        let (cut, repaired) = output.close_and_check()?;
        match passed_on {
            Ok(()) => {}
            Err(ReadInterruption::Sink(error)) => return Err(error),
            // A disk that fails midway: the beginning has been answered, and why it ends there
            // belongs to it.
            Err(ReadInterruption::File(error)) => {
                return object.break_off(&failure::from_access_error(self.path, &error));
            }
        }
        let Some(cut) = cut else {
            let is_text = content.facts().kind.is_none() && content.facts().encoding.is_none();
            let note = (is_text && object.terms().reader != Audience::Person)
                .then(|| other_encoding(self.path, &content, (start, repaired), object.terms()));
            if let Some(note) = note.flatten() {
                let cost = TextMeasure::Json.cost(note.as_bytes());
                if object.terms().max_answer.is_none() || cost <= room_of_note {
                    object.note(note);
                }
            }
            return Ok(());
        };
        let first = match self.number(&content, start) {
            Ok(first) => first,
            Err(error) => return object.break_off(&failure::from_access_error(self.path, &error)),
        };
        if cut.lines > 0 {
            let last = first.saturating_add((cut.lines - 1).into());
            let left = self.limit.map(|limit| limit.saturating_sub(cut.lines));
            object.note_at_both_ends(answer_limit::continuation_note(
                object.terms().reader,
                first,
                last,
                left,
            ));
            return Ok(());
        }
        let line = (first, start, start + cut.bytes as u64);
        match self.long_line(&content, line, room, object) {
            Ok(notes) => {
                let has_room =
                    |note: &String| TextMeasure::Json.cost(note.as_bytes()) <= room_of_note;
                let shortest = notes.last().cloned();
                object.note_at_both_ends(notes.into_iter().find(has_room).or(shortest));
                Ok(())
            }
            Err(error) => object.break_off(&failure::from_access_error(self.path, &error)),
        }
    }

    /// The note of an answer that shows the beginning of one line, which stands in the file `from`
    /// an offset and is shown `to` another: how long the line is, how to get the rest of it, and
    /// how to go on after it. Shorter ones follow, for answers in which this one has no room.
    fn long_line(
        &self,
        content: &FileContent,
        (number, from, to): (i128, u64, u64),
        room: usize,
        object: &AnswerObject<'_>,
    ) -> Result<Vec<String>, FileAccessError> {
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
            format!("; go on after it with \"offset\":{}{left}", number + 1)
        };
        let remaining_bytes = usize::try_from(until - to).unwrap_or(usize::MAX);
        let excerpt = match remaining_bytes {
            0 => "all of which are shown, without its line end".to_owned(),
            _ => format!("of which the first {} are shown", thousands(to - from)),
        };
        let length = thousands(until - from);
        let note = |command: &str| {
            format!("line {number} is {more}{length} bytes long, {excerpt}{command}{go_on}")
        };
        let mut notes = vec![note(""), format!("line {number} is cut{go_on}")];
        if remaining_bytes > 0 && is_for_commands(self.path, object.terms()) {
            let room = room.saturating_sub(EXIT_CODE_BYTES).max(1);
            let next = content.bytes_at(to, room.min(remaining_bytes))?;
            let next = object.measure().prefix(&next, room).max(1);
            let (which, so_on) = if next < remaining_bytes {
                ("the next", ", and so on")
            } else {
                ("the other", "")
            };
            let file = quoted_for_shell(self.path);
            let command = format!(
                "; with bash, `tail -c +{} {file} | head -c {next}` shows {which} {}{so_on}",
                to + 1,
                thousands(next as u64),
            );
            notes.insert(0, note(&command));
        }
        Ok(notes)
    }
}

/// The note on text that is in another encoding, or damaged; the answer begins at offset `start`,
/// and is `repaired` if it has U+FFFD for what is not UTF-8.
fn other_encoding(
    path: &str,
    content: &FileContent,
    (start, repaired): (u64, bool),
    terms: &CallTerms,
) -> Option<String> {
    let limit = if repaired { SAMPLE_BYTES } else { STATES_BYTES };
    let sample = content.bytes_at(start, limit).unwrap_or_default();
    let is_told = || repaired || memchr::memmem::find(&sample, b"\x1b$").is_some();
    let name = match is_told().then(|| EncodingFinding::detect(&sample))? {
        EncodingFinding::Known(encoding, _) => Some(encoding.name()),
        EncodingFinding::Unknown(name) => name,
        EncodingFinding::Utf8 => None,
    };
    let what = match name {
        None if !repaired => return None,
        None => "Not all of it is UTF-8: what is not is shown as U+FFFD.".to_owned(),
        Some(name) => {
            let command = with_iconv(path, name, terms);
            format!("It seems to be {name} text, and is shown as if it were UTF-8{command}.")
        }
    };
    if !repaired {
        return Some(what);
    }
    let edit = terms.if_served("file_edit", " file_edit leaves such bytes as they are.");
    let write = terms.if_served("file_write", " file_write would replace such bytes.");
    Some(format!("{what}{edit}{write}"))
}

/// True if there are commands, which may read the file.
fn is_for_commands(path: &str, terms: &CallTerms) -> bool {
    terms.serves("bash") && confinement::is_within_reach(Path::new(path))
}

/// The command that shows a file which is in the encoding `from`; empty if there are no commands.
fn with_iconv(path: &str, from: &str, terms: &CallTerms) -> String {
    if !is_for_commands(path, terms) {
        return String::new();
    }
    let file = quoted_for_shell(path);
    let from = iconv_name(from);
    format!("; with bash, `iconv -f {from} -t UTF-8 {file}` shows it")
}

/// The kind of a file that is no text, or none as it is, and a command that shows it.
pub fn describe_binary(
    path: &str,
    kind: BinaryKind,
    size: Option<u64>,
    terms: &CallTerms,
) -> String {
    let words = kind.describe(size);
    let Some(command) = kind.shown_by() else {
        return format!("binary file: {words}");
    };
    if !is_for_commands(path, terms) {
        return words;
    }
    let file = quoted_for_shell(path);
    format!("{words}; with bash, `{command} {file}` shows it")
}

/// The notes on facts that the content alone does not show.
fn describe_facts(path: &str, facts: &FileFacts, terms: &CallTerms) -> Notes {
    let mut notes = Notes::default();
    if let Some(kind) = facts.kind {
        let words = describe_binary(path, kind, facts.size, terms);
        notes.add(format!("{words}."));
    }
    if let Some(encoding) = facts.encoding {
        // iconv drops the byte-order mark only under the name without the order.
        let encoding = encoding.trim_end_matches("LE").trim_end_matches("BE");
        notes.add(format!(
            "{encoding} text, shown as if it were UTF-8{}.",
            with_iconv(path, encoding, terms)
        ));
    }
    notes
}
