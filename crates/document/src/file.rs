//! Documents that come as files: their detection and conversion.

use memchr::memmem;

use super::notebook;
use super::office::blocks::BlockWriter;
use super::office::package::{EMPTY_ZIP, ZipPackage};
use super::office::{self, compound, legacy_office_text, mail, rtf, xls};
use super::{epub, zip_listing};
use crate::block_document::write;
use crate::error::DocumentError;
use crate::kinds::FileKind;
use iki_base::signature::{self, COMPOUND, ZIP};
use iki_markdown::document::Document;
use iki_markdown::limits::{FileLimits, reading_end};
use iki_markdown::reader_panics;
use iki_pdf::PdfReading;

/// Number of bytes at the beginning that show if a file may have a conversion.
const MARK_BYTES: usize = 1024;

impl FileKind {
    /// Detects the kind of a file by its signature, that of a zip file by the declared types of its
    /// parts, and that of JSON by its fields; `None` for any other file.
    #[must_use]
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(ZIP) {
            return reader_panics::catch_reader_panic(|| Self::of_zip(bytes)).ok()?;
        }
        if bytes.starts_with(EMPTY_ZIP) {
            return Some(Self::Zip);
        }
        if rtf::is_rtf(bytes) {
            return Some(Self::Rtf);
        }
        if bytes.starts_with(COMPOUND) {
            return compound::kind_of(bytes);
        }
        if mail::is_eml(bytes) {
            return Some(Self::Eml);
        }
        if bytes.trim_ascii_start().starts_with(b"{") {
            return notebook::is_notebook(bytes).then_some(Self::Ipynb);
        }
        signature::is_pdf(bytes).then_some(Self::Pdf)
    }

    /// Detects mail in a file that is named or declared as mail.
    #[must_use]
    pub fn of_mail(bytes: &[u8]) -> Option<Self> {
        mail::may_be_message(bytes).then_some(Self::Eml)
    }

    /// True if a document of this kind, which only installed programs read, needs a password.
    #[must_use]
    pub fn needs_password(self, bytes: &[u8]) -> bool {
        compound::is_encrypted(bytes, self)
    }

    /// True if a file with this beginning may be one that has a conversion, and that is worth
    /// reading it whole.
    #[must_use]
    pub fn may_begin_with(beginning: &[u8]) -> bool {
        let head = &beginning[..beginning.len().min(MARK_BYTES)];
        let names = |part: &[u8]| memmem::find(beginning, part).is_some();
        let is_json = head.trim_ascii_start().starts_with(b"{");
        head.starts_with(ZIP)
            || head.starts_with(EMPTY_ZIP)
            || rtf::is_rtf(head)
            || head.starts_with(COMPOUND)
            || mail::is_eml(beginning)
            || memmem::find(head, b"%PDF").is_some()
            || is_json && (names(b"\"cells\"") || names(b"\"nbformat\""))
    }

    fn of_zip(bytes: &[u8]) -> Option<Self> {
        let mut package = match ZipPackage::open(bytes, FileLimits::default().part, None) {
            Ok(package) => package,
            // Its names can be listed.
            Err(DocumentError::TooCostly) => return Some(Self::Zip),
            Err(_) => return None,
        };
        if epub::is_epub(&mut package) {
            return Some(Self::Epub);
        }
        let of_office = office::package_kind(&mut package).map(|(kind, _)| kind);
        Some(of_office.unwrap_or(Self::Zip))
    }
}

impl DocumentError {
    /// Finds out from its bytes why a file is of no kind that has a conversion; `None` if they do
    /// not tell.
    #[must_use]
    pub fn detect(bytes: &[u8]) -> Option<Self> {
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
                Self::UnknownLegacyOffice
            });
        }
        if !bytes.starts_with(ZIP) {
            return None;
        }
        let opened = || ZipPackage::open(bytes, FileLimits::default().part, None).err();
        reader_panics::catch_reader_panic(opened).unwrap_or(Some(Self::Damaged))
    }
}

/// Converts a file of this kind. Parts for which there is no time or memory are left out, and
/// [`Document::cuts`] says so. A file takes at most 300 MiB of memory (an encrypted PDF somewhat
/// more) and, without a deadline, some seconds.
///
/// Panics of the libraries that open files are errors of the file: [`DocumentError::Damaged`].
///
/// ```
/// use std::time::{Duration, Instant};
///
/// use iki_document::{FileKind, FileLimits, convert_file};
///
/// let rtf = br"{\rtf1 Steep {\b two} minutes.}";
/// let limits = FileLimits {
///     end: Some(Instant::now() + Duration::from_secs(5)),
///     part: 8 << 20,
/// };
/// let document = convert_file(rtf, FileKind::Rtf, &limits)?;
/// assert!(!document.cuts.time && !document.cuts.memory);
/// # Ok::<(), iki_document::DocumentError>(())
/// ```
pub fn convert_file(
    bytes: &[u8],
    kind: FileKind,
    limits: &FileLimits,
) -> Result<Document, DocumentError> {
    let end = reading_end(limits.end);
    let write_all = |(blocks, is_locked)| write(blocks, kind, is_locked, limits.end);
    let convert = || match kind {
        FileKind::Pdf => Ok(PdfReading::new(bytes, limits)?.convert(Vec::new())?),
        FileKind::Ipynb => notebook::read(bytes, limits),
        FileKind::Zip => zip_listing::read(bytes, limits),
        FileKind::Doc | FileKind::Ppt => Err(DocumentError::LegacyOffice(kind)),
        FileKind::Xls => write_all((xls::read(bytes, end)?, false)),
        FileKind::Rtf => write_all((rtf::read(bytes, end), false)),
        FileKind::Eml | FileKind::Msg => {
            let read = mail::read(bytes, kind, end);
            write_all((read.ok_or(DocumentError::Damaged)?, false))
        }
        FileKind::Docx
        | FileKind::Pptx
        | FileKind::Xlsx
        | FileKind::Xlsb
        | FileKind::Odt
        | FileKind::Odp
        | FileKind::Ods
        | FileKind::Epub => write_all(read_package(bytes, kind, limits)?),
    };
    reader_panics::catch_reader_panic(convert).unwrap_or(Err(DocumentError::Damaged))
}

/// Converts the text that a program has written of a file of this kind: a line for each paragraph.
pub fn convert_program_text(
    text: &[u8],
    kind: FileKind,
    limits: &FileLimits,
) -> Result<Document, DocumentError> {
    let convert = || {
        let blocks = legacy_office_text::read(&String::from_utf8_lossy(text));
        write(blocks, kind, false, limits.end)
    };
    reader_panics::catch_reader_panic(convert).unwrap_or(Err(DocumentError::Damaged))
}

/// Reads a zip file, and whether parts of it need a password.
fn read_package(
    bytes: &[u8],
    kind: FileKind,
    limits: &FileLimits,
) -> Result<(BlockWriter, bool), DocumentError> {
    let mut package = ZipPackage::open(bytes, limits.part, reading_end(limits.end))?;
    let read = match kind {
        FileKind::Epub => epub::read(&mut package),
        _ => office::read(&mut package, kind),
    };
    let mut blocks = read.map_err(|error| match error {
        _ if package.is_locked => DocumentError::Encrypted,
        _ if package.is_damaged => DocumentError::Damaged,
        error => error,
    })?;
    blocks.is_cut |= package.is_cut;
    blocks.is_broken |= package.is_damaged;
    Ok((blocks, package.is_locked))
}
