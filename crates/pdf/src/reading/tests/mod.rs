//! Files that the tests write themselves.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::*;

mod font;
mod hostile;
mod layout;
mod page;
mod right_to_left;
mod tables;

/// A file that is being written. Objects 1 and 2 are the catalog and the page tree.
struct File {
    objects: Vec<Vec<u8>>,
    pages: Vec<usize>,
    trailer: String,
}

/// Four fonts without widths: those of every viewer.
const FONTS: &str = "/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding \
                     /WinAnsiEncoding >> /F2 << /Type /Font /Subtype /Type1 /BaseFont \
                     /Helvetica-Bold >> /F3 << /Type /Font /Subtype /Type1 /BaseFont /Courier >> \
                     /F4 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Oblique >> >>";

impl File {
    fn new() -> Self {
        Self {
            objects: vec![Vec::new(), Vec::new()],
            pages: Vec::new(),
            trailer: String::new(),
        }
    }

    /// Adds an object; gives its number.
    fn add(&mut self, object: impl Into<Vec<u8>>) -> usize {
        self.objects.push(object.into());
        self.objects.len()
    }

    /// Adds a stream with these entries.
    fn stream(&mut self, entries: &str, data: &[u8]) -> usize {
        let mut object = format!("<< {entries} /Length {} >>\nstream\n", data.len()).into_bytes();
        object.extend(data);
        object.extend(b"\nendstream");
        self.add(object)
    }

    /// Adds a page with these contents and entries.
    fn page_with(&mut self, content: &str, entries: &str) {
        let content = self.stream("", content.as_bytes());
        let page = self.add(format!(
            "<< /Type /Page /Parent 2 0 R /Contents {content} 0 R {entries} >>"
        ));
        self.pages.push(page);
    }

    /// Adds a page that has the fonts.
    fn page(&mut self, content: &str) {
        self.page_with(content, &format!("/Resources << {FONTS} >>"));
    }

    /// The file, with these entries in its catalog.
    fn finish_with(mut self, entries: &str) -> Vec<u8> {
        let mut kids = String::new();
        for page in &self.pages {
            write!(kids, "{page} 0 R ").unwrap();
        }
        let count = self.pages.len();
        if self.objects[0].is_empty() {
            self.objects[0] = format!("<< /Type /Catalog /Pages 2 0 R {entries} >>").into_bytes();
        }
        if self.objects[1].is_empty() {
            let tree =
                format!("<< /Type /Pages /Kids [{kids}] /Count {count} /MediaBox [0 0 612 792] >>");
            self.objects[1] = tree.into_bytes();
        }
        let mut file = b"%PDF-1.7\n".to_vec();
        let mut places = Vec::new();
        for (index, object) in self.objects.iter().enumerate() {
            places.push(file.len());
            file.extend(format!("{} 0 obj\n", index + 1).bytes());
            file.extend(object);
            file.extend(b"\nendobj\n");
        }
        let start = file.len();
        let mut end = format!("xref\n0 {}\n0000000000 65535 f \n", places.len() + 1);
        for place in &places {
            writeln!(end, "{place:010} 00000 n ").unwrap();
        }
        let size = places.len() + 1;
        let more = &self.trailer;
        write!(
            end,
            "trailer\n<< /Size {size} /Root 1 0 R {more} >>\nstartxref\n{start}\n%%EOF\n"
        )
        .unwrap();
        file.extend(end.bytes());
        file
    }

    fn finish(self) -> Vec<u8> {
        self.finish_with("")
    }
}

fn read(bytes: &[u8], limits: &FileLimits) -> Result<DocumentModel, PdfError> {
    PdfReading::read(bytes, limits)?.build(Vec::new())
}

/// Reads a file; a panic is an error.
fn read_guarded(bytes: &[u8], limits: &FileLimits) -> Result<DocumentModel, PdfError> {
    PdfReading::new(bytes, limits)?.build(Vec::new())
}

/// The Markdown that a file becomes.
fn convert_bytes(bytes: &[u8]) -> Result<Document, PdfError> {
    PdfReading::new(bytes, &FileLimits::default())?.convert(Vec::new())
}

/// A file of one page.
fn page(content: &str) -> Vec<u8> {
    let mut file = File::new();
    file.page(content);
    file.finish()
}

/// Lines one below the other, 12 points apart, of ten points; an empty one is a wider gap.
fn lines(lines: &[&str]) -> String {
    text_at(72.0, 700.0, 12.0, lines)
}

fn text_at(x: f32, y: f32, lead: f32, lines: &[&str]) -> String {
    let mut content = String::new();
    for (index, line) in lines.iter().enumerate() {
        let y = y - index as f32 * lead;
        writeln!(content, "BT /F1 10 Tf {x} {y} Td ({line}) Tj ET").unwrap();
    }
    content
}

/// The model that a file becomes, in one line.
fn model(bytes: &[u8]) -> String {
    format!("{:?}", read(bytes, &FileLimits::default()).unwrap())
}

/// The text of a file, without anything else.
fn text(bytes: &[u8]) -> String {
    let read = read(bytes, &FileLimits::default()).unwrap();
    read.beginning(usize::MAX)
}

fn error(bytes: &[u8]) -> PdfError {
    let end = Instant::now() + Duration::from_secs(20);
    let limits = FileLimits {
        end: Some(end),
        ..FileLimits::default()
    };
    read_guarded(bytes, &limits).unwrap_err()
}
