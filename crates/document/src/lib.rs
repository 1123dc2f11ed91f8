#![doc = include_str!("../README.md")]
//!
//! # Modules
//!
//! One reader for each kind, one model, one writer. Nothing here knows where a document comes
//! from. Pages are read by [`iki_html`], PDF files by [`iki_pdf`]; the model, its writer, the kinds
//! and the limits are those of [`iki_markdown`].
//!
//! | module | what it is |
//! |---|---|
//! | `feed` | the reader of feeds |
//! | `office` | the readers of office documents, RTF and mail |
//! | `epub` | the reader of EPUB files |
//! | `notebook` | the reader of Jupyter notebooks |
//! | `zip_listing` | the names of what is in a zip file |
//! | `file` | detection and conversion of files |
//! | `kinds` | the one list of the kinds of files |
//! | `error` | reasons why a file has no conversion |
//! | `block_document` | the document that the blocks of a file make |
//! | `embedded_page` | pages within files |
//! | `symbol_font` | the characters of fonts of symbols |

mod block_document;
mod embedded_page;
mod epub;
mod error;
mod feed;
mod file;
mod kinds;
mod notebook;
mod office;
mod symbol_font;
mod zip_listing;

pub use error::DocumentError;
pub use feed::convert_feed;
pub use file::{convert_file, convert_program_text};
pub use iki_html::{
    ContentStudy, MainContentCertainty, MetaElement, MetaKind, convert, convert_main_until,
    convert_until, convert_xhtml, declared_charset, find_by_class, plain_beginning, read_declared,
    refresh_target, study_main,
};
pub use iki_markdown::document::{ALLOWANCE, Document, DocumentCuts, OmittedBlocks};
pub use iki_markdown::entities;
pub use iki_markdown::limits::{FileLimits, MAX_FILE};
pub use iki_markdown::reader_panics::catch_reader_panic;
pub use iki_markdown::xml::{XmlEvent, XmlReader, XmlTag};
pub use iki_pdf::{MAX_SCANS, PdfError, PdfReading, ScanFault, ScanImage, ScanImages};
pub use kinds::FileKind;
