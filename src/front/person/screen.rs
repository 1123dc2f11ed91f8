//! An answer as a person or a script reads it: the output itself, results as a short list, errors
//! on stderr. A terminal is shown control characters as text, so that they do not steer it; any
//! other reader gets every byte as it is.
//!
//! The tool's row says which field is which ([`Tool::fields`]); a field that it does not name is
//! shown with its name.

use std::borrow::Cow;
use std::io::{self, BufWriter, IsTerminal, Write};

use serde_json::Value;

use crate::command_line::flag_words;
use iki_base::console::exit::ProgramExit;
use iki_base::console::{color, sanitize};
use iki_tools::contract::reply::Viewer;
use iki_tools::contract::tool::{FieldRole, Tool};
use iki_tools::contract::{key_facts, notes};

/// An answer on its way to a terminal, a pipe or a file.
pub struct ScreenWriter<'a, W: Write> {
    tool: &'a Tool,
    out: BufWriter<W>,
    kind: ScreenMode,
    /// The last character shown.
    last: Option<char>,
    /// True if it belonged to content, which ends as it ends.
    is_content: bool,
    /// The field shown last, if it was shown with its name.
    named: Option<String>,
    /// Fields other than the content, by their names.
    asides: Vec<(String, Value)>,
    /// The number of control characters that were spelled.
    spelled: usize,
    /// The beginning of a colour whose end has not come yet, if the tool colours its output.
    colours: Option<String>,
    /// True if something could not be read that was asked for.
    is_partial: bool,
    end: ScreenEnd,
}

/// The colours that a tool may give to parts of its output, as they stand behind an escape
/// character.
const COLOURS: [&str; 4] = ["[35m", "[32m", "[1;31m", "[0m"];

/// What a tool that colours its output has put behind each escape character that it spelled.
const BEHIND_SPELLED: &str = "[10m";

/// `text` sanitized for a terminal, but for these colours, and the number of control characters
/// that are spelled in it. A tool that writes them leaves no escape character in what it shows of
/// others.
fn sanitize_between_colours(text: &str) -> (String, usize) {
    let mut parts = text.split_inclusive('\u{1b}');
    let mut output = String::with_capacity(text.len());
    let mut spelled = sanitize::count_spelled(text);
    let mut remainder = parts.next().unwrap_or_default();
    for part in parts {
        if let (Some(before), Some(behind)) = (
            remainder.strip_suffix('\u{1b}'),
            part.strip_prefix(BEHIND_SPELLED),
        ) {
            // It counts for the character that is spelled already.
            output += &sanitize::for_terminal(before);
            remainder = behind;
            continue;
        }
        let colour = COLOURS.iter().find(|colour| part.starts_with(**colour));
        if let (Some(before), Some(colour)) = (remainder.strip_suffix('\u{1b}'), colour) {
            output += &sanitize::for_terminal(before);
            output.extend(["\u{1b}", colour]);
            spelled -= 1;
            remainder = &part[colour.len()..];
        } else {
            output += &sanitize::for_terminal(remainder);
            remainder = part;
        }
    }
    output += &sanitize::for_terminal(remainder);
    (output, spelled)
}

/// The medium on which an answer is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScreenMode {
    /// A terminal that can show colours.
    ColourTerminal,
    /// Any other terminal.
    Terminal,
    /// A pipe or a file, which a program reads.
    Pipe,
}

impl ScreenMode {
    /// The kind of the stream that this process writes its answer to, coloured as a flag may say.
    pub fn for_stream(stream: &impl IsTerminal, colour: Option<bool>) -> Self {
        let coloured = colour.unwrap_or_else(|| color::coloured(stream));
        match (stream.is_terminal(), coloured) {
            (true, true) => Self::ColourTerminal,
            (true, false) => Self::Terminal,
            (false, _) => Self::Pipe,
        }
    }
}

/// The end of an answer: what is said on another stream, and the exit status.
#[derive(Debug, PartialEq, Eq)]
pub struct ScreenEnd {
    /// The exit status, the command's own if there was one.
    pub exit: ProgramExit,
    /// The reason why the answer ends here; empty if it is complete.
    pub error: String,
    /// The note about what was left out.
    pub note: String,
    /// Nothing was found and nothing shown, on a terminal, where a person waits for output.
    pub nothing_found: bool,
}

impl ScreenEnd {
    /// Prints on stderr, in the name of `tool`, the words that belong there.
    pub fn print(&self, tool: &Tool) -> ProgramExit {
        complain(tool, &self.error);
        remark(tool, &self.note);
        if self.nothing_found {
            color::print_note(tool.command(), "nothing found");
        }
        self.exit
    }
}

/// Prints on stderr, in the name of `tool`, what a person is told, unless it is empty.
pub fn complain(tool: &Tool, complaint: &str) {
    if !complaint.is_empty() {
        color::print_error(tool.command(), &flag_words::of_person(tool, complaint));
    }
}

/// Prints on stderr, in the name of `tool`, what a person may want to know, unless it is empty.
pub fn remark(tool: &Tool, note: &str) {
    if !note.is_empty() {
        color::print_note(tool.command(), &flag_words::of_person(tool, note));
    }
}

/// The part that a field plays for a reader: the tool's own parts, and those of the contract.
enum ShownField {
    Of(FieldRole),
    Error,
    Note,
    /// A field that a person does not need.
    Envelope,
    /// A field that the tool's row does not name.
    Unnamed,
}

impl<'a, W: Write> ScreenWriter<'a, W> {
    /// A screen of this kind for an answer of `tool`.
    pub fn new(tool: &'a Tool, out: W, kind: ScreenMode) -> Self {
        Self {
            tool,
            out: BufWriter::new(out),
            kind,
            last: None,
            is_content: false,
            named: None,
            asides: Vec::new(),
            spelled: 0,
            colours: None,
            is_partial: false,
            end: ScreenEnd {
                exit: ProgramExit::Success,
                error: String::new(),
                note: String::new(),
                nothing_found: false,
            },
        }
    }

    /// This screen, for a tool that colours its output.
    #[must_use]
    pub fn with_colours_of_the_tool(mut self) -> Self {
        self.colours = Some(String::new());
        self
    }

    /// True if it is a pipe or a file.
    #[must_use]
    pub fn is_piped(&self) -> bool {
        self.kind == ScreenMode::Pipe
    }

    /// Ends the answer: a line break follows, except behind content in a pipe. Returns the words
    /// for stderr.
    pub fn finish(mut self) -> io::Result<(W, ScreenEnd)> {
        if self.kind != ScreenMode::Pipe {
            self.show_asides()?;
        }
        if !self.is_content || self.kind != ScreenMode::Pipe {
            self.end_line()?;
        }
        let begun = self.colours.take().unwrap_or_default();
        self.out.write_all(self.sanitized(&begun).as_bytes())?;
        self.out.flush()?;
        if let Some(spelled) = notes::on_spelled(self.spelled) {
            let between = match self.end.note.chars().next_back() {
                None => "",
                Some('.') => " ",
                Some(_) => ". ",
            };
            self.end.note = format!("{}{between}{spelled}.", self.end.note);
        }
        if !self.end.error.is_empty() || self.is_partial {
            self.end.exit = ProgramExit::Code(self.tool.exit_codes.failed);
        } else if self.end.nothing_found {
            self.end.exit = ProgramExit::Code(self.tool.exit_codes.nothing_found);
        }
        self.end.nothing_found &= self.last.is_none() && self.kind != ScreenMode::Pipe;
        let out = self
            .out
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        Ok((out, self.end))
    }

    fn role(&self, name: &str) -> ShownField {
        let mut fields = self.tool.fields.iter();
        match (name, fields.find(|(field, _)| *field == name)) {
            (_, Some((_, part))) => ShownField::Of(*part),
            ("error", None) => ShownField::Error,
            ("note", None) => ShownField::Note,
            ("error_code" | "success", None) => ShownField::Envelope,
            _ => ShownField::Unnamed,
        }
    }

    fn show(&mut self, text: &str) -> io::Result<()> {
        self.last = text.chars().next_back().or(self.last);
        if self.kind != ScreenMode::Pipe {
            if let Some(begun) = &mut self.colours {
                begun.push_str(text);
                // A colour may come in two pieces.
                let last = begun
                    .rfind('\u{1b}')
                    .filter(|offset| !begun[*offset..].contains('m'));
                let unfinished = begun.split_off(last.unwrap_or(begun.len()));
                let whole = std::mem::replace(begun, unfinished);
                let (output, spelled) = sanitize_between_colours(&whole);
                self.spelled += spelled;
                return self.out.write_all(output.as_bytes());
            }
            self.spelled += sanitize::count_spelled(text);
        }
        self.out.write_all(self.sanitized(text).as_bytes())
    }

    /// `text` as this screen shows it.
    fn sanitized<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.kind {
            ScreenMode::Pipe => Cow::Borrowed(text),
            ScreenMode::Terminal | ScreenMode::ColourTerminal => {
                Cow::Owned(sanitize::for_terminal(text))
            }
        }
    }

    fn end_line(&mut self) -> io::Result<()> {
        if self.last.is_some_and(|last| last != '\n') {
            self.show("\n")?;
        }
        Ok(())
    }

    /// Shows a field that the row does not name, or its next piece.
    fn show_named(&mut self, name: &str, piece: &str) -> io::Result<()> {
        if self.named.as_deref() != Some(name) {
            self.end_line()?;
            self.named = Some(name.to_owned());
            self.show(&format!("{name}: "))?;
        }
        self.show(piece)
    }

    /// Keeps a field, or the next piece of its text, for the lines after the content.
    fn keep_aside(&mut self, name: &str, value: Value) {
        match (self.asides.last_mut(), value) {
            (Some((last, Value::String(text))), Value::String(piece)) if last == name => {
                text.push_str(&piece);
            }
            (_, value) => self.asides.push((name.to_owned(), value)),
        }
    }

    /// Shows the other fields after the content, after a blank line.
    fn show_asides(&mut self) -> io::Result<()> {
        let mut lines = Vec::new();
        for (name, value) in std::mem::take(&mut self.asides) {
            if let ShownField::Of(FieldRole::Aside(picks)) = self.role(&name) {
                lines.extend(key_facts::fact_lines(picks, &value));
            }
        }
        if lines.is_empty() {
            return Ok(());
        }
        if self.last.is_some() {
            self.end_line()?;
            self.show("\n")?;
        }
        self.show(&lines.join("\n"))
    }

    /// Ends a value that was shown with its name when another field begins.
    fn end_value(&mut self, name: &str) -> io::Result<()> {
        if self.named.as_deref().is_some_and(|named| named != name) {
            self.named = None;
            self.end_line()?;
        }
        Ok(())
    }

    /// Shows one of several results: its first field is the heading, the others follow under it.
    fn result(&mut self, number: usize, result: &Value) -> io::Result<()> {
        let fields = result.as_object().into_iter().flatten();
        let texts = fields.map(|(name, value)| match value {
            Value::String(text) => text.clone(),
            value => format!("{name}: {value}"),
        });
        let indent = number.to_string().len() + 2;
        for (index, text) in texts.filter(|text| !text.is_empty()).enumerate() {
            if self.kind != ScreenMode::Pipe {
                self.spelled += sanitize::count_spelled(&text);
            }
            let text = self.sanitized(&text).replace('\n', " ");
            let colour = self.kind == ScreenMode::ColourTerminal;
            let line = match index {
                0 => format!("{number}. {}\n", color::painted(&text, "1", colour)),
                1 => format!("{:indent$}{}\n", "", color::painted(&text, "36", colour)),
                _ => format!("{:indent$}{text}\n", ""),
            };
            self.out.write_all(line.as_bytes())?;
        }
        self.last = Some('\n');
        Ok(())
    }
}

impl<W: Write> Viewer for ScreenWriter<'_, W> {
    fn text(&mut self, name: &str, piece: &str) -> io::Result<()> {
        self.end_value(name)?;
        let role = self.role(name);
        if let ShownField::Of(FieldRole::Aside(_)) = role {
            self.keep_aside(name, Value::from(piece));
            return Ok(());
        }
        if !piece.is_empty() && !matches!(role, ShownField::Error | ShownField::Note) {
            self.is_content = matches!(role, ShownField::Of(FieldRole::Content));
        }
        match role {
            ShownField::Of(FieldRole::Output | FieldRole::Content) => self.show(piece)?,
            ShownField::Error => self.end.error.push_str(piece),
            ShownField::Note => self.end.note.push_str(piece),
            ShownField::Of(FieldRole::Silent | FieldRole::Aside(_)) | ShownField::Envelope => {}
            // A row that declares a text otherwise is mistaken, and the text is shown all the same.
            ShownField::Unnamed
            | ShownField::Of(FieldRole::Results | FieldRole::ExitCode | FieldRole::Count) => {
                self.show_named(name, piece)?;
            }
        }
        Ok(())
    }

    fn takes_bytes(&self) -> bool {
        self.kind == ScreenMode::Pipe
    }

    fn bytes(&mut self, name: &str, piece: &[u8]) -> io::Result<()> {
        if !matches!(
            self.role(name),
            ShownField::Of(FieldRole::Output | FieldRole::Content)
        ) {
            return self.text(name, &String::from_utf8_lossy(piece));
        }
        let Some(end) = piece.last() else {
            return Ok(());
        };
        self.end_value(name)?;
        self.is_content = matches!(self.role(name), ShownField::Of(FieldRole::Content));
        // Of the last character only a newline matters.
        self.last = Some(char::from(*end));
        self.out.write_all(piece)
    }

    fn value(&mut self, name: &str, value: Value) -> io::Result<()> {
        self.end_value(name)?;
        match (self.role(name), &value) {
            (ShownField::Of(FieldRole::Results), Value::Array(results)) => {
                for (index, result) in results.iter().enumerate() {
                    self.result(index + 1, result)?;
                }
            }
            (ShownField::Of(FieldRole::ExitCode), Value::Number(code)) => {
                // A command's exit code is a byte.
                let code = code.as_u64().and_then(|code| u8::try_from(code).ok());
                self.end.exit = ProgramExit::Code(code.unwrap_or(1));
            }
            (ShownField::Of(FieldRole::Count), Value::Number(count)) => {
                self.end.nothing_found = count.as_u64() == Some(0);
            }
            (ShownField::Of(FieldRole::Silent) | ShownField::Envelope, _) => {}
            (ShownField::Of(FieldRole::Aside(_)), _) => self.keep_aside(name, value),
            _ => {
                self.is_content = false;
                self.show_named(name, &value.to_string())?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn not_all_read(&mut self) {
        self.is_partial = true;
    }
}
