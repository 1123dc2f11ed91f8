//! Searching a file for matching lines, as `grep` does.
//!
//! A file passes through one window of whole lines that is searched at a stroke: the matcher
//! says where the first matching line is, not whether each line is one. The line that the window
//! cuts off is carried over to the next, and the window grows for lines that are longer. One
//! buffer serves all files, and lines are only counted up to those that match.

use std::ffi::CStr;
use std::fmt;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use memchr::{memchr, memrchr};
use rustix::buffer::spare_capacity;
use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};
use rustix::io::{Errno, read};

/// Bytes of a file that are searched at once: they stay in the processor's second cache between
/// the kernel's copying, the search and the counting.
const WINDOW: usize = 256 << 10;
/// The longest line in bytes: a file of nothing but zeros must not take all memory.
const LONGEST_LINE: usize = 1 << 30;
/// The longest path in bytes, with its NUL, that the kernel takes.
const LONGEST_PATH: usize = 4096;

/// Says which lines match.
pub trait LineMatcher {
    /// An offset within the first matching line that begins at or behind `from`: anything from
    /// its first byte to its line feed, or to the window's end where it has none.
    ///
    /// `window` holds whole lines, each ended by a line feed but perhaps the last; `from` is the
    /// start of one of them.
    fn find(&self, window: &[u8], from: usize) -> Option<usize>;

    /// Whether the search goes on, now that `window` would be next.
    fn goes_on(&self, _window: &[u8]) -> bool {
        true
    }

    /// Where in this window, at the start of a line, the search ended before its time.
    fn stopped(&self) -> Option<usize> {
        None
    }

    /// Where the lines of this window begin that could not be decided; each is said once.
    fn take_undecided(&self) -> Vec<usize> {
        Vec::new()
    }
}

/// Why a file was not searched to its end.
#[derive(Debug)]
pub enum ScanError<E> {
    /// It cannot be opened or read.
    Unreadable(Errno),
    /// It is no regular file.
    NotRegular,
    /// A line is longer than the scanner allows, or there is no memory for it.
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
    /// It is no regular file.
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

/// A directory to go on from: it needs no right to be read.
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
        loop {
            let old = self.buffer.len();
            let count = self.fill(file)?;
            total += count;
            let ended = count == 0 || (size > 0 && total >= size);
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
        loop {
            match read(file, spare_capacity(&mut self.buffer)) {
                Ok(count) => return Ok(count),
                Err(Errno::INTR) => {}
                Err(error) => return Err(ScanError::Unreadable(error)),
            }
        }
    }
}

/// Whether `at` lies in a line that begins at or behind `from`; a last line without a line feed ends at the window's
/// own end.
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
