//! Reasons why a document file has no conversion, each in a sentence that says what to do next.

use std::fmt;

use super::office::package::ZipPackage;
use super::{FileKind, FileLimits, reader_panics};
use crate::basics::signature::{COMPOUND, ZIP};
use crate::basics::wording::count_noun;

/// The reason why a file has no conversion, displayed as a sentence for its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentError {
    /// Not a file of this kind.
    NotOne(FileKind),
    Encrypted,
    /// A document of this kind, which only installed programs read, or another file of Office
    /// before 2007.
    LegacyOffice(Option<FileKind>),
    /// Parts of it cannot be found or read.
    Damaged,
    NoText(FileKind),
    /// A PDF file without pages.
    NoPages,
    /// A PDF file with pictures on its pages, but no text.
    OnlyImages {
        pages: usize,
    },
    /// A PDF file whose fonts do not identify the letters of its text.
    NoLetters {
        pages: usize,
    },
    /// It would take more time or memory than is allowed.
    TooCostly,
}

/// The advice on a file without text.
const FIND_ANOTHER: &str = ": find another copy, or the same text as a page.";

impl DocumentError {
    /// Finds out from its bytes why a file is of no kind that has a conversion; `None` if they do
    /// not tell.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(COMPOUND) {
            // The name of the stream that holds an encrypted document, in UTF-16.
            let name: Vec<u8> = "EncryptedPackage"
                .bytes()
                .flat_map(|byte| [byte, 0])
                .collect();
            let encrypted = memchr::memmem::find(bytes, &name).is_some();
            return Some(if encrypted {
                Self::Encrypted
            } else {
                Self::LegacyOffice(None)
            });
        }
        if !bytes.starts_with(ZIP) {
            return None;
        }
        let opened = || ZipPackage::open(bytes, FileLimits::default().part, None).err();
        reader_panics::catch_reader_panic(opened).unwrap_or(Some(Self::Damaged))
    }
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let advice = match self {
            Self::NotOne(kind) => {
                write!(f, "This is not a {} file", kind.label())?;
                ": ask for the address of the file itself."
            }
            Self::Encrypted => "This file needs a password: ask for a copy without one.",
            Self::LegacyOffice(Some(kind)) => {
                write!(f, "This {} file, of Office before 2007,", kind.label())?;
                " is read by an installed program."
            }
            Self::LegacyOffice(None) => {
                "This is a file of an office program of before 2007, which cannot be read: find it \
                 as PDF, or convert it with LibreOffice: soffice --headless --convert-to pdf FILE."
            }
            Self::Damaged => "This file is damaged: download it again, or find another copy.",
            Self::NoText(kind) => {
                write!(f, "This {} file has no text", kind.label())?;
                FIND_ANOTHER
            }
            Self::NoPages => {
                f.write_str("This PDF file has no pages")?;
                FIND_ANOTHER
            }
            Self::OnlyImages { pages } => {
                let pages = count_noun(*pages as u64, "page");
                write!(f, "This PDF file has {pages} of images and no text")?;
                ": it is a scan. Find another copy, or run OCR over it."
            }
            Self::NoLetters { pages } => {
                let pages = count_noun(*pages as u64, "page");
                write!(
                    f,
                    "This PDF file has {pages} of text, and its fonts do not say which letters it is"
                )?;
                FIND_ANOTHER
            }
            Self::TooCostly => {
                "This file would take more time or memory than there is: find a smaller copy, or \
                 a part of it."
            }
        };
        f.write_str(advice)
    }
}

impl std::error::Error for DocumentError {}
