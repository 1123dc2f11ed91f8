//! Searching a file for matching lines, as `grep` does.
//!
//! A file passes through a window of whole lines that is searched as one piece: the matcher finds
//! the first matching line instead of being asked about each line. A line that the window cuts off
//! is carried over to the next window, and the window grows for lines that are longer than it. One
//! buffer serves all files, and lines are only counted up to those that match.
//!
//! A byte-order mark is not part of the first line. After one of UTF-16 the window holds the same
//! text in UTF-8.

mod context;
mod decode;
mod error;
mod opening;
mod pieces;
mod source;

use encoding_rs::Decoder;
use memchr::{memchr, memrchr};

pub use context::ContextLines;
use context::{first_lines, last_lines, lines};
use decode::ByteOrderMark;
pub use error::ScanError;
pub use opening::{LinkPolicy, check_regular, open_flags};
pub use pieces::{FilePieces, LARGE_FILE_BYTES, PiecedFile};
pub use source::ByteSource;

/// Bytes of a file that are searched at once: they stay in the processor's second cache between
/// the kernel's copying, the search and the counting.
const WINDOW_BYTES: usize = 256 << 10;
/// Maximum length of a line: a file of zeros must not take all memory.
const MAX_LINE_BYTES: usize = 1 << 30;

/// Finds the lines that match.
pub trait LineMatcher {
    /// Finds an offset within the first matching line that begins at or after `from`: anything from
    /// its first byte to its line feed, or to the window's end where it has none.
    ///
    /// `window` holds whole lines, each ended by a line feed but perhaps the last; `from` is the
    /// start of one of them.
    fn find_line(&self, window: &[u8], from: usize) -> Option<usize>;

    /// True if there is time to search `window`, the next one.
    fn has_time_for(&self, _window: &[u8]) -> bool {
        true
    }

    /// True if there is time to read on for the next window, which may be one long line.
    fn has_time(&self) -> bool {
        true
    }

    /// Returns the offset in this window, at the start of a line, at which time ran out.
    fn stopped_at(&self) -> Option<usize> {
        None
    }

    /// Takes the offsets at which the undecided lines of this window begin.
    fn take_undecided(&self) -> Vec<usize> {
        Vec::new()
    }
}

/// A decision on the further search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanFlow {
    /// The search goes on.
    Continue,
    /// It pauses here, to be continued by another call.
    Pause,
    /// The rest of this file is of no use.
    Stop,
}

/// Gets the lines that match.
pub trait LineSink {
    /// Gets a line that matches, without its line feed, and its number, from 1.
    fn line(&mut self, number: u64, line: &[u8]) -> ScanFlow;

    /// Gets a line around those that match, in its turn.
    fn context(&mut self, _number: u64, _line: &[u8]) {}

    /// Gets the number of bytes that were searched since the last call.
    fn count_bytes(&mut self, _bytes: usize) -> ScanFlow {
        ScanFlow::Continue
    }
}

impl<F: FnMut(u64, &[u8]) -> ScanFlow> LineSink for F {
    fn line(&mut self, number: u64, line: &[u8]) -> ScanFlow {
        self(number, line)
    }
}

/// Searches the files of one search with one buffer.
#[derive(Debug)]
pub struct FileScanner {
    buffer: Vec<u8>,
    window: usize,
    max_line_bytes: usize,
}

impl Default for FileScanner {
    fn default() -> Self {
        Self::new()
    }
}

impl FileScanner {
    /// A scanner with the usual limits: 256 KiB at once, lines of 1 GiB.
    #[must_use]
    pub fn new() -> Self {
        Self::with_limits(WINDOW_BYTES, MAX_LINE_BYTES)
    }

    /// A scanner that reads `window` bytes at once, at least one, and gives up a file with a line
    /// of more than about `max_line_bytes` bytes.
    #[must_use]
    pub fn with_limits(window: usize, max_line_bytes: usize) -> Self {
        Self {
            buffer: Vec::new(),
            window: window.max(1),
            max_line_bytes,
        }
    }

    /// Begins to search a source from where it stands to its end.
    ///
    /// `size` is its length in bytes, 0 if that is not known. Bytes that are written to a file
    /// meanwhile are not searched, because they may be our own output.
    pub fn start<S: ByteSource>(&mut self, source: S, size: usize) -> FileScan<S> {
        let mut buffer = std::mem::take(&mut self.buffer);
        if buffer.capacity() == 0 {
            buffer.reserve_exact(self.window);
        }
        FileScan {
            source,
            size,
            total: 0,
            max_line_bytes: self.max_line_bytes,
            buffer,
            window: None,
            reaches_end: false,
            has_begun: false,
            decoder: None,
            line: 1,
            undecided: None,
            context: ContextLines::default(),
            context_bytes: 0,
            shown_end: 0,
            due: 0,
        }
    }

    /// Takes the buffer of a search that is over, without what a very long line took.
    pub fn recycle<S>(&mut self, scan: FileScan<S>) {
        let mut buffer = scan.buffer;
        buffer.clear();
        if buffer.capacity() > self.window {
            buffer.shrink_to(self.window);
        }
        self.buffer = buffer;
    }
}

/// The search of one file.
pub struct FileScan<S> {
    source: S,
    size: usize,
    total: usize,
    max_line_bytes: usize,
    buffer: Vec<u8>,
    /// The part of the buffer that is being searched.
    window: Option<LineWindow>,
    /// True if the window goes to the end.
    reaches_end: bool,
    has_begun: bool,
    decoder: Option<Decoder>,
    /// The number of the line at which the window, or what is still unsearched of it, begins.
    line: u64,
    undecided: Option<u64>,
    context: ContextLines,
    /// The length of the lines at the buffer's beginning that were searched with the last window.
    context_bytes: usize,
    /// The offset in the buffer after the last line that was shown.
    shown_end: usize,
    /// The number of lines that are still to be shown after the last one that matched.
    due: usize,
}

/// Whole lines that are being searched.
#[derive(Clone, Copy)]
struct LineWindow {
    /// Offset of the first line that is still to be searched.
    from: usize,
    /// The length of the lines at its beginning that were searched before.
    context_bytes: usize,
    end: usize,
    /// The number of the window's first line.
    first: u64,
}

impl<S: ByteSource> FileScan<S> {
    /// Begins in the middle of a file, where there is no byte-order mark.
    #[must_use]
    pub fn without_mark(mut self) -> Self {
        self.has_begun = true;
        self
    }

    /// Also shows these lines around those that match.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use iki_search::ere::RegexMatcher;
    /// use iki_search::scan::{ContextLines, FileScanner, LineSink, ScanFlow};
    ///
    /// #[derive(Default)]
    /// struct ShownLines(Vec<(u64, char)>);
    ///
    /// impl LineSink for ShownLines {
    ///     fn line(&mut self, number: u64, _line: &[u8]) -> ScanFlow {
    ///         self.0.push((number, ':'));
    ///         ScanFlow::Continue
    ///     }
    ///
    ///     fn context(&mut self, number: u64, _line: &[u8]) {
    ///         self.0.push((number, '-'));
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let path = std::env::temp_dir().join(format!("{}.txt", std::process::id()));
    /// std::fs::write(&path, "one\ntwo\nthree\n")?;
    /// let file = std::os::fd::OwnedFd::from(std::fs::File::open(&path)?);
    /// // At the end of its time a search ends with `ScanError::OutOfTime`.
    /// let matcher = RegexMatcher::compile("w")?.within(Duration::from_secs(1));
    /// let around = ContextLines { before: 1, after: 1 };
    /// let mut scan = FileScanner::new().start(file, 0).with_context(around);
    /// let mut shown = ShownLines::default();
    /// scan.run(&matcher, &mut shown)?;
    /// assert_eq!(shown.0, [(1, '-'), (2, ':'), (3, '-')]);
    /// # std::fs::remove_file(&path)?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_context(mut self, context: ContextLines) -> Self {
        self.context = context;
        self
    }

    /// Returns the number of the first line that the matcher could not decide.
    #[must_use]
    pub fn undecided(&self) -> Option<u64> {
        self.undecided
    }

    /// Counts the line feeds, once the source was searched to its end.
    #[must_use]
    pub fn line_feeds(&self) -> u64 {
        let Some(window) = self.window else {
            return self.line - 1;
        };
        // A last line without a line feed was numbered as if it had one, where it was found.
        let before = self.line - 1 - u64::from(window.from > window.end);
        let unread = self.buffer.get(window.from..window.end);
        before + line_feeds(unread.unwrap_or_default())
    }

    /// Searches to the end and gives each matching line to `receiver`, which may pause the search;
    /// another call then continues it.
    ///
    /// # Errors
    /// It cannot be searched to its end.
    pub fn run(
        &mut self,
        matcher: &impl LineMatcher,
        receiver: &mut impl LineSink,
    ) -> Result<ScanFlow, ScanError> {
        loop {
            let Some(window) = self.window else {
                let is_whole = self.fill()?;
                let goes_on = match self.window {
                    Some(LineWindow { end, .. }) if is_whole => {
                        matcher.has_time_for(&self.buffer[..end])
                    }
                    _ => matcher.has_time(),
                };
                if !goes_on {
                    return Err(ScanError::OutOfTime(self.line));
                }
                continue;
            };
            let flow = self.search(window, matcher, receiver);
            let number =
                |start: usize| window.first + line_feeds(&self.buffer[window.context_bytes..start]);
            for start in matcher.take_undecided() {
                self.undecided.get_or_insert_with(|| number(start));
            }
            match flow {
                ScanFlow::Pause => return Ok(flow),
                ScanFlow::Stop => {
                    self.show_due(self.line, window.end, receiver);
                    return Ok(ScanFlow::Continue);
                }
                ScanFlow::Continue => {}
            }
            if let Some(start) = matcher.stopped_at() {
                return Err(ScanError::OutOfTime(number(start)));
            }
            self.show_due(self.line, window.end, receiver);
            let searched = window.end - window.context_bytes;
            if self.reaches_end {
                receiver.count_bytes(searched);
                return Ok(ScanFlow::Continue);
            }
            self.line = self.line_feeds() + 1;
            // Lines that may be shown before a match in the next window stay.
            let unshown = &self.buffer[self.shown_end.min(window.end)..window.end];
            self.context_bytes = last_lines(unshown, self.context.before).len();
            self.buffer.drain(..window.end - self.context_bytes);
            self.shown_end = 0;
            self.window = None;
            if receiver.count_bytes(searched) == ScanFlow::Pause {
                return Ok(ScanFlow::Pause);
            }
        }
    }

    /// Searches what is left of the window.
    fn search(
        &mut self,
        window: LineWindow,
        matcher: &impl LineMatcher,
        receiver: &mut impl LineSink,
    ) -> ScanFlow {
        let LineWindow { mut from, end, .. } = window;
        let mut flow = ScanFlow::Continue;
        while flow == ScanFlow::Continue && from < end {
            let text = &self.buffer[..end];
            let hit = matcher.find_line(text, from);
            let Some(offset) = hit.filter(|offset| belongs_to_a_line(text, from, *offset)) else {
                break;
            };
            let start = memrchr(b'\n', &text[from..offset]).map_or(from, |lf| from + lf + 1);
            let stop = memchr(b'\n', &text[offset..]).map_or(end, |lf| offset + lf);
            let first = self.line;
            self.line += line_feeds(&text[from..start]);
            if self.context != ContextLines::default() {
                self.show_due(first, start, receiver);
                self.due = 0;
                self.show_before(start, receiver);
            }
            flow = receiver.line(self.line, &self.buffer[start..stop]);
            self.line += 1;
            from = stop + 1;
            self.shown_end = from;
            self.due = self.context.after;
        }
        self.window = Some(LineWindow { from, ..window });
        flow
    }

    /// Shows the lines that are due after the last match, as far as `end`; the first of them has
    /// the number `first`.
    fn show_due(&mut self, first: u64, end: usize, receiver: &mut impl LineSink) {
        let behind = self.buffer.get(self.shown_end..end).unwrap_or_default();
        let due = first_lines(behind, self.due);
        for (number, line) in (first..).zip(lines(due)) {
            receiver.context(number, line);
            self.due -= 1;
        }
        self.shown_end += due.len();
    }

    /// Shows the lines before a match at `start`.
    fn show_before(&mut self, start: usize, receiver: &mut impl LineSink) {
        let before = self.buffer.get(self.shown_end..start).unwrap_or_default();
        let before = last_lines(before, self.context.before);
        let first = self.line - line_feeds(before);
        for (number, line) in (first..).zip(lines(before)) {
            receiver.context(number, line);
        }
    }

    /// Reads on; true if there are whole lines to be searched then.
    fn fill(&mut self) -> Result<bool, ScanError> {
        let mut old = self.buffer.len();
        let count = if self.decoder.is_some() {
            self.read_decoded()?
        } else {
            self.read()?
        };
        self.total += count;
        self.reaches_end = count == 0 || (self.size > 0 && self.total >= self.size);
        if !self.has_begun {
            if self.total < ByteOrderMark::MARK_BYTES && !self.reaches_end {
                return Ok(false);
            }
            self.has_begun = true;
            old = 0;
            if let Some(mark) = ByteOrderMark::detect(&self.buffer) {
                self.take_mark(mark)?;
            }
        }
        let end = if self.reaches_end {
            self.buffer.len()
        } else {
            // The bytes that were carried over hold no line feed.
            match memrchr(b'\n', &self.buffer[old..]) {
                Some(line_feed) => old + line_feed + 1,
                None => return Ok(false),
            }
        };
        let context_bytes = std::mem::take(&mut self.context_bytes);
        self.window = Some(LineWindow {
            from: context_bytes,
            context_bytes,
            end,
            first: self.line,
        });
        Ok(true)
    }

    /// Reads more into the buffer, which grows if it is full: 0 at the file's end.
    fn read(&mut self) -> Result<usize, ScanError> {
        let length = self.buffer.len();
        if length == self.buffer.capacity()
            && (self.is_too_long(1) || self.buffer.try_reserve_exact(length.max(1)).is_err())
        {
            return Err(ScanError::LineTooLong);
        }
        let read = self.source.read(&mut self.buffer);
        read.map_err(ScanError::Unreadable)
    }

    /// True if the line in the buffer is too long, or the hole that is read next makes it so, of
    /// which `width` bytes are one of text.
    fn is_too_long(&mut self, width: u64) -> bool {
        let hole = self.source.hole_length() / width;
        hole.saturating_add(self.buffer.len() as u64) >= self.max_line_bytes as u64
    }

    /// Takes the mark from the file's first bytes, and of UTF-16 puts text in their place.
    fn take_mark(&mut self, mark: ByteOrderMark) -> Result<(), ScanError> {
        let (length, encoding) = mark.encoding();
        let Some(encoding) = encoding else {
            self.buffer.drain(..length);
            return Ok(());
        };
        let mut decoder = encoding.new_decoder_without_bom_handling();
        let bytes = self.buffer.split_off(length);
        self.buffer.clear();
        let mut pieces = bytes.chunks(decode::PIECE_BYTES).peekable();
        while let Some(piece) = pieces.next() {
            let last = self.reaches_end && pieces.peek().is_none();
            let buffer = (&mut self.buffer, self.max_line_bytes);
            decode::decode(&mut decoder, piece, last, buffer)?;
        }
        self.decoder = Some(decoder);
        Ok(())
    }

    /// As `read`, through the decoder.
    fn read_decoded(&mut self) -> Result<usize, ScanError> {
        if self.buffer.len() > WINDOW_BYTES && self.is_too_long(2) {
            return Err(ScanError::LineTooLong);
        }
        let mut bytes = Vec::with_capacity(decode::PIECE_BYTES);
        let read = self.source.read(&mut bytes);
        let count = read.map_err(ScanError::Unreadable)?;
        let left = self.size.saturating_sub(self.total);
        let last = count == 0 || (left > 0 && count >= left);
        if let Some(decoder) = &mut self.decoder {
            let buffer = (&mut self.buffer, self.max_line_bytes);
            decode::decode(decoder, &bytes, last, buffer)?;
        }
        Ok(count)
    }
}

/// True if `offset` lies in a line that begins at or after `from`. A last line without a line feed
/// ends at the end of the window.
fn belongs_to_a_line(window: &[u8], from: usize, offset: usize) -> bool {
    from <= offset
        && (offset < window.len() || (offset == window.len() && !window.ends_with(b"\n")))
}

fn line_feeds(text: &[u8]) -> u64 {
    if text.is_empty() {
        0
    } else {
        bytecount::count(text, b'\n') as u64
    }
}
