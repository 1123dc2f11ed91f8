//! The pipe through which a command's output comes, in the order written.

use std::fs::File;
use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionread};
use rustix::pipe::fcntl_setpipe_size;

use crate::sandbox::watchdog::Watchdog;
use crate::shell::progress::LastLine;
use crate::shell::unanswered_editors::end_unanswered_editors;

/// Size of a busy command's pipe, in bytes: the most that `pipe(7)` gives without privileges. So
/// much is read at a time, and so far the command may write ahead.
const PIPE_SIZE: usize = 1024 * 1024;

/// The time that a process of the shell's has to turn its output elsewhere.
const MOMENT: Duration = Duration::from_millis(100);

/// Bytes in the pipe from which a command is taken to write faster than we read: half of a pipe's
/// initial size.
const BUSY_PIPE: usize = 32 * 1024;

/// The time without output after which the command is searched for an editor that waits for keys.
const SILENCE: Duration = Duration::from_secs(1);

/// The reading end of a command's output.
pub(super) struct OutputPipe {
    output: File,
    buffer: Vec<u8>,
    is_enlarged: bool,
}

impl OutputPipe {
    pub(super) fn new(output: File) -> Self {
        Self {
            output,
            buffer: Vec::new(),
            is_enlarged: false,
        }
    }

    /// False once nobody has the other end any more.
    pub(super) fn is_open(&self) -> bool {
        // The kernel reports that end even if no event is asked for.
        let mut polled = [PollFd::new(&self.output, PollFlags::empty())];
        let now = Timespec::default();
        poll(&mut polled, Some(&now)).is_err() || !polled[0].revents().contains(PollFlags::HUP)
    }

    /// Passes on what comes within a moment of the shell's end, in which a process that it has just
    /// started may still close the pipe; returns true if it is open then.
    pub(super) fn is_left_open(&mut self, sink: &mut dyn Write) -> io::Result<bool> {
        let until = Instant::now() + MOMENT;
        loop {
            let mut polled = [PollFd::new(&self.output, PollFlags::IN)];
            let left = until.saturating_duration_since(Instant::now());
            match poll(&mut polled, Timespec::try_from(left).ok().as_ref()) {
                Err(Errno::INTR) => {}
                polled => drop(polled?),
            }
            self.drain(sink)?;
            let is_open = self.is_open();
            if !is_open || Instant::now() >= until {
                return Ok(is_open);
            }
        }
    }

    /// Waits until something comes or the command's watchdog has a report; returns which.
    pub(super) fn wait(&self, watchdog: &Watchdog) -> io::Result<(bool, bool)> {
        Ok(watchdog.wait(Some(&self.output), None)?)
    }

    /// Passes on everything in the pipe; returns false if it was empty.
    pub(super) fn drain(&mut self, sink: &mut dyn Write) -> io::Result<bool> {
        let waiting = ioctl_fionread(&self.output)?;
        if waiting == 0 {
            return Ok(false);
        }
        let waiting = usize::try_from(waiting).unwrap_or(PIPE_SIZE);
        if waiting >= BUSY_PIPE && !self.is_enlarged {
            // If the user has no more memory for pipes, it stays small, which is only slower.
            let _ = fcntl_setpipe_size(&self.output, PIPE_SIZE);
            self.is_enlarged = true;
        }
        let size = self.buffer.len().max(waiting.min(PIPE_SIZE));
        self.buffer.resize(size, 0);
        let mut left = waiting;
        while left > 0 {
            let limit = left.min(self.buffer.len());
            let count = self.output.read(&mut self.buffer[..limit])?;
            if count == 0 {
                break;
            }
            sink.write_all(&self.buffer[..count])?;
            left -= count;
        }
        // A viewer sees it now.
        sink.flush()?;
        Ok(true)
    }
}

/// The event that ended passing a command's output on.
pub(super) enum PassedOn {
    /// The shell ended.
    UntilEnd,
    /// Its time was over.
    UntilTimeout,
}

/// Passes the command's output on until the shell has ended and the pipe is empty, or until `end`.
pub(super) fn pass_on(
    pipe: &mut OutputPipe,
    watchdog: &Watchdog,
    sink: &mut dyn Write,
    end: Option<Instant>,
    progress: Option<fn(&[u8])>,
) -> io::Result<PassedOn> {
    let mut last_line = progress.map(LastLine::new);
    let mut open = true;
    let mut look_at = Some(Instant::now() + SILENCE);
    loop {
        let due = last_line.as_ref().and_then(LastLine::due);
        let wake = end.into_iter().chain(due).chain(look_at).min();
        let left = wake.map(|wake| wake.saturating_duration_since(Instant::now()));
        let (ended, readable) = watchdog.wait(open.then_some(&pipe.output), left)?;
        // Read after the end is known, so that everything written before the end counts.
        let drained = match &mut last_line {
            None => pipe.drain(sink)?,
            Some(line) => {
                let drained = pipe.drain(&mut line.watch(sink))?;
                line.report_if_due();
                drained
            }
        };
        if drained {
            look_at = Some(Instant::now() + SILENCE);
        } else if look_at.is_some_and(|look_time| look_time <= Instant::now()) {
            look_at = None;
            let word = end_unanswered_editors(&watchdog.running(), &pipe.output);
            sink.write_all(word.unwrap_or_default().as_bytes())?;
        }
        if !drained && readable {
            // Readable and empty: every writer has closed it.
            open = false;
        }
        if ended {
            return Ok(PassedOn::UntilEnd);
        }
        if end.is_some_and(|end| Instant::now() >= end) {
            return Ok(PassedOn::UntilTimeout);
        }
    }
}
