//! Reading a file whole, or some of its lines at the cost of those lines; passed on as it is read.

use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use memchr::{memchr, memchr_iter, memrchr, memrchr_iter};
use rustix::fs::{Advice, OFlags, SeekFrom, fadvise, seek};
use rustix::io::retry_on_intr;

use super::binary_kind::{self, BinaryKind};
use super::environ;
use super::regular::{ErrorReason, FileAccessError, RegularFile};
use iki_base::sparse_file::hole_end;

/// Bytes that are read at a time: few enough to stay in the processor's nearer caches until they
/// are passed on, and enough for what tells the size of an image.
const WINDOW: usize = 128 * 1024;

/// Bytes within which the end of a line is looked for that is not shown whole.
const MAX_LINE_BYTES: u64 = 64 * 1024 * 1024;

/// The longest time for finding it.
const LINE_TIMEOUT: Duration = Duration::from_millis(50);

/// Lines of a file. The first of them are read already, so that a file that cannot be read is known
/// before anything is passed on.
pub struct FileContent {
    file: RegularFile,
    window: Vec<u8>,
    /// The part of the window that is still to be passed on.
    ready: Range<usize>,
    /// Byte offset in the file at which the window begins.
    base: u64,
    /// Byte offset in the file up to which it was read.
    end: u64,
    /// The number of lines wanted after the window.
    to_take: u64,
    /// The number of bytes of the file after the window. Bytes that are appended meanwhile,
    /// perhaps by our own output, are not read. A generated file has no size.
    behind: u64,
    /// The time at which reading is given up.
    deadline: Option<Instant>,
    /// The number of the first wanted line, if it is known.
    first: Option<u64>,
    facts: FileFacts,
}

/// The first of the lines that are wanted of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstLine {
    /// By its number, from 1.
    Number(u64),
    /// So many lines before the end; the first of all, if there are fewer.
    FromEnd(u64),
}

impl FirstLine {
    /// The number of lines before it, of so many in all.
    #[must_use]
    pub fn skips(self, total: u64) -> u64 {
        match self {
            Self::Number(first) => first.saturating_sub(1).min(total),
            Self::FromEnd(lines) => total.saturating_sub(lines),
        }
    }
}

/// Facts about a file, known once the first of the wanted lines were read.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileFacts {
    /// Its kind, if it is not text.
    pub kind: Option<BinaryKind>,
    /// The encoding that the mark at its beginning names, if that is UTF-16 or UTF-32.
    pub encoding: Option<&'static str>,
    /// Its size in bytes; `None` if the system generates it.
    pub size: Option<u64>,
    /// The number of its lines, if the wanted ones are past its end.
    pub ends_before: Option<u64>,
    /// True if it has nothing in it.
    pub is_empty: bool,
}

/// The place where a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// Before a line feed at this offset in the file.
    At(u64),
    /// At the end of the file, at this offset.
    OfFile(u64),
    /// Behind this offset; it was not found within what is looked at.
    Behind(u64),
}

/// The reason why a content was not passed on to its end.
#[derive(Debug, thiserror::Error)]
pub enum ReadInterruption {
    /// The file could be read no further.
    #[error("the file could not be read to its end")]
    File(FileAccessError),
    /// The content's receiver takes no more of it.
    #[error("the content could not be passed on to its end")]
    Sink(io::Error),
}

/// Opens the file at `path` and reads up to the line `first`. `count` lines are wanted from there
/// on, or all. There are none beyond the end. At `deadline` reading is given up.
pub fn read(
    path: &Path,
    first: FirstLine,
    count: Option<u64>,
    deadline: Option<Instant>,
) -> Result<FileContent, FileAccessError> {
    let file = RegularFile::open(path, OFlags::RDONLY)?;
    if environ::is_own(&file) {
        return Err(FileAccessError::Refused(ErrorReason::new(
            "it is the environment of this very process, which may hold keys",
        )));
    }
    if count.is_none() {
        // Only a hint: a kernel that ignores it reads ahead less.
        let _ = fadvise(&file.file, 0, None, Advice::Sequential);
    }
    let size = file.size();
    let mut content = FileContent {
        behind: if size == 0 { u64::MAX } else { size },
        file,
        window: vec![0; WINDOW],
        ready: 0..0,
        base: 0,
        end: 0,
        to_take: count.unwrap_or(u64::MAX),
        deadline,
        first: None,
        facts: FileFacts {
            size: (size > 0).then_some(size),
            ..FileFacts::default()
        },
    };
    let skipped = match first {
        FirstLine::Number(first) => first.saturating_sub(1),
        FirstLine::FromEnd(lines) => content.go_to_last(lines)?,
    };
    if content.end == 0 {
        content.first = Some(skipped.saturating_add(1));
    }
    let mut to_skip = skipped;
    let mut last = None;
    while content.fill()? && to_skip > 0 {
        let chunk = &content.window[content.ready.clone()];
        last = chunk.last().copied();
        content.ready.start = after_lines(chunk, &mut to_skip).unwrap_or(chunk.len());
        if to_skip > 0 {
            content.pass_over_hole()?;
        }
    }
    content.facts.is_empty = content.end == 0;
    if content.ready.is_empty() && skipped > 0 {
        let unended = to_skip > 0 && last.is_some_and(|byte| byte != b'\n');
        content.facts.ends_before = Some(skipped - to_skip + u64::from(unended));
    }
    content.cut();
    Ok(content)
}

impl FileContent {
    /// Facts about the file.
    #[must_use]
    pub fn facts(&self) -> &FileFacts {
        &self.facts
    }

    /// Byte offset in the file of the next byte to be passed on.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.base + self.ready.start as u64
    }

    /// Passes the lines on to `sink`, reading as it goes, until the sink has enough of them.
    pub fn pass_on<S: Write>(
        &mut self,
        sink: &mut S,
        has_enough: impl Fn(&S) -> bool,
    ) -> Result<(), ReadInterruption> {
        loop {
            let ready = std::mem::take(&mut self.ready);
            sink.write_all(&self.window[ready])
                .map_err(ReadInterruption::Sink)?;
            if self.to_take == 0 || has_enough(sink) {
                return Ok(());
            }
            if !self.fill().map_err(ReadInterruption::File)? {
                return Ok(());
            }
            self.cut();
        }
    }

    /// The number of the line at offset `position`, the first of those that were wanted. Of lines
    /// counted from the end it is found by counting what stands before them, for a moment.
    pub fn line_number(&self, position: u64) -> Result<Option<u64>, FileAccessError> {
        if self.first.is_some() {
            return Ok(self.first);
        }
        let deadline = Some(Instant::now() + LINE_TIMEOUT);
        match self.file.count_line_ends(0..position, deadline) {
            Err(FileAccessError::TooSlow(_)) => Ok(None),
            before => Ok(before?.map(|lines| lines + 1)),
        }
    }

    /// Goes on at the last `lines` lines, and returns how many lines before them are still to be
    /// skipped.
    fn go_to_last(&mut self, lines: u64) -> Result<u64, FileAccessError> {
        if let Some(start) = self.start_of_last(lines)? {
            if start > 0 {
                let read = self.file.read_at(&mut self.window, 0)?;
                self.look_at_beginning(read);
                self.seek(start)?;
            }
            return Ok(0);
        }
        let mut total = 0;
        let (behind, mut last) = (self.behind, b'\n');
        while self.fill()? {
            let chunk = &self.window[std::mem::take(&mut self.ready)];
            total += bytecount::count(chunk, b'\n') as u64;
            last = chunk.last().copied().unwrap_or(last);
        }
        total += u64::from(last != b'\n');
        self.seek(0)?;
        self.behind = behind;
        Ok(total.saturating_sub(lines))
    }

    /// The offset at which the last `lines` lines begin, found from the end; `None` if the file has
    /// no size, or less in it than its size says, as files that the system generates.
    fn start_of_last(&self, mut lines: u64) -> Result<Option<u64>, FileAccessError> {
        let Some(size) = self.facts.size else {
            return Ok(None);
        };
        let mut end = size;
        while end > 0 {
            FileAccessError::if_late(self.deadline, size - end)?;
            let start = end.saturating_sub(WINDOW as u64);
            let chunk = self.bytes_at(start, WINDOW.min(usize::try_from(end).unwrap_or(WINDOW)))?;
            if chunk.len() as u64 != end - start {
                return Ok(None);
            }
            // The line feed at the end of the file ends its last line.
            let ended = end == size && chunk.ends_with(b"\n");
            let chunk = &chunk[..chunk.len() - usize::from(ended)];
            let here = bytecount::count(chunk, b'\n') as u64;
            if here >= lines {
                let nth = usize::try_from(lines.saturating_sub(1)).unwrap_or(usize::MAX);
                let before = memrchr_iter(b'\n', chunk).nth(nth);
                return Ok(Some(
                    before.map_or(start, |offset| start + offset as u64 + 1),
                ));
            }
            lines -= here;
            end = start;
            if chunk.first() == Some(&0) {
                end = self.start_of_hole(end);
            }
        }
        Ok(Some(0))
    }

    /// An offset from which on there is a hole up to offset `end`; at least half of it, if it is a
    /// long one.
    fn start_of_hole(&self, end: u64) -> u64 {
        let (mut start, mut length) = (end, WINDOW as u64);
        while start > 0 {
            let before = start.saturating_sub(length);
            if hole_end(&self.file.file, before, start) < start {
                break;
            }
            (start, length) = (before, length * 2);
        }
        start
    }

    /// Goes on behind the hole that begins where the file was read to, if it is a long one.
    fn pass_over_hole(&mut self) -> Result<(), FileAccessError> {
        let read = usize::try_from(self.end - self.base).unwrap_or(0);
        let read = &self.window[..read];
        if self.facts.size.is_some() && read.last() == Some(&0) {
            let end = self.file.after_hole(read, self.end);
            seek(&self.file.file, SeekFrom::Start(end)).map_err(FileAccessError::reading)?;
            self.behind = self.behind.saturating_sub(end - self.end);
            (self.base, self.end, self.ready) = (end, end, 0..0);
        }
        Ok(())
    }

    /// Reads on from offset `start`.
    fn seek(&mut self, start: u64) -> Result<(), FileAccessError> {
        seek(&self.file.file, SeekFrom::Start(start)).map_err(FileAccessError::reading)?;
        (self.base, self.end) = (start, start);
        self.behind = self.behind.saturating_sub(start);
        Ok(())
    }

    /// Finds out what the file is, by so many of its first bytes, which the window holds.
    fn look_at_beginning(&mut self, read: usize) {
        let beginning = &self.window[..read];
        self.facts.kind = binary_kind::detect(beginning);
        self.facts.encoding = binary_kind::wide_encoding(beginning);
    }

    /// Finds the end of the line that goes on at offset `from`.
    pub fn line_end(&self, from: u64) -> Result<LineEnd, FileAccessError> {
        let deadline = Instant::now() + LINE_TIMEOUT;
        let mut window = vec![0; WINDOW];
        let mut offset = from;
        while offset - from < MAX_LINE_BYTES && Instant::now() < deadline {
            let read = self.file.read_at(&mut window, offset)?;
            if read == 0 {
                return Ok(LineEnd::OfFile(offset));
            }
            if let Some(end) = memchr(b'\n', &window[..read]) {
                return Ok(LineEnd::At(offset + end as u64));
            }
            offset += read as u64;
        }
        Ok(LineEnd::Behind(offset))
    }

    /// At most `limit` bytes from offset `from` on.
    pub fn bytes_at(&self, from: u64, limit: usize) -> Result<Vec<u8>, FileAccessError> {
        self.file.bytes_at(from, limit, self.deadline)
    }

    /// Reads the next window, unless part of this one is left; false at the end of the file.
    fn fill(&mut self) -> Result<bool, FileAccessError> {
        while self.ready.is_empty() {
            FileAccessError::if_late(self.deadline, self.end)?;
            let limit = usize::try_from(self.behind).unwrap_or(WINDOW).min(WINDOW);
            let window = &mut self.window[..limit];
            let length = retry_on_intr(|| rustix::io::read(&self.file.file, &mut *window));
            let length = length.map_err(FileAccessError::reading)?;
            if length == 0 {
                return Ok(false);
            }
            if self.end == 0 {
                self.look_at_beginning(length);
            }
            self.ready = 0..length;
            self.base = self.end;
            self.end += length as u64;
            self.behind -= length as u64;
        }
        Ok(true)
    }

    /// Cuts off the part of the window that is not wanted.
    fn cut(&mut self) {
        if self.to_take < u64::MAX
            && let Some(end) = after_lines(&self.window[self.ready.clone()], &mut self.to_take)
        {
            self.ready.end = self.ready.start + end;
        }
    }
}

/// The offset at which `count` lines of `chunk` end; if `chunk` holds fewer, `count` is reduced by
/// them.
fn after_lines(chunk: &[u8], count: &mut u64) -> Option<usize> {
    let here = bytecount::count(chunk, b'\n') as u64;
    if here < *count {
        *count -= here;
        return None;
    }
    let end = if here == *count {
        memrchr(b'\n', chunk)
    } else {
        usize::try_from(*count - 1)
            .ok()
            .and_then(|nth| memchr_iter(b'\n', chunk).nth(nth))
    };
    *count = 0;
    end.map(|newline| newline + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_across_chunks() {
        let mut count = 3;
        assert_eq!(after_lines(b"a\nb\nc", &mut count), None);
        assert_eq!(count, 1);
        assert_eq!(after_lines(b"c\nd\n", &mut count), Some(2));
        assert_eq!(count, 0);
        let mut count = 2;
        assert_eq!(after_lines(b"a\nb\n", &mut count), Some(4));
    }
}
