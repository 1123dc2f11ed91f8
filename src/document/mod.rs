//! Documents: a reader for each kind of them, one model, one writer. Nothing here knows where a
//! document comes from.
//!
//! | module | what it is |
//! |---|---|
//! | `entities` | what HTML writes for a character, outside of pages |
//! | `html` | the reader of HTML pages |
//! | `feed` | the reader of feeds |
//! | `pdf` | the reader of PDF files |
//! | `office` | the readers of DOCX, PPTX and XLSX files |
//! | `epub` | the reader of EPUB files |
//! | `kinds` | the one list of the kinds of files |
//! | `file` | detection and conversion of files |
//! | `error` | reasons why a file has no conversion |
//! | `fault` | panics that are faults of a file |
//! | `model` | blocks and inlines, between readers and writer |
//! | `markdown` | the writer of Markdown |
//!
//! A reader knows nothing of Markdown, the writer nothing of HTML.

use std::time::Instant;

#[cfg(feature = "internals")]
pub use html::MetaKind;
pub use html::{MetaElement, find_by_class, read_declared};
use html::{PageSyntax, StageDeadlines};
use url::Url;

#[cfg(feature = "internals")]
pub use html::main::study::ContentStudy;

pub mod entities;
mod epub;
mod error;
mod fault;
mod feed;
mod file;
mod formula;
#[cfg(fuzzing)]
pub mod fuzzing;
mod html;
mod kinds;
mod markdown;
mod model;
mod office;
mod pdf;

pub use error::FileError;
pub use fault::guarded;
pub use file::{FileLimits, convert_file};
pub use kinds::FileKind;
pub use pdf::{Limits as PdfLimits, PdfError};

/// A page as Markdown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// The page's `<title>`, its whitespace collapsed; empty if it has none.
    pub title: String,
    /// The page's body as Markdown, without a newline at its end. It is never longer than twice
    /// the page and [`ALLOWANCE`]; what had to be left out is said at its end, in brackets.
    pub markdown: String,
    /// The place in [`Document::markdown`] from which on the words are not the page's own: a remark
    /// on a page that shows no text, or few words and leads elsewhere, and the words for
    /// [`Document::cuts`]; `None` if there are none.
    pub remark: Option<usize>,
    /// Whether the page shows no text of its own, or none but that it takes a script.
    pub silent: bool,
    /// Who wrote it, where a file says so.
    pub author: Option<String>,
    /// When it was made, where a file says so: a date of ISO 8601, or as the file has it.
    pub date: Option<String>,
    /// Parts that are not in the Markdown, whose end says the same in words.
    pub cuts: Cuts,
}

impl Document {
    /// The part of the Markdown that is the page's own.
    #[must_use]
    pub fn own(&self) -> &str {
        &self.markdown[..self.remark.unwrap_or(self.markdown.len())]
    }

    /// Whether the page itself shows a text.
    #[must_use]
    pub fn has_text(&self) -> bool {
        !self.silent && !self.markdown.is_empty()
    }
}

/// How much longer than twice its page Markdown may be, in bytes: what absolute addresses add to a
/// short page, and what is said of a cut.
pub const ALLOWANCE: usize = 64 * 1024;

/// Parts of a page or file that are not in its Markdown. A text can say anything of itself: this is
/// said by the conversion alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is said by itself")]
pub struct Cuts {
    /// What did not fit into memory.
    pub memory: bool,
    /// What there was no time for.
    pub time: bool,
    /// What would have made the Markdown too long.
    pub length: bool,
    /// Addresses that would have made it too long.
    pub addresses: bool,
    /// Parts of a damaged file that could not be read.
    pub damage: bool,
    /// Items of a feed that are not listed.
    pub items: usize,
    /// Characters of a file that its fonts do not tell.
    pub characters: usize,
}

impl Cuts {
    /// True if the end of the page, or a part of the file, is missing.
    #[must_use]
    pub fn are_of_content(self) -> bool {
        self.memory || self.time || self.length || self.damage
    }

    /// What either left out.
    fn and(self, other: Self) -> Self {
        Self {
            memory: self.memory || other.memory,
            time: self.time || other.time,
            length: self.length || other.length,
            addresses: self.addresses || other.addresses,
            damage: self.damage || other.damage,
            items: self.items + other.items,
            characters: self.characters + other.characters,
        }
    }

    /// Says what was left out.
    fn say(self, markdown: &mut String) {
        for (cut, notice) in [
            (
                self.items > 0,
                &*format!("[{} more items are not listed.]", self.items),
            ),
            (
                self.characters > 0,
                &*format!(
                    "[Missing: {} characters, of which the file's fonts do not say which they are.]",
                    self.characters
                ),
            ),
            (
                self.damage,
                "[The file is damaged: a part of it could not be read.]",
            ),
            (
                self.addresses,
                "[Some links are left as the page has them, or without their address: with it this would be more than twice as long as the page.]",
            ),
            (
                self.length,
                "[Cut off: the rest would make this more than twice as long as the page.]",
            ),
            (
                self.memory,
                "[Cut off: the page has too many elements to be converted whole.]",
            ),
            (
                self.time,
                "[Cut off: there was no time to convert the page whole. Fetch it again.]",
            ),
        ] {
            if cut {
                if !markdown.is_empty() {
                    markdown.push_str("\n\n");
                }
                markdown.push_str(notice);
            }
        }
    }
}

impl Document {
    /// The document with these further cuts, in words too.
    fn cut(mut self, cuts: Cuts) -> Self {
        let own = self.markdown.len();
        cuts.say(&mut self.markdown);
        if self.markdown.len() > own {
            self.remark.get_or_insert(own);
        }
        self.cuts = self.cuts.and(cuts);
        self
    }
}

/// Converts an HTML page that was found at `base`. Every page has a conversion; the time it takes
/// is proportional to the page's length, and so is the memory, up to 160 MiB.
#[must_use]
pub fn convert(page: &str, base: &Url) -> Document {
    convert_from(page, base, PageSyntax::Html, None)
}

/// Converts a page that was served as XHTML, so that `<div/>` is empty and CDATA is text;
/// otherwise like [`convert`]. Nothing is asked of its being well-formed.
#[must_use]
#[cfg(feature = "internals")]
pub fn convert_xhtml(page: &str, base: &Url) -> Document {
    convert_from(page, base, PageSyntax::Xml, None)
}

/// Converts as much of a page as there is time for until `end`, by the clock; `xhtml` says whether
/// it was served as such. Otherwise like [`convert`].
#[must_use]
pub fn convert_until(page: &str, base: &Url, xhtml: bool, end: Instant) -> Document {
    let syntax = if xhtml {
        PageSyntax::Xml
    } else {
        PageSyntax::Html
    };
    convert_from(page, base, syntax, Some(end))
}

/// Whether the main content of a page was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// It is sure that this is all of it, and little else.
    Complete,
    /// It is not.
    Partial,
    /// It is the whole page, since there was no main content to speak of, or no time or memory to
    /// look for it.
    Whole,
}

/// Converts the main content of a page: the article, thread, product, listing or chapter, without
/// navigation, header, footer, sidebars and the like. Where next to nothing is found it is the
/// whole page. Otherwise like [`convert_until`]; without `end` there is time.
#[must_use]
pub fn convert_main_until(
    page: &str,
    base: &Url,
    xhtml: bool,
    end: Option<Instant>,
) -> (Document, Certainty) {
    let syntax = if xhtml {
        PageSyntax::Xml
    } else {
        PageSyntax::Html
    };
    let begin = Instant::now();
    // Half of the time, so that there is as much for the whole page.
    let half = end.map(|end| begin + end.saturating_duration_since(begin) / 2);
    if let Some((read, sure)) = html::read_main(page, base, syntax, ends(half)) {
        let certainty = if sure {
            Certainty::Complete
        } else {
            Certainty::Partial
        };
        return (write(read, page.len(), end), certainty);
    }
    (convert_from(page, base, syntax, end), Certainty::Whole)
}

/// Shows how the main content of a page is found, to train and to measure it.
#[must_use]
#[cfg(feature = "internals")]
pub fn study_main(page: &str, base: &Url, xhtml: bool) -> ContentStudy {
    let syntax = if xhtml {
        PageSyntax::Xml
    } else {
        PageSyntax::Html
    };
    html::study(page, base, syntax)
}

/// Converts a feed that was found at `base`, RSS or Atom, into a list of linked titles; `None` if
/// the root element of `page` is another one.
#[must_use]
pub fn convert_feed(page: &str, base: &Url) -> Option<Document> {
    feed::read(page, base)
}

/// Converts a PDF file. What there is no time for until `limits.end` is left out, which is said at
/// the end; a file takes at most some 400 MiB of memory and, without an end, some seconds.
///
/// The file is opened by a library whose panics are errors of the file: [`PdfError::Damaged`].
pub fn convert_pdf(bytes: &[u8], limits: &PdfLimits) -> Result<Document, PdfError> {
    let read = pdf::read_guarded(bytes, limits)?;
    let mut model = read.model;
    let title = std::mem::take(&mut model.title);
    let (author, date) = (read.author, read.date);
    let (markdown, cuts) = markdown::write(&model, read.length, limits.end);
    let document = Document {
        title,
        markdown,
        author,
        date,
        ..Document::default()
    };
    Ok(document.cut(cuts.and(Cuts {
        memory: read.cut,
        time: read.late,
        characters: read.unknown,
        ..Cuts::default()
    })))
}

fn convert_from(page: &str, base: &Url, syntax: PageSyntax, end: Option<Instant>) -> Document {
    write(html::read(page, base, syntax, ends(end)), page.len(), end)
}

/// By when each step is to be done, so that there is time for those after it.
fn ends(end: Option<Instant>) -> StageDeadlines {
    let begin = Instant::now();
    let part =
        |eighths: u32| end.map(|end| begin + end.saturating_duration_since(begin) * eighths / 8);
    StageDeadlines {
        filter: part(2),
        parse: part(5),
        walk: part(6),
    }
}

fn write(mut read: html::ConvertedPage, length: usize, end: Option<Instant>) -> Document {
    let title = std::mem::take(&mut read.model.title);
    let (mut markdown, cut_by_writer) = markdown::write(&read.model, length, end);
    let mut begin = None;
    if let Some(remark) = read.remark {
        begin = Some(markdown.len());
        if !markdown.is_empty() {
            markdown.push_str("\n\n");
        }
        markdown.push_str(&markdown::write(&remark, length, end).0);
    }
    let document = Document {
        title,
        markdown,
        remark: begin,
        silent: begin.is_some() && !read.beside_text,
        ..Document::default()
    };
    document.cut(read.cuts.and(cut_by_writer))
}

/// The last boundary between characters within the first `most` bytes of `text`.
fn boundary(text: &str, most: usize) -> usize {
    let mut at = most.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_beside;
#[cfg(test)]
mod tests_hidden;
#[cfg(test)]
mod tests_meaning;
#[cfg(test)]
mod tests_useless;
