//! The process's own streams without the standard library's buffers: a request is read in one go,
//! and an answer is written in large pieces.
//!
//! A host may have made its pipes non-blocking (`O_NONBLOCK` belongs to the pipe's end, not to a
//! process): then this module waits.

use std::io::{self, Read, Write};
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::pipe::{fcntl_getpipe_size, fcntl_setpipe_size};

/// How much a pipe to a host should hold while a large answer is written, in bytes: the most that
/// `pipe(7)` gives without privileges. With the usual 64 KiB, writer and reader wake each other
/// twenty times as often.
const PIPE_SIZE: usize = 1024 * 1024;

/// An answer of this size or more, in bytes, is large.
const LARGE: usize = 64 * 1024;

/// Whether anything has been written to stdout by [`Stdout`].
static BEGUN: AtomicBool = AtomicBool::new(false);

/// Whether anything of an answer has left the process. Safe to ask in a signal's handler.
pub fn has_begun() -> bool {
    BEGUN.load(Ordering::Relaxed)
}

/// The process's stdin without the buffer that the standard library puts behind it.
pub struct Stdin;

impl Read for Stdin {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let stdin = rustix::stdio::stdin();
        loop {
            match rustix::io::read(stdin, &mut *bytes) {
                Err(Errno::AGAIN) => wait(stdin, PollFlags::IN)?,
                done => return Ok(done?),
            }
        }
    }
}

/// The process's stdout without the line buffer that the standard library puts before it.
#[derive(Default)]
pub struct Stdout {
    written: usize,
}

impl Stdout {
    /// Whether anything has been written.
    pub fn is_untouched(&self) -> bool {
        self.written == 0
    }
}

impl Write for Stdout {
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
