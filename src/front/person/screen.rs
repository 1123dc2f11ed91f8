//! An answer as a person reads it: the output itself, results as a short list, errors on stderr.

use std::io::{self, BufWriter, Write};

use serde_json::Value;

use crate::console::streams::Stdout;
use crate::console::{color, sanitize};
use crate::contract::reply::Viewer;
use crate::contract::tool::Tool;
use crate::program::Exit;

/// An answer on its way to the terminal on stdout.
pub struct Screen<'a> {
    tool: &'a Tool,
    out: BufWriter<Stdout>,
    colour: bool,
    /// The last character shown.
    last: Option<char>,
    exit: Exit,
    error: String,
    note: String,
    nothing_found: bool,
}

impl<'a> Screen<'a> {
    /// A screen for an answer of `tool`.
    pub fn new(tool: &'a Tool) -> Self {
        Self {
            tool,
            out: BufWriter::new(Stdout::default()),
            colour: color::coloured(&io::stdout()),
            last: None,
            exit: Exit::Success,
            error: String::new(),
            note: String::new(),
            nothing_found: false,
        }
    }

    /// Ends the answer: the terminal's next line is free, and what belongs on stderr is there. Comes back with how the
    /// program is to end: as the command did, where there was one.
    pub fn finish(mut self) -> io::Result<Exit> {
        if self.last.is_some_and(|last| last != '\n') {
            self.out.write_all(b"\n")?;
        }
        self.out.flush()?;
        let speaker = self.tool.command();
        if !self.error.is_empty() {
            color::complain(speaker, &self.error);
            self.exit = Exit::Failure;
        }
        if !self.note.is_empty() {
            color::complain(speaker, &self.note);
        }
        if self.nothing_found && self.last.is_none() {
            color::complain(speaker, "nothing found");
        }
        Ok(self.exit)
    }

    fn show(&mut self, text: &str) -> io::Result<()> {
        self.last = text.chars().next_back().or(self.last);
        self.out.write_all(sanitize::shown(text).as_bytes())
    }

    /// Shows one of several results: its first field is the heading, the others stand under it.
    fn result(&mut self, number: usize, result: &Value) -> io::Result<()> {
        let fields = result.as_object().into_iter().flatten();
        let texts = fields.filter_map(|(_, value)| value.as_str());
        let indent = number.to_string().len() + 2;
        for (at, text) in texts.filter(|text| !text.is_empty()).enumerate() {
            let text = sanitize::shown(text).replace('\n', " ");
            let line = match at {
                0 => format!("{number}. {}\n", color::painted(&text, "1", self.colour)),
                1 => format!(
                    "{:indent$}{}\n",
                    "",
                    color::painted(&text, "36", self.colour)
                ),
                _ => format!("{:indent$}{text}\n", ""),
            };
            self.out.write_all(line.as_bytes())?;
        }
        self.last = Some('\n');
        Ok(())
    }
}

impl Viewer for Screen<'_> {
    fn text(&mut self, name: &str, piece: &str) -> io::Result<()> {
        match name {
            "output" | "content" => self.show(piece)?,
            "error" => self.error.push_str(piece),
            "note" => self.note.push_str(piece),
            _ => {}
        }
        Ok(())
    }

    fn value(&mut self, name: &str, value: Value) -> io::Result<()> {
        match (name, &value) {
            ("results", Value::Array(results)) => {
                for (at, result) in results.iter().enumerate() {
                    self.result(at + 1, result)?;
                }
            }
            ("exit_code", Value::Number(code)) => {
                // A command's exit code is a byte.
                let code = code.as_u64().and_then(|code| u8::try_from(code).ok());
                self.exit = Exit::Code(code.unwrap_or(1));
            }
            ("count", Value::Number(count)) => self.nothing_found = count.as_u64() == Some(0),
            _ => {}
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
