//! Reasons why a PDF file has no conversion, each in a sentence that says what to do next.

use iki_base::wording::count_noun;

/// The reason why a PDF file has no conversion, displayed as a sentence for its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PdfError {
    /// Another file.
    #[error("This is not a PDF file: ask for the address of the file itself.")]
    NotPdf,
    /// A file that is encrypted.
    #[error("This file needs a password: ask for a copy without one.")]
    Encrypted,
    /// Parts of it cannot be found or read.
    #[error("This file is damaged: get it again, or find another copy.")]
    Damaged,
    /// A file without pages.
    #[error("This PDF file has no pages: {FIND_ANOTHER}")]
    NoPages,
    /// A file without text or pictures.
    #[error("This PDF file has no text: {FIND_ANOTHER}")]
    NoText,
    /// A file with pictures on its pages, but no text.
    #[error(
        "This PDF file has {} of images and no text: it is a scan. Find another copy, or run OCR \
         over it.",
        count_noun(.pages.to_owned(), "page")
    )]
    OnlyImages {
        /// The number of its pages.
        pages: u64,
    },
    /// A file whose fonts do not identify the letters of its text.
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
    #[error("This file would take more time or memory than there is: find a smaller copy.")]
    TooCostly,
}

/// The advice on a file without text.
const FIND_ANOTHER: &str = "find another copy, or the same text as a page.";
