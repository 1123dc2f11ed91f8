//! Bytes both ways between two connections, within bounds.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::sync::atomic::Ordering;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{ProxyState, Wire};

/// How much is kept of one direction, in bytes.
const BUFFER: usize = 16 * 1024;

/// One direction.
struct RelayDirection<'a> {
    from: Wire<'a>,
    to: Wire<'a>,
    buffer: Vec<u8>,
    /// What of the buffer is not yet written.
    start: usize,
    end: usize,
    /// How much may be read yet.
    most: u64,
    /// Whether no more comes.
    over: bool,
    /// Whether the other side has been told so.
    told: bool,
}

impl<'a> RelayDirection<'a> {
    fn new(from: Wire<'a>, to: Wire<'a>, most: u64) -> Self {
        Self {
            from,
            to,
            buffer: vec![0; BUFFER],
            start: 0,
            end: 0,
            most,
            over: most == 0,
            // Who sent all of a request still waits for the answer: the connection stays open.
            told: most == 0,
        }
    }

    fn is_empty(&self) -> bool {
        self.start == self.end
    }

    fn wants_to_read(&self) -> bool {
        self.is_empty() && !self.over
    }

    /// Reads or writes what is possible; returns how many bytes moved.
    fn step(&mut self) -> io::Result<usize> {
        let mut moved = 0;
        if self.wants_to_read() {
            let room = usize::try_from(self.most).unwrap_or(BUFFER).min(BUFFER);
            match possible(self.from.read(&mut self.buffer[..room]))? {
                Some(0) => self.over = true,
                Some(count) => {
                    (self.start, self.end) = (0, count);
                    self.most -= count as u64;
                    if self.most == 0 {
                        (self.over, self.told) = (true, true);
                    }
                    moved += count;
                }
                None => {}
            }
        }
        while !self.is_empty() {
            match possible(self.to.write(&self.buffer[self.start..self.end]))? {
                Some(0) => return Err(io::ErrorKind::WriteZero.into()),
                Some(count) => self.start += count,
                None => return Ok(moved),
            }
        }
        if self.over && !self.told {
            self.told = true;
            self.to.shutdown(Shutdown::Write)?;
        }
        Ok(moved)
    }
}

/// What was possible at once; `None` for nothing.
fn possible(done: io::Result<usize>) -> io::Result<Option<usize>> {
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

/// Has bytes go both ways until both sides are done, the answering one is, or a bound is reached.
/// Of the asking side, `most` bytes are passed on.
pub fn run(
    shared: &ProxyState,
    asking: Wire<'_>,
    answering: Wire<'_>,
    most: u64,
) -> io::Result<()> {
    asking.set_nonblocking(true)?;
    answering.set_nonblocking(true)?;
    let mut there = RelayDirection::new(asking, answering, most);
    let mut back = RelayDirection::new(answering, asking, u64::MAX);
    while shared.may_go_on() {
        let moved = there.step()? + back.step()?;
        shared.bytes.fetch_add(moved as u64, Ordering::Relaxed);
        // An answer that has come to its end is all that was asked for.
        if back.over && back.is_empty() {
            return Ok(());
        }
        let (asking_for, answering_for) = (wanted(&there, &back), wanted(&back, &there));
        let mut all = vec![PollFd::new(&shared.stopped, PollFlags::IN)];
        // Its end is noticed even if nothing more is read of it.
        all.push(PollFd::new(&asking, asking_for | PollFlags::RDHUP));
        if !answering_for.is_empty() {
            all.push(PollFd::new(&answering, answering_for));
        }
        let patience = Timespec::try_from(shared.patience()).map_err(io::Error::other)?;
        match poll(&mut all, Some(&patience)) {
            Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let left = all[1]
            .revents()
            .intersects(PollFlags::RDHUP | PollFlags::HUP | PollFlags::ERR);
        if !all[0].revents().is_empty() || (left && there.over) {
            return Ok(());
        }
    }
    Err(io::ErrorKind::TimedOut.into())
}

/// What is waited for on the socket that `reads` reads from and `writes` writes to.
fn wanted(reads: &RelayDirection<'_>, writes: &RelayDirection<'_>) -> PollFlags {
    let mut wanted = PollFlags::empty();
    if reads.wants_to_read() {
        wanted |= PollFlags::IN;
    }
    if !writes.is_empty() {
        wanted |= PollFlags::OUT;
    }
    wanted
}
