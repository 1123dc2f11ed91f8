//! Replacing exact text in a file of any size: searched in windows, copied in pieces, never held in
//! memory.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use memchr::memmem::Finder;
use rustix::fs::{Mode, OFlags, fstat};

use super::changed_lines::ChangedLines;
use super::draft::FileDraft;
use super::edit_encoding::{self, EditedText, EncodingObstacle};
use super::line_ends::{self, EditTexts, LineEndChange};
use super::nearest::{self, NearestFinding, NearestText};
use super::regular::{ErrorReason, FileAccessError, RegularFile};
use super::target::WriteTarget;
use super::{positioned_io, replace};
use iki_base::control_spelling;
use iki_base::sparse_file::next_data;
use iki_base::text_encoding::TextEncoding;
use iki_base::wording::thousands;

use text_search::{EditPiece, TextOccurrences, WINDOW, find_occurrences, search};

mod text_search;

/// The time for finding the nearest text, if the text is not in the file.
const NEAREST_TIMEOUT: Duration = Duration::from_millis(50);

/// Bytes at the beginning of the file in which the nearest text is looked for.
const NEAREST_SEARCH_BYTES: usize = 32 * 1024 * 1024;

/// The largest file, in bytes, whose text between two replacements is kept in memory.
const MAX_BYTES_IN_MEMORY: i64 = 64 * 1024 * 1024;

/// The most that the holes of a file may take when an edit writes them out, in bytes.
const MAX_WRITTEN_HOLES: u64 = 1 << 30;

/// A replacement that is to be made.
#[derive(Clone, Copy, Debug)]
pub struct TextReplacement<'a> {
    /// The text to be found, which is not empty.
    pub old: &'a [u8],
    /// The text in its place.
    pub new: &'a [u8],
    /// All occurrences are replaced, and not the only one.
    pub all: bool,
    /// The number of occurrences that are to be replaced, if it has to be that.
    pub expected: Option<u64>,
}

/// An edit that was made.
#[derive(Debug, Default)]
pub struct FileEdit {
    /// The replacements, in their order.
    pub made: Vec<MadeReplacement>,
    /// The lines that were changed, if they were asked for.
    pub changed: ChangedLines,
    /// The encoding in which it was made, if that is not UTF-8.
    pub encoding: Option<TextEncoding>,
    /// True if U+FFFD was written, which the file did not have.
    pub brings_replacement: bool,
    /// True if the file had control characters other than those of lines, as far as is
    /// looked, and a new text spells such.
    pub has_controls: bool,
}

/// A replacement that was made.
#[derive(Debug)]
pub struct MadeReplacement {
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
    /// The file could not be read or replaced.
    #[error("the file could not be edited")]
    File(FileAccessError),
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
/// Waits for another writer until `end` at most, and makes no further replacement after it.
///
/// # Errors
/// The place in `replacements` of the one that cannot be made, and the reason.
pub fn edit(
    path: &Path,
    replacements: &[TextReplacement<'_>],
    tells_lines: bool,
    end: Option<Instant>,
) -> Result<FileEdit, (usize, EditError)> {
    let no_file = |error: FileAccessError| (0, error.into());
    let target = WriteTarget::resolve(path).map_err(no_file)?;
    let file = replace::open_locked(&target, OFlags::RDWR, end).map_err(no_file)?;
    let mut edited = FileEdit::default();
    let mut between = None;
    let spells =
        |one: &TextReplacement<'_>| str::from_utf8(one.new).is_ok_and(control_spelling::spells);
    if replacements.iter().any(spells) {
        let head = file
            .bytes_at(0, NEAREST_SEARCH_BYTES, end)
            .map_err(no_file)?;
        edited.has_controls = control_spelling::has_controls(&head);
    }
    match EditedText::prepare(&file, replacements, end).map_err(no_file)? {
        Ok(EditedText::Bytes(brings_replacement)) => edited.brings_replacement = brings_replacement,
        Ok(EditedText::Decoded(encoding, text)) => {
            edited.encoding = Some(encoding);
            between = Some(text_in_memory(text.as_bytes()).map_err(no_file)?);
        }
        Err((index, obstacle)) => return Err((index, EditError::Encoding(obstacle))),
    }
    for (index, replacement) in replacements.iter().enumerate() {
        let failed = |error| (index, error);
        let text = between.as_ref().map_or(&file, |(_, text)| text);
        let prepared = PreparedReplacement::prepare(text, *replacement, end).map_err(failed)?;
        match prepared.made.nearest {
            Some(nearest) if replacements.len() > 1 => {
                return Err((index, EditError::NotFound(nearest)));
            }
            Some(_) => {
                edited.made.push(prepared.made);
                return Ok(edited);
            }
            None => {}
        }
        let mut make = || -> Result<_, FileAccessError> {
            if tells_lines {
                let begins = line_numbers(text, &prepared.occurrences.first, end)?;
                let (old, new) = &prepared.texts;
                edited
                    .changed
                    .add(&begins, prepared.occurrences.count, old, new);
            }
            if index + 1 < replacements.len() {
                let draft = draft_between(&target, &file)?;
                prepared.write(text, &draft.file, end)?;
                return Ok(Some(written_draft(draft)?));
            }
            let encoding = edited.encoding;
            replace::replace(&target, &file, &mut |draft| match encoding {
                None => prepared.write(text, draft, end),
                Some(encoding) => {
                    let decoded = FileDraft::in_memory().map_err(FileAccessError::writing)?;
                    prepared.write(text, &decoded.file, end)?;
                    let (_draft, decoded) = written_draft(decoded)?;
                    edit_encoding::write_encoded(&decoded, encoding, draft, end)
                }
            })?;
            Ok(None)
        };
        let next = make();
        edited.made.push(prepared.made);
        between = next.map_err(|error| failed(error.into()))?;
    }
    Ok(edited)
}

/// A draft in memory that holds `text`.
fn text_in_memory(text: &[u8]) -> Result<(FileDraft, RegularFile), FileAccessError> {
    let mut draft = FileDraft::in_memory().map_err(FileAccessError::writing)?;
    let written = draft.file.write_all(text);
    written.map_err(|error| FileAccessError::failed_write(&error))?;
    written_draft(draft)
}

/// A draft, and the file that it is.
fn written_draft(draft: FileDraft) -> Result<(FileDraft, RegularFile), FileAccessError> {
    let copy = draft.file.try_clone();
    let copy = copy.map_err(|error| FileAccessError::failed_write(&error))?;
    let stat = fstat(&copy).map_err(FileAccessError::reading)?;
    Ok((draft, RegularFile { file: copy, stat }))
}

/// A draft that is never put in place, for the text between two replacements.
fn draft_between(target: &WriteTarget, file: &RegularFile) -> Result<FileDraft, FileAccessError> {
    let owner_alone = Mode::from_raw_mode(0o600);
    let beside = (file.stat.st_size > MAX_BYTES_IN_MEMORY)
        .then(|| FileDraft::create(&target.directory, owner_alone).ok());
    match beside.flatten() {
        Some(draft) => Ok(draft),
        None => FileDraft::in_memory().map_err(FileAccessError::writing),
    }
}

/// A replacement whose occurrences were found.
struct PreparedReplacement<'a> {
    texts: EditTexts<'a>,
    occurrences: TextOccurrences,
    made: MadeReplacement,
}

impl<'a> PreparedReplacement<'a> {
    /// Finds what is to be replaced in `file`. If all occurrences are meant and there are none, it
    /// has the nearest text.
    fn prepare(
        file: &RegularFile,
        replacement: TextReplacement<'a>,
        deadline: Option<Instant>,
    ) -> Result<Self, EditError> {
        let TextReplacement {
            old,
            new,
            all,
            expected,
        } = replacement;
        let (texts, decided) = line_ends::decide(file, old, new, deadline)?;
        let occurrences = find_occurrences(file, &Finder::new(&texts.0), deadline)?;
        let count = if decided.changes_nothing {
            0
        } else {
            occurrences.count
        };
        if count > 1 && !all {
            let named = &occurrences.first[..occurrences.first.len().min(nearest::MAX_NAMED_LINES)];
            let lines = line_numbers(file, named, deadline)?;
            return Err(EditError::NotUnique { count, lines });
        }
        if count > 0 && expected.is_some_and(|expected| expected != count) {
            return Err(EditError::OtherCount(count));
        }
        let mut nearest = None;
        if count == 0 {
            let end = Some(Instant::now() + NEAREST_TIMEOUT);
            let content = file.bytes_at(0, NEAREST_SEARCH_BYTES, deadline)?;
            let mut nearest_text = nearest::find_nearest(&content, old, new, end);
            let is_whole = content.len() < NEAREST_SEARCH_BYTES;
            if !is_whole && matches!(nearest_text.finding, NearestFinding::Nothing) {
                nearest_text.finding = NearestFinding::Unknown;
            }
            nearest = Some(Box::new(nearest_text));
        }
        match nearest {
            Some(nearest) if !all || expected.is_some() => {
                return Err(EditError::NotFound(nearest));
            }
            _ => {}
        }
        let left = decided.crlf > occurrences.count * line_ends::crlf_in(old);
        let emptied = match occurrences.first[..] {
            [offset, ..] if count > 0 && new.is_empty() => {
                emptied_line(file, offset, &texts.0, deadline)?
            }
            _ => None,
        };
        Ok(Self {
            made: MadeReplacement {
                count,
                line_ends: match decided.done {
                    _ if count == 0 => LineEndChange::AsSent,
                    LineEndChange::Mixed if !left => LineEndChange::AsSent,
                    done => done,
                },
                emptied,
                nearest,
            },
            texts,
            occurrences,
        })
    }

    /// Writes the new content of `file` into `draft`.
    fn write(
        &self,
        file: &RegularFile,
        draft: &File,
        deadline: Option<Instant>,
    ) -> Result<(), FileAccessError> {
        let ((old, new), length) = (&self.texts, self.occurrences.length);
        refuse_large_holes(file, length)?;
        match self.occurrences.first[..] {
            [offset] => write_around(file, draft, (offset, old.len()), new, length, deadline),
            _ => write_replaced(file, draft, &Finder::new(old), new, length, deadline),
        }
    }
}

/// The line that is left empty without `old` at `offset`, if `old` is whole lines but for the
/// last line end.
fn emptied_line(
    file: &RegularFile,
    offset: u64,
    old: &[u8],
    deadline: Option<Instant>,
) -> Result<Option<u64>, FileAccessError> {
    let (mut before, mut behind) = ([b'\n'], [0; 2]);
    if offset > 0 {
        file.read_at(&mut before, offset - 1)?;
    }
    let read = file.read_at(&mut behind, offset + old.len() as u64)?;
    let ends = behind[..read].starts_with(b"\n") || behind == *b"\r\n";
    if before != *b"\n" || !ends || old.ends_with(b"\n") {
        return Ok(None);
    }
    Ok(line_numbers(file, &[offset], deadline)?.first().copied())
}

/// The numbers of the lines in which the offsets `places`, which ascend, are.
fn line_numbers(
    file: &RegularFile,
    places: &[u64],
    deadline: Option<Instant>,
) -> Result<Vec<u64>, FileAccessError> {
    let (mut offset, mut line) = (0, 1);
    let mut numbers = Vec::with_capacity(places.len());
    for place in places {
        let between = file.count_line_ends(offset..*place, deadline)?;
        line += between.ok_or_else(FileAccessError::changed)?;
        offset = *place;
        numbers.push(line);
    }
    Ok(numbers)
}

/// Replaces one occurrence. The kernel copies what is before and after it, which on some file
/// systems moves no data.
fn write_around(
    file: &RegularFile,
    draft: &File,
    (offset, old): (u64, usize),
    new: &[u8],
    length: u64,
    deadline: Option<Instant>,
) -> Result<(), FileAccessError> {
    let copy = |from: Range<u64>, to| {
        let Range { start, end } = from;
        match positioned_io::copy(&file.file, from, draft, to, deadline) {
            Ok(copied) if copied == end - start => Ok(()),
            Ok(copied) => {
                FileAccessError::if_late(deadline, start + copied)?;
                Err(FileAccessError::changed())
            }
            Err(errno) => Err(FileAccessError::writing(errno)),
        }
    };
    copy(0..offset, 0)?;
    positioned_io::write_at(draft, new, offset).map_err(FileAccessError::writing)?;
    copy(offset + old as u64..length, offset + new.len() as u64)
}

/// Refuses a file, `length` bytes long, whose holes would take too much of the disk when they are
/// written out.
fn refuse_large_holes(file: &RegularFile, length: u64) -> Result<(), FileAccessError> {
    let blocks = u64::try_from(file.stat.st_blocks).unwrap_or(u64::MAX);
    if blocks.saturating_mul(512).saturating_add(MAX_WRITTEN_HOLES) >= length {
        return Ok(());
    }
    // Where the file system compresses, blocks alone do not show holes.
    let (mut offset, mut holes) = (0, 0);
    while let Some(data) = next_data(&file.file, offset, length) {
        holes += data.start - offset;
        offset = data.end;
    }
    holes += length - offset;
    if holes <= MAX_WRITTEN_HOLES {
        return Ok(());
    }
    Err(FileAccessError::Write(ErrorReason::new(&format!(
        "it is sparse, and an edit would write out {} bytes of holes; change bytes in place with \
         dd conv=notrunc",
        thousands(holes)
    ))))
}

/// Replaces any number of occurrences: searches once more, and copies piece by piece.
fn write_replaced(
    file: &RegularFile,
    draft: &File,
    finder: &Finder<'_>,
    new: &[u8],
    length: u64,
    deadline: Option<Instant>,
) -> Result<(), FileAccessError> {
    let mut out = BufWriter::with_capacity(WINDOW, draft);
    let read = search(file, finder, false, deadline, |piece| {
        let bytes = match piece {
            EditPiece::Between(bytes) => bytes,
            EditPiece::Match(_) => new,
        };
        out.write_all(bytes)
            .map_err(|error| FileAccessError::failed_write(&error))
    })?;
    if read != length {
        return Err(FileAccessError::changed());
    }
    out.flush()
        .map_err(|error| FileAccessError::failed_write(&error))
}

#[cfg(test)]
mod tests;
