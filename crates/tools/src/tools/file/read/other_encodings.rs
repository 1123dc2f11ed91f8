//! Text in an encoding other than UTF-8, decoded where the encoding is known.

use super::converted_text::ConvertedLines;
use super::lines::LineRange;
use crate::contract::call_terms::CallTerms;
use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::tools::file::failure;
use iki_base::text_encoding::{EncodingFinding, MAX_DECODED_BYTES};
use iki_files::FileContent;

/// Bytes that tell if a text is UTF-8, at its beginning and where it is read.
const SAMPLE_BYTES: usize = 64 * 1024;

/// Bytes that tell it if there is no limit on the answer but a number of lines.
const WINDOW_BYTES: usize = 1024 * 1024;

/// The answer to a call for such a file; `None` if the file is none.
pub fn reply<'a>(
    wanted: &LineRange<'a>,
    content: &FileContent,
    terms: &CallTerms,
) -> Result<Option<Reply<'a>>, Failure> {
    let wanted = *wanted;
    let bytes_at = |from, most| {
        let bytes = content.bytes_at(from, most);
        bytes.map_err(|error| failure::from_access_error(wanted.path, &error))
    };
    let facts = content.facts();
    if facts.kind.is_some()
        || facts
            .size
            .is_some_and(|size| size > MAX_DECODED_BYTES as u64)
    {
        return Ok(None);
    }
    let byte_count = match (terms.max_answer, wanted.limit) {
        (Some(limit), _) => limit.max(SAMPLE_BYTES),
        (None, Some(_)) => WINDOW_BYTES,
        (None, None) => MAX_DECODED_BYTES,
    };
    if facts.encoding.is_none()
        && is_utf8(&bytes_at(0, SAMPLE_BYTES)?)
        && is_utf8(&bytes_at(content.position(), byte_count)?)
    {
        return Ok(None);
    }
    let bytes = bytes_at(0, MAX_DECODED_BYTES + 1)?;
    if bytes.len() > MAX_DECODED_BYTES {
        return Ok(None);
    }
    let EncodingFinding::Known(encoding, text) = EncodingFinding::detect(&bytes) else {
        return Ok(None);
    };
    drop(bytes);
    Ok(Some(Reply::new(move |object| {
        let edit = "; file_edit keeps to it";
        let edit = object.terms().if_served("file_edit", edit);
        object.note(format!("{} text, shown decoded{edit}.", encoding.name()));
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
        ConvertedLines::select(text, &wanted).answer(object, &wanted, "file")
    })))
}

/// True if `bytes`, which may end within a character, are UTF-8.
fn is_utf8(bytes: &[u8]) -> bool {
    match simdutf8::compat::from_utf8(bytes) {
        Ok(_) => true,
        Err(broken) => broken.error_len().is_none(),
    }
}
