//! The process's own streams without the standard library's buffers: a request is read in one go,
//! and an answer is written in large pieces.
//!
//! A host may have made its pipes non-blocking (`O_NONBLOCK` belongs to the pipe's end, not to a
//! process): then this module waits.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{FileType, fstat, tell};
use rustix::io::Errno;
use rustix::pipe::{fcntl_getpipe_size, fcntl_setpipe_size};

/// How much a pipe to a host should hold while a large answer is written, in bytes: the most that
/// `pipe(7)` gives without privileges. With the usual 64 KiB, writer and reader wake each other
/// twenty times as often.
const PIPE_SIZE: usize = 1024 * 1024;

/// How much memory is asked for at first for what comes on stdin, in bytes: more than most requests
/// take.
const LITTLE: usize = 512;

/// The most that is asked for at a time where it is not known how much comes, in bytes.
const MUCH: usize = 16 * 1024 * 1024;

/// An answer of this size or more, in bytes, is large.
const LARGE: usize = 64 * 1024;

/// Whether anything has been written to stdout by [`RawStdout`].
static BEGUN: AtomicBool = AtomicBool::new(false);

/// Whether anything of an answer has left the process. Safe to ask in a signal's handler.
pub fn has_begun() -> bool {
    BEGUN.load(Ordering::Relaxed)
}

/// The process's stdin without the buffer that the standard library puts behind it.
pub struct RawStdin;

impl Read for RawStdin {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        patiently(|stdin| rustix::io::read(stdin, &mut *bytes))
    }

    /// Into memory that is asked for as it is needed and touched by nothing but what is read: a
    /// large request takes its own size.
    fn read_to_end(&mut self, bytes: &mut Vec<u8>) -> io::Result<usize> {
        let before = bytes.len();
        let mut more = LITTLE;
        loop {
            bytes.try_reserve_exact(more)?;
            while bytes.len() < bytes.capacity() {
                match patiently(|stdin| rustix::io::read(stdin, spare_capacity(bytes))) {
                    Ok(0) => return Ok(bytes.len() - before),
                    Ok(_) => {}
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            more = match left_of_file() {
                // With a byte to spare the end of it is seen without asking for more memory.
                Some(left) if left > 0 => left.saturating_add(1),
                _ => bytes.len().min(MUCH),
            };
        }
    }
}

/// How much of stdin is not read yet, in bytes, if it is a file.
fn left_of_file() -> Option<usize> {
    let stdin = rustix::stdio::stdin();
    let status = fstat(stdin).ok()?;
    let is_file = FileType::from_raw_mode(status.st_mode) == FileType::RegularFile;
    let size = u64::try_from(status.st_size).ok().filter(|_| is_file)?;
    usize::try_from(size.saturating_sub(tell(stdin).ok()?)).ok()
}

/// Reads from stdin, once it has something.
fn patiently(
    mut read: impl FnMut(BorrowedFd<'static>) -> Result<usize, Errno>,
) -> io::Result<usize> {
    let stdin = rustix::stdio::stdin();
    loop {
        match read(stdin) {
            Err(Errno::AGAIN) => wait(stdin, PollFlags::IN)?,
            done => return Ok(done?),
        }
    }
}

/// The process's stdout without the line buffer that the standard library puts before it.
#[derive(Default)]
pub struct RawStdout {
    written: usize,
}

impl RawStdout {
    /// Whether anything has been written.
    pub fn is_untouched(&self) -> bool {
        self.written == 0
    }
}

impl Write for RawStdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let stdout = rustix::stdio::stdout();
        if self.written < LARGE && self.written + bytes.len() >= LARGE {
            enlarge(stdout);
        }
        loop {
            match rustix::io::write(stdout, bytes) {
                Err(Errno::AGAIN) => wait(stdout, PollFlags::OUT)?,
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

fn wait(stream: BorrowedFd<'_>, until: PollFlags) -> io::Result<()> {
    match poll(&mut [PollFd::new(&stream, until)], None) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

/// Gives `stream` more room if it is a pipe. If the user has used up their share, the pipe stays
/// small, which is only slower.
fn enlarge(stream: BorrowedFd<'_>) {
    if fcntl_getpipe_size(stream).is_ok_and(|size| size < PIPE_SIZE) {
        let _ = fcntl_setpipe_size(stream, PIPE_SIZE);
    }
}
