//! The reader of Jupyter notebooks: their cells in order, code in fences, outputs as far as they are
//! text.
//!
//! Rules: nbformat 4. Cells of text are Markdown already, so that the model has no part in this.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::marker::PhantomData;
use std::time::Instant;

use memchr::memmem;
use regex::Regex;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::markdown::block_fence;
use super::{Document, DocumentCuts, DocumentError, FileKind, FileLimits};

/// The most elements of a list that are read, as cells or the outputs of one.
const MOST_ELEMENTS: usize = 20_000;

/// The length of the Markdown from which on no further cell is added, in bytes.
const MAX_TEXT: usize = 16 << 20;

/// The shortest run of base64 that is left out of a text.
const SHORTEST_DATA: usize = 64;

/// Colours, cursor movements and titles of terminals (ECMA-48).
const TERMINAL_CODES: &str =
    "\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[ -/]*[0-Z\\\\^-~])";

/// True if a file is a notebook with cells. Many files merely name the fields of one.
pub(super) fn is_notebook(bytes: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct NotebookFields {
        nbformat: u32,
        #[serde(rename = "cells")]
        _cells: Vec<IgnoredAny>,
    }
    memmem::find(bytes, b"\"nbformat\"").is_some()
        && serde_json::from_slice(bytes).is_ok_and(|NotebookFields { nbformat, .. }| nbformat >= 4)
}

#[derive(Deserialize)]
struct Notebook<'a> {
    #[serde(borrow)]
    cells: FirstElements<&'a RawValue>,
    #[serde(default)]
    metadata: NotebookMetadata,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct NotebookMetadata {
    language_info: NotebookLanguage,
    kernelspec: NotebookLanguage,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct NotebookLanguage {
    name: String,
    language: String,
}

#[derive(Deserialize)]
struct NotebookCell<'a> {
    #[serde(borrow)]
    cell_type: Cow<'a, str>,
    #[serde(default)]
    source: JoinedText,
    #[serde(borrow, default)]
    outputs: FirstElements<CellOutput<'a>>,
}

#[derive(Deserialize)]
struct CellOutput<'a> {
    #[serde(borrow)]
    output_type: Cow<'a, str>,
    #[serde(default)]
    text: JoinedText,
    #[serde(default)]
    data: OutputData,
    #[serde(default)]
    ename: String,
    #[serde(default)]
    evalue: String,
    #[serde(default)]
    traceback: FirstElements<String>,
}

/// The forms of one output, by their media types.
#[derive(Default, Deserialize)]
#[serde(default)]
struct OutputData {
    #[serde(rename = "text/plain")]
    plain: JoinedText,
    #[serde(rename = "text/markdown")]
    markdown: JoinedText,
    #[serde(rename = "text/latex")]
    latex: JoinedText,
    #[serde(rename = "text/html")]
    html: JoinedText,
    #[serde(rename = "image/png")]
    png: JoinedText,
    #[serde(rename = "image/jpeg")]
    jpeg: JoinedText,
    #[serde(rename = "image/gif")]
    gif: JoinedText,
    #[serde(rename = "image/svg+xml")]
    svg: JoinedText,
}

/// A text that is written whole or as a list of its lines.
#[derive(Default)]
struct JoinedText(String);

impl<'de> Deserialize<'de> for JoinedText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct JoinedTextVisitor;
        impl<'de> Visitor<'de> for JoinedTextVisitor {
            type Value = JoinedText;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a text or a list of lines")
            }

            fn visit_str<E>(self, text: &str) -> Result<JoinedText, E> {
                Ok(JoinedText(text.to_owned()))
            }

            fn visit_unit<E>(self) -> Result<JoinedText, E> {
                Ok(JoinedText::default())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut lines: A) -> Result<JoinedText, A::Error> {
                let mut text = String::new();
                while let Some(line) = lines.next_element::<Cow<'de, str>>()? {
                    text.push_str(&line);
                }
                Ok(JoinedText(text))
            }
        }
        deserializer.deserialize_any(JoinedTextVisitor)
    }
}

/// The first elements of a list, which may have any number.
struct FirstElements<T> {
    elements: Vec<T>,
    is_cut: bool,
}

impl<T> Default for FirstElements<T> {
    fn default() -> Self {
        Self {
            elements: Vec::new(),
            is_cut: false,
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for FirstElements<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FirstElementsVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for FirstElementsVisitor<T> {
            type Value = FirstElements<T>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut first = FirstElements::default();
                while first.elements.len() < MOST_ELEMENTS {
                    let Some(element) = list.next_element()? else {
                        return Ok(first);
                    };
                    first.elements.push(element);
                }
                while let Some(IgnoredAny) = list.next_element()? {
                    first.is_cut = true;
                }
                Ok(first)
            }
        }
        deserializer.deserialize_seq(FirstElementsVisitor(PhantomData))
    }
}

/// Reads a notebook.
pub(super) fn read(bytes: &[u8], limits: &FileLimits) -> Result<Document, DocumentError> {
    let notebook: Notebook<'_> =
        serde_json::from_slice(bytes).map_err(|_| DocumentError::Damaged)?;
    let NotebookMetadata {
        language_info,
        kernelspec,
    } = notebook.metadata;
    let mut language = language_info.name;
    if language.is_empty() {
        language = kernelspec.language;
    }
    language.retain(|c| c.is_ascii_alphanumeric() || "+-#._".contains(c));
    let mut cuts = DocumentCuts {
        memory: notebook.cells.is_cut,
        ..DocumentCuts::default()
    };
    let mut writer = NotebookWriter::default();
    for (at, cell) in notebook.cells.elements.iter().enumerate() {
        if limits.end.is_some_and(|end| Instant::now() >= end) {
            cuts.time = true;
            break;
        }
        if writer.markdown.len() > MAX_TEXT {
            cuts.memory = true;
            break;
        }
        match serde_json::from_str(cell.get()) {
            Ok(cell) => cuts.memory |= writer.add_cell(at + 1, &cell, &language),
            Err(_) => cuts.damage = true,
        }
    }
    if writer.markdown.is_empty() && cuts == DocumentCuts::default() {
        return Err(DocumentError::NoText(FileKind::Ipynb));
    }
    let markdown = writer.markdown;
    Ok(Document {
        markdown,
        ..Document::default()
    }
    .cut(cuts))
}

#[derive(Default)]
struct NotebookWriter {
    markdown: String,
    terminal_codes: Option<Regex>,
}

impl NotebookWriter {
    /// Adds a cell, unless it is empty; true if some of its outputs were left out.
    fn add_cell(&mut self, number: usize, cell: &NotebookCell<'_>, language: &str) -> bool {
        let source = cell.source.0.trim_end();
        if source.is_empty() && cell.outputs.elements.is_empty() {
            return false;
        }
        let kind = match &*cell.cell_type {
            kind @ ("code" | "markdown" | "raw") => kind,
            _ => "other",
        };
        self.add_line(&format!("[cell {number}: {kind}]"));
        match kind {
            _ if source.is_empty() => {}
            "markdown" => self.add_block(&without_data(source)),
            "code" => self.add_fenced(source, language),
            _ => self.add_fenced(source, ""),
        }
        for output in &cell.outputs.elements {
            self.add_output(output);
        }
        cell.outputs.is_cut
    }

    fn add_output(&mut self, output: &CellOutput<'_>) {
        let data = &output.data;
        let kind = if output.output_type == "error" {
            "error"
        } else {
            "output"
        };
        for (media_type, image) in [
            ("image/png", &data.png.0),
            ("image/jpeg", &data.jpeg.0),
            ("image/gif", &data.gif.0),
        ] {
            if !image.is_empty() {
                let bytes = image
                    .bytes()
                    .filter(|byte| !byte.is_ascii_whitespace())
                    .count()
                    * 3
                    / 4;
                self.add_line(&format!("[{kind}: {media_type}, {bytes} bytes]"));
            }
        }
        if !data.svg.0.is_empty() {
            self.add_line(&format!(
                "[{kind}: image/svg+xml, {} bytes]",
                data.svg.0.len()
            ));
        }
        let traceback = output.traceback.elements.join("\n");
        let error = match kind {
            "error" => format!("{}: {}", output.ename, output.evalue),
            _ => String::new(),
        };
        let texts = [
            &output.text.0,
            &data.markdown.0,
            &data.plain.0,
            &data.latex.0,
            &traceback,
            &error,
        ];
        if let Some(text) = texts.into_iter().find(|text| !text.trim().is_empty()) {
            self.add_line(&format!("[{kind}]"));
            let text = self.without_terminal_codes(text);
            self.add_fenced(without_data(&text).trim_end(), "");
        } else if !data.html.0.is_empty() {
            self.add_line(&format!("[{kind}: text/html, {} bytes]", data.html.0.len()));
        }
    }

    fn without_terminal_codes<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        if !text.contains('\x1b') {
            return Cow::Borrowed(text);
        }
        if self.terminal_codes.is_none() {
            self.terminal_codes = Regex::new(TERMINAL_CODES).ok();
        }
        match &self.terminal_codes {
            Some(codes) => codes.replace_all(text, ""),
            None => Cow::Borrowed(text),
        }
    }

    /// Adds a line behind an empty one.
    fn add_line(&mut self, line: &str) {
        if !self.markdown.is_empty() {
            self.markdown.push_str("\n\n");
        }
        self.markdown.push_str(line);
    }

    fn add_block(&mut self, text: &str) {
        self.markdown.push('\n');
        self.markdown.push_str(text);
    }

    fn add_fenced(&mut self, code: &str, language: &str) {
        let (mark, length) = block_fence(code);
        let fence = mark.to_string().repeat(length);
        let _ = write!(self.markdown, "\n{fence}{language}\n{code}\n{fence}");
    }
}

/// A text without the files that are written in it as base64.
fn without_data(text: &str) -> Cow<'_, str> {
    const MARK: &str = ";base64,";
    let mut left = String::new();
    let mut from = 0;
    for (at, _) in text.match_indices(MARK) {
        let start = at + MARK.len();
        let is_data = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
        let length = text.as_bytes()[start..]
            .iter()
            .take_while(|byte| is_data(byte))
            .count();
        if length >= SHORTEST_DATA {
            let _ = write!(left, "{}[{} bytes]", &text[from..start], length * 3 / 4);
            from = start + length;
        }
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    left.push_str(&text[from..]);
    Cow::Owned(left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::convert_file;

    fn converted(notebook: &str) -> String {
        let bytes = notebook.as_bytes();
        assert_eq!(FileKind::of(bytes), Some(FileKind::Ipynb), "{notebook}");
        convert_file(bytes, FileKind::Ipynb, &FileLimits::default())
            .unwrap()
            .markdown
    }

    #[test]
    fn cells_and_their_outputs_stand_in_order() {
        let data = "iVBORw0KGgo".repeat(40);
        let notebook = serde_json::json!({
            "cells": [
                {"cell_type": "markdown", "source": ["# Title\n", format!("![a](data:image/png;base64,{data})")]},
                {"cell_type": "code", "source": "print('```')\n```", "outputs": [
                    {"output_type": "stream", "name": "stdout", "text": ["one\n", "two\n"]},
                    {"output_type": "display_data", "data": {"image/png": data, "text/plain": "<Figure>"}},
                    {"output_type": "execute_result", "data": {"text/html": "<b>x</b>"}},
                    {"output_type": "error", "ename": "E", "evalue": "v",
                     "traceback": ["\u{1b}[0;31mE\u{1b}[0m: v", "\u{1b}]0;title\u{7}end"]},
                ]},
                {"cell_type": "code", "source": [], "outputs": []},
                {"cell_type": "raw", "source": "raw"},
            ],
            "metadata": {"kernelspec": {"display_name": "J", "language": "julia", "name": "julia-1.9"}},
            "nbformat": 4, "nbformat_minor": 5,
        });
        let shown = converted(&notebook.to_string());
        assert_eq!(
            shown,
            "[cell 1: markdown]\n# Title\n![a](data:image/png;base64,[330 bytes])\n\n\
             [cell 2: code]\n````julia\nprint('```')\n```\n````\n\n\
             [output]\n```\none\ntwo\n```\n\n\
             [output: image/png, 330 bytes]\n\n\
             [output]\n```\n<Figure>\n```\n\n\
             [output: text/html, 8 bytes]\n\n\
             [error]\n```\nE: v\nend\n```\n\n\
             [cell 4: raw]\n```\nraw\n```"
        );
    }

    #[test]
    fn a_file_that_only_names_the_fields_of_one_is_none() {
        for other in [
            r#"{"properties": {"nbformat": {}, "cells": {}}}"#,
            r#"{"nbformat": 4}"#,
            r#"{"nbformat": 3, "cells": []}"#,
            r#"{"nbformat": 4, "cells": {}}"#,
            r#"{"nbformat": 4, "cells": []"#,
            r#"["nbformat"]"#,
        ] {
            assert_eq!(FileKind::of(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn what_is_wrong_in_a_cell_is_left_out_and_said() {
        let shown = converted(
            r#"{"nbformat": 4, "cells": [{"cell_type": 1}, 5, {"cell_type": "code", "source": "a"}]}"#,
        );
        assert!(shown.starts_with("[cell 3: code]\n```\na\n```"), "{shown}");
        assert!(shown.contains("[The file is damaged"), "{shown}");
    }

    #[test]
    fn many_cells_cost_what_is_shown() {
        let cells = "{\"cell_type\":\"code\",\"source\":\"a\"},".repeat(MOST_ELEMENTS + 9);
        let shown = converted(&format!("{{\"cells\":[{cells}1],\"nbformat\":4}}"));
        assert!(shown.ends_with("too many elements to be converted whole.]"));
        assert!(shown.contains("[cell 20000: code]") && !shown.contains("[cell 20001"));
    }
}
