//! The answer of a search for the text of a file that is nearest to another.

use std::ops::Range;

use super::differences::TextDifference;
use super::repair::TextRepair;

/// The nearest thing in a file to a text that is not in it.
#[derive(Debug)]
pub struct NearestText {
    /// The number of lines in the searched part.
    pub lines: u64,
    /// True if the whole file was searched.
    pub whole: bool,
    /// The first of the lines in which the new text begins, if it is in the file already.
    pub already: Vec<u64>,
    /// The nearest place, or the reason why there is none.
    pub finding: NearestFinding,
}

/// The nearest place, or the reason why there is none.
#[derive(Debug)]
pub enum NearestFinding {
    /// The file is empty.
    Empty,
    /// The file is in this encoding, which no text of a request is in.
    Wide(&'static str),
    /// The text has nothing but blanks and line ends.
    Blank,
    /// A place that differs in nothing but what is hard to see.
    Alike {
        /// The mistake that has to be mended in the text first.
        repair: Option<TextRepair>,
        /// The place.
        place: FilePlace,
        /// The differences that remain.
        differences: Vec<TextDifference>,
        /// The number of other places that are as much alike.
        others: usize,
    },
    /// Lines most of which are the same, or a line that is much the same.
    Stale {
        /// The place.
        place: FilePlace,
        /// Lines of the file, each with those that were looked for in their place.
        changes: Vec<LineChange>,
        /// The number of lines that are equal but for what is hard to see.
        equal: usize,
    },
    /// Nothing like it.
    Nothing,
    /// Not looked for: the text is too long, or the time was over.
    Unknown,
}

/// Lines of the file that stand where others were looked for.
#[derive(Debug)]
pub struct LineChange {
    /// Their numbers, from 1; where it is empty, none stand there, before the line it begins with.
    pub lines: Range<u64>,
    /// Each of the file's lines, without its line end, cut where it is long.
    pub file: Vec<String>,
    /// Each line that was looked for.
    pub sought: Vec<String>,
}

/// A place in the file.
#[derive(Debug)]
pub struct FilePlace {
    /// Its first line, from 1.
    pub first: u64,
    /// Its last line.
    pub last: u64,
    /// Its text.
    pub text: QuotedText,
    /// The first of the lines in which the very same text begins, this one included, and the number
    /// of all.
    pub same: (Vec<u64>, usize),
}

/// The text of a place, as far as it can be quoted.
#[derive(Debug)]
pub enum QuotedText {
    /// All of it.
    Text(String),
    /// It is longer than the most that is quoted.
    TooLong,
    /// It has bytes that are not UTF-8, which no request can hold.
    NotText,
}
