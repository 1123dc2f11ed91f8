#![doc = include_str!("../README.md")]
//!
//! # Rules
//!
//! Documents as Markdown, with the help of programs that are installed.
//!
//! What `document` reads by itself it reads here too. Beyond that, scanned pages of PDF files go to
//! tesseract (see `ocr`), and office documents from before 2007 to `LibreOffice` and such (see
//! `legacy_office`), if they are installed. Such a program is confined to reading the system's
//! directories, has no network, limits on its memory, output and time, and does not outlive the
//! call (see `confined_program`).

use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use iki_document::{
    self as document, Document, DocumentError, FileKind, FileLimits, PdfError, PdfReading,
};
use iki_process::sandbox::confinement;
use iki_process::shell;

mod confined_program;
mod legacy_office;
mod ocr;

pub use legacy_office::find_office_programs;

/// The variable that names the program for OCR, by a path or a name; empty for none.
pub const OCR_VARIABLE: &str = "IKIGAI_OCR";

/// The variable that names the program for DOC and PPT, by a path or a name; empty for none.
pub const OFFICE_VARIABLE: &str = "IKIGAI_OFFICE";

/// Maximum time that programs may work on a document.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(20);

/// Time that is left for writing the document.
const WRITING_TIME: Duration = Duration::from_millis(1500);

/// The program for OCR that is looked for on the `PATH`.
const OCR_NAMES: [&str; 1] = ["tesseract"];

/// The programs that a call may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelperPrograms {
    /// It may start those that are installed.
    Installed,
    /// It may start none: the kernel keeps this process from it.
    Barred,
}

impl HelperPrograms {
    /// Those of a call that reads files: none where the kernel keeps it to directories.
    #[must_use]
    pub fn of_file_call() -> Self {
        if confinement::confines_own_files() {
            Self::Barred
        } else {
            Self::Installed
        }
    }
}

/// The reason why no program helps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum UnusableProgram {
    #[error("no program for it is here")]
    NotInstalled,
    #[error("{0} names no program that can be run")]
    NotNamed(&'static str),
    #[error("this call is confined, and starts no program")]
    Barred,
    #[error("such a program is confined by the kernel, and this one has no Landlock for it")]
    Unconfined,
}

impl UnusableProgram {
    /// The reason, if there is one: a program `is_installed`, or the variable may name none.
    fn check(programs: HelperPrograms, variable: &'static str, is_installed: bool) -> Option<Self> {
        if programs == HelperPrograms::Barred {
            return Some(Self::Barred);
        }
        if !is_installed {
            return Some(match std::env::var_os(variable) {
                None => Self::NotInstalled,
                Some(_) => Self::NotNamed(variable),
            });
        }
        (!confinement::is_supported()).then_some(Self::Unconfined)
    }
}

/// The time until which programs may work on a document that is to be there at `end`.
fn program_end(end: Option<Instant>) -> Instant {
    let call_end = end.and_then(|end| end.checked_sub(WRITING_TIME));
    let limit = Instant::now() + PROGRAM_TIMEOUT;
    call_end.map_or(limit, |call_end| call_end.min(limit))
}

/// The reason why a document has no conversion, displayed as sentences for its reader.
#[derive(Debug)]
pub struct ConversionError {
    /// The fault of the document.
    pub error: DocumentError,
    /// The remark on programs; empty if there is none.
    remark: String,
    /// True if they had too little time.
    pub is_transient: bool,
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
            is_transient: false,
        }
    }
}

/// The program for OCR: what the variable names, else the one that is installed.
#[must_use]
pub fn find_ocr_program() -> Option<PathBuf> {
    shell::find_helper(OCR_VARIABLE, &OCR_NAMES)
}

/// Converts a file of this kind until `end`, like [`document::convert_file`], with the programs
/// that read it or its scanned pages, and says which these were, or why there was none.
pub fn convert_file(
    bytes: &[u8],
    kind: FileKind,
    end: Instant,
    programs: HelperPrograms,
) -> Result<Document, ConversionError> {
    let limits = &FileLimits {
        end: Some(end),
        ..FileLimits::default()
    };
    if FileKind::LEGACY_OFFICE.contains(&kind) {
        return legacy_office::convert(bytes, kind, limits, programs);
    }
    if kind != FileKind::Pdf {
        return document::convert_file(bytes, kind, limits).or_else(|error| {
            // LibreOffice knows the password of workbooks that are only protected from changes.
            let by_program = (kind == FileKind::Xls && error == DocumentError::Encrypted)
                .then(|| legacy_office::convert(bytes, kind, limits, programs).ok());
            by_program.flatten().ok_or(error.into())
        });
    }
    let pdf = PdfReading::new(bytes, limits).map_err(DocumentError::from)?;
    let (recognised, report) = ocr::recognise(&pdf, programs, limits.end);
    match pdf.convert(recognised) {
        Ok(document) if report.is_empty() => Ok(document),
        Ok(document) => Ok(document.with_remark_on_programs(
            report.remark(),
            report.unread(),
            report.is_late(),
        )),
        Err(error) => Err(ConversionError {
            remark: match error {
                PdfError::OnlyImages { .. } if !report.is_empty() => report.remark(),
                _ => String::new(),
            },
            error: error.into(),
            is_transient: report.is_late(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_twenty_seconds_and_less_where_a_call_has_less() {
        let now = Instant::now();
        for end in [None, Some(now + Duration::from_secs(300))] {
            let left = program_end(end) - now;
            assert!((20..25).contains(&left.as_secs()), "{left:?}");
        }
        let end = now + Duration::from_secs(5);
        assert_eq!(program_end(Some(end)), now + Duration::from_millis(3500));
    }
}
