//! The process's own streams without the standard library's buffers: a request is read at once, and
//! an answer is written in large pieces.
//!
//! This module waits on non-blocking pipes, which a host may have made (`O_NONBLOCK` belongs to the
//! pipe's end, not to a process).

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{FileType, fstat, tell};
use rustix::io::Errno;
use rustix::pipe::{fcntl_getpipe_size, fcntl_setpipe_size};

/// Size of the pipe to a host for a large answer, in bytes: the most that `pipe(7)` gives without
/// privileges. With the usual 64 KiB, writer and reader wake each other twenty times as often.
const PIPE_SIZE: usize = 1024 * 1024;

/// First allocation for stdin, in bytes: more than most requests need.
const FIRST_ALLOCATION: usize = 512;

/// Largest further allocation while the length of stdin is unknown, in bytes.
const MAX_ALLOCATION: usize = 16 * 1024 * 1024;

/// Size of a large answer, in bytes.
const LARGE_WRITE_BYTES: usize = 64 * 1024;

/// Set once anything has been written by [`RawStdout`].
static BEGUN: AtomicBool = AtomicBool::new(false);

/// True if any part of an answer has left the process. Safe in a signal handler.
pub fn has_begun() -> bool {
    BEGUN.load(Ordering::Relaxed)
}

/// The process's stdin without the standard library's buffer.
pub struct RawStdin;

impl Read for RawStdin {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        read_when_ready(|stdin| rustix::io::read(stdin, &mut *bytes))
    }

    /// Reads into memory that is allocated as needed and not initialised, so that a large request
    /// takes its own size and no more.
    fn read_to_end(&mut self, bytes: &mut Vec<u8>) -> io::Result<usize> {
        let before = bytes.len();
        let mut more = FIRST_ALLOCATION;
        loop {
            bytes.try_reserve_exact(more)?;
            while bytes.len() < bytes.capacity() {
                match read_when_ready(|stdin| rustix::io::read(stdin, spare_capacity(bytes))) {
                    Ok(0) => return Ok(bytes.len() - before),
                    Ok(_) => {}
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            more = match unread_length() {
                // With a byte to spare, the end is noticed without another allocation.
                Some(left) if left > 0 => left.saturating_add(1),
                _ => bytes.len().min(MAX_ALLOCATION),
            };
        }
    }
}

/// Number of unread bytes of stdin, if it is a file.
fn unread_length() -> Option<usize> {
    let stdin = rustix::stdio::stdin();
    let status = fstat(stdin).ok()?;
    let is_file = FileType::from_raw_mode(status.st_mode) == FileType::RegularFile;
    let size = u64::try_from(status.st_size).ok().filter(|_| is_file)?;
    usize::try_from(size.saturating_sub(tell(stdin).ok()?)).ok()
}

/// Reads from stdin, waiting until it has something.
fn read_when_ready(
    mut read: impl FnMut(BorrowedFd<'static>) -> Result<usize, Errno>,
) -> io::Result<usize> {
    let stdin = rustix::stdio::stdin();
    loop {
        match read(stdin) {
            Err(Errno::AGAIN) => wait_until_ready(stdin, PollFlags::IN)?,
            done => return Ok(done?),
        }
    }
}

/// The process's stdout without the standard library's line buffer.
#[derive(Default)]
pub struct RawStdout {
    written: usize,
}

impl RawStdout {
    /// True if nothing has been written.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        self.written == 0
    }
}

impl Write for RawStdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let stdout = rustix::stdio::stdout();
        if self.written < LARGE_WRITE_BYTES && self.written + bytes.len() >= LARGE_WRITE_BYTES {
            enlarge_pipe(stdout);
        }
        loop {
            match rustix::io::write(stdout, bytes) {
                Err(Errno::AGAIN) => wait_until_ready(stdout, PollFlags::OUT)?,
                done => {
                    let count = done?;
                    BEGUN.store(true, Ordering::Relaxed);
                    self.written = self.written.saturating_add(count);
                    return Ok(count);
                }
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn wait_until_ready(stream: BorrowedFd<'_>, until: PollFlags) -> io::Result<()> {
    match poll(&mut [PollFd::new(&stream, until)], None) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

/// Enlarges `stream` if it is a pipe. If the user has no more memory for pipes, it stays small,
/// which is only slower.
fn enlarge_pipe(stream: BorrowedFd<'_>) {
    if fcntl_getpipe_size(stream).is_ok_and(|size| size < PIPE_SIZE) {
        let _ = fcntl_setpipe_size(stream, PIPE_SIZE);
    }
}
