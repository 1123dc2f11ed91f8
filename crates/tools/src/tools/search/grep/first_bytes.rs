//! The facts that a file's beginning shows: bytes of a program, a document, or text that is
//! not to be searched as it is.

use std::path::Path;

use iki_base::signature::{self, COMPOUND, ZIP, is_gzip};
use iki_base::text_encoding::wide_without_mark;
use iki_document::FileKind;
use iki_files::binary_kind::wide_encoding;
use iki_search::left_out::LeftOutReason;

/// Number of bytes at a file's beginning that show if it is binary.
const BINARY_CHECK_BYTES: usize = 8 << 10;

/// The facts that a file's beginning shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileBeginning {
    /// True if it is not text.
    pub is_binary: bool,
    /// The reason why a search of its bytes may not find its text.
    reason: Option<LeftOutReason>,
}

impl FileBeginning {
    /// Looks at the beginning of a file, without a mark.
    pub fn inspect(beginning: &[u8]) -> Self {
        let marked = wide_encoding(beginning);
        let utf_32 = marked.filter(|encoding| encoding.starts_with("UTF-32"));
        let is_marked = marked.is_some() && utf_32.is_none();
        let beginning = &beginning[..beginning.len().min(BINARY_CHECK_BYTES)];
        let is_binary = !is_marked && memchr::memchr(0, beginning).is_some();
        let is_document = matches!(beginning.first(), Some(b'%' | b'P' | 0xd0 | 0x1f))
            && (beginning.starts_with(ZIP)
                || is_gzip(beginning)
                || beginning.starts_with(COMPOUND)
                || signature::is_pdf(beginning));
        let reason = if is_document {
            Some(LeftOutReason::Document)
        } else if !is_binary {
            None
        } else {
            let unmarked = || wide_without_mark(&beginning[..beginning.len() & !1]);
            let wide = utf_32.map(|_| "UTF-32").or_else(unmarked);
            let is_text = || is_text_but_for_nuls(beginning);
            wide.map(LeftOutReason::Wide)
                .or_else(|| is_text().then_some(LeftOutReason::Nul))
        };
        Self { is_binary, reason }
    }

    /// True if it is a document or packed, whatever it is called.
    pub fn is_document(self) -> bool {
        self.reason == Some(LeftOutReason::Document)
    }

    /// The reason why the search of the file at `path` has to be told, if `has_matched` says
    /// whether its bytes matched.
    pub fn to_be_told(self, path: &[u8], has_matched: bool) -> Option<LeftOutReason> {
        let reason = self.reason?;
        let path = String::from_utf8_lossy(path);
        let extension = Path::new(&*path).extension().unwrap_or_default();
        let is_kind = |kind: &FileKind| extension.eq_ignore_ascii_case(kind.name());
        let is_told = match reason {
            // The text of an archive would be its list of names.
            LeftOutReason::Document if extension.eq_ignore_ascii_case("gz") => {
                !path.to_ascii_lowercase().ends_with(".tar.gz")
            }
            LeftOutReason::Document => FileKind::ALL
                .iter()
                .any(|kind| *kind != FileKind::Zip && is_kind(kind)),
            LeftOutReason::Nul => has_matched,
            _ => true,
        };
        is_told.then_some(reason)
    }
}

/// True if the bytes other than NUL are text.
fn is_text_but_for_nuls(bytes: &[u8]) -> bool {
    let text: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
    let is_odd = |byte: &u8| *byte < b' ' && !b"\t\n\r\x0c\x1b".contains(byte);
    let is_utf8 = match str::from_utf8(&text) {
        Ok(_) => true,
        // The last character may be cut.
        Err(error) => error.error_len().is_none(),
    };
    !text.is_empty() && is_utf8 && !text.iter().any(is_odd)
}
