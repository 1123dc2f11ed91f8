//! The reader of PDF files: the text of their pages, in the order in which a person reads it.
//!
//! Rules: ISO 32000-2 (PDF 2.0). A page only says which glyphs are where: lines, blanks, columns,
//! paragraphs, headings and lists are inferred from positions and sizes.

use std::cell::OnceCell;
use std::collections::HashMap;

use lopdf::Object;

use crate::content::{ContentInterpreter, DrawnContent};
use crate::error::PdfError;
use crate::file::{PdfFile, PdfPage};
use crate::geometry::Matrix;
use crate::layout::PageRegion;
use crate::paint::{PaintedAreas, TextPaint};
use crate::runs::GlyphRun;
use crate::scanned_page::{ScanImages, ScannedPage};
use crate::text::inline::TextContext;
use crate::text::{BodyStyle, PageText, ParagraphKind, PdfParagraph, furniture, inline, paragraph};
use crate::{annotations, build, layout, metadata, opening, runs, scanned_page};
use iki_markdown::document::{Document, DocumentCuts};
use iki_markdown::limits::FileLimits;
use iki_markdown::model::DocumentModel;
use iki_markdown::{reader_panics, writer};

#[cfg(test)]
mod tests;

/// Unknown letters are reported if at least one in this many is unknown.
const UNKNOWN_SHARE: usize = 50;

/// Limit of a document's runs.
const MAX_RUNS: usize = 2_500_000;

/// Limit of a document's text, in bytes.
const MAX_TEXT: usize = 32 << 20;

/// A PDF file that was read, up to its scanned pages.
pub struct PdfReading<'a> {
    bytes: &'a [u8],
    limits: FileLimits,
    texts: Vec<PageText>,
    links: annotations::PdfLinks,
    /// Length of its text without addresses, in bytes.
    length: usize,
    scans: Vec<ScannedPage>,
    title: String,
    author: Option<String>,
    date: Option<String>,
    /// Number of letters, and of those that no font identifies.
    glyphs: usize,
    unknown: usize,
    /// True if there was a picture.
    has_images: bool,
    /// True if something was left out for lack of time.
    is_late: bool,
    /// True if something was left out because there was too much of it.
    is_cut: bool,
}

impl<'a> PdfReading<'a> {
    /// Reads a file, as much of it as there is time for until `limits.end`. It takes at most some
    /// 400 MiB of memory and, without a deadline, some seconds.
    ///
    /// The file is opened by a library; its panics become [`PdfError::Damaged`].
    pub fn new(bytes: &'a [u8], limits: &FileLimits) -> Result<Self, PdfError> {
        reader_panics::catch_reader_panic(|| Self::read(bytes, limits)).unwrap_or_else(|payload| {
            Err(if opening::is_too_heavy(payload.as_ref()) {
                PdfError::TooCostly
            } else {
                PdfError::Damaged
            })
        })
    }

    fn read(bytes: &'a [u8], limits: &FileLimits) -> Result<Self, PdfError> {
        let file = PdfFile::open(bytes, limits, &[])?;
        let pages = file.pages();
        if pages.is_empty() {
            return Err(PdfError::NoPages);
        }
        let mut drawn = DrawnContent::new(&file);
        let mut links = annotations::PdfLinks::default();
        let (mut texts, mut length) = read_pages(&file, &pages, &mut drawn, &mut links);
        if texts.iter().all(PageText::is_empty) && drawn.has_dropped_unseen {
            // Without hidden text there would be no text at all.
            drawn.keeps_unseen = true;
            (texts, length) = read_pages(&file, &pages, &mut drawn, &mut links);
        }
        Ok(Self {
            bytes,
            limits: *limits,
            texts,
            links,
            length,
            scans: drawn.scans,
            title: metadata::title(&file),
            author: metadata::author(&file),
            date: metadata::date(&file),
            glyphs: drawn.glyphs,
            unknown: drawn.unknown,
            has_images: drawn.has_images,
            is_late: file.was_late(),
            is_cut: file.is_cut(),
        })
    }

    /// Returns the numbers of the pages that are scans, from 1.
    #[must_use]
    pub fn scanned_pages(&self) -> Vec<usize> {
        self.scans.iter().map(|scan| scan.number + 1).collect()
    }

    /// Returns the images of these pages, each of which is made when it is asked for.
    #[must_use]
    pub fn images(&self) -> ScanImages<'_> {
        ScanImages {
            bytes: self.bytes,
            limits: self.limits,
            scans: &self.scans,
            opened: OnceCell::new(),
        }
    }

    /// Converts the file, with the texts that were `recognised` on scanned pages, each with the
    /// number of its page. What was left out is said at the end.
    pub fn convert(self, recognised: Vec<(usize, String)>) -> Result<Document, PdfError> {
        reader_panics::catch_reader_panic(|| self.write(recognised))
            .unwrap_or(Err(PdfError::Damaged))
    }

    fn write(mut self, recognised: Vec<(usize, String)>) -> Result<Document, PdfError> {
        let mut model = self.build(recognised)?;
        // At least the length of the file.
        let length = 2 * (self.length + self.links.length());
        let length = length.max(self.bytes.len());
        let title = std::mem::take(&mut model.title);
        let (markdown, cuts) = writer::write(&model, length, self.limits.end);
        let document = Document {
            title,
            markdown,
            author: self.author,
            date: self.date,
            ..Document::default()
        };
        let is_reported = self.unknown * UNKNOWN_SHARE > self.glyphs;
        Ok(document.cut(cuts.and(DocumentCuts {
            memory: self.is_cut,
            time: self.is_late,
            characters: if is_reported { self.unknown } else { 0 },
            ..DocumentCuts::default()
        })))
    }

    /// Builds the model, which takes the texts away.
    fn build(&mut self, recognised: Vec<(usize, String)>) -> Result<DocumentModel, PdfError> {
        let texts = std::mem::take(&mut self.texts);
        let pages = texts.len() as u64;
        if texts.iter().all(PageText::is_empty) && recognised.is_empty() {
            return Err(match (self.is_late || self.is_cut, self.has_images) {
                (true, _) => PdfError::TooCostly,
                _ if self.unknown > 0 => PdfError::NoLetters { pages },
                (_, true) => PdfError::OnlyImages { pages },
                _ => PdfError::NoText,
            });
        }
        let mut model = build_model(texts, &self.links, recognised);
        if !self.title.is_empty() {
            model.title = std::mem::take(&mut self.title);
        }
        Ok(model)
    }
}

/// Reads the texts of pages, and their length.
fn read_pages(
    file: &PdfFile,
    pages: &[PdfPage<'_>],
    drawn: &mut DrawnContent,
    links: &mut annotations::PdfLinks,
) -> (Vec<PageText>, usize) {
    let mut texts = Vec::with_capacity(pages.len().min(4096));
    let (mut length, mut runs) = (0, 0);
    drawn.scans.clear();
    for page in pages {
        if length > MAX_TEXT || runs > MAX_RUNS {
            file.leave_out();
            break;
        }
        if file.is_late() {
            break;
        }
        let text = read_page(file, page, drawn, links);
        let letters = drawn.letters;
        drawn
            .scans
            .extend(drawn.pictures.scan(texts.len(), &page.area, letters));
        length += text.text.len() + text.notes.iter().map(String::len).sum::<usize>();
        let pieces = text.regions.iter().flat_map(PageRegion::lines);
        runs += pieces.map(|line| line.pieces.len()).sum::<usize>();
        texts.push(text);
    }
    (texts, length)
}

fn build_model(
    mut texts: Vec<PageText>,
    links: &annotations::PdfLinks,
    recognised: Vec<(usize, String)>,
) -> DocumentModel {
    furniture::remove_furniture(&mut texts);
    let body = BodyStyle::from_pages(&texts);
    let hyphenated = inline::hyphenated_words(&texts);
    let is_mixed = texts.iter().any(|page| !page.is_empty());
    let mut recognised: HashMap<usize, String> = recognised.into_iter().collect();
    let mut paragraphs = Vec::new();
    for (number, page) in texts.iter_mut().enumerate() {
        paragraph::split_page(number, page, body, &mut paragraphs);
        if let Some(text) = recognised.remove(&(number + 1)) {
            paragraphs.push(PdfParagraph {
                kind: ParagraphKind::Scan,
                page: number,
                ..PdfParagraph::default()
            });
            page.recognised = if is_mixed {
                format!("[Page {}, a scan, by OCR:]\n\n{text}", number + 1)
            } else {
                text
            };
        }
        // The text of a page goes on around its notes.
        paragraphs.extend((0..page.notes.len()).map(|index| PdfParagraph {
            kind: ParagraphKind::Annotation(index),
            page: number,
            note: true,
            ..PdfParagraph::default()
        }));
    }
    let context = TextContext {
        pages: &texts,
        links: &links.addresses,
        hyphenated: &hyphenated,
        mono: body.mono,
    };
    let paragraphs = build::join_paragraphs(paragraphs, &context);
    let mut blocks = build::ParagraphWriter::new(&context, body);
    let title = blocks.write(&paragraphs);
    blocks.builder.finish(title)
}

/// Returns the matrix that turns a page upright.
fn upright_matrix(page: &PdfPage<'_>) -> Matrix {
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
    links: &mut annotations::PdfLinks,
) -> PageText {
    let upright = upright_matrix(page);
    let area = upright.rect(&page.area);
    let mut content = Vec::new();
    match file.get(page.dict, b"Contents") {
        Some(Object::Stream(stream)) => content = file.stream_data(stream),
        Some(Object::Array(streams)) => {
            for stream in streams.iter().take(10_000) {
                if let Object::Stream(stream) = file.resolve(stream) {
                    content.extend(file.stream_data(stream));
                    // Words do not continue from one stream to the next.
                    content.push(b'\n');
                }
            }
        }
        _ => {}
    }
    drawn.runs = runs::PageRuns::default();
    drawn.pictures = scanned_page::PagePictures::default();
    let mut painted = PaintedAreas::new(area);
    let mut interpreter = ContentInterpreter::new(file, drawn, &mut painted, upright, area);
    interpreter.run_stream(&content, page.resources);
    drop(content);
    let notes = annotations::draw_annotations(
        file,
        page,
        &mut ContentInterpreter::new(file, drawn, &mut painted, upright, area),
    );
    let DrawnContent {
        runs,
        has_dropped_unseen,
        ..
    } = drawn;
    if !drawn.keeps_unseen {
        runs.list.retain(|run| {
            let is_visible = run.paint == TextPaint::Seen || painted.shows(run.paint, run.center());
            *has_dropped_unseen |= !is_visible;
            is_visible
        });
    }
    // Unpainted text is that of a scan that was read before.
    let letters = |run: &GlyphRun| match run.paint {
        TextPaint::Unseen => u32::MAX,
        _ => run.end - run.start,
    };
    let letters = runs.list.iter().map(letters);
    drawn.letters = letters.fold(0, u32::saturating_add);
    links.mark_runs(file, page, &upright, &mut runs.list);
    runs.close();
    let (regions, angle) = layout::lay_out(runs, &painted.rules);
    let text = std::mem::take(&mut runs.text);
    let heights = area.corners().map(|corner| runs::turned(corner, angle).1);
    PageText {
        text,
        regions,
        notes,
        recognised: String::new(),
        furniture: Vec::new(),
        low: heights.into_iter().fold(f32::INFINITY, f32::min),
        high: heights.into_iter().fold(f32::NEG_INFINITY, f32::max),
    }
}
