//! The process between a tool and its command: it ends all that the command started if the tool
//! dies first.
//!
//! A tool that is killed with SIGKILL can clean up nothing itself, so another process has to
//! notice. The watchdog leads a process group of its own, so that killing the tool's or the
//! command's group does not reach it. It is a child subreaper, so that even daemons of the command
//! stay among its descendants. And it holds the reading end of a pipe whose writing end only the
//! tool has. A byte there releases it, or says how long all of it has to end by itself; when the
//! tool dies, the pipe is at its end.
//!
//! This module is the tool's side; `watchdog_process` is the watchdog's.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, set_child_subreaper, waitpid};

use crate::sandbox::descendants::{self, RunningProcess};
use crate::sandbox::launch::{NOT_CONFINED, NOT_MASKED, ProgramLaunch};
use crate::sandbox::lifeline::{self, RELEASE, grace_byte};
use crate::sandbox::scratch::ScratchDirectory;
use crate::sandbox::tree_termination::{GRACE_OF_ORPHANS, TreeTermination};
use crate::sandbox::watchdog_process::{WatchdogTask, watch};

/// The variable that marks what a command started, for kernels that have no subreapers.
const MARK: &str = "IKIGAI_CALL";

/// The report, after a program's end, that processes of it are left.
pub(super) const LEFTOVERS_REPORTED: &[u8] = b"l";

/// The report of a watchdog that stays.
pub(super) const WATCHDOG_REMAINS: &[u8] = b"s";

/// The end of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandEnd {
    /// It ended with this exit code, by the shell's conventions: 128 + N for signal N.
    Code(i32),
    /// It could not be started.
    NotStarted(Errno),
    /// It could not be confined, and was not started.
    NotConfined(Errno),
    /// A directory could not be hidden from it, and it was not started.
    NotMasked(Errno),
    /// The command killed its watchdog; everything it started has been killed.
    Unwatched,
}

/// A watchdog, as the tool holds it. If dropped without [`Watchdog::release`], it ends what the
/// command left running, as if the tool had died.
pub struct Watchdog {
    status: File,
    lifeline: File,
    pid: Pid,
    mark: Option<String>,
    /// The directory that it may stay to remove when it is released.
    scratch: Option<Arc<ScratchDirectory>>,
}

impl Watchdog {
    /// Starts a program under a watchdog, and returns both with the end of the pipe to read its
    /// stdout from, and its stderr unless that is discarded. Only the program has the other end.
    pub fn start(mut launch: ProgramLaunch, errors: StderrTarget) -> io::Result<(Self, File)> {
        let (read_end, output) = pipe_with(PipeFlags::CLOEXEC)?;
        // If the command kills its watchdog, this process inherits what it started.
        let mark = match set_child_subreaper(Pid::from_raw(1)) {
            Ok(()) => None,
            Err(_) => Some(new_mark()),
        };
        if let Some(value) = &mark {
            launch = launch.with(MARK, value)?;
        }
        let mark = mark.map(|value| format!("{MARK}={value}"));
        let (status, report) = pipe_with(PipeFlags::CLOEXEC)?;
        let (tether, lifeline) = pipe_with(PipeFlags::CLOEXEC)?;
        let scratch = launch.scratch.clone();
        let watched = WatchdogTask {
            launch: &launch,
            read_end: read_end.as_fd(),
            output,
            errors,
            mark: mark.as_deref().map(str::as_bytes),
            tether,
            report,
        };
        // Before the command begins: this process may be asked to end as soon as it has.
        lifeline::forward_sigterm_to(Some(&lifeline));
        // SAFETY: the child makes system calls only, which need no lock that another thread might
        // hold.
        match unsafe { libc::fork() } {
            -1 => {
                let error = io::Error::last_os_error();
                lifeline::forward_sigterm_to(None::<&File>);
                Err(error)
            }
            0 => {
                let _last = ExitOnDrop;
                lifeline::forward_sigterm_to(None::<&File>);
                drop((status, lifeline));
                watch(watched);
                // SAFETY: ends the process without running the handlers that the parent registered
                // for its end.
                unsafe { libc::_exit(0) }
            }
            pid => {
                let pid = Pid::from_raw(pid).ok_or(io::ErrorKind::Other)?;
                drop(watched);
                let watchdog = Self {
                    status: status.into(),
                    lifeline: lifeline.into(),
                    pid,
                    mark,
                    scratch,
                };
                Ok((watchdog, read_end.into()))
            }
        }
    }

    /// Waits until the program has ended or `pipe` is readable, for at most `left`; returns which
    /// of them is so.
    pub fn wait(
        &self,
        pipe: Option<&impl AsFd>,
        left: Option<Duration>,
    ) -> Result<(bool, bool), Errno> {
        let mut wanted = vec![PollFd::new(&self.status, PollFlags::IN)];
        wanted.extend(pipe.map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        // A timeout that is too long for `poll` is left out.
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        match poll(&mut wanted, left.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
        let ready = |index: usize| wanted.get(index).is_some_and(|fd| !fd.revents().is_empty());
        Ok((ready(0), ready(1)))
    }

    /// Waits for the program's end, and returns it.
    pub fn end(&mut self) -> CommandEnd {
        let (mut kind, mut number) = ([0; 4], [0; 4]);
        let read = self.status.read_exact(&mut kind);
        match (read, i32::from_ne_bytes(kind)) {
            (Ok(()), 0) if self.status.read_exact(&mut number).is_ok() => {
                CommandEnd::Code(i32::from_ne_bytes(number))
            }
            (Ok(()), number @ NOT_MASKED..) => {
                CommandEnd::NotMasked(Errno::from_raw_os_error(number - NOT_MASKED))
            }
            (Ok(()), number @ NOT_CONFINED..) => {
                CommandEnd::NotConfined(Errno::from_raw_os_error(number - NOT_CONFINED))
            }
            (Ok(()), errno @ 1..) => CommandEnd::NotStarted(Errno::from_raw_os_error(errno)),
            // The watchdog is gone, or this process was asked to end and some had to be killed.
            _ => {
                self.stand_in(GRACE_OF_ORPHANS);
                lifeline::die_if_asked();
                CommandEnd::Unwatched
            }
        }
    }

    /// True if the program, whose end has been told, has left processes. The watchdog has closed
    /// the program's output then.
    pub(crate) fn has_left_processes(&mut self) -> bool {
        self.status
            .read_exact(&mut [0; LEFTOVERS_REPORTED.len()])
            .is_ok()
    }

    /// The running processes of the program and of all that it started.
    #[must_use]
    pub fn running(&self) -> Vec<RunningProcess> {
        descendants::find_running(self.mark.as_deref().map(str::as_bytes))
    }

    /// Orders that the program and all that it started are asked to end, and killed after `grace`.
    pub fn ask_to_end(&mut self, grace: Duration) {
        // If the watchdog is gone, this process stands in for it once it has waited for its end.
        let _ = self.lifeline.write_all(&[grace_byte(grace)]);
        // The command may have stopped it.
        let _ = kill_process(self.pid, Signal::CONT);
    }

    /// Waits until all those have ended that were asked to, until `end` at the longest; processes
    /// that cannot be interrupted are left to the watchdog then. Returns the numbers of the
    /// processes that had to be killed.
    #[expect(clippy::must_use_candidate, reason = "some only want it to end")]
    pub fn stop(mut self, end: Instant) -> Vec<i32> {
        let mut told = Vec::new();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let mut wanted = [PollFd::new(&self.status, PollFlags::IN)];
            match poll(&mut wanted, Timespec::try_from(left).ok().as_ref()) {
                Ok(0) => break,
                Ok(_) | Err(Errno::INTR) if wanted[0].revents().is_empty() => continue,
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => break,
            }
            let mut piece = [0; 4096];
            match self.status.read(&mut piece) {
                Ok(count @ 1..) => told.extend_from_slice(&piece[..count]),
                _ => break,
            }
        }
        loop {
            // It may still have a directory to remove.
            match waitpid(Some(self.pid), WaitOptions::NOHANG | WaitOptions::UNTRACED) {
                Ok(None) | Err(Errno::INTR) if Instant::now() < end => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Ok(Some((_, status))) if status.stopped() => {
                    // The command has stopped it again, so that this process has to end the rest.
                    let _ = kill_process(self.pid, Signal::KILL);
                    let _ = waitpid(Some(self.pid), WaitOptions::empty());
                    break self.stand_in(Duration::ZERO);
                }
                Ok(Some((_, status))) if status.exit_status() != Some(0) => {
                    // It was killed, and what it watched is this process's now.
                    break self.stand_in(Duration::ZERO);
                }
                _ => break,
            }
        }
        let (numbers, _) = told.as_chunks::<4>();
        let numbers = numbers.iter().map(|one| i32::from_ne_bytes(*one));
        // The program may have ended at the very moment at which it was asked to.
        numbers.filter(|one| *one < 0).map(|one| -one).collect()
    }

    /// Does what a killed watchdog would have done: ends what the command started, which has this
    /// much time, and removes its directory.
    fn stand_in(&self, grace: Duration) {
        let ending = TreeTermination {
            group: None,
            mark: self.mark.as_deref().map(str::as_bytes),
            grace,
            report: None,
        };
        ending.carry_out();
        if let Some(scratch) = &self.scratch {
            scratch.remove();
        }
    }

    /// Spares the processes that the command left in the background. A directory of the command's
    /// own stays as long as any of them does, and so does the watchdog, which removes it. It is
    /// waited for until `end` at the longest: removing a directory may take its time.
    pub fn release(mut self, end: Option<Instant>) {
        lifeline::forward_sigterm_to(None::<&File>);
        // A watchdog that is gone needs no release.
        let _ = self.lifeline.write_all(&[RELEASE]);
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        if poll(
            &mut [PollFd::new(&self.status, PollFlags::IN)],
            left.as_ref(),
        ) == Ok(0)
        {
            return;
        }
        if self.scratch.is_some()
            && self
                .status
                .read_exact(&mut [0; WATCHDOG_REMAINS.len()])
                .is_ok()
        {
            return;
        }
        let ended = waitpid(Some(self.pid), WaitOptions::empty());
        let killed = matches!(ended, Ok(Some((_, status))) if status.exit_status() != Some(0));
        if let (true, Some(scratch)) = (killed, &self.scratch)
            && !descendants::reap()
        {
            // No process is left that could use it.
            scratch.remove();
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        lifeline::forward_sigterm_to(None::<&File>);
    }
}

/// The target of a program's stderr.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StderrTarget {
    /// To stdout, in the order written.
    WithOutput,
    /// It is discarded.
    Nowhere,
}

/// Ends the process when dropped: a watchdog that fails must never go on as if it were the tool.
struct ExitOnDrop;

impl Drop for ExitOnDrop {
    fn drop(&mut self) {
        // SAFETY: ends the process without running the handlers that the parent registered for its
        // end.
        unsafe { libc::_exit(70) }
    }
}

/// A mark that no other call has.
fn new_mark() -> String {
    use std::hash::{BuildHasher, Hasher, RandomState};
    format!("{:016x}", RandomState::new().build_hasher().finish())
}
