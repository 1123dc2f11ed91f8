//! A replacement that is prepared and written: its occurrences, what is to be said of it, and the
//! new content around it.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::time::{Duration, Instant};

use memchr::memmem::Finder;
use rustix::fs::fstat;
use rustix::io::Errno;

use super::text_search::{EditPiece, TextOccurrences, WINDOW, find_occurrences, search};
use super::{AppliedReplacement, EditError, NEAREST_SEARCH_BYTES, TextReplacement};
use crate::draft::FileDraft;
use crate::line_ends::{self, EditTexts, LineEndChange, LineEndDecision};
use crate::nearest::{self, NearestFinding};
use crate::positioned_io;
use crate::regular::{ErrorReason, FileAccessError, RegularFile};
use iki_base::sparse_file::next_data;
use iki_base::wording::thousands;

/// The time for finding the nearest text, if the text is not in the file.
const NEAREST_TIMEOUT: Duration = Duration::from_millis(50);

/// The most that the holes of a file may take when an edit writes them out, in bytes.
const MAX_WRITTEN_HOLES: u64 = 1 << 30;

/// A draft, and the file that it is.
pub(super) fn written_draft(draft: FileDraft) -> Result<(FileDraft, RegularFile), FileAccessError> {
    let copy = draft.file.try_clone();
    let copy = copy.map_err(|error| FileAccessError::failed_write(&error))?;
    let stat = fstat(&copy).map_err(FileAccessError::reading)?;
    Ok((draft, RegularFile { file: copy, stat }))
}

/// The occurrences of a text that is to be replaced, in the file's line ends.
pub(super) struct FoundReplacement<'a> {
    texts: EditTexts<'a>,
    decided: LineEndDecision,
    occurrences: TextOccurrences,
    /// The number of those that would be changed.
    pub(super) count: u64,
}

impl<'a> FoundReplacement<'a> {
    pub(super) fn find(
        file: &RegularFile,
        replacement: TextReplacement<'a>,
        deadline: Option<Instant>,
    ) -> Result<Self, FileAccessError> {
        let TextReplacement { old, new, .. } = replacement;
        let (texts, decided) = line_ends::decide(file, old, new, deadline)?;
        let occurrences = find_occurrences(file, &Finder::new(&texts.0), deadline)?;
        let count = if decided.changes_nothing {
            0
        } else {
            occurrences.count
        };
        Ok(Self {
            texts,
            decided,
            occurrences,
            count,
        })
    }
}

/// A replacement that can be made.
pub(super) struct PreparedReplacement<'a> {
    pub(super) texts: EditTexts<'a>,
    pub(super) occurrences: TextOccurrences,
    pub(super) made: AppliedReplacement,
}

impl<'a> PreparedReplacement<'a> {
    /// Finds what is to be replaced in `file`. If all occurrences are meant and there are none, it
    /// has the nearest text.
    pub(super) fn prepare(
        file: &RegularFile,
        replacement: TextReplacement<'a>,
        deadline: Option<Instant>,
    ) -> Result<Self, EditError> {
        let TextReplacement {
            old,
            new,
            replaces_all,
            expected,
        } = replacement;
        let FoundReplacement {
            texts,
            decided,
            occurrences,
            count,
        } = FoundReplacement::find(file, replacement, deadline)?;
        if count > 1 && !replaces_all {
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
            Some(nearest) if !replaces_all || expected.is_some() => {
                return Err(EditError::NotFound(nearest));
            }
            _ => {}
        }
        let left = decided.lines > occurrences.count * decided.replaced_lines;
        let emptied = match occurrences.first[..] {
            [offset, ..] if count > 0 && new.is_empty() => {
                emptied_line(file, offset, &texts.0, deadline)?
            }
            _ => None,
        };
        Ok(Self {
            made: AppliedReplacement {
                count,
                line_ends: match decided.done {
                    _ if count == 0 => LineEndChange::AsSent,
                    LineEndChange::Mixed | LineEndChange::MixedIn if !left => LineEndChange::AsSent,
                    done => done,
                },
                emptied,
                nearest,
            },
            texts,
            occurrences,
        })
    }

    /// Writes the new content of `file` into a draft that is never put in place.
    pub(super) fn write_draft(
        &self,
        file: &RegularFile,
        draft: Result<FileDraft, Errno>,
        deadline: Option<Instant>,
    ) -> Result<(FileDraft, RegularFile), FileAccessError> {
        let draft = draft.map_err(FileAccessError::writing)?;
        self.write(file, &draft.file, deadline)?;
        written_draft(draft)
    }

    /// Writes the new content of `file` into `draft`.
    pub(super) fn write(
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
pub(super) fn line_numbers(
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
pub(super) fn write_around(
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
pub(super) fn write_replaced(
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
