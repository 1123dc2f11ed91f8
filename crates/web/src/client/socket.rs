//! A TCP connection as the HTTP library wants it, each read and write bounded by the time left.
//!
//! The timeout is that of `poll(2)`, exact to the millisecond. A socket's own (`SO_RCVTIMEO`,
//! `socket(7)`) uses the kernel's coarse timers: 24 seconds may become 26.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use ureq::Error;
use ureq::unversioned::transport::{Buffers, LazyBuffers, NextTimeout, Transport};

use iki_base::progress_counters;

/// Timeout if the library sets none: a day.
const NO_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// A connection and its buffers.
#[derive(Debug)]
pub struct TcpTransport {
    stream: TcpStream,
    buffers: LazyBuffers,
}

impl TcpTransport {
    /// Takes over a connection.
    ///
    /// # Errors
    ///
    /// Fails if the stream cannot be made non-blocking.
    pub fn new(stream: TcpStream, buffers: LazyBuffers) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self { stream, buffers })
    }
}

/// Calls `act` as soon as the stream is ready for it, within the timeout.
fn in_time<T>(
    stream: &TcpStream,
    ready: PollFlags,
    timeout: NextTimeout,
    mut act: impl FnMut(&mut &TcpStream) -> io::Result<T>,
) -> Result<T, Error> {
    let deadline = Instant::now() + (*timeout.after).min(NO_TIMEOUT);
    loop {
        match act(&mut &*stream) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                let left = deadline.saturating_duration_since(Instant::now());
                let wait = Timespec::try_from(left).map_err(|_| Error::Timeout(timeout.reason))?;
                match poll(&mut [PollFd::new(stream, ready)], Some(&wait)) {
                    Ok(0) => return Err(Error::Timeout(timeout.reason)),
                    Ok(_) | Err(Errno::INTR) => {}
                    Err(errno) => return Err(Error::Io(errno.into())),
                }
            }
            Err(error) if error.kind() == ErrorKind::TimedOut => {
                return Err(Error::Timeout(timeout.reason));
            }
            done => return Ok(done?),
        }
    }
}

impl Transport for TcpTransport {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        let mut output = &self.buffers.output()[..amount];
        in_time(&self.stream, PollFlags::OUT, timeout, |stream| {
            while !output.is_empty() {
                let written = stream.write(output)?;
                output = &output[written..];
            }
            Ok(())
        })
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        if timeout.after.is_zero() {
            return Err(Error::Timeout(timeout.reason));
        }
        let input = self.buffers.input_append_buf();
        let amount = in_time(&self.stream, PollFlags::IN, timeout, |stream| {
            stream.read(input)
        })?;
        self.buffers.input_appended(amount);
        progress_counters::add(&progress_counters::BYTES, amount);
        Ok(amount > 0)
    }

    fn is_open(&mut self) -> bool {
        // Only asked before a connection is reused, and none is reused here.
        false
    }
}
