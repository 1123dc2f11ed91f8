//! Text that is searched in place of a file's bytes: that of a document as Markdown, or of a file
//! in another encoding as UTF-8.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, MemfdFlags, Mode, SeekFrom, memfd_create, openat, seek};
use rustix::io::{Errno, pread};

use iki_base::signature::{self, COMPOUND, ZIP};
use iki_base::text_encoding::{EncodingFinding, MAX_DECODED_BYTES};
use iki_conversion::{self as conversion, HelperPrograms};
use iki_document::{FileKind, FileLimits, MAX_FILE};
use iki_process::sandbox::confinement;
use iki_search::ere::RegexMatcher;
use iki_search::scan::{self, LinkPolicy, ScanError};
use iki_web::charset;
use iki_web::client::{MAX_BODY, unpack_gzip};

/// The longest time for a conversion.
const CONVERSION_TIMEOUT: Duration = Duration::from_secs(25);
/// Bytes at a file's beginning that tell if it may be a document.
const SAMPLE_BYTES: usize = 8 << 10;

/// A text in a file of its own, which only this process has.
#[derive(Debug)]
pub struct MadeText {
    file: OwnedFd,
    size: usize,
    /// The note on what was searched in place of the file.
    pub told: Option<String>,
}

impl MadeText {
    fn create(text: &str, told: Option<String>) -> io::Result<Self> {
        let mut file = File::from(memfd_create(c"text", MemfdFlags::CLOEXEC)?);
        file.write_all(text.as_bytes())?;
        Ok(Self {
            file: file.into(),
            size: text.len(),
            told,
        })
    }

    /// The text from its beginning on, and its length.
    ///
    /// # Errors
    /// There is no further descriptor for it.
    pub fn open(&self) -> Result<(OwnedFd, usize), ScanError> {
        let file = self.file.try_clone();
        let file = file.map_err(|_| ScanError::Unreadable(Errno::MFILE))?;
        seek(&file, SeekFrom::Start(0)).map_err(ScanError::Unreadable)?;
        Ok((file, self.size))
    }

    /// The Markdown of the document at `path`, if it is one: where its bytes are text, only if
    /// `matcher` finds nothing in them. Of a gzip file it is that of the file in it, or its text.
    ///
    /// # Errors
    /// The document cannot be converted; the reason in a sentence.
    pub fn of_document(
        path: &str,
        matcher: &RegexMatcher,
        until: Option<Instant>,
    ) -> Result<Option<Self>, String> {
        let links = LinkPolicy::Follow;
        let opened = openat(CWD, Path::new(path), scan::flags(links), Mode::empty());
        let Ok((file, size)) = scan::regular(opened, links) else {
            return Ok(None);
        };
        let head = read(&file, SAMPLE_BYTES);
        let is_gzip = signature::is_gzip(&head);
        if size > MAX_FILE || !is_gzip && !FileKind::may_begin_with(&head) {
            return Ok(None);
        }
        let mut bytes = read(&file, size);
        let mut is_cut = false;
        if is_gzip {
            let Some(unpacked) = unpack_gzip(&bytes) else {
                return Ok(None);
            };
            if let Some((_, words)) = unpacked.other_file() {
                return Err(format!(
                    "Its bytes were searched: it is a {words}, packed with gzip."
                ));
            }
            (bytes, is_cut) = (unpacked.bytes, unpacked.truncated);
        }
        let Some(kind) = FileKind::detect(&bytes).filter(|kind| *kind != FileKind::Zip) else {
            return Ok(is_gzip.then(|| Self::of_unpacked(&bytes, is_cut)).flatten());
        };
        let is_packed = is_gzip || bytes.starts_with(ZIP) || bytes.starts_with(COMPOUND);
        let is_text = !is_packed && kind != FileKind::Pdf;
        if is_text && matcher.find_line(&bytes, 0).is_some() {
            return Ok(None);
        }
        let limit = Instant::now() + CONVERSION_TIMEOUT;
        let limits = FileLimits {
            end: Some(until.map_or(limit, |until| until.min(limit))),
            ..FileLimits::default()
        };
        // Where the kernel keeps this process to directories, it lets it start no program.
        let programs = if confinement::confines_own_files() {
            HelperPrograms::Barred
        } else {
            HelperPrograms::Installed
        };
        match conversion::convert_file(&bytes, kind, &limits, programs) {
            Ok(document) => {
                let told = format!("The {}'s text was searched, as Markdown.", kind.label());
                Ok(Self::create(&document.markdown, Some(told)).ok())
            }
            Err(_) if is_text => Ok(None),
            Err(error) => Err(format!("Its bytes were searched, not its text: {error}")),
        }
    }

    /// The text that was packed in a gzip file; `None` if it is none.
    fn of_unpacked(bytes: &[u8], is_cut: bool) -> Option<Self> {
        let text = charset::read(bytes, None, "", is_cut).ok()?.text;
        let part = if is_cut {
            format!(", as far as its first {} MiB", MAX_BODY >> 20)
        } else {
            String::new()
        };
        let told = format!("The gzip file was searched unpacked{part}.");
        Self::create(&text, Some(told)).ok()
    }

    /// The text of a file that is not UTF-8, if its encoding is known.
    ///
    /// # Errors
    /// It is text in an encoding that is not known.
    pub fn of_other_encoding(file: &OwnedFd, size: usize) -> Result<Option<Self>, ()> {
        let bytes = read(file, size.min(MAX_DECODED_BYTES));
        let has_escapes = || memchr::memchr(0x1b, &bytes).is_some();
        let is_marked = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
        // The search itself reads UTF-16 with a mark.
        if is_marked || simdutf8::basic::from_utf8(&bytes).is_ok() && !has_escapes() {
            return Ok(None);
        }
        if size > MAX_DECODED_BYTES {
            return Err(());
        }
        match EncodingFinding::detect(&bytes) {
            EncodingFinding::Utf8 => Ok(None),
            EncodingFinding::Known(_, text) => Ok(Self::create(&text, None).ok()),
            EncodingFinding::Unknown(_) if memchr::memchr(0, &bytes).is_some() => Ok(None),
            EncodingFinding::Unknown(_) => Err(()),
        }
    }
}

/// The first bytes of a file, at most so many.
fn read(file: impl AsFd, limit: usize) -> Vec<u8> {
    let mut bytes = vec![0; limit];
    let mut length = 0;
    while let Ok(count @ 1..) = pread(&file, &mut bytes[length..], length as u64) {
        length += count;
    }
    bytes.truncate(length);
    bytes
}
