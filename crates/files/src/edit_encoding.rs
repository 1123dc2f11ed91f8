//! The encoding in which a file is edited: its own where that is known, else its bytes.
//!
//! Rules: the decisions on other encodings. The text is decoded, edited, and encoded again: what is
//! not replaced comes back to the same bytes. Nothing is written that the encoding does not have.

use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::time::Instant;

use memchr::memmem::Finder;

use super::edit::TextReplacement;
use super::regular::{FileAccessError, RegularFile};
use iki_base::text_encoding::{EncodingFinding, MAX_DECODED_BYTES, TextEncoding};

/// The bytes that tell if a file is UTF-16 or UTF-32.
const HEAD_BYTES: usize = 8 * 1024;

/// U+FFFD, which stands for bytes that are no text, where it is shown.
const REPLACEMENT: &str = "\u{FFFD}";

/// The reason why texts cannot be put into a file in its encoding.
#[derive(Debug, thiserror::Error)]
pub enum EncodingObstacle {
    /// A new text has U+FFFD, and the file has bytes that are shown so.
    #[error("U+FFFD would take the place of other characters")]
    Replacement,
    /// The encoding does not have this character; of a one-byte encoding, it is not sure.
    #[error("{} has no {character}", encoding.name())]
    Lacking {
        /// The encoding.
        encoding: TextEncoding,
        /// The first character that it lacks.
        character: char,
    },
    /// The file is in an encoding that is not known, perhaps in this one.
    #[error("the file is not UTF-8")]
    Unknown(Option<&'static str>),
    /// The file is in this encoding, which has no bytes in common with UTF-8.
    #[error("the file is {0} text")]
    Wide(&'static str),
}

/// The way in which a file is edited.
pub enum EditedText {
    /// By its bytes. The flag is true if a new text brings U+FFFD that the file did not have.
    Bytes(bool),
    /// In this encoding; its text.
    Decoded(TextEncoding, String),
}

impl EditedText {
    /// Decides how `file` is edited with these replacements.
    ///
    /// # Errors
    /// The place of the replacement that cannot be made, and the reason.
    pub fn prepare(
        file: &RegularFile,
        replacements: &[TextReplacement<'_>],
        deadline: Option<Instant>,
    ) -> Result<Result<Self, (usize, EncodingObstacle)>, FileAccessError> {
        let is_utf8_text = |text| str::from_utf8(text).is_ok();
        if !replacements
            .iter()
            .all(|one| is_utf8_text(one.old) && is_utf8_text(one.new))
        {
            return Ok(Ok(Self::Bytes(false)));
        }
        let is_ascii = |one: &TextReplacement<'_>| one.old.is_ascii() && one.new.is_ascii();
        let first_other = replacements.iter().position(|one| !is_ascii(one));
        let brings =
            |one: &TextReplacement<'_>| has_replacement(one.new) && !has_replacement(one.old);
        let bringing = replacements.iter().position(brings);
        let is_small = file.size() <= MAX_DECODED_BYTES as u64;
        if !is_small && first_other.is_none() {
            return Ok(Ok(Self::Bytes(false)));
        }
        let head = file.bytes_at(0, HEAD_BYTES, deadline)?;
        let (is_utf8, has_escape) = survey(file, deadline)?;
        let may_have_states = has_escape && contains(file, b"\x1b$", deadline)?;
        let is_other = !is_utf8
            || may_have_states
            || iki_base::text_encoding::wide_without_mark(&head).is_some();
        let brings_new = || match bringing {
            Some(_) => contains(file, REPLACEMENT.as_bytes(), deadline).map(|has| !has),
            None => Ok(false),
        };
        if !is_other {
            return Ok(Ok(Self::Bytes(brings_new()?)));
        }
        let bytes = if is_small {
            file.bytes_at(0, MAX_DECODED_BYTES + 1, deadline)?
        } else {
            Vec::new()
        };
        let finding = if is_small {
            EncodingFinding::detect(&bytes)
        } else {
            EncodingFinding::Unknown(None)
        };
        Ok(match (finding, first_other) {
            // Bytes that were shown as U+FFFD are found by what is around them.
            (EncodingFinding::Known(_, text), _)
                if replacements.iter().any(|one| has_replacement(one.old))
                    && !text.contains(REPLACEMENT) =>
            {
                Ok(Self::Bytes(false))
            }
            (EncodingFinding::Known(encoding, text), _) => {
                let lacks = replacements.iter().enumerate().find_map(|(index, one)| {
                    let obstacle = obstacle(encoding, &text, one)?;
                    Some((index, obstacle))
                });
                lacks.map_or(Ok(Self::Decoded(encoding, text)), Err)
            }
            (EncodingFinding::Unknown(Some(wide)), _) if wide.starts_with("UTF-") => {
                Err((0, EncodingObstacle::Wide(wide)))
            }
            (EncodingFinding::Utf8, _) => Ok(Self::Bytes(brings_new()?)),
            // Between its sequences ASCII is halves of other characters.
            (EncodingFinding::Unknown(guess), None) if is_utf8 && may_have_states => {
                EncodingFinding::with_states(&bytes)
                    .map(|(encoding, text)| Self::Decoded(encoding, text))
                    .ok_or((0, EncodingObstacle::Unknown(guess)))
            }
            (_, None) => Ok(Self::Bytes(false)),
            (EncodingFinding::Unknown(guess), Some(index)) => Err(match bringing {
                Some(index) => (index, EncodingObstacle::Replacement),
                None => (index, EncodingObstacle::Unknown(guess)),
            }),
        })
    }
}

fn has_replacement(text: &[u8]) -> bool {
    Finder::new(REPLACEMENT).find(text).is_some()
}

/// The reason why the new text of `one` cannot be put into a file with this `text`.
fn obstacle(
    encoding: TextEncoding,
    text: &str,
    one: &TextReplacement<'_>,
) -> Option<EncodingObstacle> {
    let new = str::from_utf8(one.new).ok()?;
    if new.is_ascii() {
        return None;
    }
    if new.contains(REPLACEMENT) && !text.contains(REPLACEMENT) {
        return Some(EncodingObstacle::Replacement);
    }
    let lacking = |character| EncodingObstacle::Lacking {
        encoding,
        character,
    };
    if encoding.is_one_byte() {
        let known: HashSet<char> = text.chars().filter(|one| !one.is_ascii()).collect();
        let is_new = |one: &char| !one.is_ascii() && !known.contains(one);
        return new.chars().find(is_new).map(lacking);
    }
    encoding.encode(new).err().map(lacking)
}

/// Writes the text that is in `from`, UTF-8, to `to` in `encoding`.
pub fn write_encoded(
    from: &RegularFile,
    encoding: TextEncoding,
    to: &mut File,
    deadline: Option<Instant>,
) -> Result<(), FileAccessError> {
    let text = from.bytes_at(0, usize::MAX, deadline)?;
    let text = String::from_utf8(text).map_err(|_| FileAccessError::changed())?;
    let bytes = encoding
        .encode(&text)
        .map_err(|_| FileAccessError::changed())?;
    to.write_all(&bytes)
        .map_err(|error| FileAccessError::failed_write(&error))
}

/// If all of the file is UTF-8, and if it then has the character Escape.
fn survey(file: &RegularFile, deadline: Option<Instant>) -> Result<(bool, bool), FileAccessError> {
    let (mut is_valid, mut has_escape, mut begun) = (true, false, Vec::new());
    file.look_through(0..u64::MAX, deadline, |seen| {
        has_escape |= memchr::memchr(0x1b, seen).is_some();
        let joined;
        let bytes = if begun.is_empty() {
            seen
        } else {
            begun.extend_from_slice(seen);
            joined = std::mem::take(&mut begun);
            &joined
        };
        match str::from_utf8(bytes) {
            Ok(_) => {}
            // A character that the window cuts.
            Err(error) if error.error_len().is_none() => {
                begun = bytes[error.valid_up_to()..].to_vec();
            }
            Err(_) => is_valid = false,
        }
        is_valid
    })?;
    Ok((is_valid && begun.is_empty(), has_escape))
}

/// True if the file has these few bytes.
fn contains(
    file: &RegularFile,
    sought: &[u8],
    deadline: Option<Instant>,
) -> Result<bool, FileAccessError> {
    let finder = Finder::new(sought);
    let (mut is_found, mut last) = (false, Vec::new());
    file.look_through(0..u64::MAX, deadline, |seen| {
        last.extend_from_slice(&seen[..seen.len().min(sought.len())]);
        is_found = finder.find(&last).is_some() || finder.find(seen).is_some();
        last = seen[seen.len().saturating_sub(sought.len() - 1)..].to_vec();
        !is_found
    })?;
    Ok(is_found)
}
