//! The reader of Jupyter notebooks: their cells in order, code in fences, outputs as far as they
//! are text, or HTML, LaTeX or JSON where there is no other text.
//!
//! Rules: nbformat 4, and 2 and 3, whose cells are in worksheets. Cells of text are Markdown
//! already, so that the model has no part in this.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::time::Instant;

use memchr::memmem;
use regex::{Captures, Regex};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::office::blocks::BlockWriter;
use crate::block_document;
use crate::embedded_page::append_page;
use crate::error::DocumentError;
use crate::kinds::FileKind;
use iki_base::wording::floor_boundary;
use iki_html::PageSyntax;
use iki_markdown::document::{Document, DocumentCuts};
use iki_markdown::limits::FileLimits;
use iki_markdown::limits::is_past;
use iki_markdown::writer::block_fence;

/// Maximum number of elements of a list that are read: cells, outputs of a cell, lines.
const MAX_ELEMENTS: usize = 1_000_000;

/// Length of the Markdown at which no further cell is added, in bytes.
const MAX_TEXT: usize = 16 << 20;

/// Maximum length of the name of a language, in bytes: each cell repeats it.
const MAX_LANGUAGE_BYTES: usize = 40;

/// Maximum length of an output in JSON, in bytes.
const MAX_JSON_BYTES: usize = 10 * 1024;

/// Text that no reader wants: embedded files, and what sets the colours, places and titles of a
/// terminal (ECMA-48).
const NOT_TEXT: &str = concat!(
    ";base64,([A-Za-z0-9+/=]{64,})|",
    "\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[ -/]*[0-Z\\\\^-~])",
);

/// The media types of outputs of which only the size is shown.
const HIDDEN_MEDIA_TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/svg+xml", "text/html"];

/// True if a file is a notebook with cells. Many files merely name the fields of one.
pub(super) fn is_notebook(bytes: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct NotebookFields {
        nbformat: u32,
        cells: Option<Vec<IgnoredAny>>,
        worksheets: Option<Vec<IgnoredAny>>,
    }
    let is_one = |fields: NotebookFields| match fields.nbformat {
        0..2 => false,
        2 | 3 => fields.worksheets.is_some(),
        _ => fields.cells.is_some(),
    };
    memmem::find(bytes, b"\"nbformat\"").is_some()
        && serde_json::from_slice(bytes).is_ok_and(is_one)
}

#[derive(Deserialize)]
struct Notebook<'a> {
    #[serde(borrow)]
    cells: Option<&'a RawValue>,
    worksheets: Option<&'a RawValue>,
    #[serde(default)]
    metadata: NotebookMetadata,
}

/// A sheet of nbformat 2 or 3.
#[derive(Deserialize)]
struct Worksheet<'a> {
    #[serde(borrow)]
    cells: Option<&'a RawValue>,
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
    #[serde(alias = "input")]
    source: Option<&'a RawValue>,
    /// The level of a heading, and the language of code, in nbformat 2 and 3.
    level: Option<usize>,
    language: Option<String>,
    outputs: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct CellOutput<'a> {
    #[serde(borrow)]
    output_type: Cow<'a, str>,
    #[serde(alias = "output_text")]
    text: Option<&'a RawValue>,
    /// Its forms by their media types.
    #[serde(default)]
    data: BTreeMap<Cow<'a, str>, &'a RawValue>,
    /// In nbformat 2 and 3 these are fields of the output itself.
    #[serde(alias = "output_png")]
    png: Option<&'a RawValue>,
    #[serde(alias = "output_jpeg")]
    jpeg: Option<&'a RawValue>,
    #[serde(alias = "output_svg")]
    svg: Option<&'a RawValue>,
    #[serde(alias = "output_html")]
    html: Option<&'a RawValue>,
    #[serde(alias = "output_latex")]
    latex: Option<&'a RawValue>,
    #[serde(alias = "output_json")]
    json: Option<&'a RawValue>,
    traceback: Option<&'a RawValue>,
}

impl<'a> CellOutput<'a> {
    /// Its form of a media type.
    fn form(&self, media_type: &str) -> Option<&'a RawValue> {
        let field = match media_type {
            "image/png" => self.png,
            "image/jpeg" => self.jpeg,
            "image/svg+xml" => self.svg,
            "text/html" => self.html,
            "text/latex" => self.latex,
            "application/json" => self.json,
            _ => None,
        };
        self.data.get(media_type).copied().or(field)
    }
}

/// The first elements of a list, which may have any number; each is read by itself.
struct RawElements<'a> {
    elements: Vec<&'a RawValue>,
    is_cut: bool,
}

impl<'de> Deserialize<'de> for RawElements<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RawElementsVisitor;
        impl<'de> Visitor<'de> for RawElementsVisitor {
            type Value = RawElements<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut elements = Vec::new();
                while elements.len() < MAX_ELEMENTS {
                    let Some(element) = list.next_element()? else {
                        break;
                    };
                    elements.push(element);
                }
                let mut is_cut = false;
                while let Some(IgnoredAny) = list.next_element()? {
                    is_cut = true;
                }
                Ok(RawElements { elements, is_cut })
            }
        }
        deserializer.deserialize_seq(RawElementsVisitor)
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
    let mut writer = NotebookWriter {
        language: name_of_language(language),
        end: limits.end,
        markdown: String::new(),
        cuts: DocumentCuts::default(),
        not_text: Regex::new(NOT_TEXT).map_err(|_| DocumentError::TooCostly)?,
    };
    let mut cells = writer.elements(notebook.cells);
    for sheet in writer.elements(notebook.worksheets) {
        match serde_json::from_str::<Worksheet<'_>>(sheet.get()) {
            Ok(sheet) => cells.extend(writer.elements(sheet.cells)),
            Err(_) => writer.cuts.damage = true,
        }
    }
    for (index, cell) in cells.into_iter().enumerate() {
        if is_past(limits.end) {
            writer.cuts.time = true;
            break;
        }
        if writer.markdown.len() > MAX_TEXT {
            writer.cuts.memory = true;
            break;
        }
        if writer.add_cell(index + 1, cell).is_err() {
            writer.cuts.damage = true;
        }
    }
    if writer.markdown.is_empty() && writer.cuts == DocumentCuts::default() {
        return Err(DocumentError::NoText(FileKind::Ipynb));
    }
    let document = Document {
        markdown: writer.markdown,
        ..Document::default()
    };
    Ok(document.cut(writer.cuts))
}

struct NotebookWriter {
    language: String,
    end: Option<Instant>,
    markdown: String,
    cuts: DocumentCuts,
    not_text: Regex,
}

impl NotebookWriter {
    fn elements<'a>(&mut self, list: Option<&'a RawValue>) -> Vec<&'a RawValue> {
        let read = list.and_then(|list| serde_json::from_str::<RawElements<'a>>(list.get()).ok());
        let Some(RawElements { elements, is_cut }) = read else {
            return Vec::new();
        };
        self.cuts.memory |= is_cut;
        elements
    }

    /// A text that is written whole or as a list of its lines.
    fn text(&mut self, value: Option<&RawValue>, between: &str) -> String {
        let parsed = |value: &RawValue| serde_json::from_str::<String>(value.get());
        if let Some(Ok(text)) = value.map(parsed) {
            return text;
        }
        let mut text = String::new();
        for line in self.elements(value) {
            match parsed(line) {
                Ok(line) => text.extend([if text.is_empty() { "" } else { between }, &line]),
                Err(_) => self.cuts.damage = true,
            }
        }
        text
    }

    /// Adds a cell, unless it is empty.
    fn add_cell(&mut self, number: usize, cell: &RawValue) -> serde_json::Result<()> {
        let cell: NotebookCell<'_> = serde_json::from_str(cell.get())?;
        let outputs = self.elements(cell.outputs);
        let source = self.text(cell.source, "");
        let source = source.trim_end();
        if source.is_empty() && outputs.is_empty() {
            return Ok(());
        }
        let kind = match &*cell.cell_type {
            kind @ ("code" | "markdown" | "raw" | "heading") => kind,
            _ => "other",
        };
        self.add_line(&format!("[cell {number}: {kind}]"));
        match kind {
            _ if source.is_empty() => {}
            "markdown" | "heading" => {
                self.markdown.push('\n');
                if kind == "heading" {
                    let level = cell.level.unwrap_or(1).clamp(1, 6);
                    let _ = write!(self.markdown, "{} ", "#".repeat(level));
                }
                let source = self.as_text(source);
                self.markdown.push_str(&source);
            }
            "code" => {
                let mut language = self.language.clone();
                if language.is_empty() {
                    language = name_of_language(cell.language.unwrap_or_default());
                }
                self.add_fenced(source, &language);
            }
            _ => self.add_fenced(source, ""),
        }
        outputs
            .into_iter()
            .try_for_each(|output| self.add_output(output))
    }

    fn add_output(&mut self, output: &RawValue) -> serde_json::Result<()> {
        let output: CellOutput<'_> = serde_json::from_str(output.get())?;
        let form = |media_type| output.form(media_type);
        let is_error = matches!(&*output.output_type, "error" | "pyerr");
        let kind = if is_error { "error" } else { "output" };
        let mut output_text = String::new();
        let texts = ["text/markdown", "text/plain", "text/csv"].map(form);
        for form in [output.text].into_iter().chain(texts) {
            if output_text.is_empty() {
                output_text = self.text(form, "");
            }
        }
        if is_error {
            output_text = self.text(output.traceback, "\n");
        } else if says_nothing(&output_text) {
            // What the plain text is a mere name for.
            let html = self.text(form("text/html"), "");
            let markdown = self.page_markdown(&html);
            let latex = self.text(form("text/latex"), "");
            if !markdown.is_empty() || !latex.trim().is_empty() {
                self.add_line("[output]\n");
                let rich = if markdown.is_empty() {
                    as_formula(&latex)
                } else {
                    markdown
                };
                self.markdown.push_str(&rich);
                return Ok(());
            }
            if let Some(json) = form("application/json") {
                self.add_line("[output]");
                self.add_json(json.get());
                return Ok(());
            }
            for (media_type, json) in &output.data {
                if media_type.ends_with("+json") {
                    let bytes = json.get().len();
                    self.add_line(&format!("[{kind}: {media_type}, {bytes} bytes]"));
                }
            }
        }
        for media_type in HIDDEN_MEDIA_TYPES {
            let is_beside = media_type == "text/html" && !output_text.is_empty();
            let text = self.text(form(media_type), "");
            if text.is_empty() || is_beside {
                continue;
            }
            let bytes = match media_type {
                "image/svg+xml" | "text/html" => text.len(),
                _ => text.split_ascii_whitespace().map(str::len).sum::<usize>() * 3 / 4,
            };
            self.add_line(&format!("[{kind}: {media_type}, {bytes} bytes]"));
        }
        if !output_text.trim().is_empty() {
            self.add_line(&format!("[{kind}]"));
            let text = last_states(&self.as_text(&output_text));
            self.add_fenced(text.trim_end(), "");
        }
        Ok(())
    }

    /// A page as Markdown; empty if it shows no text.
    fn page_markdown(&mut self, page: &str) -> String {
        if page.trim().is_empty() {
            return String::new();
        }
        let mut blocks = BlockWriter::default();
        append_page(page, "output", PageSyntax::Html, self.end, &mut blocks);
        let Ok(document) = block_document::write(blocks, FileKind::Ipynb, false, self.end) else {
            return String::new();
        };
        self.cuts.memory |= document.cuts.memory;
        self.cuts.time |= document.cuts.time;
        self.as_text(&document.markdown).into_owned()
    }

    fn add_json(&mut self, json: &str) {
        let limit = floor_boundary(json, MAX_JSON_BYTES);
        let json = self.as_text(&json[..limit]).into_owned();
        self.add_fenced(&json, "json");
        if limit == MAX_JSON_BYTES {
            self.markdown.push_str("\n[The rest is left out.]");
        }
    }

    /// A text without embedded files and control sequences.
    fn as_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.not_text
            .replace_all(text, |captures: &Captures<'_>| match captures.get(1) {
                Some(data) => format!(";base64,[{} bytes]", data.len() * 3 / 4),
                None => String::new(),
            })
    }

    /// Adds a line after an empty one.
    fn add_line(&mut self, line: &str) {
        if !self.markdown.is_empty() {
            self.markdown.push_str("\n\n");
        }
        self.markdown.push_str(line);
    }

    fn add_fenced(&mut self, code: &str, language: &str) {
        let (mark, length) = block_fence(code);
        let fence = mark.to_string().repeat(length);
        let _ = write!(self.markdown, "\n{fence}{language}\n{code}\n{fence}");
    }
}

/// Returns the name of a language without what no name has.
fn name_of_language(mut name: String) -> String {
    name.retain(|c| c.is_ascii_alphanumeric() || "+-#._".contains(c));
    name.truncate(MAX_LANGUAGE_BYTES);
    name
}

/// Returns the text as a terminal shows it, where a carriage return begins the line anew.
fn last_states(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let line = line.trim_end_matches('\r');
        line.rsplit('\r').next().unwrap_or_default()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// True if the plain text of an output is missing, or only names an object.
fn says_nothing(text: &str) -> bool {
    let text = text.trim();
    let is_name = text.starts_with('<') && text.ends_with('>') && !text.contains('\n');
    text.is_empty() || is_name && (text.ends_with(" object>") || text.contains(" at 0x"))
}

/// LaTeX as a formula, unless it says itself where its formulas are.
fn as_formula(latex: &str) -> String {
    let latex = latex.trim();
    let has_marks = latex.contains('$')
        || ["\\begin", "\\[", "\\("]
            .iter()
            .any(|mark| latex.starts_with(mark));
    match (has_marks, latex.contains('\n')) {
        (true, _) => latex.to_owned(),
        (false, true) => format!("$$\n{latex}\n$$"),
        (false, false) => format!("${latex}$"),
    }
}

#[cfg(test)]
mod tests;
