//! The reader of PDF files: what their pages say, in the order in which a person reads it.
//!
//! Rules: ISO 32000-2 (PDF 2.0). A page says which glyphs stand where, and no more: lines, blanks,
//! columns, paragraphs, headings and lists are told from where they stand and how large they are.
//!
//! | module | what it is |
//! |---|---|
//! | `file` | objects, streams and pages, within limits |
//! | `opening` | how a file is opened, and what that may cost |
//! | `lexer` | the words of content streams |
//! | `content` | what content streams draw |
//! | `marked_content` | marked content, layers |
//! | `paint` | which text is painted so that it is seen |
//! | `font` | what codes stand for, and their widths |
//! | `runs` | glyphs beside one another |
//! | `layout` | lines, columns, tables |
//! | `text` | paragraphs |
//! | `build` | the model |
//! | `about` | titles and links |
//! | `geometry` | matrices and rectangles |

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "places on pages are small, and what a file makes of them ends at the type's bounds"
)]

use std::fmt;
use std::time::Instant;

use lopdf::Object;

use self::content::{ContentInterpreter, DrawnContent};
use self::file::{PdfFile, PdfPage};
use self::geometry::{Matrix, Rect};
use self::paint::{PaintedAreas, TextPaint};
use self::text::inline::TextContext;
use self::text::{BodyStyle, PageText, furniture, inline, paragraph};
use super::fault;
use super::model::DocumentModel;

mod about;
mod build;
mod content;
mod file;
mod font;
mod geometry;
mod layout;
mod lexer;
mod marked_content;
mod opening;
mod paint;
mod runs;
mod text;

#[cfg(test)]
mod tests;

/// One letter of so many that is not known is said to be missing.
const MANY: usize = 50;

/// The most runs of a document.
const MAX_RUNS: usize = 2_500_000;

/// The most text of a document, in bytes.
const MAX_TEXT: usize = 32 << 20;

/// What the conversion of a PDF file may cost.
#[derive(Clone, Copy, Debug)]
pub struct PdfLimits {
    /// When it has to be done; what was not read until then is left out.
    pub end: Option<Instant>,
    /// How many bytes one stream may be once it is decompressed.
    pub stream: usize,
}

impl PdfLimits {
    /// When pages have to be read, so that there is time to write them.
    fn reading_end(&self) -> Option<Instant> {
        let now = Instant::now();
        let part = |end: Instant| now + end.saturating_duration_since(now) * 3 / 4;
        self.end.map(part)
    }
}

impl Default for PdfLimits {
    fn default() -> Self {
        Self {
            end: None,
            stream: 64 << 20,
        }
    }
}

/// Why a PDF file has no conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PdfError {
    /// It is something else.
    NotPdf,
    /// It is encrypted, and the empty password does not open it.
    Encrypted,
    /// Its objects or its pages cannot be found.
    Damaged,
    /// It has no pages.
    NoPages,
    /// It has pages, and pictures on them, and no text.
    OnlyImages {
        /// How many pages.
        pages: usize,
    },
    /// It has pages with nothing on them that can be read.
    NoText {
        /// How many pages.
        pages: usize,
    },
    /// It has text, and its fonts do not say which letters that is.
    NoLetters {
        /// How many pages.
        pages: usize,
    },
    /// It would take more time or memory than there is.
    TooCostly,
}

impl fmt::Display for PdfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pages = |count: &usize| if *count == 1 { "page" } else { "pages" };
        match self {
            Self::NotPdf => f.write_str("this is not a PDF file"),
            Self::Encrypted => f.write_str("this PDF file needs a password"),
            Self::Damaged => f.write_str("this PDF file is damaged"),
            Self::NoPages => f.write_str("this PDF file has no pages"),
            Self::OnlyImages { pages: count } => write!(
                f,
                "this PDF file has {count} {} of images and no text",
                pages(count)
            ),
            Self::NoText { pages: count } => {
                write!(f, "this PDF file has {count} {} without text", pages(count))
            }
            Self::NoLetters { pages: count } => write!(
                f,
                "this PDF file has {count} {} of text, and its fonts do not say which letters it is",
                pages(count)
            ),
            Self::TooCostly => {
                f.write_str("this PDF file would take more time or memory than there is")
            }
        }
    }
}

impl std::error::Error for PdfError {}

/// A file that was read.
pub(super) struct ParsedPdf {
    pub(super) model: DocumentModel,
    /// Who wrote it, and when it was made, as far as it says so.
    pub(super) author: Option<String>,
    pub(super) date: Option<String>,
    /// How long its text is, addresses included.
    pub(super) length: usize,
    /// How many letters are missing, since no font says what they are; 0 if there are few of them.
    pub(super) unknown: usize,
    /// Whether something was left out, since there was no time for it.
    pub(super) late: bool,
    /// Whether something was left out, since there was too much of it.
    pub(super) cut: bool,
}

/// Reads a file; a panic on the way is a fault of the file.
pub(super) fn read_guarded(bytes: &[u8], limits: &PdfLimits) -> Result<ParsedPdf, PdfError> {
    fault::guarded(|| read(bytes, limits)).unwrap_or_else(|payload| {
        Err(if opening::is_too_heavy(payload.as_ref()) {
            PdfError::TooCostly
        } else {
            PdfError::Damaged
        })
    })
}

/// Reads a file.
fn read(bytes: &[u8], limits: &PdfLimits) -> Result<ParsedPdf, PdfError> {
    let file = PdfFile::open(bytes, limits)?;
    let pages = file.pages();
    if pages.is_empty() {
        return Err(PdfError::NoPages);
    }
    let mut drawn = DrawnContent::new(&file);
    let mut links = about::PdfLinks::default();
    let (mut texts, mut length) = read_pages(&file, &pages, &mut drawn, &mut links);
    let is_empty = |texts: &[PageText]| texts.iter().all(|page| page.regions.is_empty());
    if is_empty(&texts) && drawn.unseen {
        // Nothing else would be left.
        drawn.all = true;
        (texts, length) = read_pages(&file, &pages, &mut drawn, &mut links);
    }
    if is_empty(&texts) {
        let pages = pages.len();
        return Err(match (file.was_late() || file.is_cut(), drawn.images) {
            (true, _) => PdfError::TooCostly,
            _ if drawn.unknown > 0 => PdfError::NoLetters { pages },
            (_, true) => PdfError::OnlyImages { pages },
            _ => PdfError::NoText { pages },
        });
    }
    let mut model = build_model(texts, &links);
    let title = about::title(&file);
    if !title.is_empty() {
        model.title = title;
    }
    Ok(ParsedPdf {
        model,
        author: about::author(&file),
        date: about::date(&file),
        length: bytes.len().max(2 * (length + links.length())),
        unknown: if drawn.unknown * MANY > drawn.glyphs {
            drawn.unknown
        } else {
            0
        },
        late: file.was_late(),
        cut: file.is_cut(),
    })
}

/// The texts of pages, and how long they are.
fn read_pages(
    file: &PdfFile,
    pages: &[PdfPage<'_>],
    drawn: &mut DrawnContent,
    links: &mut about::PdfLinks,
) -> (Vec<PageText>, usize) {
    let mut texts = Vec::with_capacity(pages.len().min(4096));
    let (mut length, mut runs) = (0, 0);
    for page in pages {
        if length > MAX_TEXT || runs > MAX_RUNS {
            file.leave_out();
            break;
        }
        if file.late() {
            break;
        }
        let text = read_page(file, page, drawn, links);
        length += text.text.len();
        runs += drawn.runs.list.len();
        texts.push(text);
    }
    (texts, length)
}

fn build_model(mut texts: Vec<PageText>, links: &about::PdfLinks) -> DocumentModel {
    furniture::remove(&mut texts);
    let body = BodyStyle::of(&texts);
    let hyphenated = inline::hyphenated(&texts);
    let mut paragraphs = Vec::new();
    for (number, page) in texts.iter_mut().enumerate() {
        paragraph::split(number, page, body, &mut paragraphs);
    }
    let context = TextContext {
        pages: &texts,
        links: &links.addresses,
        hyphenated: &hyphenated,
        mono: body.mono,
    };
    let paragraphs = build::join(paragraphs, &context);
    let mut blocks = build::ParagraphWriter::new(&context, body);
    let title = blocks.write(&paragraphs);
    blocks.builder.finish(title)
}

/// What turns a page so that it stands upright.
fn upright(page: &PdfPage<'_>) -> Matrix {
    match page.rotation {
        90 => Matrix([0.0, -1.0, 1.0, 0.0, 0.0, 0.0]),
        180 => Matrix([-1.0, 0.0, 0.0, -1.0, 0.0, 0.0]),
        270 => Matrix([0.0, 1.0, -1.0, 0.0, 0.0, 0.0]),
        _ => Matrix::IDENTITY,
    }
}

fn read_page(
    file: &PdfFile,
    page: &PdfPage<'_>,
    drawn: &mut DrawnContent,
    links: &mut about::PdfLinks,
) -> PageText {
    let upright = upright(page);
    let area = upright.rect(&page.area);
    let mut content = Vec::new();
    match file.get(page.dict, b"Contents") {
        Some(Object::Stream(stream)) => content = file.data(stream),
        Some(Object::Array(streams)) => {
            for stream in streams.iter().take(10_000) {
                if let Object::Stream(stream) = file.resolve(stream) {
                    content.extend(file.data(stream));
                    // A word does not go on in the next stream.
                    content.push(b'\n');
                }
            }
        }
        _ => {}
    }
    drawn.runs = runs::PageRuns::default();
    let mut ground = PaintedAreas::new(area);
    let mut interpreter = ContentInterpreter::new(file, drawn, &mut ground, upright, area);
    interpreter.run(&content, page.resources);
    drop(content);
    about::draw_annotations(
        file,
        page,
        &mut ContentInterpreter::new(file, drawn, &mut ground, upright, area),
    );
    let DrawnContent { runs, unseen, .. } = drawn;
    if !drawn.all {
        runs.list.retain(|run| {
            let shown = run.paint == TextPaint::Seen || ground.shows(run.paint, run.place());
            *unseen |= !shown;
            shown
        });
    }
    links.find(file, page, &upright, &mut runs.list);
    runs.close();
    let text = std::mem::take(&mut runs.text);
    let (regions, angle) = layout::lay_out(&mut runs.list, &text);
    let (low, high) = levels(&area, angle);
    PageText {
        text,
        regions,
        low,
        high,
    }
}

/// The lowest and the highest point of a page in a frame that is turned.
fn levels(area: &Rect, angle: i16) -> (f32, f32) {
    let corners = [
        (area.x0, area.y0),
        (area.x1, area.y0),
        (area.x0, area.y1),
        (area.x1, area.y1),
    ];
    let heights = corners.map(|corner| runs::turned(corner, angle).1);
    let low = heights.into_iter().fold(f32::INFINITY, f32::min);
    (low, heights.into_iter().fold(f32::NEG_INFINITY, f32::max))
}
