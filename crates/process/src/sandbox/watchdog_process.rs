//! The watchdog itself, from its fork on.
//!
//! It never becomes another program, and the process from which it is forked may have several
//! threads: it makes system calls only, and what it needs for them is prepared before the fork (see
//! `launch`).

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, WaitOptions, WaitStatus, pidfd_open, set_child_subreaper, setpgid, wait,
};

use crate::sandbox::descendants;
use crate::sandbox::launch::{NOT_CONFINED, ProgramLaunch};
use crate::sandbox::lifeline::{WatchdogOrder, install, wait_for_order};
use crate::sandbox::open_descriptors::{FIRST_AFTER_STREAMS, close_all_but};
use crate::sandbox::own_process::OwnProcess;
use crate::sandbox::tree_termination::TreeTermination;
use crate::sandbox::watchdog::{LEFTOVERS_REPORTED, StderrTarget, WATCHDOG_REMAINS};

/// Time between two reaps of a command's orphans.
const REAP_INTERVAL: Timespec = Timespec {
    tv_sec: 1,
    tv_nsec: 0,
};

/// Time between two checks for a shell's end without a handle to wait for.
const POLL_INTERVAL: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 5_000_000,
};

/// Time between two checks for processes in the background of which only the mark tells.
const ASK_AGAIN: Duration = Duration::from_secs(1);

/// The task of a watchdog, prepared before the fork.
pub(super) struct WatchdogTask<'a> {
    pub(super) launch: &'a ProgramLaunch,
    pub(super) read_end: BorrowedFd<'a>,
    pub(super) output: OwnedFd,
    pub(super) errors: StderrTarget,
    pub(super) mark: Option<&'a [u8]>,
    pub(super) tether: OwnedFd,
    pub(super) report: OwnedFd,
}

/// Starts the program, reports its end, and waits for the tool's release or death. A directory of
/// the program's own exists in the meantime.
pub(super) fn watch(watched: WatchdogTask<'_>) {
    let launch = watched.launch;
    // A signal to the tool's group must not reach it from here on.
    leave_caller_group();
    // Without it the watch is only less thorough.
    let _ = set_child_subreaper(Pid::from_raw(1));
    set_up_signals();
    // A process that ends a tree leaves it alone from here on: it clears up once the rest is gone.
    OwnProcess::Watching.take_name();
    let Some(place) = launch.scratch.as_deref() else {
        watch_program(watched);
        return;
    };
    let made = place
        .make()
        .and_then(|directory| match &launch.confinement {
            Some(confined) => confined.allow_directory(&directory),
            None => Ok(()),
        });
    match made {
        Ok(()) => watch_program(watched),
        Err(errno) => {
            report_to_tool(&watched.report, &[NOT_CONFINED + errno.raw_os_error()]);
            if errno == Errno::EXIST {
                // Another process has it.
                return;
            }
        }
    }
    place.remove();
}

/// Waits until no process that the command left in the background is left.
fn wait_for_background(report: &OwnedFd, mark: Option<&[u8]>) {
    OwnProcess::Staying.take_name();
    let _ = rustix::io::write(report, WATCHDOG_REMAINS);
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) => descendants::let_go_if_stopped(pid, status),
            Err(Errno::CHILD) => break,
            Ok(None) | Err(_) => {}
        }
    }
    while mark.is_some_and(descendants::are_marked) {
        std::thread::sleep(ASK_AGAIN);
    }
}

fn watch_program(watched: WatchdogTask<'_>) {
    let WatchdogTask {
        launch,
        read_end,
        output,
        errors,
        mark,
        tether,
        report,
    } = watched;
    let nothing = launch.nothing.as_fd();
    let started =
        take_streams(nothing, &output, errors).and_then(|()| launch.start(report.as_fd()));
    let program = match started {
        Ok(program) => program,
        Err(errno) => {
            report_to_tool(&report, &[errno.raw_os_error()]);
            drop(report);
            let _ = wait_for_order(&tether);
            return;
        }
    };
    drop(output);
    let scratch = launch.scratch.as_ref().map(|scratch| scratch.parent());
    // A command that clears up after the tool's death must not die of what it writes.
    let mut exceptions = [
        read_end,
        tether.as_fd(),
        report.as_fd(),
        nothing,
        scratch.unwrap_or(nothing),
    ]
    .map(|one| one.as_raw_fd());
    close_all_but(FIRST_AFTER_STREAMS, &mut exceptions);
    // The output stays open until then, so that its end does not wake the tool before there is a
    // report.
    let ended = report_end(program, &tether, &report);
    let _ = rustix::stdio::dup2_stdout(nothing);
    let _ = rustix::stdio::dup2_stderr(nothing);
    // If the command left nothing behind, the watch ends here, which saves each side one wake-up.
    // If that is not known, the watch goes on.
    let guarded = || descendants::reap() || mark.is_some();
    if ended {
        if !guarded() {
            return;
        }
        // The tool can tell now whether they have the output open.
        let _ = rustix::io::write(&report, LEFTOVERS_REPORTED);
        while !is_readable(&tether) {
            if !guarded() {
                return;
            }
        }
    }
    let grace = match wait_for_order(&tether) {
        WatchdogOrder::Released => {
            let left = || descendants::reap() || mark.is_some_and(descendants::are_marked);
            let is_own = launch
                .scratch
                .as_ref()
                .is_some_and(|place| !place.is_lasting());
            if is_own && left() {
                wait_for_background(&report, mark);
            }
            return;
        }
        WatchdogOrder::End(grace) => grace,
    };
    let ending = TreeTermination {
        group: Some(program),
        mark,
        grace,
        report: Some(report.as_fd()),
    };
    ending.carry_out();
}

/// Waits for an order, or the tool's death, until it is time to reap.
fn is_readable(tether: &OwnedFd) -> bool {
    let mut wanted = [PollFd::new(tether, PollFlags::IN)];
    let _ = poll(&mut wanted, Some(&REAP_INTERVAL));
    !wanted[0].revents().is_empty()
}

/// Moves to a process group of its own, without a terminal: a program that asks for a password
/// there must fail, not wait. A new session would do both, but the kernel schedules sessions
/// against one another (`sched(7)`, autogroups): making one takes a tenth of a short command's
/// time, and on a busy machine milliseconds pass before it runs.
fn leave_caller_group() {
    // Cannot fail in a new process.
    let _ = setpgid(None, None);
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    if let Ok(terminal) = open(c"/dev/tty", flags, Mode::empty()) {
        // SAFETY: the request takes no argument. In a process that does not lead a session, it
        // detaches that process alone from its terminal (`ioctl_tty(2)`).
        unsafe { libc::ioctl(terminal.as_raw_fd(), libc::TIOCNOTTY) };
    }
}

/// Makes the watchdog catch signals and do nothing: the command may send them to its parent. The
/// program does not inherit handlers (`execve(2)`), and so can be interrupted as at a terminal,
/// even if the host ignores SIGINT and SIGQUIT because a shell started it in the background
/// (POSIX.1-2017, "Shell Command Language", 2.9.3.1), and the tool itself SIGXFSZ. SIGHUP and
/// SIGTERM stay ignored if they are, for `nohup(1)`'s sake.
fn set_up_signals() {
    extern "C" fn nothing(_: libc::c_int) {}
    for signal in [libc::SIGINT, libc::SIGQUIT, libc::SIGXFSZ] {
        // SAFETY: the handler does nothing, which is safe at any moment.
        unsafe { libc::signal(signal, nothing as *const () as libc::sighandler_t) };
    }
    for signal in [libc::SIGHUP, libc::SIGTERM, libc::SIGUSR1, libc::SIGUSR2] {
        install(signal, nothing);
    }
}

/// Makes `nothing` and `output` the watchdog's own streams, which the program inherits. That closes
/// the caller's streams: a host that reads the tool's output to its end must not wait for the
/// watchdog too.
fn take_streams(
    nothing: BorrowedFd<'_>,
    output: &OwnedFd,
    errors: StderrTarget,
) -> Result<(), Errno> {
    let errors = match errors {
        StderrTarget::WithOutput => output.as_fd(),
        StderrTarget::Nowhere => nothing,
    };
    rustix::stdio::dup2_stdin(nothing)
        .and_then(|()| rustix::stdio::dup2_stdout(output))
        .and_then(|()| rustix::stdio::dup2_stderr(errors))
}

/// Waits for the program's end and reports it; false if the tool gave an order or died first.
fn report_end(program: Pid, tether: &OwnedFd, report: &OwnedFd) -> bool {
    let handle = pidfd_open(program, PidfdFlags::empty());
    let mut wanted = [
        PollFd::new(tether, PollFlags::IN),
        PollFd::new(handle.as_ref().unwrap_or(tether), PollFlags::IN),
    ];
    // Kernels before 5.3 have no handle to wait for, and some sandboxes refuse it: there the
    // program is polled.
    let pause = if handle.is_ok() {
        &REAP_INTERVAL
    } else {
        &POLL_INTERVAL
    };
    loop {
        let _ = poll(&mut wanted, Some(pause));
        if !wanted[0].revents().is_empty() {
            return false;
        }
        if let Some(status) = reap_until(program) {
            report_to_tool(report, &[0, code_of(status)]);
            return true;
        }
    }
}

/// Reaps ended processes, orphans of the command included; returns the program's status once it has
/// ended.
fn reap_until(program: Pid) -> Option<WaitStatus> {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if pid == program && !status.stopped() => return Some(status),
            Ok(Some((pid, status))) => descendants::let_go_if_stopped(pid, status),
            Err(Errno::INTR) => {}
            Ok(None) | Err(_) => return None,
        }
    }
}

/// Reports to the tool: an error's number, or 0 and an exit code.
fn report_to_tool(report: &OwnedFd, numbers: &[i32]) {
    let mut bytes = [0; 8];
    for (to, from) in bytes
        .iter_mut()
        .zip(numbers.iter().flat_map(|n| n.to_ne_bytes()))
    {
        *to = from;
    }
    // The tether ends if the tool is gone.
    let _ = rustix::io::write(report, &bytes[..4 * numbers.len()]);
}

fn code_of(status: WaitStatus) -> i32 {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => code,
        (None, Some(signal)) => 128 + signal,
        (None, None) => 127,
    }
}
