#![doc = include_str!("../README.md")]
//!
//! # Modules
//!
//! Documents: one reader for each kind, one model, one writer. Nothing here knows where a document
//! comes from.
//!
//! | module | what it is |
//! |---|---|
//! | `declared_charset` | the character set that a page declares |
//! | `entities` | HTML entities outside of pages |
//! | `html` | the reader of HTML pages |
//! | `feed` | the reader of feeds |
//! | `pdf` | the reader of PDF files |
//! | `office` | the readers of office documents, RTF and mail |
//! | `epub` | the reader of EPUB files |
//! | `ocr_input` | scanned pages, as they are given to an OCR program |
//! | `notebook` | the reader of Jupyter notebooks |
//! | `zip_listing` | the names of what is in a zip file |
//! | `kinds` | the one list of the kinds of files |
//! | `file` | detection and conversion of files |
//! | `limits` | deadlines |
//! | `error` | reasons why a file has no conversion |
//! | `reader_panics` | panics that are faults of a file |
//! | `superscript` | the marks of superscripts |
//! | `symbol_font` | the characters of fonts of symbols |
//! | `model` | blocks and inlines, between readers and writer |
//! | `markdown` | the writer of Markdown |
//!
//! A reader knows nothing of Markdown, the writer nothing of HTML.

use std::time::Instant;

pub use html::{MetaElement, find_by_class, read_declared};
pub use html::{MetaKind, OmittedBlocks};
use html::{PageSyntax, StageDeadlines};
use url::Url;

pub use html::main::study::{ContentStudy, study_main};

mod declared_charset;
pub mod entities;
mod epub;
mod error;
mod feed;
mod file;
mod formula;
#[cfg(fuzzing)]
pub mod fuzzing;
mod html;
mod kinds;
mod limits;
mod markdown;
mod model;
mod notebook;
mod ocr_input;
mod office;
mod pdf;
mod reader_panics;
mod superscript;
mod symbol_font;
mod zip_listing;

pub use declared_charset::declared_charset;
pub use error::DocumentError;
pub use file::{FileLimits, MAX_FILE, convert_file, convert_program_text};
pub use kinds::FileKind;
pub use ocr_input::{MAX_SCANS, ScanFault, ScanImage};
pub use office::xml::{XmlEvent, XmlReader, XmlTag};
pub use pdf::{PdfReading, ScanImages};
pub use reader_panics::catch_reader_panic;

/// A page as Markdown.
#[allow(clippy::struct_excessive_bools, reason = "each is asked by itself")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// Title with its whitespace collapsed; empty if there is none.
    pub title: String,
    /// Body as Markdown, without a newline at its end, never longer than twice the page and
    /// [`ALLOWANCE`]. What had to be left out is said at its end, in brackets.
    pub markdown: String,
    /// Byte offset in [`Document::markdown`] from which on the words are not the page's own: a
    /// remark on a page that shows no text, or few words and leads elsewhere, and the words for
    /// [`Document::cuts`]; `None` if there are none.
    pub remark: Option<usize>,
    /// True if the page shows no text of its own, or only one that asks for a script.
    pub silent: bool,
    /// True if the text comes from the page's JSON-LD or script data because the page shows none.
    pub of_data: bool,
    /// True if the page shows nothing but frames, whose addresses are named.
    pub is_of_frames: bool,
    /// Address to which the page's `refresh` leads, if the page is empty, or has almost nothing and
    /// leads there at once.
    pub refresh: Option<Url>,
    /// Number of lines before the part that the page's address names, if it has that part.
    pub section: Option<usize>,
    /// Author, if the file names one.
    pub author: Option<String>,
    /// Creation date, if the file has one: ISO 8601, or as the file spells it.
    pub date: Option<String>,
    /// Parts that are missing from the Markdown, whose end says the same in words.
    pub cuts: DocumentCuts,
    /// Headings and list items outside of a page's main content that may belong to it.
    pub omitted: OmittedBlocks,
    /// The remark on the programs that have read it or its scanned pages, which stands at the end
    /// too; a later attempt may read more of these if it is `is_transient`.
    pub remark_on_programs: Option<String>,
    /// True if a later attempt may read more.
    pub is_transient: bool,
}

impl Document {
    /// The part of the Markdown that is the page's own.
    #[must_use]
    pub fn own_text(&self) -> &str {
        &self.markdown[..self.remark.unwrap_or(self.markdown.len())]
    }

    /// True if the page itself shows text.
    #[must_use]
    pub fn has_text(&self) -> bool {
        !self.silent && !self.markdown.is_empty()
    }
}

/// Bytes by which Markdown may exceed twice its page: room for the absolute addresses of a short
/// page and for the notices about cuts.
pub const ALLOWANCE: usize = 64 * 1024;

/// Parts of a page or file that are missing from its Markdown. These are fields because a page's
/// text could imitate the notices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is said by itself")]
pub struct DocumentCuts {
    /// The end of the page, for lack of memory.
    pub memory: bool,
    /// The end of the page, for lack of time.
    pub time: bool,
    /// The end of the page, because the Markdown would have been too long.
    pub length: bool,
    /// Addresses that would have made the Markdown too long.
    pub addresses: bool,
    /// Parts of a damaged file that could not be read.
    pub damage: bool,
    /// Number of scanned pages that were not read.
    pub scans: usize,
    /// Number of feed items that are not listed.
    pub items: usize,
    /// Number of characters that the file's fonts do not identify.
    pub characters: usize,
    /// The end of the file, of which only so many MiB were read.
    pub size_limit: Option<usize>,
    /// The end of a gzip file, which is damaged or missing.
    pub packed_end: bool,
}

impl DocumentCuts {
    /// True if the end of the page, or a part of the file, is missing.
    #[must_use]
    pub fn are_of_content(self) -> bool {
        self.lack_end() || self.damage || self.scans > 0
    }

    /// True if the end is missing, so that nobody knows how many lines there are.
    #[must_use]
    pub fn lack_end(self) -> bool {
        let is_unread = self.size_limit.is_some() || self.packed_end;
        self.memory || self.time || self.length || is_unread
    }

    /// The union of both.
    fn and(self, other: Self) -> Self {
        Self {
            memory: self.memory || other.memory,
            time: self.time || other.time,
            length: self.length || other.length,
            addresses: self.addresses || other.addresses,
            damage: self.damage || other.damage,
            scans: self.scans + other.scans,
            items: self.items + other.items,
            characters: self.characters + other.characters,
            size_limit: self.size_limit.or(other.size_limit),
            packed_end: self.packed_end || other.packed_end,
        }
    }

    /// A sentence for each kind of cut.
    #[must_use]
    pub fn notices(self) -> Vec<String> {
        let all = [
            (
                self.items > 0,
                &*format!("{} more items are not listed.", self.items),
            ),
            (
                self.characters > 0,
                &*format!(
                    "Missing: {} characters, of which the file's fonts do not say which they are.",
                    self.characters
                ),
            ),
            (
                self.damage,
                "The file is damaged: a part of it could not be read.",
            ),
            (
                self.addresses,
                "Some links are left as the page has them, or without their address: with it this would be more than twice as long as the page.",
            ),
            (
                self.length,
                "Cut off: the rest would make this more than twice as long as the page.",
            ),
            (
                self.memory,
                "Cut off: there are too many elements for all to be converted.",
            ),
            (
                self.time,
                "Cut off: there was no time to convert all of it. Ask for it again.",
            ),
            (
                self.size_limit.is_some(),
                &*format!(
                    "Cut off: only the first {} MiB were read.",
                    self.size_limit.unwrap_or_default()
                ),
            ),
            (
                self.packed_end,
                "Cut off: the rest of the gzip file is damaged or missing.",
            ),
        ];
        let cuts = all.into_iter().filter(|(cut, _)| *cut);
        cuts.map(|(_, notice)| notice.to_owned()).collect()
    }
}

impl Document {
    /// Adds a remark of one line on the programs that have read it or its scanned pages, of which
    /// `unread` were not read; a later attempt may read more of them if it was `late`.
    #[must_use]
    pub fn with_remark_on_programs(mut self, remark: String, unread: usize, late: bool) -> Self {
        self.remark.get_or_insert(self.markdown.len());
        self.markdown.extend(["\n\n[", &remark, "]"]);
        self.remark_on_programs = Some(remark);
        self.cuts.scans += unread;
        self.is_transient |= late;
        self
    }

    /// Adds further cuts, in words too.
    #[must_use]
    pub fn cut(mut self, cuts: DocumentCuts) -> Self {
        for notice in cuts.notices() {
            self.remark.get_or_insert(self.markdown.len());
            if !self.markdown.is_empty() {
                self.markdown.push_str("\n\n");
            }
            self.markdown.extend(["[", &notice, "]"]);
        }
        self.cuts = self.cuts.and(cuts);
        self
    }
}

/// Converts an HTML page that was found at `base`. Every page has a conversion; the time it takes
/// is proportional to the page's length, and so is the memory, up to 160 MiB.
///
/// # Panics
/// Where the page's parser does, which [`catch_reader_panic`] makes an error:
///
/// ```
/// use iki_document::{catch_reader_panic, convert};
///
/// let base = url::Url::parse("https://example.org/").unwrap();
/// let page = catch_reader_panic(|| convert("<p>Steep <b>two</b> minutes", &base));
/// assert_eq!(page.map(|page| page.markdown).ok().as_deref(), Some("Steep **two** minutes"));
/// ```
#[must_use]
pub fn convert(page: &str, base: &Url) -> Document {
    convert_from(page, base, PageSyntax::Html, None)
}

/// Converts a page that was served as XHTML, so that `<div/>` is empty and CDATA is text; otherwise
/// like [`convert`]. The page need not be well-formed.
#[must_use]
pub fn convert_xhtml(page: &str, base: &Url) -> Document {
    convert_from(page, base, PageSyntax::Xml, None)
}

/// Converts as much of a page as there is time for until `end`, and says in [`Document::cuts`] what
/// is missing; `xhtml` is true if it was served as XHTML. Otherwise like [`convert`].
#[must_use]
pub fn convert_until(page: &str, base: &Url, xhtml: bool, end: Instant) -> Document {
    convert_from(page, base, syntax_of(xhtml), Some(end))
}

/// Returns the title of a page and the first `limit` bytes or so of its text, without Markdown.
#[must_use]
pub fn plain_beginning(page: &str, base: &Url, limit: usize, end: Instant) -> (String, String) {
    let read = html::read(page, base, PageSyntax::Html, step_deadlines(Some(end)));
    (read.model.title.clone(), read.model.beginning(limit))
}

/// Extent to which the main content of a page was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MainContentCertainty {
    /// All of it, with high confidence.
    Complete,
    /// Perhaps not all of it.
    Partial,
    /// The whole page, because there was no main content to speak of, or no time or memory to look
    /// for it.
    Whole,
}

/// Converts the main content of a page: the article, thread, product, listing or chapter, without
/// navigation, header, footer, sidebars and the like. A page without such content is converted
/// whole. Otherwise like [`convert_until`]; without `end` there is no time limit.
#[must_use]
pub fn convert_main_until(
    page: &str,
    base: &Url,
    xhtml: bool,
    end: Option<Instant>,
) -> (Document, MainContentCertainty) {
    let syntax = syntax_of(xhtml);
    let start = Instant::now();
    // Half of the time, which leaves as much for the whole page.
    let half = end.map(|end| start + end.saturating_duration_since(start) / 2);
    if let Some((read, sure)) = html::read_main(page, base, syntax, step_deadlines(half)) {
        let certainty = if sure {
            MainContentCertainty::Complete
        } else {
            MainContentCertainty::Partial
        };
        return (write_page(read, page.len(), end), certainty);
    }
    (
        convert_from(page, base, syntax, end),
        MainContentCertainty::Whole,
    )
}

/// Returns the address to which a `Refresh` header of a page found at `base` leads.
#[must_use]
pub fn refresh_target(content: &str, base: &Url) -> Option<Url> {
    let target = base.join(html::refresh_target(content)?).ok()?;
    (target != *base).then_some(target)
}

/// Converts an RSS or Atom feed that was found at `base` into a list of linked titles; `None` if
/// `page` has another root element.
#[must_use]
pub fn convert_feed(page: &str, base: &Url) -> Option<Document> {
    feed::read(page, base)
}

fn syntax_of(xhtml: bool) -> PageSyntax {
    if xhtml {
        PageSyntax::Xml
    } else {
        PageSyntax::Html
    }
}

fn convert_from(page: &str, base: &Url, syntax: PageSyntax, end: Option<Instant>) -> Document {
    write_page(
        html::read(page, base, syntax, step_deadlines(end)),
        page.len(),
        end,
    )
}

/// Deadlines of the steps, each leaving time for those after it.
fn step_deadlines(end: Option<Instant>) -> StageDeadlines {
    let start = Instant::now();
    let part =
        |eighths: u32| end.map(|end| start + end.saturating_duration_since(start) * eighths / 8);
    StageDeadlines {
        parse: part(5),
        walk: part(6),
    }
}

fn write_page(mut read: html::ConvertedPage, length: usize, end: Option<Instant>) -> Document {
    let title = std::mem::take(&mut read.model.title);
    let (mut markdown, cut_by_writer, section) =
        markdown::write_with_section(&read.model, length, end);
    let mut start = None;
    if let Some(remark) = read.remark {
        start = Some(markdown.len());
        if !markdown.is_empty() {
            markdown.push_str("\n\n");
        }
        markdown.push_str(&markdown::write(&remark, length, end).0);
    }
    let document = Document {
        title,
        markdown,
        remark: start,
        silent: start.is_some() && !read.beside_text,
        of_data: read.of_data,
        is_of_frames: read.is_of_frames,
        refresh: read.refresh,
        section,
        omitted: read.omitted,
        ..Document::default()
    };
    document.cut(read.cuts.and(cut_by_writer))
}

#[cfg(test)]
mod tests;
