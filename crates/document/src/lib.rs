#![doc = include_str!("../README.md")]
//!
//! # Modules
//!
//! Documents: one reader for each kind, one model, one writer. Nothing here knows where a document
//! comes from.
//!
//! | module | what it is |
//! |---|---|
//! | `document` | a converted page or file, and what is missing from it |
//! | `page` | the conversion of pages |
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
//! | `limits` | the limits of conversions, and their deadlines |
//! | `block_document` | the document that the blocks of a file make |
//! | `embedded_page` | pages within files |
//! | `error` | reasons why a file has no conversion |
//! | `reader_panics` | panics that are faults of a file |
//! | `superscript` | the marks of superscripts |
//! | `symbol_font` | the characters of fonts of symbols |
//! | `model` | blocks and inlines, between readers and writer |
//! | `markdown` | the writer of Markdown |
//!
//! A reader knows nothing of Markdown, the writer nothing of HTML.

pub use html::MetaKind;
pub use html::{MetaElement, find_by_class, read_declared};

pub use html::main::study::{ContentStudy, study_main};

mod block_document;
mod declared_charset;
mod document;
mod embedded_page;
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
mod page;
mod pdf;
mod reader_panics;
mod superscript;
mod symbol_font;
mod zip_listing;

pub use declared_charset::declared_charset;
pub use document::{ALLOWANCE, Document, DocumentCuts, OmittedBlocks};
pub use error::DocumentError;
pub use feed::convert_feed;
pub use file::{convert_file, convert_program_text};
pub use kinds::FileKind;
pub use limits::{FileLimits, MAX_FILE};
pub use ocr_input::{MAX_SCANS, ScanFault, ScanImage};
pub use office::xml::{XmlEvent, XmlReader, XmlTag};
pub use page::{
    MainContentCertainty, convert, convert_main_until, convert_until, convert_xhtml,
    plain_beginning, refresh_target,
};
pub use pdf::{PdfReading, ScanImages};
pub use reader_panics::catch_reader_panic;

#[cfg(test)]
mod tests;
