//! The answer of a search for the text of a file that is nearest to another.

use std::ops::Range;

use super::differences::TextDifference;
use super::repair::TextRepair;

/// The nearest thing in a file to a text that is not in it.
#[derive(Debug)]
pub struct NearestText {
    /// The first lines in which the new text begins, if the file has it already.
    pub lines_with_new_text: Vec<u64>,
    /// The nearest place, or the reason why there is none.
    pub finding: NearestFinding,
}

impl NearestText {
    /// True if it is in lines of the file that can be numbered.
    #[must_use]
    pub fn names_lines(&self) -> bool {
        matches!(self.finding, NearestFinding::Place(_)) || !self.lines_with_new_text.is_empty()
    }
}

/// The nearest place, or the reason why there is none.
#[derive(Debug)]
pub enum NearestFinding {
    /// The file is empty.
    Empty,
    /// The sought text is only whitespace.
    Blank,
    /// The nearest place.
    Place(NearestPlace),
    /// Nothing like it.
    Nothing,
    /// Not looked for: the text is too long, or the time was over.
    Unknown,
}

/// A place in the file.
#[derive(Debug)]
pub struct NearestPlace {
    /// The mistake that has to be mended in the sought text first.
    pub repair: Option<TextRepair>,
    /// The differences that remain.
    pub differences: Vec<TextDifference>,
    /// Its bytes in the file.
    pub range: Range<usize>,
    /// The file's text there.
    pub text: Vec<u8>,
    /// Its first line, from 1.
    pub first: u64,
    /// Its last line.
    pub last: u64,
    /// The lines in which the very same text begins, `first` included.
    pub same: Vec<u64>,
}
