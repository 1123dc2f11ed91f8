//! The process's own streams, past the buffers of the standard library: a call is read at once and written in pieces.
//!
//! A host may have left its ends without blocking (`O_NONBLOCK` is a property of the pipe's end, not of the process that
//! has it): then there is waiting to do.

use std::io::{self, Read, Write};
use std::os::fd::BorrowedFd;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::pipe::{fcntl_getpipe_size, fcntl_setpipe_size};

/// How much a pipe to a host should hold while a large answer is written, in bytes: the most that `pipe(7)` gives
/// without privileges. With the usual 64 KiB, writer and reader wake each other twenty times as often.
const PIPE_SIZE: usize = 1024 * 1024;

/// An answer is large from here on, in bytes.
const LARGE: usize = 64 * 1024;

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

/// Gives the pipe that `stream` may be more room. One that cannot have it, where a user has used up their share, is
/// slower and nothing else.
fn enlarge(stream: BorrowedFd<'_>) {
    if fcntl_getpipe_size(stream).is_ok_and(|size| size < PIPE_SIZE) {
        let _ = fcntl_setpipe_size(stream, PIPE_SIZE);
    }
}
