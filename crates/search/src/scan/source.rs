//! Where a search reads from: a file from its position on, at most so much of a long line at once
//! that there is time to look at the clock.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::buffer::spare_capacity;
use rustix::fs::{SeekFrom, seek, tell};
use rustix::io::{Errno, read};

use iki_base::sparse_file::hole_end;

/// The most that is read at once of a long line, in bytes, so that there is time to look at the
/// clock.
const MAX_READ_BYTES: usize = 8 << 20;

/// The source of the bytes of a search.
pub trait ByteSource {
    /// Appends to the buffer at most as much as it has room for: 0 at the end.
    fn read(&mut self, buffer: &mut Vec<u8>) -> Result<usize, Errno>;

    /// The length in bytes of the hole that is read next; 0 if that is none.
    fn hole_length(&mut self) -> u64 {
        0
    }
}

impl ByteSource for OwnedFd {
    fn read(&mut self, buffer: &mut Vec<u8>) -> Result<usize, Errno> {
        self.as_fd().read(buffer)
    }

    fn hole_length(&mut self) -> u64 {
        self.as_fd().hole_length()
    }
}

impl ByteSource for BorrowedFd<'_> {
    fn read(&mut self, buffer: &mut Vec<u8>) -> Result<usize, Errno> {
        loop {
            let length = buffer.len();
            let result = if buffer.capacity() - length <= MAX_READ_BYTES {
                read(*self, spare_capacity(buffer))
            } else {
                buffer.resize(length + MAX_READ_BYTES, 0);
                let result = read(*self, &mut buffer[length..]);
                buffer.truncate(length + result.unwrap_or(0));
                result
            };
            match result {
                Err(Errno::INTR) => {}
                result => return result,
            }
        }
    }

    fn hole_length(&mut self) -> u64 {
        let Ok(offset) = tell(*self) else {
            return 0;
        };
        let length = hole_end(self, offset, u64::MAX >> 1) - offset;
        // Where the position cannot be set again, it was not moved.
        let _ = seek(*self, SeekFrom::Start(offset));
        length
    }
}
