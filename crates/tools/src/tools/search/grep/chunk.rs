//! The findings of one thread in a chunk of the search: some files, the beginning or the end of
//! one, or a piece of a large one.

use std::sync::Arc;

use super::answer::SearchOutcome;
use super::first_bytes::FileBeginning;
use iki_search::scan::{PiecedFile, ScanError};

/// Findings of one thread. It is emptied when it is put into the answer, and used again.
#[derive(Debug, Default)]
pub struct ResultChunk {
    /// Lines of the answer, a line feed before each. Of a piece of a large file, the lines found as
    /// they stand there.
    pub text: Vec<u8>,
    /// The lines of the text one by one, if there is a limit, or in a piece.
    pub records: Vec<LineRecord>,
    /// The short forms of long lines, for those records that have one.
    pub excerpts: Vec<u8>,
    /// The bytes of the text with long lines in their short forms.
    pub shortest: usize,
    /// The number of bytes that were searched.
    pub bytes: usize,
    /// The numbers that these findings add to the result of the search.
    pub done: SearchOutcome,
    /// The piece, if this is one.
    pub piece: Option<SearchedPiece>,
}

/// A line in a text.
#[derive(Clone, Copy, Debug, Default)]
pub struct LineRecord {
    /// The offset at which it ends there.
    pub end: usize,
    /// Its length in bytes when it is not cut.
    pub whole: usize,
    /// Its number, if that still has to be written before it; else 0.
    pub number: u64,
    /// The number of results that it stands for: 0 for a line around a match.
    pub lines: u64,
    /// The offset in the excerpts at which its short form ends; 0 where it has none.
    pub excerpt: usize,
    /// True if the line is the next one of the file after that of the previous record.
    pub is_joined: bool,
}

/// Facts about a large file.
#[derive(Debug)]
pub struct LargeFileFacts {
    /// Its path.
    pub path: Vec<u8>,
    /// The facts that its beginning shows.
    pub beginning: FileBeginning,
    /// True if the pattern's other readings are tried on it along with the pattern.
    pub is_tried: bool,
}

/// A piece of a large file that was searched. Lines are numbered as if the file began there.
#[derive(Debug)]
pub struct SearchedPiece {
    /// The file.
    pub file: Arc<PiecedFile<LargeFileFacts>>,
    /// True if it is the first one.
    pub is_first: bool,
    /// True if it is the last one.
    pub is_last: bool,
    /// The number of line feeds in it.
    pub line_feeds: u64,
    /// The first line that could not be decided.
    pub undecided: Option<u64>,
    /// The reason why it was not searched to its end, if it was not.
    pub failed: Option<ScanError>,
}
