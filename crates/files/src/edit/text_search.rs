//! Searching a file for a text in windows, so that files of any size take little memory.

use std::time::Instant;

use memchr::memmem::Finder;

use crate::regular::{FileAccessError, RegularFile};

/// Bytes of the file that are searched at a time; more if the text to be found is longer.
pub(super) const WINDOW: usize = 1024 * 1024;

/// Maximum number of occurrences of a text whose places are kept.
const MAX_KEPT_PLACES: usize = 200;

/// The result of a search.
pub(super) struct TextOccurrences {
    /// Their number.
    pub(super) count: u64,
    /// The offsets of the first of them.
    pub(super) first: Vec<u64>,
    /// The file's length in bytes.
    pub(super) length: u64,
}

/// Finds all occurrences of a text.
pub(super) fn find_occurrences(
    file: &RegularFile,
    finder: &Finder<'_>,
    deadline: Option<Instant>,
) -> Result<TextOccurrences, FileAccessError> {
    let (mut count, mut first) = (0, Vec::new());
    let length = search(file, finder, true, deadline, |piece| {
        if let EditPiece::Match(offset) = piece {
            count += 1;
            if first.len() < MAX_KEPT_PLACES {
                first.push(offset);
            }
        }
        Ok(())
    })?;
    Ok(TextOccurrences {
        count,
        first,
        length,
    })
}

/// A piece of the file that a search has passed, in order.
pub(super) enum EditPiece<'a> {
    /// Bytes outside any match; several of these may follow one another.
    Between(&'a [u8]),
    /// A match, by its offset in the file.
    Match(u64),
}

/// Searches the file from beginning to end, and returns its length in bytes. Where
/// `passes_over_holes` is set, long ones are not visited.
pub(super) fn search(
    file: &RegularFile,
    finder: &Finder<'_>,
    passes_over_holes: bool,
    deadline: Option<Instant>,
    mut visit: impl FnMut(EditPiece<'_>) -> Result<(), FileAccessError>,
) -> Result<u64, FileAccessError> {
    let needle = finder.needle().len();
    let is_nul = |byte: &u8| *byte == 0;
    // No text but one of NULs alone lies within a hole.
    let passes_over_holes = passes_over_holes && !finder.needle().iter().all(is_nul);
    let mut window = vec![0; WINDOW.max(needle.saturating_mul(2))];
    // The window holds `filled` bytes of the file, from offset `base` on.
    let (mut base, mut filled) = (0u64, 0);
    loop {
        FileAccessError::if_late(deadline, base)?;
        let count = file.read_at(&mut window[filled..], base + filled as u64)?;
        filled += count;
        let seen = &window[..filled];
        let mut start = 0;
        while let Some(match_start) = finder.find(&seen[start..]) {
            visit(EditPiece::Between(&seen[start..start + match_start]))?;
            visit(EditPiece::Match(base + (start + match_start) as u64))?;
            start += match_start + needle;
        }
        // A possible beginning of a match is kept for the next window.
        let tail = if count == 0 {
            0
        } else {
            (filled - start).min(needle - 1)
        };
        visit(EditPiece::Between(&seen[start..filled - tail]))?;
        if count == 0 {
            return Ok(base + filled as u64);
        }
        base += (filled - tail) as u64;
        let kept_bytes = &window[filled - tail..filled];
        if passes_over_holes && kept_bytes.iter().all(is_nul) {
            // A text may begin with the last NULs of the hole.
            let read = base + tail as u64;
            let data = file.after_hole(&window[..filled], read);
            let hole_end = data.saturating_sub(needle as u64);
            if hole_end > read {
                (base, filled) = (hole_end, 0);
                continue;
            }
        }
        window.copy_within(filled - tail..filled, 0);
        filled = tail;
    }
}
