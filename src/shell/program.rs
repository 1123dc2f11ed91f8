//! One program with a deadline: its output and how it ended, and nothing of it left either way.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pipe::{PipeFlags, pipe_with};

use crate::sandbox::launch::Launch;
use crate::sandbox::watchdog::{End, Errors, Watchdog};

/// How a program ended, and what it wrote on stdout.
#[derive(Debug)]
pub struct Ended {
    /// All that it wrote on stdout.
    pub output: Vec<u8>,
    /// Its exit code by the shell's conventions: 128 + N for signal N.
    pub code: i32,
}

/// Why a program's end was not waited for.
#[derive(Debug)]
pub enum Cut {
    /// The time was up.
    Late,
    /// It wrote more than was allowed.
    TooMuch,
    /// It could not be started.
    Failed(io::Error),
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Late => "the time was up",
            Self::TooMuch => "it wrote more than was allowed",
            Self::Failed(_) => "it could not be started",
        })
    }
}

impl std::error::Error for Cut {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Late | Self::TooMuch => None,
            Self::Failed(error) => Some(error),
        }
    }
}

impl From<io::Error> for Cut {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<rustix::io::Errno> for Cut {
    fn from(error: rustix::io::Errno) -> Self {
        Self::Failed(error.into())
    }
}

/// Runs `program` (its path, arguments and nothing else that was set on it) for at most `time`, with nothing on stdin
/// and stderr going nowhere, and takes at most `most` bytes of its stdout. Whatever it started is killed when it has
/// ended, when it is late, and when this process dies.
pub fn run_program(program: &Command, time: Duration, most: usize) -> Result<Ended, Cut> {
    let deadline = Instant::now() + time;
    let (output, input) = pipe_with(PipeFlags::CLOEXEC)?;
    let arguments = std::iter::once(program.get_program()).chain(program.get_args());
    let launch = Launch::prepare(program.get_program(), arguments, |_| false)?;
    let mut watchdog = Watchdog::start(launch, input, Errors::Nowhere)?;
    let mut pipe = File::from(output);
    let mut output = Vec::new();
    let mut open = true;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Cut::Late);
        }
        let (ended, readable) = {
            let status = watchdog.ended();
            let mut wanted = vec![PollFd::new(&status, PollFlags::IN)];
            if open {
                wanted.push(PollFd::new(&pipe, PollFlags::IN));
            }
            let left = Timespec::try_from(left).map_err(|_| Cut::Late)?;
            match poll(&mut wanted, Some(&left)) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let ready = |at: usize| wanted.get(at).is_some_and(|fd| !fd.revents().is_empty());
            (ready(0), ready(1))
        };
        if readable {
            let mut piece = [0; 16 * 1024];
            let count = pipe.read(&mut piece)?;
            open = count > 0;
            output.extend_from_slice(&piece[..count]);
            if output.len() > most {
                return Err(Cut::TooMuch);
            }
        } else if ended {
            return match watchdog.end() {
                End::Code(code) => Ok(Ended { output, code }),
                End::NotStarted(errno) => Err(errno.into()),
                End::Unwatched => Ok(Ended {
                    output,
                    code: 128 + libc::SIGKILL,
                }),
            };
        }
    }
}
