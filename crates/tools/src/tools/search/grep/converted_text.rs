//! Text that is searched in place of a file's bytes: that of a document as Markdown, or of a file
//! in another encoding as UTF-8.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, MemfdFlags, Mode, SeekFrom, memfd_create, openat, seek};
use rustix::io::{Errno, pread};

use crate::contract::call_terms::CallTerms;
use iki_base::signature::{self, COMPOUND, ZIP};
use iki_base::text_encoding::{EncodingFinding, MAX_DECODED_BYTES};
use iki_base::wording::{count_noun, quoted_for_shell};
use iki_conversion::{self as conversion, HelperPrograms};
use iki_document::{DocumentCuts, FileKind, MAX_FILE};
use iki_search::ere::RegexMatcher;
use iki_search::scan::{self, LinkPolicy, ScanError};
use iki_web::body_text;
use iki_web::client::unpack_gzip;

/// The longest time for a conversion.
const CONVERSION_TIMEOUT: Duration = Duration::from_secs(25);
/// Bytes at a file's beginning that tell if it may be a document.
const SAMPLE_BYTES: usize = 8 << 10;

/// A text in a file of its own, which only this process has.
#[derive(Debug)]
pub struct ConvertedText {
    file: OwnedFd,
    size: usize,
    /// The note on what was searched in place of the file.
    pub note: Option<String>,
    /// True if it lacks a part of what the file has.
    pub is_partial: bool,
}

impl ConvertedText {
    fn create(text: &str, note: Option<String>) -> io::Result<Self> {
        let mut file = File::from(memfd_create(c"text", MemfdFlags::CLOEXEC)?);
        file.write_all(text.as_bytes())?;
        Ok(Self {
            file: file.into(),
            size: text.len(),
            note,
            is_partial: false,
        })
    }

    /// The text of a file without what was cut, which is told behind `what` was searched.
    fn create_of_cut(text: &str, what: &str, cuts: DocumentCuts) -> Option<Self> {
        let extent = cuts.lack_end().then(|| {
            let lines = count_noun(text.lines().count() as u64, "line");
            format!(", but not to its end: {lines}")
        });
        let told = format!("{what}{}.", extent.unwrap_or_default());
        let told = [vec![told], cuts.notices()].concat().join(" ");
        let made = Self::create(text, Some(told)).ok()?;
        Some(Self {
            is_partial: cuts.are_of_content(),
            ..made
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
        terms: &CallTerms,
    ) -> Result<Option<Self>, String> {
        let links = LinkPolicy::Follow;
        let opened = openat(CWD, Path::new(path), scan::open_flags(links), Mode::empty());
        let Ok((file, size)) = scan::check_regular(opened, links) else {
            return Ok(None);
        };
        let head = read(&file, SAMPLE_BYTES);
        let is_gzip = signature::is_gzip(&head);
        if !is_gzip && (size > MAX_FILE || !FileKind::may_begin_with(&head)) {
            return Ok(None);
        }
        let mut bytes = read(&file, size.min(MAX_FILE));
        let mut cuts = DocumentCuts::default();
        if is_gzip {
            let Some(unpacked) = unpack_gzip(&bytes) else {
                return Ok(None);
            };
            if let Some((_, words)) = unpacked.other_file() {
                return Err(format!(
                    "Its bytes were searched: it is a {words}, packed with gzip."
                ));
            }
            (bytes, cuts) = (unpacked.bytes, unpacked.cuts);
        }
        let Some(kind) = FileKind::detect(&bytes).filter(|kind| *kind != FileKind::Zip) else {
            let unpacked = is_gzip.then(|| Self::of_unpacked(&bytes, path, cuts, terms));
            return Ok(unpacked.flatten());
        };
        let is_packed = is_gzip || bytes.starts_with(ZIP) || bytes.starts_with(COMPOUND);
        let is_text = !is_packed && kind != FileKind::Pdf;
        if is_text && matcher.find_line(&bytes, 0).is_some() {
            return Ok(None);
        }
        // The rest of the time is for the search.
        let end = Instant::now() + terms.time_left(CONVERSION_TIMEOUT) * 9 / 10;
        let programs = HelperPrograms::of_file_call();
        match conversion::convert_file(&bytes, kind, end, programs) {
            Ok(document) => {
                let document = document.cut(cuts);
                let what = format!("The {}'s text was searched, as Markdown", kind.label());
                let made = Self::create_of_cut(document.own_text(), &what, document.cuts);
                let remark = document
                    .remark_on_programs
                    .filter(|_| document.cuts.scans > 0);
                Ok(made.map(|made| made.with_remark(remark)))
            }
            Err(_) if is_text => Ok(None),
            Err(error) => Err(format!("Its bytes were searched, not its text: {error}")),
        }
    }

    /// The text that was packed in a gzip file; `None` if it is none.
    fn of_unpacked(
        bytes: &[u8],
        path: &str,
        cuts: DocumentCuts,
        terms: &CallTerms,
    ) -> Option<Self> {
        let text = body_text::read(bytes, None, "", cuts.lack_end()).ok()?.text;
        let made = Self::create_of_cut(&text, "The gzip file was searched unpacked", cuts)?;
        let has_command = cuts.size_limit.is_some() && terms.serves("bash");
        let command = || {
            let file = quoted_for_shell(path);
            format!("With bash, `zcat {file} | grep -n …` searches all of it.")
        };
        Some(made.with_remark(has_command.then(command)))
    }

    fn with_remark(mut self, remark: Option<String>) -> Self {
        self.note = [self.note, remark]
            .into_iter()
            .flatten()
            .reduce(|told, remark| told + " " + &remark);
        self
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
