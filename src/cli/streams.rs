//! The process's own streams, past the buffers of the standard library: a call is read at once and written in pieces.

use std::io::{self, Read, Write};

/// The process's stdin without the buffer that the standard library puts behind it.
pub struct Stdin;

impl Read for Stdin {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(rustix::stdio::stdin(), bytes)?)
    }
}

/// The process's stdout without the line buffer that the standard library puts before it.
pub struct Stdout;

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(rustix::stdio::stdout(), bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
