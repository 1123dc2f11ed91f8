//! Reasons why a document file has no conversion, each in a sentence that says what to do next.

use crate::kinds::FileKind;
use iki_base::wording::count_noun;

/// The reason why a file has no conversion, displayed as a sentence for its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// Not a file of this kind.
    #[error("This is not a {} file: ask for the address of the file itself.", .0.label())]
    NotOne(FileKind),
    /// A file that is encrypted.
    #[error("This file needs a password: ask for a copy without one.")]
    Encrypted,
    /// A document of a kind that only installed programs read.
    #[error("This {} file, of Office before 2007, is read by an installed program.", .0.label())]
    LegacyOffice(FileKind),
    /// Another file of Office before 2007.
    #[error(
        "This is a file of an office program of before 2007, which cannot be read: find it as \
         PDF, or convert it with LibreOffice: soffice --headless --convert-to pdf FILE."
    )]
    UnknownLegacyOffice,
    /// Parts of it cannot be found or read.
    #[error("This file is damaged: get it again, or find another copy.")]
    Damaged,
    /// A file without text.
    #[error("This {} file has no text: {FIND_ANOTHER}", .0.label())]
    NoText(FileKind),
    /// A PDF file without pages.
    #[error("This PDF file has no pages: {FIND_ANOTHER}")]
    NoPages,
    /// A PDF file with pictures on its pages, but no text.
    #[error(
        "This PDF file has {} of images and no text: it is a scan. Find another copy, or run OCR \
         over it.",
        count_noun(.pages.to_owned(), "page")
    )]
    OnlyImages {
        /// The number of its pages.
        pages: u64,
    },
    /// A PDF file whose fonts do not identify the letters of its text.
    #[error(
        "This PDF file has {} of text, and its fonts do not say which letters it is: \
         {FIND_ANOTHER}",
        count_noun(.pages.to_owned(), "page")
    )]
    NoLetters {
        /// The number of its pages.
        pages: u64,
    },
    /// It would take more time or memory than is allowed.
    #[error(
        "This file would take more time or memory than there is: find a smaller copy, or a part \
         of it."
    )]
    TooCostly,
}

/// The advice on a file without text.
const FIND_ANOTHER: &str = "find another copy, or the same text as a page.";
