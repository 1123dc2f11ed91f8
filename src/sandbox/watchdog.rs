//! The process between a tool and its command: it ends all that the command started if the tool dies first.
//!
//! A tool that is killed with SIGKILL can clean up nothing itself, so another process has to notice. The watchdog
//! leads a process group of its own, out of reach of whatever kills the tool's or the command's; it is a child
//! subreaper, so that even daemons of the command stay among its descendants; and it holds the reading end of a pipe
//! whose writing end is the tool's alone: the pipe's end is the tool's.
//!
//! It never becomes another program, and the process it is forked from may have several threads: it makes system
//! calls alone, and what it needs for them is made ready before (see `launch`).

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, PidfdFlags, WaitOptions, WaitStatus, pidfd_open, set_child_subreaper, setpgid, wait,
    waitpid,
};

use crate::sandbox::descendants;
use crate::sandbox::launch::Launch;

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

/// The variable that marks what a command started, where the kernel keeps no account of it.
const MARK: &str = "IKIGAI_CALL";

/// How a command came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It ended with this exit code, by the shell's conventions: 128 + N for signal N.
    Code(i32),
    /// It could not be started.
    NotStarted(Errno),
    /// The command killed its watchdog. What it started has been killed.
    Unwatched,
}

/// A watchdog, as the tool holds it. Dropped without [`Watchdog::release`], it ends what the command left running.
pub struct Watchdog {
    status: File,
    lifeline: File,
    pid: Pid,
    mark: Option<String>,
}

impl Watchdog {
    /// Starts a program under a watchdog. `output` is its stdout, and its stderr too unless that is to go nowhere; it
    /// is closed here: from now on it is the program's alone.
    pub fn start(mut launch: Launch, output: OwnedFd, errors: Errors) -> io::Result<Self> {
        // Should the command kill its watchdog, what it started falls to this process.
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
        let watched = Watched {
            launch: &launch,
            output,
            errors,
            mark: mark.as_deref().map(str::as_bytes),
            tether,
            report,
        };
        // SAFETY: the child makes system calls alone, which need no lock that another thread might hold.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                let _last = Leave;
                drop((status, lifeline));
                watch(watched);
                // SAFETY: ends the process without running what the parent registered for its own end.
                unsafe { libc::_exit(0) }
            }
            pid => {
                let pid = Pid::from_raw(pid).ok_or(io::ErrorKind::Other)?;
                drop(watched);
                Ok(Self {
                    status: status.into(),
                    lifeline: lifeline.into(),
                    pid,
                    mark,
                })
            }
        }
    }

    /// Becomes readable when the program has ended.
    pub fn ended(&self) -> impl AsFd {
        &self.status
    }

    /// How the program ended. Waits for it.
    pub fn end(&mut self) -> End {
        let (mut kind, mut number) = ([0; 4], [0; 4]);
        let read = self.status.read_exact(&mut kind);
        match (read, i32::from_ne_bytes(kind)) {
            (Ok(()), 0) if self.status.read_exact(&mut number).is_ok() => {
                End::Code(i32::from_ne_bytes(number))
            }
            (Ok(()), errno @ 1..) => End::NotStarted(Errno::from_raw_os_error(errno)),
            _ => {
                match &self.mark {
                    Some(mark) => descendants::kill_marked(None, mark.as_bytes()),
                    None => descendants::kill_all(None),
                }
                End::Unwatched
            }
        }
    }

    /// Lets what the command left in the background live on.
    pub fn release(mut self) {
        // A watchdog that is gone needs no release.
        let _ = self.lifeline.write_all(b".");
        let _ = waitpid(Some(self.pid), WaitOptions::empty());
    }
}

/// What becomes of a program's stderr.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errors {
    /// It goes where stdout goes, in the order written.
    WithOutput,
    /// It goes nowhere.
    Nowhere,
}

/// What a watchdog has, from before it is forked.
struct Watched<'a> {
    launch: &'a Launch,
    output: OwnedFd,
    errors: Errors,
    mark: Option<&'a [u8]>,
    tether: OwnedFd,
    report: OwnedFd,
}

/// Ends the process when it is dropped: what goes wrong in a watchdog must never go on as if it were the tool.
struct Leave;

impl Drop for Leave {
    fn drop(&mut self) {
        // SAFETY: ends the process without running what the parent registered for its own end.
        unsafe { libc::_exit(70) }
    }
}

/// A mark that no other call has.
fn new_mark() -> String {
    use std::hash::{BuildHasher, Hasher, RandomState};
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

/// The watchdog's life: starts the program, reports its end, and waits for the tool's release or death.
fn watch(watched: Watched<'_>) {
    let Watched {
        launch,
        output,
        errors,
        mark,
        tether,
        report,
    } = watched;
    leave_the_callers_group();
    // Without it the watch is only less strict.
    let _ = set_child_subreaper(Pid::from_raw(1));
    settle_signals();
    let nothing = launch.nothing.as_fd();
    let started =
        take_streams(nothing, &output, errors).and_then(|()| launch.start(report.as_fd()));
    let program = match started {
        Ok(program) => program,
        Err(errno) => {
            say(&report, &[errno.raw_os_error()]);
            drop(report);
            let _ = released(&tether);
            return;
        }
    };
    drop(output);
    // The output stays open until then, lest its end wake the tool before there is a report.
    let ended = report_end(program, &tether, report);
    let _ = rustix::stdio::dup2_stdout(nothing);
    let _ = rustix::stdio::dup2_stderr(nothing);
    // A command that left nothing behind needs no watch: one waking less for each side. Where it is not known what
    // was left, the watch goes on.
    let guarded = !ended || descendants::reap() || mark.is_some();
    if guarded && !(ended && released(&tether)) {
        match mark {
            Some(mark) => descendants::kill_marked(Some(program), mark),
            None => descendants::kill_all(Some(program)),
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

/// Makes `nothing` and `output` the watchdog's own streams, which the program inherits. The caller's are closed by
/// that: a host that reads the tool's output to its end must not wait for the watchdog's end too.
fn take_streams(nothing: BorrowedFd<'_>, output: &OwnedFd, errors: Errors) -> Result<(), Errno> {
    let errors = match errors {
        Errors::WithOutput => output.as_fd(),
        Errors::Nowhere => nothing,
    };
    rustix::stdio::dup2_stdin(nothing)
        .and_then(|()| rustix::stdio::dup2_stdout(output))
        .and_then(|()| rustix::stdio::dup2_stderr(errors))
}

/// Waits for the program's end and reports it; false if the tool died before.
fn report_end(program: Pid, tether: &OwnedFd, report: OwnedFd) -> bool {
    let handle = pidfd_open(program, PidfdFlags::empty());
    let mut wanted = [
        PollFd::new(tether, PollFlags::IN),
        PollFd::new(handle.as_ref().unwrap_or(tether), PollFlags::IN),
    ];
    // Kernels before 5.3 have no handle to wait for, and some sandboxes give none: there it is asked again and again.
    let pause = if handle.is_ok() {
        &REAP_EVERY
    } else {
        &ASK_EVERY
    };
    loop {
        let _ = poll(&mut wanted, Some(pause));
        if !wanted[0].revents().is_empty() {
            return false;
        }
        if let Some(status) = reap_until(program) {
            say(&report, &[0, code_of(status)]);
            drop(report);
            return true;
        }
    }
}

/// Reaps what has ended, orphans of the command among it; comes back with the program's status once that has.
fn reap_until(program: Pid) -> Option<WaitStatus> {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if pid == program => return Some(status),
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) | Err(_) => return None,
        }
    }
}

/// Tells the tool: an error's number, or 0 and an exit code.
fn say(report: &OwnedFd, numbers: &[i32]) {
    let mut bytes = [0; 8];
    for (to, from) in bytes
        .iter_mut()
        .zip(numbers.iter().flat_map(|n| n.to_ne_bytes()))
    {
        *to = from;
    }
    // A tool that is gone is noticed by its tether.
    let _ = rustix::io::write(report, &bytes[..4 * numbers.len()]);
}

/// Waits until the tool says that it is done; false if it died instead.
fn released(tether: &OwnedFd) -> bool {
    let mut word = [0; 1];
    loop {
        match rustix::io::read(tether, &mut word) {
            Ok(count) => return count == 1,
            Err(Errno::INTR) => {}
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
