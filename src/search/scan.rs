//! Searching a file for matching lines, as `grep` does.
//!
//! A file passes through a window of whole lines that is searched as one piece: the matcher finds
//! the first matching line instead of being asked about each line. A line that the window cuts off
//! is carried over to the next window, and the window grows for lines that are longer than it. One
//! buffer serves all files, and lines are only counted up to those that match.
//!
//! A byte-order mark is no part of the first line. Behind one of UTF-16 the window holds the same
//! text in UTF-8.

use std::ffi::CStr;
use std::fmt;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use encoding_rs::{CoderResult, Decoder, UTF_16BE, UTF_16LE};
use memchr::{memchr, memrchr};
use rustix::buffer::spare_capacity;
use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};
use rustix::io::{Errno, read};

/// Bytes of a file that are searched at once: they stay in the processor's second cache between
/// the kernel's copying, the search and the counting.
const WINDOW: usize = 256 << 10;
/// The longest line in bytes: a file of nothing but zeros must not take all memory.
const LONGEST_LINE: usize = 1 << 30;
/// Bytes of UTF-16 that are decoded at once; at most three bytes come of two.
const PIECE: usize = 16 << 10;
/// The longest path in bytes, with its NUL, that the kernel takes.
const LONGEST_PATH: usize = 4096;

/// Finds the lines that match.
pub trait LineMatcher {
    /// An offset within the first matching line that begins at or after `from`: anything from
    /// its first byte to its line feed, or to the window's end where it has none.
    ///
    /// `window` holds whole lines, each ended by a line feed but perhaps the last; `from` is the
    /// start of one of them.
    fn find(&self, window: &[u8], from: usize) -> Option<usize>;

    /// Whether the search continues with `window`, the next one.
    fn goes_on(&self, _window: &[u8]) -> bool {
        true
    }

    /// The offset in this window, at the start of a line, at which the search ran out of time.
    fn stopped(&self) -> Option<usize> {
        None
    }

    /// The offsets at which the undecided lines of this window begin. Each is returned once.
    fn take_undecided(&self) -> Vec<usize> {
        Vec::new()
    }
}

/// Why a file was not searched to its end.
#[derive(Debug)]
pub enum ScanError<E> {
    /// It cannot be opened or read.
    Unreadable(Errno),
    /// It is not a regular file.
    NotRegular,
    /// A line is longer than the scanner allows, or memory ran out for it.
    LineTooLong,
    /// The matcher ended the search before the line of this number.
    OutOfTime(u64),
    /// The receiver of the lines gave up.
    Sink(E),
}

impl<E: fmt::Display> fmt::Display for ScanError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => error.fmt(f),
            Self::NotRegular => f.write_str("not a regular file"),
            Self::OutOfTime(line) => write!(f, "out of time at line {line}"),
            Self::LineTooLong => f.write_str("a line is too long"),
            Self::Sink(error) => error.fmt(f),
        }
    }
}

impl<E: std::error::Error + 'static> std::error::Error for ScanError<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable(error) => Some(error),
            Self::Sink(error) => Some(error),
            Self::NotRegular | Self::LineTooLong | Self::OutOfTime(_) => None,
        }
    }
}

/// What to do where the last component of a path is a symbolic link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// Search what it leads to.
    Follow,
    /// Refuse it, as anything that is not a regular file.
    Refuse,
}

/// Searches the files of one search with one buffer.
#[derive(Debug)]
pub struct Scanner {
    buffer: Vec<u8>,
    window: usize,
    longest_line: usize,
    /// The first line of the last file that could not be decided.
    undecided: Option<u64>,
    /// The directory of the last path.
    directory: Directory,
}

/// The directory that paths in order have in common: to name a file from there spares the kernel
/// the way from the start.
#[derive(Debug, Default)]
struct Directory {
    /// With the slash behind it.
    path: Vec<u8>,
    /// Opened for the second file there.
    open: Option<OwnedFd>,
}

impl Directory {
    /// The directory to open `path` from, and the rest of the way.
    fn of<'a>(&'a mut self, path: &'a CStr) -> (BorrowedFd<'a>, &'a CStr) {
        let bytes = path.to_bytes_with_nul();
        let (parent, name) = bytes.split_at(memrchr(b'/', bytes).map_or(0, |slash| slash + 1));
        if parent != self.path {
            self.path.clear();
            self.path.extend_from_slice(parent);
            self.open = None;
        } else if self.open.is_none() && !parent.is_empty() {
            self.open = open_directory(CWD, parent).ok();
        }
        if self.open.is_none() && bytes.len() > LONGEST_PATH {
            self.open = open_far(parent);
        }
        match (&self.open, CStr::from_bytes_with_nul(name)) {
            (Some(directory), Ok(name)) => (directory.as_fd(), name),
            _ => (CWD, path),
        }
    }
}

/// Opens a directory to start further paths from; it need not be readable.
fn open_directory(from: BorrowedFd<'_>, path: &[u8]) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat(from, path, flags, Mode::empty())
}

/// The same for a path of any length, part by part.
fn open_far(mut path: &[u8]) -> Option<OwnedFd> {
    let mut open: Option<OwnedFd> = None;
    while !path.is_empty() {
        let most = path.len().min(LONGEST_PATH - 1);
        let end = memrchr(b'/', &path[..most]).map_or(most, |slash| slash + 1);
        let (part, rest) = path.split_at(end);
        // A further slash would begin an absolute path.
        path = &rest[rest.iter().take_while(|byte| **byte == b'/').count()..];
        let from = open.as_ref().map_or(CWD, AsFd::as_fd);
        open = Some(open_directory(from, part).ok()?);
    }
    open
}

impl Default for Scanner {
    fn default() -> Self {
        Self::new()
    }
}

impl Scanner {
    /// A scanner with the usual limits: 256 KiB at once, lines of 1 GiB.
    #[must_use]
    pub fn new() -> Self {
        Self::with_limits(WINDOW, LONGEST_LINE)
    }

    /// A scanner that reads `window` bytes at once, at least one, and gives up a file with a line
    /// of more than about `longest_line` bytes.
    #[must_use]
    pub fn with_limits(window: usize, longest_line: usize) -> Self {
        let window = window.max(1);
        Self {
            buffer: Vec::with_capacity(window),
            window,
            longest_line,
            undecided: None,
            directory: Directory::default(),
        }
    }

    /// The number of the first line that the matcher could not decide in the last file.
    #[must_use]
    pub fn undecided(&self) -> Option<u64> {
        self.undecided
    }

    /// Searches the regular file `path`. Anything else is refused without waiting for it. Paths
    /// in order are opened from the directory that they share. See [`Scanner::scan`].
    pub fn scan_path<E>(
        &mut self,
        path: &CStr,
        links: Links,
        matcher: &impl LineMatcher,
        on_line: impl FnMut(u64, &[u8]) -> Result<(), E>,
    ) -> Result<u64, ScanError<E>> {
        // A FIFO without a writer and a terminal must neither hold us up nor become ours.
        let mut flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        if links == Links::Refuse {
            flags |= OFlags::NOFOLLOW;
        }
        let (directory, name) = self.directory.of(path);
        let file = match openat(directory, name, flags, Mode::empty()) {
            Err(Errno::LOOP) if links == Links::Refuse => return Err(ScanError::NotRegular),
            file => file.map_err(ScanError::Unreadable)?,
        };
        let status = fstat(&file).map_err(ScanError::Unreadable)?;
        if FileType::from_raw_mode(status.st_mode) != FileType::RegularFile {
            return Err(ScanError::NotRegular);
        }
        let size = usize::try_from(status.st_size).unwrap_or(0);
        self.scan(&file, size, matcher, on_line)
    }

    /// Searches an open file from where it stands to its end, and gives each matching line with
    /// its number (from 1) and without its line feed to `on_line`. Returns how many there were.
    ///
    /// `size` is what the file holds, 0 if that is not known: what is written to it meanwhile is
    /// not waited for, even if it is our own output.
    pub fn scan<E>(
        &mut self,
        file: impl AsFd,
        size: usize,
        matcher: &impl LineMatcher,
        mut on_line: impl FnMut(u64, &[u8]) -> Result<(), E>,
    ) -> Result<u64, ScanError<E>> {
        let file = file.as_fd();
        self.reset();
        let (mut total, mut found, mut line) = (0, 0, 1);
        let (mut begun, mut utf16) = (false, None);
        loop {
            let mut old = self.buffer.len();
            let count = match &mut utf16 {
                None => self.fill(file)?,
                Some(decoder) => self.fill_decoded(file, decoder, size.saturating_sub(total))?,
            };
            total += count;
            let ended = count == 0 || (size > 0 && total >= size);
            if !begun {
                if total < Mark::LOOK && !ended {
                    continue;
                }
                begun = true;
                old = 0;
                if let Some(mark) = Mark::of(&self.buffer) {
                    utf16 = self.take_mark(mark, ended)?;
                }
            }
            let end = if ended {
                self.buffer.len()
            } else {
                // What was carried over is known to hold no line feed.
                match memrchr(b'\n', &self.buffer[old..]) {
                    Some(at) => old + at + 1,
                    None => continue,
                }
            };
            let window = &self.buffer[..end];
            if !matcher.goes_on(window) {
                return Err(ScanError::OutOfTime(line));
            }
            let first = line;
            let mut from = 0;
            while from < end
                && let Some(at) = matcher
                    .find(window, from)
                    .filter(|at| belongs_to_a_line(window, from, *at))
            {
                let start = memrchr(b'\n', &window[from..at]).map_or(from, |lf| from + lf + 1);
                let stop = memchr(b'\n', &window[at..]).map_or(end, |lf| at + lf);
                line += line_feeds(&window[from..start]);
                on_line(line, &window[start..stop]).map_err(ScanError::Sink)?;
                found += 1;
                line += 1;
                from = stop + 1;
            }
            let number = |start: usize| first + line_feeds(&window[..start]);
            for start in matcher.take_undecided() {
                self.undecided.get_or_insert_with(|| number(start));
            }
            if let Some(start) = matcher.stopped() {
                return Err(ScanError::OutOfTime(number(start)));
            }
            if ended {
                return Ok(found);
            }
            line += line_feeds(window.get(from..).unwrap_or_default());
            self.buffer.drain(..end);
        }
    }

    /// Makes ready for a new file, and gives back what a very long line took.
    fn reset(&mut self) {
        self.buffer.clear();
        self.undecided = None;
        if self.buffer.capacity() > self.window {
            self.buffer.shrink_to(self.window);
        }
    }

    /// Reads more behind what is there, in a larger buffer if it is full: 0 at the file's end.
    fn fill<E>(&mut self, file: BorrowedFd<'_>) -> Result<usize, ScanError<E>> {
        let length = self.buffer.len();
        if length == self.buffer.capacity()
            && (length >= self.longest_line
                || self.buffer.try_reserve_exact(length.max(1)).is_err())
        {
            return Err(ScanError::LineTooLong);
        }
        read_more(file, &mut self.buffer)
    }

    /// Takes the mark from the file's first bytes, and of UTF-16 puts text in their place.
    /// `ended` is whether there are no more bytes.
    fn take_mark<E>(&mut self, mark: Mark, ended: bool) -> Result<Option<Decoder>, ScanError<E>> {
        let encoding = match mark {
            Mark::Utf8 => {
                self.buffer.drain(..3);
                return Ok(None);
            }
            Mark::Utf16Le => UTF_16LE,
            Mark::Utf16Be => UTF_16BE,
        };
        let mut decoder = encoding.new_decoder_without_bom_handling();
        let bytes = self.buffer.split_off(2);
        self.buffer.clear();
        let mut pieces = bytes.chunks(PIECE).peekable();
        while let Some(piece) = pieces.next() {
            let last = ended && pieces.peek().is_none();
            self.decode(&mut decoder, piece, last)?;
        }
        Ok(Some(decoder))
    }

    /// As `fill`, through the decoder. `left` is how many bytes the file has left, 0 if that is
    /// not known.
    fn fill_decoded<E>(
        &mut self,
        file: BorrowedFd<'_>,
        decoder: &mut Decoder,
        left: usize,
    ) -> Result<usize, ScanError<E>> {
        let mut bytes = Vec::with_capacity(PIECE);
        let count = read_more(file, &mut bytes)?;
        let last = count == 0 || (left > 0 && count >= left);
        self.decode(decoder, &bytes, last)?;
        Ok(count)
    }

    /// Puts the text of these bytes behind what is there.
    fn decode<E>(
        &mut self,
        decoder: &mut Decoder,
        bytes: &[u8],
        last: bool,
    ) -> Result<(), ScanError<E>> {
        let mut text = [0; 4 << 10];
        let mut at = 0;
        loop {
            let (result, read, written, _) = decoder.decode_to_utf8(&bytes[at..], &mut text, last);
            at += read;
            let length = self.buffer.len();
            if self.buffer.capacity() - length < written
                && (length >= self.longest_line
                    || self.buffer.try_reserve_exact(length.max(written)).is_err())
            {
                return Err(ScanError::LineTooLong);
            }
            self.buffer.extend_from_slice(&text[..written]);
            if result == CoderResult::InputEmpty {
                return Ok(());
            }
        }
    }
}

/// Reads more behind what is there: 0 at the file's end.
fn read_more<E>(file: BorrowedFd<'_>, buffer: &mut Vec<u8>) -> Result<usize, ScanError<E>> {
    loop {
        match read(file, spare_capacity(buffer)) {
            Ok(count) => return Ok(count),
            Err(Errno::INTR) => {}
            Err(error) => return Err(ScanError::Unreadable(error)),
        }
    }
}

/// A byte-order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Utf8,
    Utf16Le,
    Utf16Be,
}

impl Mark {
    /// How many bytes tell whether there is one.
    const LOOK: usize = 4;

    /// The mark with which a file begins. That of UTF-32 is none: two NULs follow.
    fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0xef, 0xbb, 0xbf, ..] => Some(Self::Utf8),
            [0xff, 0xfe, 0, 0, ..] => None,
            [0xff, 0xfe, ..] => Some(Self::Utf16Le),
            [0xfe, 0xff, ..] => Some(Self::Utf16Be),
            _ => None,
        }
    }
}

/// Whether `at` lies in a line that begins at or after `from`. A last line without a line feed ends
/// at the end of the window.
fn belongs_to_a_line(window: &[u8], from: usize, at: usize) -> bool {
    from <= at && (at < window.len() || (at == window.len() && !window.ends_with(b"\n")))
}

fn line_feeds(text: &[u8]) -> u64 {
    if text.is_empty() {
        0
    } else {
        bytecount::count(text, b'\n') as u64
    }
}
