//! Text whose long lines lack their middle, so that the lines around them have room.
//!
//! Rules: the decisions on MCP and the command line (3): a line is long from 500 bytes on.

use std::borrow::Cow;

use iki_base::wording::{thousands, whole_character};

/// Maximum length of the words in place of a middle. No line is shortened for less.
const MARK_BYTES: usize = 40;

/// Lines of text, and the number of bytes that each of them lacks.
#[derive(Clone, Debug, Default)]
pub struct ShortenedLines {
    text: Vec<u8>,
    /// For each shortened line, the place in `text` where bytes are missing, and their number.
    gaps: Vec<(usize, u64)>,
    /// The start of the last line.
    last: usize,
}

/// A line with its newline.
#[derive(Clone, Copy, Debug)]
pub struct ShortenedLine<'a> {
    text: &'a [u8],
    /// The place in it where bytes are missing, and their number, which may be 0.
    gap: (usize, u64),
}

impl ShortenedLines {
    /// The text without what is missing.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Appends the beginning of `bytes`, and returns the rest. Twice `longest` bytes of a line are
    /// kept at most, for which there are 64 or more.
    pub fn push<'a>(&mut self, bytes: &'a [u8], longest: usize) -> &'a [u8] {
        let held = self.text.len() - self.last;
        let (now, later) = bytes.split_at(bytes.len().min((2 * longest).saturating_sub(held)));
        if let Some(newline) = memchr::memrchr(b'\n', now) {
            self.last = self.text.len() + newline + 1;
        }
        self.text.extend_from_slice(now);
        if self.text.len() - self.last >= 2 * longest {
            let line = self.text.split_off(self.last);
            let gap = self.gaps.pop_if(|(offset, _)| *offset >= self.last);
            let gap = gap.map_or((0, 0), |(offset, missing)| (offset - self.last, missing));
            self.push_line(ShortenedLine { text: &line, gap }, longest);
        }
        later
    }

    /// Keeps the last `limit` bytes.
    pub fn keep_end(&mut self, limit: usize) {
        let surplus = self.text.len().saturating_sub(limit);
        self.text.drain(..surplus);
        self.last = self.last.saturating_sub(surplus);
        self.gaps.retain(|(offset, _)| *offset >= surplus);
        for (offset, _) in &mut self.gaps {
            *offset -= surplus;
        }
    }

    /// These lines with `longest` bytes of each, and some words.
    #[must_use]
    pub fn shortened(&self, longest: usize) -> Self {
        let mut shortened = Self::default();
        for line in self.lines() {
            shortened.push_line(line, longest);
        }
        let newline = memchr::memrchr(b'\n', &shortened.text);
        shortened.last = newline.map_or(0, |newline| newline + 1);
        shortened
    }

    /// Its lines.
    pub fn lines(&self) -> impl Iterator<Item = ShortenedLine<'_>> {
        let mut gaps = self.gaps.iter().peekable();
        let mut end = 0;
        let lines = self.text.split_inclusive(|byte| *byte == b'\n');
        lines.map(move |text| {
            let start = end;
            end += text.len();
            let gap = gaps.next_if(|(offset, _)| *offset < end);
            let gap = gap.map_or((0, 0), |(offset, missing)| (offset - start, *missing));
            ShortenedLine { text, gap }
        })
    }

    /// The text with words in place of what is missing.
    #[must_use]
    pub fn worded(&self) -> Vec<u8> {
        let lines = self.lines().map(ShortenedLine::worded);
        lines.collect::<Vec<_>>().concat()
    }

    fn push_line(&mut self, line: ShortenedLine<'_>, longest: usize) {
        let ShortenedLine { text, gap } = line;
        let (mut start, mut end, mut missing) = (gap.0, gap.0, gap.1);
        let length = text.strip_suffix(b"\n").unwrap_or(text).len();
        if length > longest + MARK_BYTES {
            // Of a line, as of all the output, the first fifth and the last four fifths.
            let first = whole_character(text, longest / 5);
            start = if missing > 0 { start.min(first) } else { first };
            end = end.max(whole_character(text, length - (longest - longest / 5)));
            missing += (end - start) as u64;
        }
        self.text.extend_from_slice(&text[..start]);
        if missing > 0 {
            self.gaps.push((self.text.len(), missing));
        }
        self.text.extend_from_slice(&text[end..]);
    }
}

impl<'a> ShortenedLine<'a> {
    /// The number of bytes of which it was made.
    #[must_use]
    pub fn bytes(self) -> u64 {
        self.text.len() as u64 + self.gap.1
    }

    /// True if something is missing.
    #[must_use]
    pub fn is_shortened(self) -> bool {
        self.gap.1 > 0
    }

    /// Its text, with words in place of what is missing.
    #[must_use]
    pub fn worded(self) -> Cow<'a, [u8]> {
        if !self.is_shortened() {
            return Cow::Borrowed(self.text);
        }
        let (start, end) = self.text.split_at(self.gap.0);
        let length = thousands(self.bytes() - u64::from(end.ends_with(b"\n")));
        let words = format!("…[line of {length} bytes]…");
        Cow::Owned([start, words.as_bytes(), end].concat())
    }
}
