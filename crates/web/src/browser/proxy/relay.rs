//! Relaying bytes both ways between two connections, within limits.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::Ordering;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::ProxyState;

/// Size of the buffer of one direction, in bytes.
const BUFFER_BYTES: usize = 16 * 1024;

/// One direction of a relay.
struct RelayDirection<'a> {
    from: &'a TcpStream,
    to: &'a TcpStream,
    buffer: Vec<u8>,
    /// Bounds of the unwritten part of the buffer.
    start: usize,
    end: usize,
    /// Number of bytes that may still be read.
    limit: u64,
    /// Nothing more is read.
    is_over: bool,
    /// The other side has been told so.
    is_told: bool,
}

impl<'a> RelayDirection<'a> {
    fn new(from: &'a TcpStream, to: &'a TcpStream, limit: u64) -> Self {
        Self {
            from,
            to,
            buffer: vec![0; BUFFER_BYTES],
            start: 0,
            end: 0,
            limit,
            is_over: limit == 0,
            // The connection stays open, because a browser that has sent all still waits for the
            // answer.
            is_told: limit == 0,
        }
    }

    fn is_empty(&self) -> bool {
        self.start == self.end
    }

    fn wants_to_read(&self) -> bool {
        self.is_empty() && !self.is_over
    }

    /// Reads and writes as much as is possible; returns the number of bytes moved.
    fn transfer(&mut self) -> io::Result<usize> {
        let mut moved = 0;
        if self.wants_to_read() {
            let room = usize::try_from(self.limit)
                .unwrap_or(BUFFER_BYTES)
                .min(BUFFER_BYTES);
            match if_ready(self.from.read(&mut self.buffer[..room]))? {
                Some(0) => self.is_over = true,
                Some(count) => {
                    (self.start, self.end) = (0, count);
                    self.limit -= count as u64;
                    if self.limit == 0 {
                        (self.is_over, self.is_told) = (true, true);
                    }
                    moved += count;
                }
                None => {}
            }
        }
        while !self.is_empty() {
            match if_ready(self.to.write(&self.buffer[self.start..self.end]))? {
                Some(0) => return Err(io::ErrorKind::WriteZero.into()),
                Some(count) => self.start += count,
                None => return Ok(moved),
            }
        }
        if self.is_over && !self.is_told {
            self.is_told = true;
            self.to.shutdown(Shutdown::Write)?;
        }
        Ok(moved)
    }
}

/// Returns the result of a non-blocking call; `None` if it would have blocked.
fn if_ready(done: io::Result<usize>) -> io::Result<Option<usize>> {
    match done {
        Ok(count) => Ok(Some(count)),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Relays bytes both ways until both sides are done, the answering one is, or a limit is reached.
/// Passes on at most `limit` bytes of the asking side.
pub fn run(
    shared: &ProxyState,
    asking: &TcpStream,
    answering: &TcpStream,
    limit: u64,
) -> io::Result<()> {
    asking.set_nonblocking(true)?;
    answering.set_nonblocking(true)?;
    let mut there = RelayDirection::new(asking, answering, limit);
    let mut back = RelayDirection::new(answering, asking, u64::MAX);
    while shared.may_go_on() {
        let moved = there.transfer()? + back.transfer()?;
        shared.bytes.fetch_add(moved as u64, Ordering::Relaxed);
        // Once the answer has ended, nothing more is needed.
        if back.is_over && back.is_empty() {
            return Ok(());
        }
        let (asking_for, answering_for) =
            (wanted_events(&there, &back), wanted_events(&back, &there));
        let mut all = vec![PollFd::new(&shared.stopped, PollFlags::IN)];
        // RDHUP reports its end even if nothing more is read from it.
        all.push(PollFd::new(&asking, asking_for | PollFlags::RDHUP));
        if !answering_for.is_empty() {
            all.push(PollFd::new(&answering, answering_for));
        }
        let timeout = Timespec::try_from(shared.idle_timeout()).map_err(io::Error::other)?;
        match poll(&mut all, Some(&timeout)) {
            Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let left = all[1]
            .revents()
            .intersects(PollFlags::RDHUP | PollFlags::HUP | PollFlags::ERR);
        if !all[0].revents().is_empty() || (left && there.is_over) {
            return Ok(());
        }
    }
    Err(io::ErrorKind::TimedOut.into())
}

/// Returns the events to wait for on the socket from which `reads` reads and to which `writes`
/// writes.
fn wanted_events(reads: &RelayDirection<'_>, writes: &RelayDirection<'_>) -> PollFlags {
    let mut wanted = PollFlags::empty();
    if reads.wants_to_read() {
        wanted |= PollFlags::IN;
    }
    if !writes.is_empty() {
        wanted |= PollFlags::OUT;
    }
    wanted
}
