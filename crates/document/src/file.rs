//! Documents that come as files: their detection and conversion.

use std::time::Instant;

use memchr::memmem;

use super::markdown;
use super::notebook;
use super::office::blocks::BlockWriter;
use super::office::package::ZipPackage;
use super::office::{self, compound, legacy_office_text, mail, rtf, xls};
use super::{
    Document, DocumentCuts, DocumentError, FileKind, PdfReading, epub, reader_panics, zip_listing,
};
use iki_base::signature::{self, COMPOUND, ZIP};

/// The beginning of a zip file without members.
pub(super) const EMPTY_ZIP: &[u8] = b"PK\x05\x06";

/// Number of bytes at the beginning that show if a file may have a conversion.
const MARK_BYTES: usize = 1024;

/// Maximum length of a file that callers read for a conversion, in bytes; [`convert_file`] takes
/// whatever it is given.
pub const MAX_FILE: usize = 50 << 20;

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

/// Limits of a file's conversion.
#[derive(Clone, Copy, Debug)]
pub struct FileLimits {
    /// Deadline; parts that were not read by then are left out.
    pub end: Option<Instant>,
    /// Maximum size of one part of a file once it is decompressed, in bytes; 64 MiB by default.
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
    if kind == FileKind::Pdf {
        return PdfReading::new(bytes, limits)?.convert(Vec::new());
    }
    if kind == FileKind::Ipynb {
        return notebook::read(bytes, limits);
    }
    if kind == FileKind::Zip {
        let listed = reader_panics::catch_reader_panic(|| zip_listing::read(bytes, limits));
        return listed.unwrap_or(Err(DocumentError::Damaged));
    }
    if FileKind::LEGACY_OFFICE.contains(&kind) {
        return Err(DocumentError::LegacyOffice(kind));
    }
    let convert = || {
        let (blocks, locked) = match kind {
            FileKind::Xls => (xls::read(bytes, reading_end(limits.end))?, false),
            FileKind::Rtf => (rtf::read(bytes, reading_end(limits.end)), false),
            FileKind::Eml | FileKind::Msg => {
                let read = mail::read(bytes, kind, reading_end(limits.end));
                (read.ok_or(DocumentError::Damaged)?, false)
            }
            _ => read_package(bytes, kind, limits)?,
        };
        write(blocks, kind, locked, limits.end)
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

/// The deadline for reading: three quarters of the time until `end`, so that writing has the rest.
pub(super) fn reading_end(end: Option<Instant>) -> Option<Instant> {
    let now = Instant::now();
    end.map(|end| now + end.saturating_duration_since(now) * 3 / 4)
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
        _ if package.locked => DocumentError::Encrypted,
        _ if package.damaged => DocumentError::Damaged,
        error => error,
    })?;
    blocks.cut |= package.cut;
    blocks.broken |= package.damaged;
    Ok((blocks, package.locked))
}

pub(super) fn write(
    mut blocks: BlockWriter,
    kind: FileKind,
    locked: bool,
    end: Option<Instant>,
) -> Result<Document, DocumentError> {
    blocks.finish();
    let builder = blocks.builder;
    if builder.is_empty() {
        return Err(match (locked, blocks.late || blocks.cut, blocks.broken) {
            (true, ..) => DocumentError::Encrypted,
            (_, true, _) => DocumentError::TooCostly,
            (.., true) => DocumentError::Damaged,
            _ => DocumentError::NoText(kind),
        });
    }
    let length = 2 * builder.text_bytes() + 16 * builder.node_count();
    let (markdown, cuts) = markdown::write(&builder.finish(String::new()), length, end);
    let some = |text: String| (!text.is_empty()).then_some(text);
    let document = Document {
        title: some(blocks.about.title).unwrap_or(blocks.title),
        author: some(blocks.about.author),
        date: some(blocks.about.date),
        markdown,
        ..Document::default()
    };
    Ok(document.cut(cuts.and(DocumentCuts {
        memory: blocks.cut,
        time: blocks.late,
        damage: blocks.broken,
        ..DocumentCuts::default()
    })))
}
