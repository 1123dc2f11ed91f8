#![doc = include_str!("../README.md")]
//!
//! # Modules
//!
//! | module | what it is |
//! |---|---|
//! | `reading` | a file that was read, and its conversion |
//! | `error` | reasons why a file has no conversion |
//! | `ocr_input` | scanned pages, as they are given to an OCR program |
//! | `file` | objects, streams and pages, within limits |
//! | `opening` | opening a file within limits |
//! | `lexer` | operands and operators |
//! | `content` | interpreter of content streams |
//! | `text_operators` | its operators of text |
//! | `marked_content` | marked content, layers |
//! | `paint` | visibility of text |
//! | `rules` | paths: ruled lines |
//! | `font` | text and widths of codes |
//! | `runs` | runs of glyphs |
//! | `layout` | lines, columns, tables |
//! | `text` | paragraphs |
//! | `build` | the model |
//! | `annotations` | links, text over pages |
//! | `scanned_page` | pages that are images |
//! | `metadata` | title, author, date |
//! | `geometry` | matrices and rectangles |

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "places on pages are small, and larger values saturate at the type's bounds"
)]

mod annotations;
mod build;
mod content;
mod error;
mod file;
pub mod font;
mod geometry;
mod layout;
mod lexer;
mod marked_content;
mod metadata;
mod ocr_input;
mod opening;
mod paint;
mod reading;
mod rules;
mod runs;
mod scanned_page;
mod text;
mod text_operators;

pub use error::PdfError;
pub use font::encoding::symbol_table;
pub use ocr_input::{MAX_SCANS, ScanFault, ScanImage};
pub use reading::PdfReading;
pub use scanned_page::ScanImages;
