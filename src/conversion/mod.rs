//! Workshop: documents as Markdown, with the help of programs that are installed.
//!
//! What `document` reads by itself it reads here too. Beyond that, scanned pages of PDF files go to
//! tesseract, if it is installed (see `ocr`). Such a program is confined to reading the system's
//! directories, has no network, limits on its memory, output and time, and does not outlive the
//! call (see `confined_program`).

use std::fmt;
use std::path::PathBuf;

use crate::document::{self, Document, DocumentError, FileKind, FileLimits, PdfError};
use crate::shell;
use ocr::PageRecognition;

mod confined_program;
mod ocr;

/// The variable that names the program for OCR, by a path or a name; empty for none.
pub const OCR_VARIABLE: &str = "IKIGAI_OCR";

/// The program for OCR that is looked for on the `PATH`.
const OCR_NAMES: [&str; 1] = ["tesseract"];

/// The programs that a call may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelperPrograms {
    /// Those that are installed.
    Installed,
    /// None: the kernel keeps this process from it.
    Barred,
}

/// The reason why a document has no conversion, displayed as sentences for its reader.
#[derive(Debug)]
pub struct ConversionError {
    pub error: DocumentError,
    /// The remark on its scanned pages; empty if it has none.
    remark: String,
    /// True if there was no time to read them all.
    pub of_the_moment: bool,
}

impl fmt::Display for ConversionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blank = if self.remark.is_empty() { "" } else { " " };
        write!(f, "{}{blank}{}", self.error, self.remark)
    }
}

impl From<DocumentError> for ConversionError {
    fn from(error: DocumentError) -> Self {
        Self {
            error,
            remark: String::new(),
            of_the_moment: false,
        }
    }
}

/// The program for OCR: what the variable names, else the one that is installed.
#[must_use]
pub fn find_ocr_program() -> Option<PathBuf> {
    shell::find_helper(OCR_VARIABLE, &OCR_NAMES)
}

/// Converts a file of this kind, like [`document::convert_file`], with its scanned pages, and says
/// how these were read or why they were not.
pub fn convert_file(
    bytes: &[u8],
    kind: FileKind,
    limits: &FileLimits,
    programs: HelperPrograms,
) -> Result<Document, ConversionError> {
    if kind != FileKind::Pdf {
        return Ok(document::convert_file(bytes, kind, limits)?);
    }
    let recognition = PageRecognition::new(programs, limits.end);
    let converted = document::convert_scanned_pdf(bytes, &limits.of_pdf(), Some(&recognition));
    let report = recognition.report();
    match converted {
        Ok(document) if report.is_empty() => Ok(document),
        Ok(document) => {
            Ok(document.with_remark_on_scans(report.remark(), report.unread(), report.is_late()))
        }
        Err(error) => Err(ConversionError {
            error: DocumentError::Pdf(error),
            remark: match error {
                PdfError::OnlyImages { .. } if !report.is_empty() => report.remark(),
                _ => String::new(),
            },
            of_the_moment: report.is_late(),
        }),
    }
}
