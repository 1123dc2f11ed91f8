//! Documents such as PDF files, which have a parser of their own.

use std::time::Instant;

use super::failure::{self, PageError};
use super::found_page::FoundPage;
use super::request::ScrapeRequest;
use crate::document::{self, DocumentError, FileKind, FileLimits, PdfError};
use crate::tools::web::fetch_note;
use crate::tools::web::page_source::media_type;
use crate::web::client::HttpResponse;

/// True for the media type of a document.
pub fn is_document(essence: &str) -> bool {
    let mut kinds = FileKind::ALL.into_iter();
    kinds.any(|kind| kind.media_types().contains(&essence))
}

/// Returns the kind of document that a reply is, if it is one. A page may merely mention the mark
/// of PDF files.
fn kind_of(reply: &HttpResponse) -> Option<FileKind> {
    let kind = FileKind::of(&reply.body)?;
    let body = reply.body.trim_ascii_start();
    let declared = reply.content_type().map(media_type);
    let is_text = declared.is_some_and(|kind| kind.starts_with("text/")) || body.starts_with(b"<");
    (kind != FileKind::Pdf || body.starts_with(b"%PDF") || !is_text).then_some(kind)
}

/// Parses a document as a page; `None` if the body is not a document.
pub fn read(
    reply: &HttpResponse,
    request: &ScrapeRequest,
    end: Instant,
) -> Result<Option<FoundPage>, PageError> {
    let declared = reply.content_type().map(media_type).unwrap_or_default();
    let unreadable = |why: &str| {
        let note = fetch_note::of_file(&declared, &reply.url, &request.url, &reply.body);
        failure::of_document(why, note).detail(&declared)
    };
    let failed = |error: &DocumentError| {
        let why = error.to_string();
        if has_nothing(error) {
            failure::of_empty_document(&why).detail(&declared)
        } else {
            unreadable(&why)
        }
    };
    let Some(kind) = kind_of(reply) else {
        let wrong = DocumentError::of(&reply.body);
        return wrong.map_or(Ok(None), |error| Err(failed(&error)));
    };
    if reply.truncated {
        let name = kind.name();
        return Err(unreadable(&format!(
            "This {name} file has more than 50 MiB, which is the most that is read of one."
        )));
    }
    let limits = FileLimits {
        end: Some(end),
        ..FileLimits::default()
    };
    let document = document::convert_file(&reply.body, kind, &limits);
    let document = document.map_err(|error| failed(&error))?;
    Ok(Some(FoundPage::new(&reply.url, kind.name(), document)))
}

/// True if a document is intact, but has no text.
fn has_nothing(error: &DocumentError) -> bool {
    use PdfError::{NoLetters, NoPages, NoText, OnlyImages};
    matches!(
        error,
        DocumentError::NoText(_)
            | DocumentError::Pdf(NoPages | NoText { .. } | NoLetters { .. } | OnlyImages { .. })
    )
}
