//! The process between a tool and its command: it ends all that the command started if the tool dies first.
//!
//! A tool that is killed with SIGKILL can clean up nothing itself, so another process has to notice. The watchdog
//! leads a process group of its own, out of reach of whatever kills the tool's or the command's; it is a child
//! subreaper, so that even daemons of the command stay among its descendants; and it holds the reading end of a pipe
//! whose writing end is the tool's alone: the pipe's end is the tool's.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, PidfdFlags, WaitOptions, WaitStatus, pidfd_open, set_child_subreaper, setpgid, wait,
    waitpid,
};

use super::descendants;

/// How often orphans of a running command are reaped.
const REAP_EVERY: Timespec = Timespec {
    tv_sec: 1,
    tv_nsec: 0,
};

/// How often a shell that offers nothing to wait for is asked whether it has ended.
const ASK_EVERY: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 5_000_000,
};

/// A watchdog, as the tool holds it. Dropped without [`Watchdog::release`], it ends what the command left running.
pub struct Watchdog {
    status: File,
    lifeline: File,
    pid: Pid,
}

impl Watchdog {
    /// Starts `command` under a watchdog. `output` is closed here: from now on it is the command's alone.
    pub fn start(mut command: Command, output: OwnedFd) -> io::Result<Self> {
        command.process_group(0);
        // Should the command kill its watchdog, what it started falls to this process.
        set_child_subreaper(Pid::from_raw(1))?;
        let (status, report) = pipe_with(PipeFlags::CLOEXEC)?;
        let (tether, lifeline) = pipe_with(PipeFlags::CLOEXEC)?;
        // SAFETY: the tools run on one thread, so no lock can be held by a thread that the child does not have.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                drop((status, lifeline));
                watch(command, output, &tether, File::from(report));
                // SAFETY: ends the process without running what the parent registered for its own end.
                unsafe { libc::_exit(0) }
            }
            pid => {
                let pid = Pid::from_raw(pid).ok_or(io::ErrorKind::Other)?;
                Ok(Self {
                    status: status.into(),
                    lifeline: lifeline.into(),
                    pid,
                })
            }
        }
    }

    /// Becomes readable when the command's shell has ended.
    pub fn ended(&self) -> impl AsFd {
        &self.status
    }

    /// The exit code by the shell's conventions: 128 + N for signal N. Waits for it.
    pub fn exit_code(&mut self) -> i32 {
        let mut code = [0; 4];
        if self.status.read_exact(&mut code).is_ok() {
            return i32::from_ne_bytes(code);
        }
        // No report: the command killed its watchdog. SIGKILL is the only signal that can.
        descendants::kill_all(None);
        128 + libc::SIGKILL
    }

    /// Lets what the command left in the background live on.
    pub fn release(mut self) {
        // A watchdog that is gone needs no release.
        let _ = self.lifeline.write_all(b".");
        let _ = waitpid(Some(self.pid), WaitOptions::empty());
    }
}

/// The watchdog's life: starts the command, reports its end, and waits for the tool's release or death.
fn watch(mut command: Command, output: OwnedFd, tether: &OwnedFd, report: File) {
    leave_the_callers_group();
    // Cannot fail in a process that has just been forked; without it the watch is only less strict.
    let _ = set_child_subreaper(Pid::from_raw(1));
    settle_signals();
    let started = take_streams(&output).and_then(|null| Ok((null, command.spawn()?)));
    match started {
        Ok((null, child)) => {
            drop((command, output));
            // The output stays open until then, lest its end wake the tool before there is a report.
            let ended = report_end(&child, tether, report);
            let _ = rustix::stdio::dup2_stdout(&null);
            let _ = rustix::stdio::dup2_stderr(&null);
            // A command that left nothing behind needs no watch: one waking less for each side.
            let guarded = !ended || descendants::reap();
            if guarded && !(ended && released(tether)) {
                descendants::kill_all(i32::try_from(child.id()).ok().and_then(Pid::from_raw));
            }
        }
        Err(error) => {
            let _ = writeln!(File::from(output), "sh: {error}");
            drop(command);
            tell(report, 127);
            released(tether);
        }
    }
}

/// Moves to a process group of its own, without a terminal: what asks for a password there must fail, not wait. A new
/// session would do both, but the kernel schedules that as a whole against the caller's (`sched(7)`, autogroups): a
/// tenth of a short command's time goes into its making, and on a busy machine milliseconds pass until its turn.
fn leave_the_callers_group() {
    // Cannot fail in a process that has just been forked.
    let _ = setpgid(None, None);
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    if let Ok(terminal) = open(c"/dev/tty", flags, Mode::empty()) {
        // SAFETY: the request takes no argument. Of a process that leads no session, it parts that process alone
        // from its terminal (`ioctl_tty(2)`).
        unsafe { libc::ioctl(terminal.as_raw_fd(), libc::TIOCNOTTY) };
    }
}

/// Has the watchdog hear signals and do nothing: the command may send them to its parent. A program that is started
/// does not inherit that (`execve(2)`), and so can be interrupted as at a terminal, though a host that a shell started
/// in the background ignores SIGINT and SIGQUIT (POSIX.1-2017, "Shell Command Language", 2.9.3.1), and the tool itself
/// SIGXFSZ. SIGHUP and SIGTERM stay ignored where they are, for `nohup(1)`'s sake.
fn settle_signals() {
    for signal in [libc::SIGINT, libc::SIGQUIT, libc::SIGXFSZ] {
        hear(signal);
    }
    for signal in [libc::SIGHUP, libc::SIGTERM, libc::SIGUSR1, libc::SIGUSR2] {
        if hear(signal) == libc::SIG_IGN {
            // SAFETY: installs no handler.
            unsafe { libc::signal(signal, libc::SIG_IGN) };
        }
    }
}

fn hear(signal: libc::c_int) -> libc::sighandler_t {
    extern "C" fn nothing(_: libc::c_int) {}
    // SAFETY: the handler does nothing, which is safe at any moment.
    unsafe { libc::signal(signal, nothing as *const () as libc::sighandler_t) }
}

/// Makes an empty stdin and `output` the watchdog's own streams, which the command inherits. The caller's are closed
/// by that: a host that reads the tool's output to its end must not wait for the watchdog's end too.
fn take_streams(output: &OwnedFd) -> io::Result<OwnedFd> {
    let null = open(c"/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(output)?;
    rustix::stdio::dup2_stderr(output)?;
    Ok(null)
}

/// Waits for the shell's end and reports it; false if the tool died before.
fn report_end(shell: &Child, tether: &OwnedFd, report: File) -> bool {
    let Some(shell) = i32::try_from(shell.id()).ok().and_then(Pid::from_raw) else {
        return false;
    };
    let handle = pidfd_open(shell, PidfdFlags::empty());
    loop {
        let mut wanted = vec![PollFd::new(tether, PollFlags::IN)];
        wanted.extend(
            handle
                .as_ref()
                .ok()
                .map(|handle| PollFd::new(handle, PollFlags::IN)),
        );
        // Kernels before 5.3 have no handle to wait for: they are asked again and again.
        let pause = if handle.is_ok() {
            &REAP_EVERY
        } else {
            &ASK_EVERY
        };
        let _ = poll(&mut wanted, Some(pause));
        if !wanted[0].revents().is_empty() {
            return false;
        }
        if let Some(status) = reap_until(shell) {
            tell(report, code_of(status));
            return true;
        }
    }
}

/// Reaps what has ended, orphans of the command among it; comes back with the shell's status once that has.
fn reap_until(shell: Pid) -> Option<WaitStatus> {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if pid == shell => return Some(status),
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            Ok(None) | Err(_) => return None,
        }
    }
}

fn tell(mut report: File, code: i32) {
    // A tool that is gone is noticed by its tether.
    let _ = report.write_all(&code.to_ne_bytes());
}

/// Waits until the tool says that it is done; false if it died instead.
fn released(tether: &OwnedFd) -> bool {
    let mut word = [0; 1];
    loop {
        match rustix::io::read(tether, &mut word) {
            Ok(count) => return count == 1,
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

fn code_of(status: WaitStatus) -> i32 {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => code,
        (None, Some(signal)) => 128 + signal,
        (None, None) => 127,
    }
}
