//! Replacing exact text in a file of any size: searched in windows, copied in pieces, never held in
//! memory.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::changed_lines::ChangedLines;
use super::draft::FileDraft;
use super::edit_encoding::{self, EditedText, EncodingObstacle};
use super::line_ends::LineEndChange;
use super::nearest::NearestText;
use super::regular::{FileAccessError, RegularFile};
use super::replace;
use super::target::WriteTarget;
use iki_base::control_spelling;
use iki_base::text_encoding::TextEncoding;

use prepared::{FoundReplacement, PreparedReplacement, line_numbers, written_draft};

mod prepared;
mod text_search;

/// Bytes at the beginning of the file in which the nearest text is looked for.
const NEAREST_SEARCH_BYTES: usize = 32 * 1024 * 1024;

/// The largest file, in bytes, whose text between two replacements is kept in memory.
const MAX_BYTES_IN_MEMORY: i64 = 64 * 1024 * 1024;

/// A replacement that is to be made.
#[derive(Clone, Copy, Debug)]
pub struct TextReplacement<'a> {
    /// The text to be found, which is not empty.
    pub old: &'a [u8],
    /// The text in its place.
    pub new: &'a [u8],
    /// All occurrences are replaced, and not the only one.
    pub replaces_all: bool,
    /// The number of occurrences that are to be replaced, if it has to be that.
    pub expected: Option<u64>,
}

/// Further wishes for an edit.
#[derive(Clone, Copy, Debug, Default)]
pub struct EditOptions {
    /// True if the lines that change are to be known.
    pub tells_lines: bool,
    /// Nothing is written unless this is true of the new content.
    pub condition: Option<fn(&[u8]) -> bool>,
    /// Another writer is waited for until then at most, and no further replacement is made after.
    pub end: Option<Instant>,
}

/// An edit that was made.
#[derive(Debug, Default)]
pub struct FileEdit {
    /// The replacements, in their order.
    pub made: Vec<AppliedReplacement>,
    /// The lines that were changed, if they were asked for.
    pub changed: ChangedLines,
    /// The encoding in which it was made, if that is not UTF-8.
    pub encoding: Option<TextEncoding>,
    /// True if U+FFFD was written, which the file did not have.
    pub writes_replacement_character: bool,
    /// True if the file had control characters other than those of lines, as far as is
    /// looked, and a new text spells such.
    pub has_controls: bool,
}

/// A replacement that was made.
#[derive(Debug)]
pub struct AppliedReplacement {
    /// The number of occurrences that were replaced.
    pub count: u64,
    /// The change of line ends.
    pub line_ends: LineEndChange,
    /// The line that was left empty when whole lines were taken out without their last line end.
    pub emptied: Option<u64>,
    /// The nearest text, if all occurrences were to be replaced and there are none.
    pub nearest: Option<Box<NearestText>>,
}

/// The reason why an edit was not made; the file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The text is not in the file; this is nearest to it.
    #[error("the text is not in the file")]
    NotFound(Box<NearestText>),
    /// The text is in the file several times, and it was to be replaced once.
    #[error("the text is in the file {count} times")]
    NotUnique {
        /// The number of times.
        count: u64,
        /// The lines in which it begins, from 1: the first of them.
        lines: Vec<u64>,
    },
    /// The text is in the file another number of times than was expected.
    #[error("the text is in the file {0} times, which is not what was expected")]
    OtherCount(u64),
    /// A text cannot be put into the file in its encoding.
    #[error("{0}")]
    Encoding(EncodingObstacle),
    /// What would be left is not what has to stay of the file.
    #[error("the file would no longer be whole")]
    Broken,
    /// The file could not be read or replaced.
    #[error("the file could not be edited")]
    File(FileAccessError),
}

/// The replacement that could not be made, because of which none was.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct FailedEdit {
    /// Its place in the list of replacements.
    pub index: usize,
    /// The reason.
    pub error: EditError,
    /// The place of the one before it that has changed its text, which could have been replaced in
    /// the file as it is.
    pub changed_by: Option<usize>,
}

impl From<FileAccessError> for EditError {
    fn from(error: FileAccessError) -> Self {
        Self::File(error)
    }
}

/// Makes the `replacements` in the file at `path`, each in the text as it then is: of the only
/// occurrence, or of all. Occurrences do not overlap; they are searched for from the beginning.
/// If one cannot be made, none is.
///
/// In a file whose lines all end in CRLF, LF in texts that have no CR means CRLF. Nothing else is
/// taken for anything but itself.
///
/// # Errors
/// The replacement that cannot be made.
pub fn edit(
    path: &Path,
    replacements: &[TextReplacement<'_>],
    options: EditOptions,
) -> Result<FileEdit, FailedEdit> {
    let end = options.end;
    let failed = |index, error: EditError| FailedEdit {
        index,
        error,
        changed_by: None,
    };
    let no_file = |error: FileAccessError| failed(0, error.into());
    let target = WriteTarget::resolve(path).map_err(no_file)?;
    let file = replace::open_locked(&target, OFlags::RDWR, end).map_err(no_file)?;
    let mut edited = FileEdit::default();
    let (mut decoded, mut between) = (None, None);
    let spells =
        |one: &TextReplacement<'_>| str::from_utf8(one.new).is_ok_and(control_spelling::spells);
    if replacements.iter().any(spells) {
        let head = file
            .bytes_at(0, NEAREST_SEARCH_BYTES, end)
            .map_err(no_file)?;
        edited.has_controls = control_spelling::has_controls(&head);
    }
    match EditedText::prepare(&file, replacements, end).map_err(no_file)? {
        Ok(EditedText::Bytes(brings_replacement)) => {
            edited.writes_replacement_character = brings_replacement;
        }
        Ok(EditedText::Decoded(encoding, text)) => {
            edited.encoding = Some(encoding);
            decoded = Some(text_in_memory(text.as_bytes()).map_err(no_file)?);
        }
        Err((index, obstacle)) => return Err(failed(index, EditError::Encoding(obstacle))),
    }
    let first = decoded.as_ref().map_or(&file, |(_, text)| text);
    for (index, replacement) in replacements.iter().enumerate() {
        let text = between.as_ref().map_or(first, |(_, text)| text);
        let is_last = index + 1 == replacements.len();
        let prepared = match PreparedReplacement::prepare(text, *replacement, end) {
            Ok(PreparedReplacement {
                made:
                    AppliedReplacement {
                        nearest: Some(nearest),
                        ..
                    },
                ..
            }) if replacements.len() > 1 => Err(EditError::NotFound(nearest)),
            prepared => prepared,
        };
        let prepared = prepared.map_err(|error| FailedEdit {
            index,
            error,
            changed_by: changed_by(&target, first, &replacements[..=index], end)
                .unwrap_or_default(),
        })?;
        if prepared.made.nearest.is_some() {
            edited.made.push(prepared.made);
            return Ok(edited);
        }
        if is_last && let Some(condition) = options.condition {
            let written = prepared.write_draft(text, FileDraft::in_memory(), end);
            let content = written.and_then(|(_, text)| text.bytes_at(0, usize::MAX, end));
            if !condition(&content.map_err(|error| failed(index, error.into()))?) {
                return Err(failed(index, EditError::Broken));
            }
        }
        let mut make = || -> Result<_, FileAccessError> {
            if options.tells_lines {
                let begins = line_numbers(text, &prepared.occurrences.first, end)?;
                let (old, new) = &prepared.texts;
                edited
                    .changed
                    .add(&begins, prepared.occurrences.count, old, new);
            }
            if !is_last {
                let draft = draft_between(&target, &file);
                return prepared.write_draft(text, draft, end).map(Some);
            }
            let encoding = edited.encoding;
            replace::replace(&target, &file, &mut |draft| match encoding {
                None => prepared.write(text, draft, end),
                Some(encoding) => {
                    let (_draft, decoded) =
                        prepared.write_draft(text, FileDraft::in_memory(), end)?;
                    edit_encoding::write_encoded(&decoded, encoding, draft, end)
                }
            })?;
            Ok(None)
        };
        let next = make();
        edited.made.push(prepared.made);
        between = next.map_err(|error| failed(index, error.into()))?;
    }
    Ok(edited)
}

/// The place in `replacements` of the first one after which the last of them can no longer be made,
/// if that could be made in `file`, the text of `target`, itself.
fn changed_by(
    target: &WriteTarget,
    file: &RegularFile,
    replacements: &[TextReplacement<'_>],
    end: Option<Instant>,
) -> Result<Option<usize>, EditError> {
    let Some((last, before)) = replacements.split_last().filter(|(_, all)| !all.is_empty()) else {
        return Ok(None);
    };
    let can_be_made = |text: &RegularFile| -> Result<bool, FileAccessError> {
        let count = FoundReplacement::find(text, *last, end)?.count;
        let is_expected = last.expected.is_none_or(|expected| expected == count);
        Ok(is_expected && (count == 1 || count > 1 && last.replaces_all))
    };
    if !can_be_made(file)? {
        return Ok(None);
    }
    let mut between = None;
    for (index, replacement) in before.iter().enumerate() {
        let text = between.as_ref().map_or(file, |(_, text)| text);
        let prepared = PreparedReplacement::prepare(text, *replacement, end)?;
        let (draft, text) = prepared.write_draft(text, draft_between(target, file), end)?;
        if !can_be_made(&text)? {
            return Ok(Some(index));
        }
        between = Some((draft, text));
    }
    Ok(None)
}

/// A draft in memory that holds `text`.
fn text_in_memory(text: &[u8]) -> Result<(FileDraft, RegularFile), FileAccessError> {
    let mut draft = FileDraft::in_memory().map_err(FileAccessError::writing)?;
    let written = draft.file.write_all(text);
    written.map_err(|error| FileAccessError::failed_write(&error))?;
    written_draft(draft)
}

/// A draft that is never put in place, for the text between two replacements.
fn draft_between(target: &WriteTarget, file: &RegularFile) -> Result<FileDraft, Errno> {
    let owner_alone = Mode::from_raw_mode(0o600);
    let beside = (file.stat.st_size > MAX_BYTES_IN_MEMORY)
        .then(|| FileDraft::create(&target.directory, owner_alone).ok());
    match beside.flatten() {
        Some(draft) => Ok(draft),
        None => FileDraft::in_memory(),
    }
}

#[cfg(test)]
mod tests;
