//! Files that are more than the text in them: notebooks, which are JSON, and documents, archives
//! and images, which hold lengths, offsets and checksums of their own parts.
//!
//! Rules: the decisions on file-edit.

use std::path::Path;

use serde::de::IgnoredAny;

use crate::contract::call_terms::{Audience, CallTerms};
use crate::contract::failure::{ErrorCode, Failure};
use iki_base::signature;
use iki_base::wording::quoted_for_shell;
use iki_document::{FileKind, MAX_FILE};
use iki_files::binary_kind;

/// The first bytes that tell the kind of a file.
const HEAD_BYTES: usize = 8 * 1024;

/// What an edit has to heed of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Composition {
    /// It is text, or of no known kind.
    Plain,
    /// It is a notebook.
    Notebook,
    /// It is a binary file of this kind.
    Binary(&'static str),
}

impl Composition {
    /// What the file at `path` is.
    pub fn detect(path: &Path, terms: &CallTerms) -> Self {
        let read = |limit| iki_files::read_beginning(path, limit, terms.work_end());
        let Some((head, _)) = read(HEAD_BYTES) else {
            return Self::Plain;
        };
        if let Some(words) = binary_words(&head) {
            return Self::Binary(words);
        }
        if head.trim_ascii_start().starts_with(b"{")
            && read(MAX_FILE).is_some_and(|(content, _)| is_notebook(&content))
        {
            return Self::Notebook;
        }
        Self::Plain
    }

    /// The refusal of an edit at our own doors.
    pub fn refusal(self, path: &str, terms: &CallTerms) -> Option<Failure> {
        let Self::Binary(words) = self else {
            return None;
        };
        if terms.reader == Audience::Host {
            return None;
        }
        let path = quoted_for_shell(path);
        let by = if words == "gzip archive" {
            format!(": with bash, `gzip -dk {path}` unpacks it")
        } else {
            ": change it with bash, by a program for such files".to_owned()
        };
        let message = format!("The file is binary ({words}), so nothing was written");
        Some(
            Failure::new(ErrorCode::InvalidArg, message).with_note(format!(
                "Lengths, offsets and checksums in it would no longer hold{}.",
                terms.if_served("bash", &by)
            )),
        )
    }

    /// The note on an edit that was made of the bytes of such a file.
    pub fn note(self) -> Option<String> {
        let Self::Binary(words) = self else {
            return None;
        };
        Some(format!(
            "It is a binary file ({words}): lengths, offsets and checksums in it may no longer \
             hold."
        ))
    }

    /// The condition on what an edit leaves of the file.
    pub fn condition(self) -> Option<fn(&[u8]) -> bool> {
        let is_json = |content: &[u8]| serde_json::from_slice::<IgnoredAny>(content).is_ok();
        (self == Self::Notebook).then_some(is_json)
    }
}

/// The failure of an edit that leaves no JSON of a notebook.
pub fn broken_notebook() -> Failure {
    let message = "The file is a notebook, and would no longer be JSON, so nothing was written";
    Failure::new(ErrorCode::InvalidArg, message).with_note(
        "Send both texts as they are in the file, where each line of a cell is a JSON string: \
         `\"` is `\\\"` there, a backslash `\\\\`, a line end `\\n`, and a comma is between two \
         lines.",
    )
}

/// The words for a binary file, by its first bytes.
pub fn binary_words(head: &[u8]) -> Option<&'static str> {
    let kind = binary_kind::detect(head);
    // A text in an older encoding may begin as some do (`OTTO`), but has no NULs.
    match kind.filter(|kind| kind.is_known() && head.contains(&0)) {
        Some(kind) => Some(kind.words),
        // There may be other bytes before the mark, and a file of plain text has offsets too.
        None if head.starts_with(signature::PDF) || kind.is_some() && signature::is_pdf(head) => {
            Some("PDF document")
        }
        None => None,
    }
}

/// True if `content` is a whole notebook.
pub fn is_notebook(content: &[u8]) -> bool {
    content.trim_ascii_start().starts_with(b"{")
        && FileKind::detect(content) == Some(FileKind::Ipynb)
}
