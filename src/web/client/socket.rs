//! A TCP connection as the HTTP library wants it, each read and write bounded by the time left.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use ureq::Error;
use ureq::unversioned::transport::{Buffers, LazyBuffers, NextTimeout, Transport};

/// A socket's timeout is set anew only when it is further off than this: it costs a system call.
const SLACK: Duration = Duration::from_millis(50);

/// A connection and its buffers.
#[derive(Debug)]
pub struct Socket {
    stream: TcpStream,
    buffers: LazyBuffers,
    read_timeout: Option<Duration>,
    write_timeout: Option<Duration>,
}

impl Socket {
    /// Takes over a connection on which the library may now speak.
    pub fn new(stream: TcpStream, buffers: LazyBuffers) -> Self {
        Self {
            stream,
            buffers,
            read_timeout: None,
            write_timeout: None,
        }
    }
}

/// The timeout to set on the socket, if the one that is set will not do.
fn renewed(set: &mut Option<Duration>, timeout: NextTimeout) -> Result<Option<Duration>, Error> {
    let left = *timeout.after;
    if left.is_zero() {
        return Err(Error::Timeout(timeout.reason));
    }
    if set.is_some_and(|set| set.abs_diff(left) < SLACK) {
        return Ok(None);
    }
    *set = Some(left);
    Ok(*set)
}

/// Linux reports a socket's timeout as `WouldBlock`.
fn classify(error: io::Error, timeout: NextTimeout) -> Error {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Error::Timeout(timeout.reason),
        _ => Error::Io(error),
    }
}

impl Transport for Socket {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        if let Some(left) = renewed(&mut self.write_timeout, timeout)? {
            self.stream.set_write_timeout(Some(left))?;
        }
        let output = &self.buffers.output()[..amount];
        self.stream
            .write_all(output)
            .map_err(|error| classify(error, timeout))
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        if let Some(left) = renewed(&mut self.read_timeout, timeout)? {
            self.stream.set_read_timeout(Some(left))?;
        }
        let input = self.buffers.input_append_buf();
        let amount = loop {
            match self.stream.read(input) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other.map_err(|error| classify(error, timeout))?,
            }
        };
        self.buffers.input_appended(amount);
        Ok(amount > 0)
    }

    fn is_open(&mut self) -> bool {
        // Asked before a connection is used again, which none is here.
        false
    }
}
