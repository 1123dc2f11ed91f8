//! Reasons why a document file has no conversion, each in a sentence that says what to do next.

use crate::kinds::FileKind;
use iki_pdf::PdfError;

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
    /// A PDF file without text, or with text in letters that nothing identifies.
    #[error(transparent)]
    Pdf(PdfError),
    /// It would take more time or memory than is allowed.
    #[error(
        "This file would take more time or memory than there is: find a smaller copy, or a part \
         of it."
    )]
    TooCostly,
}

/// The advice on a file without text.
const FIND_ANOTHER: &str = "find another copy, or the same text as a page.";

impl From<PdfError> for DocumentError {
    fn from(error: PdfError) -> Self {
        match error {
            PdfError::NotPdf => Self::NotOne(FileKind::Pdf),
            PdfError::Encrypted => Self::Encrypted,
            PdfError::Damaged => Self::Damaged,
            PdfError::TooCostly => Self::TooCostly,
            error => Self::Pdf(error),
        }
    }
}
