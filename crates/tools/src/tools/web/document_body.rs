//! Documents such as PDF files, which have a reader of their own, as the body of an answer.

use std::time::Instant;

use super::page_source::media_type;
use iki_conversion::{self as conversion, ConversionError, HelperPrograms};
use iki_document::{Document, DocumentError, FileKind, FileLimits, MAX_FILE};
use iki_web::client::{BodyLimit, HttpResponse, MAX_BODY};

/// Limit for bodies of which documents may have more than others.
pub const LIMIT: BodyLimit = BodyLimit {
    bytes: MAX_BODY,
    larger: Some((is_large_document, MAX_FILE)),
};

/// Reason why a document cannot be read.
pub struct UnreadableDocument {
    /// The kind of document, if that is known.
    pub kind: Option<FileKind>,
    /// The reason in sentences.
    pub why: String,
    /// True if it is intact, but has no text.
    pub has_nothing: bool,
    /// True if a later attempt may read it.
    pub is_transient: bool,
}

/// True if a body begins as documents do. A notebook is JSON, of which no more is read than of any
/// other text.
fn is_large_document(body: &[u8]) -> bool {
    let is_json = body.trim_ascii_start().starts_with(b"{") && !body.starts_with(b"{\\rtf");
    !is_json && FileKind::may_begin_with(body)
}

/// Returns the kind of document that a reply is, if it is one. A page may merely mention the mark
/// of PDF files, and mail that is served as text is to be read as that, unless its name is that of
/// mail.
fn kind_of(reply: &HttpResponse) -> Option<FileKind> {
    let declared = reply.content_type().map(media_type).unwrap_or_default();
    let path = reply.url.path().to_ascii_lowercase();
    let is_named = MAIL_ENDINGS.iter().any(|ending| path.ends_with(ending));
    let is_mail = is_named || FileKind::Eml.media_types().contains(&&*declared);
    if let Some(kind) = is_mail.then(|| FileKind::of_mail(&reply.body)).flatten() {
        return Some(kind);
    }
    let kind = FileKind::of(&reply.body)?;
    let body = reply.body.trim_ascii_start();
    let is_text = declared.starts_with("text/") || body.starts_with(b"<");
    let is_told_by_text = matches!(kind, FileKind::Pdf | FileKind::Eml);
    (!is_told_by_text || body.starts_with(b"%PDF") || !is_text).then_some(kind)
}

/// Endings of the names of mail, and of mail in a gzip file.
const MAIL_ENDINGS: [&str; 4] = [".eml", ".mbox", ".eml.gz", ".mbox.gz"];

/// Converts a document; `None` if the body is none. A gzip file is replaced by what is packed in it.
pub fn read(
    reply: &mut HttpResponse,
    end: Instant,
) -> Result<Option<(FileKind, Document)>, UnreadableDocument> {
    use DocumentError::{NoLetters, NoPages, NoText, OnlyImages};
    reply.unpack();
    let kind = kind_of(reply);
    let unreadable = |error: ConversionError| UnreadableDocument {
        kind,
        why: error.to_string(),
        is_transient: error.is_transient,
        has_nothing: matches!(
            error.error,
            NoText(_) | NoPages | NoLetters { .. } | OnlyImages { .. }
        ),
    };
    let Some(kind) = kind else {
        let error = DocumentError::of(&reply.body);
        return error.map_or(Ok(None), |error| Err(unreadable(error.into())));
    };
    if reply.truncated {
        let (name, most) = (kind.name(), reply.body.len() >> 20);
        return Err(UnreadableDocument {
            kind: Some(kind),
            why: format!(
                "This {name} file has more than {most} MiB, which is the most that is read of one."
            ),
            has_nothing: false,
            is_transient: false,
        });
    }
    let limits = FileLimits {
        end: Some(end),
        ..FileLimits::default()
    };
    // A tool of the network starts programs though calls are confined.
    let programs = HelperPrograms::Installed;
    let converted = conversion::convert_file(&reply.body, kind, &limits, programs);
    let document = converted.map_err(unreadable)?;
    Ok(Some((kind, document)))
}
