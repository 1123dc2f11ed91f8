//! Documents that come as files: what kind one is, and its conversion.

use std::fmt;
use std::time::Instant;

use super::markdown;
use super::office::package::Package;
use super::office::{self, Properties, Read};
use super::pdf::PdfError;
use super::{Cuts, Document, PdfLimits, epub, fault};
use crate::basics::signature::{self, COMPOUND, ZIP};

/// What kind a file is, of those that have a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    Pdf,
    Docx,
    Pptx,
    Xlsx,
    Epub,
}

impl FileKind {
    /// What kind a file is, by its bytes: by its mark, and a zip file by what its parts are said
    /// to be. `None` if it is none of these.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(ZIP) {
            return fault::guarded(|| Self::of_zip(bytes)).ok()?;
        }
        signature::is_pdf(bytes).then_some(Self::Pdf)
    }

    fn of_zip(bytes: &[u8]) -> Option<Self> {
        let mut package = Package::open(bytes, FileLimits::default().part, None).ok()?;
        if epub::is_epub(&mut package) {
            return Some(Self::Epub);
        }
        office::main_part(&mut package).map(|(kind, _)| kind)
    }

    /// Its name: `pdf`, `docx`, `pptx`, `xlsx` or `epub`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Docx => "docx",
            Self::Pptx => "pptx",
            Self::Xlsx => "xlsx",
            Self::Epub => "epub",
        }
    }

    fn shown(self) -> &'static str {
        match self {
            Self::Pdf => "PDF",
            Self::Docx => "DOCX",
            Self::Pptx => "PPTX",
            Self::Xlsx => "XLSX",
            Self::Epub => "EPUB",
        }
    }
}

/// What the conversion of a file may cost.
#[derive(Clone, Copy, Debug)]
pub struct FileLimits {
    /// When it has to be done; what was not read until then is left out.
    pub end: Option<Instant>,
    /// How many bytes one part of a file may be once it is decompressed; 64 MiB.
    pub part: usize,
}

impl Default for FileLimits {
    fn default() -> Self {
        Self {
            end: None,
            part: 64 << 20,
        }
    }
}

/// Why a file has no conversion. What it says is a sentence for whoever wanted to read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileError {
    /// It is a PDF file, and this is wrong with it.
    Pdf(PdfError),
    /// It is no file of this kind.
    NotOne(FileKind),
    /// It is encrypted.
    Encrypted,
    /// It is a document of the kind that was usual before 2007, or an encrypted one.
    Older,
    /// Its parts cannot be found or read.
    Damaged,
    /// It has no text.
    NoText(FileKind),
    /// It would take more time or memory than there is.
    TooCostly,
}

impl FileError {
    /// What is wrong with a file that is none of the kinds that have a conversion, as far as its
    /// bytes tell.
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
                Self::Older
            });
        }
        if !bytes.starts_with(ZIP) {
            return None;
        }
        let opened = || Package::open(bytes, FileLimits::default().part, None).err();
        fault::guarded(opened).unwrap_or(Some(Self::Damaged))
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let advice = match self {
            Self::Pdf(error) => {
                let text = error.to_string();
                let mut letters = text.chars();
                let first = letters.next().map(|c| c.to_ascii_uppercase());
                write!(f, "{}{}", first.unwrap_or('?'), letters.as_str())?;
                match error {
                    PdfError::NotPdf => ": ask for the address of the file itself.",
                    PdfError::Encrypted => ": ask for a copy without one.",
                    PdfError::Damaged => ": download it again, or find another copy.",
                    PdfError::OnlyImages { .. } => {
                        ": it is a scan. Find another copy, or run OCR over it."
                    }
                    PdfError::NoPages | PdfError::NoText { .. } | PdfError::NoLetters { .. } => {
                        ": find another copy, or the same text as a page."
                    }
                    PdfError::TooCostly => ": find a smaller copy, or a part of it.",
                }
            }
            Self::NotOne(kind) => {
                write!(f, "This is not a {} file", kind.shown())?;
                ": ask for the address of the file itself."
            }
            Self::Encrypted => "This file needs a password: ask for a copy without one.",
            Self::Older => {
                "This is an office document of before 2007 (DOC, XLS, PPT), which cannot be read: \
                 find it as DOCX, XLSX, PPTX or PDF."
            }
            Self::Damaged => "This file is damaged: download it again, or find another copy.",
            Self::NoText(kind) => {
                write!(f, "This {} file has no text", kind.shown())?;
                ": find another copy, or the same text as a page."
            }
            Self::TooCostly => {
                "This file would take more time or memory than there is: find a smaller copy, or \
                 a part of it."
            }
        };
        f.write_str(advice)
    }
}

impl std::error::Error for FileError {}

/// Converts a file of this kind. What there is no time or room for is left out, which is said at
/// the end; a file takes at most 300 MiB of memory, an encrypted PDF some more, and, without an
/// end, some seconds.
///
/// Files are opened by libraries whose panics are errors of the file: [`FileError::Damaged`].
pub fn convert_file(
    bytes: &[u8],
    kind: FileKind,
    limits: &FileLimits,
) -> Result<Document, FileError> {
    if kind == FileKind::Pdf {
        let limits = PdfLimits {
            end: limits.end,
            stream: limits.part,
        };
        return super::convert_pdf(bytes, &limits).map_err(FileError::Pdf);
    }
    fault::guarded(|| convert_package(bytes, kind, limits)).unwrap_or(Err(FileError::Damaged))
}

fn convert_package(
    bytes: &[u8],
    kind: FileKind,
    limits: &FileLimits,
) -> Result<Document, FileError> {
    let now = Instant::now();
    let part = |end: Instant| now + end.saturating_duration_since(now) * 3 / 4;
    let mut package = Package::open(bytes, limits.part, limits.end.map(part))?;
    let read = match kind {
        FileKind::Epub => epub::read(&mut package),
        _ => office::read(&mut package, kind),
    };
    let (read, about) = match read {
        Ok(read) => read,
        Err(_) if package.locked => return Err(FileError::Encrypted),
        Err(_) if package.damaged => return Err(FileError::Damaged),
        Err(error) => return Err(error),
    };
    let cut = read.cut || package.cut;
    let damaged = read.broken || package.damaged;
    if read.builder.is_empty() {
        return Err(match (package.locked, read.late, cut, damaged) {
            (true, ..) => FileError::Encrypted,
            (_, true, ..) | (_, _, true, _) => FileError::TooCostly,
            (.., true) => FileError::Damaged,
            _ => FileError::NoText(kind),
        });
    }
    drop(package);
    Ok(write(read, about, cut, damaged, limits.end))
}

fn write(
    read: Read,
    about: Properties,
    memory: bool,
    damaged: bool,
    end: Option<Instant>,
) -> Document {
    let length = 2 * read.builder.kept_bytes() + 16 * read.builder.nodes();
    let model = read.builder.finish(String::new());
    let (markdown, cuts) = markdown::write(&model, length, end);
    let some = |text: String| (!text.is_empty()).then_some(text);
    let document = Document {
        title: some(about.title).unwrap_or(read.title),
        author: some(about.author),
        date: some(about.date),
        markdown,
        ..Document::default()
    };
    document.cut(cuts.and(Cuts {
        memory,
        time: read.late,
        damage: damaged,
        ..Cuts::default()
    }))
}
