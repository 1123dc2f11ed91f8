//! Documents: files with a reader of their own.

use std::time::Instant;

use super::asked::Asked;
use super::facts::{self, Source};
use super::failure::{self, Refusal};
use super::form;
use super::page::Page;
use super::read;
use crate::basics::signature;
use crate::document::{self, FileError, FileKind, FileLimits, PdfError};
use crate::tools::web_notes;
use crate::web::client::{Client, Response};

/// Media types of documents.
const TYPES: &[&str] = &[
    "application/epub+zip",
    "application/pdf",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/x-pdf",
];

/// Whether that is the media type of a document.
pub fn is_document(essence: &str) -> bool {
    TYPES.contains(&essence)
}

/// Whether a body begins as documents do.
pub fn begins_as_one(body: &[u8]) -> bool {
    body.starts_with(signature::ZIP) || signature::is_pdf(body)
}

/// What kind of document a reply is, if it is one. A page may speak of the mark of PDF files.
fn kind_of(reply: &Response) -> Option<FileKind> {
    let kind = FileKind::of(&reply.body)?;
    let body = reply.body.trim_ascii_start();
    let declared = reply.content_type().map(form::essence);
    let is_text = declared.is_some_and(|kind| kind.starts_with("text/")) || body.starts_with(b"<");
    (kind != FileKind::Pdf || body.starts_with(signature::PDF) || !is_text).then_some(kind)
}

/// The page that a document is; `None` where the body is none.
pub fn page(
    reply: &Response,
    asked: &Asked,
    end: Instant,
    client: &Client,
) -> Result<Option<Page>, Refusal> {
    let declared = reply.content_type().map(form::essence);
    let declared = declared.as_deref().unwrap_or_default();
    let unreadable = |why: &str| {
        let note = web_notes::of_file(declared, &reply.url, &asked.url, &reply.body);
        failure::of_document(why, note).detail(declared)
    };
    let failed = |error: &FileError| {
        let why = error.to_string();
        if has_nothing(error) {
            failure::of_empty_document(&why).detail(declared)
        } else {
            unreadable(&why)
        }
    };
    let kind = match kind_of(reply) {
        Some(kind) if reply.truncated => {
            let why = format!(
                "This {} file has more than 50 MiB, which is the most that is read of one.",
                kind.name()
            );
            return Err(unreadable(&why));
        }
        Some(kind) => kind,
        None => {
            let wrong = FileError::of(&reply.body);
            return wrong.map_or(Ok(None), |error| Err(failed(&error)));
        }
    };
    let limits = FileLimits {
        end: Some(end),
        ..FileLimits::default()
    };
    let document =
        document::convert_file(&reply.body, kind, &limits).map_err(|error| failed(&error))?;
    let mut page = Page {
        url: read::shown(&reply.url),
        content_type: kind.name().to_owned(),
        markdown: true,
        title: read::titled(&document.title),
        ..Page::default()
    };
    read::note_what_is_missing(&mut page, document.cuts);
    let source = Source {
        author: document.author.as_deref(),
        date: document.date.as_deref(),
        ..Source::at(&reply.url)
    };
    facts::add(&mut page, &source, document.own(), Some(client));
    page.fill(&document.markdown, asked);
    Ok(Some(page))
}

/// Whether a document is sound, and has nothing to read in it.
fn has_nothing(error: &FileError) -> bool {
    use PdfError::{NoLetters, NoPages, NoText, OnlyImages};
    matches!(
        error,
        FileError::NoText(_)
            | FileError::Pdf(NoPages | NoText { .. } | NoLetters { .. } | OnlyImages { .. })
    )
}
