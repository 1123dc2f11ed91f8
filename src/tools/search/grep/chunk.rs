//! The findings of one thread in a chunk of the search: some files, the beginning or the end of
//! one, or a piece of a large one.

use std::sync::Arc;

use rustix::io::Errno;

use crate::search::scan::{Large, ScanError};

/// What was found. Threads fill it, and it is emptied when it is put into the answer.
#[derive(Debug, Default)]
pub struct ResultChunk {
    /// Lines of the answer, a line feed before each. Of a piece of a large file, the lines found as
    /// they stand there.
    pub text: Vec<u8>,
    /// Which lines, where there is a limit, or in a piece.
    pub records: Vec<LineRecord>,
    /// How many lines match.
    pub count: u64,
    /// How many bytes were searched.
    pub bytes: usize,
    /// How many files were searched, to the end or not.
    pub files: u64,
    /// How many files could not be read, and the first of them.
    pub unreadable: u64,
    /// Which was the first, and why.
    pub first_unreadable: Option<(String, Errno)>,
    /// Files with a line that is too long.
    pub not_to_the_end: Vec<String>,
    /// The first line that could not be decided.
    pub undecided: Option<(String, u64)>,
    /// The first line that was not searched for lack of time.
    pub ended: Option<(String, u64)>,
    /// How many directories were among the names.
    pub directories: u64,
    /// The symbolic links that were.
    pub links: Vec<Vec<u8>>,
    /// The piece, where this is one.
    pub piece: Option<SearchedPiece>,
}

/// A line in a text.
#[derive(Clone, Copy, Debug)]
pub struct LineRecord {
    /// Where it ends there.
    pub end: usize,
    /// How long it is when it is not cut.
    pub whole: usize,
    /// Its number, where that still has to be written before it.
    pub number: u64,
    /// How many lines that match it stands for.
    pub lines: u64,
}

/// What has to be known of a large file.
#[derive(Debug)]
pub struct LargeFileFacts {
    /// Its path.
    pub path: Vec<u8>,
    /// True if its matches are counted and not shown.
    pub binary: bool,
}

/// A piece of a large file that was searched. Lines are numbered as if the file began there.
#[derive(Debug)]
pub struct SearchedPiece {
    /// The file.
    pub file: Arc<Large<LargeFileFacts>>,
    /// True if it is the first one.
    pub first: bool,
    /// True if it is the last one.
    pub last: bool,
    /// How many line feeds there are in it.
    pub line_feeds: u64,
    /// The first line that could not be decided.
    pub undecided: Option<u64>,
    /// Why it was not searched to its end.
    pub failed: Option<ScanError>,
}
