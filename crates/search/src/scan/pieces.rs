//! A large file in pieces, for several threads.
//!
//! A line belongs to the piece in which it begins. The lines of a piece are numbered from 1,
//! because the number of lines before it is known only once the pieces before it were searched.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::buffer::spare_capacity;
use rustix::io::{Errno, pread};

use super::ByteSource;
use super::decode::ByteOrderMark;
use crate::ordered_pool::OrderedJob;
use iki_base::sparse_file::hole_end;

/// From this size on, in bytes, a file is searched in pieces.
pub const LARGE_FILE_BYTES: usize = 8 << 20;
/// The size of a piece in bytes.
const PIECE_BYTES: u64 = 2 << 20;
/// The number of bytes that are read at once to find the end of a line.
const READ_BYTES: usize = 16 << 10;

/// A large file that is searched in pieces.
#[derive(Debug)]
pub struct PiecedFile<T> {
    file: OwnedFd,
    /// True if a piece could not be searched to its end, so that those after it are not needed.
    is_given_up: AtomicBool,
    /// Facts about the file that its searchers need.
    pub known: T,
}

/// Pieces of a file, one after the other.
#[derive(Debug)]
pub struct FilePieces<T> {
    /// The file.
    pub file: Arc<PiecedFile<T>>,
    next: u64,
    end: u64,
    size: u64,
}

impl<T> FilePieces<T> {
    /// Makes the pieces of a file of `size` bytes. Gives the file back if it has to be searched
    /// from its beginning to its end, as UTF-16. `known` makes its facts from its first 8 KiB.
    pub fn split_file(
        file: OwnedFd,
        size: usize,
        known: impl FnOnce(&[u8]) -> T,
    ) -> Result<Self, OwnedFd> {
        let mut head = [0; 8 << 10];
        let read = pread(&file, &mut head[..], 0).unwrap_or(0);
        let head = &head[..read];
        let decoded = ByteOrderMark::detect(head).is_some_and(|mark| mark.encoding().1.is_some());
        let size = size as u64;
        if decoded || head.is_empty() {
            return Err(file);
        }
        let known = known(head);
        Ok(Self {
            file: Arc::new(PiecedFile {
                file,
                is_given_up: AtomicBool::new(false),
                known,
            }),
            next: 0,
            end: size,
            size,
        })
    }

    /// True if the file ends with these pieces.
    #[must_use]
    pub fn is_last(&self) -> bool {
        self.end >= self.size
    }

    /// Searches none of the pieces that no thread has taken yet, which come after this one.
    pub fn give_up_rest(&self) {
        self.file.is_given_up.store(true, Ordering::Relaxed);
    }

    /// True if the file begins with these pieces.
    #[must_use]
    pub fn is_first(&self) -> bool {
        self.next == 0
    }

    /// Returns the bytes of the lines that begin in these pieces.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn source(&self) -> Result<impl ByteSource, Errno> {
        let mut source = PieceLines {
            file: Arc::clone(&self.file),
            offset: self.next,
            end: self.end,
            is_over: false,
        };
        if self.next > 0 {
            source.skip_the_line_before()?;
        }
        Ok(source)
    }
}

impl<T: Send + Sync> OrderedJob for FilePieces<T> {
    fn split_off(&mut self) -> Option<Self> {
        if self.is_over() {
            return None;
        }
        let end = self.size.min(self.next + PIECE_BYTES);
        let part = Self {
            file: Arc::clone(&self.file),
            next: self.next,
            end,
            size: self.size,
        };
        self.next = end;
        Some(part)
    }

    fn is_over(&self) -> bool {
        self.next >= self.end || self.file.is_given_up.load(Ordering::Relaxed)
    }
}

/// The lines of a file that begin between two offsets.
struct PieceLines<T> {
    file: Arc<PiecedFile<T>>,
    offset: u64,
    end: u64,
    is_over: bool,
}

impl<T> PieceLines<T> {
    /// Goes to the first line that begins here: `offset`, where the byte before it is a line feed.
    fn skip_the_line_before(&mut self) -> Result<(), Errno> {
        let mut bytes = Vec::with_capacity(READ_BYTES);
        self.offset -= 1;
        while !self.is_over {
            bytes.clear();
            let limit = usize::try_from(self.end - self.offset)
                .unwrap_or(READ_BYTES)
                .min(READ_BYTES);
            let count = pread_all(&self.file.file, &mut bytes, limit, self.offset)?;
            match memchr::memchr(b'\n', &bytes) {
                Some(feed) => {
                    self.offset += feed as u64 + 1;
                    self.is_over = self.offset >= self.end;
                    return Ok(());
                }
                None => self.offset += count as u64,
            }
            if bytes.last() == Some(&0) {
                self.offset = hole_end(&self.file.file, self.offset, self.end);
            }
            self.is_over = count == 0 || self.offset >= self.end;
        }
        Ok(())
    }
}

impl<T> ByteSource for PieceLines<T> {
    fn read(&mut self, buffer: &mut Vec<u8>) -> Result<usize, Errno> {
        if self.is_over {
            return Ok(0);
        }
        let left = usize::try_from(self.end.saturating_sub(self.offset)).unwrap_or(usize::MAX);
        let limit = left.max(READ_BYTES);
        let length = buffer.len();
        let count = pread_all(&self.file.file, buffer, limit, self.offset)?;
        let read = &buffer[length..];
        // The index of the last byte of the pieces among those that were read.
        let last = left.saturating_sub(1);
        self.is_over = count == 0;
        let mut taken = count;
        if last < count
            && let Some(feed) = memchr::memchr(b'\n', &read[last..])
        {
            taken = last + feed + 1;
            buffer.truncate(length + taken);
            self.is_over = true;
        }
        self.offset += taken as u64;
        Ok(taken)
    }

    fn hole_length(&mut self) -> u64 {
        hole_end(&self.file.file, self.offset, u64::MAX >> 1) - self.offset
    }
}

/// Appends at most `limit` bytes to `buffer`: 0 at the file's end.
fn pread_all(
    file: &OwnedFd,
    buffer: &mut Vec<u8>,
    limit: usize,
    offset: u64,
) -> Result<usize, Errno> {
    loop {
        let length = buffer.len();
        let room = buffer.capacity() - length;
        let result = if room <= limit {
            pread(file, spare_capacity(buffer), offset)
        } else {
            // No more than is asked for, because the rest belongs to the next piece.
            buffer.resize(length + limit, 0);
            let read = pread(file, &mut buffer[length..], offset);
            buffer.truncate(length + read.unwrap_or(0));
            read
        };
        match result {
            Err(Errno::INTR) => {}
            result => return result,
        }
    }
}
