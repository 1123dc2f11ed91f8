//! Checks the Markdown of office documents.

use crate::{Document, DocumentError, FileKind, FileLimits, convert_file};

mod characters;
mod docx;
mod hostile;
mod mail;
mod odf;
mod pptx;
mod rtf;
pub(crate) mod sample_files;
mod xlsx;

fn converted(bytes: &[u8]) -> Result<Document, DocumentError> {
    let kind = FileKind::detect(bytes).ok_or(DocumentError::Damaged)?;
    convert_file(bytes, kind, &FileLimits::default())
}

#[track_caller]
fn check(bytes: &[u8], wanted: &str) {
    match converted(bytes) {
        Ok(document) => assert_eq!(document.markdown, wanted),
        Err(error) => panic!("{error}"),
    }
}
