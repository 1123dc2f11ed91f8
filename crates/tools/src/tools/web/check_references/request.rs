//! Fields of a request, parsed and validated: the entries that a call checks.

use super::bibliography_file;
use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::request::Request;
use crate::tools::web::research_failure;
use crate::tools::web::searching::search_fields::{given, invalid_request};
use iki_research::references::bibliography::{Bibliography, BibliographyForm};
use iki_research::references::entry::ReferenceEntry;

/// Maximum number of entries that a call checks.
const MAX_ENTRIES: usize = 50;

/// Maximum length of a text, in bytes.
pub const MAX_BYTES: usize = 8 << 20;

/// A parsed request.
pub struct ReferenceFields {
    /// All entries.
    pub entries: Vec<ReferenceEntry>,
    /// Number of those before the first one that is checked.
    pub before: usize,
}

impl ReferenceFields {
    /// Returns the entries that this call checks.
    pub fn entries_to_check(&self) -> &[ReferenceEntry] {
        let end = self.entries.len().min(self.before + MAX_ENTRIES);
        self.entries.get(self.before..end).unwrap_or_default()
    }
}

/// Refuses what is meant to be CSL-JSON.
pub fn broken_json(fault: &str) -> Failure {
    invalid_request(
        format!("the references look like CSL-JSON, but {fault}"),
        "Mend that, and send them again.",
    )
}

/// Parses a request.
pub fn read(request: &Request<'_>) -> Result<ReferenceFields, Failure> {
    let text = given(request, "text")?;
    let file = given(request, "file_path")?;
    let bibliography = match (text, file) {
        (Some(_), Some(_)) => {
            return Err(invalid_request(
                "text and file_path are two bibliographies",
                "Send one of them.",
            ));
        }
        (None, None) => {
            return Err(invalid_request(
                "text is missing",
                "Send the references as text: BibTeX, RIS, CSL-JSON, or one a line.",
            ));
        }
        (Some(text), None) if text.len() > MAX_BYTES => {
            return Err(invalid_request(
                format!("text has more than {} MiB", MAX_BYTES >> 20),
                "Send a part of it.",
            ));
        }
        (Some(text), None) => match Bibliography::fault(text) {
            Some(fault) => return Err(broken_json(&fault)),
            None => Bibliography::read(text),
        },
        (None, Some(path)) => bibliography_file::read(path, request.terms())?,
    };
    let entries = bibliography.entries;
    let is_word = text.is_some_and(|text| !text.trim().contains(char::is_whitespace));
    let is_plain = bibliography.form == BibliographyForm::Plain;
    if is_word && is_plain && !entries.iter().any(ReferenceEntry::can_be_found) {
        return Err(invalid_request(
            "text is one word, and no reference",
            "Send the references themselves, or the name of their file as file_path.",
        ));
    }
    if entries.is_empty() {
        return Err(invalid_request(
            "there are no references in it",
            "Send BibTeX, RIS, CSL-JSON, or references one a line or paragraph.",
        ));
    }
    let limit = u64::try_from(usize::MAX).unwrap_or(u64::MAX);
    let offset = request.integer("offset", 1..=limit)?.unwrap_or(1);
    let before = usize::try_from(offset - 1).unwrap_or(usize::MAX);
    if before >= entries.len() {
        let message = format!(
            "offset is {offset}, and the last reference is the {}. one.",
            entries.len()
        );
        return Err(research_failure::with_advice(
            ErrorCode::InvalidArg,
            message,
        ));
    }
    Ok(ReferenceFields { entries, before })
}
